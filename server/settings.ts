/**
 * Every setting of the server in one schema, by the name of its environment variable. Each engine
 * declares its own settings in its own file.
 */
import Type, { type TProperties } from 'typebox';
import { MAX_SECONDS } from './engines/declaration.ts';
import {
  defaultRecognisers,
  improvers,
  recognisers,
  settingsOf,
  speakers,
  translators,
} from './engines/index.ts';

const recogniserChoice = Object.keys(recognisers).join('|');

const server = {
  HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to listen on; `0.0.0.0` for every network the machine is in.',
  }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; `0` takes a free one.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#]+(/[^?#]*)?$',
      description:
        'Address under which clients reach the server, for example `https://live.example.org`.',
    }),
  ),
  TRUST_PROXY: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'off',
    description: '`on` believes `X-Forwarded-Proto`, `-Host` and `-For` of a proxy in front.',
  }),
  TLS_CERT_FILE: Type.Optional(
    Type.String({
      description: 'Certificate chain (PEM); with `TLS_KEY_FILE` the server speaks HTTPS.',
    }),
  ),
  TLS_KEY_FILE: Type.Optional(
    Type.String({ description: 'Private key (PEM) of the certificate.' }),
  ),
  DATA_DIR: Type.String({
    default: 'data',
    description: 'Folder for what must last, such as the API key.',
  }),
  MODELS_DIR: Type.Optional(
    Type.String({
      description:
        'Folder of the models that are installed, `models` in `DATA_DIR` without it; servers may share one.',
    }),
  ),
  MODELS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Mirror from which `dragoman models install` downloads, but for what comes from npm.',
    }),
  ),
  STORAGE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description:
        'PostgreSQL database, for example `postgres://user:password@host/dragoman`; without it, SQLite in `DATA_DIR`.',
    }),
  ),
  DEMO: Type.Union([Type.Literal('auto'), Type.Literal('on'), Type.Literal('off')], {
    default: 'auto',
    description:
      'Demo page and its token endpoint, which needs no key: `auto` is on only when `HOST` is a loopback address and neither `PUBLIC_URL` nor `TRUST_PROXY` is set.',
  }),
  CONSOLE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'Whether accounts can be administered in a browser, at `/console`.',
  }),
  WARM_UP: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'Whether what starts slowly is started ahead, where 2 GiB of memory are free.',
  }),
  STOP_SECONDS: Type.Number({
    default: 10,
    minimum: 0,
    maximum: MAX_SECONDS,
    description:
      'On SIGTERM, how long running sessions may take to conclude; those that another server can go on with do so at once (`BROKER_URL`).',
  }),
  METRICS_KEY: Type.Optional(
    Type.String({
      description:
        'Whoever sends it as a bearer token may read `/metrics`; without it only this machine may.',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'Least level that is logged (JSON lines on standard error).' },
  ),
};

const cluster = {
  BROKER_URL: Type.Optional(
    Type.String({
      pattern: '^(rediss?|unix)://[^?#]+',
      description:
        'Redis 7 or Valkey that several servers share, for example `redis://user:password@host:6379`; they share the database of `STORAGE_URL` too. Without it, a server keeps what is in flight to itself.',
    }),
  ),
  CLUSTER_NAME: Type.String({
    default: 'dragoman',
    pattern: '^[\\w.-]{1,64}$',
    description: 'Before all keys in Redis: letters, digits, `_`, `.` and `-`.',
  }),
};

const accounts = {
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      'Requests of one API key in a minute, over all servers that share a broker; more are answered with 429. `0` is no limit.',
  }),
  TEXT_MAX_UNDER_WAY: Type.Integer({
    default: 1_000_000,
    minimum: 1,
    description:
      'Characters of one account that are translated or improved at a time; more are answered with 429. A request alone may have more.',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^/?#]+/?$',
      description:
        'Mail server that takes notices of limits: `smtp://user:password@mail.example.org:587`; `smtps://` is TLS from the start.',
    }),
  ),
  SMTP_FROM: Type.Optional(
    Type.String({
      pattern: '^([^<>]*<[^\\s<>@]+@[^\\s<>@]+>|[^\\s<>@]+@[^\\s<>@]+)$',
      description: 'Who they are from: `Dragoman <dragoman@example.org>`.',
    }),
  ),
  LEGACY_AUTH: Type.Union([Type.Literal('off'), Type.Literal('brown-out')], {
    default: 'off',
    description:
      'Keys in the query or the body: `off` refuses them; `brown-out` takes them on the plan pro outside of the refused part of each hour.',
  }),
  LEGACY_AUTH_REFUSED_PERCENT: Type.Integer({
    default: 50,
    minimum: 0,
    maximum: 100,
    description: 'With `LEGACY_AUTH=brown-out`, how much of each hour refuses such keys.',
  }),
};

const voice = {
  VOICE_MAX_SESSIONS: Type.Integer({
    default: 100,
    minimum: 1,
    description:
      'Voice sessions at once, waiting ones included, over all servers that share a broker; more are answered with 429.',
  }),
  VOICE_MAX_SESSIONS_PER_KEY: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'The same of one API key.',
  }),
  VOICE_LOAD_PERCENT: Type.Integer({
    default: 80,
    minimum: 0,
    maximum: 100,
    description:
      "Share of the machine's processors that recognisers on it may take. What a speaker takes is measured; one who would be too many is answered with 429. 0 lets everybody in.",
  }),
  VOICE_TOKEN_SECONDS: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'How long a session token can be used to connect.',
  }),
  VOICE_IDLE_SECONDS: Type.Number({
    default: 30,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'A voice session without audio for this long is ended.',
  }),
  VOICE_CONNECTION_SECONDS: Type.Number({
    default: 3600,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Longest voice connection; its client may reconnect.',
  }),
  VOICE_RESUME_SECONDS: Type.Number({
    default: 60,
    minimum: 0,
    maximum: MAX_SECONDS,
    description: 'How long a voice session whose connection dropped waits for its client.',
  }),
  VOICE_MAX_LAG_SECONDS: Type.Number({
    default: 5,
    minimum: 1,
    maximum: 600,
    description:
      'Audio that may wait for a recogniser that falls behind; then the client is held back.',
  }),
  VOICE_PAUSE_MS: Type.Integer({
    default: 600,
    minimum: 200,
    maximum: 5000,
    description: 'Silence that ends an utterance, in ms.',
  }),
  VOICE_UTTERANCE_SECONDS: Type.Number({
    default: 15,
    minimum: 5,
    maximum: 25,
    description: 'Speech without a pause is cut, between two words, after about this long.',
  }),
  FFMPEG: Type.String({
    default: 'ffmpeg',
    description: 'Program that decodes MP3, AAC and Vorbis, and encodes AAC.',
  }),
  VOICE_FFMPEG_PROCESSES: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 10_000,
    description: 'Voice sessions it decodes at once; each takes about 50 MB.',
  }),
};

const events = {
  EVENTS_MAX_VIEWERS: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: 'Who may read along in rooms at once; more are answered with 429.',
  }),
  EVENTS_MAX_VIEWERS_PER_ROOM: Type.Integer({
    default: 5_000,
    minimum: 1,
    description: 'The same for one room.',
  }),
  EVENTS_MAX_VIEWERS_PER_ADDRESS: Type.Integer({
    default: 2_000,
    minimum: 1,
    description: 'The same from one network address: a hall full of phones may have but one.',
  }),
};

const recognition = {
  RECOGNISER: Type.Optional(
    Type.String({
      pattern: `^ *(${recogniserChoice})( *, *(${recogniserChoice}))* *$`,
      description: `Speech recognisers, the preferred first: ${defaultRecognisers.join(', ')}. Without it all that are installed or connected, in this order; \`silent\` hears nothing and serves load tests.`,
    }),
  ),
  ...settingsOf(recognisers),
};

const translation = {
  TRANSLATION_ENGINES: Type.Optional(
    Type.String({
      description: `Which engines serve a direction, the preferred first: \`en/de: chat; *: apertium, chat\`; others are not asked. Without it all serve: ${Object.keys(translators).join(', ')}.`,
    }),
  ),
  ...settingsOf(translators),
  ...settingsOf(improvers),
  GLOSSARY_CACHE_MB: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 65_536,
    description: 'Memory for glossaries that are in use, ready to be searched.',
  }),
  LATENCY_CONFLICTS: Type.Union([Type.Literal('refuse'), Type.Literal('accept')], {
    default: 'refuse',
    description:
      'Whether `model_type: latency_optimized` is refused beside tag handling v2, style rules, instructions and translation memories.',
  }),
};

const speech = settingsOf(speakers);

const documents = {
  DOCUMENT_WORKER: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      'Whether the server starts a process that translates documents; `off` where others do: `node dist/bundle/worker.js`, with the same settings.',
  }),
  DOCUMENT_JOBS: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    description: 'Documents that such a process translates at once.',
  }),
  DOCUMENT_TIME_SECONDS: Type.Number({
    default: 300,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Longest time to open a document, and again to write it.',
  }),
  DOCUMENT_MEMORY_MB: Type.Integer({
    default: 1024,
    minimum: 128,
    maximum: 65_536,
    description: 'Memory that opening and writing one document may take.',
  }),
  DOCUMENT_ATTEMPTS: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 100,
    description: 'How often a document is tried whose process ends or whose engines fail.',
  }),
  DOCUMENT_MAX_PER_ACCOUNT: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
    description: 'Documents an account may have here, until it has downloaded some.',
  }),
  DOCUMENT_EXPIRY_HOURS: Type.Number({
    default: 24,
    exclusiveMinimum: 0,
    maximum: 8760,
    description: 'How long results that nobody downloads are kept.',
  }),
};

/**
 * Returns the settings that `others` does not contain: settings shared by several engines are
 * listed once.
 */
function besides(others: object, settings: TProperties): TProperties {
  return Object.fromEntries(Object.entries(settings).filter(([name]) => !(name in others)));
}

/** Settings by topic, under the headings of `server/docs/settings.md`. */
export const settingGroups = {
  'The server': server,
  'Several servers': cluster,
  'Accounts and limits': accounts,
  'Voice sessions': voice,
  Events: events,
  Recognisers: recognition,
  Translation: translation,
  'Translated speech': besides(recognition, speech),
  Documents: documents,
};

export const settingsSchema = Type.Object({
  ...server,
  ...cluster,
  ...accounts,
  ...voice,
  ...events,
  ...recognition,
  ...translation,
  ...speech,
  ...documents,
});
