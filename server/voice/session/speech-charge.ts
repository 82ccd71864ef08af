/** The audio of one session on its way to the bill. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError, type ErrorCode } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Caller } from '../../http/door.ts';
import type { UsageMeter } from '../../accounts/usage/usage.ts';

/** Audio that is charged at a time, in ms: what a session may go beyond its limit. */
const SLICE_MS = 1_000;
/** Waits for a database that is away when a session is over, in ms. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000];

/** Refusals that stay; anything else is tried again. */
const FINAL_CODES: ReadonlySet<ErrorCode> = new Set(['quota_exceeded', 'key_deactivated']);

export interface SpeechCharge {
  /** Counts audio that was received, in ms. */
  add(durationMs: number): void;
  /** Charges what is left, for some seconds if it must; never fails. */
  settle(): Promise<void>;
}

export interface SpeechChargeOptions {
  usageMeter: UsageMeter;
  caller: Caller;
  tag: string | null;
  log: Logger;
  /** Told once the limit of the key or of the account is reached, or the key has been deactivated. */
  onRefused: (error: ServiceError) => void;
}

/**
 * Charges audio while it comes, a slice at a time and one charge after the other. While the database
 * is away the session goes on, and what was heard is charged when it is back.
 */
export function createSpeechCharge(options: SpeechChargeOptions): SpeechCharge {
  const { usageMeter, caller, tag, log, onRefused } = options;
  let uncharged = 0;
  let isRefused = false;
  let running: Promise<void> | undefined;

  async function charge(): Promise<void> {
    const speechMs = Math.floor(uncharged);
    uncharged -= speechMs;
    try {
      await usageMeter.chargeSpeech({ caller, speechMs, tag });
    } catch (error) {
      if (error instanceof ServiceError && FINAL_CODES.has(error.code)) {
        isRefused = true;
        uncharged = 0;
        onRefused(error);
        return;
      }
      uncharged += speechMs;
      log.warn({ err: error, speechMs }, 'speech could not be charged yet');
    }
  }

  return {
    add(durationMs) {
      uncharged += durationMs;
      if (uncharged < SLICE_MS || isRefused || running !== undefined) return;
      running = charge().finally(() => (running = undefined));
    },
    async settle() {
      await running;
      uncharged = Math.round(uncharged);
      for (const pauseMs of [0, ...PAUSES_MS]) {
        if (uncharged === 0 || isRefused) return;
        if (pauseMs > 0) await delay(pauseMs);
        await charge();
      }
      if (uncharged > 0) log.error({ speechMs: uncharged }, 'speech was not charged');
    },
  };
}
