/**
 * Reads and rewrites parts. A part of any size is a stream of tags; only elements that a visitor
 * requests as a whole (a paragraph, a cell) become trees, one at a time. Rewriting is the same pass
 * once more, in which the visitor returns replacements for elements.
 */
import type { Archive, ArchiveEntry } from './archive.ts';
import { serialise, TreeBuilder, type XmlElement } from './xml-element.ts';
import { type XmlHandler, XmlScanner } from './xml-scanner.ts';
import { TextDecoder } from 'node:util';
import { DocumentError } from '../format.ts';

/** Visits the elements of a part. It must behave the same in every pass. */
export interface PartVisitor {
  /** Whether an element, by its customary name, is to be delivered as a tree; not called within a tree. */
  isTree(name: string): boolean;
  /**
   * Receives a tree. The returned value replaces it when the part is written: XML, the empty string
   * to omit the element, or undefined to keep it.
   */
  tree(element: XmlElement): string | undefined;
  /** Receives each start tag outside of trees; returns its replacement, or undefined. */
  open?(name: string, tag: string, isEmpty: boolean): string | undefined;
  /** Receives each end tag outside of trees; returns its replacement, or undefined. */
  close?(name: string, tag: string): string | undefined;
}

/**
 * Passes a part to a visitor without writing anything.
 *
 * @throws DocumentError when the part is damaged or hostile
 */
export async function readPart(
  archive: Archive,
  entry: ArchiveEntry,
  visitor: PartVisitor,
): Promise<void> {
  const { pieces } = await decodePart(archive.stream(entry));
  const scanner = new XmlScanner(new Visit(visitor, undefined));
  for await (const piece of pieces) scanner.push(piece);
  scanner.end();
}

/**
 * Calls `visit` for each start tag of a part, with its customary name and the tag as written.
 *
 * @throws DocumentError when the part is damaged or hostile
 */
export async function eachTag(
  archive: Archive,
  entry: ArchiveEntry,
  visit: (name: string, tag: string) => void,
): Promise<void> {
  await readPart(archive, entry, {
    isTree: () => false,
    tree: () => undefined,
    open: (name, tag) => {
      visit(name, tag);
      return undefined;
    },
  });
}

/**
 * Rewrites a part with the visitor's replacements, in pieces. Without replacements, the text stays
 * the same; the encoding always does.
 *
 * @throws DocumentError when the part is damaged or hostile
 */
export async function* rewritePart(
  archive: Archive,
  entry: ArchiveEntry,
  visitor: PartVisitor,
): AsyncGenerator<Uint8Array> {
  const { pieces, encoding, hasByteOrderMark } = await decodePart(archive.stream(entry));
  if (hasByteOrderMark) yield byteOrderMark(encoding);
  const written: string[] = [];
  const scanner = new XmlScanner(new Visit(visitor, written));
  for await (const piece of pieces) {
    scanner.push(piece);
    if (written.length > 0) yield encodePiece(written.join(''), encoding);
    written.length = 0;
  }
  scanner.end();
  yield encodePiece(written.join(''), encoding);
}

/** Connects scanner and visitor: builds trees, and writes if there is an output. */
class Visit implements XmlHandler {
  readonly #visitor: PartVisitor;
  readonly #written: string[] | undefined;
  readonly #builder = new TreeBuilder();

  constructor(visitor: PartVisitor, written: string[] | undefined) {
    this.#visitor = visitor;
    this.#written = written;
  }

  open(name: string, tag: string, isEmpty: boolean): void {
    if (this.#builder.isOpen || this.#visitor.isTree(name)) {
      this.#finish(this.#builder.open(name, tag, isEmpty));
      return;
    }
    const changed = this.#visitor.open?.(name, tag, isEmpty);
    this.#written?.push(changed ?? tag);
  }

  close(name: string, tag: string): void {
    if (this.#builder.isOpen) {
      this.#finish(this.#builder.close());
      return;
    }
    const changed = this.#visitor.close?.(name, tag);
    this.#written?.push(changed ?? tag);
  }

  text(markup: string): void {
    if (this.#builder.isOpen) this.#builder.text(markup);
    else this.#written?.push(markup);
  }

  #finish(element: XmlElement | undefined): void {
    if (element === undefined) return;
    const changed = this.#visitor.tree(element);
    this.#written?.push(changed ?? serialise(element));
  }
}

// Encodings of parts: UTF-8 and UTF-16 (ECMA-376 part 2, 10.1.1).

type PartEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Text of a part in pieces, and its encoding, which the first piece determines. */
interface DecodedPart {
  readonly encoding: PartEncoding;
  readonly hasByteOrderMark: boolean;
  readonly pieces: AsyncIterable<string>;
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Decodes a part as a stream.
 *
 * @throws DocumentError for bytes that are not text, or for an encoding that Office files must not have
 */
async function decodePart(bytes: AsyncIterable<Uint8Array>): Promise<DecodedPart> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head: Uint8Array = first.done === true ? new Uint8Array(0) : first.value;
  const encoding = encodingOf(head);
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const firstText = decode(decoder, head, true);
  const hasByteOrderMark = firstText.startsWith(BYTE_ORDER_MARK);
  async function* pieces(): AsyncGenerator<string> {
    const text = hasByteOrderMark ? firstText.slice(1) : firstText;
    refuseOtherEncodings(text, encoding);
    yield text;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield decode(decoder, next.value, true);
    }
    yield decode(decoder, new Uint8Array(0), false);
  }
  return { encoding, hasByteOrderMark, pieces: pieces() };
}

/**
 * Detects the encoding by the byte order mark, or by the zero byte beside the first `<` (XML 1.0 appendix F).
 */
function encodingOf(head: Uint8Array): PartEncoding {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return 'utf-8';
}

function refuseOtherEncodings(text: string, encoding: PartEncoding): void {
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]?.toLowerCase();
  if (declared === undefined || declared === encoding) return;
  if (declared === 'utf8' || declared === 'us-ascii') return;
  if (declared === 'utf-16' && encoding !== 'utf-8') return;
  throw undecodable();
}

function decode(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw undecodable(error);
  }
}

function undecodable(cause?: unknown): DocumentError {
  return new DocumentError(
    'A part of the file is in an encoding that Office files do not have. Save it anew and send it again.',
    { cause },
  );
}

/** Encodes text in the part's encoding. */
function encodePiece(text: string, encoding: PartEncoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** Returns the byte order mark in an encoding. */
function byteOrderMark(encoding: PartEncoding): Uint8Array {
  return encodePiece(BYTE_ORDER_MARK, encoding);
}
