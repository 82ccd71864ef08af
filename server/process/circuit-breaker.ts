/**
 * Keeps work away from what is out of order: after a failure nobody tries again for a while, then one
 * request is let through to see, and the while grows with each one that fails.
 */

export interface CircuitBreakerSettings {
  /** First time out, in ms. */
  openMs: number;
  /** Longest time out, in ms. */
  maxOpenMs: number;
  /** How many refused texts in a row count as out of order; an outage does at once. */
  refusalsToOpen: number;
}

export const defaultBreakerSettings: CircuitBreakerSettings = {
  openMs: 1_000,
  maxOpenMs: 60_000,
  refusalsToOpen: 5,
};

/** Leave to try. Exactly one of its methods is to be called, once it is known how it went. */
export interface Pass {
  succeed(): void;
  /** @param kind `outage`: nobody is there; `refusal`: this text did not work, another one may */
  fail(kind: 'outage' | 'refusal'): void;
  /** Nothing was learned, as when the caller went away. */
  abandon(): void;
}

/** What is out of order at the moment. */
export interface Outage {
  name: string;
  /** Whether somebody is trying whether it works again. */
  isProbed: boolean;
  /** Until it may be tried again, in ms. */
  retryInMs: number;
}

interface Trouble {
  kind: 'outage' | 'refusal';
  /** Refusals in a row as long as it is closed. */
  refusals: number;
  isOpen: boolean;
  untilMs: number;
  openMs: number;
  isProbed: boolean;
}

/** Breakers by name; what has never failed costs nothing. */
export class CircuitBreakers {
  readonly #settings: CircuitBreakerSettings;
  readonly #troubles = new Map<string, Trouble>();

  constructor(settings: Partial<CircuitBreakerSettings> = {}) {
    this.#settings = { ...defaultBreakerSettings, ...settings };
  }

  /** Leave to try now, or undefined while it is out of order or being probed by another. */
  enter(name: string): Pass | undefined {
    const trouble = this.#troubles.get(name);
    if (trouble?.isOpen !== true) return this.#pass(name, false);
    if (trouble.isProbed || performance.now() < trouble.untilMs) return undefined;
    trouble.isProbed = true;
    return this.#pass(name, true);
  }

  /** What nobody is let through to. */
  outages(): Outage[] {
    const nowMs = performance.now();
    return [...this.#troubles]
      .filter(([, { isOpen }]) => isOpen)
      .map(([name, { isProbed, untilMs }]) => {
        return { name, isProbed, retryInMs: Math.max(0, untilMs - nowMs) };
      });
  }

  /** Whether it is shut out only because it has refused texts: better than nothing at all. */
  isDoubtful(name: string): boolean {
    return this.#troubles.get(name)?.kind === 'refusal';
  }

  /** Leave to try what is {@link isDoubtful}; it cannot get worse by it. */
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
    // Requests that were under way when it opened say nothing new.
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
