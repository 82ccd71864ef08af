/**
 * Token providers: request sessions from the gateway itself, for programs with an API key, or from
 * a site's own endpoint.
 */
import type { MessageFormat } from '../protocol/messages.ts';
import type { VoiceReconnectedSession, VoiceSessionRequest } from '../schemas/voice-session.ts';
import { isPassingStatus, VoiceError } from './voice-error.ts';

/** The request for a session: the body of `POST /v3/voice/realtime`. */
export type SessionRequest = Readonly<VoiceSessionRequest> & {
  readonly message_format: MessageFormat;
};

/** The request to resume a dropped session: the query of `GET /v3/voice/realtime`. */
export interface ReconnectRequest {
  /** The latest token of the session, used or not. */
  readonly token: string;
  /** `sequence` of the last received message, 0 for none. */
  readonly last_sequence: number;
}

/** Where to connect, and the single-use token for it. */
export type SessionAnswer = VoiceReconnectedSession;

/**
 * Requests a session, or the same session again after its connection dropped.
 *
 * @throws VoiceError, or TypeError of fetch; a refused reconnection means that the session is gone
 */
export type TokenProvider = (
  request: SessionRequest | ReconnectRequest,
  signal: AbortSignal,
) => Promise<SessionAnswer>;

export type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Whether the request resumes a dropped session. */
export function isReconnect(
  request: SessionRequest | ReconnectRequest,
): request is ReconnectRequest {
  return 'token' in request;
}

/**
 * Requests sessions from a site's own server, which has the API key: a POST with the cookies of the
 * site.
 */
export function tokenEndpoint(url: string, { fetch = defaultFetch } = {}): TokenProvider {
  return (request, signal) =>
    ask(fetch, url, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
}

/**
 * Requests sessions from the gateway itself. Only for programs: a page must never contain an API
 * key.
 *
 * @param server address such as `http://127.0.0.1:8080`
 */
export function gatewaySessions({
  server,
  apiKey,
  fetch = defaultFetch,
}: {
  server: string;
  apiKey: string;
  fetch?: Fetch;
}): TokenProvider {
  const url = `${server.replace(/\/+$/, '')}/v3/voice/realtime`;
  const authorization = `Service-Auth-Key ${apiKey}`;
  return (request, signal) => {
    if (isReconnect(request)) {
      const { token, last_sequence } = request;
      const query = new URLSearchParams({ token, last_sequence: String(last_sequence) });
      return ask(fetch, `${url}?${query.toString()}`, { headers: { authorization }, signal });
    }
    return ask(fetch, url, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      signal,
    });
  };
}

/** Looked up on each call, because pages and tests may replace it. */
const defaultFetch: Fetch = (url, init) => globalThis.fetch(url, init);

/** Strips secrets from an address: user name, password, and a token in the query. */
function addressOf(url: string): string {
  return url.replace(/^([a-z]+:\/\/)[^/]*@/i, '$1').replace(/(\/v3\/voice\/realtime)?(\?.*)?$/, '');
}

async function ask(fetch: Fetch, url: string, init: RequestInit): Promise<SessionAnswer> {
  const response = await fetch(url, init).catch((cause: unknown) => {
    const message = `The server at ${addressOf(url)} cannot be reached.`;
    throw new VoiceError('unreachable', { message, isPassing: true, cause });
  });
  const answer = (await response.json().catch(() => ({}))) as Partial<
    SessionAnswer & { message: string }
  >;
  const { streaming_url, token, session_id = '' } = answer;
  if (response.ok && streaming_url !== undefined && token !== undefined) {
    return { ...answer, streaming_url, token, session_id };
  }
  throw new VoiceError('token-refused', {
    // Empty rather than a fixed text: the element has its own messages, in the reader's language.
    message: typeof answer.message === 'string' ? answer.message : '',
    isPassing: isPassingStatus(response.status),
    status: response.status,
  });
}
