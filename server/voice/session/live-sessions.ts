/** The voice sessions of this process: those that are connected, expected, or kept for a reconnection. */
import type { ServiceError } from '../../../shared/errors.ts';
import type { RecognitionEngine } from '../../engines/engine.ts';
import type { ApiKey } from '../../http/door.ts';
import type { VoiceSession } from './voice-session.ts';

/** Whose a session is, and what was asked of it. */
export interface SessionOrigin {
  /** Undefined: the demo page's. */
  key: ApiKey | undefined;
  openedAtMs: number;
  /** As it was asked for; undefined: detected. */
  sourceLanguage: string | undefined;
  /** The one that is likeliest to hear it. */
  recogniser: RecognitionEngine | undefined;
}

/** A session with whose it is. */
export interface LiveSession {
  session: VoiceSession;
  origin: SessionOrigin;
}

export interface LiveSessions {
  readonly count: number;
  /** Sessions of one key. */
  countOf(keyId: string): number;
  add(session: VoiceSession, origin: SessionOrigin): void;
  /** Oldest first. */
  list(): LiveSession[];
  find(id: string): VoiceSession | undefined;
  /** Forgets a session that is over. */
  remove(id: string): void;
  /**
   * Lets connected sessions conclude within `graceMs`, then ends them; the others end at once.
   * Resolves when all are gone.
   */
  drain(graceMs: number, reason: () => ServiceError): Promise<void>;
}

export function createLiveSessions(): LiveSessions {
  const sessions = new Map<string, LiveSession>();
  const counts = new Map<string, number>();
  let onEmpty: (() => void) | undefined;

  const all = (): VoiceSession[] => [...sessions.values()].map(({ session }) => session);

  return {
    get count() {
      return sessions.size;
    },
    countOf: (keyId) => counts.get(keyId) ?? 0,
    add(session, origin) {
      const keyId = keyIdOf(origin);
      sessions.set(session.id, { session, origin });
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    },
    list: () => [...sessions.values()],
    find: (id) => sessions.get(id)?.session,
    remove(id) {
      const found = sessions.get(id);
      if (found === undefined) return;
      sessions.delete(id);
      const keyId = keyIdOf(found.origin);
      const left = (counts.get(keyId) ?? 1) - 1;
      if (left === 0) counts.delete(keyId);
      else counts.set(keyId, left);
      if (sessions.size === 0) onEmpty?.();
    },
    async drain(graceMs, reason) {
      const empty = new Promise<void>((resolve) => (onEmpty = resolve));
      for (const session of all()) {
        if (session.isConnected) session.conclude();
        else session.end(reason());
      }
      if (sessions.size === 0) return;
      const timer = setTimeout(() => {
        for (const session of all()) session.end(reason());
      }, graceMs);
      await empty;
      clearTimeout(timer);
    },
  };
}

/** Sessions of the demo page count together. */
function keyIdOf({ key }: SessionOrigin): string {
  return key?.keyId ?? '';
}
