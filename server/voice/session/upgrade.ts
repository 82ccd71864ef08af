/** From HTTP to a voice socket: the token is spent before the upgrade, refusals are HTTP answers. */
import type { IncomingMessage } from 'node:http';
import { WebSocketServer } from 'ws';
import { ServiceError } from '../../../shared/errors.ts';
import { MAX_FRAME_BYTES } from '../../../shared/protocol/codec.ts';
import { VOICE_CONNECT_PATH } from '../../../shared/schemas/voice-session.ts';
import {
  answerRaw,
  checkHandshake,
  newTraceId,
  notAHandshake,
  type SocketKind,
  type SocketUpgrade,
} from '../../http/upgrades.ts';
import type { PageOrigin } from '../../http/door.ts';
import { ForeignPage, type VoiceSessions } from './voice-sessions.ts';
import { refuse, serveConnection, VoiceSocket, type ConnectionLimits } from './connection.ts';
import type { ParentLogger } from '../../process/log.ts';

export interface VoiceSocketOptions {
  voiceSessions: VoiceSessions;
  limits: ConnectionLimits;
  log: ParentLogger;
  /** Whether a proxy in front says under which host it was called. */
  trustProxy: boolean;
}

/** The sockets of voice sessions. */
export function voiceSockets({
  voiceSessions,
  limits,
  log,
  trustProxy,
}: VoiceSocketOptions): SocketKind {
  const traceIds = new WeakMap<IncomingMessage, string>();
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

  async function open({ request, url, socket, head, traceId }: SocketUpgrade): Promise<void> {
    // What cannot become a socket must not cost the token.
    checkHandshake(request);
    const page = pageOf(request, trustProxy);
    const session = await voiceSessions.connect(tokenOf(url), page).catch((error: unknown) => {
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

  return { address: VOICE_CONNECT_PATH, takes: (path) => path === VOICE_CONNECT_PATH, open };
}

/** Where a handshake comes from: only browsers say it, and no page can make them say otherwise. */
function pageOf({ headers }: IncomingMessage, trustProxy: boolean): PageOrigin {
  const forwarded = trustProxy ? headers['x-forwarded-host'] : undefined;
  return { origin: headers.origin, host: forwarded?.toString() ?? headers.host };
}

/** @throws ServiceError invalid_request */
function tokenOf({ searchParams }: URL): string {
  const token = searchParams.get('token') ?? '';
  if (token !== '') return token;
  throw new ServiceError(
    'invalid_request',
    `The token is missing: open ${VOICE_CONNECT_PATH}?token=…`,
  );
}
