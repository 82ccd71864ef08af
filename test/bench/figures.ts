/** Figures from measurements, and how they are printed. */
import type { Print } from './benchmarks.ts';

/**
 * The value below which a share of the values lies.
 *
 * @param share 0.5 for the median, 0.99 for p99
 * @throws Error when there are no values
 */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  const value = sorted[Math.min(Math.floor(sorted.length * share), sorted.length - 1)];
  if (value === undefined) throw new Error('There is nothing to take a quantile of.');
  return value;
}

/** The middle value. @throws Error when there are no values */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Least, median and greatest of several measurements: `1.02 … 1.05 … 1.11`. */
export function spread(values: readonly number[]): string {
  return [Math.min(...values), median(values), Math.max(...values)].map(figure).join(' … ');
}

/** A number with three digits that count: `0.0123`, `1.23`, `1,230`. */
export function figure(value: number): string {
  return value.toLocaleString('en', { maximumSignificantDigits: 3 });
}

/** Whether a ratio keeps below its aim, in words: `≤ 1.3: met`. */
export function verdict(ratio: number, aim: number): string {
  return `≤ ${aim}: ${ratio <= aim ? 'met' : 'not met'}`;
}

/** Prints rows with aligned columns after an empty line; the first row holds the heads. */
export function printTable(print: Print, rows: readonly (readonly string[])[]): void {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  print('');
  for (const row of rows) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    print(cells.join('   ').trimEnd());
  }
}
