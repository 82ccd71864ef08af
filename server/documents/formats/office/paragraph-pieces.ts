/**
 * A paragraph as a sequence of pieces: texts with their format, standalone objects, and elements
 * that enclose other pieces. The segment to be translated is built from them.
 */
import type { XmlElement } from './xml-element.ts';
import {
  type Division,
  hasLetters,
  type Mark,
  type TextSegment,
} from '../../../text/text-segment.ts';

/** Visible format of a run. */
export interface RunFormat {
  /** Equal for runs that look the same. */
  key: string;
  /** Properties of the first run with this format. */
  properties: XmlElement | undefined;
  /** Whether blanks in this format are visible: underlined, struck through or shaded. */
  showsBlanks: boolean;
}

/** An element with a start and an end: a link, a field, a bookmark, a control, a format. */
export interface Enclosure {
  /** Returns the XML before the content; called when the paragraph is written. */
  open: () => string;
  /**
   * Returns the XML after the content. @param content the XML written in between, for enclosures
   * that repeat it
   */
  close: (content: string) => string;
  /** For a format, which has no XML of its own but is part of each run. */
  format?: RunFormat;
}

export type Piece =
  | { kind: 'text'; text: string; format: RunFormat }
  /**
   * `divides`: is a tab or a line break, which reads as a blank within a sentence. `keepsOrder`: must keep its
   * order among other such pieces, such as the start and the end of a field.
   */
  | { kind: 'lone'; xml: () => string; divides?: Division | undefined; keepsOrder?: boolean }
  | { kind: 'open' | 'close'; enclosure: Enclosure };

/** Pieces without text between them, which become one mark. */
interface LoneGroup {
  kind: 'group';
  pieces: Piece[];
  divides: Division | undefined;
  keepsOrder: boolean;
}

/** The content of a lone mark. */
export interface LonePieces {
  pieces: readonly Piece[];
  /** Whether the segment has a blank after the mark that the document does not have. */
  hasAddedBlank: boolean;
  keepsOrder: boolean;
}

type Item = Exclude<Piece, { kind: 'lone' }> | LoneGroup;

/** A segment with the meaning of its marks, and the pieces that stay outside of it. */
export interface ParagraphText {
  segment: TextSegment;
  /** Format of the text outside of marks: the most common one. */
  base: RunFormat;
  before: readonly Piece[];
  after: readonly Piece[];
  enclosures: ReadonlyMap<number, Enclosure>;
  lone: ReadonlyMap<number, LonePieces>;
}

/** Returns the translatable text of a paragraph; undefined when it has no letters. */
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
 * Gives blanks between differently formatted words the format of the preceding word, unless the
 * difference is visible: a change of format within blanks would only add useless marks.
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

/**
 * Returns the format of most of the text. Underlined words and the like are left out where others are beside
 * them, as the blanks around a mark have this format.
 */
function commonestFormat(pieces: readonly Piece[]): RunFormat | undefined {
  const formats = new Map<string, { format: RunFormat; length: number; hasWords: boolean }>();
  for (const piece of pieces) {
    if (piece.kind !== 'text') continue;
    const { format, text } = piece;
    const entry = formats.get(format.key) ?? { format, length: 0, hasWords: false };
    entry.length += text.length;
    entry.hasWords ||= /[\p{L}\p{N}]/u.test(text);
    formats.set(format.key, entry);
  }
  const all = [...formats.values()];
  const plain = all.filter(({ format, hasWords }) => hasWords && !format.showsBlanks);
  const [first, ...others] = plain.length > 0 ? plain : all;
  if (first === undefined) return undefined;
  return others.reduce((most, each) => (each.length > most.length ? each : most), first).format;
}

/** Joins neighbouring texts of the same format, and groups each run of pieces without text. */
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

/** Returns the indexes of starts and ends of enclosures that contain text. */
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
  // An enclosure that does not end in this paragraph keeps its place as well.
  for (const { index } of open) found.add(index);
  return found;
}

function joinGroup(items: Item[], piece: Piece): void {
  const last = items.at(-1);
  const divides = piece.kind === 'lone' ? piece.divides : undefined;
  const keepsOrder = piece.kind === 'lone' && piece.keepsOrder === true;
  if (last?.kind !== 'group') {
    items.push({ kind: 'group', pieces: [piece], divides, keepsOrder });
    return;
  }
  last.pieces.push(piece);
  // Two line breaks end a paragraph; a tab after one indents the line.
  const isParagraph = divides === 'line' && last.divides !== undefined;
  last.divides = isParagraph ? 'gap' : (last.divides ?? divides);
  last.keepsOrder ||= keepsOrder;
}

/** Encloses texts that do not have the base format; standalone objects among them stay inside. */
function withFormats(items: readonly Item[], base: RunFormat): Item[] {
  const out: Item[] = [];
  let current: Enclosure | undefined;
  /** Index where the current format would end: after its last text. */
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

/** Limit on joined enclosures, which no ordinary document reaches: each adds a nested call. */
const MAX_JOINED = 50;

/** Joins enclosures that begin and end together, such as a link and the colour of all its text. */
function withJointEnclosures(items: readonly Item[]): Item[] {
  const partner = partners(items);
  const out: Item[] = [];
  /** Open enclosures, with their index in `out` and the number of enclosures that have joined them. */
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
 * Returns the range of items between the marks at both ends of a paragraph. An enclosure that
 * begins before the first text stays outside only if it ends after the last one.
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

/** Maps the index of each open to that of its close, and vice versa. */
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

/** Cuts the blanks from one end of the text, as engines do not preserve them. */
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

/** Numbers the marks and builds the segment. */
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
      const { pieces, divides, keepsOrder } = item;
      const isBlank = divides !== undefined;
      const hasAddedBlank: boolean = isBlank && !isAfterBlank && ahead[index] === false;
      lone.set(nextId, { pieces, hasAddedBlank, keepsOrder });
      segment.push({ mark: 'lone', id: nextId, divides });
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

/** Returns for each item whether the next text after it begins with a blank or does not exist. */
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
