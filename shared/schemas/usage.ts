/** `GET /v2/usage`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';

/** Stands for "no limit" where a number is required. */
export const NO_LIMIT = 1_000_000_000_000;

const Count = (description: string) => Type.Integer({ minimum: 0, description });
const deprecated = 'Deprecated; ';

const ProductUsage = Type.Object({
  product_type: Type.Union([
    Type.Literal('translate'),
    Type.Literal('write'),
    Type.Literal('speechToText'),
  ]),
  billing_unit: Type.Union([Type.Literal('characters'), Type.Literal('minutes')]),
  api_key_unit_count: Count('Units used by this key.'),
  account_unit_count: Count('Units used by the account.'),
  api_key_character_count: Count(`${deprecated}characters used by this key.`),
  character_count: Count(`${deprecated}characters used by the account.`),
});

/** Usage in the current month (UTC); accounts on the free plan get only the first two fields. */
export const UsageReport = Type.Object({
  character_count: Count('Characters used by the account in texts, documents and improvements.'),
  character_limit: Count(`Maximum number of characters; ${NO_LIMIT} means no limit.`),
  products: Type.Optional(Type.Array(ProductUsage)),
  api_key_character_count: Type.Optional(Count('Characters used by this key.')),
  api_key_character_limit: Type.Optional(
    Count(`Maximum number of characters; ${NO_LIMIT} means no limit.`),
  ),
  speech_to_text_milliseconds_count: Type.Optional(
    Count(`${deprecated}speech sent by the account, in milliseconds.`),
  ),
  speech_to_text_milliseconds_limit: Type.Optional(
    Count(`${deprecated}see speech_to_text_minutes_limit.`),
  ),
  speech_to_text_minutes_count: Type.Optional(
    Count('Speech sent by the account, in minutes, rounded up.'),
  ),
  speech_to_text_minutes_limit: Type.Optional(
    Count(`Maximum number of minutes; ${NO_LIMIT} means no limit.`),
  ),
  start_time: Type.Optional(
    Type.String({ format: 'date-time', description: 'Start of the month.' }),
  ),
  end_time: Type.Optional(
    Type.String({ format: 'date-time', description: 'Start of the next month.' }),
  ),
});

export type UsageReport = Static<typeof UsageReport>;
