/**
 * What goes through a worksheet. Most of a large one is numbers, which stream by; what is looked at is
 * strings, formulas, headers and the messages of validations.
 */
import type { PartVisitor } from './part-reading.ts';
import { hasReferences, isFormula, renameFormula } from './sheet-formulas.ts';
import { readHeader, writeHeader } from './sheet-header.ts';
import { type FilterValue, namesCellTexts, translatedFilter } from './sheet-filters.ts';
import { cellKey, cellOf } from './sheet-tables.ts';
import { inlineString, readRichString, type RichString } from './sheet-text.ts';
import type { RenamedColumns } from './structured-references.ts';
import { exchangeText, type TextExchange } from './text-exchange.ts';
import { hasLetters, type TextSegment } from '../../../text/text-segment.ts';
import { serialise, textOf, type XmlElement } from './xml-element.ts';
import { attributeOf, encodeText, withAttribute } from './xml-text.ts';
import { decodeString, encodeString } from './sheet-text.ts';

export interface SheetOptions {
  exchange: TextExchange;
  /** Cells whose strings are wanted or replaced; see {@link cellKey}. */
  places: ReadonlySet<number>;
  /** Texts that stay, in lower case. */
  fixed: ReadonlySet<string>;
  /** Called for each use of a shared string; `place` only for cells that are wanted. */
  onShared?: (index: number, place: number | undefined) => void;
  /** Called for strings in wanted cells that are not shared. */
  onInline?: (text: RichString, place: number) => void;
  /** Called for formulas. */
  onFormula?: (hasReferences: boolean) => void;
  /** What a filter that shows cells with a text shows now; undefined when that is the same. */
  filterValue?: FilterValue;
  /** Texts that cells have for themselves. */
  cells?: ReadonlyMap<number, string>;
  renamed?: RenamedColumns;
}

const HEADER = /^x:(odd|even|first)(Header|Footer)$/;
const CELL_TYPE = /\st\s*=\s*["'](\w+)["']/;

/** Most UTF-16 units of the texts of validations and tips; a longer one damages the workbook. */
const messageLengths = [
  ['promptTitle', 32],
  ['prompt', 255],
  ['errorTitle', 32],
  ['error', 255],
] as const;
const TIP_LENGTH = 255;

/** A visitor for one pass over a worksheet. */
export function sheetVisitor(options: SheetOptions): PartVisitor {
  const { exchange, places, fixed, cells, renamed } = options;
  const visitsPlaces = places.size > 0;
  let row = 0;
  let column = 0;
  let type: string | undefined;
  let place: number | undefined;

  const enterCell = (tag: string): string | undefined => {
    type = CELL_TYPE.exec(tag)?.[1];
    if (!visitsPlaces) return undefined;
    const reference = attributeOf(tag, 'r');
    const cell = reference === undefined ? undefined : cellOf(reference);
    column = cell?.column ?? column + 1;
    const key = cellKey(cell?.row ?? row, column);
    place = places.has(key) ? key : undefined;
    return place !== undefined && cells?.has(place) === true
      ? withAttribute(tag, 't', 'inlineStr')
      : undefined;
  };

  const string = (element: XmlElement): string | undefined => {
    const own = place === undefined ? undefined : cells?.get(place);
    if (element.name === 'x:v') options.onShared?.(Number(textOf(element)), place);
    if (element.name === 'x:v') return own && inlineString(element, own);
    const text = readRichString(element);
    if (text === undefined || fixed.has(text.text.trim().toLowerCase())) return undefined;
    if (place !== undefined) options.onInline?.(text, place);
    const translated = exchange(text.segment, 'paragraph');
    if (own !== undefined) return inlineString(element, own);
    return translated && serialise({ ...element, children: [text.write(translated)] });
  };

  return {
    isTree: (name) =>
      (name === 'x:v' && type === 's') || name === 'x:is' || isFormula(name) || HEADER.test(name),
    tree: (element) => {
      if (element.name === 'x:v' || element.name === 'x:is') return string(element);
      if (!isFormula(element.name)) return exchangeHeader(element, exchange);
      options.onFormula?.(hasReferences(element));
      return renamed && renameFormula(element, renamed);
    },
    open: (name, tag) => {
      if (name === 'x:c') return enterCell(tag);
      if (name === 'x:row' && visitsPlaces) {
        row = Number(attributeOf(tag, 'r') ?? row + 1);
        column = 0;
      } else if (name === 'x:dataValidation' || name === 'x14:dataValidation') {
        return exchangeMessages(tag, messageLengths, exchange);
      } else if (namesCellTexts(name) && options.filterValue !== undefined) {
        return translatedFilter(name, tag, options.filterValue);
      } else if (name === 'x:hyperlink') {
        return exchangeMessages(tag, [['tooltip', TIP_LENGTH]], exchange);
      }
      return undefined;
    },
  };
}

/** A header or footer with the texts of its sections exchanged. */
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

/** A start tag with the texts of attributes exchanged; undefined when nothing changed. */
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
