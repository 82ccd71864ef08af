/** The parts a segment is made of, each a slice of the source. */
import { findPlaceholders, type Range } from '../placeholders.ts';
import type { FlowItem, Reference } from './flow.ts';

/** Text as the engine sees it: a `literal` is its own slice of the source, a reference is not. */
export interface TextItem {
  kind: 'text';
  text: string;
  literal: boolean;
  start: number;
  end: number;
}

export type SegmentItem = TextItem | Exclude<FlowItem, { kind: 'text' | 'cut' }>;

/** Stands for a word that is a mark (a name, and no initial) when the ends of sentences are looked for. */
export const WORD_STAND_IN = 'Xx';

/**
 * A run of text as items: literals, references, and placeholders, which are marks so that no engine
 * can change them. Appends to `items`.
 */
export function appendText(
  items: SegmentItem[],
  source: string,
  { start, end, references }: Extract<FlowItem, { kind: 'text' }>,
): void {
  const pieces =
    references.length === 0 ? undefined : withReferences(source, start, end, references);
  const text = pieces?.map((piece) => piece.text).join('') ?? source.slice(start, end);
  const before = items.at(-1)?.kind;
  const follows = before === 'close' || before === 'lone';
  const placeholders = findPlaceholders(text, { follows });
  if (pieces !== undefined) {
    for (const item of withPlaceholders(pieces, placeholders)) items.push(item);
  } else if (placeholders.length === 0) {
    items.push({ kind: 'text', text, literal: true, start, end });
  } else {
    const whole: TextItem = { kind: 'text', text, literal: true, start, end };
    for (const item of withPlaceholders([whole], placeholders)) items.push(item);
  }
}

/** Stands for a reference whose text is unknown; it cannot occur in well-formed text. */
const UNKNOWN = '\uFFFF';

function withReferences(
  source: string,
  start: number,
  end: number,
  references: readonly Reference[],
): TextItem[] {
  const pieces: TextItem[] = [];
  const addLiteral = (from: number, to: number): void => {
    if (to <= from) return;
    const text = source.slice(from, to);
    pieces.push({ kind: 'text', text, literal: true, start: from, end: to });
  };
  let at = start;
  for (const reference of references) {
    addLiteral(at, reference.start);
    const text = reference.text === '' ? UNKNOWN : reference.text;
    pieces.push({ kind: 'text', text, literal: false, start: reference.start, end: reference.end });
    at = reference.end;
  }
  addLiteral(at, end);
  return pieces;
}

/** Makes a mark of each placeholder and of each unknown reference; both lists are walked once. */
function* withPlaceholders(
  pieces: readonly TextItem[],
  placeholders: readonly Range[],
): Generator<SegmentItem> {
  let next = 0;
  let pieceStart = 0;
  /** Where the placeholder that is being joined begins in the source. */
  let joinedStart: number | undefined;
  for (const piece of pieces) {
    const pieceEnd = pieceStart + piece.text.length;
    for (let at = pieceStart; at < pieceEnd;) {
      const range = placeholders[next];
      const isInside = range !== undefined && at >= range.start;
      const limit = isInside ? range.end : (range?.start ?? Infinity);
      const end = piece.literal ? Math.min(pieceEnd, limit) : pieceEnd;
      const part = partOf(piece, at - pieceStart, end - pieceStart);
      at = end;
      if (!isInside) {
        yield textOrMark(part);
        continue;
      }
      joinedStart ??= part.start;
      if (end < range.end) continue;
      yield { kind: 'lone', word: true, start: joinedStart, end: part.end };
      joinedStart = undefined;
      next += 1;
    }
    pieceStart = pieceEnd;
  }
}

/** A part of an item, by UTF-16 positions in its text; a reference has no parts. */
export function partOf(item: TextItem, from: number, to: number): TextItem {
  if (!item.literal || (from === 0 && to === item.text.length)) return item;
  const text = item.text.slice(from, to);
  return { kind: 'text', text, literal: true, start: item.start + from, end: item.start + to };
}

function textOrMark(item: TextItem): SegmentItem {
  if (item.literal || item.text !== UNKNOWN) return item;
  return { kind: 'lone', word: true, start: item.start, end: item.end };
}

/** How text of the engine is written in the grammar; `asWritten`: character → reference. */
export type WriteText = (text: string, asWritten: ReadonlyMap<string, string>) => string;
