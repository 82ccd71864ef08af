/** Streams through a recogniser as a session has them, and what was told of them when. */
import type { RecognitionEngine, SpeechPiece } from '../../../server/engines/engine.ts';
import type * as Listen from '../../../server/voice/audio/listen.ts';
import { listen } from '../../support/audio/heard.ts';
import { importBuilt } from '../built.ts';
import { createHearingClock } from '../captions-clock.ts';
import type { Sight } from '../captions-measures.ts';
import { descendantsCpuS } from '../process-tree.ts';
import { BYTES_PER_MS } from './speech-samples.ts';

/** As a session has it that asks for nothing else. */
const ENDPOINTING = { silenceMs: 600, longestMs: 15_000 };
const CHUNK_MS = 100;
export const CHUNK_BYTES = CHUNK_MS * BYTES_PER_MS;

/** The utterances in a stream, as the voice path finds them. */
export async function* utterancesIn(
  audio: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<SpeechPiece> {
  const { createListener } = await importBuilt<typeof Listen>('server/voice/audio/listen.ts');
  for await (const piece of listen(audio, ENDPOINTING, createListener)) {
    signal.throwIfAborted();
    if (piece.kind !== 'silence') yield piece;
  }
}

/** All of a recording, as fast as it is taken. */
export async function* chunksOf(audio: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < audio.length; at += CHUNK_BYTES) {
    yield audio.subarray(at, at + CHUNK_BYTES);
  }
}

/** A recording as one utterance, whatever is in it: nothing decides beforehand what is speech. */
export async function* asUtterance(audio: Uint8Array): AsyncGenerator<SpeechPiece> {
  let startMs = 0;
  for await (const samples of chunksOf(audio)) {
    yield { kind: 'samples', samples, startMs };
    startMs += samples.length / BYTES_PER_MS;
  }
  yield { kind: 'endpoint', atMs: startMs };
}

/** What was told of a stream, times in ms on the listener's clock. */
export interface Heard {
  /** All finals. */
  text: string;
  /** Words in partials, most of them soon told again in others. */
  partialWords: number;
  /** What is calm of the partials, and the finals. */
  sights: Sight[];
  finals: { endMs: number; atMs: number }[];
  endpoints: { atMs: number; toldMs: number }[];
}

export interface HearOptions {
  spokenTerms?: readonly string[];
  now?: () => number;
  signal?: AbortSignal;
  /** Told of the end of each partial in the stream. */
  onPartial?: (endMs: number) => void;
  /** Told of each final, after it has been added to what was heard. */
  onFinal?: (heard: Heard) => void;
}

/** Hears a stream to its end. */
export async function hear(
  engine: RecognitionEngine,
  speech: AsyncIterable<SpeechPiece>,
  {
    spokenTerms = [],
    now = () => 0,
    signal = new AbortController().signal,
    onPartial,
    onFinal,
  }: HearOptions = {},
): Promise<Heard> {
  const heard: Heard = { text: '', partialWords: 0, sights: [], finals: [], endpoints: [] };
  async function* watched(): AsyncGenerator<SpeechPiece> {
    for await (const piece of speech) {
      if (piece.kind === 'endpoint') heard.endpoints.push({ atMs: piece.atMs, toldMs: now() });
      yield piece;
    }
  }
  const options = { language: 'en', languageMode: 'fixed', spokenTerms, signal } as const;
  for await (const told of engine.recognise(watched(), options)) {
    const { text, startMs, endMs } = told;
    const atMs = now();
    if (told.kind === 'final') {
      heard.text = `${heard.text} ${text}`.trim();
      heard.sights.push({ atMs, concluded: [{ text, startMs, endMs }], tentative: [] });
      heard.finals.push({ endMs, atMs });
      onFinal?.(heard);
    } else {
      const calm = told.agreed ?? text;
      heard.partialWords += text.split(' ').filter(Boolean).length;
      heard.sights.push({ atMs, concluded: [], tentative: calm === '' ? [] : [{ text: calm }] });
      onPartial?.(endMs);
    }
  }
  return heard;
}

/** From each endpoint until the last words of its utterance are final, in ms; 0 where they were before. */
export function endpointLags({ finals, endpoints }: Pick<Heard, 'finals' | 'endpoints'>): number[] {
  let from = -Infinity;
  return endpoints.flatMap(({ atMs, toldMs }) => {
    const own = finals.filter(({ endMs }) => endMs > from && endMs <= atMs);
    from = atMs;
    return own.length === 0
      ? []
      : [Math.max(0, Math.max(...own.map((final) => final.atMs)) - toldMs)];
  });
}

/** The same with its cost; lags are on a clock that a busy machine does not change. */
export async function hearCalmly(
  engine: RecognitionEngine,
  audio: Uint8Array,
): Promise<Heard & { cpuS: number; audioS: number }> {
  const { signal } = new AbortController();
  const clock = createHearingClock();
  const paced = clock.pace(audio, CHUNK_BYTES, BYTES_PER_MS);
  const before = descendantsCpuS();
  const heard = await hear(engine, utterancesIn(paced, signal), { now: () => clock.now(), signal });
  return {
    ...heard,
    cpuS: descendantsCpuS() - before,
    audioS: audio.length / BYTES_PER_MS / 1000,
  };
}
