/**
 * What every recogniser promises, as checks against real speech. Use `describeRecognitionEngine` in
 * the test file of an engine.
 */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Recognition, RecognitionEngine } from '../../server/engines/engine.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';
import {
  finals,
  heard,
  IdleSource,
  lengthMs,
  pieces,
  silence,
  spoken,
  transcript,
} from './recognition-support.ts';

/** One promise: its name, and a check that rejects when an engine breaks it. */
export interface RecognitionPromise {
  name: string;
  check: (engine: RecognitionEngine) => Promise<void>;
}

/** Registers one test per promise, all with one engine. */
export function describeRecognitionEngine(
  name: string,
  createEngine: () => Promise<RecognitionEngine>,
): void {
  describe(name, () => {
    let engine: RecognitionEngine;
    beforeAll(async () => {
      engine = await createEngine();
    });
    afterAll(() => engine.close());
    for (const { name: promise, check } of recognitionPromises) {
      test(promise, { timeout: 60_000 }, () => check(engine));
    }
  });
}

/** Sentences that speech recognition of any quality gets mostly right. */
const HOUSE = 'she bought a new house near the river last summer';
const WEEK = 'we need to finish the report before the end of the week';
/** A modest engine mishears a word here and there; a mixed-up stream misses far more. */
const MOSTLY = 0.4;
/** Recognisers place a word to about a syllable. */
const TOLERANCE_MS = 300;
const ABORT = new Error('enough');

/** Two sentences with two seconds of silence between them. */
async function twoSentences(): Promise<{ audio: Buffer; secondFromMs: number }> {
  const padding = { padStartS: 0.5, padEndS: 1 };
  const first = await spoken({ text: HOUSE, voice: 'rms', ...padding });
  const second = await spoken({ text: WEEK, voice: 'kal16', ...padding });
  const pause = silence(500);
  const secondFromMs = lengthMs(first) + lengthMs(pause);
  return { audio: Buffer.concat([first, pause, second]), secondFromMs };
}

async function sentence(): Promise<Buffer> {
  return await spoken({ text: HOUSE, voice: 'rms' });
}

function assertHeard(reference: string, recognitions: readonly Recognition[]): void {
  const text = transcript(recognitions);
  const rate = wordErrorRate(reference, text);
  assert.ok(rate <= MOSTLY, `word error rate ${rate} for “${text}”`);
}

/** Rejects when something that should end at once does not. */
async function soon<T>(promise: Promise<T>, what: string): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes too long`)), 3_000);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const recognitionPromises: readonly RecognitionPromise[] = [
  {
    name: 'concludes every utterance after its partials, and hears what was said',
    async check(engine) {
      const { audio } = await twoSentences();
      const recognitions = await heard(engine, pieces(audio));
      assertHeard(`${HOUSE} ${WEEK}`, recognitions);
      assert.ok(finals(recognitions).length >= 2, 'a pause of two seconds ends an utterance');
      const concluded = recognitions.findIndex(({ kind }) => kind === 'final');
      assert.ok(concluded > 0, 'partials come before the final');
      const last = recognitions.at(-1);
      assert.ok(last?.kind === 'final' || last?.text === '', 'no partial is left standing');
    },
  },
  {
    name: 'says the same words in the text of a final and one by one',
    async check(engine) {
      const recognitions = await heard(engine, pieces(await sentence()));
      for (const { text, words } of finals(recognitions)) {
        assert.notEqual(text.trim(), '');
        assert.equal(words.map((word) => word.text).join(' '), text);
        assert.doesNotMatch(text, /[<>[\]()+]/, 'marks of the engine are no words');
      }
    },
  },
  {
    name: 'keeps times in order and within the audio',
    async check(engine) {
      const { audio } = await twoSentences();
      const recognitions = await heard(engine, pieces(audio));
      let beforeMs = 0;
      for (const final of finals(recognitions)) {
        for (const { startMs, endMs } of [final, ...final.words]) assert.ok(startMs <= endMs);
        assert.ok(final.startMs >= beforeMs, 'utterances follow each other');
        for (const word of final.words) {
          assert.ok(word.startMs >= beforeMs, 'words follow each other');
          assert.ok(word.startMs >= final.startMs && word.endMs <= final.endMs);
          beforeMs = word.endMs;
        }
        beforeMs = final.endMs;
      }
      for (const { startMs, endMs } of recognitions) {
        assert.ok(0 <= startMs && startMs <= endMs && endMs <= lengthMs(audio));
      }
    },
  },
  {
    name: 'places words on the clock of the stream',
    async check(engine) {
      const { audio, secondFromMs } = await twoSentences();
      const said = finals(await heard(engine, pieces(audio)));
      const [first, last] = [said[0], said.at(-1)];
      assert.ok(first !== undefined && last !== undefined);
      assert.ok(Math.abs(first.startMs - 600) < TOLERANCE_MS, `begins at ${first.startMs}`);
      assert.ok(last.startMs > secondFromMs + 500 - TOLERANCE_MS, `begins at ${last.startMs}`);
      const speechEndsMs = lengthMs(audio) - 1000;
      assert.ok(Math.abs(last.endMs - speechEndsMs) < TOLERANCE_MS, `ends at ${last.endMs}`);
    },
  },
  {
    name: 'concludes speech that the end of the audio cuts short',
    async check(engine) {
      const audio = await sentence();
      const cut = audio.subarray(0, audio.byteLength - 1100 * 32);
      assertHeard(HOUSE, await heard(engine, pieces(cut)));
    },
  },
  {
    name: 'reports nothing of silence and ends without any audio',
    async check(engine) {
      assert.deepEqual(await heard(engine, pieces(silence(3000))), []);
      assert.deepEqual(await heard(engine, pieces(Buffer.alloc(0))), []);
    },
  },
  {
    name: 'takes pieces of any even length',
    async check(engine) {
      const audio = await sentence();
      assertHeard(HOUSE, await heard(engine, pieces(audio, [2, 1366, 34, 1598, 10])));
      assertHeard(HOUSE, await heard(engine, pieces(audio, [audio.byteLength])));
    },
  },
  {
    name: 'keeps streams that run at once apart',
    async check(engine) {
      const week = await spoken({ text: WEEK, voice: 'kal16' });
      const [first, second] = await Promise.all([
        heard(engine, pieces(await sentence())),
        heard(engine, pieces(week)),
      ]);
      assertHeard(HOUSE, first);
      assertHeard(WEEK, second);
    },
  },
  {
    name: 'ends with the reason of an abort while it waits for audio',
    async check(engine) {
      const controller = new AbortController();
      const source = new IdleSource(await sentence());
      const listening = heard(engine, source, {
        signal: controller.signal,
        onRecognition: () => controller.abort(ABORT),
      });
      await assert.rejects(soon(listening, 'the end after an abort'), ABORT);
      assert.ok(source.isReleased, 'the source is let go');
    },
  },
  {
    name: 'does not begin when the signal is aborted already',
    async check(engine) {
      const source = new IdleSource(await sentence());
      const listening = heard(engine, source, { signal: AbortSignal.abort(ABORT) });
      await assert.rejects(soon(listening, 'the end after an abort'), ABORT);
      assert.equal(source.pulledBytes, 0);
    },
  },
  {
    name: 'lets its source go when the consumer leaves, even in mid wait',
    async check(engine) {
      const source = new IdleSource(silence(500));
      const { signal } = new AbortController();
      const results = engine.recognise(source, { language: 'en', signal })[Symbol.asyncIterator]();
      const pending = results.next();
      pending.catch(() => {});
      await soon(Promise.resolve(results.return?.()), 'leaving');
      assert.equal((await soon(pending, 'the pending result')).done, true);
      assert.ok(source.isReleased, 'the source is let go');
    },
  },
  {
    name: 'fails with the error of its source',
    async check(engine) {
      const failing = async function* (): AsyncGenerator<Uint8Array> {
        yield silence(300);
        throw ABORT;
      };
      await assert.rejects(soon(heard(engine, failing()), 'the end after a failure'), ABORT);
    },
  },
];
