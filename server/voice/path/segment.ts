/** Recognition events to captions: what grows is steadied, what is final becomes sentences. */
import { sentenceEnds } from '../../text/sentences.ts';
import { beginSentence, endsWithMark, finishUtterance } from '../../text/sentence-finisher.ts';
import { captionUnits } from './caption-units.ts';
import {
  joinSegments,
  leadingBlank,
  type CaptionMode,
  type CaptionSegment,
  type CaptionUpdate,
} from './captions.ts';
import type { HeardText, Pause } from './recognise.ts';
import { createSentenceHold } from './sentence-hold.ts';
import { createRevisionMeter } from './revisions.ts';
import { createSteady } from './steady.ts';
import { timedPieces, type TimedText } from './timed-pieces.ts';

export interface SegmentOptions {
  mode: CaptionMode;
}

/** Hypotheses that have to agree on a word, usually and while much is taken back. */
const USUAL = 2;
const CAUTIOUS = 3;

/**
 * Concluded segments for every utterance, one for each of its sentences. Tentative text shows, by
 * mode, every word at once, those that two successive hypotheses agree on (three while the recogniser
 * takes much back), or none; an update is told only when it changes what is seen or what there is to translate.
 */
export async function* segment(
  heard: AsyncIterable<HeardText | Pause>,
  options: SegmentOptions,
): AsyncGenerator<CaptionUpdate> {
  const segmenter = new Segmenter(options);
  for await (const event of heard) {
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
  #isFirst = true;
  #tentative: CaptionSegment[] = [];

  constructor({ mode }: SegmentOptions) {
    this.#mode = mode;
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
      this.#isFirst = false;
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
    const sentences = { concluded: whole, growing, isUnsure };
    return { concluded, tentative: this.#tentative, sentences };
  }
}
