/** Data of the usage plot: bars per day, or per month where daily bars would be too thin. */
import { daysOf, lengthOf, type DayRange } from './usage-range.ts';

export type Measure = 'characters' | 'speech';
export type Grouping = 'kind' | 'key' | 'tag';

/** Usage of one key or tag on one day. */
export interface UsageRow {
  /** `YYYY-MM-DD` */
  day: string;
  /** Identifies the key or tag. */
  group: string;
  /** Name of the key or tag. */
  name: string;
  text: number;
  document: number;
  improvement: number;
  speechMs: number;
}

/** A position on the time axis. */
export interface Bucket {
  /** `21 Nov` */
  label: string;
  /** `Saturday, 21 November 2026` */
  fullLabel: string;
}

/** One colour of the plot. */
export interface Series {
  name: string;
  /** Colour, 1 to 6: fixed for kinds, by size for keys and tags. */
  part: number;
  /** One value per bucket. */
  values: readonly number[];
  total: number;
}

export interface Plot {
  buckets: readonly Bucket[];
  /** Largest first; small ones are combined at the end. */
  series: readonly Series[];
}

/** Most series: as many colours as can be told apart. The last one combines all others. */
const MAX_SERIES = 6;
/** Most daily bars, a quarter of a year: each is still wide enough to point at. */
const MAX_DAY_BARS = 92;

const kinds = {
  text: { name: 'Texts', part: 1 },
  document: { name: 'Documents', part: 2 },
  improvement: { name: 'Improvements', part: 3 },
} as const;
const SPEECH_PART = 4;

/** Groups the rows of a report and sums them by day or month. */
export function usagePlot({
  range,
  rows,
  grouping,
  measure,
}: {
  range: DayRange;
  rows: readonly UsageRow[];
  grouping: Grouping;
  measure: Measure;
}): Plot {
  const isMonthly = lengthOf(range) > MAX_DAY_BARS;
  const bucketOf = (day: string) => (isMonthly ? day.slice(0, 7) : day);
  const buckets = [...new Set(daysOf(range).map(bucketOf))];
  const indexOf = new Map(buckets.map((bucket, index) => [bucket, index]));
  const groups = new Map<string, Group>();
  for (const row of rows) {
    const index = indexOf.get(bucketOf(row.day));
    if (index === undefined) continue;
    for (const { group, amount, ...look } of amountsOf(row, grouping, measure)) {
      if (amount === 0) continue;
      const values = groups.get(group)?.values ?? new Array<number>(buckets.length).fill(0);
      values[index] = (values[index] ?? 0) + amount;
      groups.set(group, { ...look, values });
    }
  }
  return {
    buckets: buckets.map((bucket) => labelled(bucket, isMonthly)),
    series: coloured([...groups.values()]),
  };
}

interface Group {
  name: string;
  part?: number;
  values: number[];
}

interface Amount extends Omit<Group, 'values'> {
  group: string;
  amount: number;
}

function amountsOf(row: UsageRow, grouping: Grouping, measure: Measure): Amount[] {
  const { group, name } = row;
  if (measure === 'speech') {
    return grouping === 'kind'
      ? [{ group: 'speech', name: 'Speech', part: SPEECH_PART, amount: row.speechMs }]
      : [{ group, name, amount: row.speechMs }];
  }
  if (grouping === 'kind') {
    return (['text', 'document', 'improvement'] as const).map((kind) => ({
      group: kind,
      ...kinds[kind],
      amount: row[kind],
    }));
  }
  return [{ group, name, amount: row.text + row.document + row.improvement }];
}

/** Sorts series by size and assigns colours; combines the smallest if there are too many. */
function coloured(groups: readonly Group[]): Series[] {
  const all = groups
    .map((group) => ({ ...group, total: sum(group.values) }))
    .sort((one, other) => other.total - one.total)
    .map(({ part, ...series }, index) => ({ ...series, part: part ?? index + 1 }));
  if (all.length <= MAX_SERIES) return all;
  const shown = all.slice(0, MAX_SERIES - 1);
  const rest = all.slice(MAX_SERIES - 1);
  const values = (shown[0]?.values ?? []).map((_, index) =>
    sum(rest.map((series) => series.values[index] ?? 0)),
  );
  const name = `${rest.length} others`;
  return [...shown, { name, part: MAX_SERIES, values, total: sum(values) }];
}

function labelled(bucket: string, isMonthly: boolean): Bucket {
  const date = new Date(isMonthly ? `${bucket}-01` : bucket);
  const text = (options: Intl.DateTimeFormatOptions) =>
    date.toLocaleDateString(undefined, { timeZone: 'UTC', ...options });
  return isMonthly
    ? {
        label: text({ month: 'short', year: '2-digit' }),
        fullLabel: text({ month: 'long', year: 'numeric' }),
      }
    : {
        label: text({ day: 'numeric', month: 'short' }),
        fullLabel: text({ weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' }),
      };
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Writes the plot as CSV for spreadsheets: a line per bucket, a column per series. */
export function plotAsCsv({ buckets, series }: Plot): string {
  const lines = [
    ['', ...series.map(({ name }) => name)],
    ...buckets.map(({ fullLabel }, index) => [
      fullLabel,
      ...series.map(({ values }) => String(values[index] ?? 0)),
    ]),
  ];
  return lines.map((line) => `${line.map(csvField).join(',')}\r\n`).join('');
}

/** Quotes a field, and defuses a label that spreadsheets would run as a formula. */
function csvField(text: string): string {
  const safe = /^[=+\-@\t]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
