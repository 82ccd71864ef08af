/** Fetches the reports of the administration API, as rows. */
import type {
  CustomTagAnalytics,
  UsageAnalytics,
  UsageBreakdown,
} from '../../../shared/schemas/admin.ts';
import { api } from '../api.ts';
import type { UsageRow } from './usage-plot.ts';
import type { DayRange } from './usage-range.ts';

/** Fetches the usage of each key on each day. @throws ApiFailure */
export async function usageByKey(range: DayRange, signal: AbortSignal): Promise<UsageRow[]> {
  const { usage_report: report } = await api.get<UsageAnalytics>('v2/admin/analytics', {
    query: { start_date: range.start, end_date: range.end, group_by: 'key_and_day' },
    signal,
  });
  return (report.key_and_day_usages ?? []).map((entry) => ({
    day: entry.usage_date.slice(0, 10),
    group: entry.api_key,
    name: `${entry.api_key_label} (${entry.api_key})`,
    ...amounts(entry.usage),
  }));
}

/** Fetches the usage of each tag on each day. @throws ApiFailure */
export async function usageByTag(range: DayRange, signal: AbortSignal): Promise<UsageRow[]> {
  const rows: UsageRow[] = [];
  let page: number | undefined;
  do {
    const { custom_tag_usage_report: report } = await api.get<CustomTagAnalytics>(
      'v2/admin/analytics/custom-tags',
      {
        query: { start_date: range.start, end_date: range.end, aggregate_by: 'day', page },
        signal,
      },
    );
    for (const { custom_tag: tag, usage_date: date = range.start, breakdown } of report.usage) {
      rows.push({ day: date.slice(0, 10), group: tag, name: tag, ...amounts(breakdown) });
    }
    page = report.next_page ?? undefined;
  } while (page !== undefined);
  return rows;
}

/** Converts a breakdown. Reports by tag contain texts and improvements only. */
function amounts(breakdown: Partial<UsageBreakdown>): Omit<UsageRow, 'day' | 'group' | 'name'> {
  return {
    text: breakdown.text_translation_characters ?? 0,
    document: breakdown.document_translation_characters ?? 0,
    improvement: breakdown.text_improvement_characters ?? 0,
    speechMs: breakdown.speech_to_text_milliseconds ?? 0,
  };
}
