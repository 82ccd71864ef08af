/** Tokenises XML and HTML, without deciding what the tokens mean for sentences. */
import { SaxesParser } from 'saxes';
import { Tokenizer } from 'htmlparser2';
import { countCodePoints } from '../code-points.ts';
import { type Reference, NO_REFERENCES, type Steps } from './text-layout.ts';
import { ServiceError } from '../../../shared/errors.ts';

export interface Token {
  kind:
    | 'text'
    | 'open'
    | 'close'
    /** A standalone tag, a comment or a declaration. */
    | 'lone'
    /** An XML CDATA section whose content has not been tokenised yet. */
    | 'data';
  start: number;
  end: number;
  /** Tag name, empty for other tokens; lower case in HTML. */
  name: string;
  /** Index of the matching start or end tag; -1 when there is none. */
  partner: number;
  /** For `open`: index of the first token after the element. */
  scopeEnd: number;
  references: readonly Reference[];
  /** Whether the document itself excludes this element from translation. */
  untranslated: boolean;
  /** Whether it includes this element again, within one that it excludes. */
  translated?: boolean;
  /**
   * Whether it stays although its element is divided: the tag of an excluded element with included ones in it,
   * or a text there.
   */
  kept?: boolean;
}

/** Returns the end of a range of tokens in the source. */
export function endOf(tokens: readonly Token[], scopeEnd: number): number {
  return tokens[scopeEnd - 1]?.end ?? 0;
}

/** Returns the number of Unicode code points a token adds to the text; tags and comments add none. */
export function charactersOf(source: string, token: Token): number {
  const isText = token.kind === 'text' || (token.kind === 'lone' && token.kept === true);
  if (!isText) return 0;
  let characters = countCodePoints(source.slice(token.start, token.end));
  for (const { start, end, text } of token.references) {
    // A custom entity of unknown content counts as one.
    const written = countCodePoints(source.slice(start, end));
    characters += (text === '' ? 1 : countCodePoints(text)) - written;
  }
  return characters;
}

// Strict XML: well-formed documents and fragments.

/** Message for unreadable markup; clients depend on the exact wording. */
const PARSING_FAILED = 'Tag handling parsing failed, please check input.';

/**
 * Tokenises XML and pairs its elements. A text without an XML declaration may be a fragment: text and several
 * elements side by side. Undeclared entities are accepted and left unchanged.
 *
 * @throws ServiceError invalid_request when the text is not well-formed
 */
export function* xmlTokens(source: string): Steps<Token[]> {
  const isDeclared = /^\uFEFF?<\?xml\s/.test(source);
  try {
    try {
      return yield* readXml(source, !isDeclared);
    } catch (error) {
      // Only whole documents have a document type, which the parser rejects in fragments.
      if (isDeclared || !source.includes('<!DOCTYPE')) throw error;
      return yield* readXml(source, false);
    }
  } catch (error) {
    throw new ServiceError('invalid_request', PARSING_FAILED, { cause: error });
  }
}

const ENTITY = /&([^\s&;#]{1,256});/g;

/**
 * The parser reports where each piece of markup ends. It begins at the next `<`, because text in well-formed
 * XML contains none. Every token is thus a slice of the source, independent of the parser's interpretation.
 */
function* readXml(source: string, fragment: boolean): Steps<Token[]> {
  const parser = new SaxesParser({ fragment, position: false });
  for (const [, name = ''] of source.matchAll(ENTITY)) parser.ENTITIES[name] ??= '';
  const tokens: Token[] = [];
  const open: number[] = [];
  let end = 0;
  const add = (kind: Token['kind'], name: string, tokenEnd = parser.position): Token => {
    const start = source.indexOf('<', end);
    if (start > end) tokens.push(textToken(source, end, start));
    end = tokenEnd;
    const token = markupToken(kind, name, start, end);
    tokens.push(token);
    return token;
  };
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('xmldecl', () => void add('lone', ''));
  parser.on('doctype', () => void add('lone', ''));
  // Reported after `--`, before the `>`.
  parser.on('comment', () => void add('lone', '', parser.position + 1));
  parser.on('processinginstruction', () => void add('lone', ''));
  parser.on('cdata', () => void add('data', ''));
  parser.on('opentag', ({ name, isSelfClosing }) => {
    add(isSelfClosing ? 'lone' : 'open', name);
    if (!isSelfClosing) open.push(tokens.length - 1);
  });
  parser.on('closetag', ({ name, isSelfClosing }) => {
    if (isSelfClosing) return;
    const partner = open.pop() ?? -1;
    add('close', name).partner = partner;
    const opening = tokens[partner];
    if (opening === undefined) return;
    opening.partner = tokens.length - 1;
    opening.scopeEnd = tokens.length;
  });
  for (const part of partsOf(source)) {
    parser.write(part);
    yield;
  }
  parser.close();
  if (end < source.length) tokens.push(textToken(source, end, source.length));
  return tokens;
}

/** Creates a text token. */
export function textToken(source: string, start: number, end: number): Token {
  const references = xmlReferences(source, start, end);
  return { ...markupToken('text', '', start, end), references };
}

/** Creates any other token, not yet paired. */
export function markupToken(kind: Token['kind'], name: string, start: number, end: number): Token {
  return {
    kind,
    start,
    end,
    name,
    partner: -1,
    scopeEnd: 0,
    references: NO_REFERENCES,
    untranslated: false,
  };
}

// Character references, and the escaping of text.

const REFERENCE = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([\p{L}_:][\p{L}\p{N}_:.-]{0,255}));/giu;
const PREDEFINED = new Map([
  ['amp', '&'],
  ['lt', '<'],
  ['gt', '>'],
  ['quot', '"'],
  ['apos', "'"],
]);

/**
 * Returns the references of `source` from `start` to `end`. DTD entities are neither looked up nor expanded.
 */
export function xmlReferences(source: string, start: number, end: number): readonly Reference[] {
  const raw = source.slice(start, end);
  if (!raw.includes('&')) return NO_REFERENCES;
  const references: Reference[] = [];
  for (const { 0: reference, 1: hex, 2: decimal, 3: name, index } of raw.matchAll(REFERENCE)) {
    const at = start + index;
    const text =
      name === undefined
        ? characterOf(Number.parseInt(hex ?? decimal ?? '', hex === undefined ? 10 : 16))
        : (PREDEFINED.get(name) ?? '');
    references.push({ start: at, end: at + reference.length, text });
  }
  return references;
}

const REFERENCE_OR_BARE = new RegExp(`${REFERENCE.source}|[&<]`, 'giu');

/**
 * Like {@link xmlReferences}, but also returns each lone `&` and `<` as a reference to itself, so that it
 * stays as it is.
 */
function lenientReferences(source: string, start: number, end: number): readonly Reference[] {
  const proper = new Map(xmlReferences(source, start, end).map((each) => [each.start, each]));
  return [...source.slice(start, end).matchAll(REFERENCE_OR_BARE)].map(({ 0: text, index }) => {
    const at = start + index;
    return proper.get(at) ?? { start: at, end: at + text.length, text };
  });
}

/**
 * Adds references to the entities that HTML does not know, such as those of a document type or of a template.
 *
 * @param known the others, in order
 */
function htmlReferences(
  source: string,
  start: number,
  end: number,
  known: readonly Reference[],
): readonly Reference[] {
  const all = xmlReferences(source, start, end);
  if (all.length === 0) return known;
  const starts = new Set(known.map((each) => each.start));
  const others = all.filter((each) => !starts.has(each.start));
  return [...known, ...others].sort((one, other) => one.start - other.start);
}

/** Characters forbidden by XML 1.0 §2.2, even as references, and lone surrogates. */
const ILLEGAL = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Cs}/gu;

/** Empty for a number that is not a character; its reference is then left unchanged. */
function characterOf(codePoint: number): string {
  if (codePoint > 0x10ffff) return '';
  return String.fromCodePoint(codePoint).replace(ILLEGAL, '');
}

const MARKUP = /[&<]|(?<=\]\])>|^>/g;
/** Text in which a lone character would be read as markup. */
const READ_AS_MARKUP = new RegExp(`^(?:${REFERENCE.source}|<(?:[\\p{L}_:!?/]|$))`, 'iu');
/** Exceeds the length of any reference, in UTF-16 units. */
const LONGEST_REFERENCE = 260;
/** Letters and digits are always written literally. */
const WRITABLE_AS_REFERENCE = /[^\p{L}\p{M}\p{N} \t\r\n]/gu;

/**
 * Escapes text for the place between tags. Characters are written as references where that is required, or
 * where the source did (`asWritten`: character → reference). Forbidden characters are removed.
 */
export function writeText(text: string, asWritten: ReadonlyMap<string, string>): string {
  const legal = text.replace(ILLEGAL, '');
  const escape = (character: string, at: number): string => {
    const written = asWritten.get(character);
    const isBare = written === character;
    return written === undefined ||
      (isBare && READ_AS_MARKUP.test(legal.slice(at, at + LONGEST_REFERENCE)))
      ? escaped(character)
      : written;
  };
  if (asWritten.size === 0) return legal.replace(MARKUP, escaped);
  return legal.replace(WRITABLE_AS_REFERENCE, (character, at: number) => {
    if (character !== '>') return escape(character, at);
    const endsData = at === 0 || legal.endsWith(']]', at);
    return asWritten.get('>') ?? (endsData ? '&gt;' : '>');
  });
}

function escaped(character: string): string {
  switch (character) {
    case '&':
      return '&amp;';
    case '<':
      return '&lt;';
    case '>':
      return '&gt;';
    default:
      return character;
  }
}

/** Tokenises HTML, without pairing; tag names are in lower case. */
export function htmlTokens(source: string): Steps<Token[]> {
  return tokensOf(source, 'html');
}

/** Tokenises XML with errors, without pairing; a lone `<` or `&` is text. */
export function lenientXmlTokens(source: string): Steps<Token[]> {
  return tokensOf(source, 'xml');
}

/**
 * Uses htmlparser2's tokenizer, which builds no tree, so nesting depth costs nothing; it reports offsets
 * only.
 */
function* tokensOf(source: string, grammar: 'html' | 'xml'): Steps<Token[]> {
  const reader = new TokenReader(source, grammar);
  const tokenizer = new Tokenizer(
    { xmlMode: grammar === 'xml', decodeEntities: grammar === 'html' },
    reader,
  );
  for (const part of partsOf(source)) {
    tokenizer.write(part);
    yield;
  }
  tokenizer.end();
  return reader.finish();
}

/** Length of the parts that a parser reads between two steps, in UTF-16 units: less than 1 ms of work. */
const PART_LENGTH = 4_096;

function* partsOf(source: string): Generator<string> {
  for (let at = 0; at < source.length; at += PART_LENGTH) {
    yield source.slice(at, at + PART_LENGTH);
  }
}

const NOT_TRANSLATED_CLASS = /(?:^|\s)notranslate(?:\s|$)/i;

class TokenReader {
  readonly #source: string;
  readonly #isHtml: boolean;
  readonly #tokens: Token[] = [];
  /** End of the source already covered by tokens. */
  #end = 0;
  #textEnd = 0;
  #references: Reference[] = [];
  #name = '';
  #attribute = '';
  #value = '';
  #untranslated = false;
  #translated = false;

  constructor(source: string, grammar: 'html' | 'xml') {
    this.#source = source;
    this.#isHtml = grammar === 'html';
  }

  ontext(start: number, end: number): void {
    if (start > Math.max(this.#textEnd, this.#end)) {
      // The tokenizer reports nothing for `</>`, which browsers drop.
      this.#add('lone', '', start);
    }
    this.#textEnd = end;
  }

  ontextentity(codePoint: number, end: number): void {
    const text = String.fromCodePoint(codePoint);
    const last = this.#references.at(-1);
    if (last !== undefined && end <= last.end) {
      // Some names stand for two characters, which are reported separately.
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
    this.#translated = false;
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
    // The relevant attributes are never written with references.
  }

  onattribend(): void {
    if (this.#attribute === 'translate') {
      const value = this.#value.toLowerCase();
      if (value === 'no') this.#untranslated = true;
      if (value === 'yes' || value === '') this.#translated = true;
    }
    if (this.#attribute === 'class' && NOT_TRANSLATED_CLASS.test(this.#value)) {
      this.#untranslated = true;
    }
  }

  onopentagend(end: number): void {
    this.#addElement('open', end + 1);
  }

  onselfclosingtag(end: number): void {
    // HTML ignores the slash, except in MathML and SVG, which stay unchanged anyway.
    this.#addElement(this.#isHtml ? 'open' : 'lone', end + 1);
  }

  onclosetag(start: number, end: number): void {
    const close = this.#source.indexOf('>', end);
    this.#add('close', this.#nameFrom(start, end), close === -1 ? this.#source.length : close + 1);
  }

  oncomment(_start: number, end: number): void {
    this.#add('lone', '', end + 1);
  }

  oncdata(_start: number, end: number): void {
    // In HTML it is a comment; so is a nested section, or one without an end.
    const isData = !this.#isHtml && this.#source.endsWith(']]>', end + 1);
    this.#add(isData ? 'data' : 'lone', '', end + 1);
  }

  ondeclaration(_start: number, end: number): void {
    this.#add('lone', '', end + 1);
  }

  onprocessinginstruction(_start: number, end: number): void {
    // The tokenizer reports the end of the content; `?>` follows.
    this.#add('lone', '', this.#source.indexOf('>', end) + 1);
  }

  onend(): void {
    // Remaining input is handled in `finish`.
  }

  /** Returns all tokens; a tag cut off by the end of the text becomes a lone token. */
  finish(): Token[] {
    this.#addText();
    if (this.#end < this.#source.length) this.#add('lone', '', this.#source.length);
    return this.#tokens;
  }

  #nameFrom(start: number, end: number): string {
    const name = this.#source.slice(start, end);
    return this.#isHtml ? name.toLowerCase() : name;
  }

  #addElement(kind: Token['kind'], end: number): void {
    const token = this.#add(kind, this.#name, end);
    token.untranslated = this.#untranslated;
    token.translated = this.#translated && !this.#untranslated;
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
      ? htmlReferences(this.#source, this.#end, this.#textEnd, this.#references)
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
