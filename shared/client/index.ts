/** `dragoman/client` in a browser: live captions for a page's own code. */
import { tokenEndpoint, type TokenProvider } from './token-provider.ts';
import { VoiceSession, type VoiceSessionOptions } from './voice-session.ts';

export type * from './events.ts';
export type { SocketClass, SocketLike } from './socket.ts';
export {
  tokenEndpoint,
  type ReconnectRequest,
  type SessionAnswer,
  type SessionRequest,
  type TokenProvider,
} from './token-provider.ts';
export { VoiceError, type VoiceErrorCode } from './voice-error.ts';
export {
  VoiceSession,
  type VoiceSessionChanges,
  type VoiceSessionOptions,
} from './voice-session.ts';

/** How a page gets its sessions: an API key must never be in it. */
export type PageConnectOptions = VoiceSessionOptions & {
  /** Address of the site's own endpoint, or a function that asks it. */
  tokenProvider: string | TokenProvider;
};

/**
 * Begins a session. It connects by itself, and again after every drop, losing nothing.
 *
 * @throws TypeError where there is no WebSocket and none was passed
 */
export function connectVoice({ tokenProvider, ...options }: PageConnectOptions): VoiceSession {
  const provideToken =
    typeof tokenProvider === 'string' ? tokenEndpoint(tokenProvider) : tokenProvider;
  return new VoiceSession({ ...options, provideToken });
}
