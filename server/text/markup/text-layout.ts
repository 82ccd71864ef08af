/** A text taken apart for translation, and put together again. */
import type { TextSegment } from '../text-segment.ts';

export interface TextLayout {
  /** What is to be translated, in reading order. */
  readonly segments: readonly TextSegment[];
  /** Unicode code points of the text; markup is not counted. */
  readonly characters: number;
  /**
   * The text with its segments replaced, in the order of `segments`. Each must hold the marks of its
   * source exactly once and well nested.
   */
  render(translated: readonly TextSegment[]): string;
}

/** Where a text is cut: at line breaks and ends of sentences, at ends of sentences only, or nowhere. */
export type SentenceSplitting = 'lines-and-sentences' | 'sentences' | 'none';
