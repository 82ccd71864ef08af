/** The layout of a text: its segments for translation, and the way back to a text. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { hangingPlace } from '../sentence-finisher.ts';
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

export type TextItem = Extract<FlowItem, { kind: 'text' }>;

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

// Finds where a flow is cut.

/** Number of characters examined at the beginning or end of a text, in UTF-16 units. */
const LOOKED_AT = 16;

/** Returns the first or last characters of a text, with references resolved. */
export function edgeOf(
  source: string,
  { start, end, references }: TextItem,
  isStart: boolean,
): string {
  const refs = isStart ? references.slice(0, LOOKED_AT) : references.slice(-LOOKED_AT);
  const [from, to] = isStart
    ? [start, Math.min(end, start + LOOKED_AT * 8)]
    : [Math.max(start, end - LOOKED_AT * 8), end];
  let text = '';
  let at = from;
  for (const reference of refs) {
    if (reference.start < at || reference.end > to) continue;
    text += source.slice(at, reference.start) + reference.text;
    at = reference.end;
  }
  text += source.slice(at, to);
  return text;
}

/** Length of a line above which its break is a wrap, so that the sentence may continue in the next line. */
const LONG_LINE = 40;
const BEGINS_LINE = /^["'“‘„«¿¡([]*[\p{Lu}\p{N}•–—*-]/u;
/** The sign or number of an item of a list. */
const BEGINS_ITEM = /^(?:[•*–-]|\p{N}{1,2}[.)])(?:\s|$)/u;
const FIGURE = /^\p{N}/u;
const SENTENCE_MARK = /[.!?…。！？؟।]["'”’»)\]]*$/u;
/** A word without a capital; a sentence with it may go on with a figure. */
const SMALL_WORD = /(?:(?:^|\s)\p{Ll}[\p{L}\p{M}'’-]*|[\p{Lo}\p{M}])$/u;
/** A capital alone, which is no article: `Vitamin A`. */
const LETTER = /(?:^|\s)\p{Lu}$/u;
/** German phrases without their noun, whose capital begins no line: `das neue`, `mit`. */
const GERMAN_PHRASE =
  /(?:^|\s)(?:(?:[Dd](?:e[rmns]|ie|as)|(?:[MmDdSsKk]e|[Ee])in(?:e[rmns]?)?|[Ii]hre?[rmns]?)(?:\s\p{Ll}+e[nmrs]?)*|[Aa]us|[Bb]ei|[Ii]n|[Mm]it|[Nn]ach|[Vv]on)$/u;
/** What a German sentence goes on with: a figure or a noun, unlike words that have a capital only at its beginning. */
const GERMAN_NOUN =
  /^(?!(?:D(?:er|ie|as|en|em|ies\p{L}*)|Eine?[mnrs]?|Ich|Wir|Er|Sie|Es|Bitte|Alle|Hier|Jetzt|Heute|Wenn|Was|Wie|Wo|Im|Am|In|An|Auf|Aus|Bei|Mit|Für|Nach|Von|Vom|Zu|Zum|Zur|Und|Oder|Keine?[mnrs]?)(?!\p{L}))[\p{Lu}\p{N}]/u;

/** How a line ends before its break. */
interface LineEnd {
  isItem: boolean;
  isEnded: boolean;
  /** Its last word has others after it. */
  isHanging: boolean;
  isSmall: boolean;
}

function lineEnd(line: string, isItem: boolean, language: LanguageTag): LineEnd {
  const isPhrase = isGerman(language) && GERMAN_PHRASE.test(line);
  const isHanging =
    !LETTER.test(line) && (isPhrase || hangingPlace(line, language) !== line.length);
  const isEnded = (line.length <= LONG_LINE && !isHanging) || /[.,:;!?…)"”»]$/.test(line);
  return { isItem, isEnded, isHanging, isSmall: SMALL_WORD.test(line) };
}

/** Whether a line begins anew: its text `next`, up to the `end` of the lines that go on with it. */
function beginsAnew(
  before: LineEnd,
  { next, end }: { next: string; end: string },
  language: LanguageTag,
): boolean {
  // Unlike `am | 3. März`.
  if (BEGINS_ITEM.test(next)) return before.isItem || !before.isHanging || !FIGURE.test(next);
  if (!before.isEnded || !BEGINS_LINE.test(next)) return false;
  const goesOn = isGerman(language) ? GERMAN_NOUN : FIGURE;
  return !(before.isSmall && goesOn.test(next) && SENTENCE_MARK.test(end));
}

function isGerman(language: LanguageTag): boolean {
  return baseLanguage(language) === 'de';
}

/**
 * Cuts at line breaks of addresses, lists and forms: where a line is short or ended, and the next begins
 * anew.
 *
 * @param options.isBreak whether a standalone item is a line break
 * @param options.language language of the text: a line that ends in one of its articles or prepositions goes on
 */
export function* cutAtLineBreaks(
  source: string,
  items: FlowItem[],
  options: { isBreak: (item: FlowItem) => boolean; language: LanguageTag | undefined },
): Steps<void> {
  const { language = '' } = options;
  const isBreak = (item: FlowItem): boolean => item.kind === 'lone' && options.isBreak(item);
  if (!items.some(isBreak)) return;
  const ends = new Map<FlowItem, LineEnd>();
  let line = '';
  let isItem = false;
  for (const [index, item] of items.entries()) {
    if (index % STEP === 0) yield;
    if (item.kind === 'text') {
      const text = source.slice(item.start, item.end).trim();
      if (line === '') isItem = BEGINS_ITEM.test(text);
      // Only the beginning, the length and the end of the line matter.
      if (text !== '') line = `${line} ${text}`.trimStart().slice(-LONG_LINE - 1);
    } else if (item.kind === 'cut' || isBreak(item)) {
      if (item.kind !== 'cut') ends.set(item, lineEnd(line, isItem, language));
      line = '';
    }
  }
  let next = '';
  let end = '';
  for (let index = items.length - 1; index >= 0; index -= 1) {
    if (index % STEP === 0) yield;
    const item = items[index];
    if (item === undefined) break;
    const before = ends.get(item);
    if (item.kind === 'text') {
      next = edgeOf(source, item, true).trim() || next;
      end ||= edgeOf(source, item, false).trim();
    } else if (item.kind === 'cut') next = end = '';
    else if (before !== undefined) {
      if (next === '\n' || beginsAnew(before, { next, end }, language)) {
        items[index] = { kind: 'cut', start: item.start, end: item.end };
        end = '';
      }
      next = '\n';
    }
  }
}

/** Makes inline elements around structure structural: `<a><div>…</div></a>`. */
export function* cutAroundStructure(items: FlowItem[]): Steps<void> {
  let cuts = 0;
  const open: { index: number; cuts: number }[] = [];
  for (const [index, item] of items.entries()) {
    if (index % STEP === 0) yield;
    if (item.kind === 'cut') cuts += 1;
    else if (item.kind === 'open') open.push({ index, cuts });
    else if (item.kind === 'close') {
      const opening = open.pop();
      const tag = items[opening?.index ?? -1];
      if (opening === undefined || tag === undefined || opening.cuts === cuts) continue;
      items[opening.index] = { kind: 'cut', start: tag.start, end: tag.end };
      items[index] = { kind: 'cut', start: item.start, end: item.end };
    }
  }
}
