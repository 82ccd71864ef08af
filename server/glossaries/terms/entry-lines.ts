/**
 * Reads the lines of a dictionary: tab-separated, or comma-separated as RFC 4180 has it. Lines end in
 * LF, CRLF or CR; empty lines and a byte order mark count for nothing.
 */
import { ServiceError } from '../../../shared/errors.ts';

/** How entries are written. */
export type EntriesFormat = 'tsv' | 'csv';

/** One line of a dictionary. The same object is filled again for every line. */
export interface EntryLine {
  /** Which line it is, from 0; empty lines are not counted. */
  index: number;
  /** UTF-16 position of the line in the text. */
  start: number;
  fields: string[];
  /** UTF-16 positions of the fields, where a quoted field starts with its quote. */
  starts: number[];
}

/**
 * Yields the lines of a text, one at a time.
 *
 * @throws ServiceError invalid_request for quotes that are not RFC 4180's
 */
export function* entryLines(text: string, format: EntriesFormat): Generator<EntryLine> {
  const line: EntryLine = { index: 0, start: 0, fields: [], starts: [] };
  const readLine = format === 'tsv' ? readTabbedLine : readCommaLine;
  let position = text.startsWith('\uFEFF') ? 1 : 0;
  while (position < text.length) {
    if (isLineEnd(text.charCodeAt(position))) {
      position += 1;
      continue;
    }
    line.start = position;
    line.fields = [];
    line.starts = [];
    position = readLine(text, position, line);
    yield line;
    line.index += 1;
  }
}

/** Two phrases and their languages. */
const MAX_FIELDS = 4;

const TAB = 0x09;
const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const COMMA = 0x2c;

function isLineEnd(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}

/** Fills a line and answers where it ends. */
function readTabbedLine(text: string, start: number, line: EntryLine): number {
  let position = start;
  do {
    position = readPlainField(text, position, TAB, line) + 1;
  } while (text.charCodeAt(position - 1) === TAB);
  return position - 1;
}

/** Fills a line, which quotes may carry on over line ends, and answers where it ends. */
function readCommaLine(text: string, start: number, line: EntryLine): number {
  let position = start;
  do {
    position =
      text.charCodeAt(position) === QUOTE
        ? readQuotedField(text, position, line)
        : readPlainField(text, position, COMMA, line);
    position += 1;
  } while (text.charCodeAt(position - 1) === COMMA);
  return position - 1;
}

/** @throws ServiceError so that a line of a million fields is not read to its end */
function addField(text: string, line: EntryLine, field: string, start: number): void {
  if (line.fields.length === MAX_FIELDS) {
    throw badEntry(line.index, text, line.start, 'has too many fields');
  }
  line.fields.push(field);
  line.starts.push(start);
}

/** Reads up to a separator or the end of the line, and answers where that is. */
function readPlainField(text: string, start: number, separator: number, line: EntryLine): number {
  let end = start;
  for (; end < text.length; end += 1) {
    const unit = text.charCodeAt(end);
    if (unit === separator || isLineEnd(unit)) break;
    if (unit === QUOTE && separator === COMMA) {
      throw badEntry(line.index, text, line.start, 'has a quote inside a field without quotes');
    }
  }
  addField(text, line, text.slice(start, end), start);
  return end;
}

function readQuotedField(text: string, start: number, line: EntryLine): number {
  let field = '';
  let from = start + 1;
  for (;;) {
    const quote = text.indexOf('"', from);
    if (quote < 0) throw badEntry(line.index, text, line.start, 'has a quote that is not closed');
    field += text.slice(from, quote);
    if (text.charCodeAt(quote + 1) === QUOTE) {
      field += '"';
      from = quote + 2;
      // Keeps a field of a million quotes from being read to its end.
      if (field.length <= MAX_PHRASE_BYTES) continue;
      throw badEntry(line.index, text, line.start, `is longer than ${MAX_PHRASE_BYTES} bytes`);
    }
    const end = quote + 1;
    const next = text.charCodeAt(end);
    if (end < text.length && next !== COMMA && !isLineEnd(next)) {
      throw badEntry(line.index, text, line.start, 'goes on after a closing quote');
    }
    addField(text, line, field, start);
    return end;
  }
}

/** The message of every refusal of entries; its detail says where and why. */
export function invalidEntries(detail: string): ServiceError {
  return new ServiceError('invalid_request', 'Invalid glossary entries provided', { detail });
}

/** A refusal that names an entry and where its line starts. */
export function badEntry(index: number, text: string, start: number, fault: string): ServiceError {
  return invalidEntries(`Entry with ${place(index, text, start)} ${fault}`);
}

/**
 * Names a place in the entries as they were sent: `the index 1 (starting at position 13)`. Entries
 * are counted from 0 and empty lines are not; positions are Unicode code points from 0.
 *
 * @param start UTF-16 position
 */
export function place(index: number, text: string, start: number): string {
  return `the index ${index} (starting at position ${codePointsBefore(text, start)})`;
}

function codePointsBefore(text: string, end: number): number {
  let count = end;
  for (let at = 0; at < end; at += 1) {
    // The second half of a surrogate pair is not another code point.
    if ((text.charCodeAt(at) & 0xfc00) === 0xdc00) count -= 1;
  }
  return count;
}

// What a phrase of a glossary may be.

/** Longest phrase, in bytes of UTF-8. */
const MAX_PHRASE_BYTES = 1024;

/** UTF-16 units that fit into {@link MAX_PHRASE_BYTES} whatever they are: three bytes each at most. */
const SURELY_SHORT = Math.floor(MAX_PHRASE_BYTES / 3);

/** C0 and C1 control characters, line and paragraph separator, halves of characters. */
const FORBIDDEN = /[\u0000-\u001f\u0080-\u009f\u2028\u2029\p{Surrogate}]/u;
const BLANK_AT_START = /^\p{White_Space}/u;
const BLANK_AT_END = /\p{White_Space}$/u;

/** What is wrong with a phrase, as the predicate of a sentence; undefined when nothing is. */
export function phraseFault(phrase: string): string | undefined {
  if (phrase === '') return 'is empty';
  const forbidden = FORBIDDEN.exec(phrase);
  if (forbidden !== null) return `contains the character ${codePointName(forbidden[0])}`;
  if (mayBeBlank(phrase.charCodeAt(0)) && BLANK_AT_START.test(phrase)) {
    return 'starts with white space';
  }
  if (mayBeBlank(phrase.charCodeAt(phrase.length - 1)) && BLANK_AT_END.test(phrase)) {
    return 'ends with white space';
  }
  if (phrase.length > SURELY_SHORT && Buffer.byteLength(phrase) > MAX_PHRASE_BYTES) {
    return `is longer than ${MAX_PHRASE_BYTES} bytes`;
  }
  return undefined;
}

/** Spares nearly every phrase the two searches for blanks. */
function mayBeBlank(unit: number): boolean {
  return unit <= 0x20 || unit >= 0x85;
}

function codePointName(character: string): string {
  return `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}
