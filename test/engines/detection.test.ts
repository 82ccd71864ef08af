import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import { letterEvidence } from '../../server/engines/detection/letters.ts';
import { decodeNgrams, type Ngrams } from '../../server/engines/detection/ngram-table.ts';
import type { DetectionEngine } from '../../server/engines/engine.ts';
import { phrases, phrasesOfOthers } from './detection-phrases.ts';
import { sentences, unsupportedSentences } from './detection-sentences.ts';
import { expectSteadyTime } from '../support/machine/processor-time.ts';
import { recordLog } from '../support/product/log-record.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';

let detector: DetectionEngine;
beforeAll(async () => {
  detector = createDetector({ log: recordLog() });
  await detector.prepare(['Hello']);
});

const languageOf = (text: string) => {
  const detection = detector.detect(text);
  return detection.status === 'no_language_detected' ? undefined : detection.language;
};

it('bundles exactly the n-grams of its package, with their scores', async () => {
  const tables = new URL('../../node_modules/eld/src/ngrams/small.js', import.meta.url);
  const { ngramsData } = (await import(tables.href)) as { ngramsData: { ngrams: Ngrams } };
  const built = new URL('../../dist/bundle/engines/detection/ngrams.bin', import.meta.url);
  const ngrams = decodeNgrams(await readFile(built));
  const expected = Object.entries(ngramsData.ngrams);
  expect(expected.length).toBeGreaterThan(80_000);
  const differing = expected.filter(
    ([ngram, scores], at) => at % 16 === 0 && !isDeepStrictEqual({ ...ngrams[ngram] }, scores),
  );
  expect(differing).toEqual([]);
  expect(['', ' zqx', 'zzzzzz', 'longer than any', '中文'].map((none) => ngrams[none])).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

/** Share of texts whose language is found, and the texts where it is not. */
function accuracy(cut: (text: string, language: string) => string) {
  const texts = Object.entries(sentences).flatMap(([language, list]) =>
    list.map((sentence) => ({ language, text: cut(sentence, language) })),
  );
  const wrong = texts.filter(({ language, text }) => languageOf(text) !== language);
  return { share: 1 - wrong.length / texts.length, wrong, count: texts.length };
}

/** Chinese, Japanese and Thai write no blanks: about two characters make a word. */
const words = (text: string, language: string) =>
  ['zh', 'ja', 'th'].includes(language) ? (text.match(/.{1,2}/gu) ?? []) : text.split(' ');
const joint = (language: string) => (['zh', 'ja', 'th'].includes(language) ? '' : ' ');

/** Phrases of some languages that were not used for tuning, and the detector's answers. */
function unseenPhrases(
  of: (language: string) => boolean,
  usual: (language: string) => ReadonlyMap<string, number> | undefined = () => undefined,
) {
  return Object.entries(phrases)
    .filter(([language]) => of(language))
    .flatMap(([language, list]) =>
      list
        .split('|')
        .filter((_, index) => index % 2 === 1)
        .map((text) => ({
          language,
          text,
          found: detector.detect(text, { usual: usual(language) }),
        })),
    );
}

/** Whether word lists for the language come with the default engines. */
const isListed = (language: string) => 'ca de en es fr it pt'.split(' ').includes(language);
/** Every account occasionally has a text in another language. */
const rarely: [string, number][] = [['fi', 1]];
const isWrong = ({ language, found }: ReturnType<typeof unseenPhrases>[number]) =>
  found.status === 'success' && found.language !== language;

describe('the detector and short phrases', () => {
  it('finds 9 of 10 phrases in languages with word lists, and is never wrong', () => {
    const all = unseenPhrases(isListed);
    const isRight = all.filter(({ found }) => found.status === 'success').length;
    expect(all.filter(isWrong)).toEqual([]);
    expect(all.length).toBeGreaterThan(150);
    expect(isRight / all.length).toBeGreaterThanOrEqual(0.9);
  });

  it('reports doubt rather than a wrong language, in languages without word lists too', () => {
    const all = unseenPhrases((language) => !isListed(language));
    const isRight = all.filter(({ found }) => found.status === 'success').length;
    expect(all.filter(isWrong).length).toBeLessThanOrEqual(1);
    expect(isRight / all.length).toBeGreaterThanOrEqual(0.6);
  });

  it.each([
    ['proton beam', 'en'],
    ['Protonenstrahl', 'de'],
    ['Guten Morgen', 'de'],
    ['Wie geht es dir?', 'de'],
    ['Bore da', 'cy'],
    ['rusty screwdriver', 'en'],
    ['unbezahlter Urlaub', 'de'],
    ['ganivet de cuina', 'ca'],
    ['hablaban', 'es'],
    ['sore throat', 'en'],
    ['book a table', 'en'],
    ['seguro de coche', 'es'],
    ['seguro do carro', 'pt'],
    ['chuva intensa', 'pt'],
    ["je m'appelle", 'fr'],
  ])('is sure of %s', (text, language) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language });
  });

  it.each([
    ['campo de trigo', ['es', 'pt']],
    ['panel solar', ['en', 'es']],
    ['aceite de oliva', ['es', 'pt']],
    ['fil de coure', ['ca', 'fr']],
    ['vi negre', ['ca', 'ro']],
    ['sopa deliciosa', ['ca', 'es', 'pt']],
    ['dobré ráno', ['cs', 'sk']],
  ])('names the languages that %s may be in', (text, languages) => {
    const found = detector.detect(text);
    expect(found.status).toBe('insufficient_confidence');
    expect(found).toHaveProperty('candidates', expect.arrayContaining(languages));
  });

  it.each([
    ...['warm', 'over', 'care', 'place', 'hat', 'war', 'bin', 'ajo', 'oso', 'cosa', 'sur'],
    ...['modo oscuro', 'Código postal', 'pro rata', 'té verde', 'tan guapo', 'tu es nul'],
    ...['berg', 'tier', 'lampe', 'Login', 'self', 'charger', 'prato', 'sapo', 'animal'],
    ...['de facto leader', 'per diem', 'red hat'],
  ])('is unsure of %s, although a dictionary of another language has all its words', (text) => {
    expect(detector.detect(text).status).toBe('insufficient_confidence');
  });

  it.each([
    ['tu es seul', 'fr'],
    ['più tardi', 'it'],
  ])('is sure of %s because of its everyday words', (text, language) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language });
  });

  it("is right in 47 of 48 phrases where the account's usual language is known", () => {
    const all = unseenPhrases(isListed, (language) => new Map([[language, 8], ...rarely]));
    expect(all.filter(isWrong)).toEqual([]);
    const isRight = all.filter(({ found }) => found.status === 'success').length;
    expect(isRight / all.length).toBeGreaterThanOrEqual(47 / 48);
  });

  it.each([
    ['panel solar', { de: 1 }],
    ['panel solar', { es: 2, en: 1 }],
    ['hvad hedder du', { en: 9 }],
  ])('stays unsure of %s where the usual languages do not decide: %o', (text, usual) => {
    const found = detector.detect(text, { usual: new Map(Object.entries(usual)) });
    expect(found).toEqual(detector.detect(text));
  });

  it.each([
    ['coin', 'fr'],
    ['table', 'fr'],
    ['or', 'fr'],
    ['use', 'es'],
    ['once', 'es'],
    ['vino', 'it'],
    ['more', 'it'],
    ['casa', 'pt'],
    ['casa', 'ca'],
    ['pan', 'en'],
  ])('resolves %s, which other languages share, to the usual language: %s', (text, language) => {
    const found = detector.detect(text, { usual: new Map([[language, 8], ...rarely]) });
    expect(found).toEqual({ status: 'success', language });
  });

  it.each([
    ...['mi-e frig', 'mi-e somn', 'unde este cheia?', 'ce faci?', 'vreau o bere', 'casa mea'],
    'de ce nu',
  ])('recognises Romanian, whose words other languages share: %s', (text) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language: 'ro' });
  });

  it('takes no phrase of a language without a list for a language with one', () => {
    const taken = Object.entries(phrasesOfOthers).flatMap(([language, list]) =>
      list
        .split('|')
        .map((text) => ({ language, text, found: detector.detect(text) }))
        .filter(({ found }) => found.status === 'success' && isListed(found.language)),
    );
    expect(taken).toEqual([]);
  });

  it.each(['la casa', 'la vida', 'la mesa', 'mesa grande'])(
    'is unsure of %s, which French has only in unused forms, where French is usual',
    (text) => {
      for (const usual of [
        [['fr', 8]],
        [
          ['en', 8],
          ['fr', 4],
        ],
      ] as [string, number][][]) {
        const found = detector.detect(text, { usual: new Map(usual) });
        expect(found.status).toBe('insufficient_confidence');
      }
    },
  );

  it.each([
    ['tu as', 'es'],
    ['me too', 'es'],
    ['la plage', 'es'],
    ['me dice', 'en'],
    ['bravo ție', 'it'],
    ['son casa', 'fr'],
  ])('does not take %s for %s', (text, language) => {
    const found = detector.detect(text, { usual: new Map([[language, 8]]) });
    if (found.status === 'success') expect(found.language).not.toBe(language);
    if (language === 'es') expect(found).not.toEqual({ status: 'success', language: 'pt' });
  });

  it.each(['the house', 'come here', 'this is more'])(
    'recognises %s by its frequent words, whatever language is usual',
    (text) => {
      for (const language of ['es', 'fr', 'it', 'ca', 'pt']) {
        const found = detector.detect(text, { usual: new Map([[language, 8], ...rarely]) });
        expect(found, language).toEqual({ status: 'success', language: 'en' });
      }
    },
  );

  it('recognises everyday words of a language without a list, even if other languages share them', () => {
    expect(detector.detect('hol van a kulcs?')).toEqual({ status: 'success', language: 'hu' });
    const german = { status: 'success', language: 'de' };
    expect(detector.detect('vi sees i morgen')).not.toEqual(german);
  });

  it.each(['chair', 'pain', 'main', 'son', 'table', 'casa', 'entre'])(
    'is unsure of %s, which several languages share',
    (text) => {
      expect(detector.detect(text).status).toBe('insufficient_confidence');
    },
  );

  it.each(['col·lecció', 'instal·la', 'pel·lícula nova'])('evaluates the dot of %s', (text) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language: 'ca' });
  });

  it.each([
    ['es', 'Él está aquí mañana.'],
    ['fr', 'L’élève a été reçu à la fête.'],
    ['pt', 'Não há pão.'],
  ])('recognises %s with decomposed accents', (language, text) => {
    const [composed, apart] = ['NFC', 'NFD'].map((form) => detector.detect(text.normalize(form)));
    expect(composed).toEqual({ status: 'success', language });
    expect(apart).toEqual(composed);
  });

  it.each(['á', 'é', 'í', 'ó', 'ú'])('knows that not all languages write %s', (letter) => {
    const { areAllOf } = letterEvidence(`s${letter}`);
    expect(['es', 'ga', 'hu', 'de', 'id'].filter(areAllOf)).toEqual(['es', 'ga', 'hu']);
  });

  it.each([
    ['I live in Zürich', 'en'],
    ['Meet me in São Paulo', 'en'],
    ['Visc a Zürich', 'ca'],
    ['Moro em Düsseldorf', 'pt'],
    ['Ich wohne in Málaga', 'de'],
  ])('does not take the language of a name for that of the text: %s', (text, language) => {
    expect(detector.detect(text)).toHaveProperty('language', language);
  });

  it('runs without missing or unreadable lists, and logs them', async () => {
    const folder = temporaryFolder();
    await writeFile(path.join(folder, 'xx_XX.dic'), '1\nword\n');
    const log = recordLog();
    const bare = createDetector({ log, modesFolder: folder, dictionaryFolder: folder });
    // None of these needs lists.
    await bare.prepare(['', '123', 'Καλημέρα', '早上好']);
    expect(log.lines).toEqual([]);
    await bare.prepare(['Guten Morgen']);
    expect(log.lines.map(({ message }) => message)).toEqual(['a list of words cannot be read']);
    expect(bare.detect('Guten Morgen')).toEqual({ status: 'success', language: 'de' });
  });
});

describe('the detector', () => {
  it('finds the language of at least 98 % of sentences in 33 languages', () => {
    const { share, wrong, count } = accuracy((text) => text);
    expect(Object.keys(sentences)).toHaveLength(33);
    expect(count).toBeGreaterThanOrEqual(33 * 6);
    expect(share, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.98);
  });

  it.each([
    ['the first', (all: readonly string[]) => all.slice(0, 6)],
    ['the last', (all: readonly string[]) => all.slice(-6)],
  ])('finds the language of at least 90 %% from %s six words', (_, six) => {
    const { share, wrong } = accuracy((text, language) =>
      six(words(text, language)).join(joint(language)),
    );
    expect(share, JSON.stringify(wrong)).toBeGreaterThanOrEqual(0.9);
  });

  it('tells apart languages that the service does not support', () => {
    const all = Object.entries(unsupportedSentences).flatMap(([language, list]) =>
      list.map((text) => [text, language] as const),
    );
    expect(all.map(([text]) => languageOf(text))).toEqual(all.map(([, language]) => language));
  });

  it.each([
    ['Hello', 'en'],
    ['Hello, world!', 'en'],
    ['Good morning', 'en'],
    ['Bonjour', 'fr'],
    ['Guten Tag', 'de'],
    ['Buenos días', 'es'],
    ['Bom dia', 'pt'],
    ['Buongiorno', 'it'],
    ['Goedemorgen', 'nl'],
    ['Dzień dobry', 'pl'],
    ['Привет', 'ru'],
    ['Дякую', 'uk'],
    ['Merhaba', 'tr'],
    ['こんにちは', 'ja'],
    ['안녕하세요', 'ko'],
    ['你好', 'zh'],
    ['مرحبا', 'ar'],
    ['שלום', 'he'],
    ['Γεια σας', 'el'],
    ['สวัสดี', 'th'],
    ['Xin chào', 'vi'],
  ])('recognises common first tries: %s is %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });

  it('sees the text through markup, addresses, codes and names in other scripts', () => {
    const noise =
      '<p class="the name of the class">https://example.org/the/end ID_4711 a@b.example ';
    expect(detector.detect(`${noise}Die Kinder lernen lesen und schreiben.</p>`)).toEqual({
      status: 'success',
      language: 'de',
    });
    expect(languageOf('Наши дети очень любят YouTube и Minecraft')).toBe('ru');
  });

  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t '],
    ['digits', '12 345,67'],
    ['emoji', '😀🎉👩‍👩‍👧'],
    ['an address', 'https://example.org/a-page'],
    ['markup', '<br/><img src="a.png">'],
    ['punctuation', '?!… — «»'],
    ['lone surrogates', '\ud83d\ud83d \udc00'],
    ['control characters', '\0\u0001\u0002'],
    ['a script it does not know', 'ᚠᚢᚦᚨᚱᚲ'],
    ['keys hit at random', 'zzzz qqqq xxxx'],
  ])('finds no language in %s', (_, text) => {
    expect(detector.detect(text)).toEqual({ status: 'no_language_detected' });
  });

  it('is unsure of a word that many languages share', () => {
    expect(detector.detect('Hotel').status).toBe('insufficient_confidence');
  });

  it('ranks the likeliest language first, and none for a text without letters', () => {
    const ranked = detector.rank('Good morning');
    expect(ranked[0]).toBe('en');
    expect(ranked).toEqual([...new Set(ranked)]);
    expect(detector.rank('123')).toEqual([]);
  });

  it('accepts hostile texts in linear time without throwing', async () => {
    const hostile = [
      'a',
      '<',
      '&a',
      'a1',
      'a@',
      'http://',
      '\ud83d',
      '\0',
      'é',
      '中',
      '😀',
      '\u0301',
    ];
    for (const piece of [...hostile, ...hostile.map((one) => `${one} `)]) {
      await expectSteadyTime((times) => detector.detect(piece.repeat(times)), {
        size: Math.ceil((128 * 1024) / piece.length),
        littleMs: 20,
      });
    }
  });

  it('does not try to split overlong words', () => {
    const seconds = (text: (index: number) => string) => {
      const before = process.cpuUsage();
      for (let i = 0; i < 50; i++) detector.detect(text(i));
      return process.cpuUsage(before).user / 1e6;
    };
    const unlike = (index: number) => String.fromCharCode(97 + (index % 26), 97 + (index % 7));
    const words = seconds((index) => `${unlike(index)} ${'donau '.repeat(80)}`);
    expect(seconds((index) => `${unlike(index)}${'donau'.repeat(98)}`)).toBeLessThan(
      4 * words + 0.15,
    );
  });

  it('retains no memory of the texts it has seen', () => {
    const run = () => {
      for (let i = 0; i < 200; i++) detector.detect(`Where is train number ${i} going today?`);
      return process.memoryUsage().external;
    };
    const before = run();
    expect(run() - before).toBeLessThan(160_000);
  });
});
