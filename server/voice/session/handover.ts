/**
 * Ownership of sessions in a cluster. The owner of a running session holds a lease, renewed every second.
 * Another server takes the session when its client turns up there: either the owner releases the lease on
 * request, or the lease expires because the owner is dead or cut off.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';

/** Lifetime of a lease, in ms, and the interval at which its owner renews it, in ms. */
const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** Time after the last renewal from which a session may belong to another server, in ms. */
const SURE_MS = 3_000;
/** How long to wait for the owner to release its lease, and how often to check, in ms. */
const PATIENCE_MS = LEASE_MS + 2_000;
const LOOK_EVERY_MS = 25;
/** Interval at which the request is repeated, as the owner may have been busy with the session, in ms. */
const ASK_EVERY_MS = 1_000;
/** Lifetime of this node's marker record, in ms: longer than a process may stall. */
const SIGN_MS = 24 * 3_600_000;
const RENEW_SIGN_EVERY_MS = 60_000;

/** Ownership of one session. */
export interface SessionHold {
  /** Epoch of the lease; it fences everything the owner writes. */
  readonly epoch: number;
  /** Whether this server certainly owns the session, as far as a process that may have stalled can tell. */
  readonly isCertain: boolean;
  /** Asks the broker. @returns false when another server owns the session; true also during an outage */
  check(): Promise<boolean>;
}

export interface HandoverOptions {
  broker: Pick<Broker, 'node' | 'leases' | 'records' | 'announcements' | 'onBack'>;
  log: Logger;
  /** Another server requests a session, here or not; `isAgain` when it repeats the request. */
  onAsked: (sessionId: string, isAgain: boolean) => void;
  /** Another server owns the session. */
  onLost: (sessionId: string) => void;
  /** The broker has lost the session's data, which must be written again. */
  onForgotten: (sessionId: string) => void;
}

/** Acquires, renews and releases the leases of this server's sessions. */
export class Handover {
  readonly #options: HandoverOptions;
  readonly #holds = new Map<string, Hold>();
  readonly #stopListening: () => void;
  readonly #stopWatching: () => void;
  #renewing: NodeJS.Timeout | undefined;
  /** When the broker was last back, on the clock of `performance.now()`. */
  #steadySinceMs = performance.now();
  #hasMarker = false;
  #markedAtMs = 0;

  constructor(options: HandoverOptions) {
    const { broker, onAsked } = options;
    this.#options = options;
    this.#stopListening = broker.announcements.listen(TOPIC, (message) => {
      const { sessionId, node, isAgain = false } = JSON.parse(message) as Wanted;
      if (node !== broker.node) onAsked(sessionId, isAgain);
    });
    this.#stopWatching = broker.onBack(() => {
      this.#steadySinceMs = performance.now();
      this.#renewAll();
    });
  }

  /**
   * Acquires a session.
   *
   * @param isNew whether no other server can have owned it before
   * @throws ServiceError broker_unavailable, also when the owner does not release it
   */
  async take(sessionId: string, isNew: boolean): Promise<SessionHold> {
    const { broker } = this.#options;
    await this.#writeMarker();
    this.#ask({ sessionId, node: broker.node });
    let askedAtMs = performance.now();
    const giveUpAtMs = askedAtMs + PATIENCE_MS + LEASE_MS;
    do {
      const epoch = await broker.leases.acquire(leaseOf(sessionId), broker.node, LEASE_MS, {
        ifGivenBack: !isNew && !this.#isSteady,
      });
      if (epoch !== undefined) return this.#hold(sessionId, epoch);
      await delay(LOOK_EVERY_MS);
      if (performance.now() - askedAtMs < ASK_EVERY_MS) continue;
      askedAtMs = performance.now();
      this.#ask({ sessionId, node: broker.node, isAgain: true });
    } while (performance.now() < giveUpAtMs);
    const why = 'The server that has this session does not answer. Please try again in a moment.';
    throw new ServiceError('broker_unavailable', why);
  }

  /** Acquires a session unless another server owns it. */
  async takeIfFree(sessionId: string): Promise<boolean> {
    const { leases, node } = this.#options.broker;
    const epoch = await leases.acquire(leaseOf(sessionId), node, LEASE_MS);
    if (epoch !== undefined) this.#hold(sessionId, epoch);
    return epoch !== undefined;
  }

  /**
   * Returns whether this server certainly owns a session, at least for a moment.
   *
   * @throws ServiceError broker_unavailable
   */
  async isOurs(sessionId: string, hold: SessionHold): Promise<boolean> {
    const { leases } = this.#options.broker;
    let askedAtMs: number;
    do {
      askedAtMs = performance.now();
      if (!(await hold.check())) return false;
      if (!(await leases.renew(leaseOf(sessionId), hold.epoch, LEASE_MS))) return false;
      // After a stall of this process the answer is too old; ask again.
    } while (performance.now() - askedAtMs > SURE_MS);
    return true;
  }

  /** Releases a session to other servers. */
  async release(sessionId: string): Promise<void> {
    const hold = this.#holds.get(sessionId);
    this.forget(sessionId);
    if (hold !== undefined)
      await this.#options.broker.leases.release(leaseOf(sessionId), hold.epoch);
  }

  /** Stops renewing a lease. */
  forget(sessionId: string): void {
    this.#holds.delete(sessionId);
    if (this.#holds.size > 0) return;
    clearInterval(this.#renewing);
    this.#renewing = undefined;
  }

  stop(): void {
    this.#stopListening();
    this.#stopWatching();
    clearInterval(this.#renewing);
  }

  /** Requests a session of its owner. When no server receives the request, the lease expires. */
  #ask(wanted: Wanted): void {
    const { announcements } = this.#options.broker;
    announcements.tell(TOPIC, JSON.stringify(wanted)).catch(() => undefined);
  }

  #hold(sessionId: string, epoch: number): Hold {
    const hold = new Hold(epoch, (asked) => this.#renew(sessionId, asked));
    this.#holds.set(sessionId, hold);
    this.#renewing ??= setInterval(() => this.#renewAll(), RENEW_EVERY_MS).unref();
    return hold;
  }

  /**
   * Whether the broker has been back for a while. After an outage longer than a lease, owners must have
   * the chance to renew first.
   */
  get #isSteady(): boolean {
    return performance.now() - this.#steadySinceMs > LEASE_MS;
  }

  #renewAll(): void {
    for (const hold of this.#holds.values()) void hold.check();
    if (!this.#hasMarker || performance.now() - this.#markedAtMs < RENEW_SIGN_EVERY_MS) return;
    this.#markedAtMs = performance.now();
    this.#renewSign().catch(() => undefined);
  }

  /** @returns whether this server still owns the session, or the broker cannot tell */
  async #renew(sessionId: string, hold: Hold): Promise<boolean> {
    const { broker, log, onLost, onForgotten } = this.#options;
    try {
      if (await broker.leases.renew(leaseOf(sessionId), hold.epoch, LEASE_MS)) return true;
      if (this.#holds.get(sessionId) !== hold) return false;
      const epoch = await this.#takeForgotten(sessionId);
      if (this.#holds.get(sessionId) !== hold) return false;
      if (epoch !== undefined) {
        hold.epoch = epoch;
        onForgotten(sessionId);
        return true;
      }
    } catch {
      return true;
    }
    log.info({ sessionId }, 'a voice session was handed over to another server');
    this.forget(sessionId);
    onLost(sessionId);
    return false;
  }

  /**
   * Acquires a lost lease again, but only when the broker has lost all its data: otherwise another server
   * took the lease.
   */
  async #takeForgotten(sessionId: string): Promise<number | undefined> {
    const { broker } = this.#options;
    if ((await broker.records.read(markerOf(broker.node))) !== undefined) return undefined;
    this.#hasMarker = false;
    const epoch = await broker.leases.acquire(leaseOf(sessionId), broker.node, LEASE_MS);
    // The delay lets other lost leases be checked first: the marker makes the broker's data look complete.
    setTimeout(() => void this.#writeMarker().catch(() => undefined), RENEW_EVERY_MS).unref();
    return epoch;
  }

  /** Writes this node's marker record. Its absence shows later that the broker has lost its data. */
  async #writeMarker(): Promise<void> {
    if (this.#hasMarker) return;
    const { broker } = this.#options;
    await broker.records.write(markerOf(broker.node), '', { ttlMs: SIGN_MS });
    this.#hasMarker = true;
    this.#markedAtMs = performance.now();
  }

  /** Extends the marker's lifetime. A missing marker is not written, as its absence reveals the data loss. */
  async #renewSign(): Promise<void> {
    const { node, records } = this.#options.broker;
    const found = await records.read(markerOf(node));
    if (found === undefined) return;
    await records.write(markerOf(node), '', { ttlMs: SIGN_MS, ifVersion: found.version });
  }
}

class Hold implements SessionHold {
  epoch: number;
  readonly #renew: (hold: Hold) => Promise<boolean>;
  #surelyAtMs = performance.now();
  #checking: Promise<boolean> | undefined;

  constructor(epoch: number, renew: (hold: Hold) => Promise<boolean>) {
    this.epoch = epoch;
    this.#renew = renew;
  }

  get isCertain(): boolean {
    return performance.now() - this.#surelyAtMs < SURE_MS;
  }

  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #check(): Promise<boolean> {
    const askedAtMs = performance.now();
    const isOurs = await this.#renew(this);
    // After a stall of this process the answer is too old to be certain.
    if (isOurs && performance.now() - askedAtMs < SURE_MS) this.#surelyAtMs = performance.now();
    return isOurs;
  }
}

/** A server's announcement that it requests a session. */
interface Wanted {
  sessionId: string;
  node: string;
  isAgain?: boolean;
}

const TOPIC = 'handovers';

/** Name of a session's lease, which fences all writes to the session. */
export function leaseOf(sessionId: string): string {
  return `session ${sessionId}`;
}

const markerOf = (node: string): string => `sign of ${node}`;
