/** EBML (RFC 8794), the framing of WebM and Matroska, and the Matroska elements (RFC 9559) that we read. */
import { ServiceError } from '../../../../shared/errors.ts';

/** Ids of the elements that are entered or read; all others are skipped unread. */
export const ElementId = {
  ebmlHeader: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  cluster: 0x1f43b675,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackNumber: 0xd7,
  trackType: 0x83,
  codecId: 0x86,
  codecPrivate: 0x63a2,
  contentEncodings: 0x6d80,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
  discardPadding: 0x75a2,
} as const;

/** Size of the longest element header: id of 4 bytes, size of 8 (EBMLMaxIDLength, EBMLMaxSizeLength). */
export const MAX_HEADER_BYTES = 12;

/** An element without its content; the size is Infinity where the writer left it unknown. */
export interface ElementHeader {
  id: number;
  sizeBytes: number;
  /** Number of bytes of id and size together. */
  headerBytes: number;
}

/** An element with its content. */
export interface Element {
  id: number;
  body: Uint8Array;
}

/** Returns an error in words meant for the sender of the audio. */
export function malformed(problem: string): ServiceError {
  return new ServiceError(
    'audio_format_unsupported',
    `The audio is not a readable WebM or Matroska stream: ${problem}.`,
  );
}

/** Returns the length of a variable-length number by its first byte; 9 when the byte begins none. */
export function vintBytes(firstByte: number): number {
  return Math.clz32(firstByte) - 23;
}

/** Reads a variable-length number at `offset`, without its marker; undefined when it is incomplete. */
export function readVint(
  bytes: Uint8Array,
  offset: number,
): { value: number; length: number } | undefined {
  const first = bytes[offset] ?? 0;
  const length = vintBytes(first);
  if (length > 8 || offset + length > bytes.length) return undefined;
  return { value: unsigned(bytes, offset + 1, offset + length, first & (0xff >> length)), length };
}

/**
 * Reads an element header; undefined when more bytes are needed.
 *
 * @throws ServiceError audio_format_unsupported when no element can begin with these bytes
 */
export function readElementHeader(bytes: Uint8Array, offset = 0): ElementHeader | undefined {
  const first = bytes[offset];
  if (first === undefined) return undefined;
  const idBytes = vintBytes(first);
  if (idBytes > 4) throw malformed('an element id was expected');
  const firstOfSize = bytes[offset + idBytes];
  if (firstOfSize === undefined) return undefined;
  if (firstOfSize === 0) throw malformed('an element size was expected');
  const size = readVint(bytes, offset + idBytes);
  if (size === undefined) return undefined;
  // Sizes have up to 56 bits, so they are doubles, never 32-bit integers. All ones means unknown; where
  // 2^56 - 1 rounds up to 2^56, the comparison rounds in the same way.
  const isUnknown = size.value === 2 ** (7 * size.length) - 1;
  return {
    id: unsigned(bytes, offset, offset + idBytes, 0),
    sizeBytes: isUnknown ? Infinity : size.value,
    headerBytes: idBytes + size.length,
  };
}

/** Yields the elements directly inside a master element. Throws like {@link readElementHeader}. */
export function* children(body: Uint8Array): Generator<Element> {
  let offset = 0;
  while (offset < body.length) {
    const header = readElementHeader(body, offset);
    if (header === undefined) throw malformed('an element is cut off');
    const start = offset + header.headerBytes;
    offset = start + header.sizeBytes;
    if (offset > body.length) throw malformed('an element is larger than the one around it');
    yield { id: header.id, body: body.subarray(start, offset) };
  }
}

/** Reads the content of an unsigned integer element. */
export function readUnsigned(body: Uint8Array): number {
  if (body.length > 8) throw malformed('a number has more than 8 bytes');
  return unsigned(body, 0, body.length, 0);
}

/** Reads the content of a signed integer element; exact up to 2^53. */
export function readSigned(body: Uint8Array): number {
  const value = readUnsigned(body);
  const isNegative = ((body[0] ?? 0) & 0x80) !== 0;
  return isNegative ? value - 2 ** (8 * body.length) : value;
}

/** Reads the content of a string element; bytes after a zero are padding. */
export function readString(body: Uint8Array): string {
  const end = body.indexOf(0);
  return String.fromCharCode(...body.subarray(0, Math.min(end < 0 ? body.length : end, 256)));
}

function unsigned(bytes: Uint8Array, start: number, end: number, initial: number): number {
  let value = initial;
  for (let index = start; index < end; index += 1) value = value * 256 + (bytes[index] ?? 0);
  return value;
}
