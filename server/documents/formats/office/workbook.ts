/**
 * Structure of a workbook: its sheets, tables and other parts, and the names that must stay because
 * parts that are not translated refer to them.
 */
import { DocumentError } from '../format.ts';
import type { ArchiveEntry } from './archive.ts';
import { type OfficePackage, partsInOrder } from './package-parts.ts';
import { eachTag, type PartVisitor, readPart } from './part-reading.ts';
import { type RenamedColumns, renameFormula } from './sheet-formulas.ts';
import { decodeString, encodeString, type RichString } from './sheet-text.ts';
import {
  attribute,
  attributeOf,
  attributesOf,
  elementsOf,
  serialise,
  setAttribute,
  withAttribute,
  type XmlElement,
} from './xml-element.ts';

export interface Workbook {
  main: ArchiveEntry;
  sheets: readonly Sheet[];
  sharedStrings: ArchiveEntry | undefined;
  /** All other parts, in the order in which readers see them: comments, drawings, charts. */
  others: readonly ArchiveEntry[];
  /** Texts that stay, in lower case: names by which pivot tables and queries find their fields. */
  fixed: ReadonlySet<string>;
  /** Names of sheets, ranges and tables, in lower case, by which `INDIRECT` finds them. */
  names: ReadonlySet<string>;
  /** Formulas of defined names. */
  formulas: readonly XmlElement[];
  /** What pivot tables keep of the cells that they summarise: fields and items. */
  pivotCaches: readonly ArchiveEntry[];
}

export interface Sheet {
  entry: ArchiveEntry;
  tables: readonly SheetTable[];
  /** Cells with headers or totals labels of tables. */
  places: ReadonlySet<number>;
}

const WORKBOOK_TYPE = /spreadsheetml\.(sheet|template)\.main\+xml$/;
const SHEET_TYPE = /spreadsheetml\.(worksheet|chartsheet|dialogsheet)\+xml$/;
const STRINGS_TYPE = /spreadsheetml\.sharedstrings\+xml$/;
const PIVOT_CACHE_TYPE = /spreadsheetml\.pivotcachedefinition\+xml$/;
const SLICER_CACHE_TYPE = /ms-excel\.slicercache\+xml$/;
const DATA_MODEL_TYPE = /openxmlformats-officedocument\.model\+data$/;

const SHEETS = {
  item: 'x:sheet',
  apart: /^(worksheet|chartsheet|pivot\w+|slicer\w*|theme|styles)$/,
};

/** Reads the structure of a workbook. */
export async function readWorkbook(pkg: OfficePackage): Promise<Workbook> {
  const [main] = pkg.partsOfType(WORKBOOK_TYPE);
  if (main === undefined) throw new RangeError('A package is opened with a main part.');
  const ordered = [...(await partsInOrder(pkg, main, SHEETS))];
  const isSheet = (entry: ArchiveEntry): boolean => SHEET_TYPE.test(pkg.contentType(entry));
  const sheets: Sheet[] = [];
  for (const entry of ordered.filter(isSheet)) sheets.push(await readSheet(pkg, entry));
  const tables = sheets.flatMap(({ tables }) => tables);
  return {
    main,
    sheets,
    sharedStrings: pkg.partsOfType(STRINGS_TYPE)[0],
    others: ordered.filter((entry) => !isSheet(entry)),
    fixed: await fixedNames(pkg, tables),
    ...(await readNames(pkg, main, tables)),
    pivotCaches: pkg.partsOfType(PIVOT_CACHE_TYPE),
  };
}

/** Names cannot contain blanks: formulas write `_` for those of cells. */
async function readNames(
  pkg: OfficePackage,
  main: ArchiveEntry,
  tables: readonly SheetTable[],
): Promise<Pick<Workbook, 'names' | 'formulas'>> {
  const names = tables.map(({ name }) => name);
  const formulas: XmlElement[] = [];
  const addName = (tag: string): void => {
    names.push(decodeString(attributeOf(tag, 'name') ?? ''));
  };
  await readPart(pkg.archive, main, {
    isTree: (element) => element === 'x:definedName',
    tree: (element) => {
      formulas.push(element);
      addName(element.tag);
      return undefined;
    },
    open: (element, tag) => {
      if (element === 'x:sheet') addName(tag);
      return undefined;
    },
  });
  const found = names.flatMap((name) => [name, name.replaceAll('_', ' ')].map(lowerCase));
  return { names: new Set(found), formulas };
}

const lowerCase = (text: string): string => text.trim().toLowerCase();

async function readSheet(pkg: OfficePackage, entry: ArchiveEntry): Promise<Sheet> {
  const tables: SheetTable[] = [];
  for (const { type, entry: table } of await pkg.relationships(entry)) {
    if (type === 'table' && table !== undefined) tables.push(await readTable(pkg, table));
  }
  const places = new Set<number>();
  for (const { columns } of tables) {
    for (const { header, total } of columns) {
      if (header !== undefined) places.add(header);
      if (total !== undefined) places.add(total);
    }
  }
  return { entry, tables, places };
}

/**
 * Collects names that must stay. Pivot tables, slicers, queries and data models find their fields
 * by the texts of header cells, and would lose them at the next refresh if the headers changed.
 */
async function fixedNames(pkg: OfficePackage, tables: readonly SheetTable[]): Promise<Set<string>> {
  const fixed = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name !== undefined) fixed.add(lowerCase(decodeString(name)));
  };
  const hasDataModel = pkg.partsOfType(DATA_MODEL_TYPE).length > 0 || (await hasQueries(pkg));
  for (const { isFixed, columns } of tables) {
    if (isFixed || hasDataModel) for (const { name } of columns) add(name);
  }
  for (const entry of pkg.partsOfType(PIVOT_CACHE_TYPE)) {
    await eachTag(pkg.archive, entry, (name, tag) => {
      if (name === 'x:cacheField') add(attributeOf(tag, 'name'));
    });
  }
  for (const entry of pkg.partsOfType(SLICER_CACHE_TYPE)) {
    await eachTag(pkg.archive, entry, (_, tag) => add(attributeOf(tag, 'sourceName')));
  }
  return fixed;
}

/**
 * Whether a workbook has Power Query programs, which a custom part holds and which refer to columns by name.
 */
async function hasQueries(pkg: OfficePackage): Promise<boolean> {
  let hasMashup = false;
  for (const entry of pkg.archive.entries) {
    if (!/(^|\/)customXml\/item\d+\.xml$/i.test(entry.name)) continue;
    try {
      await eachTag(pkg.archive, entry, (_, tag) => {
        hasMashup ||= tag.includes('microsoft.com/DataMashup');
      });
    } catch (error) {
      // Custom parts may contain anything; an unreadable one is no query.
      if (!(error instanceof DocumentError)) throw error;
    }
  }
  return hasMashup;
}

// Tables of worksheets. A column's header occurs in its cell, in the table, and in every formula
// that refers to the column. Excel repairs a workbook in which they differ.

export interface SheetTable {
  entry: ArchiveEntry;
  /** The table's name in formulas. */
  name: string;
  /**
   * Whether its column names are bound to something outside of the workbook, or to parts that are
   * not translated.
   */
  isFixed: boolean;
  hasFilters: boolean;
  columns: readonly TableColumn[];
  /** Corners of its area; undefined when the table does not declare it. */
  area: Area | undefined;
}

/** A rectangle of cells, by its corners. */
export interface Area {
  from: Cell;
  to: Cell;
}

/** Counted from 1. */
interface Cell {
  row: number;
  column: number;
}

interface TableColumn {
  name: string;
  /** Cells with its header and its totals label; see {@link cellKey}. */
  header: number | undefined;
  total: number | undefined;
}

/** Returns a unique number for a cell; row and column are counted from 1. */
export function cellKey(row: number, column: number): number {
  return row * 16_385 + column;
}

/** Parses a reference such as `AB12` into row and column, counted from 1; undefined for anything else. */
export function cellOf(reference: string): Cell | undefined {
  const match = /^\$?([A-Z]{1,3})\$?(\d{1,7})$/i.exec(reference);
  if (match === null) return undefined;
  let column = 0;
  for (const letter of (match[1] ?? '').toUpperCase()) {
    column = column * 26 + letter.charCodeAt(0) - 64;
  }
  return { row: Number(match[2]), column };
}

/** Reads the definition of a table. */
async function readTable(pkg: OfficePackage, entry: ArchiveEntry): Promise<SheetTable> {
  const columns: TableColumn[] = [];
  let table = '';
  let hasFilters = false;
  await readPart(pkg.archive, entry, {
    isTree: () => false,
    tree: () => undefined,
    open: (name, tag) => {
      if (name === 'x:table') table = tag;
      if (namesCellTexts(name)) hasFilters = true;
      if (name === 'x:tableColumn') columns.push(columnOf(tag, table, columns.length));
      return undefined;
    },
  });
  return {
    entry,
    name: attributeOf(table, 'displayName') ?? '',
    // Queries and XML maps fill in columns by their names.
    isFixed: /^(queryTable|xml)$/.test(attributeOf(table, 'tableType') ?? ''),
    hasFilters,
    columns,
    area: areaOf(table),
  };
}

/** @param tag start tag of a table, or of a formula with several results */
export function areaOf(tag: string): Area | undefined {
  const [from = '', to = from] = (attributeOf(tag, 'ref') ?? '').split(':');
  const [first, last] = [cellOf(from), cellOf(to)];
  return first && last && { from: first, to: last };
}

/** Returns the name of the table that contains a cell; undefined when none does. */
export function tableAt(tables: readonly SheetTable[], cell: Cell): string | undefined {
  return tables.find(({ area }) => area !== undefined && isWithin(area, cell))?.name;
}

export function isWithin({ from, to }: Area, { row, column }: Cell): boolean {
  return row >= from.row && row <= to.row && column >= from.column && column <= to.column;
}

function columnOf(tag: string, table: string, index: number): TableColumn {
  const { from: first, to: last } = areaOf(table) ?? {};
  const hasHeader = attributeOf(table, 'headerRowCount') !== '0';
  const hasTotals = Number(attributeOf(table, 'totalsRowCount') ?? 0) > 0;
  const hasLabel = attributeOf(tag, 'totalsRowLabel') !== undefined;
  const key = (row: number | undefined): number | undefined =>
    row === undefined || first === undefined ? undefined : cellKey(row, first.column + index);
  return {
    name: decodeString(attributeOf(tag, 'name') ?? ''),
    header: hasHeader ? key(first?.row) : undefined,
    total: hasTotals && hasLabel ? key(last?.row) : undefined,
  };
}

/** The translated names and texts of a table. */
export interface TranslatedTable {
  /** Names of all columns. */
  names: readonly string[];
  /** Totals labels; undefined for columns without one. */
  labels: readonly (string | undefined)[];
  /** Header cells whose text differs from the plain translation, because column names must be unique. */
  cells: ReadonlyMap<number, string>;
}

/** Maximum length of a column name, in UTF-16 units. */
const MAX_NAME_LENGTH = 255;

/**
 * Names the columns by their translated headers; duplicates get numbers.
 *
 * @param cells strings in header and totals cells
 * @param translate returns the translation of a string, or undefined when it stays
 */
export function translateTable(
  table: SheetTable,
  cells: ReadonlyMap<number, RichString>,
  translate: (text: RichString) => string | undefined,
): TranslatedTable {
  const at = (key: number | undefined): string | undefined => {
    const text = key === undefined ? undefined : cells.get(key);
    return text && translate(text);
  };
  const headers = table.columns.map(({ header }) => at(header));
  const taken = new Set<string>();
  for (const [index, { name }] of table.columns.entries()) {
    if (headers[index] === undefined) taken.add(name.toLowerCase());
  }
  const own = new Map<number, string>();
  const names = table.columns.map(({ name, header }, index) => {
    const wanted = headers[index];
    if (wanted === undefined || header === undefined) return name;
    const unique = uniqueName(wanted, taken);
    if (unique !== wanted) own.set(header, unique);
    return unique;
  });
  return { names, labels: table.columns.map(({ total }) => at(total)), cells: own };
}

function uniqueName(wanted: string, taken: Set<string>): string {
  let name = wanted.slice(0, MAX_NAME_LENGTH);
  for (let number = 2; taken.has(name.toLowerCase()); number += 1) {
    name = `${wanted.slice(0, MAX_NAME_LENGTH - `${number}`.length)}${number}`;
  }
  taken.add(name.toLowerCase());
  return name;
}

/** Returns the new names of changed columns for {@link renameFormula}. */
export function renamedColumns(
  tables: readonly (readonly [SheetTable, TranslatedTable])[],
): RenamedColumns {
  const renamed = new Map<string, Map<string, string>>();
  for (const [{ name, columns }, { names }] of tables) {
    const changed = new Map<string, string>();
    for (const [index, column] of columns.entries()) {
      const newName = names[index] ?? column.name;
      if (newName === column.name) continue;
      changed.set(column.name.toLowerCase(), newName);
      changed.set(encodeName(column.name).toLowerCase(), newName);
    }
    if (changed.size > 0) renamed.set(name.toLowerCase(), changed);
  }
  return renamed;
}

/** Encodes a name for attributes of tables. */
function encodeName(name: string): string {
  return encodeString(name).replaceAll('\n', '_x000a_');
}

/** Writes a table's new names, and updates its formulas and filters to the new names and texts. */
export function tableVisitor(
  { name: table, columns }: SheetTable,
  { names, labels }: TranslatedTable,
  { renamed, filterValue }: { renamed: RenamedColumns; filterValue: FilterValue },
): PartVisitor {
  let index = -1;
  return {
    isTree: (name) => name === 'x:calculatedColumnFormula' || name === 'x:totalsRowFormula',
    tree: (formula) => renameFormula(formula, renamed, table),
    open: (name, tag) => {
      if (namesCellTexts(name)) return translatedFilter(name, tag, filterValue);
      if (name !== 'x:tableColumn') return undefined;
      index += 1;
      const [newName, label] = [names[index], labels[index]];
      const isNamed = newName === undefined || newName === columns[index]?.name;
      const named = isNamed ? tag : withAttribute(tag, 'name', encodeName(newName));
      return label === undefined
        ? named
        : withAttribute(named, 'totalsRowLabel', encodeName(label));
    },
  };
}

// Filters of sheets and tables, and caches of pivot tables, which refer to cells by their texts.

/** Returns the text that replaces a cell text; undefined when it stays the same. */
export type FilterValue = (text: string) => string | undefined;

/** Attributes with texts of cells, by element. */
const VALUES: Record<string, string> = {
  'x:filter': 'val',
  'x:customFilter': 'val',
  'x:sortCondition': 'customList',
};

/** Whether an element of a filter or sort condition contains texts of cells. */
export function namesCellTexts(name: string): boolean {
  return name in VALUES;
}

/**
 * Returns the tag of a filter or sort condition with its texts replaced by those that the cells
 * have now; undefined when nothing changed. Patterns (`*`, `?`) and order comparisons stay, as no
 * cell shows what they would become.
 */
export function translatedFilter(
  name: string,
  tag: string,
  filterValue: FilterValue,
): string | undefined {
  const attribute = VALUES[name] ?? '';
  const value = attributeOf(tag, attribute);
  if (value === undefined) return undefined;
  const text = decodeString(value);
  if (name === 'x:customFilter') {
    const operator = attributeOf(tag, 'operator') ?? 'equal';
    if (!/^(?:equal|notEqual)$/.test(operator) || /[*?~]/.test(text)) return undefined;
  }
  const translated = name === 'x:sortCondition' ? listOf(text, filterValue) : filterValue(text);
  return translated === undefined
    ? undefined
    : withAttribute(tag, attribute, encodeString(translated));
}

/** Replaces the items of a comma-separated custom sort list. */
function listOf(text: string, filterValue: FilterValue): string | undefined {
  const changed = text
    .split(',')
    .map((item) => (filterValue(item.trim()) ?? item).replaceAll(',', ' '))
    .join(',');
  return changed === text ? undefined : changed;
}

/** Longest item of a pivot table, in UTF-16 units, unless it is declared as a long one. */
const MAX_ITEM_LENGTH = 255;

/**
 * Writes the items of a pivot table with the texts that the cells of this workbook have now. The next refresh
 * finds them by these, and with them what the table hides. Two items never become the same.
 */
export function pivotCacheVisitor(filterValue: FilterValue): PartVisitor {
  let isOwn = false;
  return {
    isTree: (name) => isOwn && name === 'x:sharedItems',
    tree: (shared) => {
      const items = elementsOf(shared).filter(({ name }) => name === 'x:s');
      const textOf = (item: XmlElement): string => decodeString(attribute(item, 'v') ?? '');
      const taken = new Set(items.map((item) => lowerCase(textOf(item))));
      for (const item of items) {
        const own = textOf(item);
        const text = filterValue(own);
        if (text === undefined || text.length > MAX_ITEM_LENGTH) continue;
        const key = lowerCase(text);
        if (taken.has(key) && key !== lowerCase(own)) continue;
        taken.add(key);
        setAttribute(item, 'v', encodeString(text));
      }
      return serialise(shared);
    },
    open: (name, tag) => {
      // Cells of another workbook are named by a relationship.
      if (name === 'x:worksheetSource') {
        isOwn = ![...attributesOf(tag)].some(([written]) => written.endsWith(':id'));
      }
      return undefined;
    },
  };
}
