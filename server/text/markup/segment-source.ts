/** A segment and the slices of the source it was made from. */
import type { Mark, TextSegment } from '../text-segment.ts';
import { findPlaceholders, type Span } from '../placeholders.ts';
import { type FlowItem, type Reference, STEP, type Steps } from './text-layout.ts';

export interface LaidOutSegment {
  segment: TextSegment;
  /** Start and end in the source. */
  start: number;
  end: number;
  /** The parts of the segment, in the same order. */
  parts: readonly SegmentPart[];
}

interface SegmentPart {
  value: string | Mark;
  start: number;
  end: number;
  /** References that the source uses for characters of a text. */
  references: WrittenReference[] | undefined;
}

interface WrittenReference {
  text: string;
  start: number;
  end: number;
}

const LETTER = /\p{L}/u;

/**
 * Makes a segment from items; undefined when there is nothing to translate. Blanks and tags at its ends stay
 * outside, as does an element around the whole segment: parts that are not sent cannot be damaged.
 */
export function layOutSegment(
  source: string,
  items: readonly SegmentItem[],
): LaidOutSegment | undefined {
  if (!items.some((item) => item.kind === 'text' && LETTER.test(item.text))) return undefined;
  const core = coreOf(items);
  const [first] = core;
  const last = core.at(-1);
  if (first === undefined || last === undefined) return undefined;
  const parts = partsOf(core);
  return { segment: parts.map(({ value }) => value), start: first.start, end: last.end, parts };
}

/** Removes outer blanks, tags and surrounding elements, which a translation does not need. */
export function coreOf(items: readonly SegmentItem[]): readonly SegmentItem[] {
  let from = 0;
  let to = items.length - 1;
  for (;;) {
    while (from < to && isOutside(items[from])) from += 1;
    while (to > from && isOutside(items[to])) to -= 1;
    const first = items[from];
    const last = items[to];
    const isWrapped =
      first?.kind === 'open' && last?.kind === 'close' && first.element === last.element;
    if (!isWrapped) break;
    from += 1;
    to -= 1;
  }
  const core = items.slice(from, to + 1);
  const first = core[0];
  if (first?.kind === 'text') {
    core[0] = partOf(first, first.text.length - first.text.trimStart().length, first.text.length);
  }
  const last = core.at(-1);
  if (last?.kind === 'text') core[core.length - 1] = partOf(last, 0, last.text.trimEnd().length);
  return core;
}

function isOutside(item: SegmentItem | undefined): boolean {
  if (item?.kind === 'text') return item.text.trim() === '';
  return item?.kind === 'lone' && !item.word;
}

/** Joins adjacent text and numbers the marks in reading order, from 1. */
function partsOf(items: readonly SegmentItem[]): SegmentPart[] {
  const parts: SegmentPart[] = [];
  const ids = new Map<number, number>();
  let id = 0;
  let texts: string[] = [];
  let text: SegmentPart | undefined;
  const endText = (): void => {
    if (text === undefined) return;
    text.value = texts.length === 1 ? (texts[0] ?? '') : texts.join('');
    texts = [];
    text = undefined;
  };
  for (const item of items) {
    const { kind, start, end } = item;
    if (kind === 'text') {
      if (text === undefined) {
        text = { value: '', start, end, references: undefined };
        parts.push(text);
      }
      text.end = end;
      texts.push(item.text);
      if (!item.literal) (text.references ??= []).push({ text: item.text, start, end });
      continue;
    }
    endText();
    if (kind !== 'close') id += 1;
    if (kind === 'open') ids.set(item.element, id);
    const markId = kind === 'close' ? (ids.get(item.element) ?? id) : id;
    parts.push({ value: { mark: kind, id: markId }, start, end, references: undefined });
  }
  endText();
  return parts;
}

/** Writes a translation in the source's grammar; unchanged text is copied from the source. */
export function* renderSegment(
  source: string,
  { segment, start, end, parts }: LaidOutSegment,
  translation: TextSegment,
  write: WriteText,
): Steps<string> {
  yield;
  if (translation === segment) return source.slice(start, end);
  const unchanged = new UnchangedText(source, parts);
  yield;
  const asWritten = referencesOf(source, parts);
  yield;
  const marks = marksOf(source, parts);
  let text = '';
  // Adjacent strings are written as one, since separately written parts might combine to markup.
  let pending = '';
  for (const [index, part] of translation.entries()) {
    if (index % STEP === 0) yield;
    if (typeof part === 'string') {
      pending += part;
      continue;
    }
    if (pending !== '') text += unchanged.take(pending) ?? write(pending, asWritten);
    pending = '';
    text += marks[part.mark].get(part.id) ?? '';
  }
  if (pending !== '') text += unchanged.take(pending) ?? write(pending, asWritten);
  return text;
}

function marksOf(
  source: string,
  parts: readonly SegmentPart[],
): Record<Mark['mark'], Map<number, string>> {
  const marks = {
    open: new Map<number, string>(),
    close: new Map<number, string>(),
    lone: new Map<number, string>(),
  };
  for (const { value, start, end } of parts) {
    if (typeof value !== 'string') marks[value.mark].set(value.id, source.slice(start, end));
  }
  return marks;
}

function referencesOf(source: string, parts: readonly SegmentPart[]): Map<string, string> {
  const asWritten = new Map<string, string>();
  for (const { references } of parts) {
    for (const { text, start, end } of references ?? []) {
      // A character is written literally only if the source never writes it as a reference.
      if ((asWritten.get(text) ?? text) === text) asWritten.set(text, source.slice(start, end));
    }
  }
  return asWritten;
}

/** Returns the source of unchanged texts, each once and in reading order. */
class UnchangedText {
  readonly #source: string;
  readonly #texts = new Map<string, SegmentPart[]>();

  constructor(source: string, parts: readonly SegmentPart[]) {
    this.#source = source;
    for (let index = parts.length - 1; index >= 0; index -= 1) {
      const part = parts[index];
      if (typeof part?.value !== 'string') continue;
      const same = this.#texts.get(part.value);
      if (same === undefined) this.#texts.set(part.value, [part]);
      else same.push(part);
    }
  }

  take(text: string): string | undefined {
    const part = this.#texts.get(text)?.pop();
    return part === undefined ? undefined : this.#source.slice(part.start, part.end);
  }
}

// The parts of a segment, each a slice of the source.

/** Text as the engine sees it: a `literal` equals its slice of the source, a reference does not. */
interface TextItem {
  kind: 'text';
  text: string;
  literal: boolean;
  start: number;
  end: number;
}

export type SegmentItem = TextItem | Exclude<FlowItem, { kind: 'text' | 'cut' }>;

/**
 * Placeholder for a mark that is a word, used during sentence segmentation; reads as a name, not an initial.
 */
export const WORD_STAND_IN = 'Xx';

/**
 * Appends a run of text to `items` as literals, references and placeholders; placeholders are marks, so that
 * engines cannot change them.
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

/** Placeholder for a reference with unknown text; cannot occur in well-formed text. */
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

/** Turns placeholders and unknown references into marks, in one pass over both lists. */
function* withPlaceholders(
  pieces: readonly TextItem[],
  placeholders: readonly Span[],
): Generator<SegmentItem> {
  let next = 0;
  let pieceStart = 0;
  /** Start of the placeholder being assembled, in the source. */
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

/** Returns a part of an item, by UTF-16 positions in its text; a reference is indivisible. */
export function partOf(item: TextItem, from: number, to: number): TextItem {
  if (!item.literal || (from === 0 && to === item.text.length)) return item;
  const text = item.text.slice(from, to);
  return { kind: 'text', text, literal: true, start: item.start + from, end: item.start + to };
}

function textOrMark(item: TextItem): SegmentItem {
  if (item.literal || item.text !== UNKNOWN) return item;
  return { kind: 'lone', word: true, start: item.start, end: item.end };
}

/** Writes text in the grammar; `asWritten` maps characters to the references the source uses. */
export type WriteText = (text: string, asWritten: ReadonlyMap<string, string>) => string;
