/** Sends notices that wait in the database: each to everyone it is for, once, whichever server does it. */
import { createHash, randomUUID } from 'node:crypto';
import { toServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { ClaimedNotice, UsageNoticeStore } from './usage-notices-store.ts';
import type { Delivery, Mailer } from './smtp-mailer.ts';
import { writeNotice } from './usage-notice-mail.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** A sender that was not heard of for so long is dead: several times what one mail may take. */
const LEASE_MS = 5 * MINUTE_MS;
/** First and longest wait of a notice that could not be sent; greylisting wants some minutes. */
const RETRY_MS = { first: MINUTE_MS, longest: 60 * MINUTE_MS };
/** For so long after its month a notice is still worth reading. */
const STALE_MS = 7 * DAY_MS;
/** How often is looked for new notices, and how rarely at the most while the mail server is away. */
const PERIOD_MS = { usual: 5_000, longest: 5 * MINUTE_MS };

export interface UsageNoticeSender {
  /**
   * Sends what is due now.
   *
   * @returns false when the mail server takes nothing
   * @throws ServiceError of the database
   */
  sendDue(): Promise<boolean>;
}

export interface UsageNoticeOptions {
  notices: UsageNoticeStore;
  /** Undefined: nothing is sent, and somebody is told that notices wait. */
  mailer: Mailer | undefined;
  log: Logger;
  now?: () => number;
}

export function createUsageNoticeSender(options: UsageNoticeOptions): UsageNoticeSender {
  const { notices, mailer, log, now = Date.now } = options;
  const tellOfWaiting = createTellTale(options);
  const firstMonth = () => new Date(now() - STALE_MS).toISOString().slice(0, 7);

  /** @returns false when the mail server takes nothing */
  async function deliver(notice: ClaimedNotice, by: Mailer): Promise<boolean> {
    const { noticeId, claimId } = notice;
    const told = new Set(notice.told);
    let isServing = true;
    let isForLater = false;
    for (const address of inTurn(notice)) {
      if (told.has(address)) continue;
      const outcome = await attempt(notice, address, by);
      if (outcome === 'accepted' || outcome === 'refused') {
        told.add(address);
        const progress = { told: [...told], untilMs: now() + LEASE_MS };
        // Given up for dead: another server goes on with it.
        if (!(await notices.noteTold(noticeId, claimId, progress))) return true;
        continue;
      }
      isForLater = true;
      isServing = outcome === 'later';
      if (!isServing) break;
    }
    if (isForLater) await notices.postpone(noticeId, claimId, now() + retryMs(notice.attempt));
    else await notices.close(noticeId, claimId, now());
    return isServing;
  }

  async function attempt(notice: ClaimedNotice, address: string, by: Mailer) {
    const { noticeId, accountId } = notice;
    try {
      const messageId = messageIdOf(noticeId, address, by.domain);
      const mail = { to: address, messageId, ...writeNotice(notice) };
      const { outcome, reply } = await by.send(mail);
      const advice = adviceOn(outcome, reply);
      if (advice !== undefined) log.warn({ accountId, noticeId, reply }, advice);
      return outcome;
    } catch (error) {
      const { message, detail } = toServiceError(error);
      const advice = 'A notice could not be sent and is tried again: see to the mail server.';
      log.warn({ noticeId, error: message, reply: detail }, advice);
      return 'unavailable';
    }
  }

  return {
    async sendDue() {
      await tellOfWaiting(firstMonth());
      while (mailer !== undefined) {
        const atMs = now();
        const notice = await notices.claim({
          claimId: randomUUID(),
          atMs,
          untilMs: atMs + LEASE_MS,
          firstMonth: firstMonth(),
        });
        if (notice === undefined) return true;
        if (!(await deliver(notice, mailer))) return false;
      }
      return true;
    },
  };
}

/** Each attempt starts with another address: one at which the server hangs up does not stop the others. */
function inTurn({ emails, attempt }: ClaimedNotice): string[] {
  const first = (attempt - 1) % Math.max(1, emails.length);
  return [...emails.slice(first), ...emails.slice(0, first)];
}

/** What to do about an answer of a mail server; undefined when time will do. */
function adviceOn(outcome: Delivery['outcome'], reply: string): string | undefined {
  if (outcome === 'refused') {
    return 'A mail server knows no such address and it is given up: correct the addresses of the account (account change).';
  }
  if (outcome === 'later' && reply.startsWith('5')) {
    return 'A mail server refuses a notice, which is tried again: do SMTP_URL have the user and the password it wants, and SMTP_FROM a sender it takes?';
  }
  return undefined;
}

/**
 * The same whenever the same notice goes to the same address again: after a crash nobody knows whether
 * the first one arrived, and mail programs show mails of one name once.
 */
function messageIdOf(noticeId: string, address: string, domain: string): string {
  const recipient = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return `<usage.${noticeId}.${recipient}@${domain}>`;
}

function retryMs(attempt: number): number {
  return Math.min(RETRY_MS.first * 2 ** (attempt - 1), RETRY_MS.longest);
}

/** Says once that notices wait which cannot be sent. */
function createTellTale({ notices, mailer, log }: UsageNoticeOptions) {
  const unsaid = new Set(mailer === undefined ? ['mailer', 'addresses'] : ['addresses']);
  const say = (what: string, count: number, message: string) => {
    if (count === 0 || !unsaid.delete(what)) return;
    log.warn({ count }, message);
  };
  return async (firstMonth: string): Promise<void> => {
    if (unsaid.size === 0) return;
    const { addressed, unaddressed } = await notices.countOpen(firstMonth);
    say(
      'mailer',
      addressed,
      'Notices of limits wait: SMTP_URL and SMTP_FROM say how to send them.',
    );
    say(
      'addresses',
      unaddressed,
      'Notices of limits wait: their accounts name nobody to be told (account change --add-email).',
    );
  };
}

/** Looks for notices now and again until it is stopped. */
export function startUsageNotices(options: UsageNoticeOptions) {
  const { log } = options;
  const sender = createUsageNoticeSender(options);
  let periodMs = PERIOD_MS.usual;
  let isStopped = false;
  let timer: NodeJS.Timeout | undefined;
  let running = look();

  async function look(): Promise<void> {
    let isServing = false;
    try {
      isServing = await sender.sendDue();
    } catch (error) {
      log.warn({ error: toServiceError(error).message }, 'Notices could not be looked for yet.');
    }
    periodMs = isServing ? PERIOD_MS.usual : Math.min(periodMs * 2, PERIOD_MS.longest);
    if (isStopped) return;
    timer = setTimeout(() => void (running = look()), periodMs);
    timer.unref();
  }

  return {
    /** Waits for a mail that is on its way, but no longer than that many ms. */
    async stop(limitMs: number): Promise<void> {
      isStopped = true;
      clearTimeout(timer);
      let limit: NodeJS.Timeout | undefined;
      const atLast = new Promise<void>((resolve) => (limit = setTimeout(resolve, limitMs)));
      await Promise.race([running, atLast]);
      clearTimeout(limit);
    },
  };
}
