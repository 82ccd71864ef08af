/** Files of glossary entries: read as people have them, written as the contract has them. */
import { baseLanguage, canonicalLanguage } from '../../../shared/language.ts';
import { phraseFault } from './phrase-fault.ts';
import { separatedLines, type Separator } from './separated-lines.ts';

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

/** Spreadsheets of half of Europe write semicolons; the first line tells. No phrase holds a tab. */
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
