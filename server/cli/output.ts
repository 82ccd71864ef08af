/** Output of the commands: text for people, JSON for programs. */
import type { Account, ApiKey, UsageLimits } from '../http/door.ts';
import type { UsageTotals } from '../accounts/administration.ts';

/** An answer in both forms. */
export interface Answer {
  json: unknown;
  text: string;
}

/** An account as JSON. */
export function accountJson(account: Account) {
  return {
    account_id: account.accountId,
    name: account.name,
    plan: account.plan,
    features: account.features,
    usage_limits: limitsJson(account.limits),
    origins: account.origins,
    emails: account.emails,
    creation_time: isoTime(account.createdAtMs),
  };
}

/** A key as JSON. */
export function keyJson(key: ApiKey) {
  return {
    key_id: key.keyId,
    kind: key.kind,
    label: key.label,
    masked: key.masked,
    usage_limits: limitsJson(key.limits),
    creation_time: isoTime(key.createdAtMs),
    deactivated_time: key.deactivatedAtMs === null ? null : isoTime(key.deactivatedAtMs),
    is_deactivated: key.deactivatedAtMs !== null,
  };
}

/** Usage as JSON. */
export function usageJson({ text, document, write, speech }: UsageTotals) {
  return { characters: text + document + write, speech_to_text_milliseconds: speech };
}

/** Formats labelled lines with aligned values. */
export function fields(entries: readonly (readonly [label: string, value: string])[]): string {
  const width = Math.max(...entries.map(([label]) => label.length));
  return entries.map(([label, value]) => `${label.padEnd(width)}  ${value}`.trimEnd()).join('\n');
}

/** Formats a table; each column is as wide as its widest cell. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [head, ...rows];
  const widths = head.map((_, column) =>
    Math.max(...lines.map((line) => widthOf(line[column] ?? ''))),
  );
  return lines
    .map((line) => line.map((cell, column) => padded(cell, widths[column] ?? 0)).join('  '))
    .map((line) => line.trimEnd())
    .join('\n');
}

/** Characters that take two columns. */
const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\u{20000}-\u{3ffff}]|\p{Emoji_Presentation}/u;

/** Returns the columns that a text takes on a terminal, at the most. */
export function widthOf(text: string): number {
  let width = 0;
  for (const character of text) width += WIDE.test(character) ? 2 : 1;
  return width;
}

function padded(text: string, columns: number): string {
  return text + ' '.repeat(Math.max(0, columns - widthOf(text)));
}

/** Formats usage and limit: `1,200 of 5,000 characters`. */
export function shareText(used: number, limit: number | null, unit: string): string {
  return `${used.toLocaleString('en')} of ${limitText(limit)} ${unit}`;
}

/** Formats a limit. */
export function limitText(limit: number | null): string {
  return limit === null ? 'unlimited' : limit.toLocaleString('en');
}

/** Converts milliseconds to minutes, rounded up. */
export function minutes(ms: number): number {
  return Math.ceil(ms / 60_000);
}

/** Formats the day of a time (UTC). */
export function dayText(atMs: number): string {
  return isoTime(atMs).slice(0, 10);
}

function limitsJson({ characters, speechMs }: UsageLimits) {
  return { characters, speech_to_text_milliseconds: speechMs };
}

function isoTime(atMs: number): string {
  return new Date(atMs).toISOString();
}
