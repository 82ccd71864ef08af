/** Charges the audio of voice sessions to their accounts. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Caller } from '../../http/door.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';

/** Audio charged at a time, in ms; a session may exceed its quota by this much. */
const SLICE_MS = 1_000;
/** Time in which slices of the same key and tag are combined into one charge, in ms. */
const GATHERED_MS = 250;
/** Pauses between attempts to charge an ended session while the database is unreachable, in ms. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];

/** Refusals that are final; after any other error the charge is retried. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'key_deactivated']);

/** Charges for one session. */
export interface SpeechCharge {
  /** Counts audio that was received, in ms. */
  add(durationMs: number): void;
  /** Charges what is left, retrying for some seconds if necessary; never rejects. */
  settle(): Promise<void>;
}

/** The caller and reporting tag that the audio is charged to. */
interface Payer {
  caller: Caller;
  tag: string | null;
}

export interface SpeechCharges {
  /**
   * @param onRefused called once a quota of the key or the account is used up, or the key has been
   *   deactivated
   */
  open(options: Payer & { onRefused: (error: ServiceError) => void }): SpeechCharge;
}

/**
 * Charges audio as it arrives, one slice of a session at a time. While the database is unreachable,
 * sessions go on, and their audio is charged later.
 */
export function createSpeechCharges({
  usageMeter,
  log,
}: {
  usageMeter: Pick<UsageMeter, 'chargeSpeech'>;
  log: Logger;
}): SpeechCharges {
  const gathered = new Map<string, Gathered>();
  return {
    open({ onRefused, ...payer }) {
      const name = JSON.stringify([payer.caller.key.keyId, payer.tag]);
      const charge = (speechMs: number) => usageMeter.chargeSpeech({ ...payer, speechMs });
      const gather = (slice: Slice) => {
        let together = gathered.get(name);
        if (together === undefined) {
          const slices: Slice[] = [];
          const charged = delay(GATHERED_MS).then(() => {
            gathered.delete(name);
            return chargeTogether(slices, charge);
          });
          gathered.set(name, (together = { slices, charged }));
        }
        together.slices.push(slice);
        return together.charged;
      };
      return new SessionCharge({ charge, gather, onRefused, log });
    },
  };
}

/** Audio of one session that is charged at once. */
interface Slice {
  of: SessionCharge;
  speechMs: number;
}

/** Slices of one key and tag. */
interface Gathered {
  slices: Slice[];
  /** Resolves when their sessions know the outcome. */
  charged: Promise<void>;
}

/**
 * Charges slices in one. Hundreds of sessions at one event share a key; charged one by one, they would keep the
 * database busy with a single row, and this thread with promises.
 */
async function chargeTogether(
  slices: readonly Slice[],
  charge: (speechMs: number) => Promise<void>,
): Promise<void> {
  const speechMs = slices.reduce((sum, slice) => sum + slice.speechMs, 0);
  const [outcome] = await Promise.allSettled([charge(speechMs)]);
  const isRefused = outcome.status === 'rejected' && isFinal(outcome.reason);
  if (slices.length === 1 || !isRefused) {
    for (const slice of slices) slice.of.take(slice.speechMs, outcome);
    return;
  }
  // The quota is too small for all slices together but may cover some of them.
  const each = slices.map(async (slice) => {
    const [own] = await Promise.allSettled([charge(slice.speechMs)]);
    slice.of.take(slice.speechMs, own);
  });
  await Promise.all(each);
}

interface ChargeOptions {
  charge: (speechMs: number) => Promise<void>;
  /** Charges together with other sessions of the same payer; resolves when the outcome has been taken. */
  gather: (slice: Slice) => Promise<void>;
  onRefused: (error: ServiceError) => void;
  log: Logger;
}

class SessionCharge implements SpeechCharge {
  readonly #options: ChargeOptions;
  #unchargedMs = 0;
  #isRefused = false;
  /** Whether the failure has been logged: audio arrives many times a second. */
  #isLate = false;
  #running: Promise<void> | undefined;

  constructor(options: ChargeOptions) {
    this.#options = options;
  }

  add(durationMs: number): void {
    this.#unchargedMs += durationMs;
    if (this.#unchargedMs < SLICE_MS || this.#isRefused || this.#running !== undefined) return;
    this.#running = this.#options.gather({ of: this, speechMs: this.#nextMs() });
  }

  async settle(): Promise<void> {
    await this.#running;
    this.#unchargedMs = Math.round(this.#unchargedMs);
    const { charge, log } = this.#options;
    for (const pauseMs of [0, ...PAUSES_MS]) {
      if (this.#unchargedMs === 0 || this.#isRefused) return;
      if (pauseMs > 0) await delay(pauseMs);
      const speechMs = this.#nextMs();
      const [outcome] = await Promise.allSettled([charge(speechMs)]);
      this.take(speechMs, outcome);
    }
    if (this.#unchargedMs > 0) log.error({ speechMs: this.#unchargedMs }, 'speech was not charged');
  }

  /** Takes the outcome of a charge. */
  take(speechMs: number, outcome: PromiseSettledResult<void>): void {
    this.#running = undefined;
    if (outcome.status === 'fulfilled') {
      this.#isLate = false;
      return;
    }
    const { onRefused, log } = this.#options;
    const error: unknown = outcome.reason;
    if (isFinal(error)) {
      this.#isRefused = true;
      this.#unchargedMs = 0;
      onRefused(error);
      return;
    }
    this.#unchargedMs += speechMs;
    if (!this.#isLate) log.warn({ err: error, speechMs }, 'speech could not be charged yet');
    this.#isLate = true;
  }

  /** Whole milliseconds to charge next. */
  #nextMs(): number {
    const speechMs = Math.floor(this.#unchargedMs);
    this.#unchargedMs -= speechMs;
    return speechMs;
  }
}

function isFinal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && FINAL_CODES.has(error.code);
}
