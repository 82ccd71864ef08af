import type { LanguageTag } from '../../shared/language.ts';
import type { Word } from '../engines/engine.ts';

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
}

/** Two updates as one: nothing concluded is lost, only the newest tentative text counts. */
export function conflateUpdates(held: CaptionUpdate, next: CaptionUpdate): CaptionUpdate {
  if (held.concluded.length === 0) return next;
  return { concluded: [...held.concluded, ...next.concluded], tentative: next.tentative };
}

const WRITTEN_WITHOUT_BLANKS = new Set(['ja', 'lo', 'my', 'th', 'zh']);

/** What a segment begins with: nothing at the start of a transcript or where a script has no blanks. */
export function leadingBlank(language: LanguageTag, isFirst: boolean): string {
  const base = language.split('-', 1)[0] ?? language;
  return isFirst || WRITTEN_WITHOUT_BLANKS.has(base) ? '' : ' ';
}
