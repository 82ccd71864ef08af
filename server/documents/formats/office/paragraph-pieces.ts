/**
 * A paragraph as a row of pieces: texts with their format, things that stand alone, and elements that
 * enclose others. From them the segment is made that is translated.
 */
import type { XmlElement } from './xml-element.ts';
import { hasLetters, type Mark, type TextSegment } from '../../../text/text-segment.ts';

/** How a run looks. */
export interface RunFormat {
  /** Equal for runs that look the same. */
  key: string;
  /** As the first of such runs has them. */
  properties: XmlElement | undefined;
  /** Blanks of this format are seen: underlined, struck through, shaded. */
  showsBlanks: boolean;
}

/** Something with a beginning and an end: a link, a field, a bookmark, a control, a format. */
export interface Enclosure {
  /** XML before what is inside, and after it; made when it is written. */
  open: () => string;
  /** @param content what was written between the two, for enclosures that say it once more */
  close: (content: string) => string;
  /** For a format: it has no XML of its own but is part of each run. */
  format?: RunFormat;
}

export type Piece =
  | { kind: 'text'; text: string; format: RunFormat }
  /**
   * `isBlank`: reads as a blank, like a tab or a line break. `keepsOrder`: must not change places with
   * others that do, like the beginning and the end of a field.
   */
  | { kind: 'lone'; xml: () => string; isBlank: boolean; keepsOrder?: boolean }
  | { kind: 'open' | 'close'; enclosure: Enclosure };

/** Pieces that travel as one mark, as there is no text between them. */
interface LoneGroup {
  kind: 'group';
  pieces: Piece[];
  isBlank: boolean;
  keepsOrder: boolean;
}

/** What a lone mark stands for. */
export interface LonePieces {
  pieces: readonly Piece[];
  /** The segment has a blank after it that the document has not. */
  hasAddedBlank: boolean;
  keepsOrder: boolean;
}

type Item = Exclude<Piece, { kind: 'lone' }> | LoneGroup;

/** A segment with what its marks stand for, and what stays outside of it. */
export interface ParagraphText {
  segment: TextSegment;
  /** Format of the text outside of marks: the commonest one. */
  base: RunFormat;
  before: readonly Piece[];
  after: readonly Piece[];
  enclosures: ReadonlyMap<number, Enclosure>;
  lone: ReadonlyMap<number, LonePieces>;
}

/** What there is to translate in a paragraph, or undefined when it has no letters. */
export function paragraphText(pieces: readonly Piece[]): ParagraphText | undefined {
  const texts = pieces.filter((piece) => piece.kind === 'text');
  if (!hasLetters(texts.map(({ text }) => text).join(''))) return undefined;
  const steady = withSteadyBlanks(pieces);
  const base = commonestFormat(steady);
  if (base === undefined) return undefined;
  const items = withJointEnclosures(withFormats(grouped(steady), base));
  const { from, to } = innerRange(items);
  const outer = (part: readonly Item[]): Piece[] =>
    part.flatMap((item) => (item.kind === 'group' ? item.pieces : [item]));
  const inner = items.slice(from, to);
  const before = [...outer(items.slice(0, from)), ...blanksCut(inner, 'start')];
  const after = [...blanksCut(inner, 'end'), ...outer(items.slice(to))];
  return { base, before, after, ...numbered(inner) };
}

/**
 * Blanks between words of different formats go with what is before them, unless one would see it: a
 * change of format in a blank would be a mark for nothing.
 */
function withSteadyBlanks(pieces: readonly Piece[]): Piece[] {
  let format: RunFormat | undefined;
  return pieces.map((piece) => {
    if (piece.kind !== 'text') {
      if (piece.kind !== 'lone') format = undefined;
      return piece;
    }
    const isBlank = piece.text.trim() === '';
    if (isBlank && format !== undefined && !piece.format.showsBlanks && !format.showsBlanks) {
      return { ...piece, format };
    }
    format = piece.format;
    return piece;
  });
}

function commonestFormat(pieces: readonly Piece[]): RunFormat | undefined {
  const lengths = new Map<string, { format: RunFormat; length: number }>();
  let commonest: { format: RunFormat; length: number } | undefined;
  for (const piece of pieces) {
    if (piece.kind !== 'text') continue;
    const entry = lengths.get(piece.format.key) ?? { format: piece.format, length: 0 };
    entry.length += piece.text.length;
    lengths.set(piece.format.key, entry);
    if (commonest === undefined || entry.length > commonest.length) commonest = entry;
  }
  return commonest?.format;
}

/** Joins neighbouring texts of a format, and makes one group of each stretch without text. */
function grouped(pieces: readonly Piece[]): Item[] {
  const withText = enclosuresWithText(pieces);
  const items: Item[] = [];
  for (const [index, piece] of pieces.entries()) {
    const last = items.at(-1);
    if (piece.kind === 'text') {
      if (piece.text === '') continue;
      if (last?.kind === 'text' && last.format.key === piece.format.key) last.text += piece.text;
      else items.push({ ...piece });
    } else if (piece.kind !== 'lone' && withText.has(index)) {
      items.push(piece);
    } else {
      joinGroup(items, piece);
    }
  }
  return items;
}

/** Indexes of the beginnings and ends of enclosures in which there is text. */
function enclosuresWithText(pieces: readonly Piece[]): Set<number> {
  const found = new Set<number>();
  const open: { index: number; hasText: boolean }[] = [];
  for (const [index, piece] of pieces.entries()) {
    const innermost = open.at(-1);
    if (piece.kind === 'open') open.push({ index, hasText: false });
    else if (piece.kind === 'text' && piece.text !== '' && innermost) innermost.hasText = true;
    else if (piece.kind === 'close' && innermost?.hasText === true) {
      found.add(innermost.index).add(index);
      open.pop();
      const outer = open.at(-1);
      if (outer !== undefined) outer.hasText = true;
    } else if (piece.kind === 'close') open.pop();
  }
  // What does not end here has its place all the same.
  for (const { index } of open) found.add(index);
  return found;
}

function joinGroup(items: Item[], piece: Piece): void {
  const last = items.at(-1);
  const isBlank = piece.kind === 'lone' && piece.isBlank;
  const keepsOrder = piece.kind === 'lone' && piece.keepsOrder === true;
  if (last?.kind !== 'group') {
    items.push({ kind: 'group', pieces: [piece], isBlank, keepsOrder });
    return;
  }
  last.pieces.push(piece);
  last.isBlank ||= isBlank;
  last.keepsOrder ||= keepsOrder;
}

/** Encloses texts that do not have the base format; what stands alone among them stays within. */
function withFormats(items: readonly Item[], base: RunFormat): Item[] {
  const out: Item[] = [];
  let current: Enclosure | undefined;
  /** Where the current format would end: after its last text. */
  let end = 0;
  const finish = (): void => {
    if (current !== undefined) out.splice(end, 0, { kind: 'close', enclosure: current });
    current = undefined;
  };
  for (const item of items) {
    if (item.kind === 'group') {
      out.push(item);
      continue;
    }
    if (item.kind !== 'text' || item.format.key !== current?.format?.key) finish();
    if (item.kind === 'text' && item.format.key !== base.key && current === undefined) {
      current = { open: () => '', close: () => '', format: item.format };
      out.push({ kind: 'open', enclosure: current });
    }
    out.push(item);
    end = out.length;
  }
  finish();
  return out;
}

/** More are no longer a document's: each is a call within the one before. */
const MAX_JOINED = 50;

/** Makes one of enclosures that begin and end together: a link and the colour of all its text. */
function withJointEnclosures(items: readonly Item[]): Item[] {
  const partner = partners(items);
  const out: Item[] = [];
  /** Enclosures that are open, where they stand in `out`, and how many have joined them. */
  const open: { enclosure: Enclosure; at: number; joined: number }[] = [];
  for (const [index, item] of items.entries()) {
    const innermost = open.at(-1);
    if (item.kind === 'open') {
      const endsTogether = partner.get(index - 1) === (partner.get(index) ?? 0) + 1;
      const mayJoin = innermost !== undefined && innermost.joined < MAX_JOINED;
      if (mayJoin && items[index - 1]?.kind === 'open' && endsTogether) {
        innermost.enclosure = jointEnclosure(innermost.enclosure, item.enclosure);
        innermost.joined += 1;
        out[innermost.at] = { kind: 'open', enclosure: innermost.enclosure };
      } else {
        open.push({ enclosure: item.enclosure, at: out.length, joined: 0 });
        out.push(item);
      }
    } else if (item.kind === 'close' && innermost !== undefined) {
      if (innermost.joined === 0) {
        open.pop();
        out.push({ kind: 'close', enclosure: innermost.enclosure });
      }
      innermost.joined -= 1;
    } else {
      out.push(item);
    }
  }
  return out;
}

function jointEnclosure(outer: Enclosure, inner: Enclosure): Enclosure {
  const format = inner.format ?? outer.format;
  return {
    open: () => outer.open() + inner.open(),
    close: (content) => {
      const end = inner.close(content);
      return end + outer.close(inner.open() + content + end);
    },
    ...(format !== undefined && { format }),
  };
}

/**
 * The items between the marks at both ends. What begins before the first text must end after the last
 * or it is needed within.
 */
function innerRange(items: readonly Item[]): { from: number; to: number } {
  const isText = ({ kind }: Item): boolean => kind === 'text';
  const first = items.findIndex(isText);
  const last = items.findLastIndex(isText);
  const partner = partners(items);
  let from = first;
  let to = last + 1;
  for (let isSettled = false; !isSettled;) {
    isSettled = true;
    for (let at = 0; at < from; at += 1) {
      if (items[at]?.kind === 'open' && (partner.get(at) ?? 0) < to) {
        from = at;
        isSettled = false;
      }
    }
    for (let at = items.length - 1; at >= to; at -= 1) {
      if (items[at]?.kind === 'close' && (partner.get(at) ?? 0) >= from) {
        to = at + 1;
        isSettled = false;
      }
    }
  }
  return { from, to };
}

/** Index of the close by index of the open, and the other way round. */
function partners(items: readonly Item[]): Map<number, number> {
  const found = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { kind }] of items.entries()) {
    if (kind === 'open') open.push(index);
    if (kind !== 'close') continue;
    const partner = open.pop();
    if (partner === undefined) continue;
    found.set(partner, index).set(index, partner);
  }
  return found;
}

/** Takes the blanks from one end of the text, as engines do not keep them. */
function blanksCut(items: Item[], end: 'start' | 'end'): Piece[] {
  const index = end === 'start' ? 0 : items.length - 1;
  const item = items[index];
  if (item?.kind !== 'text') return [];
  const rest = end === 'start' ? item.text.trimStart() : item.text.trimEnd();
  const cut = item.text.length - rest.length;
  if (cut === 0 || rest === '') return [];
  items[index] = { ...item, text: rest };
  const blanks = end === 'start' ? item.text.slice(0, cut) : item.text.slice(-cut);
  return [{ kind: 'text', text: blanks, format: item.format }];
}

/** Numbers the marks and writes the segment. */
function numbered(items: readonly Item[]): Pick<ParagraphText, 'segment' | 'enclosures' | 'lone'> {
  const enclosures = new Map<number, Enclosure>();
  const ids = new Map<Enclosure, number>();
  const lone = new Map<number, LonePieces>();
  const segment: (string | Mark)[] = [];
  const ahead = blanksAhead(items);
  let nextId = 1;
  let isAfterBlank = true;
  for (const [index, item] of items.entries()) {
    if (item.kind === 'text') {
      addText(segment, item.text);
      isAfterBlank = /\s$/.test(item.text);
    } else if (item.kind === 'group') {
      const hasAddedBlank: boolean = item.isBlank && !isAfterBlank && ahead[index] === false;
      const { pieces, keepsOrder } = item;
      lone.set(nextId, { pieces, hasAddedBlank, keepsOrder });
      segment.push({ mark: 'lone', id: nextId });
      if (hasAddedBlank) addText(segment, ' ');
      isAfterBlank ||= hasAddedBlank;
      nextId += 1;
    } else if (item.kind === 'open') {
      ids.set(item.enclosure, nextId);
      enclosures.set(nextId, item.enclosure);
      segment.push({ mark: 'open', id: nextId });
      nextId += 1;
    } else {
      segment.push({ mark: 'close', id: ids.get(item.enclosure) ?? 0 });
    }
  }
  return { segment, enclosures, lone };
}

/** Whether the next text after each item begins with a blank, or there is none. */
function blanksAhead(items: readonly Item[]): boolean[] {
  const ahead: boolean[] = [];
  let isBlank = true;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    ahead[index] = isBlank;
    const item = items[index];
    if (item?.kind === 'text') isBlank = /^\s/.test(item.text);
  }
  return ahead;
}

function addText(segment: (string | Mark)[], text: string): void {
  const last = segment.at(-1);
  if (typeof last === 'string') segment[segment.length - 1] = last + text;
  else segment.push(text);
}
