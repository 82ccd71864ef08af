/** `dragoman/client` for browsers: live captions for a page's own code. */
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

/** Options of a page. It must never contain an API key, so its sessions come from a token provider. */
export type PageConnectOptions = VoiceSessionOptions & {
  /** Address of the site's own token endpoint, or a function that requests sessions. */
  tokenProvider: string | TokenProvider;
};

/**
 * Starts a session. It connects by itself, and reconnects after every drop without losing anything.
 *
 * @throws TypeError where there is no WebSocket and none was passed
 */
export function connectVoice({ tokenProvider, ...options }: PageConnectOptions): VoiceSession {
  const provideToken =
    typeof tokenProvider === 'string' ? tokenEndpoint(tokenProvider) : tokenProvider;
  return new VoiceSession({ ...options, provideToken });
}
