/** `dragoman/client` in Node: everything of the browser's, with an API key or without. */
import { WebSocket } from 'ws';
import { connectVoice as connectWithProvider, type PageConnectOptions } from './index.ts';
import type { SocketClass } from './socket.ts';
import { gatewaySessions, type Fetch } from './token-provider.ts';
import { VoiceSession, type VoiceSessionOptions } from './voice-session.ts';

export * from './index.ts';
export { gatewaySessions, type Fetch } from './token-provider.ts';

/** A server of one's own, and the key it knows the program by. */
export type ServerConnectOptions = VoiceSessionOptions & {
  /** Address such as `http://127.0.0.1:8080`. */
  server: string;
  apiKey: string;
  /** Instead of the global one, for proxies and certificates. */
  fetch?: Fetch;
};

/** Begins a session. It connects by itself, and again after every drop, losing nothing. */
export function connectVoice(options: ServerConnectOptions | PageConnectOptions): VoiceSession {
  const socket: SocketClass = options.WebSocket ?? WebSocket;
  if ('tokenProvider' in options) return connectWithProvider({ ...options, WebSocket: socket });
  const { server, apiKey, fetch, ...rest } = options;
  const provideToken = gatewaySessions({ server, apiKey, ...(fetch && { fetch }) });
  return new VoiceSession({ ...rest, WebSocket: socket, provideToken });
}
