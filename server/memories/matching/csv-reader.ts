/**
 * Reads units from separated values. The first line names the languages, the source language first; every
 * further line is a unit. Quotes that do not conform to RFC 4180 are taken literally.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { RowReader, type Row, type RowFault } from '../../../shared/separated-values.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import {
  badFile,
  isOrVaries,
  MAX_STRETCH,
  memoryLanguage,
  PARAMETER_NAMES,
  unitOf,
  type GivenLanguages,
  type MemoryReader,
  type ReadUnit,
} from './memory-unit.ts';

const MAX_COLUMNS = 100;

/** Faults for which a file is refused. */
const REFUSALS: Partial<Record<RowFault['kind'], string>> = {
  'open-quote': 'A quotation mark is not closed.',
  'too-many-fields': 'A line has too many cells.',
  'too-long': 'A line is too long.',
};

/** The columns of a file that are read, the source first. */
interface Columns {
  /** Number of cells of a line. */
  width: number;
  read: readonly { index: number; language: LanguageTag }[];
}

/** @param given languages for a file whose first line names none; of others, only these columns are read */
export function createCsvReader(given: GivenLanguages): MemoryReader {
  const rows = new RowReader({ maxFields: MAX_COLUMNS, maxUnits: MAX_STRETCH });
  let columns: Columns | undefined;

  function unitsOf({ fields: cells, fault }: Row): ReadUnit[] {
    const refusal = fault && REFUSALS[fault.kind];
    if (refusal !== undefined) throw badFile(refusal, fault?.line);
    if (columns === undefined) {
      const header = columnsOf(withoutEmptyEnd(cells), given);
      columns = header.columns;
      if (header.isHeader) return [];
    }
    if (cells.length === 1 && cells[0]?.trim() === '') return [];
    const [source, ...targets] = columns.read;
    const isFitting =
      cells.length >= columns.width && withoutEmptyEnd(cells).length <= columns.width;
    if (!isFitting || source === undefined) return ['skipped'];
    const texts = new Map<LanguageTag, TextSegment>();
    for (const { index, language } of targets) {
      const text = cells[index]?.trim() ?? '';
      if (text !== '') texts.set(language, [text]);
    }
    return unitOf([cells[source.index]?.trim() ?? ''], baseLanguage(source.language), texts);
  }

  return {
    write: (text) => [...rows.read(text)].flatMap(unitsOf),
    end() {
      const units = [...rows.end()].flatMap(unitsOf);
      if (columns === undefined) throw badFile('The file is empty.');
      return units;
    },
    sourceLanguage() {
      const source = columns?.read[0];
      return source === undefined ? given.source : baseLanguage(source.language);
    },
  };
}

/** Spreadsheets write empty cells at the ends of lines if any line has more. */
function withoutEmptyEnd(cells: readonly string[]): readonly string[] {
  return cells.slice(0, cells.findLastIndex((cell) => cell.trim() !== '') + 1);
}

/** Returns the columns that the first line names or, if that line is a unit, the given languages. */
function columnsOf(
  cells: readonly string[],
  given: GivenLanguages,
): { columns: Columns; isHeader: boolean } {
  const { source, target, named = PARAMETER_NAMES } = given;
  const languages = cells
    .map((cell) => memoryLanguage(cell))
    .filter((language) => language !== undefined);
  const isNamed = languages.length === cells.length && cells.length >= 2;
  const columns = isNamed ? namedColumns(languages, given) : undefined;
  if (columns !== undefined) return { columns, isHeader: true };
  if (source === undefined || target === undefined) {
    throw badFile(
      isNamed
        ? `The first line does not name the language given as ${source === undefined ? named.target : named.source}.`
        : `The first line must name the languages, such as en,de: or give both ${named.source} and ${named.target}.`,
      1,
    );
  }
  const words = cells.map((cell) => cell.trim().toLowerCase()).join(' ');
  const isHeader =
    words === 'source target' || (isNamed && baseLanguage(languages[0] ?? '') === source);
  const read = [source, target].map((language, index) => ({ index, language }));
  return { columns: { width: 2, read }, isHeader };
}

/** Returns the wanted columns among the named ones; undefined if there are none. */
function namedColumns(
  languages: readonly LanguageTag[],
  { source, target }: GivenLanguages,
): Columns | undefined {
  const all = languages.map((language, index) => ({ index, language }));
  const own = all.find(({ language }) => source === undefined || baseLanguage(language) === source);
  const others = all.filter(
    (each) => each !== own && (target === undefined || isOrVaries(each.language, target)),
  );
  if (own === undefined || others.length === 0) return undefined;
  const [only, ...more] = others;
  // A lone column of a variant serves as what was asked for.
  if (only !== undefined && more.length === 0 && target !== undefined) {
    others.splice(0, 1, { ...only, language: target });
  }
  const read = [own, ...others];
  if (new Set(read.map(({ language }) => language)).size < read.length) {
    throw badFile('The first line names a language twice.', 1);
  }
  return { width: languages.length, read };
}
