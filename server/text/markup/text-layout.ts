/** The layout of a text: its segments for translation, and the way back to a text. */
import type { LanguageTag } from '../../../shared/language.ts';
import type { TextSegment } from '../text-segment.ts';

export interface TextLayout {
  /** Segments to translate, in reading order. */
  readonly segments: readonly TextSegment[];
  /** Unicode code points of the text; markup is not counted. */
  readonly characters: number;
  /**
   * Returns the text with its segments replaced, in the order of `segments`. Each must contain the marks of
   * its source exactly once and well nested.
   */
  render(translated: readonly TextSegment[]): Steps<string>;
}

/** Work that can pause between steps: a long text must not block the thread that carries live audio. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause. */
export function atOnce<T>(steps: Steps<T>): T {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
  }
}

/** Number of items of a text, such as tags, that are read between two steps: far less than 1 ms of work. */
export const STEP = 256;

/**
 * Time after which long work pauses, in ms. Other work waits for several such turns: a request is received,
 * charged, translated and answered in as many rounds of the event loop.
 */
const TURN_MS = 1;
/** Length above which work waits for its first turn as well. */
const LONG = 4_096;

/**
 * Runs the steps with pauses for other work; short work completes without a pause.
 *
 * @param length length of the text, in UTF-16 units or parts, for callers with many concurrent texts or with
 *   other work in the same turn
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

/** Maps items in order, with pauses for other work. */
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
 * Resolves after a round of the event loop. Only one call of the process gets a turn per round: if each had
 * its own, a hundred concurrent calls would block the thread a hundred times as long.
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

/** Where a text is split: at line breaks and sentence ends, at sentence ends only, or nowhere. */
export type SentenceSplitting = 'lines-and-sentences' | 'sentences' | 'none';

// A marked-up text as the layout sees it: one list in reading order, independent of the grammar. Positions
// are UTF-16 units of the source; the list covers the source without gaps.

/** A character reference in text: `&amp;`, `&#8217;`. */
export interface Reference {
  start: number;
  end: number;
  /** The referenced text; empty when unknown, as with an entity of a custom DTD. */
  text: string;
}

export type FlowItem =
  | { kind: 'text'; start: number; end: number; references: readonly Reference[] }
  /** Ends of an inline element; a pair shares its number. */
  | { kind: 'open' | 'close'; element: number; start: number; end: number }
  /** Stays in place; a `word` is part of the sentence, other items (`<br>`, comments) are not. */
  | { kind: 'lone'; word: boolean; start: number; end: number }
  /** Structure and adjacent untranslated content: separates the text before and after it. */
  | { kind: 'cut'; start: number; end: number };

/** A text as a list of items. */
export interface Flow {
  items: readonly FlowItem[];
  /** Unicode code points of the text; a reference counts as the text it stands for. */
  characters: number;
}

/** Shared empty list, since most texts have no references. */
export const NO_REFERENCES: readonly Reference[] = [];

export interface MarkupOptions {
  handling: 'xml' | 'html';
  /** `v2` rejects XML that is not well-formed; `v1` leaves stray tags, `<` and `&` in place. */
  version: 'v1' | 'v2';
  splitting: SentenceSplitting;
  /** Language of the text, for sentence ends. */
  language?: LanguageTag | undefined;
  /**
   * Whether the structure of XML is derived from the positions of its text; true by default, ignored for
   * HTML.
   */
  outlineDetection?: boolean | undefined;
  /** Elements that structure the text; in HTML in addition to block elements. */
  splittingTags?: readonly string[] | undefined;
  /** Elements that never split. An element that contains one of `splittingTags` splits nevertheless. */
  nonSplittingTags?: readonly string[] | undefined;
  /** Elements that stay unchanged; the sentence around them is translated as a whole. */
  ignoreTags?: readonly string[] | undefined;
}
