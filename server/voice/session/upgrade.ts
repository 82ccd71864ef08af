/** From HTTP to a voice socket: the token is spent before the upgrade, refusals are HTTP answers. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../shared/errors.ts';
import { MAX_FRAME_BYTES } from '../../../shared/protocol/codec.ts';
import { VOICE_CONNECT_PATH } from '../../../shared/schemas/voice-session.ts';
import {
  checkHandshake,
  createSocketServer,
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
  const sockets = createSocketServer(VoiceSocket, { maxPayload: MAX_FRAME_BYTES });

  async function open(upgrade: SocketUpgrade): Promise<void> {
    const { request, url, socket, traceId } = upgrade;
    // What cannot become a socket must not cost the token.
    checkHandshake(request);
    const page = pageOf(request, trustProxy);
    const session = await voiceSessions.connect(tokenOf(url), page).catch((error: unknown) => {
      if (!(error instanceof ForeignPage)) throw error;
      sockets.accept(upgrade, (webSocket) => refuse(webSocket, error));
    });
    if (session === undefined) return;
    const release = () => session.release(false);
    // Until the handshake is done, nobody else sees the connection end.
    socket.once('close', release);
    if (socket.destroyed) {
      release();
      return;
    }
    sockets.accept(upgrade, (webSocket) => {
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
