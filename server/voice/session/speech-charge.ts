/** Charges the audio of voice sessions to their accounts. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Caller } from '../../http/door.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';

/** Audio charged at a time, in ms; a session may exceed its quota by this much. */
const SLICE_MS = 1_000;
/** Time in which slices of the same key and tag are combined into one charge, in ms. */
const GATHERED_MS = 100;
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
  const gather = createGathering(usageMeter);
  return {
    open: ({ onRefused, ...payer }) =>
      createCharge({
        charge: (speechMs) => usageMeter.chargeSpeech({ ...payer, speechMs }),
        gather: (speechMs) => gather(payer, speechMs),
        onRefused,
        log,
      }),
  };
}

function createCharge({
  charge,
  gather,
  onRefused,
  log,
}: {
  charge: (speechMs: number) => Promise<void>;
  /** Charges together with other sessions of the same payer. */
  gather: (speechMs: number) => Promise<void>;
  onRefused: (error: ServiceError) => void;
  log: Logger;
}): SpeechCharge {
  let uncharged = 0;
  let isRefused = false;
  /** Whether the failure has been logged: audio arrives many times a second. */
  let isLate = false;
  let running: Promise<void> | undefined;

  async function chargeBy(way: typeof charge): Promise<void> {
    const speechMs = Math.floor(uncharged);
    uncharged -= speechMs;
    try {
      await way(speechMs);
      isLate = false;
    } catch (error) {
      if (isFinal(error)) {
        isRefused = true;
        uncharged = 0;
        onRefused(error);
        return;
      }
      uncharged += speechMs;
      if (!isLate) log.warn({ err: error, speechMs }, 'speech could not be charged yet');
      isLate = true;
    }
  }

  return {
    add(durationMs) {
      uncharged += durationMs;
      if (uncharged < SLICE_MS || isRefused || running !== undefined) return;
      running = chargeBy(gather).finally(() => (running = undefined));
    },
    async settle() {
      await running;
      uncharged = Math.round(uncharged);
      for (const pauseMs of [0, ...PAUSES_MS]) {
        if (uncharged === 0 || isRefused) return;
        if (pauseMs > 0) await delay(pauseMs);
        await chargeBy(charge);
      }
      if (uncharged > 0) log.error({ speechMs: uncharged }, 'speech was not charged');
    },
  };
}

function isFinal(error: unknown): error is ServiceError {
  return error instanceof ServiceError && FINAL_CODES.has(error.code);
}

/** Slices of one key and tag that are charged together. */
interface Gathered {
  slicesMs: number[];
  /** Outcome of each slice, in order. */
  outcomes: Promise<readonly PromiseSettledResult<void>[]>;
}

/**
 * Creates a function that combines charges. Hundreds of sessions at one event share a key; charged one by
 * one, they would keep the database busy with a single row, and this thread with the database's messages.
 */
function createGathering({ chargeSpeech }: Pick<UsageMeter, 'chargeSpeech'>) {
  const gathered = new Map<string, Gathered>();

  async function chargeAll(payer: Payer, slicesMs: readonly number[]) {
    const speechMs = slicesMs.reduce((sum, sliceMs) => sum + sliceMs, 0);
    const [outcome] = await Promise.allSettled([chargeSpeech({ ...payer, speechMs })]);
    const isRefused = outcome.status === 'rejected' && isFinal(outcome.reason);
    if (slicesMs.length === 1 || !isRefused) return slicesMs.map(() => outcome);
    // The quota is too small for all slices together but may cover some of them.
    return Promise.allSettled(slicesMs.map((each) => chargeSpeech({ ...payer, speechMs: each })));
  }

  return async (payer: Payer, speechMs: number): Promise<void> => {
    const key = JSON.stringify([payer.caller.key.keyId, payer.tag]);
    let together = gathered.get(key);
    if (together === undefined) {
      const slicesMs: number[] = [];
      const outcomes = delay(GATHERED_MS).then(() => {
        gathered.delete(key);
        return chargeAll(payer, slicesMs);
      });
      gathered.set(key, (together = { slicesMs, outcomes }));
    }
    const index = together.slicesMs.push(speechMs) - 1;
    const outcome = (await together.outcomes)[index];
    if (outcome?.status === 'rejected') throw outcome.reason;
  };
}
