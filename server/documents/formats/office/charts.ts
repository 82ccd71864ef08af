/**
 * Charts in documents of any program: titles, labels, and names of series and categories. A chart
 * keeps these names as copies of cells of an embedded workbook. Both are translated alike;
 * otherwise the old names would return as soon as a user edits the chart's data.
 */
import { repairMarks } from '../../../text/repair.ts';
import { plainText } from '../../../text/text-segment.ts';
import { DocumentError, type DocumentFormat } from '../format.ts';
import type { ArchiveEntry } from './archive.ts';
import { drawingText } from './drawing-text.ts';
import {
  type TextPart,
  exchangeText,
  type TextExchange,
  type TargetLanguage,
} from './office-parts.ts';
import type { OfficePackage } from './package-parts.ts';
import type { PartVisitor } from './part-reading.ts';
import { serialise, textOf, type XmlElement, encodeText } from './xml-element.ts';

/** Charts, charts of newer kinds, and shapes drawn on charts. */
const CHART_TYPE = /(drawingml\.chart|ms-office\.chartex|drawingml\.chartshapes)\+xml$/;
const WORKBOOK_TYPE = /spreadsheetml\.sheet$/;

/** Whether a part is a chart or belongs to one, by its content type. */
export function isChart(contentType: string): boolean {
  return CHART_TYPE.test(contentType);
}

/** Returns the charts of a document as text parts, with their workbooks, which `xlsx` reads. */
export async function chartTextParts(
  pkg: OfficePackage,
  xlsx: DocumentFormat,
): Promise<TextPart[]> {
  return Promise.all(
    pkg.partsOfType(CHART_TYPE).map((entry) => chartTextPart(pkg, entry, { xlsx })),
  );
}

/**
 * Returns a chart as a text part, with its workbook.
 *
 * @param options.xlsx format that reads the workbook; passed in, as workbooks contain charts themselves
 * @param options.group group of parts that share their text; each series repeats the categories
 */
export async function chartTextPart(
  pkg: OfficePackage,
  entry: ArchiveEntry,
  { xlsx, group = entry.name }: { xlsx: DocumentFormat; group?: string },
): Promise<TextPart> {
  const related = await pkg.relationships(entry);
  const workbook = related.find(
    ({ type, entry }) =>
      type === 'package' && entry !== undefined && WORKBOOK_TYPE.test(pkg.contentType(entry)),
  )?.entry;
  return {
    entry,
    visitor: chartVisitor,
    group,
    ...(workbook === undefined
      ? {}
      : {
          attachment: {
            entry: workbook,
            content: async (translations) =>
              translatedWorkbook(xlsx, await pkg.archive.read(workbook), translations),
          },
        }),
  };
}

/** Visits a chart's text outside of its numeric data. */
function chartVisitor(exchange: TextExchange, target: TargetLanguage | undefined): PartVisitor {
  const drawing = drawingText({ exchange, target });
  let isAmongNumbers = false;
  return {
    isTree: (name) =>
      drawing.isTree(name) ||
      (!isAmongNumbers && (name === 'c:v' || name === 'cx:pt' || name === 'cx:v')),
    tree: (element) =>
      element.name === 'a:p' ? drawing.tree(element) : exchangeName(element, exchange),
    open: (name, tag, isEmpty) => {
      if (isNumbers(name) && !isEmpty) isAmongNumbers = true;
      return drawing.open?.(name, tag, isEmpty);
    },
    close: (name, tag) => {
      if (isNumbers(name)) isAmongNumbers = false;
      return drawing.close?.(name, tag);
    },
  };
}

function isNumbers(name: string): boolean {
  return name === 'c:numCache' || name === 'c:numLit' || name === 'cx:numDim';
}

/** Exchanges a copy of a cell's text, or a name that is in no cell. */
function exchangeName(element: XmlElement, exchange: TextExchange): string | undefined {
  const text = textOf(element);
  const translated = exchangeText(exchange, text.trim(), 'unit');
  if (translated === undefined) return undefined;
  const [before = '', after = ''] = [/^\s*/.exec(text)?.[0], /\s*$/.exec(text)?.[0]];
  return serialise({ ...element, children: [encodeText(before + translated + after)] });
}

/**
 * Translates in a chart's workbook only the texts that the chart shows; the workbook's other text
 * is never visible.
 */
async function translatedWorkbook(
  xlsx: DocumentFormat,
  file: Uint8Array,
  translations: ReadonlyMap<string, string>,
): Promise<Uint8Array> {
  const options = {
    source: undefined,
    target: '',
    output: 'xlsx',
    maxCharacters: Infinity,
  } as const;
  try {
    const workbook = await xlsx.open(file, options);
    const translated = workbook.blocks.map(({ segment }) => {
      const translation = translations.get(plainText(segment));
      return translation === undefined ? segment : repairMarks(segment, [translation]);
    });
    return await workbook.write(translated, { source: '', target: '' });
  } catch (error) {
    // The chart shows its own copies, so an unreadable workbook stays as it is.
    if (error instanceof DocumentError) return file;
    throw error;
  }
}
