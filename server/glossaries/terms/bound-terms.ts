/**
 * Glossary terms for engines without glossary support. Each phrase is wrapped in an element; the engine
 * translates the sentence as usual, so the grammar around the phrase is right, and the words that it put into
 * the element are replaced by the target phrase.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { type TermIndex, type TermMatch, capitalised, isSentenceStart } from './term-index.ts';

/** A segment with its terms wrapped in elements, and the target phrases by element id. */
interface BoundTerms {
  segment: TextSegment;
  terms: ReadonlyMap<number, string>;
}

/**
 * Wraps the terms of a segment in elements, with ids above the existing ones. Elements that begin and end
 * within a phrase lie inside the wrapper. If an element begins or ends in the middle of a phrase, the whole
 * phrase goes into the element that holds its beginning, or else its end: the marks move, in order, and the
 * phrase stays whole.
 */
export function bindTerms(segment: TextSegment, index: TermIndex): BoundTerms {
  const matches = index.find(searchedText(segment));
  if (matches.length === 0) return { segment, terms: new Map() };
  const parts = cutAt(segment, matches);
  const terms = new Map<number, string>();
  const bound: (string | Mark)[] = [];
  let id = largestId(segment);
  let next = 0;
  for (const { match, from, to } of placesOf(parts, matches)) {
    id += 1;
    terms.set(id, match.settledTarget);
    const open: Mark = { mark: 'open', id };
    const close: Mark = { mark: 'close', id };
    const whole = wholeRange(parts, from, to);
    const range = whole ?? { from, to };
    bound.push(...parts.slice(next, range.from));
    const phrase = parts.slice(range.from, range.to + 1);
    bound.push(...(whole === undefined ? unmarked(phrase, open, close) : [open, ...phrase, close]));
    next = range.to + 1;
  }
  bound.push(...parts.slice(next));
  return { segment: bound, terms };
}

/** Returns a phrase with its marks moved out, all to the same side, so that they nest as before. */
function unmarked(phrase: readonly (string | Mark)[], open: Mark, close: Mark): (string | Mark)[] {
  const marks = phrase.filter((part) => typeof part === 'object');
  const element = [open, phrase.filter((part) => typeof part === 'string').join(''), close];
  const isInFirst = marks.some(
    (mark, at) => mark.mark === 'close' && !marks.slice(0, at).some((each) => each.id === mark.id),
  );
  return isInFirst ? [...element, ...marks] : [...marks, ...element];
}

/** Stands for a lone mark, which neither phrases nor words may span. */
const LONE = '\uFFFC';

function searchedText(segment: TextSegment): string {
  return segment.map(textOf).join('');
}

function textOf(part: string | Mark): string {
  if (typeof part === 'string') return part;
  return part.mark === 'lone' ? LONE : '';
}

function largestId(segment: TextSegment): number {
  return segment.reduce(
    (largest, part) => (typeof part === 'string' ? largest : Math.max(largest, part.id)),
    0,
  );
}

/** Returns the parts of a segment, with texts cut where terms begin and end. */
function cutAt(segment: TextSegment, matches: readonly TermMatch[]): (string | Mark)[] {
  const cuts = matches.flatMap(({ start, end }) => [start, end]);
  const parts: (string | Mark)[] = [];
  let position = 0;
  let next = 0;
  for (const part of segment) {
    const end = position + textOf(part).length;
    if (typeof part !== 'string') {
      parts.push(part);
      position = end;
      continue;
    }
    const partStart = position;
    while (position < end) {
      while ((cuts[next] ?? Infinity) <= position) next += 1;
      const cut = Math.min(end, cuts[next] ?? end);
      parts.push(part.slice(position - partStart, cut - partStart));
      position = cut;
    }
  }
  return parts;
}

/** Range of part indices, both inclusive. */
interface PartRange {
  from: number;
  to: number;
}

/** Yields the parts of each term, from its first text to its last. */
function* placesOf(
  parts: readonly (string | Mark)[],
  matches: readonly TermMatch[],
): Generator<PartRange & { match: TermMatch }> {
  let at = 0;
  let position = 0;
  for (const match of matches) {
    const range = { from: 0, to: 0 };
    for (; position < match.end; at += 1) {
      const length = textOf(parts[at] ?? '').length;
      if (length === 0) continue;
      if (position === match.start) range.from = at;
      position += length;
      range.to = at;
    }
    yield { ...range, match };
  }
}

/**
 * Widens a range to the adjacent marks of elements that begin or end within it. Returns undefined if an
 * element extends into the range from outside.
 */
function wholeRange(
  parts: readonly (string | Mark)[],
  from: number,
  to: number,
): PartRange | undefined {
  const range = { from, to };
  const open: number[] = [];
  for (let at = from; at <= to; at += 1) {
    const part = parts[at];
    if (typeof part !== 'object') continue;
    if (part.mark === 'open') open.push(part.id);
    else if (part.mark === 'close' && open.pop() === undefined) {
      range.from = markBeside(parts, range.from, -1, part.id);
      if (range.from < 0) return undefined;
    }
  }
  for (const id of open.reverse()) {
    range.to = markBeside(parts, range.to, 1, id);
    if (range.to < 0) return undefined;
  }
  return range;
}

/**
 * Returns the index of an element's mark that only other marks separate from a part; -1 if there is text
 * between.
 */
function markBeside(
  parts: readonly (string | Mark)[],
  start: number,
  step: 1 | -1,
  id: number,
): number {
  for (let at = start + step; ; at += step) {
    const part = parts[at];
    if (typeof part !== 'object' || part.mark === 'lone') return -1;
    if (part.id === id) return at;
  }
}

// Insertion of target phrases in place of the engine's words.

/** A target phrase in its place, and the engine's words there. */
interface Settled {
  settled: string;
  /** The engine's words, with surrounding whitespace; empty if the engine lost them. */
  engineText: string;
}

type Part = string | Mark | Settled;

/**
 * Replaces the content of term elements by their targets, and removes the elements' marks. Other marks inside
 * are kept once each. The target goes into the innermost of these elements, so that it keeps its formatting.
 * A target at the start of a sentence is capitalised if the engine's words were.
 *
 * @param language language of the translation, for its capitals
 */
export function settleTerms(
  translated: TextSegment,
  terms: ReadonlyMap<number, string>,
  language: LanguageTag,
): TextSegment {
  const parts: Part[] = [];
  for (const part of translated) {
    if (typeof part === 'string' || !terms.has(part.id)) {
      parts.push(part);
    } else if (part.mark === 'open') {
      parts.push(part);
    } else if (part.mark === 'close') {
      const open = parts.findLastIndex((each) => isMark(each) && each.id === part.id);
      if (open < 0) continue;
      const content = parts.splice(open).slice(1);
      parts.push(...settleContent(content, terms.get(part.id) ?? ''));
    }
  }
  return joined(parts, language);
}

function isMark(part: Part): part is Mark {
  return typeof part === 'object' && 'mark' in part;
}

/** Returns the content of a term element with the target in place of its texts. */
function settleContent(content: readonly Part[], target: string): Part[] {
  const engineText = content.filter((part) => typeof part === 'string').join('');
  const settled: Settled = { settled: target, engineText };
  const place = placeOfTarget(content);
  if (place < 0) return [settled, ...content.filter((part) => typeof part !== 'string')];
  return content.flatMap((part, at) => {
    if (at === place) return [settled];
    return typeof part === 'string' ? [] : [part];
  });
}

/** Returns the index of the text to replace: the longest of the most deeply nested; -1 if there is none. */
function placeOfTarget(content: readonly Part[]): number {
  let place = -1;
  let most = { depth: -1, length: 0 };
  let depth = 0;
  for (const [at, part] of content.entries()) {
    if (isMark(part)) {
      if (part.mark === 'open') depth += 1;
      if (part.mark === 'close') depth -= 1;
      continue;
    }
    if (typeof part !== 'string' || part.trim() === '') continue;
    const isMore = depth > most.depth || (depth === most.depth && part.length > most.length);
    if (!isMore) continue;
    most = { depth, length: part.length };
    place = at;
  }
  return place;
}

/** Joins the parts into a segment, with the spaces and capitals that targets need in their new places. */
function joined(parts: readonly Part[], language: LanguageTag): TextSegment {
  const segment: (string | Mark)[] = [];
  let before = '';
  for (const [at, part] of parts.entries()) {
    if (isMark(part)) {
      segment.push(part);
      continue;
    }
    const text =
      typeof part === 'string'
        ? part
        : inPlace(part, { before, after: textAfter(parts, at), language });
    if (text === '') continue;
    before += text;
    const last = segment.at(-1);
    if (typeof last === 'string') segment[segment.length - 1] = last + text;
    else segment.push(text);
  }
  return segment;
}

const BLANK_BEFORE = /^\p{White_Space}*/u;
const BLANK_AFTER = /\p{White_Space}*$/u;
const LETTER = /\p{L}/u;
/** A space separates two texts if the first ends in a word and the second starts with one. */
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
const STARTS_WITH_WORD = /^[\p{L}\p{N}]/u;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** Returns a target with the spaces and capitals it needs between the texts around it. */
function inPlace(
  { settled, engineText }: Settled,
  { before, after, language }: { before: string; after: string; language: LanguageTag },
): string {
  const [blankBefore = ''] = BLANK_BEFORE.exec(engineText) ?? [];
  const words = engineText.slice(blankBefore.length);
  const [blankAfter = ''] = BLANK_AFTER.exec(words) ?? [];
  const text =
    hasCapital(words) && isSentenceStart(before, before.length)
      ? capitalised(settled, language)
      : settled;
  const stopped = withStop(text, { before, words, after });
  if (words !== '') return blankBefore + stopped + blankAfter;
  const first = needsBlank(before, text) ? ' ' : '';
  const last = needsBlank(text, after) ? ' ' : '';
  return first + stopped + last;
}

const ENDS_STOPPED = /[.!?…。！？]$/;
const STOPPED_WIDE = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}]$/u;
const STARTS_STOPPED = /^\.(?!\.)/;
/** What may stand between the last word of a sentence and its end. */
const CLOSING = /^[\p{Pf}\p{White_Space}"']*$/u;

/**
 * Returns a target with one full stop at the end of a sentence, where that of an abbreviation is also the
 * sentence's: `the U.S.` or `the S.L.`
 */
function withStop(
  text: string,
  { before, words, after }: { before: string; words: string; after: string },
): string {
  if (text.endsWith('.') && STARTS_STOPPED.test(after)) return text.slice(0, -1);
  const ends = /\.\p{White_Space}*$/u.test(words) && CLOSING.test(after) && LETTER.test(before);
  if (!ends || ENDS_STOPPED.test(text)) return text;
  if (STOPPED_WIDE.test(text)) return `${text}。`;
  return UNSPACED.test(text.slice(-1)) ? text : `${text}.`;
}

function hasCapital(words: string): boolean {
  return /\p{Lu}|\p{Lt}/u.test(LETTER.exec(words)?.[0] ?? '');
}

function needsBlank(left: string, right: string): boolean {
  if (!ENDS_IN_WORD.test(left) || !STARTS_WITH_WORD.test(right)) return false;
  return !UNSPACED.test(left.slice(-1)) && !UNSPACED.test(right.slice(0, 1));
}

/** Returns the next text, with its target phrase if it has one. */
function textAfter(parts: readonly Part[], at: number): string {
  for (const part of parts.slice(at + 1)) {
    if (isMark(part)) continue;
    const text = typeof part === 'string' ? part : part.settled;
    if (text !== '') return text;
  }
  return '';
}
