/** What a workbook consists of, and which of its names belong to something that we leave alone. */
import { DocumentError } from '../format.ts';
import type { ArchiveEntry } from './archive.ts';
import type { OfficePackage } from './package-parts.ts';
import { eachTag } from './part-reading.ts';
import { readTable, type SheetTable } from './sheet-tables.ts';
import { decodeString } from './sheet-text.ts';
import { attributeOf } from './xml-text.ts';
import { partsInOrder } from './package-order.ts';

export interface Workbook {
  main: ArchiveEntry;
  sheets: readonly Sheet[];
  sharedStrings: ArchiveEntry | undefined;
  /** Everything else in the order in which it is seen: comments, drawings, charts. */
  others: readonly ArchiveEntry[];
  /** Texts that stay, in lower case: names by which pivot tables and queries find their fields. */
  fixed: ReadonlySet<string>;
}

export interface Sheet {
  entry: ArchiveEntry;
  tables: readonly SheetTable[];
  /** Cells with headers or labels of tables. */
  places: ReadonlySet<number>;
}

export const WORKBOOK_TYPE = /spreadsheetml\.(sheet|template)\.main\+xml$/;
const SHEET_TYPE = /spreadsheetml\.(worksheet|chartsheet|dialogsheet)\+xml$/;
const STRINGS_TYPE = /spreadsheetml\.sharedstrings\+xml$/;
const PIVOT_CACHE_TYPE = /spreadsheetml\.pivotcachedefinition\+xml$/;
const SLICER_CACHE_TYPE = /ms-excel\.slicercache\+xml$/;
const DATA_MODEL_TYPE = /openxmlformats-officedocument\.model\+data$/;

const SHEETS = {
  item: 'x:sheet',
  apart: /^(worksheet|chartsheet|pivot\w+|slicer\w*|theme|styles)$/,
};

/** Reads how a workbook is put together. */
export async function readWorkbook(pkg: OfficePackage): Promise<Workbook> {
  const [main] = pkg.partsOfType(WORKBOOK_TYPE);
  if (main === undefined) throw new RangeError('A package is opened with a main part.');
  const ordered = [...(await partsInOrder(pkg, main, SHEETS))];
  const isSheet = (entry: ArchiveEntry): boolean => SHEET_TYPE.test(pkg.contentType(entry));
  const sheets: Sheet[] = [];
  for (const entry of ordered.filter(isSheet)) sheets.push(await readSheet(pkg, entry));
  return {
    main,
    sheets,
    sharedStrings: pkg.partsOfType(STRINGS_TYPE)[0],
    others: ordered.filter((entry) => !isSheet(entry)),
    fixed: await fixedNames(
      pkg,
      sheets.flatMap(({ tables }) => tables),
    ),
  };
}

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
 * Pivot tables, slicers, queries and data models find their fields by the texts of header cells: with
 * other headers they would lose them when they are refreshed.
 */
async function fixedNames(pkg: OfficePackage, tables: readonly SheetTable[]): Promise<Set<string>> {
  const fixed = new Set<string>();
  const add = (name: string | undefined): void => {
    if (name !== undefined) fixed.add(decodeString(name).trim().toLowerCase());
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

/** Power Query keeps its program in a custom part, which names columns in a language of its own. */
async function hasQueries(pkg: OfficePackage): Promise<boolean> {
  let hasMashup = false;
  for (const entry of pkg.archive.entries) {
    if (!/(^|\/)customXml\/item\d+\.xml$/i.test(entry.name)) continue;
    try {
      await eachTag(pkg.archive, entry, (_, tag) => {
        hasMashup ||= tag.includes('microsoft.com/DataMashup');
      });
    } catch (error) {
      // Anybody may put anything there; what cannot be read is no query.
      if (!(error instanceof DocumentError)) throw error;
    }
  }
  return hasMashup;
}
