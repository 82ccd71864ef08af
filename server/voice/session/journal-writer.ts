/** How the streams of a session are written by the one who has it, whatever becomes of the broker meanwhile. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../broker/index.ts';
import { leaseOf, type SessionHold } from './handover.ts';
import { streamOf } from './kept-session.ts';

/** How often what could not be written is tried again, in ms. */
const RETRY_MS = 250;

export interface JournalWriterOptions {
  broker: Pick<Broker, 'node' | 'streams'>;
  sessionId: string;
  /** How long a stream is kept when nothing more is written, in ms. */
  ttlMs: number;
  /** The broker is away: its turn comes later. */
  onAway: () => void;
  /** The session is another server's. */
  onRefused: () => void;
}

/** What is to be appended: must not change any more. */
export interface NewEntry {
  bytes: Uint8Array;
  /** The how many-th of its stream it is. */
  number: number;
  /** Entries that are not needed any more. */
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

  /** Whether there is anything to write: by whoever has the session. */
  get isWriting(): boolean {
    return this.hold !== undefined && !this.#isOver;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get isAway(): boolean {
    return this.#isAway;
  }

  /** Nothing more is written. */
  stop(): void {
    this.#isOver = true;
  }

  /** @returns the id; undefined where it need not be written any more */
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
        // Another's, or the broker has lost it.
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
