/**
 * Takes HTML apart as browsers do: nothing is an error. The same reader serves XML that is not
 * well-formed where callers may send it.
 */
import { Tokenizer } from 'htmlparser2';
import { NO_REFERENCES, type Reference } from './text-layout.ts';
import type { Token } from './token.ts';
import { lenientReferences } from './references.ts';
import { markupToken } from './xml-tokens.ts';

/** The tokens of HTML, not yet paired; tag names are in lower case. */
export function htmlTokens(source: string): Token[] {
  return tokensOf(source, 'html');
}

/** The tokens of XML with mistakes, not yet paired; a lone `<` or `&` is text. */
export function lenientXmlTokens(source: string): Token[] {
  return tokensOf(source, 'xml');
}

/** The tokenizer of htmlparser2 holds no tree, so depth costs nothing; it tells offsets only. */
function tokensOf(source: string, grammar: 'html' | 'xml'): Token[] {
  const reader = new TokenReader(source, grammar);
  const tokenizer = new Tokenizer(
    { xmlMode: grammar === 'xml', decodeEntities: grammar === 'html' },
    reader,
  );
  tokenizer.write(source);
  tokenizer.end();
  return reader.finish();
}

const NOT_TRANSLATED_CLASS = /(?:^|\s)notranslate(?:\s|$)/i;

class TokenReader {
  readonly #source: string;
  readonly #isHtml: boolean;
  readonly #tokens: Token[] = [];
  /** Everything before is in tokens. */
  #end = 0;
  #textEnd = 0;
  #references: Reference[] = [];
  #name = '';
  #attribute = '';
  #value = '';
  #untranslated = false;

  constructor(source: string, grammar: 'html' | 'xml') {
    this.#source = source;
    this.#isHtml = grammar === 'html';
  }

  ontext(start: number, end: number): void {
    if (start > Math.max(this.#textEnd, this.#end)) {
      // Nothing is reported of `</>`, which browsers drop.
      this.#add('lone', '', start);
    }
    this.#textEnd = end;
  }

  ontextentity(codePoint: number, end: number): void {
    const text = String.fromCodePoint(codePoint);
    const last = this.#references.at(-1);
    if (last !== undefined && end <= last.end) {
      // Some names stand for two characters, reported one after the other.
      this.#references[this.#references.length - 1] = { ...last, text: last.text + text };
      return;
    }
    const start = Math.max(this.#textEnd, this.#end);
    this.#references.push({ start, end, text });
    this.#textEnd = end;
  }

  onopentagname(start: number, end: number): void {
    this.#name = this.#nameFrom(start, end);
    this.#untranslated = false;
  }

  onattribname(start: number, end: number): void {
    this.#attribute = this.#isHtml ? this.#nameFrom(start, end) : '';
    this.#value = '';
  }

  onattribdata(start: number, end: number): void {
    if (this.#attribute === 'translate' || this.#attribute === 'class') {
      this.#value += this.#source.slice(start, end);
    }
  }

  onattribentity(): void {
    // No attribute that matters here is ever written with references.
  }

  onattribend(): void {
    if (this.#attribute === 'translate' && this.#value.toLowerCase() === 'no') {
      this.#untranslated = true;
    }
    if (this.#attribute === 'class' && NOT_TRANSLATED_CLASS.test(this.#value)) {
      this.#untranslated = true;
    }
  }

  onopentagend(end: number): void {
    this.#add('open', this.#name, end + 1).untranslated = this.#untranslated;
  }

  onselfclosingtag(end: number): void {
    // To HTML the slash means nothing, save in formulas and drawings, which are left alone anyway.
    this.#add(this.#isHtml ? 'open' : 'lone', this.#name, end + 1).untranslated =
      this.#untranslated;
  }

  onclosetag(start: number, end: number): void {
    const close = this.#source.indexOf('>', end);
    this.#add('close', this.#nameFrom(start, end), close === -1 ? this.#source.length : close + 1);
  }

  oncomment(_start: number, end: number): void {
    this.#add('lone', '', end + 1);
  }

  oncdata(_start: number, end: number): void {
    this.#add('data', '', end + 1);
  }

  ondeclaration(_start: number, end: number): void {
    this.#add('lone', '', end + 1);
  }

  onprocessinginstruction(_start: number, end: number): void {
    // The tokenizer tells where the text of it ends; `?>` follows.
    this.#add('lone', '', this.#source.indexOf('>', end) + 1);
  }

  onend(): void {
    // What is left over is taken in `finish`.
  }

  /** All tokens; a tag that the end of the text cut off stands alone. */
  finish(): Token[] {
    this.#addText();
    if (this.#end < this.#source.length) this.#add('lone', '', this.#source.length);
    return this.#tokens;
  }

  #nameFrom(start: number, end: number): string {
    const name = this.#source.slice(start, end);
    return this.#isHtml ? name.toLowerCase() : name;
  }

  #add(kind: Token['kind'], name: string, end: number): Token {
    this.#addText();
    const token = markupToken(kind, name, this.#end, Math.min(end, this.#source.length));
    this.#end = token.end;
    this.#tokens.push(token);
    return token;
  }

  #addText(): void {
    if (this.#textEnd <= this.#end) return;
    const references = this.#isHtml
      ? this.#references
      : lenientReferences(this.#source, this.#end, this.#textEnd);
    const token = markupToken('text', '', this.#end, this.#textEnd);
    this.#tokens.push({
      ...token,
      references: references.length === 0 ? NO_REFERENCES : references,
    });
    this.#end = this.#textEnd;
    this.#references = [];
  }
}
