/**
 * The entries of a dictionary: parsed, checked, merged and written. They are kept as one text of
 * `source<TAB>target` lines, as phrases cannot contain tabs or line breaks; objects for 200,000 entries would
 * take ten times the memory. All work yields to other work every few milliseconds.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { MAX_PHRASE_BYTES, phraseFault } from '../../../shared/glossary-phrase.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import {
  rowsOf,
  type Row,
  type RowFault,
  type RowLimits,
} from '../../../shared/separated-values.ts';

/** Format of entries: tab-separated, where quotes have no meaning, or comma-separated (RFC 4180). */
export type EntriesFormat = 'tsv' | 'csv';

/** Maximum size of a dictionary's entries, in bytes of UTF-8. */
export const MAX_DICTIONARY_BYTES = 10 * 1024 * 1024;

/** Checked entries of a dictionary. */
interface Entries {
  /** `source<TAB>target` lines, joined by LF. */
  tsv: string;
  entryCount: number;
}

/**
 * Parses the entries that a client sent. CSV lines for other languages are skipped.
 *
 * @throws ServiceError invalid_request, with the place in its detail, if an entry breaks a rule or there is
 *   none; payload_too_large above {@link MAX_DICTIONARY_BYTES}
 */
export async function parseEntries(input: {
  text: string;
  format: EntriesFormat;
  sourceLang: LanguageTag;
  targetLang: LanguageTag;
}): Promise<Entries> {
  const { text, format } = input;
  checkSize(text);
  const slices = startWorkSlices();
  const output = createLineWriter();
  const indices = createKeyPlaces();
  const starts: number[] = [];
  for (const line of linesOf(text, format)) {
    if (slices.over()) await slices.next();
    starts.push(line.start);
    if (!isOfPair(line, text, input)) continue;
    const { source, target } = checkedPhrases(line, text, format);
    const earlier = indices.get(source);
    if (earlier !== undefined) {
      const first = place(earlier, text, starts[earlier] ?? 0);
      throw invalidEntries(
        `Key with ${place(line.index, text, line.start)} duplicates key with ${first}`,
      );
    }
    indices.set(source, line.index);
    output.write(`${source}\t${target}`);
  }
  if (output.count() === 0) throw invalidEntries('There is no entry');
  return { tsv: output.text(), entryCount: output.count() };
}

/** Two phrases and their languages. */
const MAX_FIELDS = 4;
/**
 * Maximum length of a line, in UTF-16 units: two phrases with quotes around and within. A longer line is not
 * read to its end.
 */
const MAX_LINE_UNITS = 16 * 1024;

const LINE_FAULTS: Readonly<Record<RowFault['kind'], string>> = {
  'quote-inside': 'has a quote inside a field without quotes',
  'text-after-quote': 'goes on after a closing quote',
  'open-quote': 'has a quote that is not closed',
  'too-many-fields': 'has too many fields',
  'too-long': `is longer than ${MAX_PHRASE_BYTES} bytes`,
};

/** @throws ServiceError invalid_request for a line that cannot be read */
function* linesOf(text: string, format: EntriesFormat): Generator<Row> {
  const limits: RowLimits = {
    separator: format === 'tsv' ? '\t' : ',',
    quotes: format === 'csv',
    maxFields: MAX_FIELDS,
    maxUnits: MAX_LINE_UNITS,
  };
  for (const row of rowsOf(text, limits)) {
    if (row.fault !== undefined) {
      throw badEntry(row.index, text, row.start, LINE_FAULTS[row.fault.kind]);
    }
    yield row;
  }
}

/**
 * Merges entries: an existing source phrase gets the new target and keeps its place, and new phrases follow
 * in order.
 *
 * @throws ServiceError payload_too_large if the result exceeds {@link MAX_DICTIONARY_BYTES}
 */
export async function mergeEntries(existing: string, added: string): Promise<Entries> {
  const slices = startWorkSlices();
  const indices = createKeyPlaces();
  const starts: number[] = [];
  for (const { start, tab } of writtenLines(added)) {
    if (slices.over()) await slices.next();
    indices.set(added.slice(start, tab), starts.length);
    starts.push(start);
  }
  const output = createLineWriter();
  const isWritten = new Uint8Array(starts.length);
  const writeAdded = (index: number) => {
    const start = starts[index] ?? 0;
    output.write(added.slice(start, endOfLine(added, start)));
    isWritten[index] = 1;
  };
  for (const { start, tab, end } of writtenLines(existing)) {
    if (slices.over()) await slices.next();
    const index = indices.get(existing.slice(start, tab));
    if (index === undefined) output.write(existing.slice(start, end));
    else if (isWritten[index] === 0) writeAdded(index);
  }
  for (let index = 0; index < starts.length; index += 1) {
    if (slices.over()) await slices.next();
    if (isWritten[index] === 0) writeAdded(index);
  }
  const tsv = output.text();
  checkSize(tsv);
  return { tsv, entryCount: output.count() };
}

/** A line of checked entries, by UTF-16 positions. The same object is reused for every line. */
interface WrittenLine {
  start: number;
  tab: number;
  end: number;
}

/** Iterates over checked entries without creating strings. */
export function* writtenLines(tsv: string): Generator<WrittenLine> {
  const line: WrittenLine = { start: 0, tab: 0, end: 0 };
  while (line.start < tsv.length) {
    line.end = endOfLine(tsv, line.start);
    line.tab = tsv.indexOf('\t', line.start);
    yield line;
    line.start = line.end + 1;
  }
}

function endOfLine(tsv: string, start: number): number {
  const end = tsv.indexOf('\n', start);
  return end < 0 ? tsv.length : end;
}

function checkSize(text: string): void {
  if (Buffer.byteLength(text) <= MAX_DICTIONARY_BYTES) return;
  const most = MAX_DICTIONARY_BYTES / 1024 / 1024;
  throw new ServiceError('payload_too_large', `A dictionary takes at most ${most} MiB of entries.`);
}

/** Whether the languages that a CSV line may name are those of the dictionary, or variants of them. */
function isOfPair(
  { fields, index, start }: Row,
  text: string,
  pair: { sourceLang: LanguageTag; targetLang: LanguageTag },
): boolean {
  if (fields.length < 4) return true;
  const [, , sourceLang = '', targetLang = ''] = fields.map((field) => field.trim());
  const matches = (written: string, expected: LanguageTag) => {
    if (written === '') return true;
    const tag = canonicalLanguage(written);
    if (tag === undefined) throw badEntry(index, text, start, 'names a language that is none');
    return baseLanguage(tag) === expected;
  };
  const sourceMatches = matches(sourceLang, pair.sourceLang);
  return matches(targetLang, pair.targetLang) && sourceMatches;
}

function checkedPhrases(
  { index, start, fields, starts }: Row,
  text: string,
  format: EntriesFormat,
): { source: string; target: string } {
  const [source, target] = fields;
  if (source === undefined || target === undefined) {
    const separator = format === 'tsv' ? 'tab' : 'comma';
    throw badEntry(index, text, start, `has no ${separator} between source and target`);
  }
  if (fields.length > 2 && (format === 'tsv' || fields.length === 3)) {
    throw badEntry(index, text, start, `has ${fields.length} fields`);
  }
  for (const [number, name] of ['Key', 'Value'].entries()) {
    const fault = phraseFault(number === 0 ? source : target);
    if (fault === undefined) continue;
    throw invalidEntries(`${name} with ${place(index, text, starts[number] ?? start)} ${fault}`);
  }
  return { source, target };
}

/** Returns the error of refused entries; its detail says where and why. */
function invalidEntries(detail: string): ServiceError {
  return new ServiceError('invalid_request', 'Invalid glossary entries provided', { detail });
}

/** Returns the error for an entry, naming its index and where its line starts. */
function badEntry(index: number, text: string, start: number, fault: string): ServiceError {
  return invalidEntries(`Entry with ${place(index, text, start)} ${fault}`);
}

/**
 * Names a place in the entries as sent: `the index 1 (starting at position 13)`. Entries count from 0,
 * without empty lines; positions count Unicode code points from 0.
 *
 * @param start UTF-16 position
 */
function place(index: number, text: string, start: number): string {
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

/** Lines per block: avoids keeping a million small strings, or one long chain of concatenations. */
const LINES_A_BLOCK = 4096;

function createLineWriter() {
  const blocks: string[] = [];
  let lines: string[] = [];
  let count = 0;
  const endBlock = () => {
    blocks.push(lines.join('\n'));
    lines = [];
  };
  return {
    write(line: string) {
      lines.push(line);
      count += 1;
      if (lines.length === LINES_A_BLOCK) endBlock();
    },
    count: () => count,
    text() {
      if (lines.length > 0) endBlock();
      return blocks.join('\n');
    },
  };
}

/**
 * Number of shards of a key map. A single Map of a million keys is copied in one step whenever it grows,
 * which takes more than 100 ms; many small maps grow one at a time.
 */

const SHARDS = 256;

/** A map from keys to numbers in which every step is short. Composed and decomposed letters are the same. */
interface KeyPlaces {
  get(key: string): number | undefined;
  set(key: string, place: number): void;
}

function createKeyPlaces(): KeyPlaces {
  const shards = Array.from({ length: SHARDS }, () => new Map<string, number>());
  const shardOf = (key: string) => shards[shardNumber(key)] ?? new Map<string, number>();
  return {
    get(written) {
      const key = composed(written);
      return shardOf(key).get(key);
    },
    set(written, place) {
      const key = composed(written);
      shardOf(key).set(key, place);
    },
  };
}

/** Returns a text in NFC. Below U+0300 every text is, and the check takes a tenth of the time. */
function composed(text: string): string {
  return /[\u0300-\uffff]/.test(text) ? text.normalize('NFC') : text;
}

/** Selects a shard by a few characters from the whole length of the key. */
function shardNumber(key: string): number {
  let sum = key.length;
  const stride = Math.max(1, key.length >> 3);
  for (let at = 0; at < key.length; at += stride) {
    sum = (Math.imul(sum, 31) + key.charCodeAt(at)) | 0;
  }
  sum = Math.imul(sum + key.charCodeAt(key.length - 1), 0x9e3779b1);
  return sum >>> 24;
}

// Slicing of long work on the main thread, so that other work need not wait for it.

/**
 * Duration of a slice, in ms: even with a garbage collection in it, below the 10 ms by which a live caption
 * may be late unnoticed.
 */
const SLICE_MS = 3;

/** Steps between two readings of the clock, as a reading costs as much as an entry. */
const STEPS_A_READING = 16;

/** Slices of one job. */
export interface WorkSlices {
  /** Whether the slice is used up; to be called at every small step of the job. */
  over(): boolean;
  /** Resolves after other waiting work of the event loop has had a turn. */
  next(): Promise<void>;
}

/** Starts the first slice of a job: `if (slices.over()) await slices.next();` at every step. */
export function startWorkSlices(): WorkSlices {
  let endsAtMs = performance.now() + SLICE_MS;
  let steps = 0;
  return {
    over() {
      steps += 1;
      return steps % STEPS_A_READING === 0 && performance.now() > endsAtMs;
    },
    async next() {
      await new Promise((resolve) => setImmediate(resolve));
      endsAtMs = performance.now() + SLICE_MS;
    },
  };
}
