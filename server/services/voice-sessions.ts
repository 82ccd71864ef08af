/** Voice sessions from request to end: who may connect, what runs, and how all of it stops. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
import type { AudioFormat } from '../../shared/media-type.ts';
import type { MessageFormat, ServerMessage } from '../../shared/protocol/messages.ts';
import type { VoiceSessionRequest } from '../../shared/schemas/voice-session.ts';
import type { Logger } from '../process/log.ts';
import type { SessionTokens } from '../storage/ports.ts';
import type { AudioDecoders } from '../voice/decode.ts';
import { voicePipeline } from '../voice/pipeline.ts';
import type { TranslateText } from '../voice/translate.ts';
import { createLiveSessions, type LiveSession, type LiveSessions } from './live-sessions.ts';
import { checkVoiceRequest, type VoiceCapabilities } from './voice-session-request.ts';

export interface VoiceSessionsOptions extends Omit<VoiceCapabilities, 'contentTypes'> {
  tokens: SessionTokens;
  decoders: AudioDecoders;
  log: Logger;
  maxSessions: number;
  tokenTtlMs: number;
}

export interface VoiceSessions {
  /** @throws ServiceError invalid_request, too_many_sessions, engine_unavailable, stopping */
  open(request: VoiceSessionRequest): Promise<{ session_id: string; token: string }>;
  /**
   * Spends a token: the session is the caller's, who must release it.
   *
   * @throws ServiceError token_refused, stopping
   */
  claim(token: string): Promise<ClaimedSession>;
  /** Sessions connected or expected. */
  readonly count: number;
  readonly isStopping: boolean;
  /** Takes no new sessions, lets running ones conclude, and after `graceMs` ends what still runs. */
  stop(graceMs: number): Promise<void>;
}

/** A session whose token has been spent. */
export interface ClaimedSession {
  readonly id: string;
  readonly format: AudioFormat;
  readonly messageFormat: MessageFormat;
  /** Aborted, with a ServiceError as reason, when the session must end at once. */
  readonly ended: AbortSignal;
  /** Aborted when the server is stopping: the session should conclude what it has heard. */
  readonly stopping: AbortSignal;
  /** Runs the voice path; see {@link voicePipeline}. */
  run(
    media: AsyncIterable<Uint8Array>,
    meter: (durationMs: number) => void,
  ): AsyncIterable<ServerMessage>;
  /** Ends the session: its engines are let go and none of its tokens works again. */
  release(): void;
}

export function createVoiceSessions(options: VoiceSessionsOptions): VoiceSessions {
  const { tokens, decoders, recognisers, translation, log, maxSessions, tokenTtlMs } = options;
  const capabilities = { recognisers, translation, contentTypes: decoders.contentTypes };
  const live = createLiveSessions(tokens);
  let isStopping = false;

  return {
    get count() {
      return live.count;
    },
    get isStopping() {
      return isStopping;
    },
    async open(body) {
      if (isStopping) throw stopping();
      const request = checkVoiceRequest(body, capabilities);
      if (live.count >= maxSessions) {
        throw new ServiceError(
          'too_many_sessions',
          'All voice sessions are taken. Try again later.',
        );
      }
      const { id } = live.add(randomUUID(), request, tokenTtlMs);
      const token = await tokens.issue(id, tokenTtlMs);
      for (const { tag } of request.targets) {
        translation.prepare({ source: request.source.tag, target: tag });
      }
      return { session_id: id, token };
    },
    async claim(token) {
      if (isStopping) throw stopping();
      const spending = await tokens.spend(token);
      if (spending.outcome === 'reused') {
        const { sessionId } = spending;
        await tokens.revoke(sessionId);
        live.end(sessionId, new ServiceError('token_reused', REUSED));
        log.warn({ sessionId }, 'session token used twice: session ended');
      }
      const session = spending.outcome === 'spent' ? live.claim(spending.sessionId) : undefined;
      if (session === undefined) throw new ServiceError('token_refused', REFUSED);
      return claimed(session, live, options);
    },
    async stop(graceMs) {
      isStopping = true;
      await live.drain(graceMs, stopping);
    },
  };
}

function claimed(
  { id, request, end, stop }: LiveSession,
  live: LiveSessions,
  { decoders, translation }: VoiceSessionsOptions,
): ClaimedSession {
  const { format, messageFormat, source, targets, recogniser } = request;
  const translateText: TranslateText = async (text, route) =>
    (await translation.translate([text], route))[0] ?? '';
  const signal = end.signal;
  return {
    id,
    format,
    messageFormat,
    ended: signal,
    stopping: stop.signal,
    run: (media, meter) =>
      voicePipeline({
        ...{ media, format, meter, source, targets, signal },
        ...{ decoders, recogniser, translateText },
      }),
    release: () => live.release(id),
  };
}

const REFUSED = 'The token is unknown, expired or already used. Request a new session.';
const REUSED = 'The token of this session was used a second time, so the session has been ended.';

function stopping(): ServiceError {
  return new ServiceError('stopping', 'The server is stopping. Try again in a moment.');
}
