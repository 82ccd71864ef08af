/** Round numbers beside a plot. */

/** How amounts are written on an axis. */
export interface AxisUnit {
  /** Amount of one unit: 60,000 where amounts are ms and the axis has minutes. */
  size: number;
  /** Follows the number, such as ` min`. */
  suffix: string;
}

/** The unit in which speech up to a length is told best. */
export function speechUnit(longestMs: number): AxisUnit {
  if (longestMs >= 2 * 3_600_000) return { size: 3_600_000, suffix: ' h' };
  return longestMs >= 120_000 ? { size: 60_000, suffix: ' min' } : { size: 1000, suffix: ' s' };
}

/** Amounts as they are. */
export const plainUnit: AxisUnit = { size: 1, suffix: '' };

/** Steps of 1, 2 or 5 times a power of ten: about four of them from 0 to a highest amount. */
export function axisTicks(highest: number, unit: AxisUnit): number[] {
  const most = Math.max(highest / unit.size, 1);
  const rough = most / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  // Less than one of anything that is counted cannot be.
  const step = Math.max(1, power * ([1, 2, 5, 10].find((nice) => nice * power >= rough) ?? 10));
  const count = Math.ceil(most / step);
  return Array.from({ length: count + 1 }, (_, index) => index * step * unit.size);
}

/** Which labels of an axis have room: every n-th, the newest among them. */
export function shownLabels(count: number, room: number): number[] {
  const every = Math.max(1, Math.ceil(count / Math.max(1, room)));
  return Array.from({ length: count }, (_, index) => index).filter(
    (index) => (count - 1 - index) % every === 0,
  );
}
