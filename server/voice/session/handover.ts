/**
 * Which server of a cluster a session is at. A session that runs has an owner, by a lease that is renewed
 * every second; another takes it over when its client turns up there: the owner, asked for it, lets go
 * at once, or its lease runs out because it is dead or cut off.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import type { Logger } from '../../process/log.ts';

/** How long a lease is good for without being renewed, in ms, and how often that is done. */
const LEASE_MS = 4_000;
const RENEW_EVERY_MS = 1_000;
/** A session of which nobody has said for so long that it is ours may be another's, in ms. */
const SURE_MS = 3_000;
/** How long an owner is waited for, and how often it is looked whether it has let go, in ms. */
const PATIENCE_MS = LEASE_MS + 2_000;
const LOOK_EVERY_MS = 25;
/** How often it is asked again, as it may have been busy with the session, in ms. */
const ASK_EVERY_MS = 1_000;
/** Remembered for longer than a process may stand still, in ms. */
const SIGN_MS = 24 * 3_600_000;
const RENEW_SIGN_EVERY_MS = 60_000;

/** A session that is this server's. */
export interface SessionHold {
  /** Of its lease, by which what it writes is known. */
  readonly epoch: number;
  /** Whether it is certainly still ours, as far as a process that may have stood still can tell. */
  readonly isSure: boolean;
  /** Finds out. @returns false when it is another's; true as well while the broker is away */
  check(): Promise<boolean>;
}

export interface HandoverOptions {
  broker: Pick<Broker, 'node' | 'leases' | 'records' | 'announcements' | 'onBack'>;
  log: Logger;
  /** Another server asks for a session, whether it is here or not; again, if it waits for it. */
  onAsked: (sessionId: string, isAgain: boolean) => void;
  /** A session is another server's. */
  onLost: (sessionId: string) => void;
  /** What the broker had of a session is lost, and to be written again. */
  onForgotten: (sessionId: string) => void;
}

/** The sessions of this server, and how they come and go. */
export class Handover {
  readonly #options: HandoverOptions;
  readonly #holds = new Map<string, Hold>();
  readonly #stopListening: () => void;
  readonly #stopWatching: () => void;
  #renewing: NodeJS.Timeout | undefined;
  /** Since when the broker has been there, on the clock of `performance.now()`. */
  #steadySinceMs = performance.now();
  #hasSign = false;
  #signedAtMs = 0;

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
   * Makes a session this server's.
   *
   * @param isNew nobody can have had it before
   * @throws ServiceError broker_unavailable, also when its owner does not let go
   */
  async take(sessionId: string, isNew: boolean): Promise<SessionHold> {
    const { broker } = this.#options;
    await this.#leaveSign();
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

  /** Makes a session this server's unless it is another's. */
  async takeIfFree(sessionId: string): Promise<boolean> {
    const { leases, node } = this.#options.broker;
    const epoch = await leases.acquire(leaseOf(sessionId), node, LEASE_MS);
    if (epoch !== undefined) this.#hold(sessionId, epoch);
    return epoch !== undefined;
  }

  /**
   * Whether a session is certainly this server's, for a moment.
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
      // Whoever stood still meanwhile asks again.
    } while (performance.now() - askedAtMs > SURE_MS);
    return true;
  }

  /** Lets others have a session. */
  async release(sessionId: string): Promise<void> {
    const hold = this.#holds.get(sessionId);
    this.forget(sessionId);
    if (hold !== undefined)
      await this.#options.broker.leases.release(leaseOf(sessionId), hold.epoch);
  }

  /** It is not renewed any more. */
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

  /** If nobody hears it, the lease runs out. */
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

  /** Owners renew first when the broker comes back: it may have been away for longer than a lease is good for. */
  get #isSteady(): boolean {
    return performance.now() - this.#steadySinceMs > LEASE_MS;
  }

  #renewAll(): void {
    for (const hold of this.#holds.values()) void hold.check();
    if (!this.#hasSign || performance.now() - this.#signedAtMs < RENEW_SIGN_EVERY_MS) return;
    this.#signedAtMs = performance.now();
    this.#renewSign().catch(() => undefined);
  }

  /** @returns whether it is still ours, or nobody can tell */
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
    log.info({ sessionId }, 'a voice session is at another server now');
    this.forget(sessionId);
    onLost(sessionId);
    return false;
  }

  /** A lease that is gone was another's since, unless the broker has lost everything. */
  async #takeForgotten(sessionId: string): Promise<number | undefined> {
    const { broker } = this.#options;
    if ((await broker.records.read(signOf(broker.node))) !== undefined) return undefined;
    this.#hasSign = false;
    const epoch = await broker.leases.acquire(leaseOf(sessionId), broker.node, LEASE_MS);
    // Of others that are looked at by now, none may take it for whole before.
    setTimeout(() => void this.#leaveSign().catch(() => undefined), RENEW_EVERY_MS).unref();
    return epoch;
  }

  /** By which is seen later whether the broker has lost what it had. */
  async #leaveSign(): Promise<void> {
    if (this.#hasSign) return;
    const { broker } = this.#options;
    await broker.records.write(signOf(broker.node), '', { ttlMs: SIGN_MS });
    this.#hasSign = true;
    this.#signedAtMs = performance.now();
  }

  /** One that is gone stays so, as by that is seen what the broker has lost. */
  async #renewSign(): Promise<void> {
    const { node, records } = this.#options.broker;
    const found = await records.read(signOf(node));
    if (found === undefined) return;
    await records.write(signOf(node), '', { ttlMs: SIGN_MS, ifVersion: found.version });
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

  get isSure(): boolean {
    return performance.now() - this.#surelyAtMs < SURE_MS;
  }

  check(): Promise<boolean> {
    this.#checking ??= this.#check().finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #check(): Promise<boolean> {
    const askedAtMs = performance.now();
    const isOurs = await this.#renew(this);
    // Whoever stood still meanwhile asks again.
    if (isOurs && performance.now() - askedAtMs < SURE_MS) this.#surelyAtMs = performance.now();
    return isOurs;
  }
}

/** What a server says that wants a session. */
interface Wanted {
  sessionId: string;
  node: string;
  isAgain?: boolean;
}

const TOPIC = 'handovers';

/** The lease of a session, which fences what is written of it. */
export function leaseOf(sessionId: string): string {
  return `session ${sessionId}`;
}

const signOf = (node: string): string => `sign of ${node}`;
