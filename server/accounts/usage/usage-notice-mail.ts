/** What people read when a key comes near its limit: the facts, what follows, and no secrets. */
import type { ClaimedNotice } from './usage-notices-store.ts';

const MINUTE_MS = 60_000;
const GREEN = '#2f7d5b';
const RED = '#b3402e';

/** Subject and both forms of the text. */
export interface NoticeText {
  subject: string;
  text: string;
  html: string;
}

/** Writes the mail of a notice. */
export function writeNotice(notice: ClaimedNotice): NoticeText {
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

/** Whether the limit has refused a request that needs more than is left, and something is left. */
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
  // Speech is charged when it has been heard, and fits while anything is left.
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

/** Tables and styles in place: what mail programs understand. */
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

/** How far the limit is used up, as a picture that needs no picture. */
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
  // Months count from 0 here: the number of one is the index of the next.
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

/** A label is whatever somebody typed. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
