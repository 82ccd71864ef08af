/**
 * Mends the marks of a translated segment. Whatever an engine did to them, each mark of the source
 * is there once, elements are well nested, and what was inside an element still is.
 */
import { type MarkNode, marksOf } from './mark-outline.ts';
import { type Place, comparePlaces, locateMarks } from './mark-places.ts';
import { type Mark, plainText, type TextSegment } from './text-segment.ts';

/**
 * The translated segment with exactly the marks of the source. Marks stay where the engine put them;
 * an element that it wrote several times reaches from its first to its last occurrence, one that
 * overlaps another is prolonged, and lost marks come back beside their neighbours in the source or at
 * the same share of the text. Unknown marks go. The text is untouched, and a segment without faults
 * is returned as it is. Takes time in proportion to the length, but for sorting the marks.
 */
export function repairMarks(source: TextSegment, translated: TextSegment): TextSegment {
  const marks = marksOf(source);
  if (isSound(marks, translated)) return translated;
  if (marks.length === 0) return [plainText(translated)];
  return nested(eventsOf(source, translated, marks), translated);
}

/** Whether each mark is there once, elements are nested, and all within what they were within. */
function isSound(marks: readonly MarkNode[], translated: TextSegment): boolean {
  const state = new Map<number, { node: MarkNode; seen: 'not' | 'open' | 'done' }>();
  for (const node of marks) state.set(node.id, { node, seen: 'not' });
  let left = marks.length;
  const open: number[] = [];
  for (const part of translated) {
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

/** A mark at its place in the translated text. */
interface MarkEvent {
  mark: Mark;
  place: Place;
}

function eventsOf(
  source: TextSegment,
  translated: TextSegment,
  marks: readonly MarkNode[],
): MarkEvent[] {
  const places = locateMarks(source, translated, marks);
  const events: MarkEvent[] = [];
  for (const { id, isElement } of marks) {
    const place = places.get(id);
    if (place === undefined) continue;
    events.push({ mark: { mark: isElement ? 'open' : 'lone', id }, place: place.start });
    if (isElement) events.push({ mark: { mark: 'close', id }, place: place.end });
  }
  return events.sort((a, b) => comparePlaces(a.place, b.place));
}

/** Writes text and marks in order; an element ends only after what began within it has. */
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
