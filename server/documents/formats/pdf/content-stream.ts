/**
 * Reads the operators of a content stream (ISO 32000-1, 7.8.2) with their offsets, and unpacks and packs
 * streams.
 */
import { deflateSync, inflateSync } from 'node:zlib';
import {
  decodePDFRawStream,
  PDFArray,
  type PDFContext,
  PDFDict,
  PDFName,
  PDFRawStream,
  type PDFRef,
  PDFStream,
} from '@cantoo/pdf-lib';
import { DocumentError } from '../format.ts';

/** An operator with its operands. The scanner reuses one object for all operators. */
export interface Operator {
  name: string;
  /** Offset at which its operands begin, and at which its name ends. */
  from: number;
  to: number;
  /** Whether a string among its operands has characters. */
  hasText: boolean;
  /** Its last name operand, without the slash, and its offsets. */
  nameOperand: string;
  nameFrom: number;
  nameTo: number;
  /** Offset of its first string; the numbers of `"` precede it. */
  firstString: number;
}

const SPACE = 1;
const DELIMITER = 2;
const kinds = new Uint8Array(256);
for (const code of [0, 9, 10, 12, 13, 32]) kinds[code] = SPACE;
for (const sign of '()<>[]{}/%') kinds[sign.charCodeAt(0)] = DELIMITER;

const CODE = { percent: 37, open: 40, close: 41, less: 60, greater: 62, slash: 47, backslash: 92 };

/** Calls `visit` for each operator in order. A damaged stream is read as far as it makes sense. */
export function scanOperators(bytes: Uint8Array, visit: (operator: Operator) => void): void {
  const operator: Operator = {
    name: '',
    from: 0,
    to: 0,
    hasText: false,
    nameOperand: '',
    nameFrom: 0,
    nameTo: 0,
    firstString: -1,
  };
  let at = 0;
  let isFresh = true;
  while (at < bytes.length) {
    const code = bytes[at] ?? 0;
    if (kinds[code] === SPACE) {
      at += 1;
      continue;
    }
    if (code === CODE.percent) {
      at = endOfLine(bytes, at);
      continue;
    }
    if (isFresh) {
      isFresh = false;
      operator.from = at;
      operator.hasText = false;
      operator.nameOperand = '';
      operator.firstString = -1;
    }
    if (kinds[code] === DELIMITER) {
      at = readDelimited(bytes, at, operator);
      continue;
    }
    const end = endOfToken(bytes, at);
    if (!isNumber(code)) {
      const name = textOf(bytes, at, end);
      if (name === 'true' || name === 'false' || name === 'null') {
        at = end;
        continue;
      }
      operator.name = name;
      operator.to = end;
      visit(operator);
      isFresh = true;
      at = name === 'ID' ? endOfImage(bytes, end) : end;
      continue;
    }
    at = end;
  }
}

function readDelimited(bytes: Uint8Array, at: number, operator: Operator): number {
  const code = bytes[at];
  if (code === CODE.open) {
    const end = endOfString(bytes, at);
    if (operator.firstString < 0) operator.firstString = at;
    if (end - at > 2) operator.hasText = true;
    return end;
  }
  if (code === CODE.less && bytes[at + 1] !== CODE.less) {
    let end = at + 1;
    if (operator.firstString < 0) operator.firstString = at;
    while (end < bytes.length && bytes[end] !== CODE.greater) {
      if (kinds[bytes[end] ?? 0] !== SPACE) operator.hasText = true;
      end += 1;
    }
    return end + 1;
  }
  if (code === CODE.slash) {
    const end = endOfToken(bytes, at + 1);
    operator.nameOperand = decodeName(textOf(bytes, at + 1, end));
    operator.nameFrom = at;
    operator.nameTo = end;
    return end;
  }
  return at + 1;
}

function endOfLine(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && bytes[at] !== 10 && bytes[at] !== 13) at += 1;
  return at;
}

function endOfToken(bytes: Uint8Array, from: number): number {
  let at = from;
  while (at < bytes.length && kinds[bytes[at] ?? 0] === 0) at += 1;
  return at;
}

function endOfString(bytes: Uint8Array, from: number): number {
  let depth = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const code = bytes[at];
    if (code === CODE.backslash) at += 1;
    else if (code === CODE.open) depth += 1;
    else if (code === CODE.close) {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return bytes.length;
}

/** Returns the end of an inline image's data: `EI` between white space, with no binary bytes after it. */
function endOfImage(bytes: Uint8Array, from: number): number {
  for (let at = from + 1; at + 1 < bytes.length; at += 1) {
    if (bytes[at] !== 0x45 || bytes[at + 1] !== 0x49) continue;
    if (kinds[bytes[at - 1] ?? 0] !== SPACE || !isBlankOrEnd(bytes, at + 2)) continue;
    const after = bytes.subarray(at + 2, at + 12);
    if (after.every((code) => kinds[code] === SPACE || (code > 32 && code < 127))) return at + 2;
  }
  return bytes.length;
}

function isBlankOrEnd(bytes: Uint8Array, at: number): boolean {
  return at >= bytes.length || kinds[bytes[at] ?? 0] === SPACE;
}

/** Tests for a digit, a sign or the decimal point. */
function isNumber(code: number): boolean {
  return (code >= 48 && code <= 57) || code === 43 || code === 45 || code === 46;
}

function textOf(bytes: Uint8Array, from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at += 1) text += String.fromCharCode(bytes[at] ?? 0);
  return text;
}

function decodeName(name: string): string {
  if (!name.includes('#')) return name;
  return name.replaceAll(/#([0-9a-fA-F]{2})/g, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
}

/**
 * Maximum unpacked size of a flate stream. Content streams have some hundred kilobytes; a larger one is a
 * decompression bomb.
 */
const MAX_CONTENT_BYTES = 128 * 1024 * 1024;

const newLine = Uint8Array.of(10);

/**
 * Unpacks a stream.
 * @throws DocumentError for a stream that is damaged or far too large
 */
export function unpackStream(stream: PDFStream): Uint8Array {
  if (!(stream instanceof PDFRawStream)) return stream.getContents();
  const filter = stream.dict.lookup(PDFName.of('Filter'));
  try {
    const isPlainFlate =
      filter === PDFName.of('FlateDecode') && !stream.dict.has(PDFName.of('DecodeParms'));
    if (isPlainFlate) return inflate(stream.getContents());
    return decodePDFRawStream(stream).decode();
  } catch (error) {
    if (error instanceof RangeError) throw tooLarge(error);
    throw new DocumentError('The PDF file is damaged: a page cannot be unpacked.', {
      cause: error,
    });
  }
}

/**
 * Reports a stream that exceeds `maxOutputLength`, for which Node throws `ERR_BUFFER_TOO_LARGE`, a
 * `RangeError`.
 */
function tooLarge(cause: unknown): DocumentError {
  return new DocumentError(
    'A page of the PDF file is too large to be read: its drawing unpacks to more than 128 MB. Send the file without this page.',
    { cause },
  );
}

/** Files are often truncated a few bytes before the checksum; the data up to there is used. */
function inflate(packed: Uint8Array): Uint8Array {
  return inflateSync(packed, {
    maxOutputLength: MAX_CONTENT_BYTES,
    finishFlush: 2,
  });
}

/** Concatenates all content streams of a page, unpacked. */
export function unpackContents(contents: unknown): Uint8Array {
  const streams: PDFStream[] = [];
  if (contents instanceof PDFStream) streams.push(contents);
  if (contents instanceof PDFArray) {
    for (let at = 0; at < contents.size(); at += 1) {
      const stream = contents.lookup(at);
      if (stream instanceof PDFStream) streams.push(stream);
    }
  }
  return Buffer.concat(streams.flatMap((stream) => [unpackStream(stream), newLine]));
}

/** Registers a new packed stream; sets the length and filter of its dictionary. */
export function packStream({
  context,
  bytes,
  dict = PDFDict.withContext(context),
}: {
  context: PDFContext;
  bytes: Uint8Array;
  dict?: PDFDict;
}): PDFRef {
  const packed = deflateSync(bytes);
  dict.set(PDFName.of('Filter'), PDFName.of('FlateDecode'));
  dict.set(PDFName.of('Length'), context.obj(packed.length));
  dict.delete(PDFName.of('DecodeParms'));
  return context.register(PDFRawStream.of(dict, packed));
}
