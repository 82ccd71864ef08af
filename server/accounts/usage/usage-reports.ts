/** Usage reports of an account for a period: total, by key, by key and day, or by reporting tag. */
import { ServiceError } from '../../../shared/errors.ts';
import {
  MAX_REPORT_DAYS,
  reportGroups,
  tagAggregations,
  type CustomTagAnalytics,
  type UsageAnalytics,
  type UsageBreakdown,
} from '../../../shared/schemas/admin.ts';
import type { UsageTotals } from './usage-counters-store.ts';
import type { DayRange, KeyUsage, UsageReportStore } from './usage-reports-store.ts';

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
const DATE = /^(\d{4}-\d{2}-\d{2})(?:T([01]\d|2[0-3]):[0-5]\d:[0-5]\d)?$/;
/** Rows per page of tags: about 80 kB. */
const TAGS_PER_PAGE = 500;

/** First and last day of a report, as requested. */
export interface ReportPeriod {
  start_date: string;
  end_date: string;
}

export interface UsageReporting {
  /**
   * Reports the usage of an account's keys.
   *
   * @throws ServiceError invalid_request for invalid dates, a reversed range, one longer than
   *   {@link MAX_REPORT_DAYS} days, or an unknown grouping
   */
  byKey(
    accountId: string,
    wish: ReportPeriod & { group_by?: string },
  ): Promise<UsageAnalytics['usage_report']>;
  /**
   * Reports text and improvement usage under each tag, one page at a time.
   *
   * @throws ServiceError invalid_request as above
   */
  byTag(
    accountId: string,
    wish: ReportPeriod & { aggregate_by?: string; page?: number },
  ): Promise<CustomTagAnalytics['custom_tag_usage_report']>;
}

/** Makes reports over stored usage. @param options.tagsPerPage rows per page of tags */
export function createUsageReporting({
  usageReports,
  tagsPerPage = TAGS_PER_PAGE,
}: {
  usageReports: UsageReportStore;
  tagsPerPage?: number;
}): UsageReporting {
  return {
    async byKey(accountId, wish) {
      const range = parsePeriod(wish);
      const groupBy = oneOf(reportGroups, wish.group_by ?? '', 'group_by');
      // The total is summed from the rows shown, so that a report is consistent while requests go on.
      if (groupBy === 'key') {
        const keys = await usageReports.byKey(accountId, range);
        const key_usages = keys.map((key) => ({ ...keyNames(key), usage: breakdown(key.used) }));
        return { ...heading(range, sum(keys)), group_by: groupBy, key_usages };
      }
      if (groupBy === 'key_and_day') {
        const days = await usageReports.byKeyAndDay(accountId, range);
        const key_and_day_usages = days.map(({ day, ...key }) => ({
          ...keyNames(key),
          usage_date: midnight(day),
          usage: breakdown(key.used),
        }));
        return { ...heading(range, sum(days)), group_by: groupBy, key_and_day_usages };
      }
      return heading(range, await usageReports.total(accountId, range));
    },

    async byTag(accountId, wish) {
      const range = parsePeriod(wish);
      const wanted = oneOf(tagAggregations, wish.aggregate_by ?? '', 'aggregate_by');
      const aggregateBy = wanted === '' ? 'period' : wanted;
      const page = Math.max(1, wish.page ?? 1);
      const rows = await usageReports.byTag(accountId, range, {
        isByDay: aggregateBy === 'day',
        offset: (page - 1) * tagsPerPage,
        // One extra row shows whether another page follows.
        limit: tagsPerPage + 1,
      });
      const usage = rows.slice(0, tagsPerPage).map(({ tag, day, used: { text, write } }) => ({
        custom_tag: tag,
        ...(day !== null && { usage_date: midnight(day) }),
        breakdown: {
          total_characters: text + write,
          text_translation_characters: text,
          text_improvement_characters: write,
        },
      }));
      const next_page = rows.length > tagsPerPage ? page + 1 : null;
      return { aggregate_by: aggregateBy, ...dates(range), next_page, usage };
    },
  };
}

function parsePeriod({ start_date, end_date }: ReportPeriod): DayRange {
  const firstDay = parseDay(start_date, 'start_date');
  const lastDay = parseDay(end_date, 'end_date');
  const days = (Date.parse(lastDay) - Date.parse(firstDay)) / DAY_MS;
  if (days < 0) throw badRequest('end_date must not be before start_date');
  if (days > MAX_REPORT_DAYS) {
    throw badRequest(`Date range cannot exceed ${MAX_REPORT_DAYS} days`);
  }
  return { firstDay, lastDay };
}

/** Returns the day (UTC) of a date or a time. */
function parseDay(text: string, name: string): string {
  const day = DATE.exec(text)?.[1];
  const atMs = day === undefined ? NaN : Date.parse(day);
  // JavaScript parses the 30th of February as the 2nd of March.
  if (!Number.isNaN(atMs) && new Date(atMs).toISOString().slice(0, 10) === day) return day;
  throw badRequest(`Value for '${name}' not supported. Give YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS`);
}

function oneOf<Value extends string>(
  allowed: readonly Value[],
  value: string,
  name: string,
): Value {
  const found = allowed.find((each) => each === value);
  if (found !== undefined) return found;
  const list = allowed.map((each) => `'${each}'`).join(', ');
  throw badRequest(`Value for '${name}' not supported. Allowed: ${list}.`);
}

function heading(range: DayRange, used: UsageTotals) {
  return { total_usage: breakdown(used), ...dates(range) };
}

function dates({ firstDay, lastDay }: DayRange) {
  return { start_date: midnight(firstDay), end_date: midnight(lastDay) };
}

/** Clients expect a time without a zone. */
function midnight(day: string): string {
  return `${day}T00:00:00`;
}

function keyNames({ masked, label }: Omit<KeyUsage, 'used'>) {
  return { api_key: masked, api_key_label: label };
}

function sum(rows: readonly { used: UsageTotals }[]): UsageTotals {
  const total: UsageTotals = { text: 0, document: 0, write: 0, speech: 0 };
  for (const { used } of rows) {
    total.text += used.text;
    total.document += used.document;
    total.write += used.write;
    total.speech += used.speech;
  }
  return total;
}

function breakdown({ text, document, write, speech }: UsageTotals): UsageBreakdown {
  return {
    total_characters: text + document + write,
    text_translation_characters: text,
    document_translation_characters: document,
    text_improvement_characters: write,
    speech_to_text_minutes: speech / MINUTE_MS,
    speech_to_text_milliseconds: speech,
  };
}

function badRequest(reason: string): ServiceError {
  return new ServiceError('invalid_request', `Bad request. Reason: ${reason}`);
}
