/**
 * The contract of recognisers as checks with real speech. Call `describeRecognitionEngine` in the test file
 * of an engine.
 */
import assert from 'node:assert/strict';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type { Recognition, RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import { wordErrorRate } from '../support/audio/word-error-rate.ts';
import {
  asSpeech,
  finals,
  heard,
  IdleSource,
  lengthMs,
  recognitionOptions,
  spoken,
  transcript,
  type SpeechLayout,
} from './recognition-support.ts';
import { silence } from '../support/audio/speech.ts';

/** A sentence and its audio. */
export interface SpokenSentence {
  text: string;
  /** s16le at 16 kHz: half a second of silence, the sentence, a second of silence. */
  audio: () => Promise<Buffer>;
}

/** Speech for an engine, and what to expect of the results. */
export interface RecognitionMaterial {
  language: string;
  /** Two sentences with hardly a word in common. */
  first: SpokenSentence;
  second: SpokenSentence;
  /** Whether partials precede finals even when the audio arrives all at once. */
  hasPartials: boolean;
  /** Whether finals contain word times. */
  hasWordTimes: boolean;
  /** Tolerated word error rate. */
  errorRate: number;
  /** Tolerance for the start and the end of an utterance, in ms. */
  toleranceMs: number;
  /** Time limit for immediate effects, in ms; generous because machines can be busy. */
  patienceMs: number;
}

/** Sentences that any usable recogniser gets mostly right. */
const HOUSE = 'she bought a new house near the river last summer';
const WEEK = 'we need to finish the report before the end of the week';

/** English spoken by flite, for engines with partials and word times. */
export const english: RecognitionMaterial = {
  language: 'en',
  first: { text: HOUSE, audio: () => spoken({ text: HOUSE, voice: 'rms' }) },
  second: { text: WEEK, audio: () => spoken({ text: WEEK, voice: 'kal16' }) },
  hasPartials: true,
  hasWordTimes: true,
  // A modest engine mishears a few words; a mixed-up stream misses far more.
  errorRate: 0.4,
  // Recognisers place a word to about a syllable.
  toleranceMs: 300,
  patienceMs: 45_000,
};

/** One guarantee: its name, and a check that rejects when an engine breaks it. */
export interface RecognitionPromise {
  name: string;
  check: (engine: RecognitionEngine, material: RecognitionMaterial) => Promise<void>;
}

/** Registers one test for each guarantee, all with one engine. */
export function describeRecognitionEngine(
  name: string,
  createEngine: () => Promise<RecognitionEngine>,
  material: RecognitionMaterial = english,
): void {
  describe(name, () => {
    let engine: RecognitionEngine;
    beforeAll(async () => {
      engine = await createEngine();
    });
    afterAll(() => engine.close());
    for (const { name: promise, check } of recognitionPromises) {
      test(promise, () => check(engine, material));
    }
  });
}

const ABORT = new Error('enough');

/** Two sentences separated by silence, most of which is left out. */
async function twoSentences({ first, second }: RecognitionMaterial): Promise<{
  audio: Buffer;
  layout: SpeechLayout;
  secondFromMs: number;
}> {
  const before = await first.audio();
  const pause = silence(2_500);
  const secondFromMs = lengthMs(before) + lengthMs(pause);
  const audio = Buffer.concat([before, pause, await second.audio()]);
  const endpointMs = lengthMs(before) - 400;
  const layout: SpeechLayout = {
    endpointsMs: [endpointMs],
    leftOutMs: [[endpointMs, secondFromMs + 100]],
  };
  return { audio, layout, secondFromMs };
}

function assertHeard(
  reference: string,
  recognitions: readonly Recognition[],
  { errorRate }: RecognitionMaterial,
): void {
  const text = transcript(recognitions);
  const rate = wordErrorRate(reference, text);
  assert.ok(rate <= errorRate, `word error rate ${rate} for “${text}”`);
}

/** Rejects when an immediate effect does not occur in time. */
async function soon<T>(promise: Promise<T>, what: string, patienceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} takes too long`)), patienceMs);
  });
  return await Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

export const recognitionPromises: readonly RecognitionPromise[] = [
  {
    name: 'concludes every utterance after its partials, and hears what was said',
    async check(engine, material) {
      const { audio, layout } = await twoSentences(material);
      const { language, first, second } = material;
      const recognitions = await heard(engine, asSpeech(audio, layout), { language });
      assertHeard(`${first.text} ${second.text}`, recognitions, material);
      assert.ok(finals(recognitions).length >= 2, 'each utterance has a final of its own');
      const concluded = recognitions.findIndex(({ kind }) => kind === 'final');
      if (material.hasPartials) assert.ok(concluded > 0, 'partials come before the final');
      const last = recognitions.at(-1);
      assert.ok(last?.kind === 'final' || last?.text === '', 'no partial is left standing');
    },
  },
  {
    name: 'concludes at an endpoint, whatever follows',
    async check(engine, material) {
      const { language, first, patienceMs } = material;
      const source = new IdleSource(asSpeech(await first.audio()));
      const { signal } = new AbortController();
      const options = recognitionOptions({ language, signal });
      const results = engine.recognise(source, options)[Symbol.asyncIterator]();
      const recognitions: Recognition[] = [];
      while (!recognitions.some(({ kind }) => kind === 'final')) {
        const next = await soon(results.next(), 'the final of an utterance', patienceMs);
        assert.ok(next.done !== true, 'an utterance has a final');
        recognitions.push(next.value);
      }
      await soon(Promise.resolve(results.return?.()), 'leaving', patienceMs);
      assertHeard(first.text, recognitions, material);
    },
  },
  {
    name: 'says the same words in the text of a final and one by one',
    async check(engine, { language, first, hasWordTimes }) {
      const recognitions = await heard(engine, asSpeech(await first.audio()), { language });
      assert.ok(finals(recognitions).length > 0);
      for (const { text, words } of finals(recognitions)) {
        assert.notEqual(text.trim(), '');
        assert.doesNotMatch(text, /[<>[\]()+]/, 'marks of the engine are no words');
        assert.equal(words.length > 0, hasWordTimes);
        if (!hasWordTimes) continue;
        // Not every script has blanks between its words.
        const joined = words.map((word) => word.text).join('');
        assert.equal(joined.replace(/\s/g, ''), text.replace(/\s/g, ''));
      }
    },
  },
  {
    name: 'keeps times in order, within the audio and on the clock of the stream',
    async check(engine, material) {
      const { audio, layout, secondFromMs } = await twoSentences(material);
      const { language, toleranceMs } = material;
      const recognitions = await heard(engine, asSpeech(audio, layout), { language });
      const said = finals(recognitions);
      let beforeMs = 0;
      for (const final of said) {
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
      const [first, last] = [said[0], said.at(-1)];
      assert.ok(first !== undefined && last !== undefined);
      assert.ok(Math.abs(first.startMs - 600) < toleranceMs, `begins at ${first.startMs}`);
      assert.ok(last.startMs > secondFromMs + 500 - toleranceMs, `begins at ${last.startMs}`);
      const speechEndsMs = lengthMs(audio) - 1000;
      assert.ok(Math.abs(last.endMs - speechEndsMs) < toleranceMs, `ends at ${last.endMs}`);
    },
  },
  {
    name: 'concludes speech that the end of the audio cuts short',
    async check(engine, material) {
      const { language, first } = material;
      const audio = await first.audio();
      const cut = audio.subarray(0, audio.byteLength - 1100 * 32);
      for (const endsOpen of [false, true]) {
        const said = await heard(engine, asSpeech(cut, { endsOpen }), { language });
        assertHeard(first.text, said, material);
      }
    },
  },
  {
    name: 'reports nothing of silence and ends without any audio',
    async check(engine, { language }) {
      assert.deepEqual(await heard(engine, asSpeech(silence(3000)), { language }), []);
      assert.deepEqual(await heard(engine, asSpeech(Buffer.alloc(0)), { language }), []);
    },
  },
  {
    name: 'takes pieces of any even length',
    async check(engine, material) {
      const { language, first } = material;
      const audio = await first.audio();
      for (const sizes of [[2, 1366, 34, 1598, 10], [audio.byteLength]]) {
        const said = await heard(engine, asSpeech(audio, { sizes }), { language });
        assertHeard(first.text, said, material);
      }
    },
  },
  {
    name: 'keeps streams that run at once apart',
    async check(engine, material) {
      const { language } = material;
      const sentences = [material.first, material.second];
      const said = await Promise.all(
        sentences.map(async ({ audio }) => heard(engine, asSpeech(await audio()), { language })),
      );
      sentences.forEach(({ text }, index) => assertHeard(text, said[index] ?? [], material));
    },
  },
  {
    name: 'ends with the reason of an abort while it waits for audio',
    async check(engine, { language, first, patienceMs }) {
      const controller = new AbortController();
      const { signal } = controller;
      const source = new IdleSource(asSpeech(await first.audio()));
      const onRecognition = () => controller.abort(ABORT);
      const listening = heard(engine, source, { language, signal, onRecognition });
      await assert.rejects(soon(listening, 'the end after an abort', patienceMs), ABORT);
      assert.ok(source.isReleased, 'the source is let go');
    },
  },
  {
    name: 'does not begin when the signal is aborted already',
    async check(engine, { language, first, patienceMs }) {
      const source = new IdleSource(await first.audio());
      const signal = AbortSignal.abort(ABORT);
      const listening = heard(engine, source, { language, signal });
      await assert.rejects(soon(listening, 'the end after an abort', patienceMs), ABORT);
      assert.equal(source.pulledBytes, 0);
    },
  },
  {
    name: 'lets its source go when the consumer leaves, even in mid wait',
    async check(engine, { language, patienceMs }) {
      const source = new IdleSource(silence(500));
      const options = recognitionOptions({ language });
      const results = engine.recognise(source, options)[Symbol.asyncIterator]();
      const pending = results.next();
      pending.catch(() => {});
      await soon(Promise.resolve(results.return?.()), 'leaving', patienceMs);
      assert.equal((await soon(pending, 'the pending result', patienceMs)).done, true);
      assert.ok(source.isReleased, 'the source is let go');
    },
  },
  {
    name: 'fails with the error of its source',
    async check(engine, { language, patienceMs }) {
      const failing = async function* (): AsyncGenerator<SpeechPiece> {
        yield { kind: 'samples', samples: silence(300), startMs: 0 };
        throw ABORT;
      };
      const listening = heard(engine, failing(), { language });
      await assert.rejects(soon(listening, 'the end after a failure', patienceMs), ABORT);
    },
  },
];
