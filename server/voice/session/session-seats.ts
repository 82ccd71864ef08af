/** How many sessions there may be, of all and of one key: over all servers of a cluster. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';

/** The seats of a server that died are free after this, in ms: longer than a broker may be away. */
const SEAT_MS = 60_000;
const KEEP_EVERY_MS = 15_000;
/** Seats that are left once the broker is back; of more, the first run out by themselves. */
const MAX_UNSURE = 10_000;

export interface SessionSeats {
  /**
   * Whether this server alone has as many sessions as there may be: costs nothing to ask.
   *
   * @throws ServiceError too_many_sessions
   */
  refuseBeyondLimits(keyId: string): void;
  /**
   * Takes a seat for a session of a key; those of the demo page, which has none, count together.
   *
   * @throws ServiceError too_many_sessions, broker_unavailable
   */
  take(sessionId: string, keyId: string): Promise<void>;
  /**
   * Gives it back.
   *
   * @param keyId of a session that had its seat at another server, which is gone
   */
  leave(sessionId: string, keyId?: string): void;
  /** A session comes from another server, with its seat. */
  adopt(sessionId: string, keyId: string): void;
  /** A session goes to another server, with its seat. */
  handOver(sessionId: string): void;
}

interface SessionSeatsOptions {
  broker: Pick<Broker, 'seats' | 'onBack'>;
  most: number;
  mostOfKey: number;
}

export function createSessionSeats(options: SessionSeatsOptions): SessionSeats {
  return new SharedSeats(options);
}

class SharedSeats implements SessionSeats {
  readonly #options: SessionSeatsOptions;
  /** Sessions of this server, and what they count towards. */
  readonly #held = new Map<string, string[]>();
  /** How many of these count towards each. */
  readonly #counts = new Map<string, number>();
  /** Those that may have seats still, as there was no answer. */
  readonly #unsure = new Map<string, string[]>();
  #keeping: NodeJS.Timeout | undefined;

  constructor(options: SessionSeatsOptions) {
    this.#options = options;
    options.broker.onBack(() => {
      this.#keepAll();
      const toLeave = [...this.#unsure];
      this.#unsure.clear();
      for (const [member, names] of toLeave) this.#giveBack(member, names);
    });
  }

  refuseBeyondLimits(keyId: string): void {
    const { most, mostOfKey } = this.#options;
    if (this.#countOf(ALL_SESSIONS) >= most) throw allTaken();
    if (this.#countOf(ofKey(keyId)) >= mostOfKey) throw allOfKeyTaken();
  }

  async take(sessionId: string, keyId: string): Promise<void> {
    const { broker, most, mostOfKey } = this.#options;
    const names = namesOf(keyId);
    const limits = [
      { name: ALL_SESSIONS, most },
      { name: ofKey(keyId), most: mostOfKey },
    ];
    const wish = { limits, member: sessionId, ttlMs: SEAT_MS };
    const full = await broker.seats.take(wish).catch((error: unknown) => {
      // It may have been taken.
      this.#giveBackLater(sessionId, names);
      throw error;
    });
    if (full === ALL_SESSIONS) throw allTaken();
    if (full !== undefined) throw allOfKeyTaken();
    this.#hold(sessionId, names);
  }

  leave(sessionId: string, keyId?: string): void {
    const names = this.#letGo(sessionId) ?? (keyId === undefined ? undefined : namesOf(keyId));
    if (names !== undefined) this.#giveBack(sessionId, names);
  }

  adopt(sessionId: string, keyId: string): void {
    const names = namesOf(keyId);
    this.#hold(sessionId, names);
    const { seats } = this.#options.broker;
    seats.keep({ names, member: sessionId, ttlMs: SEAT_MS }).catch(() => undefined);
  }

  handOver(sessionId: string): void {
    this.#letGo(sessionId);
  }

  #hold(sessionId: string, names: string[]): void {
    this.#held.set(sessionId, names);
    this.#count(names, 1);
    this.#keeping ??= setInterval(() => this.#keepAll(), KEEP_EVERY_MS).unref();
  }

  #letGo(sessionId: string): string[] | undefined {
    const names = this.#held.get(sessionId);
    if (names === undefined) return undefined;
    this.#held.delete(sessionId);
    this.#count(names, -1);
    if (this.#held.size === 0) {
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    }
    return names;
  }

  #countOf(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  #count(names: readonly string[], by: number): void {
    for (const name of names) {
      const count = this.#countOf(name) + by;
      if (count > 0) this.#counts.set(name, count);
      else this.#counts.delete(name);
    }
  }

  #keepAll(): void {
    const { seats } = this.#options.broker;
    for (const [member, names] of this.#held) {
      // A broker that is away has them again when it is back.
      seats.keep({ names, member, ttlMs: SEAT_MS }).catch(() => undefined);
    }
  }

  #giveBack(member: string, names: string[]): void {
    const { seats } = this.#options.broker;
    seats.leave({ names, member }).catch(() => this.#giveBackLater(member, names));
  }

  #giveBackLater(member: string, names: string[]): void {
    this.#unsure.set(member, names);
    const [first] = this.#unsure.keys();
    if (this.#unsure.size > MAX_UNSURE && first !== undefined) this.#unsure.delete(first);
  }
}

const ofKey = (keyId: string): string => `sessions of ${keyId}`;
const namesOf = (keyId: string): string[] => [ALL_SESSIONS, ofKey(keyId)];

const allTaken = () => tooMany('All voice sessions are taken.');
const allOfKeyTaken = () => tooMany('All voice sessions of this API key are taken.');

/** The limit of all sessions together. */
export const ALL_SESSIONS = 'sessions';

/** @param what is taken */
export function tooMany(what: string): ServiceError {
  return new ServiceError('too_many_sessions', `${what} Try again later.`);
}
