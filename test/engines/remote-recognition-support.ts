/** Shared helpers for the tests of remote recognisers. */
import assert from 'node:assert/strict';
import type { RecognitionEngine, SpeechPiece, Unavailable } from '../../server/engines/engine.ts';
import type { LogRecord } from '../support/product/log-record.ts';
import { RARE_WORD, toneSpeech } from '../support/audio/tone-speech.ts';
import type { RecognitionMaterial } from './recognition-conformance.ts';
import { heard, transcript } from './recognition-support.ts';

/** A key that only the server may see. */
export const KEY = 'key-of-the-recogniser-7f3a';

/** Short delays, because the test servers answer at once. */
export const QUICK = { firstDelayMs: 5, timeoutMs: 20_000 } as const;

/** Voices fade, while tones end abruptly: a piece cut off a sentence must not be a tone. */
const QUIET_END = { padEndMs: 1_100 };
const FIRST = 'alpha bravo charlie delta echo foxtrot golf hotel';
const SECOND = 'xray whiskey victor uniform tango sierra romeo';

/** Speech made of tones, which the test servers recognise without errors. */
export const tones: RecognitionMaterial = {
  language: 'en',
  first: { text: FIRST, audio: async () => toneSpeech(FIRST, QUIET_END) },
  second: { text: SECOND, audio: async () => toneSpeech(SECOND, QUIET_END) },
  hasPartials: true,
  hasWordTimes: true,
  errorRate: 0,
  toleranceMs: 150,
  patienceMs: 15_000,
};

/** For engines that time utterances but not words. */
export const untimedTones: RecognitionMaterial = {
  ...tones,
  hasWordTimes: false,
  // Silence before and after the words counts as part of the utterance.
  toleranceMs: 1_100,
};

/** Returns the engine. @throws AssertionError if it is unavailable */
export function hearing(engine: RecognitionEngine | Unavailable): RecognitionEngine {
  assert.ok('recognise' in engine, 'reason' in engine ? engine.reason : '');
  return engine;
}

/** Yields utterances in sequence as the voice path does, with two seconds of silence between them. */
export async function* utterances(
  texts: readonly string[],
  { pieceMs = 100, before }: { pieceMs?: number; before?: (index: number) => Promise<void> } = {},
): AsyncGenerator<SpeechPiece, undefined> {
  let startMs = 0;
  for (const [index, text] of texts.entries()) {
    await before?.(index);
    const audio = toneSpeech(text, { padStartMs: 200, padEndMs: 300 });
    for (let offset = 0; offset < audio.byteLength; offset += pieceMs * 32) {
      const samples = audio.subarray(offset, offset + pieceMs * 32);
      yield { kind: 'samples', samples, startMs: startMs + offset / 32 };
    }
    startMs += audio.byteLength / 32;
    yield { kind: 'endpoint', atMs: startMs };
    startMs += 2_000;
  }
}

/** Returns what is recognised in `alpha` and an invented name with these spoken terms. */
export async function hearRareWord(
  engine: RecognitionEngine,
  spokenTerms: readonly string[],
): Promise<string> {
  const speech = utterances([`alpha ${RARE_WORD}`]);
  return transcript(await heard(engine, speech, { spokenTerms }));
}

/** Returns all log lines and an error as one text. */
export function disclosed(log: LogRecord, error?: unknown): string {
  const shown = error instanceof Error ? [error.message, error.stack, String(error.cause)] : [];
  return [JSON.stringify(log.lines), ...shown].join('\n');
}
