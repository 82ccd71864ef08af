/**
 * Reads separated values as they come: comma-separated as RFC 4180 has it, or with semicolons or tabs.
 * Lines end in LF, CRLF or CR; empty lines and a byte order mark count for nothing.
 *
 * What breaks the rules for quotes is read as well as it can be and noted: whoever reads decides whether
 * that matters.
 */

export type Separator = ',' | ';' | '\t';

/** What is wrong with a row, the gravest last. */
const FAULTS = [
  /** A quote inside a field without quotes, which is read as itself. */
  'quote-inside',
  /** Text after a closing quote, which is read as more of the field. */
  'text-after-quote',
  /** A quote that is not closed: the rest of the text is its field. */
  'open-quote',
  /** More fields or a longer row than may be: it is cut off, and nothing is read after it. */
  'too-many-fields',
  'too-long',
] as const;

export interface Row {
  /** Which row it is, from 0. */
  index: number;
  /** Number of the line that it begins on, from 1; lines inside quotes and empty ones count. */
  line: number;
  /** UTF-16 position in the whole text. */
  start: number;
  fields: string[];
  /** UTF-16 positions of the fields in the whole text, where a quoted field starts with its quote. */
  starts: number[];
  fault?: RowFault;
}

/** The gravest fault of a row, the first of its kind. */
export interface RowFault {
  kind: (typeof FAULTS)[number];
  /** UTF-16 position in the whole text of the field that has it. */
  start: number;
  /** Number of the line that the field begins on. */
  line: number;
}

export interface RowLimits {
  /** Left out: what the first line shows ({@link separatorOf}). */
  separator?: Separator;
  /** Whether quotes mean anything. */
  quotes?: boolean;
  maxFields?: number;
  /** UTF-16 units of a row: bounds what is kept of a text that comes in pieces. */
  maxUnits?: number;
}

/** A tab, if there is one, as texts hardly have any; otherwise whichever there are more of. */
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

/** Reads one text that comes in pieces. */
export class RowReader {
  readonly #quotes: boolean;
  readonly #maxFields: number;
  readonly #maxUnits: number;
  #separator: number | undefined;
  /** Of the first line, until its end shows what separates its fields. */
  #beginning = '';
  #isOver = false;

  /** UTF-16 units of all pieces before this one. */
  #offset = 0;
  #index = 0;
  #line = 1;
  /** The last unit of the piece before: a CRLF may come in two. */
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

  /** Nothing follows: yields the row that ends here. */
  *end(): Generator<Row> {
    if (this.#separator === undefined) yield* this.#start();
    if (this.#isOver) return;
    if (this.#state === 'quoted') this.#note('open-quote');
    if (this.#hasRow()) yield this.#endRow(this.#offset);
  }

  /** Chooses what separates, and reads what has come. */
  *#start(): Generator<Row> {
    const text = this.#beginning;
    this.#beginning = '';
    this.#separator = separatorOf(text.split(/[\r\n]/, 1)[0] ?? '').charCodeAt(0);
    yield* this.#rows(text);
  }

  *#rows(text: string): Generator<Row> {
    // Only here: what is open at the end of a text is open, however long it is.
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

  /** Reads up to a separator, the end of the line or that of the piece, and answers where that is. */
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

  /** Reads up to behind a quote or to the end of the piece, and answers where that is. */
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

  /** A quote that opens a field, or the second of two that are one. */
  #readQuote(end: number): void {
    if (this.#state === 'closed') this.#field += '"';
    this.#state = 'quoted';
    if (end - this.#row.start > this.#maxUnits) this.#end('too-long');
  }

  /** @param end position behind what ends it */
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
