/**
 * What every translation engine promises, as checks that take a maker of engines. Use
 * `describeTranslationEngine` in the test file of an engine.
 */
import assert from 'node:assert/strict';
import { describe, test } from 'vitest';
import type { LanguagePair, TranslationEngine } from '../../server/engines/engine.ts';
import { ServiceError } from '../../shared/errors.ts';

export interface TranslationSubject {
  createEngine: () => Promise<TranslationEngine>;
  /** A pair it serves; sentences of the checks are in English. */
  pair: LanguagePair;
}

/** One promise: its name, and a check that rejects when an engine breaks it. */
export interface TranslationPromise {
  name: string;
  check: (engine: TranslationEngine, pair: LanguagePair) => Promise<void>;
}

/** Registers one test per promise, each with an engine of its own. */
export function describeTranslationEngine(name: string, subject: TranslationSubject): void {
  describe(name, () => {
    for (const promise of translationPromises) {
      test(promise.name, { timeout: 60_000 }, () => checkPromise(promise, subject));
    }
  });
}

/** Checks one promise with a fresh engine, which is closed afterwards. */
export async function checkPromise(
  promise: TranslationPromise,
  { createEngine, pair }: TranslationSubject,
): Promise<void> {
  const engine = await createEngine();
  try {
    await promise.check(engine, pair);
  } finally {
    await engine.close();
  }
}

const things = ['house', 'book', 'river', 'city', 'table', 'friend', 'door', 'window'];

/** Different sentences with a number each, by which an answer can be told from any other. */
function sentences(count: number, first = 1000): string[] {
  return Array.from(
    { length: count },
    (_, i) => `The ${things[i % things.length]} number ${first + i} is new.`,
  );
}

const hostileParts =
  '$5.00|a^b|[x]|{y}|<b>|</b>|@home|C:\\dir|and/or|~|*|#|+|😀|日本|naïve|e\u0301|don’t|"quote"|«x»|me@x.org|' +
  '...|.|¿|?|3.14|50%|&amp;|[[t:b:1]]|[[/]]|[#7]|\\0|\0|\u0001|\u001b|\u200b|\u00a0|\u202f|\ufeff|İ|ﬁ|\ud800|\t|  |\n|\r\n|\u2028|no|house|a';

/** Texts made of what breaks formats, each with a number of its own at the end. */
export function hostileTexts(count: number): { text: string; tag: string }[] {
  const parts = hostileParts.split('|');
  const random = randomSource(42);
  return Array.from({ length: count }, (_, i) => {
    const length = Math.floor(random() * 14);
    const chosen = Array.from({ length }, () => parts[Math.floor(random() * parts.length)]);
    const tag = `Q${10_000 + i}Z`;
    return { text: `${chosen.join(random() < 0.8 ? ' ' : '')} ${tag}`, tag };
  });
}

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function randomSource(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const never = new AbortController().signal;

async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('expected a failure'),
    (error: unknown) => error,
  );
}

function assertTranslationFailed(error: unknown): void {
  assert.ok(error instanceof ServiceError, `not a ServiceError: ${String(error)}`);
  assert.equal(error.code, 'translation_failed');
  assert.ok(error.message.length > 20, 'the message does not say what to do');
}

export const translationPromises: TranslationPromise[] = [
  {
    name: 'offers pairs of two different languages, each once',
    check: async (engine, pair) => {
      const keys = engine.pairs.map(({ source, target }) => `${source} ${target}`);
      assert.equal(new Set(keys).size, keys.length);
      assert.ok(engine.pairs.every(({ source, target }) => source !== target));
      assert.ok(keys.includes(`${pair.source} ${pair.target}`));
    },
  },
  {
    name: 'answers every text in its place',
    check: async (engine, pair) => {
      const texts = sentences(40);
      const answers = await engine.translate(texts, { ...pair, signal: never });
      assert.equal(answers.length, texts.length);
      answers.forEach((answer, i) => assert.match(answer, new RegExp(`\\b${1000 + i}\\b`)));
      assert.notDeepEqual(answers, texts);
    },
  },
  {
    name: 'answers no texts with no texts',
    check: async (engine, pair) => {
      assert.deepEqual(await engine.translate([], { ...pair, signal: never }), []);
    },
  },
  {
    name: 'leaves blank texts, outer blanks and line breaks as they are',
    check: async (engine, pair) => {
      const texts = [
        '',
        ' ',
        '\n\t ',
        '  The house is new. ',
        'One house.\r\n\n Two houses.\n',
        '',
      ];
      const answers = await engine.translate(texts, { ...pair, signal: never });
      assert.deepEqual(answers.slice(0, 3), texts.slice(0, 3));
      assert.match(answers[3]!, /^ {2}\S.*\S $/);
      assert.match(answers[4]!, /^\S.*\S\r\n\n \S.*\S\n$/);
      assert.equal(answers[5], '');
    },
  },
  {
    name: 'keeps 300 hostile texts apart',
    check: async (engine, pair) => {
      const texts = hostileTexts(300);
      const answers = await engine.translate(
        texts.map(({ text }) => text),
        { ...pair, signal: never },
      );
      assert.equal(answers.length, texts.length);
      for (const [i, { tag }] of texts.entries()) {
        assert.deepEqual(answers[i]!.match(/Q\d{5}Z/g), [tag]);
      }
    },
  },
  {
    name: 'answers the same whatever was asked before and meanwhile',
    check: async (engine, pair) => {
      const texts = [...sentences(16), 'She has lost her key.', 'It was his, and he knows it.'];
      const alone: string[] = [];
      for (const text of texts) {
        alone.push(...(await engine.translate([text], { ...pair, signal: never })));
      }
      const callers = Array.from({ length: 8 }, (_, i) => [
        ...texts.slice(i),
        ...texts.slice(0, i),
      ]);
      const answers = await Promise.all(
        callers.map((each) => engine.translate(each, { ...pair, signal: never })),
      );
      answers.forEach((answer, i) =>
        assert.deepEqual(answer, [...alone.slice(i), ...alone.slice(0, i)]),
      );
    },
  },
  {
    name: 'refuses work that is aborted beforehand with the reason of the signal',
    check: async (engine, pair) => {
      const reason = new Error('no longer wanted');
      const signal = AbortSignal.abort(reason);
      assert.equal(await failureOf(engine.translate(sentences(2), { ...pair, signal })), reason);
    },
  },
  {
    name: 'abandons work that is aborted and disturbs nobody else',
    check: async (engine, pair) => {
      const [expected] = await engine.translate(sentences(1), { ...pair, signal: never });
      const reason = new Error('no longer wanted');
      const aborter = new AbortController();
      const aborted = failureOf(
        engine.translate(sentences(2000), { ...pair, signal: aborter.signal }),
      );
      const other = engine.translate(sentences(50), { ...pair, signal: never });
      const after = engine.translate(sentences(1), { ...pair, signal: never });
      aborter.abort(reason);
      assert.equal(await aborted, reason);
      assert.deepEqual(await after, [expected]);
      (await other).forEach((each, i) => assert.match(each, new RegExp(`\\b${1000 + i}\\b`)));
    },
  },
  {
    name: 'refuses a pair it does not serve',
    check: async (engine) => {
      const options = { source: 'qaa', target: 'qab', signal: never };
      assertTranslationFailed(await failureOf(engine.translate(['Hello'], options)));
      engine.prepare({ source: 'qaa', target: 'qab' });
    },
  },
  {
    name: 'answers after it was prepared, more than once',
    check: async (engine, pair) => {
      engine.prepare(pair);
      engine.prepare(pair);
      const [answer] = await engine.translate(sentences(1), { ...pair, signal: never });
      assert.match(answer!, /\b1000\b/);
    },
  },
  {
    name: 'fails what is pending when it closes, and what comes later',
    check: async (engine, pair) => {
      await engine.translate(sentences(1), { ...pair, signal: never });
      const pending = failureOf(engine.translate(sentences(3000), { ...pair, signal: never }));
      await engine.close();
      assertTranslationFailed(await pending);
      assertTranslationFailed(
        await failureOf(engine.translate(sentences(1), { ...pair, signal: never })),
      );
      await engine.close();
    },
  },
];
