/** Streams of a PDF file: unpacked, and packed again. */
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

/** Content streams are some hundred kilobytes; what unpacks to more than this is a bomb. */
const MAX_CONTENT_BYTES = 128 * 1024 * 1024;

const newLine = Uint8Array.of(10);

/**
 * The bytes of a stream, unpacked.
 *
 * @throws DocumentError for one that is damaged or far too large
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

/** Node's code for more than `maxOutputLength` is `ERR_BUFFER_TOO_LARGE`, a `RangeError`. */
function tooLarge(cause: unknown): DocumentError {
  return new DocumentError(
    'A page of the PDF file is too large to be read: its drawing unpacks to more than 128 MB. Send the file without this page.',
    { cause },
  );
}

/** Files are often cut a few bytes short of the checksum: what is there counts. */
function inflate(packed: Uint8Array): Uint8Array {
  return inflateSync(packed, {
    maxOutputLength: MAX_CONTENT_BYTES,
    finishFlush: 2,
  });
}

/** All of a page's content streams as one. */
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

/** A new stream of bytes, packed; the dictionary gets its length and filter. */
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
