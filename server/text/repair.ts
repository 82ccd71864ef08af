/**
 * Repairs the marks of a translated segment: afterwards each mark of the source occurs exactly once, elements
 * are well nested, and the content of each element is still inside it.
 */
import { atOnce, STEP, type Steps } from './markup/text-layout.ts';
import { type Mark, plainText, type TextSegment } from './text-segment.ts';

/**
 * Returns the translated segment with exactly the marks of the source. Marks stay where the engine put them.
 * An element that occurs several times spans its first to its last occurrence, one that overlaps another is
 * extended, and lost marks are placed beside their source neighbours or in proportion to the text. Unknown
 * marks are removed. The text is unchanged, and a faultless segment is returned as is. Takes linear time,
 * except for sorting the marks.
 */
export function repairMarks(source: TextSegment, translated: TextSegment): TextSegment {
  return atOnce(repairInSteps(source, translated));
}

/** Stepwise variant of {@link repairMarks}. */
export function* repairInSteps(source: TextSegment, translated: TextSegment): Steps<TextSegment> {
  const marks = marksOf(source);
  if (yield* isSound(marks, translated)) return translated;
  if (marks.length === 0) return [plainText(translated)];
  const events = yield* eventsOf(source, translated, marks);
  yield;
  return nested(events, translated);
}

/** Whether each mark occurs once, elements are nested, and each mark is inside its original parent. */
function* isSound(marks: readonly MarkNode[], translated: TextSegment): Steps<boolean> {
  const state = new Map<number, { node: MarkNode; seen: 'not' | 'open' | 'done' }>();
  for (const node of marks) state.set(node.id, { node, seen: 'not' });
  yield;
  let left = marks.length;
  const open: number[] = [];
  for (const [index, part] of translated.entries()) {
    if (index % STEP === 0) yield;
    if (typeof part === 'string') continue;
    const known = state.get(part.id);
    if (known === undefined || known.node.isElement === (part.mark === 'lone')) return false;
    if (part.mark === 'close') {
      if (open.pop() !== part.id) return false;
      known.seen = 'done';
      continue;
    }
    const { parent } = known.node;
    if (known.seen !== 'not') return false;
    if (parent !== undefined && state.get(parent.id)?.seen !== 'open') return false;
    known.seen = part.mark === 'open' ? 'open' : 'done';
    if (part.mark === 'open') open.push(part.id);
    left -= 1;
  }
  return left === 0 && open.length === 0;
}

/** A mark and its position in the translated text. */
interface MarkEvent {
  mark: Mark;
  place: Place;
}

function* eventsOf(
  source: TextSegment,
  translated: TextSegment,
  marks: readonly MarkNode[],
): Steps<MarkEvent[]> {
  const places = yield* locateMarks(source, translated, marks);
  yield;
  const events: MarkEvent[] = [];
  for (const { id, isElement } of marks) {
    const place = places.get(id);
    if (place === undefined) continue;
    events.push({ mark: { mark: isElement ? 'open' : 'lone', id }, place: place.start });
    if (isElement) events.push({ mark: { mark: 'close', id }, place: place.end });
  }
  return events.sort((a, b) => comparePlaces(a.place, b.place));
}

/** Writes text and marks in order; an element ends only after all elements that began inside it. */
function nested(events: readonly MarkEvent[], translated: TextSegment): TextSegment {
  const parts: (string | Mark)[] = [];
  const open: number[] = [];
  const ended = new Set<number>();
  const text = plainText(translated);
  let at = 0;
  for (const { mark, place } of events) {
    if (place.offset > at) parts.push(text.slice(at, place.offset));
    at = Math.max(at, place.offset);
    if (mark.mark !== 'close') {
      parts.push(mark);
      if (mark.mark === 'open') open.push(mark.id);
      continue;
    }
    ended.add(mark.id);
    for (let last = open.at(-1); last !== undefined && ended.has(last); last = open.at(-1)) {
      parts.push({ mark: 'close', id: last });
      open.pop();
    }
  }
  if (at < text.length) parts.push(text.slice(at));
  return parts;
}

// Finds a position in the translated text for every mark of the source.

/** A position in a translated text; positions with the same offset are ordered by the further fields. */
interface Place {
  /** Number of UTF-16 units of text before it. */
  offset: number;
  /** Order among marks at the same offset: their indexes in the translated segment. */
  rank: number;
  /** Index of the mark in the source; the final tie-breaker. */
  sourceIndex: number;
}

interface Extent {
  start: Place;
  end: Place;
}

/** Compares two positions, for sorting. */
function comparePlaces(a: Place, b: Place): number {
  if (a.offset !== b.offset) return a.offset - b.offset;
  if (a.rank !== b.rank) return a.rank < b.rank ? -1 : 1;
  return a.sourceIndex - b.sourceIndex;
}

/**
 * Returns positions for all marks by id: those from the engine, or else those derived from the source. Every
 * element spans all marks that it contains in the source.
 */
function* locateMarks(
  source: TextSegment,
  translated: TextSegment,
  marks: readonly MarkNode[],
): Steps<Map<number, Extent>> {
  const text = plainText(translated);
  const extents = occurrences(translated, marks);
  const finder = new LostMarks({ source, text, extents });
  yield;
  for (const [index, node] of marks.entries()) {
    if (index % STEP === 0) yield;
    finder.locate(node);
  }
  for (let index = marks.length - 1; index >= 0; index -= 1) {
    const node = marks[index];
    const inner = node && extents.get(node.id);
    const outer = node?.parent && extents.get(node.parent.id);
    if (node?.parent === undefined || inner === undefined || outer === undefined) continue;
    const { openIndex, closeIndex } = node.parent;
    outer.start = first(outer.start, { ...inner.start, sourceIndex: openIndex });
    outer.end = last(outer.end, { ...inner.end, sourceIndex: closeIndex });
  }
  return extents;
}

const first = (a: Place, b: Place): Place => (comparePlaces(a, b) <= 0 ? a : b);
const last = (a: Place, b: Place): Place => (comparePlaces(a, b) >= 0 ? a : b);

/** Returns the first and last occurrence of each mark; both are equal for a mark that occurs once. */
function occurrences(translated: TextSegment, marks: readonly MarkNode[]): Map<number, Extent> {
  const nodes = new Map(marks.map((node) => [node.id, node]));
  const extents = new Map<number, Extent>();
  let offset = 0;
  for (const [rank, part] of translated.entries()) {
    if (typeof part === 'string') {
      offset += part.length;
      continue;
    }
    const node = nodes.get(part.id);
    if (node === undefined) continue;
    const extent = extents.get(node.id);
    if (extent === undefined) {
      const start = { offset, rank, sourceIndex: node.openIndex };
      extents.set(node.id, { start, end: { ...start, sourceIndex: node.closeIndex } });
    } else if (node.isElement) {
      extent.end = { offset, rank, sourceIndex: node.closeIndex };
    }
  }
  return extents;
}

/** Maximum distance by which a mark is moved to a word boundary, in UTF-16 units. */
const WORD_REACH = 32;
const BLANK = /\s/;
/** Ranks after and before all marks that the engine put at an offset. */
const AFTER = Infinity;
const BEFORE = -Infinity;

class LostMarks {
  readonly #source: TextSegment;
  readonly #text: string;
  readonly #extents: Map<number, Extent>;
  readonly #sourceLength: number;

  constructor({
    source,
    text,
    extents,
  }: {
    source: TextSegment;
    text: string;
    extents: Map<number, Extent>;
  }) {
    this.#source = source;
    this.#text = text;
    this.#extents = extents;
    this.#sourceLength = Math.max(1, plainText(source).length);
  }

  /** Assigns a position to a lost mark, or to the lost end of an element; called in source order. */
  locate(node: MarkNode): void {
    const extent = this.#extents.get(node.id);
    if (extent === undefined) {
      const start = this.#within(node, this.#startOf(node));
      const end = node.isElement ? this.#within(node, this.#endOf(node, start)) : start;
      this.#extents.set(node.id, {
        start: { ...start, sourceIndex: node.openIndex },
        end: { ...last(start, end), sourceIndex: node.closeIndex },
      });
    } else if (node.isElement && extent.start.rank === extent.end.rank) {
      const { start } = extent;
      const end = this.#within(node, this.#endOf(node, start));
      extent.end = last({ ...start, sourceIndex: node.closeIndex }, end);
    }
  }

  /** Returns the position beside the mark's neighbour in the source, or in proportion to the text. */
  #startOf(node: MarkNode): Place {
    const { openIndex, openOffset, closeIndex } = node;
    const before = this.#source[openIndex - 1];
    if (before !== undefined && typeof before !== 'string') {
      const extent = this.#extents.get(before.id);
      const place = before.mark === 'open' ? extent?.start : extent?.end;
      if (place !== undefined) return { ...place, sourceIndex: openIndex };
    }
    const after = this.#source[closeIndex + 1];
    const isEmpty = !node.isElement || closeIndex === openIndex + 1;
    if (isEmpty && after !== undefined && typeof after !== 'string') {
      const extent = this.#extents.get(after.id);
      const place = after.mark === 'close' ? extent?.end : extent?.start;
      const isWhole = after.mark !== 'close' || extent?.start.rank !== extent?.end.rank;
      if (place !== undefined && isWhole) return { ...place, sourceIndex: openIndex };
    }
    const { sourceStart, start, ratio } = this.#scaleOf(node);
    const wanted = Math.round(start + (openOffset - sourceStart) * ratio);
    return { offset: this.#betweenWords(wanted, 'start'), rank: AFTER, sourceIndex: openIndex };
  }

  /** Returns the end that gives the element the same share of the text as in the source. */
  #endOf(node: MarkNode, start: Place): Place {
    const { openOffset, closeOffset, closeIndex: sourceIndex } = node;
    const length = Math.round((closeOffset - openOffset) * this.#scaleOf(node).ratio);
    if (length === 0) return { ...start, sourceIndex };
    const wanted = Math.min(this.#text.length, start.offset + length);
    const offset = this.#betweenWords(wanted, 'end');
    return offset <= start.offset
      ? { ...start, sourceIndex }
      : { offset, rank: BEFORE, sourceIndex };
  }

  /** Returns the mapping of source offsets to translation offsets within the parent element. */
  #scaleOf({ parent }: MarkNode): { sourceStart: number; start: number; ratio: number } {
    const extent = parent && this.#extents.get(parent.id);
    if (extent === undefined) {
      return { sourceStart: 0, start: 0, ratio: this.#text.length / this.#sourceLength };
    }
    const sourceStart = parent?.openOffset ?? 0;
    const sourceLength = Math.max(1, (parent?.closeOffset ?? 0) - sourceStart);
    const start = extent.start.offset;
    return { sourceStart, start, ratio: (extent.end.offset - start) / sourceLength };
  }

  /** Clamps a position to the parent element, so that the parent need not grow. */
  #within({ parent }: MarkNode, place: Place): Place {
    const extent = parent && this.#extents.get(parent.id);
    if (extent === undefined) return place;
    const { sourceIndex } = place;
    if (comparePlaces(place, extent.start) < 0) return { ...extent.start, sourceIndex };
    if (comparePlaces(place, extent.end) > 0) return { ...extent.end, sourceIndex };
    return place;
  }

  /** Returns the nearest word boundary; a character boundary in scripts without blanks. */
  #betweenWords(wanted: number, side: 'start' | 'end'): number {
    for (let distance = 0; distance <= WORD_REACH; distance += 1) {
      if (this.#isAt(wanted - distance, side)) return wanted - distance;
      if (this.#isAt(wanted + distance, side)) return wanted + distance;
    }
    const codeUnit = this.#text.charCodeAt(wanted);
    const splitsPair = wanted > 0 && (codeUnit & 0xfc00) === 0xdc00;
    return splitsPair ? wanted - 1 : wanted;
  }

  #isAt(offset: number, side: 'start' | 'end'): boolean {
    if (offset < 0 || offset > this.#text.length) return false;
    if (offset === 0 || offset === this.#text.length) return true;
    const outside = this.#text.charAt(side === 'start' ? offset - 1 : offset);
    const inside = this.#text.charAt(side === 'start' ? offset : offset - 1);
    return BLANK.test(outside) && !BLANK.test(inside);
  }
}

// The marks of a segment as a tree.

interface MarkNode {
  id: number;
  isElement: boolean;
  /** The surrounding element. */
  parent: MarkNode | undefined;
  /** Indexes in the segment; equal for a lone mark. */
  openIndex: number;
  closeIndex: number;
  /** Length of the segment's text before its start and before its end, in UTF-16 units. */
  openOffset: number;
  closeOffset: number;
}

/** Returns the marks of a well-nested segment, in reading order. */
function marksOf(segment: TextSegment): MarkNode[] {
  const nodes: MarkNode[] = [];
  const open: MarkNode[] = [];
  let offset = 0;
  for (const [index, part] of segment.entries()) {
    if (typeof part === 'string') {
      offset += part.length;
    } else if (part.mark === 'close') {
      const node = open.pop();
      if (node === undefined) continue;
      node.closeIndex = index;
      node.closeOffset = offset;
    } else {
      const node: MarkNode = {
        id: part.id,
        isElement: part.mark === 'open',
        parent: open.at(-1),
        openIndex: index,
        closeIndex: index,
        openOffset: offset,
        closeOffset: offset,
      };
      nodes.push(node);
      if (node.isElement) open.push(node);
    }
  }
  return nodes;
}
