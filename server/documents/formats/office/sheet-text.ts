/**
 * Text of spreadsheets: strings with runs of different fonts (ISO/IEC 29500-1, 18.4), and the
 * `_xHHHH_` escapes for characters that XML cannot contain (22.9.2.19).
 */
import type { Mark, TextSegment } from '../../../text/text-segment.ts';
import type { TextExchange } from './office-parts.ts';
import type { PartVisitor } from './part-reading.ts';
import type { TextSet } from './sheet-formulas.ts';
import {
  childOf,
  elementLike,
  elementsOf,
  serialise,
  startTag,
  textOf,
  type XmlElement,
  encodeText,
} from './xml-element.ts';

/** Decodes the escapes of a workbook string: `_x000a_` is a line break. */
export function decodeString(written: string): string {
  if (!written.includes('_x')) return written;
  return written.replace(/_x([0-9a-f]{4})_/gi, (_, hex: string) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
}

/** Encodes text as a workbook string; text that merely looks like an escape is escaped. */
export function encodeString(text: string): string {
  return text
    .replace(/_(?=x[0-9a-f]{4}_)/gi, '_x005F_')
    .replace(/[\u0000-\u0008\u000b-\u001f\ufffe\uffff]/g, (character) => {
      const hex = character.charCodeAt(0).toString(16).toUpperCase();
      return `_x${hex.padStart(4, '0')}_`;
    });
}

/** A string of a workbook (`si`, `is`, or `text` of a comment) as a segment. */
export interface RichString {
  text: string;
  segment: TextSegment;
  /** Returns the text of a translated segment, with the source's surrounding white space. */
  textOf(translated: TextSegment): string;
  /**
   * Returns the XML of the content with the segment replaced. Phonetic hints are dropped, as they
   * belong to the old text.
   */
  write(translated: TextSegment): string;
}

/** A stretch of text in one font. */
interface Piece {
  text: string;
  /** Run properties; undefined when the cell's apply. */
  font: XmlElement | undefined;
  /** Equal for pieces that look the same. */
  look: string;
}

/** Maximum length of a cell's text in UTF-16 units; Excel takes a workbook with a longer one for damaged. */
const MAX_LENGTH = 32_767;

/** Reads a string; undefined when it has no letters. */
export function readRichString(element: XmlElement): RichString | undefined {
  const pieces = piecesOf(element);
  const text = pieces.map((piece) => piece.text).join('');
  if (!/\p{L}/u.test(text)) return undefined;
  const before = /^\s*/.exec(text)?.[0] ?? '';
  const after = /\s*$/.exec(text)?.[0] ?? '';
  const layout = layOut(trimmed(pieces, before.length, text.length - after.length));
  return {
    text,
    segment: layout.segment,
    textOf: (translated) =>
      before +
      resolve(translated, layout)
        .map(({ text }) => text)
        .join('') +
      after,
    write: (translated) => {
      const written = resolve(translated, layout);
      const [first] = written;
      const last = written.at(-1);
      if (first !== undefined) first.text = before + first.text;
      if (last !== undefined) last.text += after;
      return writePieces(element, trimmed(written, 0, MAX_LENGTH));
    },
  };
}

/** Reads the string in a `v` of a cell, which has one font; undefined when it has no letters. */
export function readPlainString(element: XmlElement): RichString | undefined {
  const t = elementLike(element, 't', element.children);
  const text = readRichString({ ...element, children: [t] });
  return (
    text && {
      ...text,
      write: (translated) => encodeText(encodeString(text.textOf(translated).slice(0, MAX_LENGTH))),
    }
  );
}

function piecesOf(element: XmlElement): Piece[] {
  const pieces: Piece[] = [];
  for (const child of elementsOf(element)) {
    if (child.name === 'x:t') {
      pieces.push({ text: decodeString(textOf(child)), font: undefined, look: '' });
    } else if (child.name === 'x:r') {
      const t = childOf(child, 'x:t');
      const font = childOf(child, 'x:rPr');
      const look = font === undefined ? '' : serialise(font);
      if (t !== undefined) pieces.push({ text: decodeString(textOf(t)), font, look });
    }
  }
  return pieces;
}

/** Returns the pieces between two offsets of the text. */
function trimmed(pieces: readonly Piece[], start: number, end: number): Piece[] {
  let at = 0;
  const kept: Piece[] = [];
  for (const piece of pieces) {
    const text = piece.text.slice(Math.max(0, start - at), Math.max(0, end - at));
    at += piece.text.length;
    if (text !== '') kept.push({ ...piece, text });
  }
  return kept;
}

interface Layout {
  segment: TextSegment;
  /** The font outside of all marks. */
  base: Piece | undefined;
  /** Fonts of enclosing marks and texts of lone marks (line breaks), by mark id. */
  fonts: Map<number, Piece>;
  breaks: Map<number, string>;
}

/**
 * Builds a segment: the most common font is the base, text in other fonts is enclosed in marks, and
 * line breaks are lone marks.
 */
function layOut(pieces: readonly Piece[]): Layout {
  const lengths = new Map<string, number>();
  for (const { look, text } of pieces) lengths.set(look, (lengths.get(look) ?? 0) + text.length);
  const [common] = [...lengths].toSorted(([, a], [, b]) => b - a);
  const base = pieces.find(({ look }) => look === common?.[0]);
  const segment: (string | Mark)[] = [];
  const layout: Layout = { segment, base, fonts: new Map(), breaks: new Map() };
  let lastId = 0;
  let open: { id: number; look: string } | undefined;
  for (const piece of pieces) {
    // Blanks look alike in most fonts, so they do not start an enclosure.
    const look = piece.text.trim() === '' && open === undefined ? base?.look : piece.look;
    if (open !== undefined && open.look !== look) {
      segment.push({ mark: 'close', id: open.id });
      open = undefined;
    }
    if (open === undefined && look !== base?.look) {
      open = { id: (lastId += 1), look: piece.look };
      layout.fonts.set(open.id, piece);
      segment.push({ mark: 'open', id: open.id });
    }
    for (const part of piece.text.split(/(\s*\n\s*)/)) {
      const last = segment.at(-1);
      if (part.includes('\n')) {
        layout.breaks.set((lastId += 1), part);
        const divides = part.split('\n').length > 2 ? 'gap' : 'line';
        segment.push({ mark: 'lone', id: lastId, divides });
      } else if (typeof last === 'string') segment[segment.length - 1] = last + part;
      else if (part !== '') segment.push(part);
    }
  }
  if (open !== undefined) segment.push({ mark: 'close', id: open.id });
  return layout;
}

/** Splits a translated segment into pieces of one font each. */
function resolve(translated: TextSegment, { base, fonts, breaks }: Layout): Piece[] {
  const pieces: Piece[] = [];
  const open: (Piece | undefined)[] = [base];
  const add = (text: string): void => {
    const font = open.at(-1)?.font;
    const look = open.at(-1)?.look ?? '';
    const last = pieces.at(-1);
    if (last?.look === look) last.text += text;
    else if (text !== '') pieces.push({ text, font, look });
  };
  for (const part of translated) {
    if (typeof part === 'string') add(part);
    else if (part.mark === 'lone') add(breaks.get(part.id) ?? '');
    else if (part.mark === 'open') open.push(fonts.get(part.id) ?? base);
    else open.pop();
  }
  return pieces;
}

function writePieces(element: XmlElement, pieces: readonly Piece[]): string {
  const [first] = pieces;
  if (pieces.length === 1 && first?.font === undefined)
    return textElement(element, first?.text ?? '');
  return pieces
    .map(({ text, font }) => {
      const run = elementLike(element, 'r');
      run.children = [...(font === undefined ? [] : [font]), textElement(element, text)];
      return serialise(run);
    })
    .join('');
}

/**
 * Returns `<t>` with a text, in the vocabulary of `like`; blanks that XML readers would drop are preserved.
 */
function textElement(like: XmlElement, text: string): string {
  const t = elementLike(like, 't', [encodeText(encodeString(text))]);
  if (/^\s|\s$|[\n\r\t]|\s\s/.test(text)) t.tag = t.tag.replace('/>', ' xml:space="preserve"/>');
  return serialise(t);
}

/** Returns `<is>` with plain text, for a cell with a text of its own. */
export function inlineString(like: XmlElement, text: string): string {
  const is = elementLike(like, 'is', [textElement(like, text)]);
  return serialise({ ...is, tag: startTag(is) });
}

// Shared strings of a workbook, which cells refer to by number (ISO/IEC 29500-1, 18.4.9).

/** Set of the used string numbers, as a bit map: a workbook may have millions of strings. */
export class StringNumbers {
  #bits = new Uint8Array(1024);

  add(number: number): void {
    // No workbook has as many strings; a larger number means damage.
    if (!Number.isInteger(number) || number < 0 || number >= 100_000_000) return;
    const byte = number >> 3;
    if (byte >= this.#bits.length) {
      const grown = new Uint8Array(Math.max(byte + 1, this.#bits.length * 2));
      grown.set(this.#bits);
      this.#bits = grown;
    }
    this.#bits[byte] = (this.#bits[byte] ?? 0) | (1 << (number & 7));
  }

  has(number: number): boolean {
    return ((this.#bits[number >> 3] ?? 0) & (1 << (number & 7))) !== 0;
  }
}

/**
 * Creates a visitor for one pass over the shared strings. Strings that no cell shows are left as they are.
 *
 * @param options.fixed texts that stay, in lower case
 * @param options.onString called with each string that is offered
 */
export function sharedStringsVisitor(options: {
  exchange: TextExchange;
  used: StringNumbers;
  fixed: TextSet;
  onString?: (number: number, text: RichString) => void;
}): PartVisitor {
  const { exchange, used, fixed, onString } = options;
  let next = 0;
  return {
    isTree: (name) => name === 'x:si',
    tree: (element) => {
      const number = next;
      next += 1;
      if (!used.has(number)) return undefined;
      const text = readRichString(element);
      if (text === undefined || fixed.has(text.text.trim().toLowerCase())) return undefined;
      onString?.(number, text);
      const translated = exchange(text.segment, 'paragraph');
      return translated && serialise({ ...element, children: [text.write(translated)] });
    },
  };
}
