/** Finds the utterances in a stream of samples. */
import { Endpointer, LOOK_BACK, type Endpointing } from './endpointing.ts';
import { UTTERANCE_END } from '../audio/media.ts';
import { SILENCE_MARK_MS, type HeardPiece } from './silence-mark.ts';
import { RECOGNITION_RATE_HZ } from './speech-rate.ts';
import {
  createVoiceActivity,
  FRAME_MS,
  FRAME_SAMPLES,
  type VoiceActivity,
} from './voice-activity.ts';

export type { Endpointing } from './endpointing.ts';

export interface ListenOptions extends Endpointing {
  signal: AbortSignal;
}

const FRAME_BYTES = FRAME_SAMPLES * 2;
const BYTES_PER_MS = RECOGNITION_RATE_HZ / 500;
/** Speech is passed on in pieces of so many frames: few of them, and still soon. */
const PIECE_FRAMES = 3;
/** Room for what may still be passed on and for what comes in at once. */
const RING_BYTES = LOOK_BACK * FRAME_BYTES;
const MOST_AT_ONCE_BYTES = RING_BYTES / 4;

/**
 * Passes on the utterances of a stream and leaves the silence between them out. The same audio makes
 * the same pieces, however it is divided. Marks tell that silence lasts.
 *
 * @param audio s16le samples of one channel at RECOGNITION_RATE_HZ, in pieces of any even length
 * @throws the signal's reason when aborted
 */
export async function* listen(
  audio: AsyncIterable<Uint8Array>,
  { signal, ...endpointing }: ListenOptions,
): AsyncGenerator<HeardPiece> {
  const activity = await createVoiceActivity();
  try {
    const listener = new Listener(activity, endpointing);
    for await (const samples of audio) {
      signal.throwIfAborted();
      for (let offset = 0; offset < samples.length;) {
        offset += listener.take(samples, offset);
        yield* listener.pieces();
      }
      if (samples === UTTERANCE_END) {
        listener.conclude();
        yield* listener.pieces();
      }
    }
    listener.finish();
    yield* listener.pieces();
  } finally {
    activity.close();
  }
}

/** The latest audio of a stream, and the utterance that is being cut out of it. */
class Listener {
  readonly #activity: VoiceActivity;
  readonly #endpointer: Endpointer;
  readonly #ring = new Uint8Array(RING_BYTES);
  readonly #samples = new Int16Array(this.#ring.buffer);
  #pieces: HeardPiece[] = [];
  /** Bytes that came in, and how many of them the detector has seen. */
  #taken = 0;
  #seen = 0;
  /** Bytes up to which the utterance was passed on. */
  #told = 0;

  constructor(activity: VoiceActivity, endpointing: Endpointing) {
    this.#activity = activity;
    this.#endpointer = new Endpointer(
      { ...endpointing, markMs: SILENCE_MARK_MS },
      {
        begin: (from) => (this.#told = from * FRAME_BYTES),
        extend: (until) => this.#extend(until),
        end: (at, isCut) => this.#end(at, isCut),
        silence: (until) => this.#pieces.push({ kind: 'silence', atMs: until * FRAME_MS }),
      },
    );
  }

  /** What has come about since it was last asked. */
  *pieces(): Generator<HeardPiece> {
    if (this.#pieces.length === 0) return;
    yield* this.#pieces;
    this.#pieces = [];
  }

  /** Takes in samples from an offset on, some of them at least; returns how many bytes. */
  take(samples: Uint8Array, offset: number): number {
    const at = this.#taken % RING_BYTES;
    const count = Math.min(samples.length - offset, MOST_AT_ONCE_BYTES, RING_BYTES - at);
    const isWhole = count === samples.length;
    this.#ring.set(isWhole ? samples : samples.subarray(offset, offset + count), at);
    this.#taken += count;
    for (; this.#seen + FRAME_BYTES <= this.#taken; this.#seen += FRAME_BYTES) {
      const isVoice = this.#activity.isVoice(this.#samples, (this.#seen % RING_BYTES) / 2);
      this.#endpointer.accept(isVoice, this.#activity.power);
    }
    return count;
  }

  /** Ends the utterance under way, be there silence or not. */
  conclude(): void {
    this.#endpointer.conclude();
  }

  /** Ends the utterance under way with the stream. */
  finish(): void {
    this.#endpointer.finish(this.#taken / FRAME_BYTES);
  }

  #extend(until: number): void {
    const limit = until * FRAME_BYTES;
    if (limit - this.#told >= PIECE_FRAMES * FRAME_BYTES) this.#tell(limit);
  }

  #end(at: number, isCut: boolean): void {
    const limit = at * FRAME_BYTES;
    if (limit > this.#told) this.#tell(limit);
    this.#pieces.push({ kind: 'endpoint', atMs: at * FRAME_MS, ...(isCut && { isCut }) });
  }

  /** Passes on a copy of the audio up to a position: whoever takes it may keep it. */
  #tell(limit: number): void {
    const samples = new Uint8Array(limit - this.#told);
    const at = this.#told % RING_BYTES;
    const first = Math.min(samples.length, RING_BYTES - at);
    samples.set(this.#ring.subarray(at, at + first));
    samples.set(this.#ring.subarray(0, samples.length - first), first);
    this.#pieces.push({ kind: 'samples', samples, startMs: this.#told / BYTES_PER_MS });
    this.#told = limit;
  }
}
