/** What stands in a source of an XLIFF file, cut so that no piece is text and code at once. */
import { writeText } from '../../../text/markup/references.ts';
import { textToken } from '../../../text/markup/xml-tokens.ts';
import { findPlaceholders } from '../../../text/placeholders.ts';
import type { Span } from './xml-reading.ts';

/** What the parser finds in a source, in its order. */
export interface ContentToken extends Span {
  /**
   * `open` and `close` are ends of one XML element. `start` and `end` belong together as well, but
   * each is an element of its own, and its partner may be in another segment. `data` is CDATA.
   */
  role: 'text' | 'data' | 'open' | 'close' | 'lone' | 'start' | 'end';
  /** What `start` and `end` have in common. */
  key?: string;
  /** Text that is not to be translated. */
  isProtected?: boolean;
  /** A code that must keep its place among the others like it. */
  isFixed?: boolean;
}

/** A token, or part of one. */
export interface ContentPiece extends Span {
  role: Exclude<ContentToken['role'], 'data'>;
  key?: string;
  isFixed?: boolean;
  /** Of text, decoded. */
  text?: string;
  /** How it is written, where that is not as it stands in the file. */
  xml?: string;
  /** CDATA has no references. */
  isData?: boolean;
}

const NO_NEW_LINES: readonly Cut[] = [];
const NEW_LINES = /(?<![ \t])[ \t]*\r?\n[ \t\r\n]*/g;
/** A tag that is text to the file, because it was escaped or is in a CDATA section. */
const ESCAPED_TAG =
  /(?:&lt;|<)(\/?)([A-Za-z][\w:-]{0,40})(?:\s+[\w:@.-]{1,60}\s*=\s*(?:"[^"<>]{0,1000}"|'[^'<>]{0,1000}'|&quot;(?:(?!&quot;)[^<>]){0,1000}&quot;|&apos;(?:(?!&apos;)[^<>]){0,1000}&apos;)){0,30}\s*(\/?)(?:&gt;|>)/g;
/** Tags without an end. */
const VOID_TAG = /^(?:br|hr|img|input|wbr|col|area|link|meta)$/i;

/** A piece that is cut out of a text. */
type Cut = Span & Pick<ContentPiece, 'role' | 'key'>;

/**
 * Makes a code of what looks like a program's: placeholders such as `{0}`, escaped tags, line breaks
 * that mean something.
 *
 * @param isPreserved whether line breaks do
 */
export function contentPieces(
  file: string,
  tokens: readonly ContentToken[],
  isPreserved: boolean,
): ContentPiece[] {
  const pieces: ContentPiece[] = [];
  for (const token of tokens) {
    const { role, start, end } = token;
    if (role !== 'text' && role !== 'data') pieces.push({ ...token, role });
    else if (token.isProtected === true) pieces.push({ role: 'lone', start, end });
    else if (role === 'text') cutText(file, { start, end }, { isPreserved, isData: false }, pieces);
    // Without `<![CDATA[` and `]]>`.
    else cutText(file, { start: start + 9, end: end - 3 }, { isPreserved, isData: true }, pieces);
  }
  return pieces;
}

function cutText(
  file: string,
  { start, end }: Span,
  { isPreserved, isData }: { isPreserved: boolean; isData: boolean },
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
    if (cut.start < at) continue;
    addText(cut.start);
    at = cut.end;
    const xml = isData ? { xml: writeText(raw.slice(cut.start, cut.end), new Map()), isData } : {};
    pieces.push({ ...cut, start: start + cut.start, end: start + cut.end, ...xml });
  }
  addText(raw.length);
}

/** In reading order; they may overlap. */
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
