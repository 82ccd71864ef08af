/**
 * The usage meter: charges requests before their work, refunds them when it fails, and reports
 * usage by month.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { NO_LIMIT, type UsageReport } from '../../../shared/schemas/usage.ts';
import type { Caller } from '../../http/door.ts';
import type { Logger } from '../../process/log.ts';
import type { ChargeOutcome, UsageKind, UsageTotals } from './usage-counters-store.ts';
import { type Charge, OutcomeUnknown, type UsageStore } from './store.ts';

const MINUTE_MS = 60_000;
/** Interval between attempts to write refunds while the database is unreachable, in ms. */
const REFUND_AGAIN_MS = 2000;
/** Limit on queued refunds: about 2 MB. */
const MOST_REFUNDS = 10_000;

/** Characters charged in advance for a request. */
export interface Reservation {
  /**
   * Refunds the charge because the work failed; further calls have no effect. While the database is
   * unreachable, the refund is queued until it is back or the server stops; refunds that are lost
   * are logged.
   */
  giveBack(): Promise<void>;
}

/** Everything that a request will use. */
interface Use {
  caller: Caller;
  kind: Exclude<UsageKind, 'speech'>;
  /** Unicode code points. */
  characters: number;
  /** From `parseReportingTag`. */
  tag: string | null;
}

export interface UsageMeter {
  /**
   * Charges a request for everything it will use, or for nothing.
   *
   * @throws ServiceError quota_exceeded when the limit of the key or of the account leaves no room;
   *   key_deactivated
   */
  reserve(use: Use): Promise<Reservation>;
  /**
   * Runs work that is charged for. Charge and work run concurrently, because nearly every charge succeeds; a
   * caller whose last charge was refused is charged first. No result is returned without a charge, and a failed
   * result is refunded.
   *
   * @param abort aborted when the charge or the work fails
   * @throws as {@link reserve}; the error of the work
   */
  whileCharged<Result>(
    use: Use,
    abort: AbortController,
    work: () => Promise<Result>,
  ): Promise<Result>;
  /**
   * Charges speech after it was heard, or nothing; 0 checks whether anything is left.
   *
   * @param speech ms, a whole number
   * @throws ServiceError quota_exceeded, key_deactivated
   */
  chargeSpeech(use: { caller: Caller; speechMs: number; tag: string | null }): Promise<void>;
  /** Usage of the caller's account and key in this month. */
  report(caller: Caller): Promise<UsageReport>;
  /** Writes the queued refunds, and logs those that are lost; nothing is queued from now on. */
  stop(): Promise<void>;
}

/** Makes the meter over stored usage. */
export function createUsageMeter({
  usage,
  hurry,
  log,
  refundAgainMs = REFUND_AGAIN_MS,
}: {
  usage: UsageStore;
  /** Called when somebody waits for a charge, a check or a refund. */
  hurry: () => void;
  log: Pick<Logger, 'error'>;
  refundAgainMs?: number;
}): UsageMeter {
  const refusedKeys = new Set<string>();
  const refunds = createRefunds({ usage, hurry, log, againMs: refundAgainMs });

  /** A failed charge counts nothing, even if it turns out later that it was written. */
  async function chargeOrNothing(charge: Charge): Promise<ChargeOutcome> {
    try {
      return await usage.charge(charge);
    } catch (error) {
      if (error instanceof OutcomeUnknown) refunds.giveBackIfCharged(charge, error);
      throw error;
    }
  }

  /** Charges a request, in a while: see {@link hurry}. */
  async function charge({ caller, kind, characters, tag }: Use): Promise<Reservation> {
    const { accountId } = caller.account;
    const { keyId } = caller.key;
    const wish = { accountId, keyId, kind, amount: characters, atMs: Date.now(), tag };
    const outcome = await chargeOrNothing(wish);
    if (outcome !== 'charged') {
      refusedKeys.add(keyId);
      throw refusal(outcome, wish.atMs);
    }
    refusedKeys.delete(keyId);
    let refund: Promise<void> | undefined;
    return { giveBack: () => (refund ??= refunds.giveBack(wish)) };
  }

  return {
    stop: () => refunds.stop(),

    async chargeSpeech({ caller, speechMs, tag }) {
      const { accountId } = caller.account;
      const { keyId } = caller.key;
      const charge = { accountId, keyId, kind: 'speech' as const, amount: speechMs, tag };
      const charging = chargeOrNothing({ ...charge, atMs: Date.now() });
      // Who opens a session waits for the check, but nobody for what was heard.
      if (speechMs === 0) hurry();
      const outcome = await charging;
      if (outcome !== 'charged') throw refusal(outcome, Date.now());
    },

    reserve(use) {
      const charging = charge(use);
      hurry();
      return charging;
    },

    whileCharged: createChargedWork({
      charge,
      hurry,
      chargesFirst: ({ caller }) => refusedKeys.has(caller.key.keyId),
    }),

    report: (caller) => reportOf(usage, caller),
  };
}

/** Makes {@link UsageMeter.whileCharged}. */
function createChargedWork({
  charge,
  hurry,
  chargesFirst,
}: {
  charge: (use: Use) => Promise<Reservation>;
  hurry: () => void;
  chargesFirst: (use: Use) => boolean;
}): UsageMeter['whileCharged'] {
  return async (use, abort, work) => {
    abort.signal.throwIfAborted();
    let isAwaited = true;
    const charging = charge(use).finally(() => (isAwaited = false));
    try {
      if (chargesFirst(use)) {
        hurry();
        await charging;
      }
      const working = work().finally(() => {
        if (isAwaited) hurry();
      });
      const [result] = await Promise.all([working, charging]);
      return result;
    } catch (error) {
      abort.abort(error);
      const reservation = await charging.catch(() => undefined);
      await reservation?.giveBack();
      throw error;
    }
  };
}

async function reportOf(usage: UsageStore, caller: Caller): Promise<UsageReport> {
  const atMs = Date.now();
  const { account, key } = caller;
  const used = await usage.ofMonth(account.accountId, key.keyId, atMs);
  const report = {
    character_count: characters(used.account),
    character_limit: account.limits.characters ?? NO_LIMIT,
  };
  return account.plan === 'free' ? report : { ...report, ...proReport(caller, used, atMs) };
}

interface Refunds {
  /** @throws ServiceError if the refund is lost, which is logged */
  giveBack(charge: Charge): Promise<void>;
  /** Refunds a charge of which its caller does not know whether it was written. */
  giveBackIfCharged(charge: Charge, unknown: OutcomeUnknown): void;
  stop(): Promise<void>;
}

interface WaitingRefund {
  charge: Charge;
  /** @throws ServiceError storage_unavailable while that is unknown */
  isDue: () => Promise<boolean>;
}

/** Writes a refund if it is due, and not again if it has perhaps been written. */
async function writeRefund(usage: RefundOptions['usage'], refund: WaitingRefund): Promise<void> {
  try {
    if (await refund.isDue()) await usage.refund(refund.charge);
  } catch (error) {
    if (error instanceof OutcomeUnknown) {
      refund.isDue = async () => (await error.find()) === undefined;
    }
    throw error;
  }
}

interface RefundOptions {
  usage: Pick<UsageStore, 'refund'>;
  hurry: () => void;
  log: Pick<Logger, 'error'>;
  againMs: number;
}

/** For refunds that a caller waits for. */
function hurriedRefunds({ usage, hurry }: Pick<RefundOptions, 'usage' | 'hurry'>) {
  return {
    refund(charge: Charge) {
      const writing = usage.refund(charge);
      hurry();
      return writing;
    },
  };
}

/** Makes refunds, which are queued while the database is unreachable. */
function createRefunds({ usage, hurry, log, againMs }: RefundOptions): Refunds {
  const waiting: WaitingRefund[] = [];
  let trying = Promise.resolve();
  let isStopped = false;
  const hurried = hurriedRefunds({ usage, hurry });
  const later = () => {
    const retry = () => {
      trying = tryAgain();
    };
    setTimeout(retry, againMs).unref();
  };
  const tellLost = (charge: Charge, error: unknown) => logLoss(log, charge, error);

  async function tryAgain(): Promise<void> {
    for (let next = waiting[0]; next !== undefined; next = waiting[0]) {
      try {
        await writeRefund(usage, next);
      } catch (error) {
        if (isAway(error)) {
          // Possibly only this account's row is locked, so the others are tried first.
          waiting.push(...waiting.splice(0, 1));
          if (!isStopped) later();
          return;
        }
        tellLost(next.charge, error);
      }
      waiting.shift();
    }
  }

  /** @returns false when the refund is lost, which is logged */
  function enqueue(refund: WaitingRefund, error: unknown): boolean {
    const hasRoom = !isStopped && waiting.length < MOST_REFUNDS;
    if (!hasRoom) tellLost(refund.charge, error);
    else if (waiting.push(refund) === 1) later();
    return hasRoom;
  }

  return {
    async giveBack(charge) {
      const refund = { charge, isDue: () => Promise.resolve(true) };
      try {
        await writeRefund(hurried, refund);
      } catch (error) {
        if (!isAway(error)) tellLost(charge, error);
        else if (enqueue(refund, error)) return;
        throw error;
      }
    },

    giveBackIfCharged(charge, unknown) {
      const isDue = async () => (await unknown.find())?.result === 'charged';
      enqueue({ charge, isDue }, unknown);
    },

    async stop() {
      isStopped = true;
      await trying;
      const last = waiting.splice(0).map(async (refund) => {
        const lose = (error: unknown) => tellLost(refund.charge, error);
        await writeRefund(usage, refund).catch(lose);
      });
      await Promise.all(last);
    },
  };
}

function logLoss(log: Pick<Logger, 'error'>, charge: Charge, error: unknown): void {
  log.error(
    { ...charge, error: String(error) },
    'A charge could not be refunded: the recorded usage of this ' +
      'account and key is too high by its amount.',
  );
}

function isAway(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'storage_unavailable';
}

/** The error for callers whose key was deactivated meanwhile. */
export function keyDeactivated(): ServiceError {
  return new ServiceError('key_deactivated', 'The API key has been deactivated.');
}

function refusal(outcome: Exclude<ChargeOutcome, 'charged'>, atMs: number): ServiceError {
  if (outcome === 'key_deactivated') return keyDeactivated();
  const whose = outcome === 'key_limit_reached' ? 'this API key' : 'the account';
  return new ServiceError('quota_exceeded', 'Quota for this billing period has been exceeded.', {
    detail: `The limit of ${whose} does not leave room for the request; ${countsAnew(atMs)}.`,
  });
}

/** When limits reset, in words. */
function countsAnew(atMs: number): string {
  return `it counts anew from ${monthOf(atMs).end_time.slice(0, 10)} (UTC)`;
}

function proReport(
  { account, key }: Caller,
  used: { account: UsageTotals; key: UsageTotals },
  atMs: number,
): Partial<UsageReport> {
  const { speechMs } = account.limits;
  return {
    products: [
      inCharacters('translate', translated(used.key), translated(used.account)),
      inCharacters('write', used.key.write, used.account.write),
      {
        product_type: 'speechToText',
        billing_unit: 'minutes',
        api_key_unit_count: begunMinutes(used.key.speech),
        account_unit_count: begunMinutes(used.account.speech),
        api_key_character_count: 0,
        character_count: 0,
      },
    ],
    api_key_character_count: characters(used.key),
    api_key_character_limit: key.limits.characters ?? NO_LIMIT,
    speech_to_text_milliseconds_count: used.account.speech,
    speech_to_text_milliseconds_limit: speechMs ?? NO_LIMIT,
    speech_to_text_minutes_count: begunMinutes(used.account.speech),
    speech_to_text_minutes_limit: speechMs === null ? NO_LIMIT : Math.floor(speechMs / MINUTE_MS),
    ...monthOf(atMs),
  };
}

function inCharacters(product: 'translate' | 'write', ofKey: number, ofAccount: number) {
  return {
    product_type: product,
    billing_unit: 'characters' as const,
    api_key_unit_count: ofKey,
    account_unit_count: ofAccount,
    api_key_character_count: ofKey,
    character_count: ofAccount,
  };
}

function translated({ text, document }: UsageTotals): number {
  return text + document;
}

function characters(totals: UsageTotals): number {
  return translated(totals) + totals.write;
}

function begunMinutes(ms: number): number {
  return Math.ceil(ms / MINUTE_MS);
}

/** The month (UTC) that contains a time, as ISO 8601; its end is the start of the next. */
export function monthOf(atMs: number): { start_time: string; end_time: string } {
  const date = new Date(atMs);
  const start = (monthsLater: number) =>
    new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + monthsLater)).toISOString();
  return { start_time: start(0), end_time: start(1) };
}
