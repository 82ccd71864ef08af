/** Client of `/v2/document`: the calls that translate one file. */
import { createReadStream } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Readable } from 'node:stream';
import type { DocumentHandle, DocumentStatusView } from '../../shared/schemas/documents.ts';
import { adviceFor } from './running-server.ts';

/** The server refused a request, or could not be reached. */
export class TranslateError extends Error {
  /** HTTP status; undefined when the server was not reached. */
  readonly status: number | undefined;

  constructor(message: string, { status, cause }: { status?: number; cause?: unknown } = {}) {
    super(message, { cause });
    this.name = 'TranslateError';
    this.status = status;
  }

  /** Whether all other files would fail in the same way. */
  get concernsAll(): boolean {
    return this.status === undefined || [401, 403, 456].includes(this.status);
  }
}

/** Longest time to wait after an interruption for the answer to an upload, or to the deletion, in ms. */
const FORGET_LIMIT_MS = 3_000;

/** The server has a document, and was not told to delete it. */
export function notNotified(cause: unknown): TranslateError {
  const message = 'The server could not be notified: it may continue and bill the document.';
  return new TranslateError(message, { cause });
}

export interface TranslateServer {
  url: string;
  apiKey: string;
}

export interface UploadOptions {
  file: string;
  /** Form fields besides the file. */
  fields: Readonly<Record<string, string>>;
  /** Receives the share of the file that was sent, from 0 to 1. */
  onShare: (share: number) => void;
  signal: AbortSignal;
}

/** Makes the client. Each call fails with a {@link TranslateError}, or with the signal's reason. */
export function translateService({ url, apiKey }: TranslateServer) {
  const base = url.replace(/\/+$/, '');
  const authorization = `Service-Auth-Key ${apiKey}`;

  async function call(pathname: string, init: RequestInit): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(base + pathname, {
        method: 'POST',
        ...init,
        headers: { ...(init.headers as Record<string, string>), authorization },
      });
    } catch (cause) {
      init.signal?.throwIfAborted();
      throw new TranslateError(`There is no answer from ${base}. ${adviceFor(cause)}`, { cause });
    }
    if (!response.ok) throw await refusal(response);
    return response;
  }

  const ask = (handle: DocumentHandle, what: string, signal: AbortSignal): Promise<Response> =>
    call(`/v2/document/${handle.document_id}${what}`, {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ document_key: handle.document_key }),
      signal,
    });

  return {
    async upload({ file, fields, onShare, signal }: UploadOptions): Promise<DocumentHandle> {
      const boundary = `dragoman-${randomUUID()}`;
      const { size } = await stat(file);
      let sent = 0;
      const onSent = (bytes: number) => onShare((sent = bytes) / size);
      const body = formBody({ boundary, file, fields, onSent });
      const end = endOfUpload(signal, () => sent >= size);
      try {
        const response = await call('/v2/document', {
          headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
          body: Readable.toWeb(Readable.from(body)),
          duplex: 'half',
          signal: end.signal,
        });
        return (await response.json()) as DocumentHandle;
      } finally {
        end.forget();
      }
    },

    async status(handle: DocumentHandle, signal: AbortSignal): Promise<DocumentStatusView> {
      return (await (await ask(handle, '', signal)).json()) as DocumentStatusView;
    },

    /** Deletes a document on the server, even while it is being translated. */
    async forget({ document_id, document_key }: DocumentHandle): Promise<void> {
      const query = new URLSearchParams({ document_key }).toString();
      const signal = AbortSignal.timeout(FORGET_LIMIT_MS);
      await call(`/v2/document/${document_id}?${query}`, { method: 'DELETE', signal });
    },

    /** Downloads the translated file; possible only once. */
    async result(handle: DocumentHandle, signal: AbortSignal): Promise<ReadableStream<Uint8Array>> {
      const { body } = await ask(handle, '/result', signal);
      if (body === null) throw new TranslateError('The server sent an empty file.');
      return body;
    },
  };
}

export type TranslateService = ReturnType<typeof translateService>;

/**
 * Returns a signal that ends an upload when another signal does. Once the file was sent, the server translates
 * and bills it even if nobody reads the answer, so the answer, with which it can be deleted, is awaited.
 */
function endOfUpload(signal: AbortSignal, isSent: () => boolean) {
  const end = new AbortController();
  let patience: NodeJS.Timeout | undefined;
  const stop = (): void => {
    if (!isSent()) end.abort(signal.reason);
    else patience = setTimeout(() => end.abort(notNotified(signal.reason)), FORGET_LIMIT_MS);
  };
  if (signal.aborted) stop();
  signal.addEventListener('abort', stop, { once: true });
  return {
    signal: end.signal,
    forget() {
      clearTimeout(patience);
      signal.removeEventListener('abort', stop);
    },
  };
}

/** Yields the form, the file last, so that the server has all fields before it. */
async function* formBody({
  boundary,
  file,
  fields,
  onSent,
}: {
  boundary: string;
  file: string;
  fields: Readonly<Record<string, string>>;
  onSent: (bytes: number) => void;
}): AsyncGenerator<Uint8Array> {
  const part = (disposition: string): string =>
    `--${boundary}\r\ncontent-disposition: form-data; ${disposition}\r\n`;
  let head = '';
  for (const [name, value] of Object.entries(fields)) {
    head += `${part(`name="${name}"`)}\r\n${value}\r\n`;
  }
  // Encodes the file name as browsers do (RFC 7578 §4.2 and the HTML standard).
  const name = path
    .basename(file)
    .replaceAll('"', '%22')
    .replaceAll(/[\r\n]/g, '_');
  head += `${part(`name="file"; filename="${name}"`)}content-type: application/octet-stream\r\n\r\n`;
  yield Buffer.from(head);
  let sent = 0;
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    yield chunk;
    sent += chunk.length;
    onSent(sent);
  }
  yield Buffer.from(`\r\n--${boundary}--\r\n`);
}

async function refusal(response: Response): Promise<TranslateError> {
  const { status } = response;
  const body: unknown = await response.json().catch(() => undefined);
  const said = (body as { message?: unknown } | undefined)?.message;
  const message = typeof said === 'string' && said !== '' ? said : `The server answered ${status}.`;
  return new TranslateError(message + (ADVICE[status] ?? ''), { status });
}

const ADVICE: Readonly<Record<number, string>> = {
  401: ' Pass the right key with --key.',
  403: ' Is the key the right one? Pass another with --key.',
};
