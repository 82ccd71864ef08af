import type { LanguageTag } from '../../shared/language.ts';
import type { MessageFormat } from '../../shared/protocol/messages.ts';
import { VoiceFailure } from '../voice-failure.ts';

/** What a session is asked for with: the body of the gateway's session request. */
export interface SessionRequest {
  source_media_content_type: string;
  message_format: MessageFormat;
  source_language?: LanguageTag;
  source_language_mode?: 'auto' | 'fixed';
  target_languages: readonly LanguageTag[];
}

/** Where to connect, with the token that opens the door once. */
export interface TokenAnswer {
  streaming_url: string;
  token: string;
  session_id: string;
}

/** Gets a token for each connection, the first and every one after a drop. */
export type TokenProvider = (request: SessionRequest, signal: AbortSignal) => Promise<TokenAnswer>;

/**
 * Asks the page's own server for a token. Only that server knows the API key.
 *
 * @returns a provider that throws VoiceFailure: unreachable, or token-refused with the server's message
 */
export function tokenEndpoint(url: string): TokenProvider {
  return async (request, signal) => {
    const response = await post(url, request, signal);
    const answer = (await response.json().catch(() => ({}))) as Partial<
      TokenAnswer & { message: string }
    >;
    const { streaming_url, token, session_id = '' } = answer;
    if (response.ok && streaming_url !== undefined && token !== undefined) {
      return { streaming_url, token, session_id };
    }
    const isPassing = response.status === 429 || response.status >= 500;
    throw new VoiceFailure('token-refused', {
      ...(typeof answer.message === 'string' ? { message: answer.message } : {}),
      retriable: isPassing,
    });
  };
}

async function post(url: string, body: unknown, signal: AbortSignal): Promise<Response> {
  try {
    return await fetch(url, {
      method: 'POST',
      credentials: 'same-origin',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      signal,
    });
  } catch (cause) {
    throw new VoiceFailure('unreachable', { retriable: true, cause });
  }
}
