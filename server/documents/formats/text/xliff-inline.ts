/**
 * Converts the content of a source to a segment, with its codes as numbered marks, and back. Codes
 * are copied as they were written.
 */
import { xmlReferences, writeText, textToken } from '../../../text/markup/tokens.ts';
import { isSameSegment, type Mark, type TextSegment } from '../../../text/text-segment.ts';
import type { Span } from '../../../text/placeholders.ts';
import { findPlaceholders, messageParts } from '../../../text/placeholders.ts';

/** The translatable part of a source. */
export interface InlineContent extends Span {
  /** Range between the tags around it. */
  hole: Span;
  /** The `mid` of a segment of a `seg-source`, by which its target is found. */
  mid: string | undefined;
  /** The text from `start` to `end`, without surrounding blanks and formatting. */
  segment: TextSegment;
  /** Codes of the marks, by id. */
  codes: readonly (Code | undefined)[];
  /** Ids of marks that must keep this order. */
  fixed: readonly number[];
  /** References by the characters for which the source writes them. */
  references: ReadonlyMap<string, string>;
}

/** Source or XML of a mark; a paired mark also has an end. */
interface Code {
  start: Span | string;
  end?: Span | string;
}

interface MarkedPiece extends ContentPiece {
  mark?: Mark | undefined;
}

const NO_CODES: readonly Code[] = [];
const NO_REFERENCES: ReadonlyMap<string, string> = new Map();
const NONE_FIXED: readonly number[] = [];

/**
 * @param options.hole range between start tag and end tag
 * @param options.mid the `mid` of the start tag
 * @param options.isPreserved whether line breaks are significant
 */
export function readContent(
  file: string,
  tokens: readonly ContentToken[],
  { hole, mid, isPreserved }: { hole: Span; mid: string | undefined; isPreserved: boolean },
): InlineContent {
  const pieces = contentPieces(file, tokens, isPreserved);
  const { marks, crossing } = pairCodes(pieces);
  const all: MarkedPiece[] = pieces;
  all.forEach((piece, index) => (piece.mark = marks[index]));
  const inner = withoutEnds(file, all);
  const fixed = inner.flatMap(({ mark, isFixed }) => {
    if (mark?.mark !== 'lone') return [];
    return isFixed === true || crossing.has(mark.id) ? [mark.id] : [];
  });
  return {
    ...borders(file, inner, hole),
    hole,
    mid,
    segment: joined(inner),
    codes: codesOf(inner),
    fixed: fixed.length < 2 ? NONE_FIXED : fixed,
    references: referencesOf(file, inner),
  };
}

/** Writes a translated segment as XML. An unchanged segment is written exactly as in the source. */
export function writeContent(
  file: string,
  { start, end, segment, codes, fixed, references }: InlineContent,
  translated: TextSegment,
): string {
  if (isSameSegment(segment, translated)) return file.slice(start, end);
  const places = new Set(fixed);
  let turn = 0;
  let xml = '';
  for (const part of translated) {
    if (typeof part === 'string') {
      xml += writeText(part, references);
      continue;
    }
    const id = places.has(part.id) ? (fixed[turn++] ?? part.id) : part.id;
    const code = codes[id];
    const written = part.mark === 'close' ? code?.end : code?.start;
    if (written === undefined) continue;
    xml += typeof written === 'string' ? written : file.slice(written.start, written.end);
  }
  return xml;
}

/**
 * Strips what does not need to take part in the translation: blanks, formatting that encloses
 * everything, and unpaired halves of formatting. Placeholders stay, as they may be numbers or names.
 */
function withoutEnds(file: string, pieces: readonly MarkedPiece[]): MarkedPiece[] {
  let partners: Map<number, number> | undefined;
  let first = 0;
  let last = pieces.length - 1;
  for (;;) {
    while (first <= last && isStrippable(file, pieces[first])) first += 1;
    while (first <= last && isStrippable(file, pieces[last])) last -= 1;
    const { mark, isData } = pieces[first] ?? {};
    if (first >= last || mark === undefined || isData === true) break;
    partners ??= partnersById(pieces);
    if (partners.get(mark.id) !== last) break;
    first += 1;
    last -= 1;
  }
  return pieces.slice(first, last + 1).map((piece, index, { length }) => {
    if (piece.role !== 'text' || piece.isData === true) return piece;
    return withoutBlanks(file, piece, { before: index === 0, after: index === length - 1 });
  });
}

/** Returns the index of each element's end, by mark id. */
function partnersById(pieces: readonly MarkedPiece[]): Map<number, number> {
  const ends = new Map<number, number>();
  pieces.forEach(({ mark }, index) => {
    if (mark?.mark === 'close') ends.set(mark.id, index);
  });
  return ends;
}

function isStrippable(file: string, piece: MarkedPiece | undefined): boolean {
  if (piece === undefined || piece.isData === true) return false;
  if (piece.mark === undefined) return file.slice(piece.start, piece.end).trim() === '';
  return piece.mark.mark === 'lone' && (piece.role === 'start' || piece.role === 'end');
}

function withoutBlanks(
  file: string,
  piece: MarkedPiece,
  { before, after }: { before: boolean; after: boolean },
): MarkedPiece {
  const { text = '' } = piece;
  // Searched in the file, as a blank that is written as a reference is intentional.
  const raw = file.slice(piece.start, piece.end);
  const head = before ? raw.length - raw.trimStart().length : 0;
  const tail = after ? raw.length - raw.trimEnd().length : 0;
  if (head === 0 && tail === 0) return piece;
  return {
    ...piece,
    start: piece.start + head,
    end: piece.end - tail,
    text: text.slice(head, text.length - tail),
  };
}

/** Returns the range to be replaced; CDATA is replaced together with its delimiters. */
function borders(file: string, inner: readonly MarkedPiece[], hole: Span): Span {
  const [first, last] = [inner[0], inner.at(-1)];
  if (first === undefined || last === undefined) return { start: hole.start, end: hole.start };
  if (!inner.some(({ isData }) => isData === true)) return { start: first.start, end: last.end };
  const start = first.isData === true ? file.lastIndexOf('<![CDATA[', first.start) : first.start;
  const end = last.isData === true ? file.indexOf(']]>', last.end) + 3 : last.end;
  return { start, end };
}

function joined(pieces: readonly MarkedPiece[]): TextSegment {
  const segment: (string | Mark)[] = [];
  for (const { mark, text = '' } of pieces) {
    const last = segment.at(-1);
    if (mark !== undefined) segment.push(mark);
    else if (typeof last === 'string') segment[segment.length - 1] = last + text;
    else if (text !== '') segment.push(text);
  }
  return segment;
}

function codesOf(pieces: readonly MarkedPiece[]): readonly (Code | undefined)[] {
  if (pieces.every(({ mark }) => mark === undefined)) return NO_CODES;
  const codes: (Code | undefined)[] = [];
  for (const { mark, start, end, xml } of pieces) {
    if (mark === undefined) continue;
    const written = xml ?? { start, end };
    const code = codes[mark.id];
    if (code === undefined) codes[mark.id] = { start: written };
    else code.end = written;
  }
  return codes;
}

function referencesOf(file: string, pieces: readonly MarkedPiece[]): ReadonlyMap<string, string> {
  const written = new Map<string, string>();
  for (const { role, isData, start, end } of pieces) {
    if (role !== 'text' || isData === true) continue;
    for (const reference of xmlReferences(file, start, end)) {
      written.set(reference.text, file.slice(reference.start, reference.end));
    }
  }
  return written.size === 0 ? NO_REFERENCES : written;
}

// Pairing of a segment's codes: which enclose the text between them, and which are lone.

interface PairedPieces {
  /** Mark of each piece; undefined for text. */
  marks: readonly (Mark | undefined)[];
  /** Ids of paired codes that overlap with others and therefore must keep their order. */
  crossing: ReadonlySet<number>;
}

const NONE: PairedPieces = { marks: [], crossing: new Set() };

/** Numbers the codes; the resulting elements are well nested. */
function pairCodes(pieces: readonly ContentPiece[]): PairedPieces {
  if (pieces.every(({ role }) => role === 'text')) return NONE;
  const partners = partnersOf(pieces);
  const enclosing = new Map<number, number>();
  const crossed = new Set<number>();
  const open: number[] = [];
  for (const [index, { role }] of pieces.entries()) {
    if (role === 'open' || (role === 'start' && partners.has(index))) open.push(index);
    const start = role === 'close' || role === 'end' ? partners.get(index) : undefined;
    if (start === undefined || crossed.has(start)) continue;
    while (open.length > 0 && crossed.has(open.at(-1) ?? -1)) open.pop();
    if (role === 'close') {
      // A code that began inside the element and has not ended yet ends outside of it.
      while (open.length > 0 && open.at(-1) !== start) crossed.add(open.pop() ?? -1);
    }
    if (open.at(-1) === start) {
      enclosing.set(start, index).set(index, start);
      open.pop();
    } else {
      crossed.add(start);
    }
  }
  return numbered(pieces, { partners, enclosing });
}

function numbered(
  pieces: readonly ContentPiece[],
  { partners, enclosing }: Record<'partners' | 'enclosing', ReadonlyMap<number, number>>,
): PairedPieces {
  const crossing = new Set<number>();
  let lastId = 0;
  const marks: (Mark | undefined)[] = [];
  for (const [index, { role }] of pieces.entries()) {
    const partner = enclosing.get(index);
    if (role === 'text') {
      marks.push(undefined);
    } else if (partner === undefined) {
      lastId += 1;
      marks.push({ mark: 'lone', id: lastId });
      if (partners.has(index)) crossing.add(lastId);
    } else if (partner > index) {
      lastId += 1;
      marks.push({ mark: 'open', id: lastId });
    } else {
      marks.push({ mark: 'close', id: marks[partner]?.id ?? 0 });
    }
  }
  return { marks, crossing };
}

/** Maps each piece to its partner, if that is in the same segment. */
function partnersOf(pieces: readonly ContentPiece[]): Map<number, number> {
  const partners = new Map<number, number>();
  const open: number[] = [];
  const started = new Map<string, number[]>();
  for (const [index, { role, key = '' }] of pieces.entries()) {
    if (role === 'open') open.push(index);
    if (role === 'start') {
      const starts = started.get(key);
      if (starts === undefined) started.set(key, [index]);
      else starts.push(index);
    }
    const partner =
      role === 'close' ? open.pop() : role === 'end' ? started.get(key)?.pop() : undefined;
    if (partner !== undefined) partners.set(partner, index).set(index, partner);
  }
  return partners;
}

// Cuts the content of a source so that each piece is either text or code.

/** An item of a source, in the parser's order. */
export interface ContentToken extends Span {
  /**
   * `open` and `close` are the tags of one XML element. `start` and `end` form a pair of separate
   * elements, and the partner may be in another segment. `data` is CDATA.
   */
  role: 'text' | 'data' | 'open' | 'close' | 'lone' | 'start' | 'end';
  /** Common key of a pair of `start` and `end`. */
  key?: string;
  /** Text that must not be translated. */
  isProtected?: boolean;
  /** A code that must keep its position among other fixed codes. */
  isFixed?: boolean;
}

/** A token, or part of one. */
interface ContentPiece extends Span {
  role: Exclude<ContentToken['role'], 'data'>;
  key?: string;
  isFixed?: boolean;
  /** Decoded text. */
  text?: string;
  /** XML of the piece, where it differs from the file. */
  xml?: string;
  /** Whether the piece is from CDATA, which has no references. */
  isData?: boolean;
}

const NO_NEW_LINES: readonly Cut[] = [];
const NEW_LINES = /(?<![ \t])[ \t]*\r?\n[ \t\r\n]*/g;
/** A tag that is text in the file, because it is escaped or in a CDATA section. */
const ESCAPED_TAG =
  /(?:&lt;|<)(\/?)([A-Za-z][\w:-]{0,40})(?:\s+[\w:@.-]{1,60}\s*=\s*(?:"[^"<>]{0,1000}"|'[^'<>]{0,1000}'|&quot;(?:(?!&quot;)[^<>]){0,1000}&quot;|&apos;(?:(?!&apos;)[^<>]){0,1000}&apos;)){0,30}\s*(\/?)(?:&gt;|>)/g;
/** HTML tags without an end tag. */
const VOID_TAG = /^(?:br|hr|img|input|wbr|col|area|link|meta)$/i;

/** A code within a text. */
type Cut = Span & Pick<ContentPiece, 'role' | 'key'>;

/**
 * Turns whatever looks like a code of a program into code pieces: placeholders such as `{0}`,
 * escaped tags, significant line breaks.
 *
 * @param isPreserved whether line breaks are significant
 */
function contentPieces(
  file: string,
  tokens: readonly ContentToken[],
  isPreserved: boolean,
): ContentPiece[] {
  const pieces: ContentPiece[] = [];
  const options = { isPreserved, branches: branchStarts(file, tokens) };
  for (const token of tokens) {
    const { role, start, end } = token;
    if (role !== 'text' && role !== 'data') pieces.push({ ...token, role });
    else if (token.isProtected === true) pieces.push({ role: 'lone', start, end });
    else if (role === 'text') cutText(file, { start, end }, { ...options, isData: false }, pieces);
    // Without the delimiters `<![CDATA[` and `]]>`.
    else cutText(file, { start: start + 9, end: end - 3 }, { ...options, isData: true }, pieces);
  }
  return pieces;
}

/**
 * Returns the offsets of the braces that open branches of a message. The single word of a branch, as
 * in `one {day}`, looks like a placeholder.
 */
function branchStarts(file: string, tokens: readonly ContentToken[]): ReadonlySet<number> {
  const offset = tokens[0]?.start ?? 0;
  let content = '';
  for (const { role, start, end } of tokens) {
    if (role !== 'text' && role !== 'data') continue;
    // Codes between the texts are neither letters nor blanks.
    content = content.padEnd(start - offset, '\uffff') + file.slice(start, end);
  }
  const syntax = messageParts(content)?.filter(({ kind }) => kind === 'syntax') ?? [];
  return new Set(syntax.map(({ end }) => offset + end - 1));
}

function cutText(
  file: string,
  { start, end }: Span,
  {
    isPreserved,
    isData,
    branches,
  }: { isPreserved: boolean; isData: boolean; branches: ReadonlySet<number> },
  pieces: ContentPiece[],
): void {
  const raw = file.slice(start, end);
  let at = 0;
  const addText = (until: number): void => {
    if (until <= at) return;
    const span = { start: start + at, end: start + until };
    const text = isData ? raw.slice(at, until) : decoded(file, span);
    pieces.push({ role: 'text', ...span, text, isData });
  };
  for (const cut of cutsOf(raw, isPreserved)) {
    if (cut.start < at || branches.has(start + cut.start)) continue;
    addText(cut.start);
    at = cut.end;
    const xml = isData ? { xml: writeText(raw.slice(cut.start, cut.end), new Map()), isData } : {};
    pieces.push({ ...cut, start: start + cut.start, end: start + cut.end, ...xml });
  }
  addText(raw.length);
}

/** Returns the cuts in reading order; they may overlap. */
function cutsOf(raw: string, isPreserved: boolean): Cut[] {
  const cuts: Cut[] = [...(isPreserved ? newLinesOf(raw) : NO_NEW_LINES)];
  for (const placeholder of findPlaceholders(raw)) cuts.push({ role: 'lone', ...placeholder });
  for (const { 0: tag, 1: slash, 2: name = '', 3: lone, index } of raw.matchAll(ESCAPED_TAG)) {
    const isLone = lone === '/' || VOID_TAG.test(name);
    const role = isLone ? 'lone' : slash === '/' ? 'end' : 'start';
    cuts.push({ role, key: `<${name}`, start: index, end: index + tag.length });
  }
  return cuts.sort((a, b) => a.start - b.start || b.end - a.end);
}

function newLinesOf(raw: string): Cut[] {
  return Array.from(raw.matchAll(NEW_LINES), ({ 0: lines, index }) => ({
    role: 'lone',
    start: index,
    end: index + lines.length,
  }));
}

function decoded(file: string, { start, end }: Span): string {
  let text = '';
  let at = start;
  for (const reference of textToken(file, start, end).references) {
    text += file.slice(at, reference.start) + reference.text;
    at = reference.end;
  }
  return text + file.slice(at, end);
}
