/** Writes a session's streams on behalf of its owner, and keeps trying while the broker is unreachable. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import { leaseOf, type SessionHold } from './handover.ts';
import { streamOf } from './kept-session.ts';

/** Pause before a failed write is tried again, in ms. */
const RETRY_MS = 250;

export interface JournalWriterOptions {
  broker: Pick<Broker, 'node' | 'streams'>;
  sessionId: string;
  /** How long a stream is kept after its last entry, in ms. */
  ttlMs: number;
  /** Called when a write fails because the broker is unreachable; the write is retried. */
  onAway: () => void;
  /** Called when another server owns the session. */
  onRefused: () => void;
}

/** An entry to append; its bytes must not change any more. */
export interface NewEntry {
  bytes: Uint8Array;
  /** Position of the entry in its stream, counted by the writer. */
  number: number;
  /** Id up to which older entries can be removed. */
  trimUpTo: number | undefined;
}

export class JournalWriter {
  readonly #options: JournalWriterOptions;
  hold: SessionHold | undefined;
  #isOver = false;
  #isAway = false;

  constructor(options: JournalWriterOptions) {
    this.#options = options;
  }

  /** Whether this server owns the session and still writes to it. */
  get isWriting(): boolean {
    return this.hold !== undefined && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Stops writing. */
  stop(): void {
    this.#isOver = true;
  }

  /** @returns the id of the entry; undefined when it need not be written any more */
  async append(
    { name, mostEntries }: { name: string; mostEntries: number },
    { bytes, number, trimUpTo }: NewEntry,
  ): Promise<number | undefined> {
    const { broker, sessionId, ttlMs, onRefused } = this.#options;
    return this.untilDone(async () => {
      const { hold } = this;
      while (hold !== undefined) {
        const { epoch } = hold;
        const id = await broker.streams.append(streamOf(sessionId, name), bytes, {
          ...{ maxLength: mostEntries, ttlMs, trimUpTo },
          fence: { lease: leaseOf(sessionId), epoch },
          by: { appender: `${broker.node} ${epoch}`, number },
        });
        if (id !== undefined) return id;
        // Another server owns the session, or the broker has lost the lease.
        if (!(await hold.check())) {
          onRefused();
          return undefined;
        }
        if (hold.epoch === epoch) throw new ServiceError('broker_unavailable', 'Not now.');
      }
      return undefined;
    });
  }

  async untilDone<Result>(write: () => Promise<Result>): Promise<Result | undefined> {
    while (!this.#isOver) {
      try {
        const result = await write();
        this.#isAway = false;
        return result;
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'stopping') this.stop();
        this.#isAway = true;
        this.#options.onAway();
        await delay(RETRY_MS, undefined, { ref: false });
      }
    }
    return undefined;
  }
}
