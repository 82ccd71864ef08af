/**
 * Puts sentences together that were spoken in several utterances. An endpoint is a pause, not the end
 * of a sentence, and where the word order differs a translation of half a sentence is wrong.
 *
 * Everything is decided by positions in the stream and by the texts, nothing by the clock on the wall:
 * the same audio gives the same sentences, however fast a recogniser was.
 */
import { hangingPlace } from '../../text/sentence-finisher.ts';
import { captionUnits } from './caption-units.ts';
import { joinSegments, type CaptionSegment } from './captions.ts';
import type { Pause } from './recognise.ts';
import { SILENCE_MARK_MS } from './silence-mark.ts';
import { timedPieces } from './timed-pieces.ts';

/** What goes on later than this after the words before it is a sentence of its own. */
const LONGEST_WAIT_MS = 10_000;
/**
 * Less than this between two utterances is no pause: speech was cut because it went on for too long.
 * What goes on there is heard within the longest utterance, so there is nothing more to wait for.
 */
const SHORTEST_PAUSE_MS = 500;
/**
 * A sentence of several utterances that has so many words (or characters, in scripts without blanks)
 * is told as far as it goes. One utterance alone is bounded already, and where it was cut is chance.
 */
const LONGEST_UNITS = 60;
/**
 * Silence up to so long after words whose utterance was not the last one heard: that utterance was
 * noise without words, of which recognisers say nothing. More than a recogniser is ever late.
 */
const FORGOTTEN_MS = 20_000;
/** Pauses that are remembered for finals still to come: a recogniser that is late by more is none. */
const MOST_PAUSES = 16;

export interface SentenceHold {
  /** The sentence that has begun and not ended. */
  readonly open: CaptionSegment | undefined;
  /**
   * The text with which an utterance with these times and language goes on: of the open sentence, or
   * of one that was too long and was told without its end; '' when it begins a sentence.
   */
  before(utterance: Utterance): string;
  /** Takes a concluded segment; answers the sentences that are whole now. */
  add(segment: CaptionSegment, endsSentence: boolean): CaptionSegment[];
  /** Takes a pause; answers the sentence it has ended, if any. */
  pause(pause: Pause): CaptionSegment[];
  /** Answers what is open: nothing follows. */
  end(): CaptionSegment[];
}

type Utterance = Omit<CaptionSegment, 'text'>;

export function createSentenceHold(): SentenceHold {
  let parts: CaptionSegment[] = [];
  /** What was told without its end. */
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
    const [told, kept] = splitBeforeHanging(last);
    parts.splice(-1, 1, told);
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

/** A segment up to the words with which it breaks off, and those words; at least one word is told. */
function splitBeforeHanging(segment: CaptionSegment): [CaptionSegment, CaptionSegment | undefined] {
  const { text, language, words = [] } = segment;
  const place = hangingPlace(text, language);
  const [told, kept] = timedPieces({ ...segment, words }, [place, text.length]);
  if (told === undefined || kept === undefined) return [segment, undefined];
  return [
    { ...told, language, text: text.slice(0, place) },
    { ...kept, language, text: text.slice(place) },
  ];
}
