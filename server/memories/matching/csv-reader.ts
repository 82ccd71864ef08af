/**
 * Reads CSV (RFC 4180) as it comes: the first line names the languages, the first of them that of the
 * sources; further lines are units. Semicolons and tabs separate as well if the first line has them.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
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

const SEPARATORS = [',', ';', '\t'] as const;
const MAX_COLUMNS = 100;

/** @param given languages for a file whose first line names none */
export function createCsvReader(given: GivenLanguages): MemoryReader {
  const rows = new RowReader();
  let columns: LanguageTag[] | undefined;

  function unitsOf(cells: readonly string[]): ReadUnit[] {
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
    return [unitOf([cells[0]?.trim() ?? ''], baseLanguage(source), texts)];
  }

  return {
    write: (text) => rows.write(text).flatMap(unitsOf),
    end() {
      const units = rows.end().flatMap(unitsOf);
      if (columns === undefined) throw badFile('The file is empty.');
      return units;
    },
    sourceLanguage: () => (columns?.[0] === undefined ? given.source : baseLanguage(columns[0])),
  };
}

/** What the first line says, or, where it is a unit already, what was given. */
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
  const isHeader = words === 'source target' || (isNamed && languages[0] === source);
  return { languages: [source, target], isHeader };
}

function distinct(languages: LanguageTag[]): LanguageTag[] {
  if (new Set(languages).size === languages.length) return languages;
  throw badFile('The first line names a language twice.', 1);
}

/** Rows of cells out of a text that comes in pieces. */
class RowReader {
  #separator: string | undefined;
  /** Of the first line, until its end shows what separates its cells. */
  #beginning = '';
  #cells: string[] = [];
  #cell = '';
  #state: 'begin' | 'bare' | 'quoted' | 'closed' = 'begin';
  #rowLength = 0;
  #line = 1;

  write(text: string): string[][] {
    if (this.#separator !== undefined) return this.#read(text);
    this.#beginning += text;
    const end = this.#beginning.search(/[\r\n]/);
    if (end === -1 && this.#beginning.length <= MAX_STRETCH) return [];
    return this.#read(this.#start());
  }

  end(): string[][] {
    const rows = this.#separator === undefined ? this.#read(this.#start()) : [];
    if (this.#state === 'quoted') throw badFile('A quotation mark is not closed.', this.#line);
    if (this.#cells.length > 0 || this.#state !== 'begin') rows.push(this.#endRow());
    return rows;
  }

  /** Chooses what separates: whatever the first line has most of. */
  #start(): string {
    const text = this.#beginning;
    this.#beginning = '';
    const first = text.split(/[\r\n]/, 1)[0] ?? '';
    const counted = SEPARATORS.map((sign) => [sign, first.split(sign).length] as const);
    this.#separator = counted.sort((one, other) => other[1] - one[1])[0]?.[0] ?? ',';
    return text;
  }

  #read(text: string): string[][] {
    const rows: string[][] = [];
    let at = 0;
    while (at < text.length) {
      const next = this.#plainEnd(text, at);
      if (next > at) {
        this.#cell += text.slice(at, next);
        this.#rowLength += next - at;
        if (this.#rowLength > MAX_STRETCH) throw badFile('A line is too long.', this.#line);
        if (this.#state !== 'quoted') this.#state = 'bare';
        at = next;
        continue;
      }
      const row = this.#readSign(text.charAt(at));
      if (row !== undefined) rows.push(row);
      at += 1;
    }
    return rows;
  }

  /** Where a stretch without signs of meaning ends. */
  #plainEnd(text: string, start: number): number {
    if (this.#state === 'quoted') {
      const quote = text.indexOf('"', start);
      const end = quote === -1 ? text.length : quote;
      for (let at = text.indexOf('\n', start); at !== -1 && at < end;) {
        this.#line += 1;
        at = text.indexOf('\n', at + 1);
      }
      return end;
    }
    let end = start;
    while (end < text.length && !this.#isSign(text.charAt(end))) end += 1;
    return end;
  }

  #isSign(sign: string): boolean {
    const isQuote = sign === '"' && this.#state !== 'bare';
    return isQuote || sign === this.#separator || sign === '\n' || sign === '\r';
  }

  #readSign(sign: string): string[] | undefined {
    if (sign === '"') this.#readQuote();
    else if (sign === this.#separator) this.#endCell();
    else if (sign === '\n') {
      this.#line += 1;
      return this.#endRow();
    }
    // A carriage return belongs to the line feed after it.
    return undefined;
  }

  #readQuote(): void {
    if (this.#state === 'begin') this.#state = 'quoted';
    else if (this.#state === 'quoted') this.#state = 'closed';
    else {
      // Two of them in a quoted cell are one.
      this.#cell += '"';
      this.#state = 'quoted';
    }
  }

  #endCell(): void {
    this.#cells.push(this.#cell);
    if (this.#cells.length > MAX_COLUMNS) throw badFile('A line has too many cells.', this.#line);
    this.#cell = '';
    this.#state = 'begin';
  }

  #endRow(): string[] {
    this.#endCell();
    const row = this.#cells;
    this.#cells = [];
    this.#rowLength = 0;
    return row;
  }
}
