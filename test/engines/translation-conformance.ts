/**
 * The contract of translation engines as checks that take an engine factory. Call
 * `describeTranslationConformance` in the test file of an engine.
 */
import assert from 'node:assert/strict';
import fc from '../support/suite/properties.ts';
import { describe, test } from 'vitest';
import type {
  LanguagePair,
  TranslationEngine,
  TranslationOptions,
} from '../../server/engines/engine.ts';
import type { TextSegment } from '../../server/text/text-segment.ts';
import { isPlain, plainText } from '../../server/text/text-segment.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  markFaults,
  marked,
  markedSegments,
  plain,
  textsOf,
  textWithin,
  written,
} from './marked-segments.ts';
import { hostileTexts, sentences } from './translation-texts.ts';

export interface TranslationSubject {
  /** Creates the engine. Each check uses and closes its own. */
  create: () => Promise<TranslationEngine>;
  /** A pair that the engine serves; the sentences of the checks are in English. */
  pair: LanguagePair;
  /**
   * Repairs the marks of a translation as callers do, for engines that may lose or tangle them. Without it
   * the engine itself must keep each mark once and well nested.
   */
  mend?: (source: TextSegment, translated: TextSegment) => TextSegment;
}

/** An engine under check, and how its callers use it. */
interface Subject extends Omit<TranslationSubject, 'create'> {
  engine: TranslationEngine;
}

/** One guarantee: its name, and a check that rejects when an engine breaks it. */
export interface TranslationPromise {
  name: string;
  check: (subject: Subject) => Promise<void>;
  /** Whether the check closes the engine. */
  closes?: boolean;
}

/**
 * Registers one test for each guarantee. An engine that is slow to start may run already: then it is not closed, and
 * its file shows what closing does.
 */
export function describeTranslationConformance({
  name,
  ...subject
}: (TranslationSubject | Subject) & { name: string }): void {
  describe(name, () => {
    for (const promise of translationPromises) {
      if ('create' in subject) test(promise.name, () => checkPromise(promise, subject));
      else if (promise.closes !== true) test(promise.name, () => promise.check(subject));
    }
  });
}

/** Checks one guarantee with a new engine, which is closed afterwards. */
export async function checkPromise(
  promise: TranslationPromise,
  { create, ...subject }: TranslationSubject,
): Promise<void> {
  const engine = await create();
  try {
    await promise.check({ engine, ...subject });
  } finally {
    await engine.close();
  }
}

const never = new AbortController().signal;

/** Translates texts without marks. */
async function translateTexts(
  { engine, pair }: Subject,
  texts: readonly string[],
  options?: Partial<TranslationOptions>,
): Promise<string[]> {
  const answers = await engine.translate(plain(texts), { ...pair, signal: never, ...options });
  assert.ok(answers.every(isPlain), 'marks in the answer to a text without marks');
  return textsOf(answers);
}

/** Translates segments as callers do, and checks their marks. */
async function translateMarked(
  { engine, pair, mend }: Subject,
  segments: readonly TextSegment[],
): Promise<TextSegment[]> {
  const answers = await engine.translate(segments, { ...pair, signal: never });
  assert.equal(answers.length, segments.length);
  return answers.map((answer, i) => {
    const source = segments[i]!;
    const mended = mend === undefined ? answer : mend(source, answer);
    assert.deepEqual(markFaults(source, mended), [], `${written(source)} → ${written(mended)}`);
    return mended;
  });
}

/** Resolves to the error of a promise that must fail. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => assert.fail('expected a failure'),
    (error: unknown) => error,
  );
}

function assertFailedWith(codes: readonly string[], error: unknown): void {
  assert.ok(error instanceof ServiceError, `not a ServiceError: ${String(error)}`);
  assert.ok(codes.includes(error.code), `${error.code} is not one of ${codes.join(', ')}`);
  assert.ok(error.message.length > 20, 'the message does not say what to do');
}

const textPromises: TranslationPromise[] = [
  {
    name: 'offers pairs of two different languages, each once',
    check: async ({ engine, pair }) => {
      const keys = engine.pairs.map(({ source, target }) => `${source} ${target}`);
      assert.equal(new Set(keys).size, keys.length);
      assert.ok(engine.pairs.every(({ source, target }) => source !== target));
      assert.ok(keys.includes(`${pair.source} ${pair.target}`));
    },
  },
  {
    name: 'answers every text in its place',
    check: async (subject) => {
      const texts = sentences(40);
      const answers = await translateTexts(subject, texts);
      assert.equal(answers.length, texts.length);
      answers.forEach((answer, i) => assert.match(answer, new RegExp(`\\b${1000 + i}\\b`)));
      assert.notDeepEqual(answers, texts);
    },
  },
  {
    name: 'answers no segments with no segments',
    check: async (subject) => {
      assert.deepEqual(await translateTexts(subject, []), []);
    },
  },
  {
    name: 'leaves blank texts, outer blanks and line breaks as they are',
    check: async (subject) => {
      const texts = [
        '',
        ' ',
        '\n\t ',
        '  The house is new. ',
        'One house.\r\n\n Two houses.\n',
        '',
      ];
      const answers = await translateTexts(subject, texts);
      assert.deepEqual(answers.slice(0, 3), texts.slice(0, 3));
      assert.match(answers[3]!, /^ {2}\S.*\S $/);
      assert.match(answers[4]!, /^\S.*\S\r\n\n \S.*\S\n$/);
      assert.equal(answers[5], '');
    },
  },
  {
    name: 'takes a segment of no or several strings as one text',
    check: async (subject) => {
      const { engine, pair } = subject;
      const [whole] = await translateTexts(subject, ['The house is new.']);
      const parts: TextSegment[] = [['The hou', 'se', ' is new.'], [], ['', '']];
      const answers = await engine.translate(parts, { ...pair, signal: never });
      assert.deepEqual(textsOf(answers), [whole, '', '']);
    },
  },
  {
    name: 'keeps hostile texts apart',
    check: async (subject) => {
      const texts = hostileTexts(30);
      const answers = await translateTexts(
        subject,
        texts.map(({ text }) => text),
      );
      assert.equal(answers.length, texts.length);
      for (const [i, { tag }] of texts.entries()) {
        assert.deepEqual(answers[i]!.match(/Q\d{5}Z/g), [tag]);
      }
    },
  },
  {
    name: 'answers the same whatever was asked before and meanwhile',
    check: async (subject) => {
      const texts = [...sentences(6), 'She has lost her key.', 'It was his, and he knows it.'];
      const alone: string[] = [];
      for (const text of texts) alone.push(...(await translateTexts(subject, [text])));
      const callers = Array.from({ length: 4 }, (_, i) => [
        ...texts.slice(i),
        ...texts.slice(0, i),
      ]);
      const answers = await Promise.all(callers.map((each) => translateTexts(subject, each)));
      answers.forEach((answer, i) =>
        assert.deepEqual(answer, [...alone.slice(i), ...alone.slice(0, i)]),
      );
    },
  },
];

const lifePromises: TranslationPromise[] = [
  {
    name: 'refuses work that is aborted beforehand with the reason of the signal',
    check: async (subject) => {
      const reason = new Error('no longer wanted');
      const signal = AbortSignal.abort(reason);
      assert.equal(await failureOf(translateTexts(subject, sentences(2), { signal })), reason);
    },
  },
  {
    name: 'abandons work that is aborted and disturbs nobody else',
    check: async (subject) => {
      const [expected] = await translateTexts(subject, sentences(1));
      const reason = new Error('no longer wanted');
      const aborter = new AbortController();
      const { signal } = aborter;
      const aborted = failureOf(translateTexts(subject, sentences(2000), { signal }));
      const other = translateTexts(subject, sentences(50));
      const after = translateTexts(subject, sentences(1));
      aborter.abort(reason);
      assert.equal(await aborted, reason);
      assert.deepEqual(await after, [expected]);
      (await other).forEach((each, i) => assert.match(each, new RegExp(`\\b${1000 + i}\\b`)));
    },
  },
  {
    name: 'refuses a pair it does not serve',
    check: async ({ engine, mend }) => {
      const pair = { source: 'qaa', target: 'qab' };
      const subject = { engine, pair, ...(mend && { mend }) };
      const failure = await failureOf(translateTexts(subject, ['Hello']));
      assertFailedWith(['translation_failed'], failure);
      engine.prepare(pair);
    },
  },
  {
    name: 'answers after it was prepared, more than once',
    check: async (subject) => {
      subject.engine.prepare(subject.pair);
      subject.engine.prepare(subject.pair);
      const [answer] = await translateTexts(subject, sentences(1));
      assert.match(answer!, /\b1000\b/);
    },
  },
  {
    name: 'fails what is pending when it closes, and what comes later',
    closes: true,
    check: async (subject) => {
      const codes = ['translation_failed', 'engine_unavailable'];
      await translateTexts(subject, sentences(1));
      const pending = failureOf(translateTexts(subject, sentences(3000)));
      await subject.engine.close();
      assertFailedWith(codes, await pending);
      assertFailedWith(codes, await failureOf(translateTexts(subject, sentences(1))));
      await subject.engine.close();
    },
  },
];

const markPromises: TranslationPromise[] = [
  {
    name: 'keeps every mark once and well nested',
    check: async (subject) => {
      const segments = fc.sample(markedSegments({ isHostile: false }), { numRuns: 8, seed: 42 });
      await translateMarked(subject, segments);
    },
  },
  {
    name: 'takes text that looks like a mark as text',
    check: async (subject) => {
      const segments = fc
        .sample(markedSegments({ isHostile: true }), { numRuns: 8, seed: 42 })
        .map((segment, i): TextSegment => [...segment, ` Q${10_000 + i}Z`]);
      const answers = textsOf(await translateMarked(subject, segments));
      const numbers = answers.map((answer) => answer.match(/Q\d{5}Z/g));
      assert.deepEqual(
        numbers,
        segments.map((_, i) => [`Q${10_000 + i}Z`]),
      );
    },
  },
  {
    name: 'lets marks follow the words they belong to',
    check: async (subject) => {
      const [simple, nested] = await translateMarked(subject, [
        marked('The house <1>Q10001Z</1> and the river <2>Q10002Z</2> are new<3/>.'),
        marked('<7>The house <5>Q10005Z</5> is</7> old.'),
      ]);
      assert.equal(textWithin(simple!, 1), 'Q10001Z');
      assert.equal(textWithin(simple!, 2), 'Q10002Z');
      assert.equal(textWithin(nested!, 5), 'Q10005Z');
      assert.ok(textWithin(nested!, 7).includes('Q10005Z'), written(nested!));
    },
  },
  {
    name: 'neither doubles nor loses blanks where marks are',
    check: async (subject) => {
      const answers = await translateMarked(subject, [
        marked(' <1>The house</1> number <2>1000</2> is <3>very <4>old</4></3>, <5>new</5>. '),
        marked('<1>The house</1><2/> is <3>new</3>.\n<4>The house</4> is old.<5/>'),
      ]);
      const [first, second] = textsOf(answers);
      assert.match(first!, /^ \S+( \S+)+ $/);
      assert.match(first!, /\b1000\b/);
      assert.match(second!, /^\S+( \S+)+\n\S+( \S+)+$/);
      for (const text of [first!, second!]) assert.doesNotMatch(text, /\s[.,]/);
    },
  },
  {
    name: 'keeps marks where there is nothing to translate',
    check: async (subject) => {
      const segments = ['<1></1>', ' <1> </1> ', '<2/>', '<1>12</1> <2>!</2>'].map(marked);
      const answers = await translateMarked(subject, segments);
      assert.deepEqual(answers.slice(0, 3), segments.slice(0, 3));
      assert.equal(plainText(answers[3]!), '12 !');
    },
  },
];

/** All guarantees. */
export const translationPromises: readonly TranslationPromise[] = [
  ...textPromises,
  ...lifePromises,
  ...markPromises,
];
