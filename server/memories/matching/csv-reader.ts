/**
 * Reads units from separated values. The first line names the languages, the source language first; every
 * further line is a unit. Quotes that do not conform to RFC 4180 are taken literally.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { RowReader, type Row, type RowFault } from '../../../shared/separated-values.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import {
  badFile,
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

/** @param given languages for a file whose first line names none */
export function createCsvReader(given: GivenLanguages): MemoryReader {
  const rows = new RowReader({ maxFields: MAX_COLUMNS, maxUnits: MAX_STRETCH });
  let columns: LanguageTag[] | undefined;

  function unitsOf({ fields: cells, fault }: Row): ReadUnit[] {
    const refusal = fault && REFUSALS[fault.kind];
    if (refusal !== undefined) throw badFile(refusal, fault?.line);
    if (columns === undefined) {
      const header = languagesOf(cells, given);
      columns = header.languages;
      if (header.isHeader) return [];
    }
    if (cells.length === 1 && cells[0]?.trim() === '') return [];
    const [source, ...targets] = columns;
    if (cells.length !== columns.length || source === undefined) return ['skipped'];
    const texts = new Map<LanguageTag, TextSegment>();
    for (const [index, language] of targets.entries()) {
      const text = cells[index + 1]?.trim() ?? '';
      if (text !== '') texts.set(language, [text]);
    }
    return unitOf([cells[0]?.trim() ?? ''], baseLanguage(source), texts);
  }

  return {
    write: (text) => [...rows.read(text)].flatMap(unitsOf),
    end() {
      const units = [...rows.end()].flatMap(unitsOf);
      if (columns === undefined) throw badFile('The file is empty.');
      return units;
    },
    sourceLanguage: () => (columns?.[0] === undefined ? given.source : baseLanguage(columns[0])),
  };
}

/** Returns the languages of the first line or, if that line is a unit, the given ones. */
function languagesOf(
  cells: readonly string[],
  { source, target, named = PARAMETER_NAMES }: GivenLanguages,
): { languages: LanguageTag[]; isHeader: boolean } {
  const languages = cells
    .map((cell) => memoryLanguage(cell))
    .filter((language) => language !== undefined);
  const isNamed = languages.length === cells.length && cells.length >= 2;
  if (source === undefined || target === undefined) {
    if (isNamed) return { languages: distinct(languages), isHeader: true };
    throw badFile(
      `The first line must name the languages, such as en,de: or give both ${named.source} and ${named.target}.`,
      1,
    );
  }
  const words = cells.map((cell) => cell.trim().toLowerCase()).join(' ');
  const isHeader =
    words === 'source target' || (isNamed && baseLanguage(languages[0] ?? '') === source);
  return { languages: [source, target], isHeader };
}

function distinct(languages: LanguageTag[]): LanguageTag[] {
  if (new Set(languages).size === languages.length) return languages;
  throw badFile('The first line names a language twice.', 1);
}
