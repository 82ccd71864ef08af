/**
 * Glossary terms for engines that know none. Each phrase becomes an element around its words; the
 * engine translates the sentence as always, so that the grammar around the phrase is right, and the
 * words it bound to the element are replaced by the target phrase.
 */
import type { Mark, TextSegment } from '../../text/text-segment.ts';
import type { TermIndex, TermMatch } from './term-index.ts';

export { settleTerms } from './settled-terms.ts';

/** A segment whose terms are elements, and what shall stand in them by their ids. */
export interface BoundTerms {
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
