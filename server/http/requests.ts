/**
 * What routes read of a request: what it is reported by, whether who asked is still there, files that
 * come with it, and how slowly all that may come.
 */
import type { IncomingHttpHeaders } from 'node:http';
import { isIPv6 } from 'node:net';
import type { Readable } from 'node:stream';
import { Busboy, type BusboyHeaders } from '@fastify/busboy';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { ServiceError } from '../../shared/errors.ts';
import { answerRaw } from './upgrades.ts';

export { readForm, useJsonBodies } from './forms.ts';

/** Visible ASCII: no white space, no control characters. */
const TAG = /^[!-~]{1,100}$/;

/**
 * The custom reporting tag of a request, under either of its header names; null without one.
 *
 * @throws ServiceError invalid_request for a tag that cannot be one
 */
export function reportingTag({ headers }: FastifyRequest): string | null {
  const header = headers['x-service-reporting-tag'] ?? headers['x-deepl-reporting-tag'];
  // Repeated, it is no single tag: the comma's blank refuses it.
  return parseReportingTag(Array.isArray(header) ? header.join(', ') : header);
}

/**
 * A tag as it is stored: trimmed, in lower case; null when there is none.
 *
 * @throws ServiceError invalid_request for a tag that cannot be one
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
 * Where clients reach the server, without a slash at its end: the public address when one is set, else
 * the address the request came to (which follows a trusted proxy's headers).
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

/** Tells networks apart: an IPv4 address, or the first 64 bits of an IPv6 address, as the rest is its owner's to choose. */
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

/** Makes what aborts when whoever asked goes away before the whole answer has been sent. */
export function abortWhenGone({ raw }: FastifyReply): AbortController {
  const abort = new AbortController();
  if (raw.destroyed) abort.abort();
  raw.once('close', () => {
    if (!raw.writableFinished) abort.abort();
  });
  return abort;
}

// `multipart/form-data`, as it arrives: fields are small, the file is passed on in pieces.

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

// How slowly bodies may come: the connection is watched for all of them, and files must come faster.

interface UploadPace {
  /** What is waited for however little comes, in ms. */
  graceMs: number;
  /** So many bytes make up for each second that is waited for. */
  bytesPerSecond: number;
}

/** How slowly the bodies of all requests may come. What comes faster fills the grace up again. */
interface BodyPace extends UploadPace {
  /** How often is looked, in ms. */
  periodMs: number;
}

const BODY_PACE: BodyPace = {
  graceMs: 60_000,
  // A tenth of what a phone has where there is hardly any reception.
  bytesPerSecond: 2 * 1024,
  periodMs: 2_000,
};

/** A body on its way. */
interface Upload {
  request: FastifyRequest;
  reply: FastifyReply;
  lookedAtMs: number;
  /** Of its connection, when it was last looked at. */
  bytesRead: number;
  leftMs: number;
}

/**
 * Has a server answer 408 to whoever is slower, and close the connection: thousands of uploads that
 * hardly move cost their senders nothing, and keep a connection each.
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

/** Looks at an upload again; what we have not made use of yet is not waited for. */
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
  // It was answered before it had come: there is nothing more to be said.
  if (reply.raw.headersSent) socket.destroy();
  else answerRaw(socket, tooSlow(), request.id);
}

/** How slowly a file may come, so that nobody keeps a place that others wait for. */
export interface FilePace extends UploadPace {
  /** Longest silence, in ms. */
  idleLimitMs: number;
}

const FILE_PACE: FilePace = {
  idleLimitMs: 60_000,
  graceMs: 60_000,
  // Half a megabit a second: a large file takes minutes on any line on which it is worth sending.
  bytesPerSecond: 64 * 1024,
};

/**
 * The bytes of a body, as long as they keep coming. Only the time in which they are waited for counts,
 * not that in which they are made use of.
 *
 * @throws ServiceError request_timeout for an upload that stops or is too slow
 */
export async function* receivedFile(
  body: Readable,
  { idleLimitMs, graceMs, bytesPerSecond }: FilePace = FILE_PACE,
): AsyncGenerator<Uint8Array> {
  // The connection is still needed for the answer when the file turns out to be none.
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
