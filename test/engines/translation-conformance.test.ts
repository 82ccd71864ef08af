import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { PLAIN_ABILITIES } from '../../server/engines/declaration.ts';
import type { TranslationEngine, TranslationOptions } from '../../server/engines/engine.ts';
import { isPlain, plainText, type TextSegment } from '../../server/text/text-segment.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  checkPromise,
  describeTranslationConformance,
  translationPromises,
} from './translation-conformance.ts';

const pair = { source: 'en', target: 'x-loud' };

/** Changes the strings of a segment and leaves its marks in place. */
function mapText(segment: TextSegment, change: (text: string) => string): TextSegment {
  if (isPlain(segment)) return [change(plainText(segment))];
  return segment.map((part) => (typeof part === 'string' ? change(part) : part));
}

/** An engine that keeps every guarantee: translates to upper case, one text per turn of the event loop. */
function loudEngine(): TranslationEngine {
  let isClosed = false;
  return {
    name: 'loud',
    pairs: [pair],
    abilities: PLAIN_ABILITIES,
    async translate(segments, { source, target, signal }) {
      const answers: TextSegment[] = [];
      signal.throwIfAborted();
      for (const segment of segments) {
        if (isClosed || source !== pair.source || target !== pair.target) {
          throw new ServiceError('translation_failed', 'Ask for English, and before the end.');
        }
        answers.push(mapText(segment, (text) => text.toUpperCase()));
        await turn();
        signal.throwIfAborted();
      }
      return answers;
    },
    prepare: () => undefined,
    close: async () => {
      isClosed = true;
    },
  };
}

type Translate = TranslationEngine['translate'];

/** The loud engine with one guarantee broken. */
function broken(change: (translate: Translate) => Translate): () => Promise<TranslationEngine> {
  return async () => {
    const engine = loudEngine();
    return {
      ...engine,
      translate: change((segments, options) => engine.translate(segments, options)),
    };
  };
}

const ignoringAbort = (options: TranslationOptions) => ({
  ...options,
  signal: new AbortController().signal,
});

/** Returns the names of the guarantees that an engine breaks. */
async function brokenPromises(create: () => Promise<TranslationEngine>): Promise<string[]> {
  const names: string[] = [];
  for (const promise of translationPromises) {
    await checkPromise(promise, { create, pair }).catch((error: unknown) => {
      assert.ok(error instanceof Error);
      names.push(promise.name);
    });
  }
  return names;
}

describeTranslationConformance({
  name: 'an engine that keeps its promises',
  create: async () => loudEngine(),
  pair,
});

describe('the conformance suite notices an engine that', () => {
  test('swaps two answers', async () => {
    const create = broken((translate) => async (segments, options) => {
      const answers = await translate(segments, options);
      if (answers.length > 2) answers.unshift(...answers.splice(1, 1));
      return answers;
    });
    expect(await brokenPromises(create)).toContain('answers every text in its place');
  });

  test('loses an answer', async () => {
    const create = broken(
      (translate) => async (segments, options) => (await translate(segments, options)).slice(0, 20),
    );
    expect(await brokenPromises(create)).toEqual(
      expect.arrayContaining(['answers every text in its place', 'keeps hostile texts apart']),
    );
  });

  test('returns the text untranslated', async () => {
    const create = broken(() => async (segments) => [...segments]);
    expect(await brokenPromises(create)).toContain('answers every text in its place');
  });

  test('trims texts', async () => {
    const create = broken(
      (translate) => async (segments, options) =>
        (await translate(segments, options)).map((answer) =>
          isPlain(answer) ? [plainText(answer).trim()] : answer,
        ),
    );
    expect(await brokenPromises(create)).toEqual([
      'leaves blank texts, outer blanks and line breaks as they are',
    ]);
  });

  test('loses its framing at a NUL', async () => {
    const create = broken((translate) => async (segments, options) => {
      const answers = (await translate(segments, options)).map(plainText);
      const frames = answers.join('\0').split('\0');
      return frames.slice(0, segments.length).map((frame) => [frame]);
    });
    expect(await brokenPromises(create)).toContain('keeps hostile texts apart');
  });

  test('depends on earlier calls', async () => {
    const create = broken((translate) => {
      let count = 0;
      return async (segments, options) =>
        (await translate(segments, options)).map((answer) =>
          count++ > 20 ? [...answer, '!'] : answer,
        );
    });
    expect(await brokenPromises(create)).toContain(
      'answers the same whatever was asked before and meanwhile',
    );
  });

  test('ignores the signal', async () => {
    const create = broken(
      (translate) => (segments, options) => translate(segments, ignoringAbort(options)),
    );
    expect(await brokenPromises(create)).toEqual([
      'refuses work that is aborted beforehand with the reason of the signal',
      'abandons work that is aborted and disturbs nobody else',
    ]);
  });

  test('throws errors without a code', async () => {
    const create = broken(
      (translate) => (segments, options) =>
        translate(segments, options).catch((error: unknown) => {
          throw error instanceof ServiceError ? new Error(error.message) : error;
        }),
    );
    expect(await brokenPromises(create)).toEqual([
      'refuses a pair it does not serve',
      'fails what is pending when it closes, and what comes later',
    ]);
  });

  const changingMarks = (change: (segment: TextSegment) => TextSegment) =>
    broken(
      (translate) => async (segments, options) =>
        (await translate(segments, options)).map((answer) =>
          isPlain(answer) ? answer : change(answer),
        ),
    );

  test('drops marks', async () => {
    const create = changingMarks((answer) => [plainText(answer)]);
    expect(await brokenPromises(create)).toEqual([
      'keeps every mark once and well nested',
      'takes text that looks like a mark as text',
      'lets marks follow the words they belong to',
      'neither doubles nor loses blanks where marks are',
      'keeps marks where there is nothing to translate',
    ]);
  });

  test('moves all marks to the end', async () => {
    const create = changingMarks((answer) => [
      plainText(answer),
      ...answer.filter((part) => typeof part !== 'string'),
    ]);
    expect(await brokenPromises(create)).toEqual([
      'lets marks follow the words they belong to',
      'keeps marks where there is nothing to translate',
    ]);
  });

  test('surrounds every mark with blanks', async () => {
    const create = changingMarks((answer) =>
      answer.flatMap((part) => (typeof part === 'string' ? [part] : [' ', part, ' '])),
    );
    expect(await brokenPromises(create)).toContain(
      'neither doubles nor loses blanks where marks are',
    );
  });
});
