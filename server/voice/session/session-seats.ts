/** How many sessions there may be, of all and of one key: over all servers of a cluster. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';

/** The seats of a server that died are free after this, in ms: longer than a broker may be away. */
const SEAT_MS = 60_000;
const KEEP_EVERY_MS = 15_000;

export interface SessionSeats {
  /**
   * Takes a seat for a session of a key; those of the demo page, which has none, count together.
   *
   * @throws ServiceError too_many_sessions, broker_unavailable
   */
  take(sessionId: string, keyId: string): Promise<void>;
  /** Gives it back. */
  leave(sessionId: string): void;
}

export function createSessionSeats({
  seats,
  most,
  mostOfKey,
}: {
  seats: Broker['seats'];
  most: number;
  mostOfKey: number;
}): SessionSeats {
  /** Sessions of this server, and what they count towards. */
  const held = new Map<string, string[]>();
  let keeping: NodeJS.Timeout | undefined;

  const keepAll = () => {
    for (const [member, names] of held) {
      // A broker that was away for longer than they last has them again from the next time.
      seats.keep({ names, member, ttlMs: SEAT_MS }).catch(() => undefined);
    }
  };

  return {
    async take(sessionId, keyId) {
      const ofKey = `sessions of ${keyId}`;
      const full = await seats.take({
        limits: [
          { name: ALL, most },
          { name: ofKey, most: mostOfKey },
        ],
        member: sessionId,
        ttlMs: SEAT_MS,
      });
      if (full === ALL) throw tooMany('All voice sessions are taken.');
      if (full !== undefined) throw tooMany('All voice sessions of this API key are taken.');
      held.set(sessionId, [ALL, ofKey]);
      keeping ??= setInterval(keepAll, KEEP_EVERY_MS).unref();
    },
    leave(sessionId) {
      const names = held.get(sessionId);
      held.delete(sessionId);
      if (held.size === 0) {
        clearInterval(keeping);
        keeping = undefined;
      }
      // Otherwise they run out.
      if (names !== undefined) seats.leave({ names, member: sessionId }).catch(() => undefined);
    },
  };
}

const ALL = 'sessions';

/** @param what is taken */
export function tooMany(what: string): ServiceError {
  return new ServiceError('too_many_sessions', `${what} Try again later.`);
}
