/** Splits an utterance into windows of audio, each from its first word to the pause after its last. */
import { InferenceSession, Tensor } from 'onnxruntime-node';
import { RECOGNITION_RATE_HZ } from '../engine.ts';

// Voice activity detection with Silero's model, which tells speech from noise, music and clatter.

/** Samples judged at a time: 32 ms. */
const VAD_FRAME_SAMPLES = 512;
/** Samples before the frame that the model receives as well. */
const CONTEXT_SAMPLES = 64;
const STATE_SIZE = 128;

/** Judges the frames of one stream, in order. */
interface VoiceDetector {
  /** Returns the probability that a frame of {@link VAD_FRAME_SAMPLES} is speech, from 0 to 1. */
  judge(frame: Float32Array): Promise<number>;
}

export interface SileroVad {
  /** Opens a detector with fresh state. */
  open(): VoiceDetector;
}

/** Loads the model; throws Error when that fails. */
export async function loadSileroVad(file: string): Promise<SileroVad> {
  const session = await InferenceSession.create(file, {
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    enableCpuMemArena: false,
  });
  const rate = new Tensor('int64', BigInt64Array.of(BigInt(RECOGNITION_RATE_HZ)), []);
  return {
    open() {
      let state = new Tensor('float32', new Float32Array(2 * STATE_SIZE), [2, 1, STATE_SIZE]);
      const window = new Float32Array(CONTEXT_SAMPLES + VAD_FRAME_SAMPLES);
      const input = new Tensor('float32', window, [1, window.length]);
      return {
        async judge(frame) {
          window.copyWithin(0, VAD_FRAME_SAMPLES);
          window.set(frame, CONTEXT_SAMPLES);
          const { output, stateN } = await session.run({ input, state, sr: rate });
          if (output === undefined || stateN === undefined) throw new Error('it answers nothing.');
          state = stateN as typeof state;
          return Number(output.data[0]);
        },
      };
    },
  };
}

// From frame probabilities to windows.

const FRAME_MS = (VAD_FRAME_SAMPLES / RECOGNITION_RATE_HZ) * 1000;
const framesIn = (ms: number): number => Math.round(ms / FRAME_MS);

/** Probabilities at which speech begins, and below which it has ended. */
const VOICED = 0.4;
const UNVOICED = 0.3;
/**
 * Peak that the detector needs to hear the first words of soft speech, and the most by which audio is
 * amplified for it.
 */
const LOUD = 0.25;
const MOST_GAIN = 16;
/** Audio kept before and after speech; without it the first and last words are misheard. */
const LEAD = framesIn(480);
const TAIL = framesIn(320);
/** Silence after a word that the detector still counts as speech. */
const HANGOVER = framesIn(96);
/** Silence that may still occur within a word. */
const WITHIN_WORD = framesIn(160);
/** Minimum speech in a window; less is a click or a cough. */
const LEAST_SPEECH = framesIn(160);
/** From LONG on, a window ends at a breath; at LONGEST it is cut at its quietest place. */
const LONG = framesIn(8_000);
const LONGEST = framesIn(12_000);
const BREATH = framesIn(200);
/** Part of the window, counted from its end, that is searched for the quietest place. */
const SEARCH = framesIn(3_000);

/** A stretch of an utterance that is decoded as a whole; positions in samples of the utterance. */
export interface AudioWindow {
  readonly from: number;
  /** Current length, in samples. */
  readonly length: number;
  /** Whether the window is complete. */
  readonly isClosed: boolean;
  /** Whether it ended although speech continues. */
  readonly isCut: boolean;
  /** Its length if no more speech follows; undefined while the pause is too short to tell. */
  readonly ending: number | undefined;
  /** Whether the audio up to `count` ends in silence, beyond any silence within a word. */
  pausesAt(count: number): boolean;
  /** Whether it contains enough speech for words. */
  readonly hasSpeech: boolean;
  /** Its first `count` samples, from -1 to 1; a view. */
  samples(count: number): Float32Array;
  /** Its voiced frames, counted from its beginning; used to time words. */
  speechFrames(): readonly number[];
}

interface OpenWindow {
  /** In frames of the utterance. */
  from: number;
  until: number | undefined;
  isCut: boolean;
  /** Indices of voiced frames. */
  voiced: number[];
  /** Index after the last voiced frame. */
  spokenUntil: number;
}

export class SpeechTrack {
  readonly #detector: VoiceDetector;
  readonly #pause: number;
  #audio = new Float32Array(4 * RECOGNITION_RATE_HZ);
  #audioLength = 0;
  /** Largest absolute sample judged so far. */
  #peak = 0;
  /** Probability of speech for each frame. */
  readonly #likelihoods: number[] = [];
  readonly #windows: OpenWindow[] = [];
  /** End of the last closed window, in frames. */
  #windowedUntil = 0;
  #hasEnded = false;

  constructor({ detector, pauseMs }: { detector: VoiceDetector; pauseMs: number }) {
    this.#detector = detector;
    this.#pause = Math.max(framesIn(pauseMs) - HANGOVER, TAIL);
  }

  /** The first window not yet heard; either still growing or closed. */
  get window(): AudioWindow | undefined {
    const [window] = this.#windows;
    return window && this.#views.get(window);
  }

  readonly #views = new Map<OpenWindow, AudioWindow>();

  /** Removes the first window after it has been heard. */
  shift(): void {
    const window = this.#windows.shift();
    if (window !== undefined) this.#views.delete(window);
  }

  /** Takes in s16le samples. */
  async append(audio: Buffer): Promise<void> {
    this.#take(audio);
    while ((this.#likelihoods.length + 1) * VAD_FRAME_SAMPLES <= this.#audioLength) {
      const at = this.#likelihoods.length * VAD_FRAME_SAMPLES;
      const frame = this.#audio.subarray(at, at + VAD_FRAME_SAMPLES);
      this.#follow(await this.#detector.judge(this.#raised(frame)));
    }
  }

  /** Returns a frame as loud as the detector needs it, by the loudest sample of the utterance so far. */
  #raised(frame: Float32Array): Float32Array {
    for (const sample of frame) this.#peak = Math.max(this.#peak, Math.abs(sample));
    if (this.#peak >= LOUD) return frame;
    const gain = LOUD / Math.max(this.#peak, LOUD / MOST_GAIN);
    return frame.map((sample) => sample * gain);
  }

  /** Marks the utterance as complete. @param isCut whether speech continues nevertheless */
  end(isCut: boolean): void {
    this.#hasEnded = true;
    const last = this.#windows.at(-1);
    if (last === undefined || last.until !== undefined) return;
    const end = this.#likelihoods.length;
    const isSpeaking = end - last.spokenUntil < BREATH;
    this.#close(last, Math.min(last.spokenUntil + TAIL, end), { isCut: isCut && isSpeaking });
  }

  #take(audio: Buffer): void {
    const count = audio.byteLength >> 1;
    if (this.#audioLength + count > this.#audio.length) {
      const longer = new Float32Array(Math.max(2 * this.#audio.length, this.#audioLength + count));
      longer.set(this.#audio.subarray(0, this.#audioLength));
      this.#audio = longer;
    }
    for (let index = 0; index < count; index += 1) {
      this.#audio[this.#audioLength + index] = audio.readInt16LE(index * 2) / 32_768;
    }
    this.#audioLength += count;
  }

  #follow(likelihood: number): void {
    const frame = this.#likelihoods.length;
    this.#likelihoods.push(likelihood);
    const last = this.#windows.at(-1);
    const window = last?.until === undefined ? last : undefined;
    if (window === undefined) {
      if (likelihood >= VOICED) this.#open(Math.max(frame - LEAD, this.#windowedUntil), frame);
      return;
    }
    const silence = frame - window.spokenUntil;
    const length = frame + 1 - window.from;
    if (likelihood < UNVOICED) {
      const isPause = silence + 1 >= this.#pause;
      if (isPause) this.#close(window, window.spokenUntil + TAIL);
      return;
    }
    // Only now is the silence known to be a breath rather than the pause after a sentence.
    if (length >= LONG && silence >= BREATH) {
      const until = window.spokenUntil + Math.max(BREATH, Math.min(TAIL, silence >> 1));
      this.#close(window, until, { isCut: true });
      this.#open(Math.max(frame - LEAD, until), frame);
      return;
    }
    window.voiced.push(frame);
    window.spokenUntil = frame + 1;
    if (length >= LONGEST) this.#cut(window);
  }

  #open(from: number, frame: number): void {
    const window: OpenWindow = {
      from,
      until: undefined,
      isCut: false,
      voiced: [frame],
      spokenUntil: frame + 1,
    };
    this.#windows.push(window);
    this.#views.set(window, this.#view(window));
  }

  #close(window: OpenWindow, until: number, { isCut = false } = {}): void {
    window.until = until;
    window.isCut = isCut;
    this.#windowedUntil = until;
  }

  /** Ends a window at its quietest place; the next window begins there. */
  #cut(window: OpenWindow): void {
    const end = this.#likelihoods.length;
    let place = end - 1;
    for (let frame = end - SEARCH; frame < end; frame += 1) {
      if ((this.#likelihoods[frame] ?? 1) <= (this.#likelihoods[place] ?? 1)) place = frame;
    }
    const later = window.voiced.filter((frame) => frame >= place);
    window.voiced = window.voiced.filter((frame) => frame < place);
    this.#close(window, place, { isCut: true });
    const [first] = later;
    if (first === undefined) return;
    this.#open(place, first);
    const next = this.#windows.at(-1);
    if (next === undefined) return;
    next.voiced = later;
    next.spokenUntil = (later.at(-1) ?? first) + 1;
  }

  #view(window: OpenWindow): AudioWindow {
    const end = () =>
      window.until ?? (this.#hasEnded ? window.spokenUntil : this.#likelihoods.length);
    const from = window.from * VAD_FRAME_SAMPLES;
    const audio = () => this.#audio;
    return {
      from,
      get length() {
        return end() * VAD_FRAME_SAMPLES - from;
      },
      get isClosed() {
        return window.until !== undefined;
      },
      get isCut() {
        return window.isCut;
      },
      get ending() {
        const until = window.until ?? window.spokenUntil + TAIL;
        return until <= end() ? until * VAD_FRAME_SAMPLES - from : undefined;
      },
      get hasSpeech() {
        return window.voiced.length >= LEAST_SPEECH;
      },
      pausesAt(count) {
        const frame = window.from + Math.floor(count / VAD_FRAME_SAMPLES);
        const spoken = window.voiced.findLast((voiced) => voiced < frame) ?? window.from;
        return frame - spoken > WITHIN_WORD;
      },
      samples: (count) => audio().subarray(from, from + count),
      speechFrames: () => window.voiced.map((frame) => frame - window.from),
    };
  }
}

/** Length of a frame, in ms. */
export { FRAME_MS as TRACK_FRAME_MS };
