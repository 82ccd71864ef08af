/**
 * Sends the usage notices that wait in the database: each once to every address, by whichever
 * server claims it.
 */
import { createHash, randomUUID } from 'node:crypto';
import { toServiceError } from '../../../shared/errors.ts';
import type { Logger } from '../../process/log.ts';
import type { Delivery, Mailer } from './smtp-mailer.ts';
import type { ClaimedNotice, UsageNoticeStore } from './usage-notices-store.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
/** Lease of a sender, in ms: several times the longest duration of one mail. */
const LEASE_MS = 5 * MINUTE_MS;
/**
 * First and longest delay before a failed notice is tried again, in ms; greylisting requires some
 * minutes.
 */
const RETRY_MS = { first: MINUTE_MS, longest: 60 * MINUTE_MS };
/** Time after the end of its month during which a notice is still worth sending, in ms. */
const STALE_MS = 7 * DAY_MS;
/** Interval between checks for notices, in ms: usual, and longest while the mail server is unreachable. */
const PERIOD_MS = { usual: 5_000, longest: 5 * MINUTE_MS };

interface UsageNoticeSender {
  /**
   * Sends all notices that are due.
   *
   * @returns false when the mail server accepts nothing
   * @throws ServiceError of the database
   */
  sendDue(): Promise<boolean>;
}

interface UsageNoticeOptions {
  notices: UsageNoticeStore;
  /** If undefined, nothing is sent, and the log reports waiting notices. */
  mailer: Mailer | undefined;
  log: Logger;
  now?: () => number;
}

export function createUsageNoticeSender(options: UsageNoticeOptions): UsageNoticeSender {
  const { notices, mailer, log, now = Date.now } = options;
  const tellOfWaiting = createWaitingNoticeWarning(options);
  const firstMonth = () => new Date(now() - STALE_MS).toISOString().slice(0, 7);

  /** @returns false when the mail server accepts nothing */
  async function deliver(notice: ClaimedNotice, by: Mailer): Promise<boolean> {
    const { noticeId, claimId } = notice;
    const notified = new Set(notice.notified);
    let isServing = true;
    let isForLater = false;
    for (const address of inTurn(notice)) {
      if (notified.has(address)) continue;
      const outcome = await attempt(notice, address, by);
      if (outcome === 'accepted' || outcome === 'refused') {
        notified.add(address);
        const progress = { notified: [...notified], untilMs: now() + LEASE_MS };
        // The claim was lost to another server, which continues.
        if (!(await notices.noteProgress(noticeId, claimId, progress))) return true;
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
      const advice = 'A notice could not be sent and will be tried again: check the mail server.';
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

/** Rotates the addresses by attempt, so that one at which the server hangs up does not block the others. */
function inTurn({ emails, attempt }: ClaimedNotice): string[] {
  const first = (attempt - 1) % Math.max(1, emails.length);
  return [...emails.slice(first), ...emails.slice(0, first)];
}

/** Returns advice for the operator on a mail server's answer; undefined when waiting suffices. */
function adviceOn(outcome: Delivery['outcome'], reply: string): string | undefined {
  if (outcome === 'refused') {
    return (
      'A mail server rejected an address as unknown, and the notice is given ' +
      'up: correct the addresses of the account (account change).'
    );
  }
  if (outcome === 'later' && reply.startsWith('5')) {
    return (
      'A mail server refuses a notice, which will be tried again: check user ' +
      'and password in SMTP_URL and the sender in SMTP_FROM.'
    );
  }
  return undefined;
}

/**
 * Returns a message id that is the same whenever a notice goes to the same address again: after a
 * crash it is unknown whether the first mail arrived, and mail programs show messages with equal
 * ids once.
 */
function messageIdOf(noticeId: string, address: string, domain: string): string {
  const recipient = createHash('sha256').update(address).digest('hex').slice(0, 16);
  return `<usage.${noticeId}.${recipient}@${domain}>`;
}

function retryMs(attempt: number): number {
  return Math.min(RETRY_MS.first * 2 ** (attempt - 1), RETRY_MS.longest);
}

/** Makes a function that logs once that notices wait which cannot be sent. */
function createWaitingNoticeWarning({ notices, mailer, log }: UsageNoticeOptions) {
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
      'Notices about limits are waiting: set SMTP_URL and SMTP_FROM to send them.',
    );
    say(
      'addresses',
      unaddressed,
      'Notices about limits are waiting: their accounts have no ' +
        'e-mail address (account change --add-email).',
    );
  };
}

/** Starts checking for notices periodically, until stopped. */
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
      log.warn(
        { error: toServiceError(error).message },
        'Due notices could not be determined yet.',
      );
    }
    periodMs = isServing ? PERIOD_MS.usual : Math.min(periodMs * 2, PERIOD_MS.longest);
    if (isStopped) return;
    timer = setTimeout(() => void (running = look()), periodMs);
    timer.unref();
  }

  return {
    /** Waits for a mail in transit, at most that many ms. */
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

// The text of the mails: the facts and their consequences, without secrets.

const GREEN = '#2f7d5b';
const RED = '#b3402e';

/** Subject and both forms of the body. */
interface NoticeText {
  subject: string;
  text: string;
  html: string;
}

/** Writes the mail of a notice. */
function writeNotice(notice: ClaimedNotice): NoticeText {
  const { keyLabel, keyMasked, accountName, resource } = notice;
  const what = resource === 'speech' ? 'speech' : 'characters';
  const key = `“${keyLabel}” (${keyMasked})`;
  const subject = isRefusing(notice)
    ? `API key “${keyLabel}” has not enough ${what} left this month`
    : `API key “${keyLabel}” has used ${partOf(notice)} of its ${what} this month`;
  const facts: [name: string, value: string][] = [
    ['Key', key],
    ['Account', accountName],
    [
      'Used',
      `${amountText(notice.used, notice)} of ${amountText(notice.limit, notice)} ${unit(notice)}`,
    ],
    [
      isRefusing(notice) ? 'Refused' : 'Reached',
      `${dayText(notice.reachedAtMs)}, ${timeText(notice.reachedAtMs)} UTC`,
    ],
  ];
  const allowed = `the ${what} it may use in ${monthText(notice.month)}`;
  const first = isRefusing(notice)
    ? `A request of the API key ${key} was refused: it needs more than is left of ${allowed}.`
    : `The API key ${key} has used ${partOf(notice)} of ${allowed}.`;
  const paragraphs = [first, consequence(notice)];
  const footer =
    'You get this because your address is kept with the account. Nobody needs to answer.';
  return {
    subject,
    text: textOf({ paragraphs, facts, footer }),
    html: htmlOf({ paragraphs, facts, footer, notice }),
  };
}

/** Whether the limit has refused a request although some of it is left. */
function isRefusing({ percent, used, limit }: ClaimedNotice): boolean {
  return percent >= 100 && used < limit;
}

function partOf({ percent }: ClaimedNotice): string {
  return percent >= 100 ? 'all' : `${percent} %`;
}

function consequence(notice: ClaimedNotice): string {
  const { percent, month, resource } = notice;
  const until = `${dayText(nextMonthMs(month))}, 00:00 UTC`;
  const requests = resource === 'speech' ? 'voice sessions' : 'requests';
  const refusal = `refused with status 456 until ${until}, or until somebody raises the limit.`;
  if (percent >= 100 && !isRefusing(notice)) return `From now on its ${requests} are ${refusal}`;
  // Speech is charged after it was heard, and fits as long as anything is left.
  const which = resource === 'speech' ? 'when nothing is left' : 'that need more than is left';
  return `Its ${requests} go on; those ${which} are ${refusal}`;
}

interface Parts {
  paragraphs: readonly string[];
  facts: readonly (readonly [name: string, value: string])[];
  footer: string;
}

function textOf({ paragraphs: [first = '', ...rest], facts, footer }: Parts): string {
  const table = facts.map(([name, value]) => `${name.padEnd(8)} ${value}`).join('\n');
  return `${[first, table, ...rest, '-- ', footer].join('\n\n').replace('-- \n\n', '-- \n')}\n`;
}

/** Uses tables and inline styles, which mail programs support. */
function htmlOf({ paragraphs, facts, footer, notice }: Parts & { notice: ClaimedNotice }): string {
  const [first = '', ...rest] = paragraphs.map(escaped);
  const rows = facts.map(
    ([name, value]) =>
      `<tr><td style="padding:4px 24px 4px 0;opacity:.7">${escaped(name)}</td><td style="padding:4px 0">${escaped(value)}</td></tr>`,
  );
  return [
    '<!doctype html>',
    '<html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"></head>',
    '<body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif">',
    '<div style="max-width:560px;margin:0 auto">',
    `<p style="margin:0 0 16px">${first}</p>`,
    bar(notice),
    `<table role="presentation" cellspacing="0" cellpadding="0" style="margin:16px 0;font-size:15px">${rows.join('')}</table>`,
    ...rest.map((paragraph) => `<p style="margin:0 0 16px">${paragraph}</p>`),
    `<p style="margin:24px 0 0;opacity:.7;font-size:13px">${escaped(footer)}</p>`,
    '</div></body></html>',
    '',
  ].join('\n');
}

/** A bar that shows how much of the limit is used, without an image. */
function bar({ used, limit, percent }: ClaimedNotice): string {
  const full = Math.min(100, Math.floor((100 * used) / limit));
  const colour = percent >= 100 ? RED : GREEN;
  return [
    '<table role="presentation" width="100%" cellspacing="0" cellpadding="0" style="background:rgba(128,128,128,.25);border-radius:4px"><tr>',
    `<td width="${full}%" style="height:8px;background:${colour};border-radius:4px;font-size:0">&nbsp;</td>`,
    full < 100 ? `<td width="${100 - full}%" style="height:8px;font-size:0">&nbsp;</td>` : '',
    '</tr></table>',
  ].join('');
}

function amountText(amount: number, { resource }: ClaimedNotice): string {
  const shown = resource === 'speech' ? amount / MINUTE_MS : amount;
  return shown.toLocaleString('en', { maximumFractionDigits: 1 });
}

function unit({ resource }: ClaimedNotice): string {
  return resource === 'speech' ? 'minutes' : 'characters';
}

/** `November 2026` */
function monthText(month: string): string {
  return new Intl.DateTimeFormat('en', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(
    new Date(`${month}-01T00:00:00Z`),
  );
}

function nextMonthMs(month: string): number {
  const [year = 0, number = 1] = month.split('-').map(Number);
  // JavaScript months count from 0, so the number of a month is the index of the next.
  return Date.UTC(year, number);
}

/** `21 November 2026` */
function dayText(atMs: number): string {
  return new Intl.DateTimeFormat('en-GB', { dateStyle: 'long', timeZone: 'UTC' }).format(atMs);
}

/** `14:03` */
function timeText(atMs: number): string {
  return new Date(atMs).toISOString().slice(11, 16);
}

/** Escapes user input, such as labels, for HTML. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
