/** Limits on concurrent voice sessions, in total and per key, exact over all servers of a cluster. */
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';

/** Time after which the seats of a dead server are free, in ms: longer than a broker outage may last. */
const SEAT_MS = 60_000;
const KEEP_EVERY_MS = 15_000;
/** Most seats to give back once the broker returns; beyond that, the oldest are left to expire. */
const MAX_UNSURE = 10_000;

interface SessionSeatsOptions {
  broker: Pick<Broker, 'seats' | 'onBack'>;
  most: number;
  mostOfKey: number;
}

export class SessionSeats {
  readonly #options: SessionSeatsOptions;
  /** Sessions of this server, with the names of the limits they count towards. */
  readonly #held = new Map<string, string[]>();
  /** Number of this server's sessions per limit. */
  readonly #counts = new Map<string, number>();
  /** Sessions that may still have seats, as the broker did not answer. */
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

  /**
   * Refuses when this server alone has reached a limit; makes no call to the broker.
   *
   * @throws ServiceError too_many_sessions
   */
  refuseBeyondLimits(keyId: string): void {
    const { most, mostOfKey } = this.#options;
    if (this.#countOf(ALL_SESSIONS) >= most) throw allTaken();
    if (this.#countOf(ofKey(keyId)) >= mostOfKey) throw allOfKeyTaken();
  }

  /**
   * Takes a seat for a session of a key. Sessions of the demo page, which have no key, share one limit.
   *
   * @throws ServiceError too_many_sessions, broker_unavailable
   */
  async take(sessionId: string, keyId: string): Promise<void> {
    const { broker, most, mostOfKey } = this.#options;
    const names = namesOf(keyId);
    const limits = [
      { name: ALL_SESSIONS, most },
      { name: ofKey(keyId), most: mostOfKey },
    ];
    const wish = { limits, member: sessionId, ttlMs: SEAT_MS };
    const full = await broker.seats.take(wish).catch((error: unknown) => {
      // The broker may have taken the seat before it failed.
      this.#giveBackLater(sessionId, names);
      throw error;
    });
    if (full === ALL_SESSIONS) throw allTaken();
    if (full !== undefined) throw allOfKeyTaken();
    this.#hold(sessionId, names);
  }

  /**
   * Gives a seat back.
   *
   * @param keyId key of a session whose seat was taken by another server, which has died
   */
  leave(sessionId: string, keyId?: string): void {
    const names = this.#letGo(sessionId) ?? (keyId === undefined ? undefined : namesOf(keyId));
    if (names !== undefined) this.#giveBack(sessionId, names);
  }

  /** Takes over a session from another server, together with its seat. */
  adopt(sessionId: string, keyId: string): void {
    const names = namesOf(keyId);
    this.#hold(sessionId, names);
    const { seats } = this.#options.broker;
    seats.keep({ names, member: sessionId, ttlMs: SEAT_MS }).catch(() => undefined);
  }

  /** Hands a session over to another server, together with its seat. */
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
      // After an outage the broker takes these seats again as soon as it is back.
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

/** Name of the limit on all sessions together. */
export const ALL_SESSIONS = 'sessions';

/** @param what states which limit is reached */
export function tooMany(what: string): ServiceError {
  return new ServiceError('too_many_sessions', `${what} Try again later.`);
}
