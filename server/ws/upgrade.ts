/** From HTTP to a voice socket: the token is spent before the upgrade, refusals are HTTP answers. */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { ServiceError } from '../../shared/errors.ts';
import { MAX_FRAME_BYTES } from '../../shared/protocol/codec.ts';
import { VOICE_CONNECT_PATH } from '../../shared/schemas/voice-session.ts';
import { answerRaw } from '../http/raw-answer.ts';
import { newTraceId } from '../http/trace-id.ts';
import type { Logger } from '../process/log.ts';
import type { VoiceSessions } from '../services/voice-sessions.ts';
import { serveConnection, type ConnectionLimits } from './connection.ts';
import { VoiceSocket } from './socket.ts';

export interface UpgradeOptions {
  server: Server;
  voiceSessions: VoiceSessions;
  limits: ConnectionLimits;
  log: Logger;
}

/** Answers the server's WebSocket upgrades. */
export function acceptVoiceSockets({ server, voiceSessions, limits, log }: UpgradeOptions): void {
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_FRAME_BYTES,
    // Costs three to five times the CPU and saves little: audio does not compress.
    perMessageDeflate: false,
    WebSocket: VoiceSocket,
  });

  async function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    const session = await voiceSessions.claim(tokenOf(request));
    // Whatever becomes of the handshake, the session ends with its connection.
    socket.once('close', () => session.release());
    if (socket.destroyed) {
      session.release();
      return;
    }
    sockets.handleUpgrade(request, socket, head, (webSocket) => {
      serveConnection({ socket: webSocket, session, limits, log });
    });
  }

  sockets.on('headers', (headers) => headers.push(`X-Trace-ID: ${newTraceId()}`));
  server.on('upgrade', (request, socket, head) => {
    // A client may vanish at any moment, before the library listens for that.
    socket.on('error', () => socket.destroy());
    upgrade(request, socket, head).catch((error: unknown) => {
      answerRaw(socket, error);
      if (!(error instanceof ServiceError)) log.error({ err: error }, 'upgrade failed');
    });
  });
}

/** @throws ServiceError not_found, invalid_request */
function tokenOf({ url = '/', headers, method }: IncomingMessage): string {
  const address = `http://localhost${url}`;
  if (!URL.canParse(address))
    throw new ServiceError('invalid_request', 'The address is malformed.');
  const { pathname, searchParams } = new URL(address);
  if (pathname !== VOICE_CONNECT_PATH) {
    throw new ServiceError('not_found', `Not found. Sockets are opened at ${VOICE_CONNECT_PATH}.`);
  }
  // What cannot become a socket must not cost the token.
  const key = headers['sec-websocket-key'] ?? '';
  const isHandshake =
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    /^[+/0-9A-Za-z]{22}==$/.test(key) &&
    headers['sec-websocket-version'] === '13';
  if (!isHandshake) {
    throw new ServiceError('invalid_request', 'This is not a WebSocket handshake (RFC 6455).');
  }
  const token = searchParams.get('token') ?? '';
  if (token === '') {
    throw new ServiceError(
      'invalid_request',
      `The token is missing: open ${VOICE_CONNECT_PATH}?token=…`,
    );
  }
  return token;
}
