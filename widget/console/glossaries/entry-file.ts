/** Files of glossary entries: reads the variants in common use, writes the formats of the API. */
import { phraseFault } from '../../../shared/glossary-phrase.ts';
import { baseLanguage, canonicalLanguage } from '../../../shared/language.ts';
import {
  rowsOf,
  separatorOf,
  type RowFault,
  type RowLimits,
  type Separator,
} from '../../../shared/separated-values.ts';
import { languageText } from '../../page/language-text.ts';

/** A glossary entry: a phrase and its translation. */
export interface Entry {
  readonly source: string;
  readonly target: string;
}

/** Direction of a dictionary, as base languages in lower case. */
export interface LanguagePair {
  readonly source: string;
  readonly target: string;
}

/** Content of a file. */
export interface EntryFile {
  readonly entries: readonly Entry[];
  /** Lines that cannot be used, in order. */
  readonly faults: readonly { readonly line: number; readonly fault: string }[];
  /** Number of lines in other languages than the dictionary's. */
  readonly foreignCount: number;
}

/** Largest file read, in bytes: twice the largest dictionary, to allow for UTF-16 and quotes. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/**
 * Decodes a file in UTF-8, or in UTF-16 with a byte order mark, which spreadsheets call "Unicode text".
 *
 * @throws TypeError if the file is neither
 */
export function decodeText(bytes: Uint8Array): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

/**
 * Parses lines of two phrases, separated by tabs, commas or semicolons. Trims the phrases, and leaves out a
 * heading line.
 */
export function readEntries(text: string, pair: LanguagePair): EntryFile {
  const entries: Entry[] = [];
  const faults: { line: number; fault: string }[] = [];
  const lineOf = new Map<string, number>();
  let foreignCount = 0;
  for (const { line, fields, fault } of separatedLines(text)) {
    const [source = '', target = '', ...languages] = fields.map((field) => field.trim());
    // With its languages, as in exported files, a line is an entry whatever its phrases.
    const isBare = !isTagOf(languages[0] ?? '', pair.source);
    if (line === 1 && isBare && isHeading({ source, target }, pair)) continue;
    if (isForeign(languages, pair)) {
      foreignCount += 1;
      continue;
    }
    const earlier = lineOf.get(source);
    const problem =
      fault ??
      (fields.length < 2 ? 'has one phrase only' : entryFault({ source, target })) ??
      (earlier === undefined ? undefined : `repeats the phrase of line ${earlier}`);
    if (problem === undefined) {
      lineOf.set(source, line);
      entries.push({ source, target });
    } else {
      faults.push({ line, fault: problem });
    }
  }
  return { entries, faults, foreignCount };
}

/** Returns the fault of an entry, as a predicate. */
export function entryFault({ source, target }: Entry): string | undefined {
  const ofSource = phraseFault(source);
  if (ofSource !== undefined) return `has a source phrase that ${ofSource}`;
  const ofTarget = phraseFault(target);
  return ofTarget === undefined ? undefined : `has a translation that ${ofTarget}`;
}

/** Writes one entry per line, with a tab between the phrases. Phrases contain no tabs. */
export function writeTsv(entries: readonly Entry[]): string {
  return entries.map(({ source, target }) => `${source}\t${target}`).join('\n');
}

/** Writes entries as CSV (RFC 4180), with the languages in the third and fourth column. */
export function writeCsv(entries: readonly Entry[], pair: LanguagePair): string {
  return entries
    .map(({ source, target }) => [source, target, pair.source, pair.target].map(quoted).join(','))
    .join('\r\n');
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Returns whether a line names the columns, as `source,target`, `en,es` or `English,Spanish`. */
function isHeading({ source, target }: Entry, pair: LanguagePair): boolean {
  return isTitle(source, /^source\b/i, pair.source) && isTitle(target, /^target\b/i, pair.target);
}

function isTitle(title: string, usual: RegExp, language: string): boolean {
  const isName = title.toLowerCase() === languageText(language).toLowerCase();
  return isName || isTagOf(title, language) || usual.test(title.replaceAll('_', ' '));
}

function isTagOf(written: string, language: string): boolean {
  const tag = canonicalLanguage(written);
  return tag !== undefined && baseLanguage(tag) === language;
}

function isForeign(languages: readonly string[], pair: LanguagePair): boolean {
  const [source = '', target = ''] = languages;
  return !isOf(source, pair.source) || !isOf(target, pair.target);
}

/** Returns whether a column names the expected language. Text that is not a language tag is a comment. */
function isOf(written: string, expected: string): boolean {
  return canonicalLanguage(written) === undefined || isTagOf(written, expected);
}

interface SeparatedLine {
  /** Line number in the file, from 1. */
  line: number;
  fields: string[];
  /** Fault in its quoting, as a predicate. */
  fault?: string;
}

/** Longest line scanned, so that an open quote does not scan the rest of the file each time. */
const MAX_LINE_UNITS = 8_192;

const BAD_QUOTE = 'has a quote that is not closed, or text after one';

/** Faults reported; a quote in the middle of a phrase is part of the phrase. */
const LINE_FAULTS: Partial<Record<RowFault['kind'], string>> = {
  'text-after-quote': BAD_QUOTE,
  'open-quote': BAD_QUOTE,
  'too-long': 'is too long, or has a quote that is not closed',
};

/**
 * Yields the fields of all lines that are not blank, tab-separated or quoted per RFC 4180. An unreadable line
 * does not affect the others.
 */
function* separatedLines(text: string): Generator<SeparatedLine> {
  const separator = separatorOf(/^.*/.exec(text)?.[0] ?? '');
  // Offset at which reading continues, and the number of lines before it.
  let from = 0;
  let linesBefore = 0;
  for (;;) {
    const fault = yield* linesUntilFault(text.slice(from), separator, linesBefore);
    if (fault === undefined) return;
    // An open quote would swallow the rest of the file, so only its line is skipped.
    linesBefore += fault.line;
    const lineEnd = /\r\n|\r|\n/g;
    lineEnd.lastIndex = from + fault.start;
    if (lineEnd.exec(text) === null) return;
    from = lineEnd.lastIndex;
  }
}

/** Yields lines, and returns the first fault that hides where later lines begin. */
function* linesUntilFault(
  text: string,
  separator: Separator,
  linesBefore: number,
): Generator<SeparatedLine, RowFault | undefined> {
  const limits: RowLimits = {
    separator,
    quotes: separator !== '\t',
    maxUnits: MAX_LINE_UNITS,
  };
  for (const { line, fields, fault } of rowsOf(text, limits)) {
    const problem = fault && LINE_FAULTS[fault.kind];
    if (fault !== undefined && problem !== undefined) {
      yield { line: linesBefore + line, fields, fault: problem };
      return fault;
    }
    if (fields.some((field) => field.trim() !== '')) yield { line: linesBefore + line, fields };
  }
  return undefined;
}
