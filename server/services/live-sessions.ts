/** The voice sessions of this process: those that are connected and those that are expected. */
import { ServiceError } from '../../shared/errors.ts';
import type { SessionTokens } from '../storage/ports.ts';
import type { CheckedVoiceRequest } from './voice-session-request.ts';

export interface LiveSession {
  readonly id: string;
  readonly request: CheckedVoiceRequest;
  /** Aborted, with a ServiceError as reason, when the session must end at once. */
  readonly end: AbortController;
  /** Aborted when the session should conclude what it has heard. */
  readonly stop: AbortController;
  isClaimed: boolean;
}

export interface LiveSessions {
  readonly count: number;
  /** Adds a session that is let go when nobody claims it in time. */
  add(id: string, request: CheckedVoiceRequest, claimWithinMs: number): LiveSession;
  /** The session of that id, now connected; undefined when it is gone. */
  claim(id: string): LiveSession | undefined;
  /** Ends a session at once: its connection, if any, is told the reason and then releases it. */
  end(id: string, reason: ServiceError): void;
  /** Forgets a session and makes its tokens worthless. */
  release(id: string): void;
  /** Lets connected sessions conclude within `graceMs`, then ends them; resolves when all are gone. */
  drain(graceMs: number, reason: () => ServiceError): Promise<void>;
}

export function createLiveSessions(tokens: SessionTokens): LiveSessions {
  const sessions = new Map<string, LiveSession & { expiry: NodeJS.Timeout }>();
  let onEmpty: (() => void) | undefined;

  function release(id: string): void {
    const session = sessions.get(id);
    if (session === undefined) return;
    sessions.delete(id);
    clearTimeout(session.expiry);
    session.end.abort(new ServiceError('internal', 'The session has ended.'));
    void tokens.revoke(id);
    if (sessions.size === 0) onEmpty?.();
  }

  function end(id: string, reason: ServiceError): void {
    const session = sessions.get(id);
    session?.end.abort(reason);
    if (session?.isClaimed === false) release(id);
  }

  return {
    get count() {
      return sessions.size;
    },
    add(id, request, claimWithinMs) {
      const expiry = setTimeout(() => release(id), claimWithinMs).unref();
      const [endController, stop] = [new AbortController(), new AbortController()];
      const session = { id, request, end: endController, stop, isClaimed: false, expiry };
      sessions.set(id, session);
      return session;
    },
    claim(id) {
      const session = sessions.get(id);
      if (session === undefined) return undefined;
      clearTimeout(session.expiry);
      session.isClaimed = true;
      return session;
    },
    end,
    release,
    async drain(graceMs, reason) {
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      for (const { id, isClaimed, stop } of [...sessions.values()]) {
        if (isClaimed) stop.abort();
        else release(id);
      }
      if (sessions.size === 0) return;
      const timer = setTimeout(() => {
        for (const id of [...sessions.keys()]) end(id, reason());
      }, graceMs);
      await empty;
      clearTimeout(timer);
    },
  };
}
