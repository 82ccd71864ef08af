/** The console's own interface, below `/console/api`; made for its page and not part of the public one. */
import Type, { type Static, type TSchema } from 'typebox';
import { Hearing } from './health.ts';

/** Header that every request which changes something carries: forms of other sites cannot send it. */
export const CONSOLE_HEADER = 'X-Dragoman-Console';

/** Header, `1`, of requests that the page makes by itself: they do not keep a session from ending. */
export const POLL_HEADER = 'X-Dragoman-Poll';

/** Header with the id of the account that a page shows: another one's session is no use to it. */
export const CONSOLE_ACCOUNT_HEADER = 'X-Dragoman-Account';

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);
/** ISO 8601 in UTC, with ms. */
const Time = Type.String();
/** Far more than anybody types, so that nobody makes the server hash a book. */
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

/** Who is signed in. */
export const ConsoleSession = Type.Object({
  account: Type.Object({
    account_id: Type.String(),
    name: Type.String(),
    plan: Type.Union([Type.Literal('free'), Type.Literal('pro')]),
    features: Type.Array(Type.String()),
    usage_limits: Limits,
    creation_time: Time,
  }),
  /** Whether it is the installation's first account, which sees what concerns the whole server. */
  is_operator: Type.Boolean(),
  /** Latest end of the session. */
  expires_at: Time,
});

/** What the account used this month (UTC), and its limits; null is none. */
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
  /** First and last four characters of its secret. */
  masked: Type.String(),
  creation_time: Time,
  deactivated_time: Nullable(Time),
  is_deactivated: Type.Boolean(),
  usage_limits: Limits,
});

/** A new admin key with its secret, which is shown this once. */
export const NewAdminKey = Type.Intersect([AdminKey, Type.Object({ key: Type.String() })]);

export const AdminKeyCreation = Type.Object({ label: Type.Optional(Type.String()) });
export const AdminKeyDeactivation = Type.Object({ key_id: Type.String() });

/** Deleted ÷ final words; null while nothing is concluded. */
const Erasure = Nullable(Type.Number());

export const LiveVoiceSession = Type.Object({
  session_id: Type.String(),
  opened_at: Time,
  state: Type.Union([Type.Literal('connected'), Type.Literal('waiting')]),
  /** Null: detected. */
  source_language: Nullable(Type.String()),
  target_languages: Type.Array(Type.String()),
  /** Audio that has arrived. */
  audio_ms: Type.Integer(),
  /** How far its recogniser is behind. */
  lag_ms: Type.Integer(),
  erasure: Type.Object({ source: Erasure, target: Erasure }),
  origin: Type.Union([Type.Literal('api'), Type.Literal('demo')]),
  key_label: Nullable(Type.String()),
  key_masked: Nullable(Type.String()),
});

export const LiveVoiceSessionList = Type.Object({
  sessions: Type.Array(LiveVoiceSession),
  /** Of the whole server; for operators alone. */
  hearing: Type.Optional(Hearing),
});
export const LiveVoiceSessionPath = Type.Object({ session_id: Type.String() });

const Breaker = Type.Object({
  /** The directions it concerns, `en → es`, or `all`. */
  name: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('probing')]),
  retry_in_ms: Type.Integer(),
});

export const EngineCondition = Type.Object({
  /** Null where it is missing and of several kinds. */
  kind: Type.Union([
    Type.Literal('recognition'),
    Type.Literal('translation'),
    Type.Literal('synthesis'),
    Type.Literal('improvement'),
    Type.Literal('detection'),
    Type.Null(),
  ]),
  name: Type.String(),
  /** `impaired`: some of what it does is out of order at the moment. */
  state: Type.Union([Type.Literal('running'), Type.Literal('impaired'), Type.Literal('missing')]),
  /** What would let a missing one run. */
  reason: Nullable(Type.String()),
  languages: Type.Array(Type.String()),
  pairs: Type.Array(Type.Object({ source: Type.String(), targets: Type.Array(Type.String()) })),
  /** Since the server started; null for others than the operator. */
  requests: Nullable(Type.Integer()),
  failures: Nullable(Type.Integer()),
  /** Mean of those that succeeded. */
  latency_ms: Nullable(Type.Integer()),
  last_failure_at: Nullable(Time),
  breakers: Type.Array(Breaker),
});

export const EngineConditions = Type.Object({
  engines: Type.Array(EngineCondition),
  /** When the server started to count. */
  since: Time,
});

export const ConsoleSettings = Type.Object({
  /** Sites whose pages may call the server for the account. */
  origins: Type.Array(Type.String()),
  /** Who gets a mail when a limit comes near. */
  emails: Type.Array(Type.String()),
});

export const ConsoleSettingsChange = Type.Partial(ConsoleSettings);

/** The style rules that can be chosen, and who obeys them. */
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
              /** Languages in which it is applied to the translations of any engine. */
              mechanical: Type.Array(Type.String()),
            }),
          ),
        }),
      ),
    }),
  ),
  languages: Type.Array(Type.String()),
  /** Target languages into which a running engine obeys all rules and instructions. */
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
