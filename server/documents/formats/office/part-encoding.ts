/** The encodings of parts: UTF-8 and UTF-16 (ECMA-376 part 2, 10.1.1). */
import { TextDecoder } from 'node:util';
import { DocumentError } from '../format.ts';

export type PartEncoding = 'utf-8' | 'utf-16le' | 'utf-16be';

/** Text of a part in pieces, and how it was encoded, which is known once the first piece has come. */
export interface DecodedPart {
  readonly encoding: PartEncoding;
  readonly hasByteOrderMark: boolean;
  readonly pieces: AsyncIterable<string>;
}

const BYTE_ORDER_MARK = '\ufeff';

/**
 * Decodes a part while it is read.
 *
 * @throws DocumentError for bytes that are no text, or an encoding that Office files may not have
 */
export async function decodePart(bytes: AsyncIterable<Uint8Array>): Promise<DecodedPart> {
  const iterator = bytes[Symbol.asyncIterator]();
  const first = await iterator.next();
  const head: Uint8Array = first.done === true ? new Uint8Array(0) : first.value;
  const encoding = encodingOf(head);
  const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
  const firstText = decode(decoder, head, true);
  const hasByteOrderMark = firstText.startsWith(BYTE_ORDER_MARK);
  async function* pieces(): AsyncGenerator<string> {
    const text = hasByteOrderMark ? firstText.slice(1) : firstText;
    refuseOtherEncodings(text, encoding);
    yield text;
    for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) {
      yield decode(decoder, next.value, true);
    }
    yield decode(decoder, new Uint8Array(0), false);
  }
  return { encoding, hasByteOrderMark, pieces: pieces() };
}

/** By its byte order mark, or by the zero bytes beside the first `<` (XML 1.0 appendix F). */
function encodingOf(head: Uint8Array): PartEncoding {
  const [first, second] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0x3c && second === 0)) return 'utf-16le';
  if ((first === 0xfe && second === 0xff) || (first === 0 && second === 0x3c)) return 'utf-16be';
  return 'utf-8';
}

function refuseOtherEncodings(text: string, encoding: PartEncoding): void {
  const declared = /^<\?xml[^>]*?\sencoding\s*=\s*["']([\w.-]+)["']/.exec(text)?.[1]?.toLowerCase();
  if (declared === undefined || declared === encoding) return;
  if (declared === 'utf8' || declared === 'us-ascii') return;
  if (declared === 'utf-16' && encoding !== 'utf-8') return;
  throw undecodable();
}

function decode(decoder: TextDecoder, bytes: Uint8Array, stream: boolean): string {
  try {
    return decoder.decode(bytes, { stream });
  } catch (error) {
    throw undecodable(error);
  }
}

function undecodable(cause?: unknown): DocumentError {
  return new DocumentError(
    'A part of the file is in an encoding that Office files do not have. Save it anew and send it again.',
    { cause },
  );
}

/** Text in the encoding its part had. */
export function encodePiece(text: string, encoding: PartEncoding): Uint8Array {
  if (encoding === 'utf-8') return Buffer.from(text, 'utf8');
  const bytes = Buffer.from(text, 'utf16le');
  return encoding === 'utf-16be' ? bytes.swap16() : bytes;
}

/** What a part with a byte order mark begins with. */
export function byteOrderMark(encoding: PartEncoding): Uint8Array {
  return encodePiece(BYTE_ORDER_MARK, encoding);
}
