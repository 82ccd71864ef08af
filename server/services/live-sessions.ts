/** The voice sessions of this process: those that are connected, expected, or kept for a reconnection. */
import type { ServiceError } from '../../shared/errors.ts';
import type { VoiceSession } from './voice-session.ts';

export interface LiveSessions {
  readonly count: number;
  /** Sessions of one key. */
  countOf(keyId: string): number;
  add(session: VoiceSession, keyId: string): void;
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
  const sessions = new Map<string, { session: VoiceSession; keyId: string }>();
  const counts = new Map<string, number>();
  let onEmpty: (() => void) | undefined;

  const all = (): VoiceSession[] => [...sessions.values()].map(({ session }) => session);

  return {
    get count() {
      return sessions.size;
    },
    countOf: (keyId) => counts.get(keyId) ?? 0,
    add(session, keyId) {
      sessions.set(session.id, { session, keyId });
      counts.set(keyId, (counts.get(keyId) ?? 0) + 1);
    },
    find: (id) => sessions.get(id)?.session,
    remove(id) {
      const found = sessions.get(id);
      if (found === undefined) return;
      sessions.delete(id);
      const left = (counts.get(found.keyId) ?? 1) - 1;
      if (left === 0) counts.delete(found.keyId);
      else counts.set(found.keyId, left);
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
