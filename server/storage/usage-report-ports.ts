/** What was used, summed up for reports. The sums are made in the database; days and months are in UTC. */

import type { UsageTotals } from './ports.ts';

/** Days as `2026-11-21`, both part of it. */
export interface DayRange {
  firstDay: string;
  lastDay: string;
}

/** What a key used. */
export interface KeyUsage {
  keyId: string;
  label: string;
  /** `dc88****3a2c` */
  masked: string;
  used: UsageTotals;
}

export interface KeyDayUsage extends KeyUsage {
  /** `2026-11-21` */
  day: string;
}

/** What was used under a reporting tag. */
export interface TagUsage {
  tag: string;
  /** Null when the days are summed up. */
  day: string | null;
  used: Pick<UsageTotals, 'text' | 'write'>;
}

export interface UsageReports {
  /** What all keys of an account used. */
  total(accountId: string, range: DayRange): Promise<UsageTotals>;
  /** Keys that used something, oldest key first. */
  byKey(accountId: string, range: DayRange): Promise<KeyUsage[]>;
  /** Days of keys on which they used something, oldest day first, then oldest key. */
  byKeyAndDay(accountId: string, range: DayRange): Promise<KeyDayUsage[]>;
  /**
   * Texts and improvements by tag, what has none left out, in the order of the tags' code points and
   * then of the days: some of them from a place in that order.
   */
  byTag(
    accountId: string,
    range: DayRange,
    part: { isByDay: boolean; offset: number; limit: number },
  ): Promise<TagUsage[]>;
}
