/** `dragoman/client` for Node: the browser's exports, and sessions with an API key. */
import { WebSocket } from 'ws';
import { connectVoice as connectWithProvider, type PageConnectOptions } from './index.ts';
import type { SocketClass } from './socket.ts';
import { gatewaySessions, type Fetch } from './token-provider.ts';
import { VoiceSession, type VoiceSessionOptions } from './voice-session.ts';

export * from './index.ts';
export { gatewaySessions, type Fetch } from './token-provider.ts';

/** Options for connecting directly to a server with an API key. */
export type ServerConnectOptions = VoiceSessionOptions & {
  /** Address such as `http://127.0.0.1:8080`. */
  server: string;
  apiKey: string;
  /** Replaces the global fetch, for proxies and certificates. */
  fetch?: Fetch;
};

/** Starts a session. It connects by itself, and reconnects after every drop without losing anything. */
export function connectVoice(options: ServerConnectOptions | PageConnectOptions): VoiceSession {
  const socket: SocketClass = options.WebSocket ?? WebSocket;
  if ('tokenProvider' in options) return connectWithProvider({ ...options, WebSocket: socket });
  const { server, apiKey, fetch, ...rest } = options;
  const provideToken = gatewaySessions({ server, apiKey, ...(fetch && { fetch }) });
  return new VoiceSession({ ...rest, WebSocket: socket, provideToken });
}
