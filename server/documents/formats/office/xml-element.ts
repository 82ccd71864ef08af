/**
 * A light tree of one paragraph or another small piece of a part. Start tags and character data stay
 * as written, so what is not touched is written back as it was.
 */
import { DocumentError } from '../format.ts';
import { attributeOf, decodeText, withAttribute } from './xml-text.ts';

/** An element, or anything between elements as written. */
export type XmlNode = XmlElement | string;

export interface XmlElement {
  /** Customary name: `w:p`. */
  readonly name: string;
  /** Start tag as written. */
  tag: string;
  children: XmlNode[];
}

/** An element of the same vocabulary as another: `<w:t>` beside `<w:r>`, whatever prefix that has. */
export function elementLike(
  like: XmlElement,
  localName: string,
  children: XmlNode[] = [],
): XmlElement {
  const prefix = like.name.slice(0, like.name.indexOf(':') + 1);
  return { name: prefix + localName, tag: `<${writtenPrefix(like)}${localName}/>`, children };
}

/** The prefix an element is written with, with its colon; empty in a default namespace. */
export function writtenPrefix(element: XmlElement): string {
  const written = writtenName(element);
  return written.slice(0, written.indexOf(':') + 1);
}

function writtenName({ tag }: XmlElement): string {
  return /^<([^\s/>]+)/.exec(tag)?.[1] ?? '';
}

/** The XML of an element. */
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

/** The start tag of an element that has content. */
export function startTag({ tag }: XmlElement): string {
  return tag.endsWith('/>') ? `${tag.slice(0, -2)}>` : tag;
}

/** The end tag of an element. */
export function endTag(element: XmlElement): string {
  return `</${writtenName(element)}>`;
}

/** The text directly within an element, decoded. */
export function textOf({ children }: XmlElement): string {
  let markup = '';
  for (const child of children) if (typeof child === 'string') markup += child;
  return decodeText(markup);
}

/** The elements directly within an element. */
export function elementsOf({ children }: XmlElement): XmlElement[] {
  return children.filter((child) => typeof child !== 'string');
}

/** The first element of a name directly within an element. */
export function childOf({ children }: XmlElement, name: string): XmlElement | undefined {
  for (const child of children) {
    if (typeof child !== 'string' && child.name === name) return child;
  }
  return undefined;
}

/** An attribute of an element, decoded; without a prefix any will do. */
export function attribute(element: XmlElement, name: string): string | undefined {
  return attributeOf(element.tag, name);
}

/** Sets, adds or removes an attribute by its written name. */
export function setAttribute(element: XmlElement, name: string, value: string | undefined): void {
  element.tag = withAttribute(element.tag, name, value);
}

/** A deep copy, so that one can be changed and the other kept. */
export function cloneElement(element: XmlElement): XmlElement {
  const children = element.children.map((child) =>
    typeof child === 'string' ? child : cloneElement(child),
  );
  return { name: element.name, tag: element.tag, children };
}

/** Most elements and texts of one tree: a paragraph of a megabyte has about thirty thousand. */
const MAX_NODES = 1_000_000;

/** Collects the tree of one element from the tags of a scanner. */
export class TreeBuilder {
  #root: XmlElement | undefined;
  readonly #open: XmlElement[] = [];
  #nodes = 0;

  /** Whether an element is being collected. */
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

  /** The whole tree once its end has come; then the builder is ready for the next. */
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
