/** Formats numbers, times and sizes for pages, in the language of the browser. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat(undefined, {
  notation: 'compact',
  maximumSignificantDigits: 3,
});
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' });
const utcDay = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeZone: 'UTC' });
const moment = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** `1,234,567` */
export const wholeNumber = (value: number): string => whole.format(value);

/** `1.23M` */
export const shortNumber = (value: number): string => short.format(value);

/** Formats an ISO 8601 time as `21 Nov 2026`. */
export const dayText = (time: string): string => dateText(day, time);

/** Formats an ISO 8601 time as its day in UTC, the time zone of monthly quotas. */
export const utcDayText = (time: string): string => dateText(utcDay, time);

/** Formats an ISO 8601 time as `21 Nov 2026, 14:05`. */
export const momentText = (time: string): string => dateText(moment, time);

/** Allows line breaks only after a comma, so that a day stays beside its month. */
function dateText(format: Intl.DateTimeFormat, time: string): string {
  return format.format(new Date(time)).replace(/(?<!,)\s/g, '\u00a0');
}

/** `1 key`, `2 keys` */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${wholeNumber(count)} ${count === 1 ? one : many}`;
}

/** `45 s`, `12 min`, `3 h 20 min` */
export function durationText(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  const rest = minutes % 60;
  return rest === 0 ? `${wholeNumber(hours)} h` : `${wholeNumber(hours)} h ${rest} min`;
}

/** `1 byte`, `512 bytes`, `1.5 kB`, `312 kB`, `4.2 MB` */
export function sizeText(bytes: number): string {
  if (bytes < 1_000) return counted(bytes, 'byte');
  const isLarge = bytes >= 999_500;
  const value = bytes / (isLarge ? 1_000_000 : 1_000);
  const digits = value < 9.95 && !Number.isInteger(value) ? 1 : 0;
  const limits = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  return `${value.toLocaleString(undefined, limits)} ${isLarge ? 'MB' : 'kB'}`;
}
