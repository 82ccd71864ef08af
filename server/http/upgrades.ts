/** Connections that Node or Fastify would end otherwise: upgrades, taken and not, what is no HTTP, and refused bodies. */
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

/** Sockets of one kind, and how they are opened. */
export interface SocketKind {
  /** Where they are, for people: `/v3/voice/realtime/connect`. */
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
 * Answers a server's upgrades.
 *
 * @returns `closeAll` gives those that are being closed a moment, as a client whose answer to a close frame comes too
 * late does not learn why, and then cuts connections that are still open: for the end of a stop
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
    // A client may vanish at any moment, before the library listens for that.
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

/** What makes sockets of one kind from upgrades. */
export interface SocketServer<Socket> {
  accept(upgrade: SocketUpgrade, serve: (socket: Socket) => void): void;
}

/**
 * Makes sockets of a class, each answered with its trace id. Never compressed: audio does not get smaller,
 * captions are one frame for all who read, and it costs three to five times the processor.
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

/** Sees to it that an upgrade can become a socket, before anything is spent on it. @throws ServiceError invalid_request */
export function checkHandshake({ method, headers }: IncomingMessage): void {
  const isHandshake =
    method === 'GET' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    TOKEN_LIST.test(headers['sec-websocket-protocol'] ?? 'none');
  if (!isHandshake) throw notAHandshake();
}

/** What is answered to an upgrade that cannot become a socket. */
function notAHandshake(): ServiceError {
  return new ServiceError('invalid_request', 'This is not a WebSocket handshake (RFC 6455).');
}

/** Whether an upgrade is one to a WebSocket. */
function isWebSocketUpgrade({ headers }: IncomingMessage): boolean {
  return headers.upgrade?.toLowerCase() === 'websocket';
}

/**
 * Answers a request that offers an upgrade we do not take, such as `Upgrade: h2c`, as the plain request
 * that it is (RFC 9110 §7.8); the connection ends with the answer. Node hands every upgrade to the one
 * listener there is and takes the request for one without a body, so the rest of it is read here.
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
  // Also with bytes that nobody has read yet: whoever works on the request works for nobody.
  socket.once('close', () => {
    request.destroy(response.writableFinished ? undefined : connectionReset());
  });
  server.emit('request', request, response);
}

/** A request whose body we push ourselves, and only as fast as it is read. */
class PlainRequest extends IncomingMessage {
  override _read(): void {
    this.socket.resume();
  }
}

/** Hands the body over as it comes. @returns stops doing so: nobody wants the rest */
function readBody(request: PlainRequest, socket: Socket, head: Buffer): () => void {
  let missing = Number(request.headers['content-length'] ?? 0);
  const take = (bytes: Buffer) => {
    const part = bytes.subarray(0, missing);
    missing -= part.length;
    if (part.length > 0 && !request.push(part)) socket.pause();
    if (missing > 0) return;
    stop();
    request.complete = true;
    request.push(null);
  };
  const stop = () => {
    socket.off('data', take);
    // What comes after it is thrown away; unread, it would hide that the client is gone.
    socket.resume();
  };
  socket.on('data', take);
  // Half a connection is none, as for every other request.
  socket.once('end', () => (request.complete ? socket.end() : socket.destroy()));
  take(head);
  return stop;
}

/** What Node says of a request whose client is gone. */
function connectionReset(): Error {
  return Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
}

/** Refused connections have this long to read the answer and to close. */
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

/** Writes a failure as a whole HTTP answer to a bare connection, which ends with it. */
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

/** Gives a client that has been answered a moment to read that and to close; then the connection is cut. */
function lingerUntilClosed(socket: Duplex, limitMs = LINGER_MS): void {
  // What still arrives is thrown away: unread, it would keep the connection from ever closing.
  socket.resume();
  socket.once('end', () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(), limitMs);
  socket.once('close', () => clearTimeout(timer));
}

/** Clients that send a body to its end before they read the answer have this long for it. */
const BODY_LINGER_MS = 30_000;

/**
 * Lets a client read why its request was refused before all of it had come, where the connection ends with
 * the answer: Node would cut it at once, and what still arrives then takes the answer away.
 */
export function lingerOverBody({ raw: request }: Pick<FastifyRequest, 'raw'>): void {
  if (request.complete) return;
  const { socket } = request;
  // What Node calls when the answer has been written.
  socket.destroySoon = () => {
    socket.end();
    request.resume();
    lingerUntilClosed(socket, BODY_LINGER_MS);
  };
}

const ID_BYTES = 16;
/** Random bytes for many ids at once: each call for some costs more than they do. */
const pool = Buffer.alloc(ID_BYTES * 256);
let used = pool.length;

/** A new `X-Trace-ID`: 32 hexadecimal digits. */
export function newTraceId(): string {
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += ID_BYTES;
  return pool.toString('hex', used - ID_BYTES, used);
}

/** What every answer says to browsers, so that no page can make more of it than it is. */
const headers = {
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  // Answers for programs are no pages: a browser that shows one runs and loads nothing.
  'Content-Security-Policy': "default-src 'none'; frame-ancestors 'none'",
  'Cross-Origin-Resource-Policy': 'same-origin',
};
/** Half a year; said only where HTTPS is spoken, by us or by a trusted proxy. */
const secureHeaders = { ...headers, 'Strict-Transport-Security': 'max-age=15552000' };

/** The headers of an answer, by their names. */
export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return isHttps ? secureHeaders : headers;
}

/** Adds the headers; routes that send pages replace what they need otherwise. */
export function addSecurityHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.header('X-Trace-ID', request.id);
  reply.headers(securityHeaders(request.protocol === 'https'));
}
