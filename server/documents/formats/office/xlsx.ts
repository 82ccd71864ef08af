/**
 * Excel workbooks. Each shared string is translated once for all cells that show it. A translated table
 * header also renames the column in the table and in formulas. Formulas, numbers and names stay otherwise.
 */
import { isSameSegment, plainText, type TextSegment } from '../../../text/text-segment.ts';
import type { DocumentFormat, OpenedDocument, OpenOptions } from '../format.ts';
import { type EntryContent, writeArchive } from './archive-writing.ts';
import { chartTextPart, isChart } from './charts.ts';
import { drawingText, isSmartArt, smartArtTextParts } from './drawing-text.ts';
import { propertyParts, type TextPart, targetLanguage, DocumentTexts } from './office-parts.ts';
import { type OfficePackage, openPackage } from './package-parts.ts';
import { readPart, rewritePart, type PartVisitor } from './part-reading.ts';
import {
  findsByName,
  FixedTexts,
  type RenamedColumns,
  renameFormula,
  textsOfFormula,
} from './sheet-formulas.ts';
import { StringNumbers, sharedStringsVisitor, type RichString } from './sheet-text.ts';
import { commentsVisitor, threadedCommentsVisitor, sheetVisitor } from './sheet-visitor.ts';
import {
  readWorkbook,
  type Sheet,
  type Workbook,
  renamedColumns,
  pivotCacheVisitor,
  type SheetTable,
  tableVisitor,
  type TranslatedTable,
  translateTable,
} from './workbook.ts';
import { withAttribute } from './xml-element.ts';

const PROGRAM = {
  mainTypes: ['spreadsheetml.sheet.main', 'spreadsheetml.template.main'],
  description: 'workbook of Excel (.xlsx)',
};

/** Reads and writes `.xlsx`. */
export const xlsx: DocumentFormat = {
  async open(file, options) {
    const pkg = await openPackage(file, PROGRAM);
    return openWorkbook(pkg, await readWorkbook(pkg), options);
  },
};

async function openWorkbook(
  pkg: OfficePackage,
  workbook: Workbook,
  options: OpenOptions,
): Promise<OpenedDocument> {
  const { archive } = pkg;
  const texts = new DocumentTexts(options);
  const used = new StringNumbers();
  /** Cells to be reported, by the number of their shared string. */
  const wanted = new Map<number, { cells: Map<number, RichString>; place: number }[]>();
  const sheets: SheetFindings[] = [];
  const fixed = new FixedTexts(workbook.fixed);
  for (const sheet of workbook.sheets) {
    sheets.push(await readSheet({ pkg, workbook, texts, used, wanted, fixed }, sheet));
  }
  for (const formula of workbook.formulas) {
    for (const text of textsOfFormula(formula)) fixed.add(text);
  }
  if (sheets.some((sheet) => sheet.findsByName) || workbook.formulas.some(findsByName)) {
    for (const name of workbook.names) fixed.add(name);
  }
  if (workbook.sharedStrings !== undefined) {
    const visitor = sharedStringsVisitor({
      exchange: texts.reading(STRINGS, CELLS),
      used,
      fixed,
      onString: (number, text) => {
        for (const { cells, place } of wanted.get(number) ?? []) cells.set(place, text);
      },
    });
    await readPart(archive, workbook.sharedStrings, visitor);
  }
  const others = await otherParts(pkg, workbook);
  for (const { entry, visitor, group } of others) {
    await readPart(archive, entry, visitor(texts.reading(entry.name, group), undefined));
  }
  const findings: WorkbookFindings = { pkg, workbook, texts, used, fixed, sheets, others };
  return {
    blocks: texts.blocks,
    characters: texts.characters,
    write: (translated, languages) => writeWorkbook(findings, translated, languages),
  };
}

async function readSheet(
  reading: Pick<WorkbookFindings, 'pkg' | 'workbook' | 'texts' | 'used'> & {
    fixed: FixedTexts;
    wanted: Map<number, { cells: Map<number, RichString>; place: number }[]>;
  },
  sheet: Sheet,
): Promise<SheetFindings> {
  const { pkg, workbook, texts, used, wanted, fixed } = reading;
  const cells = new Map<number, RichString>();
  const findings: SheetFindings = {
    sheet,
    cells,
    hasFormulas: false,
    hasReferences: false,
    findsByName: false,
    hasFilters: false,
  };
  const visitor = sheetVisitor({
    exchange: texts.reading(sheet.entry.name, CELLS),
    places: sheet.places,
    fixed: workbook.fixed,
    onShared: (number, place) => {
      used.add(number);
      if (place === undefined) return;
      const uses = wanted.get(number) ?? [];
      uses.push({ cells, place });
      wanted.set(number, uses);
    },
    onInline: (text, place) => cells.set(place, text),
    onFormula: (formula, hasReferences) => {
      for (const text of textsOfFormula(formula)) fixed.add(text);
      findings.findsByName ||= findsByName(formula);
      findings.hasFormulas = true;
      findings.hasReferences ||= hasReferences;
    },
    filterValue: () => {
      findings.hasFilters = true;
      return undefined;
    },
  });
  await readPart(pkg.archive, sheet.entry, visitor);
  return findings;
}

/** Returns the text parts for comments, drawings, charts, diagrams and the file's properties. */
async function otherParts(pkg: OfficePackage, { others }: Workbook): Promise<TextPart[]> {
  const parts: TextPart[] = [];
  for (const entry of others) {
    const type = pkg.contentType(entry);
    if (isChart(type)) parts.push(await chartTextPart(pkg, entry, { xlsx, group: CELLS }));
    else if (isSmartArt(type)) {
      for (const part of smartArtTextParts(pkg, [entry])) parts.push(part);
    } else if (type.endsWith('spreadsheetml.comments+xml')) {
      parts.push({ entry, visitor: commentsVisitor });
    } else if (type.endsWith('ms-excel.threadedcomments+xml')) {
      parts.push({ entry, visitor: threadedCommentsVisitor });
    } else if (type.endsWith('officedocument.drawing+xml')) {
      parts.push({
        entry,
        visitor: (exchange, target) => drawingText({ exchange, target }),
        group: CELLS,
      });
    }
  }
  return [...parts, ...propertyParts(pkg)];
}

// Writes a workbook anew; only changed parts are rewritten.

/** Group of cells and of charts that copy them: equal text has the same translation. */
const CELLS = 'cells';
/** Name of the shared strings in {@link DocumentTexts}. */
const STRINGS = 'shared strings';

/** Findings of the first pass over a sheet. */
interface SheetFindings {
  sheet: Sheet;
  /** Strings in header and totals cells. */
  cells: Map<number, RichString>;
  hasFormulas: boolean;
  /** Whether any formula may refer to columns of tables. */
  hasReferences: boolean;
  /** Whether any formula reads names of ranges or sheets from cells. */
  findsByName: boolean;
  hasFilters: boolean;
}

/** Findings of the first pass over a workbook. */
interface WorkbookFindings {
  pkg: OfficePackage;
  workbook: Workbook;
  texts: DocumentTexts;
  used: StringNumbers;
  /** Strings that stay, in lower case: names of fields, and texts that formulas look for. */
  fixed: FixedTexts;
  sheets: readonly SheetFindings[];
  others: readonly TextPart[];
}

/** Everything that writing the parts of a workbook requires. */
interface Writing extends WorkbookFindings {
  translated: readonly TextSegment[];
  tables: readonly (readonly [SheetTable, TranslatedTable])[];
  renamed: RenamedColumns;
  /** Returns the new text of cells with this text, in any case and fonts; undefined when it stays the same. */
  cellText: (text: string) => string | undefined;
  replace: Map<string, EntryContent>;
}

/**
 * Writes the workbook with its texts replaced. With unchanged texts, every part stays as it was.
 *
 * @throws DocumentError when a part is damaged
 */
async function writeWorkbook(
  findings: WorkbookFindings,
  translated: readonly TextSegment[],
  languages: { source: string; target: string },
): Promise<Uint8Array> {
  const { pkg, texts, sheets, workbook, fixed } = findings;
  let others: ReadonlyMap<string, string> | undefined;
  const cellText = (text: string): string | undefined => {
    const own = text.trim();
    if (fixed.has(own.toLowerCase())) return undefined;
    const translation = texts.translationIn(CELLS, [own], translated);
    if (translation !== undefined && isSameSegment([own], translation)) return undefined;
    others ??= shownTexts(texts.pairsIn(CELLS, translated));
    const breaks = own.match(LINE_BREAK) ?? [];
    const key = own.replace(LINE_BREAK, '\n').toLowerCase();
    const shown = translation === undefined ? others.get(key) : plainText(translation);
    const written = shown?.replaceAll('\n', () => breaks.shift() ?? '\n');
    return written === undefined ? undefined : text.replace(own, () => written);
  };
  const tables = sheets.flatMap((sheet) => translatedTables(sheet, findings, translated));
  const renamed = renamedColumns(tables);
  const replace = new Map<string, EntryContent>();
  const writing: Writing = { ...findings, translated, tables, renamed, cellText, replace };
  writeStrings(writing);
  for (const sheet of sheets) writeSheet(writing, sheet);
  writeTables(writing);
  writeOthers(writing, languages);
  if (replace.size > 0) {
    const isCalculated = sheets.some(({ hasFormulas }) => hasFormulas);
    const visitor = workbookVisitor({ renamed, isCalculated });
    replace.set(workbook.main.name, () => rewritePart(pkg.archive, workbook.main, visitor));
    for (const cache of workbook.pivotCaches) {
      const items = pivotCacheVisitor(cellText);
      replace.set(cache.name, () => rewritePart(pkg.archive, cache, items));
    }
  }
  return writeArchive(pkg.archive, { replace });
}

const LINE_BREAK = /\s*\n\s*/g;

/**
 * Returns the changed texts by their sources in lower case, because filters disregard case and fonts. Line
 * breaks, which are lone marks, are written `\n`.
 */
function shownTexts(
  pairs: Iterable<{ source: TextSegment; translation: TextSegment }>,
): Map<string, string> {
  const shown = (segment: TextSegment): string =>
    segment
      .map((part) => (typeof part === 'string' ? part : part.mark === 'lone' ? '\n' : ''))
      .join('');
  const texts = new Map<string, string>();
  for (const { source, translation } of pairs) {
    const key = shown(source).toLowerCase();
    if (texts.has(key) || isSameSegment(source, translation)) continue;
    texts.set(key, shown(translation));
  }
  return texts;
}

function writeStrings({ pkg, workbook, texts, used, fixed, translated, replace }: Writing): void {
  const { sharedStrings } = workbook;
  if (sharedStrings === undefined || !texts.isChanged(STRINGS, translated)) return;
  const exchange = texts.writing(STRINGS, translated);
  const visitor = sharedStringsVisitor({ exchange, used, fixed });
  replace.set(sharedStrings.name, () => rewritePart(pkg.archive, sharedStrings, visitor));
}

function writeSheet(writing: Writing, { sheet, hasReferences, hasFilters }: SheetFindings): void {
  const { pkg, workbook, texts, translated, tables, renamed, cellText, replace } = writing;
  const { entry, places } = sheet;
  const { fixed } = workbook;
  const cells = new Map(
    tables.flatMap(([table, { cells }]) => (sheet.tables.includes(table) ? [...cells] : [])),
  );
  const isRewritten =
    texts.isChanged(entry.name, translated) ||
    cells.size > 0 ||
    (hasReferences && renamed.size > 0) ||
    (hasFilters && replace.size > 0);
  if (!isRewritten) return;
  const exchange = texts.writing(entry.name, translated);
  const shared = {
    exchange,
    places,
    fixed,
    sought: writing.fixed,
    cells,
    renamed,
    filterValue: cellText,
  };
  const options = { ...shared, tables: sheet.tables };
  replace.set(entry.name, () => rewritePart(pkg.archive, entry, sheetVisitor(options)));
}

function writeTables({ pkg, tables, renamed, cellText, replace }: Writing): void {
  if (replace.size === 0) return;
  for (const [table, names] of tables) {
    const { entry, hasFilters } = table;
    const hasLabels = names.labels.some((label) => label !== undefined);
    if (renamed.size === 0 && !hasLabels && !hasFilters) continue;
    const visitor = tableVisitor(table, names, { renamed, filterValue: cellText });
    replace.set(entry.name, () => rewritePart(pkg.archive, entry, visitor));
  }
}

function writeOthers(
  { pkg, texts, translated, others, replace }: Writing,
  languages: { source: string; target: string },
): void {
  const language = targetLanguage(languages);
  for (const { entry, visitor } of others) {
    if (!texts.isChanged(entry.name, translated)) continue;
    const exchange = texts.writing(entry.name, translated);
    replace.set(entry.name, () => rewritePart(pkg.archive, entry, visitor(exchange, language)));
  }
}

/** Returns the tables of a sheet with their translated headers. */
function translatedTables(
  { sheet, cells }: SheetFindings,
  { texts, fixed }: WorkbookFindings,
  translated: readonly TextSegment[],
): (readonly [SheetTable, TranslatedTable])[] {
  const translate = (text: RichString): string | undefined => {
    if (fixed.has(text.text.trim().toLowerCase())) return undefined;
    const translation = texts.translationIn(CELLS, text.segment, translated);
    if (translation === undefined || isSameSegment(text.segment, translation)) return undefined;
    return text.textOf(translation);
  };
  return sheet.tables.map((table) => [table, translateTable(table, cells, translate)] as const);
}

// Changes to the main part: defined names that refer to tables, and recalculation.

/** Elements that may follow the calculation settings (ISO/IEC 29500-1, 18.2.27). */
const FOLLOWING = new Set([
  'x:oleSize',
  'x:customWorkbookViews',
  'x:pivotCaches',
  'x:smartTagPr',
  'x:smartTagTypes',
  'x:webPublishing',
  'x:fileRecoveryPr',
  'x:webPublishObjects',
  'x:extLst',
]);

/**
 * Creates a visitor for writing the main part.
 *
 * @param options.isCalculated whether formulas are recalculated when the workbook is opened, as the
 *   stored results derive from the old texts
 */
function workbookVisitor(options: { renamed: RenamedColumns; isCalculated: boolean }): PartVisitor {
  const { renamed, isCalculated } = options;
  let isSet = !isCalculated;
  let prefix = '';
  const settings = (): string => {
    isSet = true;
    return `<${prefix}calcPr fullCalcOnLoad="1"/>`;
  };
  return {
    isTree: (name) => name === 'x:definedName',
    tree: (name) => renameFormula(name, renamed),
    open: (name, tag) => {
      if (name === 'x:workbook') prefix = /^<(\w+:)?/.exec(tag)?.[1] ?? '';
      if (isSet) return undefined;
      if (name === 'x:calcPr') {
        isSet = true;
        return withAttribute(tag, 'fullCalcOnLoad', '1');
      }
      return FOLLOWING.has(name) ? settings() + tag : undefined;
    },
    close: (name, tag) => (name === 'x:workbook' && !isSet ? settings() + tag : undefined),
  };
}
