import assert from 'node:assert/strict';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { TranslationEngine, TranslationOptions } from '../../server/engines/engine.ts';
import { ServiceError } from '../../shared/errors.ts';
import {
  checkPromise,
  describeTranslationEngine,
  translationPromises,
} from './translation-conformance.ts';

const pair = { source: 'en', target: 'x-loud' };

/** Keeps every promise: writes letters large, one text per turn of the event loop. */
function loudEngine(): TranslationEngine {
  let isClosed = false;
  return {
    name: 'loud',
    pairs: [pair],
    async translate(texts, { source, target, signal }) {
      const answers: string[] = [];
      signal.throwIfAborted();
      for (const text of texts) {
        if (isClosed || source !== pair.source || target !== pair.target) {
          throw new ServiceError('translation_failed', 'Ask for English, and before the end.');
        }
        answers.push(text.toUpperCase());
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

/** The loud engine with one promise broken. */
function broken(change: (translate: Translate) => Translate): () => Promise<TranslationEngine> {
  return async () => {
    const engine = loudEngine();
    return { ...engine, translate: change((texts, options) => engine.translate(texts, options)) };
  };
}

const ignoringAbort = (options: TranslationOptions) => ({
  ...options,
  signal: new AbortController().signal,
});

/** Names of the promises an engine breaks. */
async function brokenPromises(createEngine: () => Promise<TranslationEngine>): Promise<string[]> {
  const names: string[] = [];
  for (const promise of translationPromises) {
    await checkPromise(promise, { createEngine, pair }).catch((error: unknown) => {
      assert.ok(error instanceof Error);
      names.push(promise.name);
    });
  }
  return names;
}

describeTranslationEngine('an engine that keeps its promises', {
  createEngine: async () => loudEngine(),
  pair,
});

describe('the conformance suite notices an engine that', () => {
  test('swaps two answers', async () => {
    const createEngine = broken((translate) => async (texts, options) => {
      const answers = await translate(texts, options);
      if (answers.length > 2) answers.unshift(...answers.splice(1, 1));
      return answers;
    });
    expect(await brokenPromises(createEngine)).toContain('answers every text in its place');
  });

  test('loses an answer', async () => {
    const createEngine = broken(
      (translate) => async (texts, options) => (await translate(texts, options)).slice(0, 30),
    );
    expect(await brokenPromises(createEngine)).toEqual(
      expect.arrayContaining(['answers every text in its place', 'keeps 300 hostile texts apart']),
    );
  });

  test('hands the text back untranslated', async () => {
    const createEngine = broken(() => async (texts) => [...texts]);
    expect(await brokenPromises(createEngine)).toContain('answers every text in its place');
  });

  test('trims', async () => {
    const createEngine = broken(
      (translate) => async (texts, options) =>
        (await translate(texts, options)).map((answer) => answer.trim()),
    );
    expect(await brokenPromises(createEngine)).toEqual([
      'leaves blank texts, outer blanks and line breaks as they are',
    ]);
  });

  test('loses its framing at a NUL', async () => {
    const createEngine = broken((translate) => async (texts, options) => {
      const frames = (await translate(texts, options)).join('\0').split('\0');
      return frames.slice(0, texts.length);
    });
    expect(await brokenPromises(createEngine)).toContain('keeps 300 hostile texts apart');
  });

  test('remembers what it was asked before', async () => {
    const createEngine = broken((translate) => {
      let count = 0;
      return async (texts, options) =>
        (await translate(texts, options)).map((answer) => (count++ > 20 ? `${answer}!` : answer));
    });
    expect(await brokenPromises(createEngine)).toContain(
      'answers the same whatever was asked before and meanwhile',
    );
  });

  test('ignores the signal', async () => {
    const createEngine = broken(
      (translate) => (texts, options) => translate(texts, ignoringAbort(options)),
    );
    expect(await brokenPromises(createEngine)).toEqual([
      'refuses work that is aborted beforehand with the reason of the signal',
      'abandons work that is aborted and disturbs nobody else',
    ]);
  });

  test('throws errors without a code', async () => {
    const createEngine = broken(
      (translate) => (texts, options) =>
        translate(texts, options).catch((error: unknown) => {
          throw error instanceof ServiceError ? new Error(error.message) : error;
        }),
    );
    expect(await brokenPromises(createEngine)).toEqual([
      'refuses a pair it does not serve',
      'fails what is pending when it closes, and what comes later',
    ]);
  });
});
