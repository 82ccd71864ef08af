/**
 * A streaming reader of separated values: commas as in RFC 4180, semicolons or tabs. Lines end in
 * LF, CRLF or CR; empty lines and a byte order mark are ignored.
 *
 * Malformed quotes are read as well as possible and reported as faults; the caller decides whether
 * they matter.
 */

export type Separator = ',' | ';' | '\t';

/** Faults of a row, in order of increasing severity. */
const FAULTS = [
  /** A quote inside an unquoted field; it is read literally. */
  'quote-inside',
  /** Text after a closing quote; it is appended to the field. */
  'text-after-quote',
  /** An unclosed quote: the rest of the text belongs to the field. */
  'open-quote',
  /** Too many fields or too long a row: it is cut off, and reading stops. */
  'too-many-fields',
  'too-long',
] as const;

export interface Row {
  /** Number of the row, from 0. */
  index: number;
  /** Number of the line on which the row begins, from 1; lines inside quotes and empty ones count. */
  line: number;
  /** UTF-16 position in the whole text. */
  start: number;
  fields: string[];
  /** UTF-16 positions of the fields in the whole text; a quoted field starts at its quote. */
  starts: number[];
  fault?: RowFault;
}

/** The most severe fault of a row, the first of its kind. */
export interface RowFault {
  kind: (typeof FAULTS)[number];
  /** UTF-16 position of the faulty field in the whole text. */
  start: number;
  /** Number of the line on which the field begins. */
  line: number;
}

export interface RowLimits {
  /** Detected from the first line if omitted ({@link separatorOf}). */
  separator?: Separator;
  /** Whether quotes are special. */
  quotes?: boolean;
  maxFields?: number;
  /** Largest row in UTF-16 units: bounds the memory for a text that arrives in pieces. */
  maxUnits?: number;
}

/**
 * Returns a tab if the line has one, because texts rarely do; else the more frequent of comma and
 * semicolon.
 */
export function separatorOf(line: string): Separator {
  if (line.includes('\t')) return '\t';
  const bare = line.replace(/"[^"]*"/g, '');
  return bare.split(';').length > bare.split(',').length ? ';' : ',';
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const QUOTE = 0x22;
const BYTE_ORDER_MARK = 0xfeff;

/** Yields the rows of a whole text. */
export function* rowsOf(text: string, limits?: RowLimits): Generator<Row> {
  const rows = new RowReader(limits);
  yield* rows.read(text);
  yield* rows.end();
}

/** Reads a text that arrives in pieces. */
export class RowReader {
  readonly #quotes: boolean;
  readonly #maxFields: number;
  readonly #maxUnits: number;
  #separator: number | undefined;
  /** Buffers the first line until its end determines the separator. */
  #beginning = '';
  #isOver = false;

  /** UTF-16 units of all previous pieces. */
  #offset = 0;
  #index = 0;
  #line = 1;
  /** Last unit of the previous piece: a CRLF may be split between pieces. */
  #lastUnit = 0;

  #row: Row = { index: 0, line: 1, start: 0, fields: [], starts: [] };
  #field = '';
  #fieldStart = 0;
  #fieldLine = 1;
  #state: 'begin' | 'bare' | 'quoted' | 'closed' = 'begin';

  constructor({ separator, quotes = true, maxFields, maxUnits }: RowLimits = {}) {
    this.#separator = separator?.charCodeAt(0);
    this.#quotes = quotes;
    this.#maxFields = maxFields ?? Infinity;
    this.#maxUnits = maxUnits ?? Infinity;
  }

  /** Yields the rows that end in the next piece of the text. */
  *read(text: string): Generator<Row> {
    if (this.#separator !== undefined) {
      yield* this.#rows(text);
      return;
    }
    this.#beginning += text;
    if (/[\r\n]/.test(text) || this.#beginning.length > this.#maxUnits) yield* this.#start();
  }

  /** Ends the text and yields its last row. */
  *end(): Generator<Row> {
    if (this.#separator === undefined) yield* this.#start();
    if (this.#isOver) return;
    if (this.#state === 'quoted') this.#note('open-quote');
    if (this.#hasRow()) yield this.#endRow(this.#offset);
  }

  /** Determines the separator, and reads the buffered text. */
  *#start(): Generator<Row> {
    const text = this.#beginning;
    this.#beginning = '';
    this.#separator = separatorOf(text.split(/[\r\n]/, 1)[0] ?? '').charCodeAt(0);
    yield* this.#rows(text);
  }

  *#rows(text: string): Generator<Row> {
    // Checked only when more text arrives: an open row at the end of a text may have any length.
    if (this.#offset - this.#row.start > this.#maxUnits) this.#end('too-long');
    let at = this.#offset === 0 && text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
    if (at === 1) this.#begin(1);
    while (at < text.length && !this.#isOver) {
      if (this.#state === 'quoted') {
        at = this.#readQuoted(text, at);
        continue;
      }
      const unit = text.charCodeAt(at);
      if (unit === this.#separator) {
        at += 1;
        this.#endField(this.#offset + at);
      } else if (isLineEnd(unit)) {
        this.#passLineEnd(text, at);
        at += 1;
        const position = this.#offset + at;
        if (this.#hasRow()) yield this.#endRow(position);
        else this.#begin(position);
      } else if (unit === QUOTE && this.#quotes && this.#state !== 'bare') {
        at += 1;
        this.#readQuote(this.#offset + at);
      } else {
        at = this.#readBare(text, at);
      }
    }
    this.#offset += text.length;
    this.#lastUnit = text.charCodeAt(text.length - 1);
    if (this.#isOver && this.#hasRow()) yield this.#endRow(this.#offset);
  }

  #hasRow(): boolean {
    return this.#row.fields.length > 0 || this.#state !== 'begin';
  }

  /** Reads up to a separator, the end of the line or of the piece, and returns that position. */
  #readBare(text: string, start: number): number {
    if (this.#state === 'closed') this.#note('text-after-quote');
    let end = start;
    for (; end < text.length; end += 1) {
      const unit = text.charCodeAt(end);
      if (unit === this.#separator || isLineEnd(unit)) break;
      if (unit === QUOTE && this.#quotes) this.#note('quote-inside');
    }
    this.#field += text.slice(start, end);
    this.#state = 'bare';
    return end;
  }

  /** Reads past a quote or to the end of the piece, and returns that position. */
  #readQuoted(text: string, start: number): number {
    const quote = text.indexOf('"', start);
    const end = quote < 0 ? text.length : quote;
    for (let at = start; at < end; at += 1) {
      if (isLineEnd(text.charCodeAt(at))) this.#passLineEnd(text, at);
    }
    this.#field += text.slice(start, end);
    if (quote < 0) return end;
    this.#state = 'closed';
    return end + 1;
  }

  /** Handles a quote that opens a field, or the second half of a doubled quote. */
  #readQuote(end: number): void {
    if (this.#state === 'closed') this.#field += '"';
    this.#state = 'quoted';
    if (end - this.#row.start > this.#maxUnits) this.#end('too-long');
  }

  /** @param end position after the terminator of the field */
  #endField(end: number): void {
    const { fields, starts, start } = this.#row;
    fields.push(this.#field);
    starts.push(this.#fieldStart);
    if (fields.length > this.#maxFields) this.#end('too-many-fields');
    else if (end - start > this.#maxUnits) this.#end('too-long');
    this.#field = '';
    this.#fieldStart = end;
    this.#fieldLine = this.#line;
    this.#state = 'begin';
  }

  #endRow(end: number): Row {
    this.#endField(end);
    const row = this.#row;
    this.#index += 1;
    this.#begin(end);
    return row;
  }

  #begin(start: number): void {
    this.#row = { index: this.#index, line: this.#line, start, fields: [], starts: [] };
    this.#fieldStart = start;
    this.#fieldLine = this.#line;
  }

  #passLineEnd(text: string, at: number): void {
    const before = at > 0 ? text.charCodeAt(at - 1) : this.#lastUnit;
    const isSecond = text.charCodeAt(at) === LINE_FEED && before === CARRIAGE_RETURN;
    if (!isSecond) this.#line += 1;
  }

  #note(kind: RowFault['kind']): void {
    const known = this.#row.fault?.kind;
    if (known !== undefined && FAULTS.indexOf(known) >= FAULTS.indexOf(kind)) return;
    this.#row.fault = { kind, start: this.#fieldStart, line: this.#fieldLine };
  }

  #end(kind: RowFault['kind']): void {
    this.#note(kind);
    this.#isOver = true;
  }
}

function isLineEnd(unit: number): boolean {
  return unit === LINE_FEED || unit === CARRIAGE_RETURN;
}
