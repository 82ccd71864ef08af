/**
 * Circuit breakers: after a failure no call goes through for a while; then a single probe does, and
 * each failed probe doubles the waiting time up to a maximum.
 */

export interface CircuitBreakerSettings {
  /** First open time, in ms. */
  openMs: number;
  /** Longest open time, in ms. */
  maxOpenMs: number;
  /** Number of consecutive refusals that open the breaker; an outage opens it at once. */
  refusalsToOpen: number;
}

export const defaultBreakerSettings: CircuitBreakerSettings = {
  openMs: 1_000,
  maxOpenMs: 60_000,
  refusalsToOpen: 5,
};

/** Permission for one attempt. The holder calls exactly one of its methods when the outcome is known. */
export interface Pass {
  succeed(): void;
  /**
   * @param kind `outage`: the service is unreachable; `refusal`: this text failed, another one may
   *   succeed
   */
  fail(kind: 'outage' | 'refusal'): void;
  /** The outcome is unknown, for instance because the caller went away. */
  abandon(): void;
}

/** An open breaker. */
export interface Outage {
  name: string;
  /** Whether a probe is under way. */
  isProbed: boolean;
  /** Time until the next probe is allowed, in ms. */
  retryInMs: number;
}

interface Trouble {
  kind: 'outage' | 'refusal';
  /** Consecutive refusals while the breaker is closed. */
  refusals: number;
  isOpen: boolean;
  untilMs: number;
  openMs: number;
  isProbed: boolean;
}

/** Circuit breakers by name; a name that has not failed takes no memory. */
export class CircuitBreakers {
  readonly #settings: CircuitBreakerSettings;
  readonly #troubles = new Map<string, Trouble>();

  constructor(settings: Partial<CircuitBreakerSettings> = {}) {
    this.#settings = { ...defaultBreakerSettings, ...settings };
  }

  /**
   * Returns permission for an attempt; undefined while the breaker is open or another caller is
   * probing.
   */
  enter(name: string): Pass | undefined {
    const trouble = this.#troubles.get(name);
    if (trouble?.isOpen !== true) return this.#pass(name, false);
    if (trouble.isProbed || performance.now() < trouble.untilMs) return undefined;
    trouble.isProbed = true;
    return this.#pass(name, true);
  }

  /** Lists the open breakers. */
  outages(): Outage[] {
    const nowMs = performance.now();
    return [...this.#troubles]
      .filter(([, { isOpen }]) => isOpen)
      .map(([name, { isProbed, untilMs }]) => {
        return { name, isProbed, retryInMs: Math.max(0, untilMs - nowMs) };
      });
  }

  /** Whether the last failure was a refusal: an attempt may still be better than no answer. */
  isDoubtful(name: string): boolean {
    return this.#troubles.get(name)?.kind === 'refusal';
  }

  /**
   * Returns permission despite an open breaker, for a name that {@link isDoubtful}; a further
   * refusal does not extend the open time.
   */
  enterDoubtful(name: string): Pass {
    return {
      succeed: () => this.#troubles.delete(name),
      fail: (kind) => {
        if (kind === 'outage') this.#open(name, kind);
      },
      abandon: () => undefined,
    };
  }

  #pass(name: string, isProbe: boolean): Pass {
    return {
      succeed: () => this.#troubles.delete(name),
      fail: (kind) => this.#fail(name, kind, isProbe),
      abandon: () => {
        const trouble = this.#troubles.get(name);
        if (isProbe && trouble !== undefined) trouble.isProbed = false;
      },
    };
  }

  #fail(name: string, kind: 'outage' | 'refusal', isProbe: boolean): void {
    const trouble = this.#troubles.get(name);
    // Requests already under way when the breaker opened carry no new information.
    if (trouble?.isOpen === true && !isProbe) return;
    const refusals = (trouble?.refusals ?? 0) + 1;
    if (isProbe || kind === 'outage' || refusals >= this.#settings.refusalsToOpen) {
      this.#open(name, kind);
    } else {
      this.#troubles.set(name, { ...closed, kind, refusals });
    }
  }

  #open(name: string, kind: 'outage' | 'refusal'): void {
    const { openMs: firstMs, maxOpenMs } = this.#settings;
    const before = this.#troubles.get(name);
    const openMs = before?.isOpen === true ? Math.min(before.openMs * 2, maxOpenMs) : firstMs;
    const untilMs = performance.now() + openMs;
    this.#troubles.set(name, { ...closed, kind, isOpen: true, untilMs, openMs });
  }
}

const closed: Omit<Trouble, 'kind'> = {
  ...{ refusals: 0, isOpen: false, untilMs: 0, openMs: 0, isProbed: false },
};
