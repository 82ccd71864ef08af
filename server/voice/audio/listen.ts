/** Finds the utterances in a stream of samples. */
import {
  Endpointer,
  FRAME_MS,
  LOOK_BACK,
  RECOGNITION_RATE_HZ,
  SAMPLES_PER_MS,
  SILENCE_MARK_MS,
  type Endpointing,
  type HeardPiece,
  type ListenerState,
  type RestMark,
} from './endpointing.ts';

const FRAME_SAMPLES = FRAME_MS * SAMPLES_PER_MS;
/** Fewest frames of speech to pass on at once: few pieces, yet little delay. */
const PIECE_FRAMES = 3;
/** Ring buffer size: room for audio that may still be passed on and for new samples. */
const RING_SAMPLES = LOOK_BACK * FRAME_SAMPLES;
const MOST_AT_ONCE_SAMPLES = RING_SAMPLES / 4;
/** Interval at which resume points are reported while nobody speaks, in frames. */
const REST_EVERY_FRAMES = 5_000 / FRAME_MS;

/** Listens to one stream. */
export interface Listener {
  /** Position up to which the stream has been heard, in ms. */
  readonly heardMs: number;
  /** Takes mono samples at {@link RECOGNITION_RATE_HZ}; the caller may reuse the array afterwards. */
  take(samples: Int16Array): void;
  /** Continues from another listener's state; the next sample is `fromSample`, before that state. */
  resume(state: ListenerState, fromSample: number): void;
  /** Ends the current utterance, even without silence. */
  conclude(): void;
  /** Ends the current utterance at the end of the stream. */
  finish(): void;
  /** Frees memory; the listener must not be used afterwards. */
  close(): void;
}

/**
 * Creates a listener that passes on the utterances of a stream without the silence between them, and
 * marks lasting silence. The same audio yields the same utterances, however it is divided into chunks.
 *
 * @param endpointing undefined: all audio counts as speech
 * @param give takes the results, and owns the samples in them
 * @param tellsRests whether resume points are reported
 * @throws Error without memory for another voice activity detector
 */
export function createListener(
  endpointing: Endpointing | undefined,
  give: (piece: HeardPiece | RestMark) => void,
  tellsRests = false,
): Listener {
  return endpointing === undefined
    ? createPassOn(give)
    : new UtteranceListener(createVoiceActivity(), { endpointing, give, tellsRests });
}

/** Creates a listener that passes on all audio. */
function createPassOn(give: (piece: HeardPiece | RestMark) => void): Listener {
  let taken = 0;
  return {
    get heardMs() {
      return taken / SAMPLES_PER_MS;
    },
    take(samples) {
      if (samples.length === 0) return;
      const copy = new Uint8Array(samples.slice().buffer);
      give({ kind: 'samples', samples: copy, startMs: taken / SAMPLES_PER_MS });
      taken += samples.length;
    },
    resume: (_state, fromSample) => (taken = fromSample),
    conclude: () => give({ kind: 'endpoint', atMs: taken / SAMPLES_PER_MS }),
    finish: () => undefined,
    close: () => undefined,
  };
}

/** Keeps the latest audio of a stream and cuts utterances out of it. */
class UtteranceListener implements Listener {
  readonly #activity: VoiceActivity;
  readonly #endpointer: Endpointer;
  readonly #give: (piece: HeardPiece | RestMark) => void;
  readonly #ring = new Int16Array(RING_SAMPLES);
  /** Number of samples received, and how many of them the detector has seen. */
  #taken = 0;
  #seen = 0;
  /** Sample at which the utterance ends so far, and up to which it has been passed on. */
  #extended = 0;
  #passedOn = 0;
  /** Frame count at which the next resume point is due. */
  #restDue: number;

  constructor(
    activity: VoiceActivity,
    {
      endpointing,
      give,
      tellsRests,
    }: {
      endpointing: Endpointing;
      give: (piece: HeardPiece | RestMark) => void;
      tellsRests: boolean;
    },
  ) {
    this.#activity = activity;
    this.#give = give;
    this.#restDue = tellsRests ? REST_EVERY_FRAMES : Infinity;
    this.#endpointer = new Endpointer(
      { ...endpointing, markMs: SILENCE_MARK_MS },
      {
        begin: (from) => (this.#extended = this.#passedOn = from * FRAME_SAMPLES),
        extend: (until) => (this.#extended = until * FRAME_SAMPLES),
        end: (at, isCut) => this.#end(at, isCut),
        silence: (until) => give({ kind: 'silence', atMs: until * FRAME_MS }),
      },
    );
  }

  get heardMs(): number {
    return this.#taken / SAMPLES_PER_MS;
  }

  take(samples: Int16Array): void {
    for (let offset = 0; offset < samples.length;) {
      const at = this.#taken % RING_SAMPLES;
      const count = Math.min(samples.length - offset, MOST_AT_ONCE_SAMPLES, RING_SAMPLES - at);
      const isWhole = count === samples.length;
      this.#ring.set(isWhole ? samples : samples.subarray(offset, offset + count), at);
      offset += count;
      this.#taken += count;
      for (; this.#seen + FRAME_SAMPLES <= this.#taken; this.#seen += FRAME_SAMPLES) {
        const isVoice = this.#activity.isVoice(this.#ring, this.#seen % RING_SAMPLES);
        this.#endpointer.accept(isVoice, this.#activity.power);
        const frames = this.#seen / FRAME_SAMPLES + 1;
        if (frames >= this.#restDue) this.#rest(frames);
      }
      const isDue = this.#extended - this.#passedOn >= PIECE_FRAMES * FRAME_SAMPLES;
      if (isDue) this.#passOn(this.#extended);
    }
  }

  resume({ frames, endpointer, voice }: ListenerState, fromSample: number): void {
    this.#taken = fromSample;
    this.#seen = frames * FRAME_SAMPLES;
    this.#endpointer.resume(frames, endpointer);
    this.#activity.state = voice;
    this.#restDue = frames + REST_EVERY_FRAMES;
  }

  conclude(): void {
    this.#endpointer.conclude();
  }

  finish(): void {
    this.#endpointer.finish(this.#taken / FRAME_SAMPLES);
  }

  close(): void {
    this.#activity.close();
  }

  #end(at: number, isCut: boolean): void {
    const limit = at * FRAME_SAMPLES;
    if (limit > this.#passedOn) this.#passOn(limit);
    this.#extended = limit;
    this.#give({ kind: 'endpoint', atMs: at * FRAME_MS, ...(isCut && { isCut }) });
    // The next frame seen yields a resume point.
    if (this.#restDue < Infinity) this.#restDue = 0;
  }

  #rest(frames: number): void {
    const endpointer = this.#endpointer.state;
    if (endpointer === undefined) return;
    const listener = { frames, endpointer, voice: this.#activity.state };
    this.#give({ kind: 'rest', atMs: frames * FRAME_MS, listener });
    this.#restDue = frames + REST_EVERY_FRAMES;
  }

  /** Passes on a copy of the audio up to a position. */
  #passOn(limit: number): void {
    const samples = new Int16Array(limit - this.#passedOn);
    const at = this.#passedOn % RING_SAMPLES;
    const first = Math.min(samples.length, RING_SAMPLES - at);
    samples.set(this.#ring.subarray(at, at + first));
    samples.set(this.#ring.subarray(0, samples.length - first), first);
    const startMs = this.#passedOn / SAMPLES_PER_MS;
    this.#give({ kind: 'samples', samples: new Uint8Array(samples.buffer), startMs });
    this.#passedOn = limit;
  }
}

// Voice activity detection by WebRTC's detector (fvad), which needs no model and takes 10 µs a frame.

/** Voice activity detector of one stream. */
interface VoiceActivity {
  /** Whether the frame that begins at an index is speech; frames must be passed in order. */
  isVoice(samples: Int16Array, index: number): boolean;
  /** Mean square of the samples of the last frame. */
  readonly power: number;
  /** Learnt state in base64; can be set to that of another detector. */
  state: string;
  /** Frees memory; the detector must not be used afterwards. */
  close(): void;
}

/** Second strictest mode: does not take steady noise for speech, and still hears speech at -30 dB. */
const MODE = 2;

/** Used part of the module; addresses are byte offsets into its memory. */
interface FvadModule {
  /** Replaced whenever the memory grows. */
  readonly HEAP16: Int16Array;
  readonly HEAPU8: Uint8Array;
  _malloc(sizeBytes: number): number;
  /** Returns 0 when out of memory. */
  _fvad_new(): number;
  _fvad_free(detector: number): void;
  _fvad_set_sample_rate(detector: number, sampleRateHz: number): number;
  _fvad_set_mode(detector: number, mode: number): number;
  /** Returns 1 for voice, 0 for none, -1 for a frame that is not 10, 20 or 30 ms long. */
  _fvad_process(detector: number, frame: number, samples: number): number;
}

/** The package has no type declarations. */
const PACKAGE: string = '@echogarden/fvad-wasm';
const { default: loadFvad } = (await import(PACKAGE)) as { default: () => Promise<FvadModule> };
/** Size of the learnt state; sample rate and frame settings follow it in memory and are set separately. */
const STATE_BYTES = 732;
/** One module and one frame buffer for all streams, as each frame is processed synchronously. */
const fvad = await loadFvad();
const frame = fvad._malloc(FRAME_SAMPLES * 2);

/** @throws Error without memory for another detector */
function createVoiceActivity(): VoiceActivity {
  const detector = fvad._fvad_new();
  if (detector === 0) throw new Error('There is no memory for another voice activity detector');
  fvad._fvad_set_sample_rate(detector, RECOGNITION_RATE_HZ);
  fvad._fvad_set_mode(detector, MODE);
  let power = 0;
  return {
    isVoice(samples, index) {
      const { HEAP16: memory } = fvad;
      const base = frame / 2;
      let sum = 0;
      // One pass copies and sums, and allocates no temporary view.
      for (let at = 0; at < FRAME_SAMPLES; at += 1) {
        const sample = samples[index + at] ?? 0;
        memory[base + at] = sample;
        sum += sample * sample;
      }
      power = sum / FRAME_SAMPLES;
      return fvad._fvad_process(detector, frame, FRAME_SAMPLES) === 1;
    },
    get power() {
      return power;
    },
    get state() {
      const learnt = fvad.HEAPU8.subarray(detector, detector + STATE_BYTES);
      return Buffer.from(learnt).toString('base64');
    },
    set state(state) {
      const learnt = Buffer.from(state, 'base64');
      if (learnt.length === STATE_BYTES) fvad.HEAPU8.set(learnt, detector);
    },
    close: () => fvad._fvad_free(detector),
  };
}
