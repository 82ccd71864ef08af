/**
 * Hears the utterances of a stream with a decoder that has an endpointing of its own.
 *
 * Where an utterance ends we are told. Within it the decoder finds parts: it leaves out pauses of
 * half a second and more, and its times are right only from one pause to the next. The words of all
 * parts make up the final.
 *
 * One thing makes PocketSphinx good: that it knows the mean of its features (the microphone, the
 * line, the room). It comes with a mean of its own and learns only when an utterance ends; until
 * then telephone speech is heard wrong in two words of three. So we end the first part early, after
 * a second, and again after a few, and let the decoder hear it anew from its start. Going back is
 * also how an utterance without end is cut between two words, for memory has one: what follows the
 * cut is heard again as the next utterance.
 */
import type { Recognition, Word } from '../engine.ts';
import { AudioHistory } from './audio-history.ts';
import { FRAME_MS, type SphinxDecoder } from './pocketsphinx-library.ts';
import { cutPoint, spokenWords, type TermWords } from './segments.ts';

export const SAMPLE_RATE_HZ = 16_000;
const SAMPLES_PER_MS = SAMPLE_RATE_HZ / 1000;
export const BYTES_PER_SAMPLE = 2;
const SAMPLES_PER_FRAME = FRAME_MS * SAMPLES_PER_MS;

/** Always the same block, so that the result does not depend on the pieces audio arrives in. */
const BLOCK = 50 * SAMPLES_PER_MS;
/** A look at the hypothesis every so many blocks: ten a second. */
const BLOCKS_PER_LOOK = 2;
/** A sign of life every quarter of a second of audio: on a busy machine that may be seconds. */
const BLOCKS_PER_BREATH = 5;
/** The detector notices speech up to 0.3 s after it begins: 0.2 s it looks back, 0.1 s it makes sure. */
const LOOK_BACK = 500 * SAMPLES_PER_MS;
/** Room for a second of audio beyond the longest utterance and what is looked back. */
const SLACK = 1500 * SAMPLES_PER_MS;
/** A cut is looked for in the last third; the last words are too fresh to be trusted. */
const CUT_ZONE = 2 / 3;
const UNSURE_MS = 500;

export interface UtteranceDecoderOptions {
  decoder: SphinxDecoder;
  /** Length after which an utterance is cut, in ms. */
  maxUtteranceMs: number;
  /** Amounts of speech after which the decoder learns its mean anew, in ms, ascending. */
  learnAfterMs: readonly number[];
  /** What names of the dictionary stand for that are not words. */
  terms?: TermWords;
  report: (recognition: Recognition) => void;
  /** Called now and then during long work, to tell that it goes on. */
  breathe?: () => void;
}

export class UtteranceDecoder {
  readonly #decoder: SphinxDecoder;
  readonly #report: (recognition: Recognition) => void;
  readonly #breathe: () => void;
  readonly #maxUtterance: number;
  readonly #learnAfter: number[];
  readonly #history: AudioHistory;
  readonly #block = new Int16Array(BLOCK);
  readonly #blockBytes = new Uint8Array(this.#block.buffer);
  readonly #terms: TermWords;
  /** Positions in samples: the next to be heard, the furthest ever heard. */
  #next = 0;
  #furthest = 0;
  /** Where begins what no final has told, and where the part that is being heard. */
  #settled = 0;
  #partFrom = 0;
  /** Words of the parts that are over. */
  #partWords: Word[] = [];
  /** Samples the decoder was given in all: its clock, which goes on when we go back. */
  #fed = 0;
  /** Stream position minus the decoder's clock for the part under way. */
  #offset = 0;
  /** Where speech was noticed; undefined in silence. */
  #speechFrom: number | undefined;
  /** Speech heard for the first time, in samples. */
  #speech = 0;
  /** The partial that stands, if any. */
  #shown = '';
  /** Whether the part under way has come to its end once before. */
  #isSecondHearing = false;
  /** End of the last final: words never go back behind it. */
  #floorMs = 0;
  #blocks = 0;

  constructor(options: UtteranceDecoderOptions) {
    const { decoder, maxUtteranceMs, learnAfterMs } = options;
    this.#decoder = decoder;
    this.#report = options.report;
    this.#breathe = options.breathe ?? (() => {});
    this.#terms = options.terms ?? new Map();
    this.#maxUtterance = maxUtteranceMs * SAMPLES_PER_MS;
    this.#learnAfter = learnAfterMs.map((ms) => ms * SAMPLES_PER_MS);
    this.#history = new AudioHistory(
      (this.#maxUtterance + 2 * LOOK_BACK + SLACK) * BYTES_PER_SAMPLE,
    );
    decoder.startUtterance();
  }

  /** Position up to which audio was taken in, in samples. */
  get heard(): number {
    return this.#furthest;
  }

  /** Position before which nothing will be reported any more, in samples. */
  get settled(): number {
    return this.#settled;
  }

  /** Hears audio, s16le, in pieces of any length. */
  accept(bytes: Uint8Array): void {
    let offset = 0;
    while (offset < bytes.byteLength) {
      offset += this.#history.append(bytes, offset);
      this.#hearBlocks();
      this.#history.dropBefore(this.#partFrom * BYTES_PER_SAMPLE);
    }
  }

  /** Hears what is left of the audio and concludes the utterance: it is over. */
  endUtterance(): void {
    do {
      this.#hearBlocks();
      this.#hear(this.#readBlock());
    } while (!this.#endPart());
    this.#finish(this.#partWords, this.#next);
    // The next one may have been said much later: nothing of it belongs to this.
    this.#floorMs = Math.ceil(this.#next / SAMPLES_PER_MS);
  }

  #hearBlocks(): void {
    const end = this.#history.end;
    while (end - this.#next * BYTES_PER_SAMPLE >= this.#blockBytes.byteLength) {
      this.#hear(this.#readBlock());
      this.#attend();
    }
  }

  /** Copies the next samples into the block; returns how many there were. */
  #readBlock(): number {
    const bytes = this.#history.read(this.#next * BYTES_PER_SAMPLE, this.#blockBytes);
    return Math.floor(bytes / BYTES_PER_SAMPLE);
  }

  #hear(samples: number): void {
    if (samples === 0) return;
    this.#decoder.process(this.#block, samples);
    this.#fed += samples;
    this.#next += samples;
    if (this.#speechFrom !== undefined && this.#next > this.#furthest) this.#speech += samples;
    this.#furthest = Math.max(this.#furthest, this.#next);
    this.#blocks += 1;
    if (this.#blocks % BLOCKS_PER_BREATH === 0) this.#breathe();
  }

  /** After every block: has speech begun, gone on or paused? */
  #attend(): void {
    const isSpeech = this.#decoder.isSpeech();
    if (!isSpeech && this.#speechFrom !== undefined) {
      this.#endPart();
    } else if (!isSpeech) {
      this.#partFrom = Math.max(this.#partFrom, this.#next - LOOK_BACK);
      if (this.#partWords.length === 0) this.#settled = this.#partFrom;
      else if (this.#isTooLong()) this.#finish(this.#partWords, this.#partFrom);
      if (this.#isAbreast()) this.#giveUp();
    } else {
      this.#speechFrom ??= this.#next;
      if (this.#isLearningDue()) this.#learn();
      else if (this.#isTooLong()) this.#cut();
      else if (this.#blocks % BLOCKS_PER_LOOK === 0 && this.#isAbreast()) this.#show();
    }
  }

  #isTooLong(): boolean {
    return this.#next - this.#settled >= this.#maxUtterance;
  }

  /** Whether we are not hearing something a second time. */
  #isAbreast(): boolean {
    return this.#next === this.#furthest;
  }

  #isLearningDue(): boolean {
    return this.#speech >= (this.#learnAfter[0] ?? Infinity);
  }

  #learn(): void {
    while (this.#isLearningDue()) this.#learnAfter.shift();
    this.#decoder.endUtterance();
    this.#startAt(this.#partFrom);
  }

  /** Ends a part; returns false when it is heard again because the mean was still young. */
  #endPart(): boolean {
    this.#decoder.endUtterance();
    const isYoung = this.#learnAfter.length > 0 && this.#speechFrom !== undefined;
    if (isYoung && !this.#isSecondHearing) {
      this.#startAt(this.#partFrom);
      this.#isSecondHearing = true;
      return false;
    }
    const words = this.#words();
    this.#floorMs = words.at(-1)?.endMs ?? this.#floorMs;
    this.#partWords.push(...words);
    this.#isSecondHearing = false;
    this.#partFrom = this.#next;
    this.#startAt(this.#next);
    return true;
  }

  /** Ends an utterance that would go on, and hears what follows the cut again. */
  #cut(): void {
    this.#decoder.endUtterance();
    const words = [...this.#partWords, ...this.#words()];
    const earliest = this.#settled + CUT_ZONE * this.#maxUtterance;
    const cutMs =
      cutPoint(words, {
        earliestMs: Math.max(earliest, this.#partFrom) / SAMPLES_PER_MS,
        latestMs: this.#next / SAMPLES_PER_MS - UNSURE_MS,
      }) ?? this.#next / SAMPLES_PER_MS;
    this.#finish(
      words.filter(({ endMs }) => endMs <= cutMs),
      cutMs * SAMPLES_PER_MS,
    );
    this.#isSecondHearing = false;
    this.#startAt(this.#settled);
  }

  /** Reports the final and settles what lies before a position. */
  #finish(words: Word[], position: number): void {
    this.#settled = this.#partFrom = position;
    this.#partWords = [];
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined) this.#retract();
    else {
      const [startMs, endMs] = [first.startMs, last.endMs];
      this.#floorMs = endMs;
      this.#report({ kind: 'final', text: joined(words), startMs, endMs, words });
    }
    this.#shown = '';
  }

  #startAt(position: number): void {
    this.#next = position;
    this.#offset = position - this.#fed;
    this.#speechFrom = undefined;
    this.#decoder.startUtterance();
  }

  #show(): void {
    const words = [...this.#partWords, ...this.#words()];
    const text = joined(words);
    const [first, last] = [words[0], words.at(-1)];
    if (first === undefined || last === undefined || text === this.#shown) return;
    this.#shown = text;
    this.#report({ kind: 'partial', text, startMs: first.startMs, endMs: last.endMs });
  }

  /** What sounded like speech the first time was none the second time. */
  #giveUp(): void {
    if (this.#partWords.length === 0 && this.#shown !== '') this.#retract();
    this.#isSecondHearing = false;
  }

  /** Takes back partials: it was noise after all. A listener to whom none was shown ignores it. */
  #retract(): void {
    this.#shown = '';
    const nowMs = Math.floor(this.#next / SAMPLES_PER_MS);
    this.#report({ kind: 'partial', text: '', startMs: nowMs, endMs: nowMs });
  }

  /** The words of the hypothesis on the clock of the stream, in order and within what was heard. */
  #words(): Word[] {
    const ceilingMs = Math.floor(this.#next / SAMPLES_PER_MS);
    let floorMs = this.#floorMs;
    const onStream = (frame: number): number => {
      const ms = Math.round((frame * SAMPLES_PER_FRAME + this.#offset) / SAMPLES_PER_MS);
      return (floorMs = Math.min(Math.max(ms, floorMs), ceilingMs));
    };
    return spokenWords(
      this.#decoder.segments().map(({ text, startFrame, endFrame }) => ({
        text,
        startMs: onStream(startFrame),
        endMs: onStream(endFrame + 1),
      })),
      this.#terms,
    );
  }
}

function joined(words: readonly Word[]): string {
  return words.map(({ text }) => text).join(' ');
}
