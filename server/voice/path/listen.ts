/** Finds the utterances in a stream of samples. */
import type { SpeechPiece } from '../../engines/engine.ts';
import { UTTERANCE_END } from '../audio/media.ts';
import { Endpointer, FRAME_MS, LOOK_BACK, type Endpointing } from './endpointing.ts';

export type { Endpointing } from './endpointing.ts';

/** Rate of the samples between decoding and recognition, as `engines/engine.ts` promises them. */
export const RECOGNITION_RATE_HZ = 16_000;

/**
 * Silence after which a mark is due, in ms, counted from the end of speech: a speaker who pauses for
 * so long has let go of the sentence.
 */
export const SILENCE_MARK_MS = 1_500;

/**
 * There has been silence since the last endpoint, up to `atMs` of the stream. Repeated
 * while silence lasts, and decided by positions in the stream alone, so that the same audio always
 * has the same marks.
 */
interface SilenceMark {
  kind: 'silence';
  atMs: number;
}

/** What the gateway has heard of a stream: speech for recognisers, and marks that they do not see. */
export type HeardPiece = SpeechPiece | SilenceMark;

export interface ListenOptions extends Endpointing {
  signal: AbortSignal;
}

const FRAME_SAMPLES = (FRAME_MS * RECOGNITION_RATE_HZ) / 1000;
const FRAME_BYTES = FRAME_SAMPLES * 2;
const BYTES_PER_MS = RECOGNITION_RATE_HZ / 500;
/** Speech is passed on in pieces of so many frames: few of them, and still soon. */
const PIECE_FRAMES = 3;
/** Room for what may still be passed on and for what comes in at once. */
const RING_BYTES = LOOK_BACK * FRAME_BYTES;
const MOST_AT_ONCE_BYTES = RING_BYTES / 4;

/**
 * Passes on the utterances of a stream and leaves the silence between them out. The same audio makes
 * the same pieces, however it is divided. Marks say that silence lasts.
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
  #passedOn = 0;

  constructor(activity: VoiceActivity, endpointing: Endpointing) {
    this.#activity = activity;
    this.#endpointer = new Endpointer(
      { ...endpointing, markMs: SILENCE_MARK_MS },
      {
        begin: (from) => (this.#passedOn = from * FRAME_BYTES),
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
    if (limit - this.#passedOn >= PIECE_FRAMES * FRAME_BYTES) this.#passOn(limit);
  }

  #end(at: number, isCut: boolean): void {
    const limit = at * FRAME_BYTES;
    if (limit > this.#passedOn) this.#passOn(limit);
    this.#pieces.push({ kind: 'endpoint', atMs: at * FRAME_MS, ...(isCut && { isCut }) });
  }

  /** Passes on a copy of the audio up to a position: whoever takes it may keep it. */
  #passOn(limit: number): void {
    const samples = new Uint8Array(limit - this.#passedOn);
    const at = this.#passedOn % RING_BYTES;
    const first = Math.min(samples.length, RING_BYTES - at);
    samples.set(this.#ring.subarray(at, at + first));
    samples.set(this.#ring.subarray(0, samples.length - first), first);
    this.#pieces.push({ kind: 'samples', samples, startMs: this.#passedOn / BYTES_PER_MS });
    this.#passedOn = limit;
  }
}

// Is somebody speaking? WebRTC's detector (fvad), which needs no model and 10 µs a frame.

/** The detector of one stream. */
interface VoiceActivity {
  /** Whether the frame of samples that begins at an index belongs to speech. Frames in their order. */
  isVoice(samples: Int16Array, index: number): boolean;
  /** Mean square of the samples of the last frame. */
  readonly power: number;
  /** Gives its memory back; nothing may be asked after it. */
  close(): void;
}

/** The strictest but one: it does not take steady noise for speech, and hears speech at -30 dB. */
const MODE = 2;

/** The part of the module that is used; addresses are in bytes of its memory. */
interface FvadModule {
  /** Another object whenever the memory has grown. */
  readonly HEAP16: Int16Array;
  _malloc(sizeBytes: number): number;
  /** 0 when there is no memory left. */
  _fvad_new(): number;
  _fvad_free(detector: number): void;
  _fvad_set_sample_rate(detector: number, sampleRateHz: number): number;
  _fvad_set_mode(detector: number, mode: number): number;
  /** 1 voice, 0 none, -1 for a frame that is not 10, 20 or 30 ms long. */
  _fvad_process(detector: number, frame: number, samples: number): number;
}

/** The package brings no types. */
const PACKAGE: string = '@echogarden/fvad-wasm';

/** One module with one frame for all streams: a frame is looked at in one go. */
let shared: Promise<{ module: FvadModule; frame: number }> | undefined;

async function loadShared(): Promise<{ module: FvadModule; frame: number }> {
  const { default: load } = (await import(PACKAGE)) as { default: () => Promise<FvadModule> };
  const module = await load();
  return { module, frame: module._malloc(FRAME_SAMPLES * 2) };
}

/** @throws Error when there is no memory for another detector */
async function createVoiceActivity(): Promise<VoiceActivity> {
  const { module, frame } = await (shared ??= loadShared());
  const detector = module._fvad_new();
  if (detector === 0) throw new Error('There is no memory for another voice activity detector');
  module._fvad_set_sample_rate(detector, RECOGNITION_RATE_HZ);
  module._fvad_set_mode(detector, MODE);
  let power = 0;
  return {
    isVoice(samples, index) {
      const { HEAP16: memory } = module;
      const base = frame / 2;
      let sum = 0;
      // One pass for both, and no view of the samples to be thrown away afterwards.
      for (let at = 0; at < FRAME_SAMPLES; at += 1) {
        const sample = samples[index + at] ?? 0;
        memory[base + at] = sample;
        sum += sample * sample;
      }
      power = sum / FRAME_SAMPLES;
      return module._fvad_process(detector, frame, FRAME_SAMPLES) === 1;
    },
    get power() {
      return power;
    },
    close: () => module._fvad_free(detector),
  };
}
