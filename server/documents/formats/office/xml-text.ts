/** Between XML as written and the text it means: references, attributes, CDATA. */
import { DocumentError } from '../format.ts';

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(\w+));/gi;
/** Comments and processing instructions are not text; CDATA is text as it stands. */
const SECTION = /<!--[^]*?-->|<\?[^]*?\?>|<!\[CDATA\[([^]*?)\]\]>/g;

/**
 * The text that character data means.
 *
 * @throws DocumentError for a reference to an entity that XML does not define itself
 */
export function decodeText(markup: string): string {
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

/** Text as character data; characters that XML 1.0 cannot hold are left out. */
export function encodeText(text: string): string {
  return allowed(text).replace(/[&<>\r]/g, escaped);
}

/** Text as an attribute value to be put between double quotes. */
export function encodeAttribute(text: string): string {
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

/** XML 1.0 section 2.2; half a surrogate pair could not be encoded either. */
const NOT_ALLOWED = /[\p{Surrogate}\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/gu;

function allowed(text: string): string {
  return text.replace(NOT_ALLOWED, '');
}

/** Sticky: what is not an attribute ends the search, or garbage would be searched again and again. */
const ATTRIBUTE = /\s*([^\s"'<>/=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/y;

interface WrittenAttribute {
  name: string;
  /** As written, without its quotes. */
  value: string;
  /** Where it stands in the tag, blanks before it included. */
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

/** The attributes of a start tag: written name and decoded value. */
export function* attributesOf(tag: string): Generator<[name: string, value: string]> {
  for (const { name, value } of writtenAttributes(tag)) yield [name, decodeReferences(value)];
}

/**
 * An attribute of a start tag, decoded.
 *
 * @param name as written, or without prefix: then an attribute of that name with any prefix is meant
 */
export function attributeOf(tag: string, name: string): string | undefined {
  if (!tag.includes(name)) return undefined;
  for (const { name: written, value } of writtenAttributes(tag)) {
    if (written === name || written.endsWith(`:${name}`)) return decodeReferences(value);
  }
  return undefined;
}

/** A start tag with an attribute set to a value, added when it is not there, or removed. */
export function withAttribute(tag: string, name: string, value: string | undefined): string {
  const encoded = value === undefined ? '' : ` ${name}="${encodeAttribute(value)}"`;
  for (const { name: written, start, end } of writtenAttributes(tag)) {
    if (written === name) return tag.slice(0, start) + encoded + tag.slice(end);
  }
  const closing = tag.endsWith('/>') ? '/>' : '>';
  return tag.slice(0, -closing.length).trimEnd() + encoded + closing;
}
