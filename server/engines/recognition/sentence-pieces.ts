/**
 * Reads the pieces of a SentencePiece model: field 1 of its protobuf is a list of pieces, each with
 * its text in field 1 and its score, a float, in field 2.
 */

export interface SentencePiece {
  piece: string;
  score: number;
}

const VARINT = 0;
const FIXED_64 = 1;
const LENGTH_DELIMITED = 2;
const FIXED_32 = 5;

/** @throws RangeError when the bytes are no such model */
export function readSentencePieces(model: Buffer): SentencePiece[] {
  const pieces: SentencePiece[] = [];
  for (const { number, bytes } of fields(model)) {
    if (number !== 1) continue;
    const entry: SentencePiece = { piece: '', score: 0 };
    for (const part of fields(bytes)) {
      if (part.number === 1) entry.piece = part.bytes.toString('utf8');
      if (part.number === 2) entry.score = part.bytes.readFloatLE(0);
    }
    pieces.push(entry);
  }
  return pieces;
}

function* fields(message: Buffer): Generator<{ number: number; bytes: Buffer }> {
  for (let at = 0; at < message.length;) {
    const tag = varint(message, at);
    const { end, next } = extent(message, tag.next, tag.value & 7);
    if (next > message.length) throw new RangeError('A protobuf message is cut short');
    yield { number: tag.value >>> 3, bytes: message.subarray(end, next) };
    at = next;
  }
}

/** Where the content of a field begins (`end` of what precedes it) and where the next field does. */
function extent(message: Buffer, at: number, wireType: number): { end: number; next: number } {
  switch (wireType) {
    case VARINT:
      return { end: at, next: varint(message, at).next };
    case FIXED_64:
      return { end: at, next: at + 8 };
    case FIXED_32:
      return { end: at, next: at + 4 };
    case LENGTH_DELIMITED: {
      const length = varint(message, at);
      return { end: length.next, next: length.next + length.value };
    }
    default:
      throw new RangeError('A protobuf field has an unknown type');
  }
}

function varint(message: Buffer, at: number): { value: number; next: number } {
  let value = 0;
  for (let shift = 0; shift < 35; shift += 7, at += 1) {
    const byte = message[at];
    if (byte === undefined) break;
    value += (byte & 127) * 2 ** shift;
    if (byte < 128) return { value, next: at + 1 };
  }
  // Longer ones are negative numbers, which pieces have none of; they are skipped.
  while ((message[at] ?? 0) >= 128) at += 1;
  return { value, next: at + 1 };
}
