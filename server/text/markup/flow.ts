/**
 * What a marked-up text looks like to the layout: one list in reading order, whatever its grammar.
 * Positions are UTF-16 units of the source; the list covers the source without gaps.
 */

/** A character reference in text: `&amp;`, `&#8217;`. */
export interface Reference {
  start: number;
  end: number;
  /** What it stands for; empty when nobody here knows, as with an entity of someone's own DTD. */
  text: string;
}

export type FlowItem =
  | { kind: 'text'; start: number; end: number; references: readonly Reference[] }
  /** Inline elements, in pairs that have the same number. */
  | { kind: 'open' | 'close'; element: number; start: number; end: number }
  /** Stays in its place; a `word` is part of the sentence, anything else (`<br>`, comments) is not. */
  | { kind: 'lone'; word: boolean; start: number; end: number }
  /** Structure, and what is not translated beside it: the text before and after is separate. */
  | { kind: 'cut'; start: number; end: number };

/** A text as a list of items, and how changed text is written between its tags. */
export interface Flow {
  items: readonly FlowItem[];
  /** Unicode code points of the text; a reference counts as what it stands for. */
  characters: number;
}

/** The references of most texts. */
export const NO_REFERENCES: readonly Reference[] = [];
