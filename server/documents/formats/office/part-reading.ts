/**
 * Reads parts and writes them anew. A part of any size is a stream of tags; only the elements that a
 * visitor wants whole (a paragraph, a cell) become trees, one at a time. Writing is the same pass once
 * more, in which the visitor says what stands in the place of which element.
 */
import type { Archive, ArchiveEntry } from './archive.ts';
import { byteOrderMark, decodePart, encodePiece } from './part-encoding.ts';
import { serialise, TreeBuilder, type XmlElement } from './xml-element.ts';
import { type XmlHandler, XmlScanner } from './xml-scanner.ts';

/** What looks at a part. It must do the same in every pass over it. */
export interface PartVisitor {
  /** Whether an element outside of other trees is wanted as a tree, by its customary name. */
  isTree(name: string): boolean;
  /**
   * A tree. What is returned stands in its place when the part is written: XML, the empty string to
   * leave it out, or undefined to keep it as it was.
   */
  tree(element: XmlElement): string | undefined;
  /** Any start tag outside of trees, before it is written; returns another tag, or undefined. */
  open?(name: string, tag: string, isEmpty: boolean): string | undefined;
  /** Any end tag outside of trees, before it is written; returns what stands in its place, or undefined. */
  close?(name: string, tag: string): string | undefined;
}

/**
 * Shows a part to a visitor; nothing is written.
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
 * Shows the start tags of a part, by customary name and as written.
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
 * The part as the visitor wants it, in pieces. Without changes by the visitor it is the same text; its
 * encoding stays.
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

/** Between scanner and visitor: collects trees, and writes when there is where to. */
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
