/**
 * Helpers for reading requests: reporting tags, the base URL, aborts when the client disconnects,
 * multipart uploads, and the minimum pace of uploads.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError, invalid } from '../../shared/errors.ts';
import { answerRaw } from './upgrades.ts';

export { readForm, useJsonBodies } from './forms.ts';

/** Visible ASCII: no white space, no control characters. */
const TAG = /^[!-~]{1,100}$/;

/**
 * Returns the custom reporting tag of a request, under either of its header names, or null.
 *
 * @throws ServiceError invalid_request for an invalid tag
 */
export function reportingTag({ headers }: FastifyRequest): string | null {
  const header = headers['x-service-reporting-tag'] ?? headers['x-deepl-reporting-tag'];
  // A repeated header is invalid: the joining blank makes the tag fail validation.
  return parseReportingTag(Array.isArray(header) ? header.join(', ') : header);
}

/**
 * Returns a tag as it is stored, trimmed and in lower case, or null for an empty one.
 *
 * @throws ServiceError invalid_request for an invalid tag
 */
function parseReportingTag(text: string | undefined): string | null {
  const tag = text?.trim().toLowerCase() ?? '';
  if (tag === '') return null;
  if (TAG.test(tag)) return tag;
  throw new ServiceError(
    'invalid_request',
    'The reporting tag is not valid: at most 100 ASCII characters, without white space or control characters.',
  );
}

/**
 * Returns the address under which clients reach the server, without a trailing slash: the public
 * address when one is set, else the address of the request (from the headers of a trusted proxy, if
 * any).
 *
 * @throws ServiceError invalid_request without a usable host
 */
export function baseUrl(
  request: Pick<FastifyRequest, 'protocol' | 'host'>,
  publicUrl: string | undefined,
): string {
  const base = publicUrl?.replace(/\/$/, '') ?? `${request.protocol}://${request.host}`;
  if (URL.canParse(base)) return base;
  throw new ServiceError('invalid_request', 'The Host header is malformed.');
}

/**
 * Returns a key for the network of an address: the IPv4 address, or the first 64 bits of an IPv6
 * address, because a subscriber chooses the remaining bits freely.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined || !isIPv6(address)) return mapped ?? address;
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').toLowerCase().split('::');
  const front = head === '' ? [] : head.split(':');
  const back = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? 0 : Math.max(0, 8 - front.length - back.length);
  const groups = [...front, ...Array<string>(zeros).fill('0'), ...back];
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ''))
    .join(':');
}

/** Returns a controller that aborts when the client disconnects before the whole answer has been sent. */
export function abortWhenGone({ raw }: FastifyReply): AbortController {
  const abort = new AbortController();
  if (raw.destroyed) abort.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort();
  });
  return abort;
}

// Multipart form data, read as a stream: fields are small, and the file is passed on in chunks.

const LIMITS = { fields: 100, fieldSize: 16 * 1024, files: 1, parts: 101, headerSize: 16 * 1024 };

export interface FilePart {
  /** File name given by the client; empty without one. */
  fileName: string;
  content: Readable;
}

export type FormFields = Record<string, string | string[]>;

/** Makes the routes of a scope accept multipart bodies; they receive the unread stream. */
export function useMultipart(scope: FastifyInstance): void {
  scope.addContentTypeParser('multipart/form-data', (_request, payload, done) => {
    done(null, payload);
  });
}

/**
 * Reads a whole multipart body.
 *
 * @param receiveFile called with the part named `file` and the fields before it, and awaited; other
 *   files are skipped
 * @returns the fields, repeated ones as lists
 * @throws ServiceError invalid_request for a malformed body, or the error of `receiveFile`; the
 *   rest of the body is then discarded
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
    // Without an error, the receiver would wait forever or take the partial file for the whole.
    if (file?.readableEnded === false) file.destroy(malformed());
    // The rest is discarded, so that the client finishes sending and reads the answer.
    body.resume();
  }
}

function openReader(headers: IncomingHttpHeaders) {
  try {
    // Browsers and programs encode file names in UTF-8.
    return new Busboy({ headers: headers as BusboyHeaders, limits: LIMITS, defCharset: 'utf8' });
  } catch {
    throw malformed();
  }
}

function malformed(): ServiceError {
  return invalid('The body is not valid multipart/form-data, or it is cut short.');
}

// Upload pace: every body has a minimum pace, watched on its connection; files have a higher one.

interface UploadPace {
  /** Time that an upload may wait for data in total, in ms. */
  graceMs: number;
  /** Number of bytes that earn back one second of waiting. */
  bytesPerSecond: number;
}

/** The minimum pace of all request bodies. Faster data refills the grace period. */
interface BodyPace extends UploadPace {
  /** Interval between checks, in ms. */
  periodMs: number;
}

const BODY_PACE: BodyPace = {
  graceMs: 60_000,
  // A tenth of the rate of a phone with hardly any reception.
  bytesPerSecond: 2 * 1024,
  periodMs: 2_000,
};

/** A body that is still arriving. */
interface Upload {
  request: FastifyRequest;
  reply: FastifyReply;
  lookedAtMs: number;
  /** Bytes read on the connection at the last check. */
  bytesRead: number;
  leftMs: number;
}

/**
 * Answers 408 to uploads that are too slow and closes their connections. Otherwise thousands of
 * stalled uploads would cost their senders nothing and occupy a connection each.
 */
export function useUploadPace(app: FastifyInstance, pace: BodyPace = BODY_PACE): void {
  const uploads = new Set<Upload>();
  const timer = setInterval(() => {
    for (const upload of uploads) {
      const hasCome = upload.request.raw.complete;
      if (!hasCome && !isTooSlow(upload, pace)) continue;
      uploads.delete(upload);
      if (!hasCome) end(upload);
    }
  }, pace.periodMs);
  timer.unref();
  app.addHook('onClose', async () => clearInterval(timer));
  app.addHook('onRequest', async (request, reply) => {
    const { raw } = request;
    const { 'content-length': length = '0', 'transfer-encoding': encoding } = raw.headers;
    if (length === '0' && encoding === undefined) return;
    const upload = {
      request,
      reply,
      lookedAtMs: performance.now(),
      leftMs: pace.graceMs,
      bytesRead: raw.socket.bytesRead,
    };
    uploads.add(upload);
    raw.once('close', () => uploads.delete(upload));
  });
}

/**
 * Updates an upload and returns whether its grace is used up. Time while received data is still
 * unread is not counted: then the server is the slower side.
 */
function isTooSlow(upload: Upload, { graceMs, bytesPerSecond }: UploadPace): boolean {
  const { raw } = upload.request;
  const nowMs = performance.now();
  const waitedMs = raw.readableLength > 0 ? 0 : nowMs - upload.lookedAtMs;
  const earnedMs = ((raw.socket.bytesRead - upload.bytesRead) / bytesPerSecond) * 1000;
  upload.lookedAtMs = nowMs;
  upload.bytesRead = raw.socket.bytesRead;
  upload.leftMs = Math.min(graceMs, upload.leftMs - waitedMs + earnedMs);
  return upload.leftMs <= 0;
}

function end({ request, reply }: Upload): void {
  const { socket } = request.raw;
  // An answer was already sent before the body had arrived, so none can follow.
  if (reply.raw.headersSent) socket.destroy();
  else answerRaw(socket, tooSlow(), request.id);
}

/** The minimum pace of a file, so that no slow upload holds a place that others wait for. */
export interface FilePace extends UploadPace {
  /** Longest pause between two chunks, in ms. */
  idleLimitMs: number;
}

const FILE_PACE: FilePace = {
  idleLimitMs: 60_000,
  graceMs: 60_000,
  // Half a megabit per second: on any usable line, a large file takes minutes.
  bytesPerSecond: 64 * 1024,
};

/**
 * Yields the chunks of a body while they keep arriving. Only the time spent waiting for data
 * counts, not the time the consumer spends on it.
 *
 * @throws ServiceError request_timeout for an upload that stalls or is too slow
 */
export async function* receivedFile(
  body: Readable,
  { idleLimitMs, graceMs, bytesPerSecond }: FilePace = FILE_PACE,
): AsyncGenerator<Uint8Array> {
  // The connection stays open: it is needed for the answer if the file is rejected.
  const pieces = body.iterator({ destroyOnReturn: false });
  let leftMs = graceMs;
  for (;;) {
    const startedAtMs = performance.now();
    const waiting = pieces.next() as Promise<IteratorResult<Uint8Array, undefined>>;
    const next = await within(Math.min(idleLimitMs, leftMs), waiting);
    if (next.done === true) return;
    leftMs += (next.value.length / bytesPerSecond) * 1_000 - (performance.now() - startedAtMs);
    yield next.value;
  }
}

async function within<Result>(limitMs: number, waiting: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(tooSlow()), Math.max(0, limitMs));
  });
  try {
    return await Promise.race([waiting, late]);
  } finally {
    clearTimeout(timer);
  }
}

function tooSlow(): ServiceError {
  return new ServiceError(
    'request_timeout',
    'The upload has come to a stop, or is too slow. Please try again.',
  );
}
