/** From HTTP to a voice socket: the token is spent before the upgrade, refusals are HTTP answers. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ServiceError, toServiceError } from '../../../shared/errors.ts';
import { MAX_FRAME_BYTES } from '../../../shared/protocol/codec.ts';
import { VOICE_CONNECT_PATH } from '../../../shared/schemas/voice-session.ts';
import { isWebSocketUpgrade, serveAsRequest, answerRaw, newTraceId } from '../../http/upgrades.ts';
import type { PageOrigin } from '../../http/door.ts';
import { ForeignPage, type VoiceSessions } from './voice-sessions.ts';
import { refuse, serveConnection, VoiceSocket, type ConnectionLimits } from './connection.ts';
import type { ParentLogger } from '../../process/log.ts';

export interface UpgradeOptions {
  server: Server;
  voiceSessions: VoiceSessions;
  limits: ConnectionLimits;
  log: ParentLogger;
  /** Whether a proxy in front says under which host it was called. */
  trustProxy: boolean;
}

export interface VoiceSockets {
  /** Cuts connections that are still open, for the end of a stop. */
  destroyAll(): void;
}

/** Answers the server's upgrades. */
export function acceptVoiceSockets(options: UpgradeOptions): VoiceSockets {
  const { server, voiceSessions, limits, log, trustProxy } = options;
  const traceIds = new WeakMap<IncomingMessage, string>();
  const open = new Set<Duplex>();
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    // Costs three to five times the CPU and saves little: audio does not compress.
    perMessageDeflate: false,
    WebSocket: VoiceSocket,
  });
  sockets.on('headers', (headers, request) => {
    headers.push(`X-Trace-ID: ${traceIds.get(request) ?? newTraceId()}`);
  });
  sockets.on('wsClientError', (_error, socket, request) => {
    answerRaw(socket, notAHandshake(), traceIds.get(request) ?? newTraceId());
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, traceId: string) {
    const page = pageOf(request, trustProxy);
    const session = await voiceSessions.connect(tokenOf(request), page).catch((error: unknown) => {
      if (!(error instanceof ForeignPage)) throw error;
      traceIds.set(request, traceId);
      sockets.handleUpgrade(request, socket, head, (webSocket) => refuse(webSocket, error));
    });
    if (session === undefined) return;
    const release = () => session.release(false);
    // Until the handshake is done, nobody else sees the connection end.
    socket.once('close', release);
    if (socket.destroyed) {
      release();
      return;
    }
    traceIds.set(request, traceId);
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      socket.off('close', release);
      serveConnection({ socket: webSocket, session, limits, log: log.child({ reqId: traceId }) });
    });
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
      log[code === 'internal' ? 'error' : 'info'](fields, 'voice socket refused');
      answerRaw(socket, error, traceId);
    });
  });
  return {
    destroyAll() {
      for (const socket of open) socket.destroy();
    },
  };
}

/** Where a handshake comes from: only browsers say it, and no page can make them say otherwise. */
function pageOf({ headers }: IncomingMessage, trustProxy: boolean): PageOrigin {
  const forwarded = trustProxy ? headers['x-forwarded-host'] : undefined;
  return { origin: headers.origin, host: forwarded?.toString() ?? headers.host };
}

const TOKEN_LIST = /^[\w!#$%&'*+.^`|~-]+(?:\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/** @throws ServiceError not_found, invalid_request */
function tokenOf({ url = '/', headers, method }: IncomingMessage): string {
  const address = `http://localhost${url}`;
  if (!URL.canParse(address)) {
    throw new ServiceError('invalid_request', 'The address is malformed.');
  }
  const { pathname, searchParams } = new URL(address);
  if (pathname !== VOICE_CONNECT_PATH) {
    throw new ServiceError('not_found', `Not found. Sockets are opened at ${VOICE_CONNECT_PATH}.`);
  }
  // What cannot become a socket must not cost the token.
  const isHandshake =
    method === 'GET' &&
    /^[+/0-9A-Za-z]{22}==$/.test(headers['sec-websocket-key'] ?? '') &&
    headers['sec-websocket-version'] === '13' &&
    TOKEN_LIST.test(headers['sec-websocket-protocol'] ?? 'none');
  if (!isHandshake) throw notAHandshake();
  const token = searchParams.get('token') ?? '';
  if (token === '') {
    throw new ServiceError(
      'invalid_request',
      `The token is missing: open ${VOICE_CONNECT_PATH}?token=…`,
    );
  }
  return token;
}

function notAHandshake(): ServiceError {
  return new ServiceError('invalid_request', 'This is not a WebSocket handshake (RFC 6455).');
}
