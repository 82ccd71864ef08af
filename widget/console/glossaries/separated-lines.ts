/** Lines of fields, tab-separated or quoted as RFC 4180 has it. */

export type Separator = '\t' | ',' | ';';

export interface SeparatedLine {
  /** Number in the file, from 1. */
  line: number;
  fields: string[];
  /** What is wrong with its quotes, as a predicate. */
  fault?: string;
}

/** Yields the lines that are not blank; a line that cannot be read costs no other. */
export function* separatedLines(text: string, separator: Separator): Generator<SeparatedLine> {
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
