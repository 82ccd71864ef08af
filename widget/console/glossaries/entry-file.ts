/** Files of glossary entries: read as people have them, written as the contract has them. */
import { baseLanguage, canonicalLanguage } from '../../../shared/language.ts';

/** Two phrases: what is said, and what it becomes. */
export interface Entry {
  readonly source: string;
  readonly target: string;
}

/** The direction of a dictionary, of base languages in lower case. */
export interface LanguagePair {
  readonly source: string;
  readonly target: string;
}

/** What a file holds. */
export interface EntryFile {
  readonly entries: readonly Entry[];
  /** Lines that cannot be used, in their order. */
  readonly faults: readonly { readonly line: number; readonly fault: string }[];
  /** Lines that name other languages than those of the dictionary. */
  readonly foreignCount: number;
}

/** Largest file that is read: twice the bytes a dictionary may have, for UTF-16 and quotes. */
export const MAX_FILE_BYTES = 20 * 1024 * 1024;

/** Longest phrase of a glossary, in bytes of UTF-8. */
const MAX_PHRASE_BYTES = 1024;

/** C0 and C1 control characters, line and paragraph separator, halves of characters. */
const FORBIDDEN = /[\u0000-\u001f\u0080-\u009f\u2028\u2029\p{Surrogate}]/u;
const OUTER_BLANK = /^\p{White_Space}|\p{White_Space}$/u;
const encoder = new TextEncoder();

/**
 * The text of a file in UTF-8, or in UTF-16 with its mark, which spreadsheets call "Unicode text".
 *
 * @throws TypeError when it is neither
 */
export function decodeText(bytes: Uint8Array): string {
  const isLittle = bytes[0] === 0xff && bytes[1] === 0xfe;
  const isBig = bytes[0] === 0xfe && bytes[1] === 0xff;
  const encoding = isLittle ? 'utf-16le' : isBig ? 'utf-16be' : 'utf-8';
  return new TextDecoder(encoding, { fatal: true }).decode(bytes);
}

/** Reads lines of two phrases, with tabs, commas or semicolons between; blanks around are dropped. */
export function readEntries(text: string, pair: LanguagePair): EntryFile {
  const entries: Entry[] = [];
  const faults: { line: number; fault: string }[] = [];
  const lineOf = new Map<string, number>();
  let foreignCount = 0;
  for (const { line, fields, fault } of separatedLines(text, separatorOf(text))) {
    const [source = '', target = '', ...languages] = fields.map((field) => field.trim());
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

/** What is wrong with an entry, as a predicate of it. */
export function entryFault({ source, target }: Entry): string | undefined {
  const ofSource = phraseFault(source);
  if (ofSource !== undefined) return `has a source phrase that ${ofSource}`;
  const ofTarget = phraseFault(target);
  return ofTarget === undefined ? undefined : `has a translation that ${ofTarget}`;
}

/**
 * What is wrong with a phrase, as the predicate of a sentence; undefined when nothing is. The server
 * judges by the same rules and has the last word: here they spare people the way there.
 */
export function phraseFault(phrase: string): string | undefined {
  if (phrase === '') return 'is empty';
  if (FORBIDDEN.test(phrase)) return 'contains a tab, a line break or a control character';
  if (OUTER_BLANK.test(phrase)) return 'starts or ends with a blank';
  // Three bytes a UTF-16 unit are the most, so that nearly no phrase has to be encoded.
  if (phrase.length * 3 > MAX_PHRASE_BYTES && encoder.encode(phrase).length > MAX_PHRASE_BYTES) {
    return `is longer than ${MAX_PHRASE_BYTES} bytes`;
  }
  return undefined;
}

/** Entries as lines with a tab between the phrases, which hold none. */
export function writeTsv(entries: readonly Entry[]): string {
  return entries.map(({ source, target }) => `${source}\t${target}`).join('\n');
}

/** Entries as RFC 4180 has it, with the languages in the third and fourth column. */
export function writeCsv(entries: readonly Entry[], pair: LanguagePair): string {
  return entries
    .map(({ source, target }) => [source, target, pair.source, pair.target].map(quoted).join(','))
    .join('\r\n');
}

function quoted(field: string): string {
  return /[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}

/** Spreadsheets of half of Europe write semicolons; the first line shows which. No phrase holds a tab. */
function separatorOf(text: string): Separator {
  const line = /^.*/.exec(text)?.[0] ?? '';
  if (line.includes('\t')) return '\t';
  const first = line.replace(/"[^"]*"/g, '');
  return first.includes(';') && !first.includes(',') ? ';' : ',';
}

function isForeign(languages: readonly string[], pair: LanguagePair): boolean {
  const [source = '', target = ''] = languages;
  return !isOf(source, pair.source) || !isOf(target, pair.target);
}

/** What is no language is a comment, not another language. */
function isOf(written: string, expected: string): boolean {
  const tag = canonicalLanguage(written);
  return tag === undefined || baseLanguage(tag) === expected;
}

type Separator = '\t' | ',' | ';';

interface SeparatedLine {
  /** Number in the file, from 1. */
  line: number;
  fields: string[];
  /** What is wrong with its quotes, as a predicate. */
  fault?: string;
}

/**
 * Yields the lines of fields, tab-separated or quoted as RFC 4180 has it, that are not blank; a line that
 * cannot be read costs no other.
 */
function* separatedLines(text: string, separator: Separator): Generator<SeparatedLine> {
  let line = 1;
  let at = text.startsWith('\uFEFF') ? 1 : 0;
  while (at < text.length) {
    const read = readLine(text, at, separator);
    const isBlank = read.fields.every((field) => field.trim() === '');
    if (!isBlank || read.fault !== undefined) {
      yield {
        line,
        fields: read.fields,
        ...(read.fault !== undefined && { fault: read.fault }),
      };
    }
    line += read.lineCount;
    at = read.end;
  }
}

interface ReadLine {
  fields: string[];
  /** Where the next line starts. */
  end: number;
  /** Lines of the text it took: quotes may carry a field on. */
  lineCount: number;
  fault?: string;
}

function readLine(text: string, start: number, separator: Separator): ReadLine {
  const fields: string[] = [];
  let at = start;
  let breaks = 0;
  for (;;) {
    const isQuoted = separator !== '\t' && text[at] === '"';
    const quotedField = isQuoted ? readQuoted(text, at) : undefined;
    if (isQuoted && quotedField === undefined) {
      // An open quote would swallow the rest of the file: its line alone is lost.
      const end = lineEnd(text, at);
      const fault = 'has a quote that is not closed, or text after one';
      return { fields, end: afterBreak(text, end), lineCount: 1, fault };
    }
    const end = quotedField?.end ?? fieldEnd(text, at, separator);
    fields.push(quotedField?.field ?? text.slice(at, end));
    breaks += quotedField?.field.match(/\r\n|\r|\n/g)?.length ?? 0;
    if (text[end] !== separator) {
      return { fields, end: afterBreak(text, end), lineCount: 1 + breaks };
    }
    at = end + 1;
  }
}

/** Longest quoted field that is looked through, so that open quotes do not read the rest each time. */
const MAX_QUOTED_UNITS = 8_192;

function readQuoted(text: string, start: number): { field: string; end: number } | undefined {
  const limit = Math.min(text.length, start + MAX_QUOTED_UNITS);
  for (let at = start + 1; at < limit; at += 1) {
    if (text[at] !== '"') continue;
    if (text[at + 1] === '"') {
      at += 1;
      continue;
    }
    const next = text[at + 1];
    const isEnd = next === undefined || /[,;\r\n]/.test(next);
    const field = text.slice(start + 1, at).replaceAll('""', '"');
    return isEnd ? { field, end: at + 1 } : undefined;
  }
  return undefined;
}

function fieldEnd(text: string, start: number, separator: Separator): number {
  let at = start;
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') {
    at += 1;
  }
  return at;
}

function lineEnd(text: string, start: number): number {
  let at = start;
  while (at < text.length && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

function afterBreak(text: string, end: number): number {
  return text.startsWith('\r\n', end) ? end + 2 : end + 1;
}
