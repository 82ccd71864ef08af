/**
 * Endpointing: decides where utterances begin and end, frame by frame, from the voice activity detector.
 * Frames are counted on the stream clock, so timing and chunking of the audio have no influence.
 */

import type { SpeechPiece } from '../../engines/engine.ts';

/** Sample rate between decoding and recognition, as `engines/engine.ts` defines it. */
export const RECOGNITION_RATE_HZ = 16_000;
export const SAMPLES_PER_MS = RECOGNITION_RATE_HZ / 1000;

/** Length of a frame, in ms; the detector accepts 10, 20 or 30. */
export const FRAME_MS = 20;

/**
 * Silence after which a mark is due, in ms from the end of speech: a speaker who pauses this long has
 * finished the sentence.
 */
export const SILENCE_MARK_MS = 1_500;

/**
 * Silence since the last endpoint, up to `atMs` of the stream. Repeated while the silence lasts, and
 * determined by stream positions alone, so that the same audio always yields the same marks.
 */
interface SilenceMark {
  kind: 'silence';
  atMs: number;
}

/** A point without speech, at `atMs` of the stream, from which another server's listener could continue. */
export interface RestMark {
  kind: 'rest';
  atMs: number;
  listener: ListenerState;
}

/** State of a listener; with it and the surrounding audio, another listener finds the same utterances. */
export interface ListenerState {
  /** Number of frames seen. */
  frames: number;
  endpointer: EndpointerState;
  /** State of the voice activity detector, in base64. */
  voice: string;
}

/** Output of the listener: speech for recognisers, and silence marks, which they do not see. */
export type HeardPiece = SpeechPiece | SilenceMark;

/** Rules that end utterances. */
export interface Endpointing {
  /** Silence that ends an utterance, in ms. */
  silenceMs: number;
  /** Length at which speech without such a silence is cut between two words, in ms (approximate). */
  longestMs: number;
}

const frames = (ms: number): number => Math.round(ms / FRAME_MS);

/**
 * Window at whose end speech begins, and how much of it must be voiced. The detector lags: it reports
 * noise of 90 ms as at most 160 ms of voice; the shortest word is longer.
 */
const ONSET = frames(220);
const ONSET_VOICED = frames(200);
/** Voice that continues an utterance, or one that was just cut; clicks are shorter. */
const RESUME = frames(120);
/** Audio to keep from before the first voiced frame: a word can begin as softly as silence. */
const PRE_ROLL = frames(400);
/** How long the detector still reports voice after speech has ended. */
const DRAG = frames(100);
/** Delay in passing on an utterance that must be cut, to leave room for finding the cut. */
const DELAY = frames(300);
/** How long to search for a place to cut, with falling demands. */
const SEARCH = frames(3_000);
/** Length of a dip that is worth a cut: at first that of a breath, at last that of a gap between words. */
const LONG_DIP = frames(140);
const SHORT_DIP = frames(60);
/** Power of a dip relative to speech: at first 20 dB below, at last 10 dB. */
const DEEP = 0.01;
const SHALLOW = 0.1;
/** Averaging time of the speech power. */
const POWER_MEMORY = frames(1_000);

/** Most frames the endpointer looks back on; must be a power of two. */
export const LOOK_BACK = 64;
const SLOT = LOOK_BACK - 1;

/** State of an {@link Endpointer} between utterances, in frames. */
export interface EndpointerState {
  powers: number[];
  voices: number;
  run: number;
  end: number;
  spokenUntil?: number;
  continuedUntil: number;
  marks: number;
}

/** Results of a frame. Positions lie between frames: 0 is the start of the stream. */
export interface EndpointingEvents {
  /** Speech has begun; its first audio is at `from`. */
  begin(from: number): void;
  /** Audio up to `until` belongs to the utterance. */
  extend(until: number): void;
  /** The utterance ends at `at`; `isCut` when it was too long and speech continues. */
  end(at: number, isCut: boolean): void;
  /** Another {@link EndpointerOptions.markMs} of silence, or the sender has ended the utterance. */
  silence(until: number): void;
}

export interface EndpointerOptions extends Endpointing {
  /** Interval at which silence after speech is reported, in ms. */
  markMs: number;
}

export class Endpointer {
  readonly #events: EndpointingEvents;
  readonly #silence: number;
  readonly #longest: number;
  readonly #mark: number;
  /** Power of the latest frames. */
  readonly #powers = new Float64Array(LOOK_BACK);
  /** Number of frames seen. */
  #count = 0;
  /** Voice flags of the latest frames; the last frame is the lowest bit. */
  #voices = 0;
  /** Number of consecutive voiced frames up to now. */
  #run = 0;
  /** Number of consecutive unvoiced or quiet frames. */
  #dip = 0;
  /** First frame of the utterance; undefined between utterances. */
  #from: number | undefined;
  /** Position up to which the utterance has been passed on. */
  #extended = 0;
  /** End of the last utterance. */
  #end = 0;
  /** End of the last speech; undefined before any. */
  #spokenUntil: number | undefined;
  /** Position until which new speech continues an utterance that was cut. */
  #continuedUntil = 0;
  #marks = 0;
  /** Mean power of the speech in the utterance. */
  #power = 0;

  constructor({ silenceMs, longestMs, markMs }: EndpointerOptions, events: EndpointingEvents) {
    this.#events = events;
    // A shorter silence, such as the gap before a "t", would end utterances.
    this.#silence = Math.max(frames(silenceMs), RESUME);
    this.#longest = Math.max(frames(longestMs), ONSET);
    this.#mark = frames(markMs);
  }

  /** State from which another endpointer can continue with the next frame; undefined within an utterance. */
  get state(): EndpointerState | undefined {
    if (this.#from !== undefined) return undefined;
    const spokenUntil = this.#spokenUntil;
    return {
      powers: [...this.#powers],
      voices: this.#voices,
      run: this.#run,
      end: this.#end,
      ...(spokenUntil !== undefined && { spokenUntil }),
      continuedUntil: this.#continuedUntil,
      marks: this.#marks,
    };
  }

  /** Continues from a state after this many frames. */
  resume(frames: number, state: EndpointerState): void {
    this.#powers.set(state.powers);
    this.#count = frames;
    this.#voices = state.voices;
    this.#run = state.run;
    this.#end = state.end;
    this.#spokenUntil = state.spokenUntil;
    this.#continuedUntil = state.continuedUntil;
    this.#marks = state.marks;
  }

  /** Takes the next frame: whether it is voiced, and its mean square. */
  accept(isVoice: boolean, power: number): void {
    this.#powers[this.#count & SLOT] = power;
    this.#count += 1;
    this.#voices = ((this.#voices << 1) | (isVoice ? 1 : 0)) & ((1 << ONSET) - 1);
    this.#run = isVoice ? this.#run + 1 : 0;
    if (this.#from === undefined) this.#wait();
    if (this.#from !== undefined) this.#follow(this.#from, isVoice, power);
  }

  /** Ends the current utterance, if any, on request of the sender. */
  conclude(): void {
    if (this.#from === undefined && this.#run >= RESUME) this.#begin();
    if (this.#from !== undefined) {
      this.#extend(this.#count);
      this.#close(this.#count);
      // The voiced part has been passed on; what is only just beginning may still be speech.
      this.#voices = 0;
      this.#run = 0;
    }
    this.#events.silence(this.#count);
  }

  /** Ends the stream; `length` is the end of its last, incomplete frame. */
  finish(length: number): void {
    if (this.#from === undefined && this.#run >= RESUME) this.#begin();
    if (this.#from === undefined) return;
    this.#extend(length);
    this.#close(length);
  }

  /** Handles a frame between utterances. */
  #wait(): void {
    const needed = this.#count <= this.#continuedUntil ? RESUME : ONSET_VOICED;
    const voiced = this.#count <= this.#continuedUntil ? this.#run : bits(this.#voices);
    if (voiced >= needed) this.#begin();
    else if (this.#voices === 0) this.#markSilence();
  }

  #begin(): void {
    const first = this.#count - (32 - Math.clz32(this.#voices));
    this.#from = Math.max(first - PRE_ROLL, this.#end, this.#count - LOOK_BACK, 0);
    this.#spokenUntil = this.#count;
    this.#marks = 0;
    this.#dip = 0;
    this.#power = 0;
    for (let frame = first; frame < this.#count; frame += 1) this.#learnPower(this.#powerAt(frame));
    this.#extended = this.#from;
    this.#events.begin(this.#from);
  }

  /** Handles a frame within an utterance. */
  #follow(from: number, isVoice: boolean, power: number): void {
    if (this.#run >= RESUME) this.#spokenUntil = this.#count;
    if (isVoice) this.#learnPower(power);
    const overdue = this.#count - from - this.#longest;
    const level = this.#power * blend(DEEP, SHALLOW, overdue / SEARCH);
    this.#dip = isVoice && power > level ? 0 : this.#dip + 1;

    const silence = this.#count - ((this.#spokenUntil ?? from) - DRAG);
    if (silence >= this.#silence && this.#run === 0) {
      this.#extend(this.#count);
      this.#close(this.#count);
    } else if (overdue < 0) {
      this.#extend(this.#count);
    } else if (overdue >= SEARCH) {
      this.#cut(this.#count - DELAY);
    } else if (this.#dip >= blend(LONG_DIP, SHORT_DIP, overdue / SEARCH)) {
      this.#cut(this.#count - Math.min(this.#dip, DELAY));
    } else {
      this.#extend(this.#count - DELAY);
    }
  }

  #extend(until: number): void {
    if (until <= this.#extended) return;
    this.#extended = until;
    this.#events.extend(until);
  }

  #close(at: number, isCut = false): void {
    this.#from = undefined;
    this.#end = at;
    this.#events.end(at, isCut);
  }

  /** Ends the utterance at the quietest position from a frame on. */
  #cut(earliest: number): void {
    const at = this.#quietest(Math.max(earliest, this.#extended));
    this.#extend(at);
    this.#close(at, true);
    this.#continuedUntil = this.#count + this.#silence;
    // The voiced part before the cut has been passed on.
    const since = this.#count - at;
    if (since < ONSET) this.#voices &= (1 << since) - 1;
    this.#run = Math.min(this.#run, since);
  }

  /** Returns the position in the middle of the quietest three frames. */
  #quietest(earliest: number): number {
    let place = earliest;
    let least = Infinity;
    for (let frame = earliest + 1; frame < this.#count - 1; frame += 1) {
      const sum = this.#powerAt(frame - 1) + this.#powerAt(frame) + this.#powerAt(frame + 1);
      if (sum < least) {
        least = sum;
        place = frame;
      }
    }
    return place;
  }

  #markSilence(): void {
    if (this.#spokenUntil === undefined) return;
    const silence = this.#count - (this.#spokenUntil - DRAG);
    if (silence < (this.#marks + 1) * this.#mark) return;
    this.#marks = Math.floor(silence / this.#mark);
    this.#events.silence(this.#count);
  }

  #learnPower(power: number): void {
    this.#power += (power - this.#power) / (this.#power === 0 ? 1 : POWER_MEMORY);
  }

  #powerAt(frame: number): number {
    return this.#powers[frame & SLOT] ?? 0;
  }
}

function bits(word: number): number {
  let count = 0;
  for (let left = word; left !== 0; left &= left - 1) count += 1;
  return count;
}

/** Interpolates from `first` to `last` as `share` goes from 0 to 1. */
function blend(first: number, last: number, share: number): number {
  return first + (last - first) * Math.min(Math.max(share, 0), 1);
}
