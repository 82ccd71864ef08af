/** Concluded captions of one language to speech, as one continuous stream of media. */
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

/** A piece of the stream; what `target_media_chunk` carries. */
export interface MediaChunk {
  /** Pages, clusters, packets or frames: none may be cut. */
  pieces: Uint8Array[];
  /** How long they play, in whole ms; all together as long as the stream, to the millisecond. */
  durationMs: number;
  /** What is spoken; in the first chunk of each segment. */
  text?: string;
  /** How many of the pieces are headers; in the first chunk of the stream. */
  headerCount?: number;
}

export interface SynthesiseOptions extends SpeakOptions {
  format: TargetMediaFormat;
  encoders: SpeechEncoders;
  /** So much of the first segment was spoken before, in ms. */
  spokenMs?: number | undefined;
}

/** Chunks are no longer than this, so that a player begins early: 48 kB at most, as PCM at 24 kHz. */
const MAX_CHUNK_MS = 500;
/** Samples that are encoded in one go: a worker serves others in between. */
const MAX_BATCH_MS = 400;

/**
 * Speaks concluded segments one after the other; tentative ones are not spoken, nor is what has no
 * letters or digits. All of a segment has come out before the next one begins.
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

/** One line as a whole file. @throws ServiceError synthesis_failed; the signal's reason */
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

/** Puts pieces together to chunks. The first one of a segment goes out as soon as there is a piece. */
function createChunker(headers: readonly Uint8Array[]): Chunker {
  let first: { headerCount: number } | undefined = { headerCount: headers.length };
  let pieces: Uint8Array[] = [...headers];
  let text: string | undefined;
  /** Where what waits begins and ends in the stream. */
  let fromMs = 0;
  let toMs = 0;

  function* take(): Generator<MediaChunk> {
    if (toMs === fromMs) return;
    // Rounded ends, not lengths: the error never grows.
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

// Captions to samples: which are spoken, in order, and what to do about failures.

/** Of each segment that is spoken: its text, its samples, its end. */
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

/** How long to wait before a sentence that failed is tried again, in ms. */
const SECOND_TRY_AFTER_MS = 250;

/** How far speech is made ahead of its encoding, in ms: about two long sentences. */
const AHEAD_MS = 20_000;

/**
 * Speaks concluded segments one after the other. Each begins as soon as the one before is made, up
 * to {@link AHEAD_MS} before anybody reads it.
 *
 * @throws ServiceError synthesis_failed when a segment fails twice; what the source throws; the
 *   signal's reason
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

/** Punctuation alone makes no sound, or a voice that says "dot dot dot". */
function isSpeakable(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text);
}

/** A caption as it is given to engines: one line, without what is not text. */
function spoken(text: string): string {
  return text.replace(/[\s\p{Cc}\p{Cs}\p{Co}]+/gu, ' ').trim();
}

/** A sentence that fails is tried once more, and goes on where it had broken off. */
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
