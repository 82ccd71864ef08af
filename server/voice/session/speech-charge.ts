/** The audio of sessions on its way to the bill. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Caller } from '../../http/door.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';

/** Audio of a session that is charged at a time, in ms: what it may go beyond its limit. */
const SLICE_MS = 1_000;
/** Slices of one key and tag that fall due within so long, in ms, are one charge. */
const GATHERED_MS = 100;
/** Waits for a database that is away when a session is over, in ms. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];

/** Refusals that stay; anything else is tried again. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'key_deactivated']);

/** The charge of one session. */
export interface SpeechCharge {
  /** Counts audio that was received, in ms. */
  add(durationMs: number): void;
  /** Charges what is left, for some seconds if it must; never fails. */
  settle(): Promise<void>;
}

/** Whom the audio of a session is charged to. */
interface Payer {
  caller: Caller;
  tag: string | null;
}

export interface SpeechCharges {
  /** @param onRefused told once the limit of the key or of the account is reached, or the key has been deactivated */
  open(options: Payer & { onRefused: (error: ServiceError) => void }): SpeechCharge;
}

/**
 * Charges audio while it comes, a slice of a session at a time and one after the other. While the
 * database is away sessions go on, and what was heard is charged when it is back.
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
  /** With what others owe. */
  gather: (speechMs: number) => Promise<void>;
  onRefused: (error: ServiceError) => void;
  log: Logger;
}): SpeechCharge {
  let uncharged = 0;
  let isRefused = false;
  /** Whether it was said that the database does not take it: audio comes many times a second. */
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

/** Slices of one key and tag on their way together. */
interface Gathered {
  slicesMs: number[];
  /** Of each slice, in their order. */
  outcomes: Promise<readonly PromiseSettledResult<void>[]>;
}

/**
 * Hundreds of sessions of one event have one key: charged one by one they would keep the database, and
 * its messages this thread, busy with a row that all of them share.
 */
function createGathering({ chargeSpeech }: Pick<UsageMeter, 'chargeSpeech'>) {
  const gathered = new Map<string, Gathered>();

  async function chargeAll(payer: Payer, slicesMs: readonly number[]) {
    const speechMs = slicesMs.reduce((sum, sliceMs) => sum + sliceMs, 0);
    const [outcome] = await Promise.allSettled([chargeSpeech({ ...payer, speechMs })]);
    const isRefused = outcome.status === 'rejected' && isFinal(outcome.reason);
    if (slicesMs.length === 1 || !isRefused) return slicesMs.map(() => outcome);
    // There is no room for all of them, but there may be for some.
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
