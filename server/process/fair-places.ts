/** Places for so much work at a time; whoever waits for one is served as in a {@link FairQueue}. */
import { FairQueue, type Turn } from './fair-queue.ts';

interface Waiter {
  start: () => void;
  giveUp: (reason: unknown) => void;
}

export class FairPlaces {
  readonly #waiting = new FairQueue<Waiter>();
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Does a piece of work when there is a place. @throws what the work throws; the reason given to {@link abandon} */
  async hold<Result>(turn: Turn, work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((start, giveUp) => this.#waiting.push(turn, { start, giveUp }));
    try {
      return await work();
    } finally {
      // A place goes straight to the next who waits.
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next.start();
    }
  }

  /** Lets a call wait no longer. */
  abandon(turn: Turn, reason: unknown): void {
    for (const { giveUp } of this.#waiting.remove(turn)) giveUp(reason);
  }
}
