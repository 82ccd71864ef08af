/** Adapters between generators and the voice path: audio to decode, and the utterances found in it. */
import type { HeardPiece, Endpointing } from '../../../server/voice/audio/endpointing.ts';
import { createListener as ours } from '../../../server/voice/audio/listen.ts';
import {
  UTTERANCE_END,
  type MediaPiece,
  type MediaSource,
} from '../../../server/voice/audio/media.ts';

/** Limits of reading ahead, in bytes and in pieces. */
const AHEAD_BYTES = 32 * 1024;
const AHEAD_PIECES = 64;

/** Wraps a generator as a media source that reads some pieces ahead. */
export function mediaOf(pieces: AsyncIterable<MediaPiece>): MediaSource {
  const iterator = pieces[Symbol.asyncIterator]();
  const waiting: MediaPiece[] = [];
  let isReading = false;
  let hasEnded = false;
  function isFull(): boolean {
    const bytes = waiting.reduce(
      (sum, piece) => sum + (piece instanceof Uint8Array ? piece.length : 0),
      0,
    );
    return waiting.length >= AHEAD_PIECES || bytes >= AHEAD_BYTES;
  }
  async function read(): Promise<void> {
    isReading = true;
    while (!isFull() && !hasEnded) {
      const step = await iterator.next();
      if (step.done === true) hasEnded = true;
      else waiting.push(step.value);
      source.reader?.arrived();
    }
    isReading = false;
  }
  const source: MediaSource = {
    take() {
      if (!isReading) void read();
      return waiting.shift();
    },
    get isOver() {
      return hasEnded && waiting.length === 0;
    },
    reader: undefined,
  };
  return source;
}

/** Yields the samples of what was heard. */
export function samplesIn(heard: AsyncIterable<HeardPiece>): AsyncIterableIterator<Uint8Array> {
  const iterator = heard[Symbol.asyncIterator]();
  const stream: AsyncIterableIterator<Uint8Array> = {
    [Symbol.asyncIterator]: () => stream,
    async next() {
      for (;;) {
        const step = await iterator.next();
        if (step.done === true) return { done: true, value: undefined };
        if (step.value.kind === 'samples') return { done: false, value: step.value.samples };
      }
    },
    async return() {
      await iterator.return?.();
      return { done: true, value: undefined };
    },
  };
  return stream;
}

/** Yields the utterances in a stream of s16le samples, as the voice path finds them. */
export async function* listen(
  audio: AsyncIterable<Uint8Array>,
  endpointing: Endpointing,
  createListener = ours,
): AsyncGenerator<HeardPiece> {
  let pieces: HeardPiece[] = [];
  const listener = createListener(endpointing, (piece) => {
    if (piece.kind !== 'rest') pieces.push(piece);
  });
  function* heard(): Generator<HeardPiece> {
    const all = pieces;
    pieces = [];
    yield* all;
  }
  try {
    for await (const bytes of audio) {
      const whole = Uint8Array.from(bytes);
      listener.take(new Int16Array(whole.buffer));
      if (bytes === UTTERANCE_END) listener.conclude();
      yield* heard();
    }
    listener.finish();
    yield* heard();
  } finally {
    listener.close();
  }
}
