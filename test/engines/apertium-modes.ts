/** Checks the table of modes and pivots against the installed packages: every offered pair must work. */
import fc from '../support/suite/properties.ts';
import { describe, expect, test } from 'vitest';
import { modes } from '../../server/engines/translation/apertium-modes.ts';
import { repairMarks } from '../../server/text/repair.ts';
import type { TextSegment } from '../../server/text/text-segment.ts';
import { baseLanguage } from '../../shared/language.ts';
import { rendered, xml } from '../text/layouts.ts';
import { isWellFormed, markup, tagsOf } from '../text/markup-samples.ts';
import { apertiumOfFile, translateTexts } from './apertium-support.ts';
import {
  marked,
  markedSegments,
  markFaults,
  textsOf,
  textWithin,
  written,
} from './marked-segments.ts';
import { hostileTexts } from './translation-texts.ts';

const signal = new AbortController().signal;

/**
 * The same sentence in each language, with its house marked, and words of which a translation contains most.
 */
const languages: Record<string, { sentence: string; words: RegExp[]; house: RegExp }> = {
  af: language('Die rooi motor staan voor die <1>huis</1>.', 'rooi', 'motor|kar', 'huis'),
  be: language('Чырвоны аўтамабіль стаіць перад <1>домам</1>.', 'чырвон', 'аўтамабіл|машын', 'дом'),
  bg: language('Червената кола е пред <1>къщата</1>.', 'червен', 'кола|автомобил', 'къща|дом'),
  bs: language('Crveni automobil je ispred <1>kuće</1>.', 'crven', 'automobil|auto', 'kuć'),
  ca: language('El cotxe vermell és davant de la <1>casa</1>.', 'vermell', 'cotxe|carro', 'casa'),
  da: language('Den røde bil står foran <1>huset</1>.', 'rød', 'bil', 'hus'),
  en: language(
    'The red car is in front of the <1>house</1>.',
    'red',
    'car|automobile',
    'house|home',
  ),
  eo: language('La ruĝa aŭto estas antaŭ la <1>domo</1>.', 'ruĝa', 'aŭto', 'dom'),
  es: language('El coche rojo está delante de la <1>casa</1>.', 'rojo', 'coche|auto', 'casa'),
  eu: language('Auto gorria <1>etxearen</1> aurrean dago.', 'gorri', 'auto|kotxe', 'etxe'),
  fr: language('La voiture rouge est devant la <1>maison</1>.', 'rouge', 'voiture', 'maison'),
  gl: language('O coche vermello está diante da <1>casa</1>.', 'vermello', 'coche', 'casa'),
  hi: language('लाल गाड़ी <1>घर</1> के सामने है।', 'लाल|सुर्ख', 'गाड़ी', 'घर'),
  hr: language('Crveni automobil je ispred <1>kuće</1>.', 'crven', 'automobil|auto', 'kuć'),
  id: language('Mobil merah ada di depan <1>rumah</1>.', 'merah', 'mobil', 'rumah'),
  is: language('Rauði bíllinn er fyrir framan <1>húsið</1>.', 'rauð', 'bíl', 'hús'),
  it: language('La macchina rossa è davanti alla <1>casa</1>.', 'ross', 'macchina|auto', 'casa'),
  mk: language('Црвениот автомобил е пред <1>куќата</1>.', 'црвен', 'автомобил|кола', 'куќа'),
  ms: language('Kereta merah ada di hadapan <1>rumah</1>.', 'merah', 'kereta', 'rumah'),
  nb: language('Den røde bilen står foran <1>huset</1>.', 'rød', 'bil', 'hus'),
  nl: language('De rode auto staat voor het <1>huis</1>.', 'rode|rood', 'auto|wagen', 'huis'),
  oc: language('La veitura roja es davant l’<1>ostal</1>.', 'roja|roge', 'veitura|auto', 'ostal'),
  pt: language('O carro vermelho está em frente da <1>casa</1>.', 'vermelh', 'carro', 'casa'),
  ro: language('Mașina roșie este în fața <1>casei</1>.', 'roșie', 'mașina', 'cas'),
  ru: language('Красный автомобиль стоит перед <1>домом</1>.', 'красн', 'автомобил|машин', 'дом'),
  sv: language('Den röda bilen står framför <1>huset</1>.', 'röd', 'bil', 'hus'),
  uk: language(
    'Червоний автомобіль стоїть перед <1>будинком</1>.',
    'червон',
    'автомобіл|машин',
    'дом|будин',
  ),
  ur: language('لال گاڑی <1>گھر</1> کے سامنے ہے۔', 'لال|سرخ', 'گاڑی', 'گھر'),
};

function language(sentence: string, ...words: [string, string, string]) {
  const [red, car, house] = words.map((word) => new RegExp(word, 'iu'));
  return { sentence, words: [red!, car!, house!], house: house! };
}

describe('the table of Apertium modes', () => {
  test('has a sample sentence for every language', () => {
    const known = modes.flatMap(({ source, target }) => [source, target]).map(baseLanguage);
    expect(Object.keys(languages).sort()).toEqual([...new Set(known)].sort());
  });

  test('contains each direction once', () => {
    const directions = modes.map(
      ({ source, target, towards = '' }) => `${source} ${target} ${towards}`,
    );
    expect(new Set(directions).size).toBe(directions.length);
  });
});

const engine = await apertiumOfFile();

/** All but one of several variants that have programs of their own. */
const spoken = engine.pairs.filter((pair) => pair.source !== 'ca' || pair.target !== 'en-US');

// One pair at a time, because the programs of each take time to start.
describe.each(spoken)('$source to $target', (pair) => {
  const options = { ...pair, signal };

  test('translates a sentence, keeping marks with their words', async () => {
    const { sentence } = languages[baseLanguage(pair.source)]!;
    const { words, house } = languages[baseLanguage(pair.target)]!;
    const segment = marked(sentence);
    const [answer] = await engine.translate([segment], options);
    const [text] = textsOf([answer!]);
    for (const word of words) expect(text).toMatch(word);
    expect(text).toMatch(/^\P{Ll}.*[^.][.।]$/u);
    expect(markFaults(segment, answer!), written(answer!)).toEqual([]);
    expect(textWithin(answer!, 1)).toMatch(house);
  });
});

/** Three with grammars of their own, and one without. The signs of French are in the conformance of its pair. */
const various = spoken.filter(({ source, target }) =>
  ['en es', 'es en', 'es pt', 'ca en'].includes(`${source} ${target}`),
);

describe.each(various)('$source to $target', (pair) => {
  const options = { ...pair, signal };

  test('keeps 40 hostile texts apart', async () => {
    const texts = hostileTexts(40);
    const answers = await translateTexts(
      engine,
      texts.map(({ text }) => text),
      options,
    );
    const tangled = texts.flatMap(({ text, tag }, i) => {
      // Some modes capitalise an unknown word at the end of a sentence.
      const found = answers[i]!.toUpperCase().match(/Q\d{5}Z/g);
      return found?.length === 1 && found[0] === tag ? [] : [{ text, answer: answers[i]! }];
    });
    expect(tangled).toEqual([]);
  });

  test('keeps random markup complete and nested as before', async () => {
    const segments = fc.array(
      fc.oneof(markedSegments({ isHostile: false }), markedSegments({ isHostile: true })),
      { minLength: 1, maxLength: 20 },
    );
    const property = fc.asyncProperty(segments, async (sources) => {
      const answers = await engine.translate(sources, options);
      expect(answers).toHaveLength(sources.length);
      sources.forEach((source, i) => checkMarks(source, answers[i]!));
    });
    await fc.assert(property, { numRuns: 2, plugins: [fc.interruptAfterTimeLimit(20_000)] });
  });

  test('keeps client markup well-formed with its elements, and ignored elements byte for byte', async () => {
    const parts = fc.tuple(markup, markup, markup);
    const property = fc.asyncProperty(parts, async ([before, inner, after]) => {
      const kept = `<keep  q='"'>${inner}</keep>`;
      const source = `${before} Here ${kept} there ${after}`;
      const layout = xml(source, { ignoreTags: ['keep'], language: pair.source });
      const answers = await engine.translate(layout.segments, options);
      const text = rendered(
        layout,
        layout.segments.map((segment, index) => repairMarks(segment, answers[index] ?? [])),
      );
      expect(isWellFormed(text), text).toBe(true);
      expect(tagsOf(text)).toEqual(tagsOf(source));
      expect(text).toContain(kept);
    });
    await fc.assert(property, { numRuns: 4, plugins: [fc.interruptAfterTimeLimit(20_000)] });
  });
});

function checkMarks(source: TextSegment, answer: TextSegment): void {
  const what = `${written(source)} → ${written(answer)}`;
  expect(markFaults(source, answer), what).toEqual([]);
  // A translation that repair leaves unchanged already nests its marks as the source does.
  expect(repairMarks(source, answer), what).toBe(answer);
}
