/**
 * Visits a worksheet. Most of a large sheet is numbers, which only stream through; the visitor
 * handles strings, formulas, headers and the messages of data validations.
 */
import { hasLetters, type TextSegment, type Mark, plainText } from '../../../text/text-segment.ts';
import { exchangeText, type TextExchange } from './office-parts.ts';
import type { PartVisitor } from './part-reading.ts';
import {
  hasReferences,
  isFormula,
  renameFormula,
  type RenamedColumns,
  type TextSet,
} from './sheet-formulas.ts';
import {
  inlineString,
  readPlainString,
  readRichString,
  type RichString,
  decodeString,
  encodeString,
} from './sheet-text.ts';
import {
  type Area,
  areaOf,
  type FilterValue,
  isWithin,
  namesCellTexts,
  type SheetTable,
  tableAt,
  translatedFilter,
  cellKey,
  cellOf,
} from './workbook.ts';
import {
  serialise,
  textOf,
  type XmlElement,
  attributeOf,
  encodeText,
  withAttribute,
  attribute,
  childOf,
  elementsOf,
  setAttribute,
} from './xml-element.ts';

interface SheetOptions {
  exchange: TextExchange;
  /** Cells whose strings are reported or replaced; see {@link cellKey}. */
  places: ReadonlySet<number>;
  /** Texts that stay, in lower case. */
  fixed: TextSet;
  /** Further texts that stay, although they were offered: those of formulas, which may come after them. */
  sought?: TextSet;
  /** Called for each use of a shared string; `place` is set only for the cells in `places`. */
  onShared?: (index: number, place: number | undefined) => void;
  /** Called for inline strings in the cells in `places`. */
  onInline?: (text: RichString, place: number) => void;
  /** Called for each formula. */
  onFormula?: (formula: XmlElement, hasReferences: boolean) => void;
  /**
   * Maps a text in a filter to the text that its cells have after translation; undefined when it is the same.
   */
  filterValue?: FilterValue;
  /** Texts of cells that differ from their string's translation. */
  cells?: ReadonlyMap<number, string>;
  renamed?: RenamedColumns;
  /** Tables of the sheet. Formulas inside a table may refer to its columns without its name. */
  tables?: readonly SheetTable[];
}

const HEADER = /^x:(odd|even|first)(Header|Footer)$/;
const CELL_TYPE = /\st\s*=\s*["'](\w+)["']/;

/**
 * Maximum lengths of validation messages and tooltips in UTF-16 units; Excel takes a workbook with
 * longer ones for damaged.
 */
const messageLengths = [
  ['promptTitle', 32],
  ['prompt', 255],
  ['errorTitle', 32],
  ['error', 255],
] as const;
const TIP_LENGTH = 255;

/** Creates a visitor for one pass over a worksheet. */
export function sheetVisitor(options: SheetOptions): PartVisitor {
  const { exchange, places, fixed, sought, cells, renamed, tables = [] } = options;
  const visitsPlaces = places.size > 0;
  let row = 0;
  let cellRow = 0;
  let column = 0;
  let type: string | undefined;
  const results = trackResults();
  let place: number | undefined;

  const enterCell = (tag: string): string | undefined => {
    type = CELL_TYPE.exec(tag)?.[1];
    if (type === 'str') results.enterCell(tag);
    if (!visitsPlaces) return undefined;
    const cell = cellOf(attributeOf(tag, 'r') ?? '');
    column = cell?.column ?? column + 1;
    cellRow = cell?.row ?? row;
    const key = cellKey(cellRow, column);
    place = places.has(key) ? key : undefined;
    return place !== undefined && cells?.has(place) === true
      ? withAttribute(tag, 't', 'inlineStr')
      : undefined;
  };

  const string = (element: XmlElement): string | undefined => {
    const own = place === undefined ? undefined : cells?.get(place);
    const isValue = element.name === 'x:v';
    if (isValue && type === 's') options.onShared?.(Number(textOf(element)), place);
    if (isValue && type === 's') return own && inlineString(element, own);
    const text = isValue ? readPlainString(element) : readRichString(element);
    const key = text?.text.trim().toLowerCase() ?? '';
    if (text === undefined || fixed.has(key)) return undefined;
    if (place !== undefined) options.onInline?.(text, place);
    const translated = exchange(text.segment, 'paragraph');
    if (own !== undefined || sought?.has(key) === true) return own && inlineString(element, own);
    return translated && serialise({ ...element, children: [text.write(translated)] });
  };

  return {
    isTree: (name) => {
      if (name === 'x:v') return type === 's' || (type === 'str' && !results.isResult());
      return name === 'x:is' || isFormula(name) || HEADER.test(name);
    },
    tree: (element) => {
      if (element.name === 'x:v' || element.name === 'x:is') return string(element);
      if (!isFormula(element.name)) return exchangeHeader(element, exchange);
      results.addFormula(element);
      const refers = hasReferences(element);
      options.onFormula?.(element, refers);
      if (!refers || renamed === undefined) return undefined;
      return renameFormula(element, renamed, tableAt(tables, { row: cellRow, column }));
    },
    open: (name, tag) => {
      if (name === 'x:c') return enterCell(tag);
      if (name === 'x:row' && visitsPlaces) {
        row = Number(attributeOf(tag, 'r') ?? row + 1);
        column = 0;
        return undefined;
      }
      return exchangeTag(name, tag, options);
    },
  };
}

/** Exchanges the texts in the attributes of a start tag; undefined when nothing changed. */
function exchangeTag(
  name: string,
  tag: string,
  { exchange, filterValue }: SheetOptions,
): string | undefined {
  if (name === 'x:dataValidation' || name === 'x14:dataValidation') {
    return exchangeMessages(tag, messageLengths, exchange);
  }
  if (namesCellTexts(name) && filterValue !== undefined) {
    return translatedFilter(name, tag, filterValue);
  }
  return name === 'x:hyperlink'
    ? exchangeMessages(tag, [['tooltip', TIP_LENGTH]], exchange)
    : undefined;
}

/** Tells whether a string in the `v` of a cell is the result of a formula or the cell's own text. */
function trackResults() {
  let isResult = false;
  /** Areas of formulas with several results, which only the first cell of each contains. */
  let areas: readonly Area[] = [];
  return {
    enterCell(tag: string): void {
      const cell = areas.length > 0 ? cellOf(attributeOf(tag, 'r') ?? '') : undefined;
      isResult = cell !== undefined && areas.some((area) => isWithin(area, cell));
    },
    addFormula({ tag }: XmlElement): void {
      isResult = true;
      const added = CELL_TYPE.exec(tag)?.[1] === 'array' ? areaOf(tag) : undefined;
      if (added === undefined) return;
      const { from, to } = added;
      // Most have a single result, in the cell that has just been entered.
      if (from.row === to.row && from.column === to.column) return;
      // Areas above it, or to its left in the same row, are over, as cells come in order.
      const isAhead = (area: Area) =>
        area.to.row > from.row || (area.to.row === from.row && area.to.column > from.column);
      areas = [...areas.filter(isAhead), added];
    },
    isResult: () => isResult,
  };
}

/** Exchanges the texts in the sections of a header or footer. */
function exchangeHeader(element: XmlElement, exchange: TextExchange): string | undefined {
  const sections = readHeader(decodeString(textOf(element)));
  const translated: (TextSegment | undefined)[] = sections.map(({ segment }) =>
    hasLetters(segment) ? exchange(segment, 'unit') : undefined,
  );
  if (translated.every((segment) => segment === undefined)) return undefined;
  const header = writeHeader(
    sections,
    translated.map((segment, index) => segment ?? sections[index]?.segment ?? []),
  );
  return serialise({ ...element, children: [encodeText(encodeString(header))] });
}

/** Returns a start tag with the texts of attributes exchanged; undefined when nothing changed. */
function exchangeMessages(
  tag: string,
  lengths: readonly (readonly [name: string, maxLength: number])[],
  exchange: TextExchange,
): string | undefined {
  let changed = tag;
  for (const [name, maxLength] of lengths) {
    const text = decodeString(attributeOf(tag, name) ?? '');
    const translated = exchangeText(exchange, text);
    if (translated === undefined) continue;
    const written = encodeString(translated.slice(0, maxLength)).replaceAll('\n', '_x000a_');
    changed = withAttribute(changed, name, written);
  }
  return changed === tag ? undefined : changed;
}

// Headers and footers of worksheets: text with codes for sections, fields and fonts, such as
// `&LDraft&C&"Arial,Bold"&12Report &P of &N` (ISO/IEC 29500-1, 18.3.1.46).

/** The left, centred or right section of a header. */
interface HeaderSection {
  /** Codes before the text, starting with the section's own, and codes after it. */
  before: string;
  after: string;
  /** The text. A code inside it is a lone mark, whose id is the code's index in `codes` plus 1. */
  segment: TextSegment;
  codes: readonly string[];
}

/** Maximum length of a header; Excel takes a workbook with a longer one for damaged. */
const MAX_LENGTH = 255;

// An ampersand; a font; a colour; a size; a page number with an offset; a single letter.
const CODE = /(&&|&"[^"]*"|&K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|&\d+|&P[+-]\d+|&[^&])/i;
const SECTION_START = /^&[LCR]$/i;

/** Splits a header into its sections. */
function readHeader(header: string): HeaderSection[] {
  const sections: string[][] = [[]];
  for (const piece of header.split(CODE)) {
    if (SECTION_START.test(piece)) sections.push([]);
    if (piece !== '') sections.at(-1)?.push(piece);
  }
  return sections.filter(({ length }) => length > 0).map(readSection);
}

const isCode = (piece: string): boolean => piece.startsWith('&') && piece !== '&&';

function readSection(pieces: readonly string[]): HeaderSection {
  const firstText = pieces.findIndex((piece) => !isCode(piece));
  if (firstText < 0) return { before: pieces.join(''), after: '', segment: [], codes: [] };
  const lastText = pieces.findLastIndex((piece) => !isCode(piece));
  const codes: string[] = [];
  const segment: (string | Mark)[] = [];
  for (const piece of pieces.slice(firstText, lastText + 1)) {
    if (isCode(piece)) segment.push({ mark: 'lone', id: codes.push(piece) });
    else segment.push(piece === '&&' ? '&' : piece);
  }
  const parts = joined(segment);
  // Engines do not preserve blanks at the ends.
  const [start, end] = [parts.at(0), parts.at(-1)];
  const lead = typeof start === 'string' ? (/^\s*/.exec(start)?.[0] ?? '') : '';
  const trail = typeof end === 'string' && end.trim() !== '' ? (/\s*$/.exec(end)?.[0] ?? '') : '';
  if (typeof start === 'string') parts[0] = start.slice(lead.length);
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last.slice(0, last.length - trail.length);
  return {
    before: pieces.slice(0, firstText).join('') + lead,
    after: trail + pieces.slice(lastText + 1).join(''),
    segment: parts,
    codes,
  };
}

/** Joins adjacent texts of a segment. */
function joined(segment: TextSegment): (string | Mark)[] {
  const parts: (string | Mark)[] = [];
  for (const part of segment) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

/**
 * Writes a header with the texts of its sections replaced. If the header exceeds the maximum
 * length, the longest texts are truncated.
 */
function writeHeader(
  sections: readonly HeaderSection[],
  translated: readonly TextSegment[],
): string {
  const texts = translated.map((segment) => [...segment]);
  for (;;) {
    const header = sections
      .map((section, index) => writeSection(section, texts[index] ?? section.segment))
      .join('');
    const excess = header.length - MAX_LENGTH;
    if (excess <= 0) return header;
    if (!shorten(texts, excess)) return header.slice(0, MAX_LENGTH);
  }
}

function writeSection({ before, after, codes }: HeaderSection, segment: TextSegment): string {
  let written = before;
  for (const part of segment) {
    if (typeof part !== 'string') {
      written += codes[part.id - 1] ?? '';
      continue;
    }
    // A size code absorbs digits that follow: "&12" and "2027" would become size 122027.
    const isTorn = /&\d+$/.test(written) && /^\d/.test(part);
    written += (isTorn ? ' ' : '') + part.replaceAll('&', '&&');
  }
  return written + after;
}

/** Truncates the longest text; returns false when no text is left. */
function shorten(texts: (string | Mark)[][], excess: number): boolean {
  const [longest] = texts.toSorted((a, b) => plainText(b).length - plainText(a).length);
  const index = longest?.findLastIndex((part) => typeof part === 'string' && part !== '') ?? -1;
  const part = longest?.[index];
  if (longest === undefined || typeof part !== 'string') return false;
  const kept = Array.from(part).slice(0, -1);
  longest[index] = excess < kept.length ? kept.slice(0, kept.length + 1 - excess).join('') : '';
  return true;
}

// Comments of worksheets: notes with fonts, and the threads of newer programs.

/** Creates a visitor for the notes of a sheet. */
export function commentsVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'x:text',
    tree: (element) => {
      const text = readRichString(element);
      const translated = text && exchange(text.segment, 'paragraph');
      if (text === undefined || translated === undefined) return undefined;
      return serialise({ ...element, children: [text.write(translated)] });
    },
  };
}

/** Creates a visitor for threaded comments. */
export function threadedCommentsVisitor(exchange: TextExchange): PartVisitor {
  return {
    isTree: (name) => name === 'tc:threadedComment',
    tree: (comment) => exchangeThreaded(comment, exchange),
  };
}

interface Mention {
  element: XmlElement;
  start: number;
  text: string;
}

/**
 * Exchanges the text of a threaded comment. Mentions of persons stay as they are, and their
 * positions are updated.
 */
function exchangeThreaded(comment: XmlElement, exchange: TextExchange): string | undefined {
  const element = childOf(comment, 'tc:text');
  if (element === undefined) return undefined;
  const text = decodeString(textOf(element));
  const mentions = mentionsOf(comment, text);
  const segment: (string | Mark)[] = [];
  const kept: { text: string; mention?: XmlElement }[] = [];
  const keep = (text: string, mention?: XmlElement): void => {
    segment.push({ mark: 'lone', id: kept.push({ text, ...(mention && { mention }) }) });
  };
  const addText = (piece: string): void => {
    for (const part of piece.split(/(\s*\n\s*)/)) {
      if (part.includes('\n')) keep(part);
      else if (part !== '') segment.push(part);
    }
  };
  let at = 0;
  for (const mention of mentions) {
    addText(text.slice(at, mention.start));
    keep(mention.text, mention.element);
    at = mention.start + mention.text.length;
  }
  addText(text.slice(at));
  if (!hasLetters(segment)) return undefined;
  const translated = exchange(segment, 'paragraph');
  if (translated === undefined) return undefined;
  let written = '';
  for (const part of translated) {
    const piece = typeof part === 'string' ? { text: part } : kept[part.id - 1];
    if (piece?.mention !== undefined) {
      setAttribute(piece.mention, 'startIndex', `${written.length}`);
    }
    written += piece?.text ?? '';
  }
  element.children = [encodeText(encodeString(written))];
  return serialise(comment);
}

function mentionsOf(comment: XmlElement, text: string): Mention[] {
  const mentions = childOf(comment, 'tc:mentions');
  let end = 0;
  return (mentions === undefined ? [] : elementsOf(mentions))
    .map((element) => {
      const start = Number(attribute(element, 'startIndex'));
      return {
        element,
        start,
        text: text.slice(start, start + Number(attribute(element, 'length'))),
      };
    })
    .sort((a, b) => a.start - b.start)
    .filter(({ start, text }) => {
      if (text === '' || start < end) return false;
      end = start + text.length;
      return true;
    });
}
