/** The text of a file as its bytes come: UTF-8, UTF-16, or what an XML declaration says (XML 1.0, appendix F). */
import { TextDecoder } from 'node:util';
import { badFile } from './memory-unit.ts';

/** An XML declaration is within as many bytes. */
const HEAD_BYTES = 256;
const DECLARED = /^<\?xml\s[^>]{0,200}?encoding\s*=\s*["']([A-Za-z][\w.-]{0,40})["']/;

/**
 * Decodes a file; a byte order mark is left out.
 *
 * @throws ServiceError invalid_request for an unknown encoding, and for bytes that are none of it
 */
export async function* decodedFile(file: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let head = Buffer.alloc(0);
  let decoder: TextDecoder | undefined;
  for await (const bytes of file) {
    let next = bytes;
    if (decoder === undefined) {
      head = Buffer.concat([head, bytes]);
      if (head.length < HEAD_BYTES) continue;
      decoder = decoderFor(head);
      next = head;
    }
    yield strictly(decoder, next);
  }
  decoder ??= decoderFor(head);
  if (head.length < HEAD_BYTES) yield strictly(decoder, head);
  yield strictly(decoder);
}

/** @param bytes undefined when nothing follows: a sign may be incomplete */
function strictly(decoder: TextDecoder, bytes?: Uint8Array): string {
  try {
    return bytes === undefined ? decoder.decode() : decoder.decode(bytes, { stream: true });
  } catch (cause) {
    throw badFile(
      'The file has bytes that its encoding does not know: save it as UTF-8.',
      undefined,
      cause,
    );
  }
}

function decoderFor(head: Buffer): TextDecoder {
  try {
    return new TextDecoder(encodingOf(head), { fatal: true });
  } catch (cause) {
    throw badFile(
      'The encoding that the file declares is not known: save it as UTF-8.',
      undefined,
      cause,
    );
  }
}

function encodingOf(head: Buffer): string {
  const [first = 0, second = 0] = head;
  // With its byte order mark, or without it and a `<` or a letter first.
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0 && head.length > 1)) {
    return 'utf-16le';
  }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0)) return 'utf-16be';
  const declared = DECLARED.exec(head.toString('latin1', 0, HEAD_BYTES))?.[1]?.toLowerCase();
  // One byte a letter was enough to read the declaration: UTF-16 it is not, whatever it says.
  return declared === undefined || declared.startsWith('utf') ? 'utf-8' : declared;
}
