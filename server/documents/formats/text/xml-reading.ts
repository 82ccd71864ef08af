/**
 * Encodings and parsing of XML files. By XML 1.0 §4.3.3 and appendix F, a byte order mark
 * determines the encoding, otherwise the declaration does, otherwise it is UTF-8. Files are written
 * in the encoding in which they were read, as their declaration still names it.
 */
import { SaxesParser, type SaxesTagNS } from 'saxes';
import type { Span } from '../../../text/placeholders.ts';
import { DocumentError } from '../format.ts';
import { legacyEncoding, putCode } from './encoded-text.ts';

/** The decoded text of an XML file, and its encoder. */
interface XmlText {
  /** The text without its byte order mark. */
  text: string;
  /** Encodes a text in the encoding of the file; characters that the encoding lacks become references. */
  readonly encode: (text: string) => Uint8Array;
}

interface Codec {
  decode: (bytes: Buffer) => string;
  encode: (text: string) => Buffer;
}

const DECLARED = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']/;
const MARKS: readonly [encoding: string, mark: string][] = [
  ['utf-8', 'efbbbf'],
  ['utf-16le', 'fffe'],
  ['utf-16be', 'feff'],
];

/**
 * Decodes an XML file.
 *
 * @throws DocumentError for an unknown encoding, and for bytes that are invalid in it
 */
export function readXmlText(file: Uint8Array): XmlText {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const [marked, mark = ''] =
    MARKS.find(([, each]) => bytes.toString('hex', 0, each.length / 2) === each) ?? [];
  const markText = marked === undefined ? '' : '\uFEFF';
  const body = bytes.subarray(mark.length / 2);
  const { decode, encode } = codecOf(marked ?? declaredEncoding(bytes), body);
  try {
    return { text: decode(body), encode: (text) => encode(markText + text) };
  } catch (cause) {
    throw new DocumentError(
      'The file is damaged: it has bytes that its encoding does not know. Save it as UTF-8 and send it again.',
      { cause },
    );
  }
}

function declaredEncoding(file: Buffer): string {
  // UTF-16 without a byte order mark still begins with `<`.
  if (file[0] === 0x3c && file[1] === 0) return 'utf-16le';
  if (file[0] === 0 && file[1] === 0x3c) return 'utf-16be';
  const name = DECLARED.exec(file.toString('latin1', 0, 256))?.[1]?.toLowerCase() ?? 'utf-8';
  // The declaration is readable with one byte per character, so a declared UTF-16 cannot be true.
  return name.startsWith('utf') ? 'utf-8' : name;
}

function codecOf(name: string, file: Buffer): Codec {
  if (name === 'utf-8') return { decode: strictly('utf-8'), encode: (text) => Buffer.from(text) };
  if (name === 'utf-16le') {
    return { decode: strictly(name), encode: (text) => Buffer.from(text, 'utf16le') };
  }
  if (name === 'utf-16be') {
    const encode = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
    return { decode: strictly(name), encode };
  }
  return legacyCodec(name, file);
}

function strictly(encoding: string): Codec['decode'] {
  return (bytes) => new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(bytes);
}

function legacyCodec(name: string, file: Buffer): Codec {
  const encoding = legacyEncoding(name);
  if (encoding === undefined) throw unknownEncoding();
  const isMissing = missingCodes(name, file);
  const encode = (text: string): Buffer => {
    const codes: number[] = [];
    for (const character of text) {
      const code = character <= '\x7f' ? character.charCodeAt(0) : encoding.codeOf(character);
      if (code === undefined || isMissing(code)) {
        codes.push(...Buffer.from(`&#${character.codePointAt(0) ?? 0};`));
      } else {
        putCode(codes, codes.length, code);
      }
    }
    return Buffer.from(codes);
  };
  const decode = (bytes: Buffer): string => {
    const text = encoding.decode(bytes);
    if (!bytes.equals(encode(text))) throw new RangeError(`These bytes are not ${name}.`);
    return text;
  };
  return { decode, encode };
}

/**
 * Returns a test for codes that strict readers reject although browsers accept them: ASCII has only
 * 128 codes, and ISO 8859 has control characters where its Windows counterpart has letters. A file
 * that uses such codes is in the Windows encoding, so no code is missing.
 */
function missingCodes(name: string, file: Buffer): (code: number) => boolean {
  if (/^(?:us-)?ascii$/.test(name) && file.every((byte) => byte < 0x80))
    return (code) => code > 0x7f;
  const isStrict = /^(?:iso-?8859|latin)/.test(name) && file.every((byte) => !isControl(byte));
  return isStrict ? isControl : () => false;
}

function isControl(byte: number): boolean {
  return byte >= 0x80 && byte < 0xa0;
}

function unknownEncoding(): DocumentError {
  return new DocumentError(
    'The encoding of this XML file is not supported. Save it as UTF-8 and send it again.',
  );
}

// Single-pass XML parser that reports positions. Document types are refused, so no entities need to
// be expanded.

/** A start tag. */
export interface XmlElement {
  /** Local name, without prefix. */
  name: string;
  /** Namespace URI; empty for none. */
  uri: string;
  /** Returns the value of an attribute by its name with prefix; the prefix `xml:` is always bound. */
  attribute: (name: string) => string | undefined;
}

interface XmlEvents {
  /** @param isData whether it is a CDATA section; the span includes its delimiters */
  text(span: Span, isData: boolean): void;
  /** @param isEmpty whether the element ends with its start tag; `close` is not called for it then */
  open(element: XmlElement, span: Span, isEmpty: boolean): void;
  close(span: Span): void;
}

/** Maximum nesting: deeper than any document by a human author, yet safe for recursive code. */
const MAX_DEPTH = 250;

/** @throws DocumentError when the text is not well-formed, has a document type or is nested too deeply */
export function readXml(text: string, events: XmlEvents): void {
  const parser = new SaxesParser({ xmlns: true, position: false });
  // The parser reports where markup ends. Markup begins at the next `<`, as text cannot contain one.
  let end = 0;
  let depth = 0;
  const next = (markupEnd = parser.position): Span => {
    const start = text.indexOf('<', end);
    if (start > end && depth > 0) events.text({ start: end, end: start }, false);
    end = markupEnd;
    return { start, end };
  };
  parser.on('error', (cause) => {
    throw damaged(text, parser.position, cause);
  });
  parser.on('doctype', () => {
    throw new DocumentError(
      'The file has a document type declaration (<!DOCTYPE …>), which is not accepted. Remove it and send the file again.',
    );
  });
  parser.on('xmldecl', () => void next());
  // Comments are reported after `--`, before the `>`.
  parser.on('comment', () => void next(parser.position + 1));
  parser.on('processinginstruction', () => void next());
  parser.on('cdata', () => events.text(next(), true));
  parser.on('opentag', (tag) => {
    const span = next();
    if (!tag.isSelfClosing) depth += 1;
    if (depth > MAX_DEPTH)
      throw new DocumentError(
        'The elements of the file are nested too deeply. Export it anew with a simpler structure.',
      );
    events.open(elementOf(tag), span, tag.isSelfClosing);
  });
  parser.on('closetag', ({ isSelfClosing }) => {
    if (isSelfClosing) return;
    const span = next();
    depth -= 1;
    events.close(span);
  });
  parser.write(text).close();
}

function elementOf({ local, uri, attributes }: SaxesTagNS): XmlElement {
  return {
    name: local,
    uri,
    attribute: (name) => (Object.hasOwn(attributes, name) ? attributes[name]?.value : undefined),
  };
}

function damaged(text: string, position: number, cause: Error): DocumentError {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < position; at = text.indexOf('\n', at + 1)) {
    line += 1;
  }
  return new DocumentError(
    `The file is damaged: it is not well-formed XML (line ${line}). Export it anew and send it again.`,
    { cause },
  );
}

/** An attribute of a start tag with the blanks before it; its value may look like another attribute. */
const ATTRIBUTE = /(?<!\s)\s+([^\s=<>"']+)\s*=\s*(?:"[^"]*"|'[^']*')/g;

/**
 * Returns a start tag with attributes changed, added or, for undefined, removed. Values are given unescaped.
 */
export function withAttributes(
  tag: string,
  changes: Readonly<Record<string, string | undefined>>,
): string {
  let changed = tag;
  for (const [name, value] of Object.entries(changes)) {
    const written = value === undefined ? '' : ` ${name}="${escapedValue(value)}"`;
    const isThere = [...changed.matchAll(ATTRIBUTE)].some(([, each]) => each === name);
    changed = isThere
      ? changed.replace(ATTRIBUTE, (old, each: string) => (each === name ? written : old))
      : changed.replace(/(?<!\s)\s*\/?>$/, (end) => written + end);
  }
  return changed;
}

function escapedValue(value: string): string {
  return value.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}
