/**
 * Excel workbooks. Shared strings are translated once wherever they are shown; headers of tables take
 * the columns and formulas that name them along; formulas, numbers and names stay.
 */
import type { DocumentFormat, OpenedDocument, OpenOptions } from '../format.ts';
import { chartTextPart, isChart } from './charts.ts';
import { propertyParts } from './document-properties.ts';
import { DocumentTexts } from './document-texts.ts';
import { drawingText } from './drawing-text.ts';
import type { TextPart } from './office-parts.ts';
import { type OfficePackage, openPackage } from './package-parts.ts';
import { readPart } from './part-reading.ts';
import { StringNumbers, sharedStringsVisitor } from './shared-strings.ts';
import { commentsVisitor, threadedCommentsVisitor } from './sheet-comments.ts';
import type { RichString } from './sheet-text.ts';
import { sheetVisitor } from './sheet-visitor.ts';
import { isSmartArt, smartArtTextParts } from './smart-art.ts';
import { readWorkbook, type Sheet, type Workbook } from './workbook.ts';
import {
  CELLS,
  type SheetFindings,
  STRINGS,
  type WorkbookFindings,
  writeWorkbook,
} from './workbook-writing.ts';

const PROGRAM = {
  mainTypes: ['spreadsheetml.sheet.main', 'spreadsheetml.template.main'],
  description: 'workbook of Excel (.xlsx)',
};

/** Workbooks in, workbooks out. */
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
  /** Wanted cells by the number of their shared string. */
  const wanted = new Map<number, { cells: Map<number, RichString>; place: number }[]>();
  const sheets: SheetFindings[] = [];
  for (const sheet of workbook.sheets) {
    sheets.push(await readSheet({ pkg, workbook, texts, used, wanted }, sheet));
  }
  if (workbook.sharedStrings !== undefined) {
    const visitor = sharedStringsVisitor({
      exchange: texts.reading(STRINGS, CELLS),
      used,
      fixed: workbook.fixed,
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
  const findings: WorkbookFindings = { pkg, workbook, texts, used, sheets, others };
  return {
    blocks: texts.blocks,
    characters: texts.characters,
    write: (translated, languages) => writeWorkbook(findings, translated, languages),
  };
}

async function readSheet(
  reading: Pick<WorkbookFindings, 'pkg' | 'workbook' | 'texts' | 'used'> & {
    wanted: Map<number, { cells: Map<number, RichString>; place: number }[]>;
  },
  sheet: Sheet,
): Promise<SheetFindings> {
  const { pkg, workbook, texts, used, wanted } = reading;
  const cells = new Map<number, RichString>();
  const findings: SheetFindings = {
    sheet,
    cells,
    hasFormulas: false,
    hasReferences: false,
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
    onFormula: (hasReferences) => {
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

/** Comments, drawings, charts and diagrams, and the title of the file. */
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
      });
    }
  }
  return [...parts, ...propertyParts(pkg)];
}
