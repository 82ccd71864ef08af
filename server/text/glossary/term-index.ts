/** Finds the phrases of a dictionary in a text. */
import type { Term } from '../../engines/engine.ts';

/** An occurrence of a term; `start` and `end` are UTF-16 positions in the searched text. */
export interface TermMatch extends Term {
  start: number;
  end: number;
}

export interface TermIndex {
  /** Occurrences in reading order, none overlapping another, the longest at every place. */
  find(text: string): TermMatch[];
}
