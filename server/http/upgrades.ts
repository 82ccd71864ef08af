/**
 * Raw connections that Node or Fastify would otherwise cut: accepted and ignored upgrades,
 * malformed HTTP, and refused request bodies.
 */
import { randomFillSync } from 'node:crypto';
import { IncomingMessage, type Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { TLSSocket } from 'node:tls';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type WebSocket, WebSocketServer } from 'ws';
import { ServiceError, toHttp, toServiceError } from '../../shared/errors.ts';
import { withinTime } from '../process/concurrency.ts';
import type { Logger } from '../process/log.ts';

/** A kind of WebSocket endpoint: its addresses, and how it answers upgrades. */
export interface SocketKind {
  /** Address for error messages, such as `/v3/voice/realtime/connect`. */
  address: string;
  takes: (pathname: string) => boolean;
  /** Answers one upgrade. @throws ServiceError when it is refused */
  open(upgrade: SocketUpgrade): Promise<void>;
}

export interface SocketUpgrade {
  request: IncomingMessage;
  url: URL;
  socket: Duplex;
  head: Buffer;
  traceId: string;
}

/**
 * Answers the upgrades of a server.
 *
 * @returns `closeAll`, for the end of a stop: waits up to `withinMs` for sockets to close, because
 *   a client that is cut off before its answer to a close frame arrives never learns the reason;
 *   then cuts the connections that are still open
 */
export function acceptSockets(
  server: Server,
  { kinds, log }: { kinds: readonly SocketKind[]; log: Logger },
): { closeAll(withinMs: number): Promise<void> } {
  const open = new Set<Duplex>();

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, traceId: string) {
    const address = `http://localhost${request.url ?? '/'}`;
    if (!URL.canParse(address)) {
      throw new ServiceError('invalid_request', 'The address is malformed.');
    }
    const url = new URL(address);
    const kind = kinds.find(({ takes }) => takes(url.pathname));
    if (kind === undefined) {
      const addresses = kinds.map((each) => each.address).join(' and ');
      throw new ServiceError('not_found', `Not found. Sockets are opened at ${addresses}.`);
    }
    await kind.open({ request, url, socket, head, traceId });
  }

  server.on('upgrade', (request, socket, head) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    // A client may vanish before the WebSocket library listens for errors.
    socket.on('error', () => socket.destroy());
    if (!isWebSocketUpgrade(request)) {
      serveAsRequest(server, request, socket, head);
      return;
    }
    const traceId = newTraceId();
    upgrade(request, socket, head, traceId).catch((error: unknown) => {
      const { code, cause } = toServiceError(error);
      const fields = { reqId: traceId, code, ...(cause !== undefined && { err: cause }) };
      log[code === 'internal' ? 'error' : 'info'](fields, 'socket refused');
      answerRaw(socket, error, traceId);
    });
  });
  return {
    async closeAll(withinMs) {
      const closing = [...open].map(
        (socket) => new Promise<void>((resolve) => socket.once('close', resolve)),
      );
      await withinTime(Promise.all(closing), performance.now() + withinMs);
      for (const socket of open) socket.destroy();
    },
  };
}

/** Turns upgrades into sockets of one class. */
export interface SocketServer<Socket> {
  accept(upgrade: SocketUpgrade, serve: (socket: Socket) => void): void;
}

/**
 * Makes a server for sockets of a class; each handshake is answered with its trace id. Compression
 * is off: audio does not shrink, a caption frame is shared by all its readers, and compression
 * costs three to five times the processor time.
 */
export function createSocketServer<Class extends typeof WebSocket>(
  Socket: Class,
  { maxPayload }: { maxPayload: number },
): SocketServer<InstanceType<Class>> {
  const traceIds = new WeakMap<IncomingMessage, string>();
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload,
    WebSocket: Socket,
  });
  server.on('headers', (headers, request) => {
    headers.push(`X-Trace-ID: ${traceIds.get(request) ?? newTraceId()}`);
  });
  server.on('wsClientError', (_error, socket, request) => {
    answerRaw(socket, notAHandshake(), traceIds.get(request) ?? newTraceId());
  });
  return {
    accept({ request, socket, head, traceId }, serve) {
      traceIds.set(request, traceId);
      server.handleUpgrade(request, socket, head, serve);
    },
  };
}

const TOKEN_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Checks that an upgrade is a valid WebSocket handshake, before any work is done for it.
 *
 * @throws ServiceError invalid_request
 */
export function checkHandshake({ method, headers }: IncomingMessage): void {
  const isHandshake =
    method === 'GET' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    TOKEN_LIST.test(headers['sec-websocket-protocol'] ?? 'none');
  if (!isHandshake) throw notAHandshake();
}

/** The answer to an upgrade that is no valid handshake. */
function notAHandshake(): ServiceError {
  return new ServiceError('invalid_request', 'This is not a WebSocket handshake (RFC 6455).');
}

/** Whether an upgrade asks for a WebSocket. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Serves a request with an unsupported upgrade, such as `Upgrade: h2c`, as an ordinary request (RFC
 * 9110 §7.8) and closes the connection after the answer. Node passes every upgrade to the only
 * `upgrade` listener and treats the request as one without a body, so the body is read here.
 */
export function serveAsRequest(
  server: Server,
  offer: IncomingMessage,
  socket: Duplex,
  head: Buffer,
): void {
  if (!(socket instanceof Socket)) {
    socket.destroy();
    return;
  }
  const request = new PlainRequest(socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } =
    offer;
  Object.assign(request, { method, url, headers, rawHeaders });
  Object.assign(request, { httpVersion, httpVersionMajor, httpVersionMinor });
  const response = new ServerResponse(request);
  response.shouldKeepAlive = false;
  response.assignSocket(socket);
  const stopReading = readBody(request, socket, head);
  response.once('finish', () => {
    stopReading();
    socket.end();
    lingerUntilClosed(socket);
  });
  // Destroyed even while bytes are unread: the handler of the request would otherwise keep working
  // for a client that is gone.
  socket.once('close', () => {
    request.destroy(response.writableFinished ? undefined : connectionReset());
  });
  server.emit('request', request, response);
}

/** A request whose body is pushed here, only as fast as it is read. */
class PlainRequest extends IncomingMessage {
  override _read(): void {
    this.socket.resume();
  }
}

/** Passes the body on as it arrives. @returns a function that stops this and discards the rest */
function readBody(request: PlainRequest, socket: Socket, head: Buffer): () => void {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = request.headers;
  const read = encoding === undefined ? sizedBody(Number(length)) : chunkedBody();
  const take = (bytes: Buffer) => {
    const found = read(bytes);
    if (found === 'malformed') {
      stop();
      answerRaw(socket, notHttp(), newTraceId());
      return;
    }
    for (const part of found.parts) if (!request.push(part)) socket.pause();
    if (!found.isOver) return;
    stop();
    request.complete = true;
    request.push(null);
  };
  const stop = () => {
    socket.off('data', take);
    // Later bytes are discarded; if they stayed unread, the disconnection of the client would go unnoticed.
    socket.resume();
  };
  socket.on('data', take);
  // Half-closed connections are closed, as for every other request.
  socket.once('end', () => (request.complete ? socket.end() : socket.destroy()));
  take(head);
  return stop;
}

function notHttp(): ServiceError {
  return new ServiceError('invalid_request', 'The request is not valid HTTP.');
}

/** Reads the next bytes of a connection: the parts of the body in them, and whether it ends there. */
type ReadBody = (bytes: Buffer) => { parts: Buffer[]; isOver: boolean } | 'malformed';

function sizedBody(sizeBytes: number): ReadBody {
  let missing = sizeBytes;
  return (bytes) => {
    const part = bytes.subarray(0, missing);
    missing -= part.length;
    return { parts: part.length > 0 ? [part] : [], isOver: missing === 0 };
  };
}

const CHUNK_SIZE = /^([\da-f]{1,8})[ \t]*(?:;.*)?$/i;
/** Longest line of a chunked body, and longest trailer section, in bytes. */
const MAX_LINES = 16 * 1024;

/** Reads a body in chunks (RFC 9112 §7.1). */
function chunkedBody(): ReadBody {
  /** Bytes of the current chunk that are still to come. */
  let missing = 0;
  let line = '';
  let next: 'size' | 'end of chunk' | 'trailer' = 'size';
  let trailerBytes = 0;

  /** @returns whether the line is what must follow */
  function take(text: string): boolean {
    if (next === 'trailer') return true;
    if (next === 'end of chunk') {
      next = 'size';
      return text === '';
    }
    const size = CHUNK_SIZE.exec(text)?.[1];
    missing = Number.parseInt(size ?? '0', 16);
    next = missing === 0 ? 'trailer' : 'end of chunk';
    return size !== undefined;
  }

  return (bytes) => {
    const parts: Buffer[] = [];
    for (let at = 0; at < bytes.length;) {
      if (missing > 0) {
        const part = bytes.subarray(at, at + missing);
        parts.push(part);
        missing -= part.length;
        at += part.length;
        continue;
      }
      const end = bytes.indexOf('\n', at);
      line += bytes.toString('latin1', at, end < 0 ? bytes.length : end);
      if (next === 'trailer') trailerBytes += line.length;
      if (Math.max(line.length, trailerBytes) > MAX_LINES) return 'malformed';
      if (end < 0) break;
      const text = line.replace(/\r$/, '');
      if (next === 'trailer' && text === '') return { parts, isOver: true };
      if (!take(text)) return 'malformed';
      line = '';
      at = end + 1;
    }
    return { parts, isOver: false };
  };
}

/** The error that Node reports for a request whose client disconnected. */
function connectionReset(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}

/** Time refused clients have to read the answer and close, in ms. */
const LINGER_MS = 2_000;

const reasonPhrases: Partial<Record<number, string>> = {
  400: 'Bad Request',
  403: 'Forbidden',
  404: 'Not Found',
  408: 'Request Timeout',
  413: 'Payload Too Large',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** Writes an error as a complete HTTP response to a bare connection and ends it. */
export function answerRaw(socket: Duplex, error: unknown, traceId: string): void {
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const { status, body } = toHttp(error);
  const text = JSON.stringify(body);
  const head = [
    `HTTP/1.1 ${status} ${reasonPhrases[status] ?? 'Refused'}`,
    'Connection: close',
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(text)}`,
    `X-Trace-ID: ${traceId}`,
    ...Object.entries(securityHeaders(socket instanceof TLSSocket)).map(
      ([name, value]) => `${name}: ${value}`,
    ),
    ...(status === 429 || status === 503 ? ['Retry-After: 5'] : []),
  ];
  lingerUntilClosed(socket);
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`);
}

/** Gives an answered client time to read the answer and close; then cuts the connection. */
function lingerUntilClosed(socket: Duplex, limitMs = LINGER_MS): void {
  // Incoming data is discarded; if it stayed unread, the connection would never close.
  socket.resume();
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), limitMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Time for clients that send their whole body before they read the answer, in ms. */
const BODY_LINGER_MS = 30_000;

/**
 * Lets a client read an early refusal while it is still sending its body and the connection ends
 * with the answer. Node would close at once, and data arriving after that resets the connection
 * before the answer is read.
 */
export function lingerOverBody({ raw: request }: Pick<FastifyRequest, 'raw'>): void {
  if (request.complete) return;
  const { socket } = request;
  // Node calls `destroySoon` when the answer has been written.
  socket.destroySoon = () => {
    socket.end();
    request.resume();
    lingerUntilClosed(socket, BODY_LINGER_MS);
  };
}

const ID_BYTES = 16;
/** Random bytes for many ids at once: each call to the generator costs more than the bytes. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** Returns a new `X-Trace-ID`: 32 hexadecimal digits. */
export function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}

/** Security headers of every answer. */
const headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // API answers are not pages: a browser that displays one must not run or load anything.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};
/** HSTS for half a year; sent only over HTTPS, spoken by this server or a trusted proxy. */
const secureHeaders = { ...headers, 'Strict-Transport-Security': 'max-age=15552000' };

export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? secureHeaders : headers;
}

/** Adds the security headers; routes that serve pages replace the ones they need to change. */
export function addSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Trace-ID', request.id);
  reply.headers(securityHeaders(request.protocol === 'https'));
}
