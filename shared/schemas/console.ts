/** The console's own API, below `/console/api`; not part of the public one. */
import Type, { type Static, type TSchema } from 'typebox';
import { Hearing } from './health.ts';

/** Header required for every request that changes something: forms of other sites cannot send it. */
export const CONSOLE_HEADER = 'X-Dragoman-Console';

/** Header, `1`, of requests that the page sends by itself: they do not extend a session. */
export const POLL_HEADER = 'X-Dragoman-Poll';

/** Header with the id of the account that a page shows: sessions of other accounts are refused. */
export const CONSOLE_ACCOUNT_HEADER = 'X-Dragoman-Account';

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
/** ISO 8601 in UTC, with ms. */
const Time = Type.String();
/** The limit far exceeds any real password, and keeps clients from making the server hash huge texts. */
const Password = Type.String({ minLength: 1, maxLength: 1000 });
const Token = Type.String({ minLength: 1, maxLength: 200 });

const Limits = Type.Object({
  characters: Nullable(Type.Integer()),
  speech_to_text_milliseconds: Nullable(Type.Integer()),
});

export const ConsoleSignIn = Type.Object({
  /** Name or id. */
  account: Type.String({ minLength: 1, maxLength: 300 }),
  password: Password,
});

export const ConsolePasswordByLink = Type.Object({ token: Token, password: Password });

export const ConsolePasswordChange = Type.Object({
  current_password: Password,
  password: Password,
});

/** The signed-in user. */
export const ConsoleSession = Type.Object({
  account: Type.Object({
    account_id: Type.String(),
    name: Type.String(),
    plan: Type.Union([Type.Literal('free'), Type.Literal('pro')]),
    features: Type.Array(Type.String()),
    usage_limits: Limits,
    creation_time: Time,
  }),
  /** Whether this is the installation's first account, which may see data of the whole server. */
  is_operator: Type.Boolean(),
  /** Absolute end of the session. */
  expires_at: Time,
});

/** Usage of the account in this month (UTC), and its limits; null means no limit. */
export const ConsoleUsage = Type.Object({
  start_time: Time,
  end_time: Time,
  characters: Type.Object({
    used: Type.Integer(),
    limit: Nullable(Type.Integer()),
    text_translation: Type.Integer(),
    document_translation: Type.Integer(),
    text_improvement: Type.Integer(),
  }),
  speech: Type.Object({ used_ms: Type.Integer(), limit_ms: Nullable(Type.Integer()) }),
});

/** An admin key, without its secret. */
export const AdminKey = Type.Object({
  key_id: Type.String(),
  label: Type.String(),
  /** First and last four characters of the secret. */
  masked: Type.String(),
  creation_time: Time,
  deactivated_time: Nullable(Time),
  is_deactivated: Type.Boolean(),
  usage_limits: Limits,
});

/** A new admin key with its secret, which is returned only once. */
export const NewAdminKey = Type.Intersect([AdminKey, Type.Object({ key: Type.String() })]);

export const AdminKeyCreation = Type.Object({ label: Type.Optional(Type.String()) });
export const AdminKeyDeactivation = Type.Object({ key_id: Type.String() });

/** Ratio of deleted to final words; null while nothing is concluded. */
const Erasure = Nullable(Type.Number());

export const LiveVoiceSession = Type.Object({
  session_id: Type.String(),
  opened_at: Time,
  state: Type.Union([Type.Literal('connected'), Type.Literal('waiting')]),
  /** Null if detected. */
  source_language: Nullable(Type.String()),
  target_languages: Type.Array(Type.String()),
  /** Received audio. */
  audio_ms: Type.Integer(),
  /** Lag of the recogniser behind the audio. */
  lag_ms: Type.Integer(),
  erasure: Type.Object({ source: Erasure, target: Erasure }),
  origin: Type.Union([Type.Literal('api'), Type.Literal('demo')]),
  key_label: Nullable(Type.String()),
  key_masked: Nullable(Type.String()),
});

export const LiveVoiceSessionList = Type.Object({
  sessions: Type.Array(LiveVoiceSession),
  /** Of the whole server; for operators only. */
  hearing: Type.Optional(Hearing),
});
export const LiveVoiceSessionPath = Type.Object({ session_id: Type.String() });

const Breaker = Type.Object({
  /** The affected direction, such as `en → es`, or `all`. */
  name: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('probing')]),
  retry_in_ms: Type.Integer(),
});

export const EngineCondition = Type.Object({
  /** Null for a missing engine that would serve several kinds. */
  kind: Type.Union([
    Type.Literal('recognition'),
    Type.Literal('translation'),
    Type.Literal('synthesis'),
    Type.Literal('improvement'),
    Type.Literal('detection'),
    Type.Null(),
  ]),
  name: Type.String(),
  /** `impaired`: some of its functions are currently unavailable. */
  state: Type.Union([Type.Literal('running'), Type.Literal('impaired'), Type.Literal('missing')]),
  /** Why a missing engine does not run, and the remedy. */
  reason: Nullable(Type.String()),
  languages: Type.Array(Type.String()),
  pairs: Type.Array(Type.Object({ source: Type.String(), targets: Type.Array(Type.String()) })),
  /** Since the start of the server; null for everyone but the operator. */
  requests: Nullable(Type.Integer()),
  failures: Nullable(Type.Integer()),
  /** Mean latency of successful requests. */
  latency_ms: Nullable(Type.Integer()),
  last_failure_at: Nullable(Time),
  breakers: Type.Array(Breaker),
});

export const EngineConditions = Type.Object({
  engines: Type.Array(EngineCondition),
  /** When the server started counting. */
  since: Time,
});

export const ConsoleSettings = Type.Object({
  /** Origins of the sites whose pages may call the server for the account. */
  origins: Type.Array(Type.String()),
  /** Recipients of usage notices. */
  emails: Type.Array(Type.String()),
});

export const ConsoleSettingsChange = Type.Partial(ConsoleSettings);

/** The style rules that can be chosen, and where they are applied. */
export const StyleRuleCatalogueView = Type.Object({
  categories: Type.Array(
    Type.Object({
      name: Type.String(),
      rules: Type.Array(
        Type.Object({
          name: Type.String(),
          options: Type.Array(
            Type.Object({
              name: Type.String(),
              /**
               * Languages in which the option is applied mechanically, to the translations of any
               * engine.
               */
              mechanical: Type.Array(Type.String()),
            }),
          ),
        }),
      ),
    }),
  ),
  languages: Type.Array(Type.String()),
  /** Target languages in which a running engine follows all rules and instructions. */
  follows_instructions: Type.Array(Type.String()),
});

export type StyleRuleCatalogueView = Static<typeof StyleRuleCatalogueView>;
export type ConsoleSession = Static<typeof ConsoleSession>;
export type ConsoleUsage = Static<typeof ConsoleUsage>;
export type AdminKey = Static<typeof AdminKey>;
export type NewAdminKey = Static<typeof NewAdminKey>;
export type LiveVoiceSessionList = Static<typeof LiveVoiceSessionList>;
export type LiveVoiceSession = Static<typeof LiveVoiceSession>;
export type EngineCondition = Static<typeof EngineCondition>;
export type EngineConditions = Static<typeof EngineConditions>;
export type ConsoleSettings = Static<typeof ConsoleSettings>;
