/** Developer keys and usage reports, compatible with DeepL's admin API. */
import Type, { type Static } from 'typebox';

/** Longest period of a report, from its first to its last day. */
export const MAX_REPORT_DAYS = 366;

/** Last page of a report: no account has that many tags, and row offsets remain safe integers. */
const LAST_PAGE = 10_000_000;

const Limit = (description: string) =>
  Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], { description });
const Characters = Limit(
  'Maximum number of characters in a month (UTC). 0 blocks all use; null means no limit.',
);
const Speech = Limit(
  'Maximum speech in a month (UTC), in milliseconds. 0 blocks all use; null means no limit.',
);

const KeyId = Type.String({
  minLength: 1,
  maxLength: 200,
  description: 'ID of the key: two GUIDs joined by a colon.',
});

export const DeveloperKey = Type.Object({
  key_id: Type.String({ description: 'Two GUIDs joined by a colon.' }),
  label: Type.String(),
  creation_time: Type.String({ format: 'date-time' }),
  deactivated_time: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
    description: 'Null while the key is active.',
  }),
  is_deactivated: Type.Boolean({
    description: 'Whether the key is deactivated, which is permanent.',
  }),
  usage_limits: Type.Object({ characters: Characters, speech_to_text_milliseconds: Speech }),
  masked: Type.String({
    description: 'First and last characters of the key, as shown in reports.',
  }),
});
export type DeveloperKey = Static<typeof DeveloperKey>;

/** A new key; the only answer that contains the secret. */
export const NewDeveloperKey = Type.Object({
  ...DeveloperKey.properties,
  key: Type.String({ description: 'The secret. It is not shown again.' }),
});
export type NewDeveloperKey = Static<typeof NewDeveloperKey>;

export const DeveloperKeyList = Type.Array(DeveloperKey, {
  description: 'Active and deactivated keys, oldest first.',
});

export const DeveloperKeyCreation = Type.Object({
  label: Type.Optional(Type.String({ description: 'Purpose of the key.' })),
});

export const DeveloperKeyDeactivation = Type.Object({ key_id: KeyId });

export const DeveloperKeyLabel = Type.Object({
  key_id: KeyId,
  label: Type.String({ description: 'Purpose of the key; need not be unique.' }),
});

export const DeveloperKeyLimits = Type.Object({
  key_id: KeyId,
  characters: Type.Optional(Characters),
  speech_to_text_milliseconds: Type.Optional(Speech),
});
export type DeveloperKeyLimits = Static<typeof DeveloperKeyLimits>;

const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** Usage by purpose. */
export const UsageBreakdown = Type.Object({
  total_characters: Count('Sum of the three following counts.'),
  text_translation_characters: Count('Characters of translated texts.'),
  document_translation_characters: Count('Characters of translated documents.'),
  text_improvement_characters: Count('Characters of improved texts.'),
  speech_to_text_minutes: Type.Number({
    minimum: 0,
    description: 'Recognised speech in minutes, exact to the millisecond.',
  }),
  speech_to_text_milliseconds: Count('Recognised speech in milliseconds.'),
});
export type UsageBreakdown = Static<typeof UsageBreakdown>;

const reportDay = '^\\d{4}-\\d{2}-\\d{2}T00:00:00$';
const ReportDay = Type.String({
  pattern: reportDay,
  description: 'Midnight (UTC) at which the day begins.',
});
const MaskedKey = {
  api_key: Type.String({ description: 'First and last characters of the key.' }),
  api_key_label: Type.String(),
};

const KeyUsage = Type.Object({ ...MaskedKey, usage: UsageBreakdown });
const KeyAndDayUsage = Type.Object({
  ...MaskedKey,
  usage_date: ReportDay,
  usage: UsageBreakdown,
});

/** Groupings of a report; an empty text is the default. */
export const reportGroups = ['', 'key', 'key_and_day'] as const;

export const UsageAnalytics = Type.Object({
  usage_report: Type.Object({
    total_usage: UsageBreakdown,
    group_by: Type.Optional(Type.Union([Type.Literal('key'), Type.Literal('key_and_day')])),
    start_date: ReportDay,
    end_date: ReportDay,
    key_usages: Type.Optional(
      Type.Array(KeyUsage, { description: 'With `group_by=key`: all keys with usage.' }),
    ),
    key_and_day_usages: Type.Optional(
      Type.Array(KeyAndDayUsage, {
        description: 'With `group_by=key_and_day`: all days with usage, for each key.',
      }),
    ),
  }),
});
export type UsageAnalytics = Static<typeof UsageAnalytics>;

const dateForms = '`2026-11-21` or `2026-11-21T14:30:00`, in UTC. Usage is counted by day.';
const Period = {
  start_date: Type.String({ description: `First day: ${dateForms}` }),
  end_date: Type.String({
    description: `Last day, inclusive; may be today: ${dateForms}`,
  }),
};

export const UsageAnalyticsQuery = Type.Object({
  ...Period,
  group_by: Type.Optional(Type.String({ description: 'Empty (default), `key` or `key_and_day`.' })),
});

/** Aggregations of the tag report; an empty text is the default. */
export const tagAggregations = ['', 'period', 'day'] as const;

export const CustomTagAnalyticsQuery = Type.Object({
  ...Period,
  aggregate_by: Type.Optional(
    Type.String({ description: '`period` (default) for totals, or `day` for daily totals.' }),
  ),
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LAST_PAGE,
      description: 'The `next_page` of the previous answer; the first page is 1.',
    }),
  ),
});

export const CustomTagAnalytics = Type.Object({
  custom_tag_usage_report: Type.Object({
    aggregate_by: Type.Union([Type.Literal('period'), Type.Literal('day')]),
    start_date: ReportDay,
    end_date: ReportDay,
    next_page: Type.Union([Type.Integer(), Type.Null()], {
      description: 'Null on the last page.',
    }),
    usage: Type.Array(
      Type.Object({
        custom_tag: Type.String(),
        usage_date: Type.Optional(ReportDay),
        breakdown: Type.Object({
          total_characters: Count('Sum of the two following counts.'),
          text_translation_characters: Count('Characters of translated texts.'),
          text_improvement_characters: Count('Characters of improved texts.'),
        }),
      }),
    ),
  }),
});
export type CustomTagAnalytics = Static<typeof CustomTagAnalytics>;
