/**
 * Visits a part of WordprocessingML: the document, a header, footnotes, comments. Writing also
 * accepts tracked changes, unbinds controls from stored data and turns the direction of text.
 */
import { drawingDialect } from './drawing-text.ts';
import {
  exchangeText,
  offeringOnce,
  type TargetLanguage,
  type TextExchange,
} from './office-parts.ts';
import type { Piece, RunFormat } from './paragraph-pieces.ts';
import { exchangeParagraph, type ParagraphDialect, type WritingContext } from './paragraph.ts';
import type { PartVisitor } from './part-reading.ts';
import {
  acceptRevisions,
  isCellDeleted,
  isEndDeleted,
  isRevisionMark,
  isRowDeleted,
  joinParagraphs,
} from './revisions.ts';
import {
  changesDirection,
  paragraphProperties,
  runProperties,
  turnSection,
  turnTable,
} from './wordprocessing-properties.ts';
import { choiceOf, WordprocessingStory } from './wordprocessing-story.ts';
import {
  attribute,
  attributesOf,
  childOf,
  elementLike,
  elementsOf,
  encodeText,
  serialise,
  setAttribute,
  textOf,
  type XmlElement,
  type XmlNode,
} from './xml-element.ts';

// Paragraphs of WordprocessingML.

/** WordprocessingML's dialect of paragraphs; tracked changes must have been accepted. */
const wordprocessingDialect: ParagraphDialect = {
  paragraph: 'w:p',
  properties: 'w:pPr',
  story: () => new WordprocessingStory().read,
  writeText,
  writeProperties,
};

/** The content of a control has no properties. */
const choiceDialect: ParagraphDialect = { ...wordprocessingDialect, writeProperties: () => [] };

function writeText(text: string, format: RunFormat, { like, target }: WritingContext): string {
  const properties = runProperties(format.properties, like, target);
  const content = contentOf(text, like);
  return serialise(
    elementLike(like, 'r', properties === undefined ? content : [properties, ...content]),
  );
}

/**
 * Splits a text into texts and non-breaking hyphens. The hyphens become elements, as fonts often
 * lack the character.
 */
function contentOf(text: string, like: XmlElement): XmlElement[] {
  return text
    .split(/(\u2011)/)
    .filter((part) => part !== '')
    .map((part) => {
      if (part === '\u2011') return elementLike(like, 'noBreakHyphen');
      const element = elementLike(like, 't', [encodeText(part)]);
      if (/^\s|\s$|\s\s/.test(part)) setAttribute(element, 'xml:space', 'preserve');
      return element;
    });
}

function writeProperties(
  properties: XmlElement | undefined,
  { like, target }: WritingContext,
): XmlNode[] {
  const changed = paragraphProperties(properties, like, target);
  return changed === undefined ? [] : [changed];
}

/**
 * Elements that are held back until it is known whether they stay, and property elements held back with them.
 */
const HOLDING = new Set(['w:tbl', 'w:tr', 'w:tc']);
const HELD = new Set(['w:tblPr', 'w:tblGrid', 'w:tblPrEx', 'w:trPr', 'w:tcPr']);
const TREES = new Set(['w:p', 'w:sdtPr', 'w:sectPr', ...HELD]);

/** The visitor for one pass over a part. */
export class WordprocessingPart implements PartVisitor {
  readonly #exchange: TextExchange;
  readonly #target: TargetLanguage | undefined;
  readonly #read = wordprocessingDialect.story();
  /** XML so far of tables, rows and cells that are held back. */
  readonly #held: { name: string; xml: string }[] = [];
  /** Number of open elements in a row or cell that is being left out. */
  #leftOut = 0;
  /** Paragraphs whose ends were deleted; the next paragraph continues them. */
  #unended: XmlElement[] = [];
  /** Exchanges for open `mc:AlternateContent`, which repeats paragraphs for new and old programs. */
  readonly #alternatives: TextExchange[] = [];

  constructor(exchange: TextExchange, target: TargetLanguage | undefined) {
    this.#exchange = exchange;
    this.#target = target;
  }

  isTree(name: string): boolean {
    return TREES.has(name) || isRevisionMark(name);
  }

  tree(element: XmlElement): string | undefined {
    if (this.#leftOut > 0 || isRevisionMark(element.name)) return '';
    if (element.name === 'w:p') return this.#paragraph(element);
    if (element.name === 'w:sdtPr') untie(element);
    if (element.name === 'w:trPr' && isRowDeleted(element)) return this.#leaveOut();
    if (element.name === 'w:tcPr' && isCellDeleted(element)) return this.#leaveOut();
    acceptRevisions(element);
    exchangeWithin(element, this.#offer, this.#target);
    this.#turn(element);
    const held = HELD.has(element.name) ? this.#held.at(-1) : undefined;
    if (held === undefined) return this.#released() + serialise(element);
    held.xml += serialise(element);
    return '';
  }

  open(name: string, tag: string, isEmpty: boolean): string | undefined {
    if (this.#leftOut > 0) {
      if (!isEmpty) this.#leftOut += 1;
      return '';
    }
    if (HOLDING.has(name) && !isEmpty) {
      const before = this.#ended() + (name === 'w:tbl' ? this.#released() : '');
      this.#held.push({ name, xml: tag });
      return before;
    }
    const alternatives = name === 'mc:AlternateContent' && !isEmpty;
    if (alternatives) this.#alternatives.push(offeringOnce(this.#offer));
    return this.#released() + tag;
  }

  close(name: string, tag: string): string | undefined {
    if (this.#leftOut > 0) {
      this.#leftOut -= 1;
      return '';
    }
    if (name === 'mc:AlternateContent') this.#alternatives.pop();
    // A table or row that is still held back has no content left and is dropped; an empty cell stays.
    if (name !== 'w:tc' && this.#held.at(-1)?.name === name) {
      this.#held.pop();
      return '';
    }
    return this.#released() + tag;
  }

  get #offer(): TextExchange {
    return this.#alternatives.at(-1) ?? this.#exchange;
  }

  /** Leaves out the current row or cell: the rest of it is neither offered nor written. */
  #leaveOut(): string {
    this.#held.pop();
    this.#leftOut = 1;
    return '';
  }

  /** Returns what was held back, because content that stays follows. */
  #released(): string {
    const xml = this.#held.map((held) => held.xml).join('');
    this.#held.length = 0;
    return xml + this.#ended();
  }

  /** Writes paragraphs that waited for a following one, joined into one. */
  #ended(): string {
    const waiting = this.#unended;
    this.#unended = [];
    const last = waiting.pop();
    if (last === undefined) return '';
    joinParagraphs(waiting, last);
    return this.#written(last);
  }

  #paragraph(paragraph: XmlElement): string {
    const isCapital = isDropCapital(paragraph);
    const goesOn = isCapital || isEndDeleted(paragraph);
    acceptRevisions(paragraph);
    if (isCapital) withoutFormats(paragraph);
    const waiting = this.#unended;
    this.#unended = [];
    const released = this.#released();
    waiting.push(paragraph);
    this.#unended = waiting;
    return goesOn ? released : released + this.#ended();
  }

  #written(paragraph: XmlElement): string {
    const exchange = this.#offer;
    exchangeFieldCodes(paragraph, exchange);
    exchangeWithin(paragraph, exchange, this.#target);
    exchangeAndTurn(paragraph, {
      dialect: wordprocessingDialect,
      read: this.#read,
      exchange,
      target: this.#target,
    });
    return serialise(paragraph);
  }

  #turn(element: XmlElement): void {
    const target = this.#target;
    if (target === undefined || !changesDirection(target)) return;
    if (element.name === 'w:tblPr') turnTable(element, target);
    if (element.name === 'w:sectPr') turnSection(element, target);
  }
}

interface Passage {
  dialect: ParagraphDialect;
  read: (paragraph: XmlElement) => Piece[];
  exchange: TextExchange;
  target: TargetLanguage | undefined;
}

/**
 * Turns paragraphs without words as well; otherwise empty lines and numbers would stand on the other side.
 */
function exchangeAndTurn(paragraph: XmlElement, passage: Passage): void {
  const { target, dialect } = passage;
  if (exchangeParagraph(paragraph, passage) || target === undefined) return;
  if (dialect !== wordprocessingDialect || !changesDirection(target)) return;
  const properties = childOf(paragraph, 'w:pPr');
  const turned = paragraphProperties(properties, paragraph, target);
  const rest = paragraph.children.filter((child) => child !== properties);
  paragraph.children = turned === undefined ? rest : [turned, ...rest];
}

/**
 * Exchanges the texts within an element besides its own: alternative texts, and paragraphs in text
 * boxes and drawings, each a story of its own.
 */
function exchangeWithin(
  element: XmlElement,
  exchange: TextExchange,
  target: TargetLanguage | undefined,
): void {
  exchangeAttributes(element, exchange);
  const within = { words: wordprocessingDialect.story(), drawing: drawingDialect.story() };
  for (const child of elementsOf(element)) {
    // Drawings occur twice, for new and for old programs.
    const own = child.name === 'mc:AlternateContent' ? offeringOnce(exchange) : exchange;
    if (child.name === 'w:sdtPr') untie(child);
    exchangeWithin(child, own, target);
    const choice = choiceOf(child);
    if (choice !== undefined) {
      const passage = { dialect: choiceDialect, read: within.words };
      exchangeParagraph(choice, { ...passage, exchange: own, target });
    }
    if (child.name === 'w:p') {
      exchangeFieldCodes(child, own);
      const passage = { dialect: wordprocessingDialect, read: within.words };
      exchangeAndTurn(child, { ...passage, exchange: own, target });
    } else if (child.name === 'a:p') {
      const passage = { dialect: drawingDialect, read: within.drawing };
      exchangeAndTurn(child, { ...passage, exchange: own, target });
    }
  }
}

/**
 * Whether a paragraph is a drop cap: a large first letter in a frame. It is rejoined with the next
 * paragraph, to whose first word it belongs; the translation may begin with another letter.
 */
function isDropCapital(paragraph: XmlElement): boolean {
  const properties = childOf(paragraph, 'w:pPr');
  const frame = properties && childOf(properties, 'w:framePr');
  return frame !== undefined && (attribute(frame, 'dropCap') ?? 'none') !== 'none';
}

function withoutFormats(paragraph: XmlElement): void {
  for (const run of elementsOf(paragraph)) {
    run.children = run.children.filter(
      (child) => typeof child === 'string' || child.name !== 'w:rPr',
    );
  }
}

const BINDINGS = new Set(['w:dataBinding', 'w15:dataBinding']);

/**
 * Unbinds a control from stored data, which would replace the translation as soon as the file is
 * opened. Pictures have no text and stay bound.
 */
function untie(properties: XmlElement): void {
  if (childOf(properties, 'w:picture') !== undefined) return;
  properties.children = properties.children.filter(
    (child) => typeof child === 'string' || !BINDINGS.has(child.name),
  );
}

// Text outside of the running text: attributes of elements (alternative texts, tooltips, entries of
// lists) and codes of fields.

/** Names of attributes with text, without prefix, by element. */
const textAttributes: Record<string, readonly string[]> = {
  'wp:docPr': ['descr', 'title'],
  'pic:cNvPr': ['descr', 'title'],
  'wps:cNvPr': ['descr', 'title'],
  'wpg:cNvPr': ['descr', 'title'],
  'p:cNvPr': ['descr', 'title'],
  'xdr:cNvPr': ['descr', 'title'],
  'a:hlinkClick': ['tooltip'],
  'v:textpath': ['string'],
  'w:hyperlink': ['tooltip'],
  'w:listEntry': ['val'],
  'w:tblCaption': ['val'],
  'w:tblDescription': ['val'],
};

/** A picture's description is often its file name, inserted by the program. */
const FILE_NAME = /^\S+\.(?:png|jpe?g|gif|bmp|tiff?|emf|wmf|svg|webp)$/i;

/** Exchanges the texts in an element's own attributes. */
function exchangeAttributes(element: XmlElement, exchange: TextExchange): void {
  if (element.name === 'w:textInput') exchangeDefault(element, exchange);
  else if (element.name === 'w:listItem') exchangeListItem(element, exchange);
  else if (element.name === 'w:helpText' || element.name === 'w:statusText') {
    // Otherwise the value is the name of an AutoText entry.
    if (attribute(element, 'type') !== 'autoText') exchangeAttribute(element, 'val', exchange);
  }
  const names =
    textAttributes[element.name] ?? (element.name.startsWith('v:') ? ['alt'] : undefined);
  if (names === undefined || !element.tag.includes('=')) return;
  for (const [written, value] of [...attributesOf(element.tag)]) {
    const local = written.slice(written.indexOf(':') + 1);
    if (!names.includes(local) || FILE_NAME.test(value)) continue;
    const translated = exchangeText(exchange, value, 'unit');
    if (translated !== undefined) setAttribute(element, written, translated);
  }
}

/** Exchanges the initial text of a form field, unless it is a number, a date or a formula. */
function exchangeDefault(input: XmlElement, exchange: TextExchange): void {
  const type = childOf(input, 'w:type');
  if (type !== undefined && attribute(type, 'val') !== 'regular') return;
  const first = childOf(input, 'w:default');
  if (first !== undefined) exchangeAttribute(first, 'val', exchange);
}

/**
 * Exchanges a list item. An item without a display text shows its value, which programs rely on;
 * the translation becomes its display text.
 */
function exchangeListItem(item: XmlElement, exchange: TextExchange): void {
  if (attribute(item, 'displayText') === undefined) {
    exchangeAttribute(item, 'value', exchange, 'displayText');
  } else {
    exchangeAttribute(item, 'displayText', exchange);
  }
}

/** Exchanges the text of an attribute; `into` is the attribute that receives the translation. */
function exchangeAttribute(
  element: XmlElement,
  name: string,
  exchange: TextExchange,
  into = name,
): void {
  const written = [...attributesOf(element.tag)].find(([key]) => key.split(':').at(-1) === name);
  if (written === undefined) return;
  const translated = exchangeText(exchange, written[1], 'unit');
  if (translated === undefined) return;
  setAttribute(element, written[0].slice(0, -name.length) + into, translated);
}

/**
 * Exchanges the text in the codes of fields that begin and end in a paragraph: entries of an index or
 * a table of contents, tooltips, and prompts of macro buttons.
 */
function exchangeFieldCodes(paragraph: XmlElement, exchange: TextExchange): void {
  /** Code elements of the current field; undefined outside of fields, and in fields that contain others. */
  let code: XmlElement[] | undefined;
  for (const run of runsOf(paragraph)) {
    for (const child of elementsOf(run)) {
      if (child.name === 'w:instrText') code?.push(child);
      if (child.name !== 'w:fldChar') continue;
      if (attribute(child, 'fldCharType') === 'begin') {
        code = [];
      } else {
        if (code !== undefined) exchangeCode(code, exchange);
        code = undefined;
      }
    }
  }
}

function* runsOf(element: XmlElement): Generator<XmlElement> {
  for (const child of elementsOf(element)) {
    if (child.name === 'w:r') yield child;
    // Paragraphs inside, in text boxes, are processed separately.
    else if (child.name !== 'w:p') yield* runsOf(child);
  }
}

function exchangeCode(pieces: readonly XmlElement[], exchange: TextExchange): void {
  const [first, ...rest] = pieces;
  if (first === undefined) return;
  const code = pieces.map(textOf).join('');
  const changed = translatedCode(code, exchange);
  if (changed === undefined) return;
  first.children = [encodeText(changed)];
  setAttribute(first, 'xml:space', 'preserve');
  for (const piece of rest) piece.children = [];
}

/**
 * Arguments with text, by field: index entries and their references (`See …`), entries of tables of
 * contents, and tooltips of links.
 */
const TEXT_ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  XE: ['XE', '\\T'],
  TC: ['TC'],
  HYPERLINK: ['\\O'],
};
/** A text in quotation marks, up to the closing one, and the name or switch before it. */
const ARGUMENT = /(?<!\S)(\\?[a-z]+)(\s+")((?:[^"\\]|\\.)*)(?=")/gis;

/** Returns the code of a field with its text translated; undefined when nothing changed. */
function translatedCode(code: string, exchange: TextExchange): string | undefined {
  const field = /^\s*([a-z]+)/i.exec(code)?.[1]?.toUpperCase() ?? '';
  const translated = TEXT_ARGUMENTS[field];
  if (translated !== undefined) {
    const changed = code.replace(ARGUMENT, (whole, name: string, gap: string, text: string) => {
      if (!translated.includes(name.toUpperCase())) return whole;
      return name + gap + translatedEntry(text, exchange, name.toUpperCase() === 'XE');
    });
    return changed === code ? undefined : changed;
  }
  const before = /^\s*MACROBUTTON\s+\S+\s+/i.exec(code)?.[0];
  if (before === undefined) return undefined;
  const prompt = code.slice(before.length);
  const words = prompt.trimEnd();
  const changed = exchangeText(exchange, words, 'unit');
  return changed === undefined ? undefined : before + changed + prompt.slice(words.length);
}

/**
 * Translates a text of a code; characters with a meaning there are escaped.
 *
 * @param hasLevels whether colons separate the levels of an index entry
 */
function translatedEntry(text: string, exchange: TextExchange, hasLevels: boolean): string {
  const levels = hasLevels ? (text.match(/(?:[^:\\]|\\.)+|:/gs) ?? []) : [text];
  const translated = levels.map((level) => {
    const changed = exchangeText(exchange, level.replace(/\\(.)/gs, '$1'), 'unit');
    return changed?.replace(hasLevels ? /[\\":]/g : /[\\"]/g, '\\$&') ?? level;
  });
  return translated.join('');
}
