/** Reads `multipart/form-data` as it arrives: fields are small, the file is passed on in pieces. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';

const LIMITS = { fields: 100, fieldSize: 16 * 1024, files: 1, parts: 101, headerSize: 16 * 1024 };

export interface FilePart {
  /** As the client names it; empty when it does not. */
  fileName: string;
  content: Readable;
}

export type FormFields = Record<string, string | string[]>;

/** Makes the routes of a scope take multipart bodies; what they get is the unread stream. */
export function useMultipart(scope: FastifyInstance): void {
  scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
    done(null, payload);
  });
}

/**
 * Reads a whole body.
 *
 * @param receiveFile called for the file part named `file` with the fields before it, and awaited;
 *   other files are skipped
 * @returns the fields, repeated ones as lists
 * @throws ServiceError invalid_request for what is no multipart body; what `receiveFile` throws. The
 *   rest of the body is not kept then.
 */
export async function readMultipart(
  body: Readable,
  headers: IncomingHttpHeaders,
  receiveFile: (file: FilePart, earlier: FormFields) => Promise<void>,
): Promise<FormFields> {
  const fields = new Map<string, string | string[]>();
  const reader = openReader(headers);
  let receiving: Promise<void> = Promise.resolve();
  let file: Readable | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      body.once('aborted', () => reject(malformed()));
      body.once('error', () => reject(malformed()));
      reader.on('field', (name, value, isNameCut, isCut) => {
        if (isCut || isNameCut) reject(invalid(`The field '${name}' is too long.`));
        const earlier = fields.get(name);
        fields.set(name, earlier === undefined ? value : [earlier, value].flat());
      });
      reader.on('file', (name, stream, fileName: string | undefined) => {
        if (name !== 'file') return void stream.resume();
        stream.once('error', () => reject(malformed()));
        file = stream;
        receiving = receiveFile(
          { fileName: fileName ?? '', content: stream },
          Object.fromEntries(fields),
        );
        receiving.catch(reject);
      });
      reader.once('filesLimit', () => reject(invalid("Send one part 'file'.")));
      reader.once('fieldsLimit', () => reject(invalid('There are too many fields.')));
      reader.once('partsLimit', () => reject(invalid('There are too many parts.')));
      reader.once('error', () => reject(malformed()));
      reader.once('finish', resolve);
      body.pipe(reader);
    });
    await receiving;
    return Object.fromEntries(fields);
  } finally {
    body.unpipe(reader);
    reader.destroy();
    // Else whoever receives it would wait, or take what there is for the whole.
    if (file?.readableEnded === false) file.destroy(malformed());
    // Thrown away, so that the client has done with it and reads the answer.
    body.resume();
  }
}

function openReader(headers: IncomingHttpHeaders) {
  try {
    // Browsers and programs write names of files in UTF-8.
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS, defCharset: 'utf8' });
  } catch {
    throw malformed();
  }
}

function malformed(): ServiceError {
  return invalid('The body is not valid multipart/form-data, or it is cut short.');
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
