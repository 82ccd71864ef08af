/**
 * Glossary terms for engines that know none. Each phrase becomes an element around its words; the
 * engine translates the sentence as always, so that the grammar around the phrase is right, and the
 * words it bound to the element are replaced by the target phrase.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import { type TermIndex, type TermMatch, capitalised, isSentenceStart } from './term-index.ts';

/** A segment whose terms are elements, and what shall stand in them by their ids. */
interface BoundTerms {
  segment: TextSegment;
  terms: ReadonlyMap<number, string>;
}

/**
 * Wraps the terms of a segment in elements with ids above those it has. Elements of the segment that
 * begin and end within a phrase lie inside. Where one begins or ends in the middle of a phrase, the
 * whole phrase goes into the element that holds its beginning, or else its end: the marks move, in
 * their order, and the phrase stays whole.
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

/** A phrase whose marks have moved out of it, all to the same side, so that they nest as before. */
function unmarked(phrase: readonly (string | Mark)[], open: Mark, close: Mark): (string | Mark)[] {
  const marks = phrase.filter((part) => typeof part === 'object');
  const element = [open, phrase.filter((part) => typeof part === 'string').join(''), close];
  const isInFirst = marks.some(
    (mark, at) => mark.mark === 'close' && !marks.slice(0, at).some((each) => each.id === mark.id),
  );
  return isInFirst ? [...element, ...marks] : [...marks, ...element];
}

/** Stands for what stands alone: no phrase goes across it, no word either. */
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

/** The parts of a segment, its texts cut where terms begin and end. */
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

/** Numbers of parts, both included. */
interface PartRange {
  from: number;
  to: number;
}

/** The parts of each term: from the first text of it to the last. */
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
 * The range widened to the marks beside it that belong to elements within; undefined when an element
 * reaches from outside into the range.
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

/** Where the mark of an element is that no text separates from a part; -1 when there is text. */
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

// Puts the target phrases of a glossary where an engine has put the words for them.

/** A target phrase in its place, and what the engine had there. */
interface Settled {
  settled: string;
  /** The engine's words, with the blanks around them; empty when it has lost them. */
  engineText: string;
}

type Part = string | Mark | Settled;

/**
 * Replaces the content of term elements by their targets and drops their marks. Other marks inside
 * them stay, once each; the target goes into the innermost of these elements, so that it keeps its
 * looks. A target at the beginning of a sentence gets a capital if the engine's words had one.
 */
export function settleTerms(
  translated: TextSegment,
  terms: ReadonlyMap<number, string>,
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
  return joined(parts);
}

function isMark(part: Part): part is Mark {
  return typeof part === 'object' && 'mark' in part;
}

/** The content of a term element with its target in place of its texts. */
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

/** Which text to replace: the longest of those in the most elements; -1 without any. */
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

/** The parts as a segment, with the blanks and capitals that the targets need where they are now. */
function joined(parts: readonly Part[]): TextSegment {
  const segment: (string | Mark)[] = [];
  let before = '';
  for (const [at, part] of parts.entries()) {
    if (isMark(part)) {
      segment.push(part);
      continue;
    }
    const text = typeof part === 'string' ? part : inPlace(part, before, textAfter(parts, at));
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
/** Between two of these goes a blank. */
const ENDS_IN_WORD = /[\p{L}\p{N}\p{M}]$/u;
const STARTS_WITH_WORD = /^[\p{L}\p{N}]/u;
const UNSPACED = /[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;

/** A target with what it needs between the text before and the text after it. */
function inPlace({ settled, engineText }: Settled, before: string, after: string): string {
  const [blankBefore = ''] = BLANK_BEFORE.exec(engineText) ?? [];
  const words = engineText.slice(blankBefore.length);
  const [blankAfter = ''] = BLANK_AFTER.exec(words) ?? [];
  const text =
    hasCapital(words) && isSentenceStart(before, before.length)
      ? capitalised(settled, 'und')
      : settled;
  if (words !== '') return blankBefore + text + blankAfter;
  const first = needsBlank(before, text) ? ' ' : '';
  const last = needsBlank(text, after) ? ' ' : '';
  return first + text + last;
}

function hasCapital(words: string): boolean {
  return /\p{Lu}|\p{Lt}/u.test(LETTER.exec(words)?.[0] ?? '');
}

function needsBlank(left: string, right: string): boolean {
  if (!ENDS_IN_WORD.test(left) || !STARTS_WITH_WORD.test(right)) return false;
  return !UNSPACED.test(left.slice(-1)) && !UNSPACED.test(right.slice(0, 1));
}

/** The next text, as far as it is settled. */
function textAfter(parts: readonly Part[], at: number): string {
  for (const part of parts.slice(at + 1)) {
    if (isMark(part)) continue;
    const text = typeof part === 'string' ? part : part.settled;
    if (text !== '') return text;
  }
  return '';
}
