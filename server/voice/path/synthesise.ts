/** Concluded captions of one language to speech, as one continuous stream of media. */
import type { TargetMediaFormat } from '../../../shared/target-media-type.ts';
import type { SpokenSamples } from '../../engines/engine.ts';
import type { CaptionUpdate } from './captions.ts';
import type { SpeechEncoder, SpeechEncoders } from '../audio/encode.ts';
import type { EncodedPiece } from '../audio/encode/packet.ts';
import { speakAhead, type SpeakOptions } from './speak.ts';

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
  { format, encoders, ...speaking }: SynthesiseOptions,
): AsyncGenerator<MediaChunk> {
  const encoder = await encoders.open(format, speaking.signal);
  const chunks = createChunker(encoder.headers);
  try {
    for await (const event of speakAhead(updates, speaking)) {
      if (event.kind === 'begin') chunks.beginSegment(event.text);
      else if (event.kind === 'end') {
        yield* chunks.add(await encoder.flush());
        yield* chunks.rest();
      } else yield* encodeBatches(event, encoder, chunks);
    }
  } finally {
    encoder.close();
  }
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
