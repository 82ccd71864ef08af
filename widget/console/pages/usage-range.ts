/** Ranges of days, in UTC as the server counts them, written as `YYYY-MM-DD`. */

const DAY_MS = 86_400_000;

/** Most days of a report by tag. */
const MAX_RANGE_DAYS = 366;

/** A range of days, including both the first and the last. */
export interface DayRange {
  start: string;
  end: string;
}

export const rangePresets = {
  '7-days': 'Last 7 days',
  '30-days': 'Last 30 days',
  'this-month': 'This month',
  'last-month': 'Last month',
  '12-months': 'Last 12 months',
  custom: 'Other days…',
} as const;

export type RangePreset = keyof typeof rangePresets;

/** Returns the day of a time, in UTC. */
export function dayOf(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 10);
}

/** Returns the days of a preset, relative to a time. */
export function presetRange(preset: Exclude<RangePreset, 'custom'>, nowMs: number): DayRange {
  const now = new Date(nowMs);
  const firstOfMonth = (monthsAgo: number) =>
    Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - monthsAgo);
  const end = dayOf(nowMs);
  switch (preset) {
    case '7-days':
      return { start: dayOf(nowMs - 6 * DAY_MS), end };
    case '30-days':
      return { start: dayOf(nowMs - 29 * DAY_MS), end };
    case 'this-month':
      return { start: dayOf(firstOfMonth(0)), end };
    case 'last-month':
      return { start: dayOf(firstOfMonth(1)), end: dayOf(firstOfMonth(0) - DAY_MS) };
    case '12-months':
      return { start: dayOf(firstOfMonth(11)), end };
  }
}

/** Returns the number of days in a range. */
export function lengthOf({ start, end }: DayRange): number {
  return (Date.parse(end) - Date.parse(start)) / DAY_MS + 1;
}

/** Returns what is wrong with a chosen range; undefined if it is valid. */
export function rangeProblem(range: DayRange): string | undefined {
  const days = lengthOf(range);
  if (!Number.isFinite(days)) return 'Choose the first and the last day.';
  if (days < 1) return 'The last day is before the first.';
  if (days > MAX_RANGE_DAYS) return `Choose ${MAX_RANGE_DAYS} days at most.`;
  return undefined;
}

/** Returns all days of a range. */
export function daysOf(range: DayRange): string[] {
  const first = Date.parse(range.start);
  return Array.from({ length: lengthOf(range) }, (_, index) => dayOf(first + index * DAY_MS));
}
