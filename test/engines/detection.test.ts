import { readFile, writeFile } from 'node:fs/promises';
import { once } from 'node:events';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { Worker } from 'node:worker_threads';
import { beforeAll, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import { letterEvidence } from '../../server/engines/detection/letters.ts';
import { decodeNgrams, type Ngrams } from '../../server/engines/detection/ngram-table.ts';
import {
  countFrequencies,
  type FrequencyTables,
} from '../../server/engines/detection/word-frequencies.ts';
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

it('goes by words that were counted when the server was built, the same as now', async () => {
  const built = '../../dist/bundle/engines/detection/word-frequency-worker.js';
  const [tables] = (await once(new Worker(new URL(built, import.meta.url)), 'message')) as [
    FrequencyTables,
  ];
  const counted = countFrequencies();
  expect(tables.languages).toEqual(counted.languages);
  for (const name of ['words', 'sequences', 'surprises'] as const) {
    // Compared as a truth value: a difference of megabytes says nothing.
    expect([name, bytesOf(tables[name]).equals(bytesOf(counted[name]))]).toEqual([name, true]);
  }
});

it('has the n-grams of its package in the bundle, each with its scores, and no others', async () => {
  const tables = new URL('../../node_modules/eld/src/ngrams/small.js', import.meta.url);
  const { ngramsData } = (await import(tables.href)) as { ngramsData: { ngrams: Ngrams } };
  const built = new URL('../../dist/bundle/engines/detection/ngrams.bin', import.meta.url);
  const ngrams = decodeNgrams(await readFile(built));
  const expected = Object.entries(ngramsData.ngrams);
  expect(expected.length).toBeGreaterThan(80_000);
  const differing = expected.filter(
    ([ngram, scores]) => !isDeepStrictEqual({ ...ngrams[ngram] }, scores),
  );
  expect(differing).toEqual([]);
  expect(['', ' zqx', 'zzzzzz', 'longer than any', '中文'].map((none) => ngrams[none])).toEqual(
    Array.from({ length: 5 }, () => undefined),
  );
});

function bytesOf({ buffer, byteOffset, byteLength }: NodeJS.ArrayBufferView): Buffer {
  return Buffer.from(buffer, byteOffset, byteLength);
}

/** Share of texts whose language is found, and those where it is not. */
function accuracy(cut: (text: string, language: string) => string) {
  const texts = Object.entries(sentences).flatMap(([language, list]) =>
    list.map((sentence) => ({ language, text: cut(sentence, language) })),
  );
  const wrong = texts.filter(({ language, text }) => languageOf(text) !== language);
  return { share: 1 - wrong.length / texts.length, wrong, count: texts.length };
}

/** Chinese, Japanese and Thai write no blanks: about two characters are a word. */
const words = (text: string, language: string) =>
  ['zh', 'ja', 'th'].includes(language) ? (text.match(/.{1,2}/gu) ?? []) : text.split(' ');
const joint = (language: string) => (['zh', 'ja', 'th'].includes(language) ? '' : ' ');

/** The phrases of some languages that the detector was not tuned on, and what it says of them. */
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

/** Those whose words are listed by what is installed for the default engines. */
const isListed = (language: string) => 'ca de en es fr it pt'.split(' ').includes(language);
/** Every account has a text of another language now and then. */
const rarely: [string, number][] = [['fi', 1]];
const isWrong = ({ language, found }: ReturnType<typeof unseenPhrases>[number]) =>
  found.status === 'success' && found.language !== language;

describe('the detector and short phrases', () => {
  it('is sure of 9 of 10 phrases in languages whose words are listed, and never wrong', () => {
    const all = unseenPhrases(isListed);
    const isRight = all.filter(({ found }) => found.status === 'success').length;
    expect(all.filter(isWrong)).toEqual([]);
    expect(all.length).toBeGreaterThan(150);
    expect(isRight / all.length).toBeGreaterThanOrEqual(0.9);
  });

  it('says that it is unsure rather than another language, of other languages as well', () => {
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
  ])('is not sure that %s is another language, as a dictionary has it all', (text) => {
    expect(detector.detect(text).status).toBe('insufficient_confidence');
  });

  it.each([
    ['tu es seul', 'fr'],
    ['più tardi', 'it'],
  ])('is sure of %s, which everyday words tell', (text, language) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language });
  });

  it('is right in 47 of 48 where it is known what is mostly written', () => {
    const all = unseenPhrases(isListed, (language) => new Map([[language, 8], ...rarely]));
    expect(all.filter(isWrong)).toEqual([]);
    const isRight = all.filter(({ found }) => found.status === 'success').length;
    expect(isRight / all.length).toBeGreaterThanOrEqual(47 / 48);
  });

  it.each([
    ['panel solar', { de: 1 }],
    ['panel solar', { es: 2, en: 1 }],
    ['hvad hedder du', { en: 9 }],
  ])('stays unsure of %s where what is usual decides nothing: %o', (text, usual) => {
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
  ])('takes %s, which others have as well, for what is usual: %s', (text, language) => {
    const found = detector.detect(text, { usual: new Map([[language, 8], ...rarely]) });
    expect(found).toEqual({ status: 'success', language });
  });

  it.each([
    ...['mi-e frig', 'mi-e somn', 'unde este cheia?', 'ce faci?', 'vreau o bere', 'casa mea'],
    'de ce nu',
  ])('knows Romanian, whose words others have as well: %s', (text) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language: 'ro' });
  });

  it('takes none in languages without a list for one that has them', () => {
    const taken = Object.entries(phrasesOfOthers).flatMap(([language, list]) =>
      list
        .split('|')
        .map((text) => ({ language, text, found: detector.detect(text) }))
        .filter(({ found }) => found.status === 'success' && isListed(found.language)),
    );
    expect(taken).toEqual([]);
  });

  it.each(['la casa', 'la vida', 'la mesa', 'mesa grande'])(
    'is unsure of %s, which French has by forms that nobody writes, where French is usual',
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
    'knows %s by its frequent words whatever is usual',
    (text) => {
      for (const language of ['es', 'fr', 'it', 'ca', 'pt']) {
        const found = detector.detect(text, { usual: new Map([[language, 8], ...rarely]) });
        expect(found, language).toEqual({ status: 'success', language: 'en' });
      }
    },
  );

  it('knows a phrase by its everyday words in a language without a list, though others have them', () => {
    expect(detector.detect('hol van a kulcs?')).toEqual({ status: 'success', language: 'hu' });
    const german = { status: 'success', language: 'de' };
    expect(detector.detect('vi sees i morgen')).not.toEqual(german);
  });

  it.each(['chair', 'pain', 'main', 'son', 'table', 'casa', 'entre'])(
    'is not sure of %s, which several have',
    (text) => {
      expect(detector.detect(text).status).toBe('insufficient_confidence');
    },
  );

  it.each(['col·lecció', 'instal·la', 'pel·lícula nova'])('reads the dot of %s', (text) => {
    expect(detector.detect(text)).toEqual({ status: 'success', language: 'ca' });
  });

  it.each([
    ['es', 'Él está aquí mañana.'],
    ['fr', 'L’élève a été reçu à la fête.'],
    ['pt', 'Não há pão.'],
  ])('reads %s with its accents apart', (language, text) => {
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

  it('goes without lists that are not there or cannot be read, and says so', async () => {
    const folder = temporaryFolder();
    await writeFile(path.join(folder, 'xx_XX.dic'), '1\nword\n');
    const log = recordLog();
    const bare = createDetector({ log, modesFolder: folder, dictionaryFolder: folder });
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

  it('tells languages apart that the service does not support', () => {
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
  ])('knows what people try first: %s is %s', (text, language) => {
    expect(languageOf(text)).toBe(language);
  });

  it('sees the text through markup, addresses, codes and names in other letters', () => {
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

  it('is not sure of a word that many languages have', () => {
    expect(detector.detect('Hotel').status).toBe('insufficient_confidence');
  });

  it('ranks the likeliest language first, and none where there are no letters', () => {
    const ranked = detector.rank('Good morning');
    expect(ranked[0]).toBe('en');
    expect(ranked).toEqual([...new Set(ranked)]);
    expect(detector.rank('123')).toEqual([]);
  });

  it('takes hostile texts in its stride: none throws, and length costs little', async () => {
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

  it('tries no cuts of a word longer than any', () => {
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

  it('holds no memory of the texts it has seen', () => {
    const run = () => {
      for (let i = 0; i < 200; i++) detector.detect(`Where is train number ${i} going today?`);
      return process.memoryUsage().external;
    };
    const before = run();
    expect(run() - before).toBeLessThan(160_000);
  });
});
