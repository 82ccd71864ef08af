/**
 * The contract of synthesis engines as checks of their audio. Call `describeSynthesisEngine` in the test
 * file of an engine.
 */
import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test } from 'vitest';
import type {
  SpokenSamples,
  SynthesisEngine,
  SynthesisOptions,
  VoiceGender,
} from '../../server/engines/engine.ts';
import { ServiceError } from '../../shared/errors.ts';
import { voiceMediaLanguages } from '../../shared/schemas/voice-session.ts';

/** Text for an engine, and what to expect of the audio. */
export interface SynthesisMaterial {
  /** A sentence in each tested language; most checks use the first. */
  sentences: Readonly<Record<string, string>>;
  /** Genders with different voices. */
  genders: readonly VoiceGender[];
  /** Speaking rate in characters per second: from and to. */
  charactersPerSecond: readonly [number, number];
  /** Whether a long text streams: the first samples arrive before the last are made. */
  streams: boolean;
  /** Time limit for immediate effects, in ms; generous because machines can be busy. */
  patienceMs: number;
}

/** English, for engines whose voices of different genders can be told apart. */
export const english: SynthesisMaterial = {
  sentences: { en: 'Good morning, how are you today? We meet at three o’clock.' },
  genders: ['male', 'female'],
  charactersPerSecond: [5, 40],
  streams: true,
  patienceMs: 15_000,
};

/** One guarantee: its name, and a check that rejects when an engine breaks it. */
export interface SynthesisPromise {
  name: string;
  check: (engine: SynthesisEngine, material: SynthesisMaterial) => Promise<void>;
}

/** Registers one test for each guarantee, all with one engine. */
export function describeSynthesisEngine(
  name: string,
  createEngine: () => Promise<SynthesisEngine>,
  material: SynthesisMaterial = english,
): void {
  describe(name, () => {
    let engine: SynthesisEngine;
    beforeAll(async () => {
      engine = await createEngine();
    });
    afterAll(() => engine.close());
    for (const { name: promise, check } of synthesisPromises) {
      test(promise, () => check(engine, material));
    }
  });
}

/** The whole speech, in one piece. */
export interface Said extends SpokenSamples {
  durationMs: number;
  pieces: SpokenSamples[];
}

/** Speaks a text to its end. */
export async function say(
  engine: SynthesisEngine,
  text: string,
  options: Partial<SynthesisOptions> & { language: string },
): Promise<Said> {
  const pieces: SpokenSamples[] = [];
  const { signal } = new AbortController();
  for await (const piece of engine.speak(text, { gender: undefined, signal, ...options })) {
    assert.ok(piece.samples instanceof Int16Array, 'samples of 16 bits');
    pieces.push(piece);
  }
  const rates = new Set(pieces.map(({ sampleRateHz }) => sampleRateHz));
  assert.ok(rates.size <= 1, 'one rate throughout');
  const [sampleRateHz = 1] = rates;
  const samples = new Int16Array(pieces.reduce((sum, piece) => sum + piece.samples.length, 0));
  let length = 0;
  for (const piece of pieces) {
    samples.set(piece.samples, length);
    length += piece.samples.length;
  }
  return { samples, sampleRateHz, pieces, durationMs: (samples.length / sampleRateHz) * 1000 };
}

/** Root mean square of samples: some hundreds to thousands for speech, 0 for silence. */
export function loudness(samples: Int16Array): number {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  return Math.sqrt(sum / Math.max(1, samples.length));
}

/** Pitch of a voice in Hz: the median repetition rate of blocks of about 46 ms. */
export function pitchHz({ samples, sampleRateHz }: SpokenSamples): number {
  const block = Math.round(0.046 * sampleRateHz);
  const [shortest, longest] = [Math.round(sampleRateHz / 350), Math.round(sampleRateHz / 65)];
  const found: number[] = [];
  for (let start = 0; start + block + longest < samples.length; start += block) {
    if (loudness(samples.subarray(start, start + block)) < 1000) continue;
    const likeness = (lag: number) => {
      let sum = 0;
      for (let index = start; index < start + block; index += 2) {
        sum += samples[index]! * samples[index + lag]!;
      }
      return sum;
    };
    const lags = Array.from({ length: longest - shortest }, (_, index) => shortest + index);
    const scores = lags.map(likeness);
    found.push(sampleRateHz / lags[scores.indexOf(Math.max(...scores))]!);
  }
  return found.sort((a, b) => a - b)[found.length >> 1] ?? 0;
}

const ABORT = new Error('enough');

function firstOf({ sentences }: SynthesisMaterial): { language: string; text: string } {
  const [first] = Object.entries(sentences);
  assert.ok(first !== undefined, 'there is a sentence');
  return { language: first[0], text: first[1] };
}

/** Asserts that the samples are speech of a plausible length for the text. */
function assertSpeech(said: Said, text: string, material: SynthesisMaterial): void {
  const { samples, sampleRateHz, durationMs } = said;
  assert.ok(sampleRateHz >= 8_000 && sampleRateHz <= 48_000, `${sampleRateHz} Hz`);
  assert.ok(loudness(samples) > 100, `loudness ${loudness(samples)}`);
  const [slowest, fastest] = material.charactersPerSecond;
  const [least, most] = [(text.length / fastest) * 1000, (text.length / slowest) * 1000 + 1_000];
  assert.ok(durationMs >= least && durationMs <= most, `${durationMs} ms of ${least} to ${most}`);
}

/** Resolves to the value, unless it takes too long. */
async function soon<T>(pending: Promise<T>, what: string, patienceMs: number): Promise<T> {
  const late = new AbortController();
  const timeout = delay(patienceMs, undefined, { signal: late.signal }).then(
    () => assert.fail(`${what} takes too long`),
    () => new Promise<never>(() => undefined),
  );
  return Promise.race([pending, timeout]).finally(() => late.abort());
}

/** Returns whether samples are equal; comparing them one by one takes long. */
export function isSame(one: Int16Array, other: Int16Array): boolean {
  const bytes = ({ buffer, byteOffset, byteLength }: Int16Array) =>
    Buffer.from(buffer, byteOffset, byteLength);
  return bytes(one).equals(bytes(other));
}

/** Texts with hardly any words: none may break an engine. */
const oddTexts = [
  '',
  '   ',
  '…?!',
  '😀🎉👩‍👩‍👧',
  'one\u0000two\u0001\u001b[31m three\r\n\tfour',
  "[[h@l'oU]] <speak>&amp;</speak> -v de --help $(id) `id`",
  '\ud800 broken \udfff',
  'ﷺ ½ ①②③ Ω≈ç√ ﬁ e\u0301\u0323',
];

export const synthesisPromises: readonly SynthesisPromise[] = [
  {
    name: 'speaks languages that sessions can ask for, by their base',
    async check(engine) {
      assert.ok(engine.languages.length > 0, 'it speaks something');
      assert.equal(new Set(engine.languages).size, engine.languages.length, 'each is named once');
      for (const language of engine.languages) {
        assert.ok(voiceMediaLanguages.includes(language), language);
        assert.ok(!language.includes('-'), language);
      }
    },
  },
  {
    name: 'says a sentence in about the time it takes',
    async check(engine, material) {
      for (const [language, text] of Object.entries(material.sentences)) {
        assertSpeech(await say(engine, text, { language }), text, material);
      }
    },
  },
  {
    name: 'has a higher voice for women than for men',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const heights = await Promise.all(
        material.genders.map(async (gender) =>
          pitchHz(await say(engine, text, { language, gender })),
        ),
      );
      const [man = 0, woman = Infinity] = heights;
      assert.ok(woman > 1.3 * man, `${woman} Hz and ${man} Hz`);
    },
  },
  {
    name: 'speaks on at the end of what it has said, without changing that',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const { signal } = new AbortController();
      const kept: { samples: Int16Array; copy: Int16Array }[] = [];
      const long = `${text} ${text} ${text}`;
      for await (const { samples } of engine.speak(long, { language, gender: undefined, signal })) {
        kept.push({ samples, copy: samples.slice() });
      }
      for (const { samples, copy } of kept) {
        assert.ok(isSame(samples, copy), 'it stays as it was');
      }
      if (material.streams) assert.ok(kept.length > 1, 'it comes in pieces');
    },
  },
  {
    name: 'keeps texts that are spoken at once apart',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const alone = await say(engine, text, { language });
      const together = await Promise.all([
        say(engine, text, { language }),
        say(engine, `${text} ${text} ${text}`, { language }),
        say(engine, text, { language }),
      ]);
      const share = (index: number) => (together[index]?.durationMs ?? 0) / alone.durationMs;
      assert.ok(Math.abs(share(0) - 1) < 0.3 && Math.abs(share(2) - 1) < 0.3, `${share(0)}`);
      assert.ok(share(1) > 2 && share(1) < 4.5, `${share(1)}`);
    },
  },
  {
    name: 'goes on after texts that are hardly any',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      for (const odd of oddTexts) {
        const said = await soon(say(engine, odd, { language }), odd, material.patienceMs);
        assert.ok(said.durationMs < 20_000, `${said.durationMs} ms for ${odd}`);
      }
      assertSpeech(await say(engine, text, { language }), text, material);
    },
  },
  {
    name: 'says which language it does not speak',
    async check(engine) {
      const speaking = say(engine, 'Tere hommikust', { language: 'et' });
      await assert.rejects(
        speaking,
        (error) => error instanceof ServiceError && error.code === 'synthesis_failed',
      );
    },
  },
  {
    name: 'ends with the reason of an abort while it speaks',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const controller = new AbortController();
      const { signal } = controller;
      const long = `${text} `.repeat(8);
      const speaking = (async () => {
        for await (const piece of engine.speak(long, { language, gender: undefined, signal })) {
          if (piece.samples.length > 0) controller.abort(ABORT);
        }
      })();
      await assert.rejects(soon(speaking, 'the end after an abort', material.patienceMs), ABORT);
    },
  },
  {
    name: 'says nothing when the signal is aborted already',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const signal = AbortSignal.abort(ABORT);
      const speaking = say(engine, text, { language, signal });
      await assert.rejects(soon(speaking, 'the end after an abort', material.patienceMs), ABORT);
    },
  },
  {
    name: 'lets go when nobody listens any more',
    async check(engine, material) {
      const { language, text } = firstOf(material);
      const { signal } = new AbortController();
      const options = { language, gender: undefined, signal };
      const speaking = engine.speak(`${text} `.repeat(8), options)[Symbol.asyncIterator]();
      assert.equal((await speaking.next()).done, false);
      const left = Promise.resolve(speaking.return?.());
      assert.equal((await soon(left, 'leaving', material.patienceMs))?.done, true);
      assertSpeech(await say(engine, text, { language }), text, material);
    },
  },
];
