/**
 * A lightweight tree of a paragraph or another small piece of a part. Start tags and character data
 * are stored as written, so untouched content is reproduced exactly.
 */
import { DocumentError } from '../format.ts';

/** An element, or markup between elements as written. */
export type XmlNode = XmlElement | string;

export interface XmlElement {
  /** Customary name: `w:p`. */
  readonly name: string;
  /** Start tag as written. */
  tag: string;
  children: XmlNode[];
}

/**
 * Creates an element in the vocabulary of another: `<w:t>` for `<w:r>`, with whatever prefix the other has.
 */
export function elementLike(
  like: XmlElement,
  localName: string,
  children: XmlNode[] = [],
): XmlElement {
  const prefix = like.name.slice(0, like.name.indexOf(':') + 1);
  return { name: prefix + localName, tag: `<${writtenPrefix(like)}${localName}/>`, children };
}

/** Returns the prefix that an element is written with, including the colon; empty in a default namespace. */
export function writtenPrefix(element: XmlElement): string {
  const written = writtenName(element);
  return written.slice(0, written.indexOf(':') + 1);
}

function writtenName({ tag }: XmlElement): string {
  return /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
}

/** Returns the XML of an element. */
export function serialise(element: XmlElement): string {
  const parts: string[] = [];
  append(element, parts);
  return parts.join('');
}

function append(node: XmlNode, parts: string[]): void {
  if (typeof node === 'string') {
    parts.push(node);
    return;
  }
  const { tag, children } = node;
  if (children.length === 0 && tag.endsWith('/>')) {
    parts.push(tag);
    return;
  }
  parts.push(startTag(node));
  for (const child of children) append(child, parts);
  parts.push(endTag(node));
}

/** Returns the start tag of an element with content. */
export function startTag({ tag }: XmlElement): string {
  return tag.endsWith('/>') ? `${tag.slice(0, -2)}>` : tag;
}

export function endTag(element: XmlElement): string {
  return `</${writtenName(element)}>`;
}

/** Returns the decoded text directly within an element. */
export function textOf({ children }: XmlElement): string {
  let markup = '';
  for (const child of children) if (typeof child === 'string') markup += child;
  return decodeText(markup);
}

/** Returns the child elements of an element. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

/** Returns the first child element with a name. */
export function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  for (const child of children) {
    if (typeof child !== 'string' && child.name === name) return child;
  }
  return undefined;
}

/** Returns an attribute of an element, decoded; a name without prefix matches any prefix. */
export function attribute(element: XmlElement, name: string): string | undefined {
  return attributeOf(element.tag, name);
}

/** Sets, adds or removes an attribute by its written name. */
export function setAttribute(element: XmlElement, name: string, value: string | undefined): void {
  element.tag = withAttribute(element.tag, name, value);
}

/** Returns a deep copy of an element. */
export function cloneElement(element: XmlElement): XmlElement {
  const children = element.children.map((child) =>
    typeof child === 'string' ? child : cloneElement(child),
  );
  return { name: element.name, tag: element.tag, children };
}

/** Maximum number of elements and texts in a tree: a paragraph of a megabyte has about thirty thousand. */
const MAX_NODES = 1_000_000;

/** Builds the tree of one element from the events of a scanner. */
export class TreeBuilder {
  #root: XmlElement | undefined;
  readonly #open: XmlElement[] = [];
  #nodes = 0;

  /** Whether an element is being built. */
  get isOpen(): boolean {
    return this.#open.length > 0;
  }

  open(name: string, tag: string, isEmpty: boolean): XmlElement | undefined {
    this.#count();
    const element: XmlElement = { name, tag, children: [] };
    this.#open.at(-1)?.children.push(element);
    this.#root ??= element;
    if (!isEmpty) this.#open.push(element);
    return this.#finished();
  }

  close(): XmlElement | undefined {
    this.#open.pop();
    return this.#finished();
  }

  text(markup: string): void {
    this.#count();
    this.#open.at(-1)?.children.push(markup);
  }

  /** Returns the tree once it is complete, and resets the builder for the next one. */
  #finished(): XmlElement | undefined {
    if (this.#open.length > 0) return undefined;
    const root = this.#root;
    this.#root = undefined;
    this.#nodes = 0;
    return root;
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_NODES) {
      throw new DocumentError('A paragraph of the file is too large to be translated.');
    }
  }
}

// Conversion between written XML and the text it represents: references, attributes, CDATA.

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w+));/gi;
/** Comments and processing instructions are not text; CDATA is literal text. */
const SECTION = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>/g;

/**
 * Decodes character data.
 *
 * @throws DocumentError for a reference to an entity that XML does not predefine
 */
function decodeText(markup: string): string {
  if (!markup.includes('<')) return decodeReferences(markup);
  let text = '';
  let at = 0;
  for (const section of markup.matchAll(SECTION)) {
    text += decodeReferences(markup.slice(at, section.index)) + (section[1] ?? '');
    at = section.index + section[0].length;
  }
  return text + decodeReferences(markup.slice(at));
}

function decodeReferences(markup: string): string {
  if (!markup.includes('&')) return markup;
  return markup.replace(REFERENCE, (_, hex?: string, decimal?: string, name?: string) => {
    if (name === undefined) return character(hex ? parseInt(hex, 16) : Number(decimal));
    const text = named[name];
    if (text === undefined) throw unknownEntity();
    return text;
  });
}

function character(code: number): string {
  if (code > 0x10ffff) throw unknownEntity();
  return String.fromCodePoint(code);
}

function unknownEntity(): DocumentError {
  return new DocumentError(
    'A part of the file refers to something it does not contain. Save it anew and send it again.',
  );
}

/** Encodes text as character data; characters that XML 1.0 cannot represent are dropped. */
export function encodeText(text: string): string {
  return allowed(text).replace(/[&<>\r]/g, escaped);
}

/** Encodes text as an attribute value in double quotes. */
function encodeAttribute(text: string): string {
  return allowed(text).replace(/[&<>"\t\n\r]/g, escaped);
}

const escapes: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

function escaped(character: string): string {
  return escapes[character] ?? character;
}

/** Characters outside of XML 1.0, section 2.2, and lone surrogates, which cannot be encoded either. */
const NOT_ALLOWED = /[\p{Surrogate}\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

function allowed(text: string): string {
  return text.replace(NOT_ALLOWED, '');
}

/** Sticky: the first mismatch ends the search; otherwise garbage would be scanned again and again. */
const ATTRIBUTE = /\s*([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

interface WrittenAttribute {
  name: string;
  /** As written, without its quotes. */
  value: string;
  /** Offsets in the tag, including preceding blanks. */
  start: number;
  end: number;
}

function* writtenAttributes(tag: string): Generator<WrittenAttribute> {
  let start = /^<[^\s/>]*/.exec(tag)?.[0].length ?? 0;
  for (;;) {
    ATTRIBUTE.lastIndex = start;
    const match = ATTRIBUTE.exec(tag);
    if (match === null) return;
    const [{ length }, name = '', double, single] = match;
    yield { name, value: double ?? single ?? '', start, end: start + length };
    start += length;
  }
}

/** Yields the attributes of a start tag: written name and decoded value. */
export function* attributesOf(tag: string): Generator<[name: string, value: string]> {
  for (const { name, value } of writtenAttributes(tag)) yield [name, decodeReferences(value)];
}

/**
 * Returns an attribute of a start tag, decoded.
 *
 * @param name name as written; without a prefix, it matches an attribute with any prefix
 */
export function attributeOf(tag: string, name: string): string | undefined {
  if (!tag.includes(name)) return undefined;
  for (const { name: written, value } of writtenAttributes(tag)) {
    if (written === name || written.endsWith(`:${name}`)) return decodeReferences(value);
  }
  return undefined;
}

/** Returns a start tag with an attribute set, added or, for undefined, removed. */
export function withAttribute(tag: string, name: string, value: string | undefined): string {
  const encoded = value === undefined ? '' : ` ${name}="${encodeAttribute(value)}"`;
  for (const { name: written, start, end } of writtenAttributes(tag)) {
    if (written === name) return tag.slice(0, start) + encoded + tag.slice(end);
  }
  const closing = tag.endsWith('/>') ? '/>' : '>';
  return tag.slice(0, -closing.length).trimEnd() + encoded + closing;
}
