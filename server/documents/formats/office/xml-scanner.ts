/**
 * Streaming XML scanner: takes XML in pieces of any size and emits start tags, end tags and
 * everything between as written, so that unchanged content can be reproduced byte for byte. It
 * buffers only the current token. (A namespace-aware SAX parser took four times as long and does
 * not provide the source text.)
 */
import { DocumentError } from '../format.ts';
import { attributesOf } from './xml-element.ts';

export interface XmlHandler {
  /** Start tag. `isEmpty` for `<a/>`, which has no end tag; `name` is the customary name. */
  open(name: string, tag: string, isEmpty: boolean): void;
  close(name: string, tag: string): void;
  /** Character data, CDATA sections, comments and processing instructions, as written. */
  text(markup: string): void;
}

const xmlLimits = {
  depth: 500,
  /** Maximum length of a tag, text or comment in UTF-16 units; drawings in attributes reach a few million. */
  tokenLength: 32_000_000,
} as const;

const GREATER = 0x3e;
const LESS = 0x3c;
const SLASH = 0x2f;
const QUOTE = 0x22;
const APOSTROPHE = 0x27;
const EXCLAMATION = 0x21;
const QUESTION = 0x3f;
const BLANK = 0x20;

/** Scanner for one pass over one part. */
export class XmlScanner {
  readonly #handler: XmlHandler;
  /** Input that has not been emitted yet. */
  #rest = '';
  /** Written names of the open elements, and the namespace scopes outside of them. */
  readonly #open: string[] = [];
  readonly #scopes: NamespaceScope[] = [];
  #scope = NamespaceScope.outermost;
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /**
   * Emits all complete tokens.
   *
   * @throws DocumentError for XML that is not well formed, has a DOCTYPE or is nested too deeply
   */
  push(piece: string): void {
    const xml = this.#rest.length === 0 ? piece : this.#rest + piece;
    let at = 0;
    while (at < xml.length) {
      const end = xml.charCodeAt(at) === LESS ? this.#markup(xml, at) : this.#text(xml, at);
      if (end < 0) break;
      at = end;
    }
    this.#rest = at === 0 ? xml : xml.slice(at);
    if (this.#rest.length > xmlLimits.tokenLength) throw malformed();
  }

  /**
   * Ends the pass.
   *
   * @throws DocumentError when the XML is not complete
   */
  end(): void {
    if (!this.#hasRoot || this.#open.length > 0) throw malformed();
    if (this.#rest.trim() !== '') throw malformed();
    if (this.#rest !== '') this.#handler.text(this.#rest);
  }

  #text(xml: string, at: number): number {
    const end = xml.indexOf('<', at);
    if (end < 0) return -1;
    const text = xml.slice(at, end);
    if (this.#open.length === 0 && text.trim() !== '') throw malformed();
    this.#handler.text(text);
    return end;
  }

  /** Emits the token that begins with `<`; returns the index after it, or -1 when it is incomplete. */
  #markup(xml: string, at: number): number {
    const next = xml.charCodeAt(at + 1);
    if (Number.isNaN(next)) return -1;
    if (next === EXCLAMATION) return this.#declaration(xml, at);
    if (next === QUESTION) return this.#through(xml, at, '?>');
    const end = next === SLASH ? xml.indexOf('>', at) : endOfTag(xml, at + 1);
    if (end < 0) return -1;
    if (next === SLASH) this.#close(xml.slice(at, end + 1));
    else this.#start(xml.slice(at, end + 1));
    return end + 1;
  }

  #declaration(xml: string, at: number): number {
    if (xml.startsWith('<!--', at)) return this.#through(xml, at, '-->');
    if (xml.startsWith('<![CDATA[', at)) {
      if (this.#open.length === 0) throw malformed();
      return this.#through(xml, at, ']]>');
    }
    if (xml.length - at < '<![CDATA['.length) return -1;
    throw new DocumentError(
      'The file has a document type declaration, which Office files must not have. Save it anew and send it again.',
    );
  }

  #through(xml: string, at: number, closing: string): number {
    const end = xml.indexOf(closing, at + 2);
    if (end < 0) return -1;
    this.#handler.text(xml.slice(at, end + closing.length));
    return end + closing.length;
  }

  #start(tag: string): void {
    const isEmpty = tag.charCodeAt(tag.length - 2) === SLASH;
    const nameEnd = endOfName(tag);
    const written = tag.slice(1, nameEnd);
    if (written === '' || (this.#open.length === 0 && this.#hasRoot)) throw malformed();
    this.#hasRoot = true;
    const declares = tag.length - nameEnd > 8 && tag.includes('xmlns', nameEnd);
    const scope = declares ? this.#scope.with(declarationsOf(tag)) : this.#scope;
    if (!isEmpty) {
      if (this.#open.length >= xmlLimits.depth) throw tooDeep();
      this.#open.push(written);
      this.#scopes.push(this.#scope);
      this.#scope = scope;
    }
    this.#handler.open(scope.nameOf(written), tag, isEmpty);
  }

  #close(tag: string): void {
    const written = this.#open.pop();
    const outer = this.#scopes.pop();
    const nameEnd = tag.length === (written?.length ?? 0) + 3 ? tag.length - 1 : endOfName(tag);
    if (written === undefined || outer === undefined) throw malformed();
    if (tag.length < nameEnd || tag.slice(2, nameEnd) !== written) throw malformed();
    const name = this.#scope.nameOf(written);
    this.#scope = outer;
    this.#handler.close(name, tag);
  }
}

/** Returns the index of a tag's `>`, skipping those in attribute values; -1 when the tag is incomplete. */
function endOfTag(xml: string, from: number): number {
  for (let at = from; at < xml.length; at += 1) {
    const code = xml.charCodeAt(at);
    if (code === GREATER) return at;
    if (code === LESS) throw malformed();
    if (code === QUOTE || code === APOSTROPHE) {
      at = xml.indexOf(code === QUOTE ? '"' : "'", at + 1);
      if (at < 0) return -1;
    }
  }
  return -1;
}

/** Returns the index where the name of a start or end tag ends. */
function endOfName(tag: string): number {
  for (let at = 2; at < tag.length; at += 1) {
    const code = tag.charCodeAt(at);
    if (code <= BLANK || code === SLASH || code === GREATER) return at;
  }
  return tag.length;
}

function declarationsOf(tag: string): Map<string, string> {
  const found = new Map<string, string>();
  for (const [name, value] of attributesOf(tag)) {
    if (name === 'xmlns') found.set('', value);
    else if (name.startsWith('xmlns:')) found.set(name.slice(6), value);
  }
  return found;
}

function malformed(): DocumentError {
  return new DocumentError(
    'A part of the file is damaged. Open it in its program, save it anew and send it again.',
  );
}

function tooDeep(): DocumentError {
  return new DocumentError(
    'The file is nested too deeply to be translated. Open it in its program, save it anew and try again.',
  );
}

// Customary names of Office XML. Files choose their own prefixes and exist in a transitional and a
// strict edition (ISO/IEC 29500-1); here, every name has its customary prefix: `w:p`, `a:t`, `c:v`.

/** The known namespaces, transitional and strict, by their customary prefix. */
const namespaces: Record<string, readonly string[]> = {
  w: [
    'http://schemas.openxmlformats.org/wordprocessingml/2006/main',
    'http://purl.oclc.org/ooxml/wordprocessingml/main',
  ],
  a: [
    'http://schemas.openxmlformats.org/drawingml/2006/main',
    'http://purl.oclc.org/ooxml/drawingml/main',
  ],
  p: [
    'http://schemas.openxmlformats.org/presentationml/2006/main',
    'http://purl.oclc.org/ooxml/presentationml/main',
  ],
  x: [
    'http://schemas.openxmlformats.org/spreadsheetml/2006/main',
    'http://purl.oclc.org/ooxml/spreadsheetml/main',
  ],
  r: [
    'http://schemas.openxmlformats.org/officeDocument/2006/relationships',
    'http://purl.oclc.org/ooxml/officeDocument/relationships',
  ],
  m: [
    'http://schemas.openxmlformats.org/officeDocument/2006/math',
    'http://purl.oclc.org/ooxml/officeDocument/math',
  ],
  c: [
    'http://schemas.openxmlformats.org/drawingml/2006/chart',
    'http://purl.oclc.org/ooxml/drawingml/chart',
  ],
  cx: ['http://schemas.microsoft.com/office/drawing/2014/chartex'],
  cdr: [
    'http://schemas.openxmlformats.org/drawingml/2006/chartDrawing',
    'http://purl.oclc.org/ooxml/drawingml/chartDrawing',
  ],
  dgm: [
    'http://schemas.openxmlformats.org/drawingml/2006/diagram',
    'http://purl.oclc.org/ooxml/drawingml/diagram',
  ],
  dsp: ['http://schemas.microsoft.com/office/drawing/2008/diagram'],
  xdr: [
    'http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing',
    'http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing',
  ],
  wp: [
    'http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing',
    'http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing',
  ],
  pic: [
    'http://schemas.openxmlformats.org/drawingml/2006/picture',
    'http://purl.oclc.org/ooxml/drawingml/picture',
  ],
  wps: ['http://schemas.microsoft.com/office/word/2010/wordprocessingShape'],
  wpg: ['http://schemas.microsoft.com/office/word/2010/wordprocessingGroup'],
  w14: ['http://schemas.microsoft.com/office/word/2010/wordml'],
  w15: ['http://schemas.microsoft.com/office/word/2012/wordml'],
  a14: ['http://schemas.microsoft.com/office/drawing/2010/main'],
  a16: ['http://schemas.microsoft.com/office/drawing/2014/main'],
  p14: ['http://schemas.microsoft.com/office/powerpoint/2010/main'],
  x14: ['http://schemas.microsoft.com/office/spreadsheetml/2009/9/main'],
  xm: ['http://schemas.microsoft.com/office/excel/2006/main'],
  tc: ['http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments'],
  mc: ['http://schemas.openxmlformats.org/markup-compatibility/2006'],
  v: ['urn:schemas-microsoft-com:vml'],
  o: ['urn:schemas-microsoft-com:office:office'],
  ct: ['http://schemas.openxmlformats.org/package/2006/content-types'],
  rel: ['http://schemas.openxmlformats.org/package/2006/relationships'],
  cp: [
    'http://schemas.openxmlformats.org/package/2006/metadata/core-properties',
    'http://purl.oclc.org/ooxml/package/metadata/core-properties',
  ],
  dc: ['http://purl.org/dc/elements/1.1/'],
};

const prefixes = new Map(
  Object.entries(namespaces).flatMap(([prefix, uris]) => uris.map((uri) => [uri, prefix] as const)),
);

/** Returns the customary prefix of a namespace; undefined for an unknown one. */
function customaryPrefix(uri: string): string | undefined {
  return prefixes.get(uri);
}

/** The namespaces in scope at a position of a part. */
class NamespaceScope {
  /** Cache of customary names by names as written; a part has a few dozen. */
  readonly #names = new Map<string, string>();
  readonly #customary: ReadonlyMap<string, string>;

  private constructor(customary: ReadonlyMap<string, string>) {
    this.#customary = customary;
  }

  /** The scope outside of the root element. */
  static readonly outermost = new NamespaceScope(new Map());

  /**
   * Returns the scope within an element with these declarations: namespaces by prefix, `''` for the default.
   */
  with(declarations: ReadonlyMap<string, string>): NamespaceScope {
    const customary = new Map(this.#customary);
    for (const [prefix, uri] of declarations) customary.set(prefix, customaryPrefix(uri) ?? '?');
    return new NamespaceScope(customary);
  }

  /** Returns the customary name of an element; `?:name` in an unknown namespace. */
  nameOf(written: string): string {
    const known = this.#names.get(written);
    if (known !== undefined) return known;
    const colon = written.indexOf(':');
    const prefix = this.#customary.get(colon < 0 ? '' : written.slice(0, colon)) ?? '?';
    const name = `${prefix}:${written.slice(colon + 1)}`;
    this.#names.set(written, name);
    return name;
  }
}
