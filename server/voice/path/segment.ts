/** Turns recognition events into captions: steadies growing text and splits final text into sentences. */
import {
  beginSentence,
  endsWithMark,
  finishUtterance,
  hangingPlace,
} from '../../text/sentence-finisher.ts';
import { sentenceEnds } from '../../text/sentences.ts';
import {
  captionUnits,
  joinSegments,
  leadingBlank,
  timedPieces,
  type CaptionMode,
  type CaptionSegment,
  type CaptionUpdate,
  type TimedText,
} from './captions.ts';
import { SILENCE_MARK_MS } from '../audio/endpointing.ts';
import type { HeardText, Pause, RestHeard } from './recognise.ts';
import { createRevisionMeter, createSteady } from './steady.ts';

export interface SegmentOptions {
  mode: CaptionMode;
  /** Called with each resume point, after the updates that precede it. */
  onRest?: ((rest: RestHeard, state: SegmentState) => void) | undefined;
  /** State in which another server stopped. */
  resumed?: SegmentState | undefined;
}

/** State of the segmenter between two utterances. */
export interface SegmentState {
  /** Number of segments so far, and of sentences. */
  segments: number;
  sentences: number;
  hold: HoldState;
  revisions: { revised: number; words: number };
}

/** Number of successive hypotheses that must agree on a word: usually, and amid many revisions. */
const USUAL = 2;
const CAUTIOUS = 3;

/**
 * Emits concluded segments for every utterance, one per sentence. Tentative text shows, depending on the
 * mode, every word at once, the words that two successive hypotheses agree on (three while the recogniser
 * revises much), or none. An update follows only when it changes what is shown or what is translated.
 */
export async function* segment(
  heard: AsyncIterable<HeardText | Pause | RestHeard>,
  options: SegmentOptions,
): AsyncGenerator<CaptionUpdate> {
  const segmenter = new Segmenter(options);
  for await (const event of heard) {
    if (event.kind === 'rest') {
      options.onRest?.(event, segmenter.state);
      continue;
    }
    const update = segmenter.take(event);
    if (update !== undefined) yield update;
  }
  const last = segmenter.end();
  if (last !== undefined) yield last;
}

type HeardPartial = Extract<HeardText, { kind: 'partial' }>;
type HeardFinal = Extract<HeardText, { kind: 'final' }>;

class Segmenter {
  readonly #mode: CaptionMode;
  readonly #steady = createSteady();
  readonly #hold = createSentenceJoiner();
  readonly #revisions = createRevisionMeter();
  readonly #isNumbering: boolean;
  #segments = 0;
  #sentences = 0;
  #tentative: CaptionSegment[] = [];

  constructor({ mode, resumed, onRest }: SegmentOptions) {
    this.#mode = mode;
    this.#isNumbering = onRest !== undefined;
    if (resumed === undefined) return;
    this.#segments = resumed.segments;
    this.#sentences = resumed.sentences;
    this.#hold.state = resumed.hold;
    this.#revisions.state = resumed.revisions;
  }

  get state(): SegmentState {
    return {
      segments: this.#segments,
      sentences: this.#sentences,
      hold: this.#hold.state,
      revisions: this.#revisions.state,
    };
  }

  get #isFirst(): boolean {
    return this.#segments === 0;
  }

  take(event: HeardText | Pause): CaptionUpdate | undefined {
    if (event.kind === 'partial') return this.#grow(event);
    if (event.kind === 'final') return this.#conclude(event);
    const whole = this.#hold.pause(event);
    return whole.length > 0 ? this.#update([], whole) : undefined;
  }

  /** Concludes what was still open when the stream ended. */
  end(): CaptionUpdate | undefined {
    const wasShown = this.#tentative.length > 0;
    this.#tentative = [];
    const whole = this.#hold.end();
    return wasShown || whole.length > 0 ? this.#update([], whole) : undefined;
  }

  #grow(heard: HeardPartial): CaptionUpdate | undefined {
    const { startMs, endMs, language, punctuated } = heard;
    this.#revisions.grow(heard.text, language);
    const shown = this.#worthShowing(heard).join('').trimStart();
    const isBegun = this.#hold.before(heard) !== '';
    const begun = punctuated ? shown : beginSentence(shown, language, isBegun);
    const full = begun === '' ? '' : leadingBlank(language, this.#isFirst) + begun;
    if (full === (this.#tentative[0]?.text ?? '')) return undefined;
    this.#tentative = full === '' ? [] : [{ text: full, startMs, endMs, language }];
    return this.#update([], []);
  }

  #worthShowing({ text, agreed, language }: HeardPartial): readonly string[] {
    if (this.#mode === 'settled') return [];
    const units = captionUnits(text, language);
    if (this.#mode === 'instant') return units;
    // Some recognisers know better what will last than the agreement of two hypotheses.
    if (agreed !== undefined) return captionUnits(agreed, language);
    // With an empty partial, a recogniser withdraws words that turned out to be noise.
    if (units.length === 0) this.#steady.reset();
    return this.#steady.next(units, this.#revisions.areFrequent ? CAUTIOUS : USUAL);
  }

  #conclude(heard: HeardFinal): CaptionUpdate | undefined {
    const wasShown = this.#tentative.length > 0;
    this.#steady.reset();
    this.#revisions.conclude(heard.text, heard.language);
    this.#tentative = [];
    const concluded: CaptionSegment[] = [];
    const whole: CaptionSegment[] = [];
    for (const { endsSentence, ...piece } of this.#sentencesOf(heard)) {
      const { language } = heard;
      const text = leadingBlank(language, this.#isFirst) + piece.text;
      this.#segments += 1;
      const segment = { ...piece, text, language };
      concluded.push(segment);
      whole.push(...this.#hold.add(segment, endsSentence));
    }
    return concluded.length > 0 || wasShown ? this.#update(concluded, whole) : undefined;
  }

  #sentencesOf(heard: HeardFinal): (TimedText & { endsSentence: boolean })[] {
    const { text, language, punctuated, startMs, endMs, words } = heard;
    if (punctuated) {
      const ends = sentenceEnds(text, { language, atLineBreaks: false });
      const pieces = timedPieces(heard, ends);
      return pieces.map((piece) => ({ ...piece, endsSentence: endsWithMark(piece.text) }));
    }
    const finished = finishUtterance(text, language, this.#hold.before(heard));
    return finished.text === '' ? [] : [{ ...finished, startMs, endMs, words }];
  }

  #update(concluded: CaptionSegment[], whole: CaptionSegment[]): CaptionUpdate {
    const [said] = this.#tentative;
    const { open } = this.#hold;
    const isOne = open !== undefined && said?.language === open.language;
    const growing = isOne ? joinSegments(open, said) : (said ?? open);
    const isUnsure = this.#revisions.areFrequent;
    const numbered = this.#isNumbering
      ? whole.map((each) => ({ ...each, index: (this.#sentences += 1) }))
      : whole;
    const sentences = { concluded: numbered, growing, isUnsure };
    return { concluded, tentative: this.#tentative, sentences };
  }
}

// Sentences that span several utterances.

/** Longest time from the last words of a sentence to the end of its continuation, in ms. */
const LONGEST_WAIT_MS = 10_000;
/**
 * Gap between utterances below which speech was merely cut for length, in ms. The continuation follows
 * within the longest utterance, so no longer wait is needed.
 */
const SHORTEST_PAUSE_MS = 500;
/**
 * Units (words, or characters in scripts without spaces) at which a sentence of several utterances is
 * passed on unfinished. A single utterance is bounded already, and its cut would be arbitrary.
 */
const LONGEST_UNITS = 60;
/**
 * Silence, in ms, after which an open sentence ends even if a later utterance brought no words: that
 * utterance was noise, about which recognisers report nothing. Longer than any recogniser is late.
 */
const FORGOTTEN_MS = 20_000;
/** Most pauses to remember for finals still to come; no recogniser falls further behind. */
const MOST_PAUSES = 16;

/**
 * Joins sentences that were spoken in several utterances. An endpoint is a pause, not the end of a
 * sentence, and where word order differs, a translation of half a sentence is wrong.
 *
 * All decisions depend on stream positions and texts, never on wall-clock time: the same audio yields the
 * same sentences, however fast the recogniser is.
 */
interface SentenceJoiner {
  /** The unfinished sentence. */
  readonly open: CaptionSegment | undefined;
  /**
   * Returns the text that an utterance continues: the open sentence, or a long one that was passed on
   * unfinished; '' when the utterance begins a sentence.
   */
  before(utterance: Utterance): string;
  /** Adds a concluded segment; returns the sentences that are now complete. */
  add(segment: CaptionSegment, endsSentence: boolean): CaptionSegment[];
  /** Takes a pause; returns the sentence it ends, if any. */
  pause(pause: Pause): CaptionSegment[];
  /** Returns the open sentence at the end of the stream. */
  end(): CaptionSegment[];
  /** State between utterances. */
  state: HoldState;
}

interface HoldState {
  parts: CaptionSegment[];
  cut?: CaptionSegment;
  lastStartMs: number;
  pauses: Pause[];
}

type Utterance = Omit<CaptionSegment, 'text'>;

function createSentenceJoiner(): SentenceJoiner {
  let parts: CaptionSegment[] = [];
  /** The sentence that was passed on unfinished. */
  let cut: CaptionSegment | undefined;
  /** Start of the last utterance of the open sentence, in ms. */
  let lastStartMs = 0;
  let pauses: Pause[] = [];

  function end(): CaptionSegment[] {
    const whole = joined(parts);
    parts = [];
    return whole === undefined ? [] : [whole];
  }

  /** Ends a sentence that is too long, before the words that belong to its continuation. */
  function cutLong(): CaptionSegment[] {
    const open = joined(parts);
    const last = parts.at(-1);
    if (parts.length < 2 || open === undefined || last === undefined) return [];
    if (captionUnits(open.text, open.language).length < LONGEST_UNITS) return [];
    const [ended, kept] = splitBeforeHanging(last);
    parts.splice(-1, 1, ended);
    cut = joined(parts);
    const whole = end();
    parts = kept === undefined ? [] : [kept];
    return whole;
  }

  return {
    get open() {
      return joined(parts);
    },
    before(utterance) {
      const open = joined(parts);
      if (goesOn(open, utterance)) return open?.text ?? '';
      return hasNoPause(cut, utterance) ? (cut?.text ?? '') : '';
    },
    add(segment, endsSentence) {
      const before = goesOn(joined(parts), segment) ? [] : end();
      parts.push(segment);
      cut = undefined;
      lastStartMs = segment.startMs;
      pauses = pauses.filter(({ endpointMs }) => endpointMs > segment.startMs);
      const isPaused = pauses.some(({ utteranceStartMs }) => utteranceStartMs <= segment.startMs);
      if (endsSentence) return [...before, ...end()];
      // Cut even before a pause: whether the pause is known yet depends on the recogniser's delay.
      return [...before, ...cutLong(), ...(isPaused ? end() : [])];
    },
    pause(pause) {
      if (pauses.at(-1)?.endpointMs !== pause.endpointMs) {
        pauses = [...pauses.slice(1 - MOST_PAUSES), pause];
      }
      const open = joined(parts);
      if (open === undefined) return [];
      const isNext = lastStartMs >= pause.utteranceStartMs;
      return isNext || pause.atMs - open.endMs > FORGOTTEN_MS ? end() : [];
    },
    end,
    get state() {
      return { parts: [...parts], ...(cut !== undefined && { cut }), lastStartMs, pauses };
    },
    set state(state) {
      ({ parts, cut, lastStartMs, pauses } = state);
    },
  };
}

function joined([first, ...others]: readonly CaptionSegment[]): CaptionSegment | undefined {
  return first && joinSegments(first, ...others);
}

function goesOn(open: CaptionSegment | undefined, utterance: Utterance): boolean {
  return (
    hasNoPause(open, utterance) ||
    (open?.language === utterance.language &&
      utterance.startMs - open.endMs < SILENCE_MARK_MS &&
      utterance.endMs - open.endMs <= LONGEST_WAIT_MS)
  );
}

function hasNoPause(said: CaptionSegment | undefined, { startMs, language }: Utterance): boolean {
  return said?.language === language && startMs - said.endMs < SHORTEST_PAUSE_MS;
}

/** Splits a segment before its dangling last words; at least one word stays in the first part. */
function splitBeforeHanging(segment: CaptionSegment): [CaptionSegment, CaptionSegment | undefined] {
  const { text, language, words = [] } = segment;
  const place = hangingPlace(text, language);
  const [ended, kept] = timedPieces({ ...segment, words }, [place, text.length]);
  if (ended === undefined || kept === undefined) return [segment, undefined];
  return [
    { ...ended, language, text: text.slice(0, place) },
    { ...kept, language, text: text.slice(place) },
  ];
}
