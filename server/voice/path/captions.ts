import type { LanguageTag } from '../../../shared/language.ts';
import type { Word } from '../../engines/engine.ts';
import { isWrittenWithoutBlanks } from './caption-units.ts';

/**
 * How calm captions are: `instant` shows every word at once, `balanced` what is unlikely to change,
 * `settled` nothing that can change.
 */
export const captionModes = ['instant', 'balanced', 'settled'] as const;
export type CaptionMode = (typeof captionModes)[number];

/** A piece of a transcript; times in ms since the first sample. */
export interface CaptionSegment {
  /** Carries its own leading blank, so that plain concatenation reads right. */
  text: string;
  startMs: number;
  endMs: number;
  language: LanguageTag;
  /** Of the recogniser; source segments only. */
  words?: Word[];
}

/** What has changed in a transcript. */
export interface CaptionUpdate {
  /** Final segments, each told once. */
  concluded: CaptionSegment[];
  /** Replaces the tentative segments of the update before. */
  tentative: CaptionSegment[];
  /**
   * What translators need; source updates only. A sentence may have been spoken in several
   * utterances: their segments, concluded one by one, are told here once more as one.
   */
  sentences?: SentenceUpdate;
}

/** What has changed for translators. */
export interface SentenceUpdate {
  /** Concluded segments as whole sentences, each told once. */
  concluded: CaptionSegment[];
  /** The sentence that still grows, replaces the one before: concluded segments, then what is tentative. */
  growing: CaptionSegment | undefined;
  /** Whether the recogniser has taken much back of late: what grows may well change. */
  isUnsure: boolean;
}

/** Two updates as one: nothing concluded is lost, only the newest tentative text counts. */
export function conflateUpdates(held: CaptionUpdate, next: CaptionUpdate): CaptionUpdate {
  const conflated = {
    concluded: joined(held.concluded, next.concluded),
    tentative: next.tentative,
  };
  if (next.sentences === undefined) return conflated;
  const { growing, isUnsure } = next.sentences;
  const concluded = joined(held.sentences?.concluded ?? [], next.sentences.concluded);
  return { ...conflated, sentences: { concluded, growing, isUnsure } };
}

function joined(held: CaptionSegment[], next: CaptionSegment[]): CaptionSegment[] {
  return held.length === 0 ? next : [...held, ...next];
}

/** Segments that follow each other as one. */
export function joinSegments(
  first: CaptionSegment,
  ...others: readonly CaptionSegment[]
): CaptionSegment {
  const { startMs, language } = first;
  const text = others.reduce((before, segment) => before + segment.text, first.text);
  return { text, startMs, endMs: others.at(-1)?.endMs ?? first.endMs, language };
}

/** What a segment begins with: nothing at the start of a transcript or where a script has no blanks. */
export function leadingBlank(language: LanguageTag, isFirst: boolean): string {
  return isFirst || isWrittenWithoutBlanks(language) ? '' : ' ';
}
