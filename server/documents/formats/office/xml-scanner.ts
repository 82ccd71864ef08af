/**
 * Reads XML in pieces of any size and hands it out as it is written: start tags, end tags, and what is
 * between. Nothing is rewritten, so what nobody changes can be written back byte for byte, and nothing
 * is kept but the tag at hand. (A namespace-aware SAX parser took four times as long and gives no
 * source text.)
 */
import { DocumentError } from '../format.ts';
import { attributesOf } from './xml-text.ts';
import { NamespaceScope } from './xml-names.ts';

export interface XmlHandler {
  /** A start tag; `isEmpty` for `<a/>`, which has no end tag. `name` is the customary one. */
  open(name: string, tag: string, isEmpty: boolean): void;
  /** An end tag. */
  close(name: string, tag: string): void;
  /** Character data, CDATA sections, comments and processing instructions as written. */
  text(markup: string): void;
}

export const xmlLimits = {
  depth: 500,
  /** Longest tag, text or comment in UTF-16 units; drawings in attributes reach a few millions. */
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

/** One pass over one part. */
export class XmlScanner {
  readonly #handler: XmlHandler;
  /** What is not handed out yet. */
  #rest = '';
  /** Written names of the open elements, and the scopes within them. */
  readonly #open: string[] = [];
  readonly #scopes: NamespaceScope[] = [];
  #scope = NamespaceScope.outermost;
  #hasRoot = false;

  constructor(handler: XmlHandler) {
    this.#handler = handler;
  }

  /**
   * Hands out what is complete.
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

  /** Hands out what begins with `<`; gives where it ends, or -1 when that is yet to come. */
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

/** Where the tag ends: attribute values may hold `>`. -1 when it is not complete. */
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

/** Where the name of a start or end tag ends. */
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
