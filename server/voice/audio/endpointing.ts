/**
 * Where utterances begin and end, decided frame by frame from what the voice activity detector says.
 * Frames are counted on the stream clock, so nothing depends on when or in which pieces audio comes.
 */

import type { SpeechPiece } from '../../engines/engine.ts';

/** Rate of the samples between decoding and recognition, as `engines/engine.ts` promises them. */
export const RECOGNITION_RATE_HZ = 16_000;

/** The detector takes frames of 10, 20 or 30 ms. */
export const FRAME_MS = 20;

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

/** Nobody is speaking at `atMs` of the stream: from there another listener could go on. */
export interface RestMark {
  kind: 'rest';
  atMs: number;
  listener: ListenerState;
}

/** What a listener goes by: with it, and the audio around it, another one hears the same. */
export interface ListenerState {
  /** Frames seen. */
  frames: number;
  endpointer: EndpointerState;
  /** Of the voice activity detector, in base64. */
  voice: string;
}

/** What the gateway has heard of a stream: speech for recognisers, and marks that they do not see. */
export type HeardPiece = SpeechPiece | SilenceMark;

/** Where utterances end. */
export interface Endpointing {
  /** Silence that ends an utterance, in ms. */
  silenceMs: number;
  /** Speech without such a silence is cut, between two words, after about this long, in ms. */
  longestMs: number;
}

const frames = (ms: number): number => Math.round(ms / FRAME_MS);

/**
 * Speech begins when nearly all of this long is voice: noise of 90 ms is no longer than 160 ms to the
 * detector, which drags on, and the shortest word is longer.
 */
const ONSET = frames(220);
const ONSET_VOICED = frames(200);
/** In an utterance, and where one was cut, this much voice goes on with it; a click is shorter. */
const RESUME = frames(120);
/** Audio from before the first voiced frame: the beginning of a word can be as soft as silence. */
const PRE_ROLL = frames(400);
/** The detector says voice for so long after it has ended. */
const DRAG = frames(100);
/** An utterance that must end is passed on so much later: the room to find the place of the cut. */
const DELAY = frames(300);
/** A place to cut is looked for during so long, more and more easily pleased. */
const SEARCH = frames(3_000);
/** Length of a dip worth a cut: at first that of a breath, at last that of a gap between words. */
const LONG_DIP = frames(140);
const SHORT_DIP = frames(60);
/** Power of a dip ÷ that of the speech: 20 dB below at first, 10 dB at last. */
const DEEP = 0.01;
const SHALLOW = 0.1;
/** The power of the speech is a mean over about so long. */
const POWER_MEMORY = frames(1_000);

/** Frames the endpointer looks back on, at most; a power of two. */
export const LOOK_BACK = 64;
const SLOT = LOOK_BACK - 1;

/** What an {@link Endpointer} knows between utterances, in frames. */
export interface EndpointerState {
  powers: number[];
  voices: number;
  run: number;
  end: number;
  spokenUntil?: number;
  continuedUntil: number;
  marks: number;
}

/** What there is to do after a frame. Places are between frames: 0 is the start of the stream. */
export interface EndpointingEvents {
  /** Speech has begun; its first audio was at `from`. */
  begin(from: number): void;
  /** Audio up to `until` belongs to the utterance. */
  extend(until: number): void;
  /** The utterance ends at `at`; `isCut` when it was too long, and speech goes on. */
  end(at: number, isCut: boolean): void;
  /** Silence has lasted for another {@link EndpointerOptions.markMs}, or speech was said to be over. */
  silence(until: number): void;
}

export interface EndpointerOptions extends Endpointing {
  /** How often silence after speech is reported, in ms. */
  markMs: number;
}

export class Endpointer {
  readonly #events: EndpointingEvents;
  readonly #silence: number;
  readonly #longest: number;
  readonly #mark: number;
  /** Power of the latest frames. */
  readonly #powers = new Float64Array(LOOK_BACK);
  /** Frames seen. */
  #count = 0;
  /** Voice in the latest frames, the last one in the lowest bit. */
  #voices = 0;
  /** Voiced frames in a row up to now. */
  #run = 0;
  /** Frames in a row that are voiceless or hardly heard. */
  #dip = 0;
  /** First frame of the utterance; undefined between utterances. */
  #from: number | undefined;
  /** Up to where its audio was passed on. */
  #extended = 0;
  /** Where the last utterance ended. */
  #end = 0;
  /** Where the last speech ended, undefined before any. */
  #spokenUntil: number | undefined;
  /** Until then what begins continues what was cut. */
  #continuedUntil = 0;
  #marks = 0;
  /** Mean power of the speech of the utterance. */
  #power = 0;

  constructor({ silenceMs, longestMs, markMs }: EndpointerOptions, events: EndpointingEvents) {
    this.#events = events;
    // Below that, the gap before a "t" would end utterances.
    this.#silence = Math.max(frames(silenceMs), RESUME);
    this.#longest = Math.max(frames(longestMs), ONSET);
    this.#mark = frames(markMs);
  }

  /** To go on elsewhere with the next frame; undefined within an utterance. */
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

  /** Goes on where another was after so many frames. */
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

  /** Takes the next frame: whether it is voice, and its mean square. */
  accept(isVoice: boolean, power: number): void {
    this.#powers[this.#count & SLOT] = power;
    this.#count += 1;
    this.#voices = ((this.#voices << 1) | (isVoice ? 1 : 0)) & ((1 << ONSET) - 1);
    this.#run = isVoice ? this.#run + 1 : 0;
    if (this.#from === undefined) this.#wait();
    if (this.#from !== undefined) this.#follow(this.#from, isVoice, power);
  }

  /** Whoever sends the audio says that an utterance ends here, or that none goes on. */
  conclude(): void {
    if (this.#from === undefined && this.#run >= RESUME) this.#begin();
    if (this.#from !== undefined) {
      this.#extend(this.#count);
      this.#close(this.#count);
      // What was voice has been passed on; what has only just begun may still be speech.
      this.#voices = 0;
      this.#run = 0;
    }
    this.#events.silence(this.#count);
  }

  /** The stream is over; `length` is where its last, unfinished frame ends. */
  finish(length: number): void {
    if (this.#from === undefined && this.#run >= RESUME) this.#begin();
    if (this.#from === undefined) return;
    this.#extend(length);
    this.#close(length);
  }

  /** Between utterances. */
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

  /** Within an utterance. */
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

  /** Ends the utterance at the quietest place from a frame on. */
  #cut(earliest: number): void {
    const at = this.#quietest(Math.max(earliest, this.#extended));
    this.#extend(at);
    this.#close(at, true);
    this.#continuedUntil = this.#count + this.#silence;
    // What was voice before the cut has been passed on.
    const since = this.#count - at;
    if (since < ONSET) this.#voices &= (1 << since) - 1;
    this.#run = Math.min(this.#run, since);
  }

  /** The place in the middle of the quietest three frames. */
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

/** From `first` to `last` as a share goes from 0 to 1. */
function blend(first: number, last: number, share: number): number {
  return first + (last - first) * Math.min(Math.max(share, 0), 1);
}
