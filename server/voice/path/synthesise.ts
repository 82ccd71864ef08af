/** Speaks the concluded captions of one language as one continuous media stream. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { LanguageTag } from '../../../shared/language.ts';
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import type { SpokenSamples, SynthesisEngine, VoiceGender } from '../../engines/engine.ts';
import { linkAbort } from '../../process/concurrency.ts';
import type { EncodedPiece, SpeechEncoder } from '../audio/codecs/media-pieces.ts';
import type { SpeechEncoders } from '../audio/encode.ts';
import type { CaptionUpdate } from './captions.ts';
import { createChannel, createSignal } from './streams.ts';

/** A piece of the media stream, as carried by `target_media_chunk`. */
export interface MediaChunk {
  /** Pages, clusters, packets or frames; none may be split. */
  pieces: Uint8Array[];
  /** Playing time in whole ms; rounded so that all chunks together last as long as the stream. */
  durationMs: number;
  /** Spoken text; in the first chunk of each segment. */
  text?: string;
  /** Number of pieces that are headers; in the first chunk of the stream. */
  headerCount?: number;
}

export interface SynthesiseOptions extends SpeakOptions {
  format: TargetMediaFormat;
  encoders: SpeechEncoders;
  /** How much of the first segment has been sent before, in ms. */
  spokenMs?: number | undefined;
}

/** Longest chunk, in ms, so that playback starts early: at most 48 kB of PCM at 24 kHz. */
const MAX_CHUNK_MS = 500;
/** Most samples to encode at once, in ms: the worker serves other streams in between. */
const MAX_BATCH_MS = 400;

/**
 * Speaks concluded segments one after another, skipping tentative text and text without letters or
 * digits. All of a segment is emitted before the next one begins.
 *
 * @throws ServiceError synthesis_failed; the signal's reason when aborted
 */
export async function* synthesise(
  updates: AsyncIterable<CaptionUpdate>,
  { format, encoders, spokenMs = 0, ...speaking }: SynthesiseOptions,
): AsyncGenerator<MediaChunk> {
  let toSkipMs = spokenMs;
  const encoder = await encoders.open(format, speaking.signal);
  const chunks = createChunker(encoder.headers);
  try {
    for await (const event of speakAhead(updates, speaking)) {
      if (event.kind === 'begin') {
        if (toSkipMs === 0) chunks.beginSegment(event.text);
      } else if (event.kind === 'end') {
        toSkipMs = 0;
        yield* chunks.add(await encoder.flush());
        yield* chunks.rest();
      } else {
        const rest = withoutFirst(event, toSkipMs);
        toSkipMs = Math.max(0, toSkipMs - lengthMs(event));
        if (rest.samples.length > 0) yield* encodeBatches(rest, encoder, chunks);
      }
    }
  } finally {
    encoder.close();
  }
}

function withoutFirst({ samples, sampleRateHz }: SpokenSamples, ms: number): SpokenSamples {
  return { samples: samples.subarray(Math.round((ms * sampleRateHz) / 1000)), sampleRateHz };
}

/** Speaks one line into a whole file. @throws ServiceError synthesis_failed; the signal's reason */
export async function speakLine(text: string, options: SynthesiseOptions): Promise<Buffer> {
  const segment = { text, startMs: 0, endMs: 0, language: options.language };
  async function* once(): AsyncGenerator<CaptionUpdate> {
    yield { concluded: [segment], tentative: [] };
  }
  const pieces: Uint8Array[] = [];
  for await (const chunk of synthesise(once(), options)) pieces.push(...chunk.pieces);
  return Buffer.concat(pieces);
}

async function* encodeBatches(
  { samples, sampleRateHz }: SpokenSamples,
  encoder: SpeechEncoder,
  chunks: Chunker,
): AsyncGenerator<MediaChunk> {
  const batch = Math.ceil((MAX_BATCH_MS * sampleRateHz) / 1000);
  for (let start = 0; start < samples.length; start += batch) {
    const some = samples.subarray(start, start + batch);
    yield* chunks.add(await encoder.encode({ samples: some, sampleRateHz }));
  }
}

interface Chunker {
  beginSegment(text: string): void;
  add(pieces: readonly EncodedPiece[]): Generator<MediaChunk>;
  rest(): Generator<MediaChunk>;
}

/** Combines pieces into chunks. The first chunk of a segment is emitted as soon as a piece is available. */
function createChunker(headers: readonly Uint8Array[]): Chunker {
  let first: { headerCount: number } | undefined = { headerCount: headers.length };
  let pieces: Uint8Array[] = [...headers];
  let text: string | undefined;
  /** Start and end of the waiting pieces in the stream, in ms. */
  let fromMs = 0;
  let toMs = 0;

  function* take(): Generator<MediaChunk> {
    if (toMs === fromMs) return;
    // Rounding the ends rather than the durations keeps the error from adding up.
    const durationMs = Math.round(toMs) - Math.round(fromMs);
    yield { pieces, durationMs, ...(text !== undefined && { text }), ...first };
    pieces = [];
    text = first = undefined;
    fromMs = toMs;
  }

  return {
    beginSegment: (spoken) => (text = spoken),
    *add(encoded) {
      for (const { data, durationMs } of encoded) {
        if (toMs - fromMs + durationMs > MAX_CHUNK_MS) yield* take();
        pieces.push(data);
        toMs += durationMs;
      }
      if (text !== undefined) yield* take();
    },
    rest: take,
  };
}

// From captions to samples: selection, order, and failures.

/** Events of each spoken segment: its text, its samples, its end. */
type SpeechEvent =
  | { kind: 'begin'; text: string }
  | ({ kind: 'samples' } & SpokenSamples)
  | { kind: 'end' };

interface SpeakOptions {
  engine: SynthesisEngine;
  language: LanguageTag;
  gender: VoiceGender | undefined;
  signal: AbortSignal;
}

/** Pause before a failed sentence is tried again, in ms. */
const SECOND_TRY_AFTER_MS = 250;

/** How far synthesis may run ahead of encoding, in ms: about two long sentences. */
const AHEAD_MS = 20_000;

/**
 * Speaks concluded segments one after another. Each begins as soon as the previous one is synthesised, up
 * to {@link AHEAD_MS} before it is read.
 *
 * @throws ServiceError synthesis_failed when a segment fails twice; errors of the source; the signal's
 *   reason
 */
async function* speakAhead(
  updates: AsyncIterable<CaptionUpdate>,
  options: SpeakOptions,
): AsyncGenerator<SpeechEvent> {
  const { controller, unlink } = linkAbort(options.signal);
  let aheadMs = 0;
  const room = createSignal();
  const events = createChannel<SpeechEvent>((event) => {
    aheadMs -= lengthMs(event);
    room.raise();
  });
  controller.signal.addEventListener('abort', () => {
    events.fail(controller.signal.reason);
    room.raise();
  });
  if (controller.signal.aborted) events.fail(controller.signal.reason);

  async function speakAll(): Promise<void> {
    for await (const event of speakEach(updates, { ...options, signal: controller.signal })) {
      events.push(event);
      aheadMs += lengthMs(event);
      while (aheadMs > AHEAD_MS && !controller.signal.aborted) await room.raised();
    }
  }

  speakAll().then(
    () => events.end(),
    (error: unknown) => events.fail(error),
  );
  try {
    yield* events;
  } finally {
    unlink();
    controller.abort(new Error('Nobody listens any more.'));
  }
}

function lengthMs(event: SpeechEvent): number {
  return event.kind === 'samples' ? (event.samples.length / event.sampleRateHz) * 1000 : 0;
}

async function* speakEach(
  updates: AsyncIterable<CaptionUpdate>,
  options: SpeakOptions,
): AsyncGenerator<SpeechEvent> {
  for await (const { concluded } of updates) {
    for (const { text } of concluded) {
      if (!isSpeakable(text)) continue;
      yield { kind: 'begin', text };
      yield* speakTwice(spoken(text), options);
      yield { kind: 'end' };
    }
  }
}

/** Whether a text contains letters or digits. Punctuation alone is silent, or read out as "dot dot dot". */
function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** Prepares a caption for the engine: one line, without control characters. */
function spoken(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cs}\p{Co}]+/gu, ' ').trim();
}

/** Speaks a sentence; on failure tries once more and continues where it broke off. */
async function* speakTwice(text: string, options: SpeakOptions): AsyncGenerator<SpeechEvent> {
  let saidMs = 0;
  try {
    for await (const samples of options.engine.speak(text, options)) {
      const event = { kind: 'samples' as const, ...samples };
      saidMs += lengthMs(event);
      yield event;
    }
    return;
  } catch (error) {
    options.signal.throwIfAborted();
    if (!(error instanceof ServiceError)) throw error;
  }
  const { signal } = options;
  await delay(SECOND_TRY_AFTER_MS, undefined, { signal }).catch(() => signal.throwIfAborted());
  for await (const samples of options.engine.speak(text, options)) {
    const event = { kind: 'samples' as const, ...samples };
    const length = lengthMs(event);
    const skipped = Math.round((Math.min(saidMs, length) * samples.sampleRateHz) / 1000);
    saidMs = Math.max(0, saidMs - length);
    const rest = samples.samples.subarray(skipped);
    if (rest.length > 0) yield { ...event, samples: rest };
  }
}
