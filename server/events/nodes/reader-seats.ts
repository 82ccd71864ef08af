/** Seats for the readers of a room, over all servers; the count is exact while the broker responds. */
import { randomUUID } from 'node:crypto';
import { withinTime } from '../../process/concurrency.ts';
import type { Broker } from '../../broker/index.ts';
import { full } from '../reading/readers.ts';

/** Lifetime of a seat that is not renewed, in ms: a dead server's readers reconnect in that time. */
const SEAT_MS = 10_000;
const KEEP_EVERY_MS = 3_000;
/** Interval at which a share of the seats is renewed, in ms: renewing all at once would delay captions. */
const KEEP_SOME_EVERY_MS = 300;
/** How long a joining reader waits for the broker, in ms. */
const PATIENCE_MS = 1_000;

interface ReaderSeatsOptions {
  broker: Pick<Broker, 'seats' | 'onBack'>;
  mostInRoom: number;
}

export class ReaderSeats {
  readonly #options: ReaderSeatsOptions;
  /** Seat name of each reader here, by member; the seat renewed longest ago comes first. */
  readonly #held = new Map<string, string>();
  readonly #leaving = new Set<Promise<unknown>>();
  #keeping: NodeJS.Timeout | undefined;

  constructor(options: ReaderSeatsOptions) {
    this.#options = options;
    options.broker.onBack(() => this.#keep(this.#held.size));
  }

  /**
   * Takes a seat for a reader.
   *
   * @param known latest known number of readers, including this one: it counts while the broker is
   *   unreachable
   * @returns a function that gives the seat back
   * @throws ServiceError too_many_sessions
   */
  async take(roomId: string, known: number): Promise<() => void> {
    const { broker, mostInRoom: most } = this.#options;
    const name = `readers of ${roomId}`;
    const member = randomUUID();
    this.#hold(name, member);
    let isFull = known > most;
    const wish = { limits: [{ name, most }], member, ttlMs: SEAT_MS };
    const asked = broker.seats.take(wish).then(
      (limit) => {
        isFull = limit !== undefined;
        // The reader left before the broker answered.
        if (!this.#held.has(member)) this.#giveBack(name, member);
      },
      // A reader admitted nevertheless gets the seat by renewal once the broker is back.
      () => undefined,
    );
    await withinTime(asked, performance.now() + PATIENCE_MS);
    const leave = () => this.#leave(name, member);
    if (!isFull) return leave;
    leave();
    throw full('The room');
  }

  /** Resolves when the seats given up so far are free, or the broker takes too long. */
  left(): Promise<unknown> {
    return withinTime(Promise.all(this.#leaving), performance.now() + PATIENCE_MS);
  }

  #hold(name: string, member: string): void {
    this.#held.set(member, name);
    const share = KEEP_SOME_EVERY_MS / KEEP_EVERY_MS;
    const keepSome = () => this.#keep(Math.ceil(this.#held.size * share));
    this.#keeping ??= setInterval(keepSome, KEEP_SOME_EVERY_MS).unref();
  }

  #leave(name: string, member: string): void {
    if (!this.#held.delete(member)) return;
    if (this.#held.size === 0) {
      clearInterval(this.#keeping);
      this.#keeping = undefined;
    }
    this.#giveBack(name, member);
  }

  #giveBack(name: string, member: string): void {
    const { seats } = this.#options.broker;
    // If this fails, the seat expires soon.
    const leaving = seats.leave({ names: [name], member }).catch(() => undefined);
    this.#leaving.add(leaving);
    void leaving.then(() => this.#leaving.delete(leaving));
  }

  #keep(count: number): void {
    const { seats } = this.#options.broker;
    let left = Math.min(count, this.#held.size);
    // Renewed seats move to the end of the map, so this loop does not reach them again.
    for (const [member, name] of this.#held) {
      if (left === 0) return;
      left -= 1;
      this.#held.delete(member);
      this.#held.set(member, name);
      // A failed renewal is repeated when the broker is back.
      seats.keep({ names: [name], member, ttlMs: SEAT_MS }).catch(() => undefined);
    }
  }
}
