/** Recognition events to captions: what grows is steadied, what is final becomes sentences. */
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
  /** Told from where another could go on, after the updates before it. */
  onRest?: ((rest: RestHeard, state: SegmentState) => void) | undefined;
  /** Where another has been. */
  resumed?: SegmentState | undefined;
}

/** What captions go by between two utterances. */
export interface SegmentState {
  /** Segments and sentences so far. */
  segments: number;
  sentences: number;
  hold: HoldState;
  revisions: { revised: number; words: number };
}

/** Hypotheses that have to agree on a word, usually and while much is taken back. */
const USUAL = 2;
const CAUTIOUS = 3;

/**
 * Concluded segments for every utterance, one for each of its sentences. Tentative text shows, by
 * mode, every word at once, those that two successive hypotheses agree on (three while the recogniser
 * takes much back), or none; an update follows only when it changes what is seen or what there is to translate.
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
  readonly #hold = createSentenceHold();
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

  /** What was still open when the stream ended. */
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
    // Some recognisers know better what will stay than two hypotheses tell.
    if (agreed !== undefined) return captionUnits(agreed, language);
    // A recogniser takes back what turned out to be noise with an empty partial.
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

// Sentences of several utterances.

/** What goes on later than this after the words before it is a sentence of its own. */
const LONGEST_WAIT_MS = 10_000;
/**
 * Less than this between two utterances is no pause: speech was cut because it went on for too long.
 * What goes on there is heard within the longest utterance, so there is nothing more to wait for.
 */
const SHORTEST_PAUSE_MS = 500;
/**
 * A sentence of several utterances that has so many words (or characters, in scripts without blanks)
 * is passed on as far as it goes. One utterance alone is bounded already, and where it was cut is chance.
 */
const LONGEST_UNITS = 60;
/**
 * Silence up to so long after words whose utterance was not the last one heard: that utterance was
 * noise without words, of which recognisers say nothing. More than a recogniser is ever late.
 */
const FORGOTTEN_MS = 20_000;
/** Pauses that are remembered for finals still to come: a recogniser that is late by more is none. */
const MOST_PAUSES = 16;

/**
 * Puts sentences together that were spoken in several utterances. An endpoint is a pause, not the end
 * of a sentence, and where the word order differs a translation of half a sentence is wrong.
 *
 * Everything is decided by positions in the stream and by the texts, nothing by the clock on the wall:
 * the same audio gives the same sentences, however fast a recogniser was.
 */
interface SentenceHold {
  /** The sentence that has begun and not ended. */
  readonly open: CaptionSegment | undefined;
  /**
   * The text with which an utterance with these times and language goes on: of the open sentence, or
   * of one that was too long and was passed on without its end; '' when it begins a sentence.
   */
  before(utterance: Utterance): string;
  /** Takes a concluded segment; answers the sentences that are whole now. */
  add(segment: CaptionSegment, endsSentence: boolean): CaptionSegment[];
  /** Takes a pause; answers the sentence it has ended, if any. */
  pause(pause: Pause): CaptionSegment[];
  /** Answers what is open: nothing follows. */
  end(): CaptionSegment[];
  /** What it goes by. */
  state: HoldState;
}

interface HoldState {
  parts: CaptionSegment[];
  cut?: CaptionSegment;
  lastStartMs: number;
  pauses: Pause[];
}

type Utterance = Omit<CaptionSegment, 'text'>;

function createSentenceHold(): SentenceHold {
  let parts: CaptionSegment[] = [];
  /** What was passed on without its end. */
  let cut: CaptionSegment | undefined;
  /** Where the last utterance of the open sentence begins. */
  let lastStartMs = 0;
  let pauses: Pause[] = [];

  function end(): CaptionSegment[] {
    const whole = joined(parts);
    parts = [];
    return whole === undefined ? [] : [whole];
  }

  /** Ends a sentence that is too long, before the words that belong to what follows. */
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
      // Cut even before a pause: whether it is known by now depends on how late the recogniser is.
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

/** A segment up to the words with which it breaks off, and those words; at least one word is passed on. */
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
