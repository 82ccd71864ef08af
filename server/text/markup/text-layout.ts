/** A text taken apart for translation, and put together again. */
import type { LanguageTag } from '../../../shared/language.ts';
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

/** Work that may rest between its steps: a long text must not hold the thread that carries live audio. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** All steps in one go. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** So long work goes on before it rests, in ms. */
const TURN_MS = 4;
/** Work on more text than that, in UTF-16 units, waits for its first turn as well. */
const LONG = 4_096;

/**
 * The steps with rests in which other work goes on; what is short is done at once, without one.
 *
 * @param length of the text, in UTF-16 units, where many may come at once
 */
export async function withRests<T>(steps: Steps<T>, length = 0): Promise<T> {
  if (length > LONG) await nextTurn();
  let restAtMs = performance.now() + TURN_MS;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() < restAtMs) continue;
    await nextTurn();
    restAtMs = performance.now() + TURN_MS;
  }
}

/** What each item becomes, in order, with rests in which other work goes on. */
export function mapWithRests<Item, Result>(
  items: readonly Item[],
  change: (item: Item, index: number) => Result,
): Promise<Result[]> {
  return withRests(mapInSteps(items, change));
}

function* mapInSteps<Item, Result>(
  items: readonly Item[],
  change: (item: Item, index: number) => Result,
): Steps<Result[]> {
  const results: Result[] = [];
  for (const [index, item] of items.entries()) {
    results.push(change(item, index));
    yield;
  }
  return results;
}

/** Calls that wait for their turn, first come, first served. */
const waiting: (() => void)[] = [];

/**
 * Resolves after the event loop has gone round. All calls of the process share one turn per round:
 * with a turn each, a hundred calls at once would hold the thread a hundred times as long.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    if (waiting.push(resolve) === 1) setImmediate(startTurn);
  });
}

function startTurn(): void {
  waiting.shift()?.();
  if (waiting.length > 0) setImmediate(startTurn);
}

/** Where a text is cut: at line breaks and ends of sentences, at ends of sentences only, or nowhere. */
export type SentenceSplitting = 'lines-and-sentences' | 'sentences' | 'none';

// What a marked-up text looks like to the layout: one list in reading order, whatever its grammar.
// Positions are UTF-16 units of the source; the list covers the source without gaps.

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

export interface MarkupOptions {
  handling: 'xml' | 'html';
  /** `v2` refuses XML that is not well-formed; `v1` leaves stray tags, `<` and `&` in their places. */
  version: 'v1' | 'v2';
  splitting: SentenceSplitting;
  /** Of the text, for the ends of its sentences. */
  language?: LanguageTag | undefined;
  /** Whether XML tells its structure by where its text stands; true by default, no matter in HTML. */
  outlineDetection?: boolean | undefined;
  /** Elements that structure the text; in HTML besides the block elements. */
  splittingTags?: readonly string[] | undefined;
  /** Elements that never do. An element around one of `splittingTags` splits all the same. */
  nonSplittingTags?: readonly string[] | undefined;
  /** Elements that stay as they are; the sentence around is translated as one. */
  ignoreTags?: readonly string[] | undefined;
}
