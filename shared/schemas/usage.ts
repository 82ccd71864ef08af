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
  api_key_unit_count: Count('Units this key used.'),
  account_unit_count: Count('Units the account used.'),
  api_key_character_count: Count(`${deprecated}characters this key used.`),
  character_count: Count(`${deprecated}characters the account used.`),
});

/** Usage in the current month (UTC); accounts on the free plan get only the first two fields. */
export const UsageReport = Type.Object({
  character_count: Count('Characters the account used: texts, documents and improvements.'),
  character_limit: Count(`Most it may use; ${NO_LIMIT} is no limit.`),
  products: Type.Optional(Type.Array(ProductUsage)),
  api_key_character_count: Type.Optional(Count('Characters this key used.')),
  api_key_character_limit: Type.Optional(Count(`Most it may use; ${NO_LIMIT} is no limit.`)),
  speech_to_text_milliseconds_count: Type.Optional(Count(`${deprecated}speech in milliseconds.`)),
  speech_to_text_milliseconds_limit: Type.Optional(Count(`${deprecated}see minutes.`)),
  speech_to_text_minutes_count: Type.Optional(Count('Speech the account sent, begun minutes.')),
  speech_to_text_minutes_limit: Type.Optional(Count(`Most minutes; ${NO_LIMIT} is no limit.`)),
  start_time: Type.Optional(
    Type.String({ format: 'date-time', description: 'Start of the month.' }),
  ),
  end_time: Type.Optional(Type.String({ format: 'date-time', description: 'Start of the next.' })),
});

export type UsageReport = Static<typeof UsageReport>;
