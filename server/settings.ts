/**
 * Every setting of the server in one schema, by the name of its environment variable. Each engine
 * declares its own settings in its own file.
 */
import Type, { type TProperties } from 'typebox';
import { KEY_PATTERN, MAX_SECONDS } from './engines/declaration.ts';
import {
  defaultRecognisers,
  improvers,
  recognisers,
  settingsOf,
  speakers,
  translators,
} from './engines/index.ts';

export { KEY_PATTERN };

const recogniserChoice = Object.keys(recognisers).join('|');

const server = {
  HOST: Type.String({
    default: '127.0.0.1',
    description: 'Address to listen on; `0.0.0.0` listens on all network interfaces.',
  }),
  PORT: Type.Integer({
    default: 8080,
    minimum: 0,
    maximum: 65535,
    description: 'Port to listen on; `0` picks a free port.',
  }),
  PUBLIC_URL: Type.Optional(
    Type.String({
      pattern: '^https?://[^/?#@]+(/[^?#]*)?$',
      description:
        'Address under which clients reach the server, for example `https://live.example.org`; ' +
        'without user and password, because everyone sees it.',
    }),
  ),
  TRUST_PROXY: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'off',
    description:
      '`on` trusts the headers `X-Forwarded-Proto`, `-Host` and `-For` that a reverse proxy sets.',
  }),
  TLS_CERT_FILE: Type.Optional(
    Type.String({
      description:
        'Certificate chain (PEM); together with `TLS_KEY_FILE` it makes the server speak HTTPS.',
    }),
  ),
  TLS_KEY_FILE: Type.Optional(
    Type.String({ description: 'Private key (PEM) of the certificate.' }),
  ),
  DATA_DIR: Type.String({
    default: 'data',
    description: 'Folder for persistent data, such as the API key.',
  }),
  MODELS_DIR: Type.Optional(
    Type.String({
      description:
        'Folder of the installed models, by default `models` in ' +
        '`DATA_DIR`. Several servers may share it.',
    }),
  ),
  MODELS_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'Mirror from which `npm run dragoman -- models install` downloads all models except npm packages.',
    }),
  ),
  STORAGE_URL: Type.Optional(
    Type.String({
      pattern: '^postgres(ql)?://',
      description:
        'PostgreSQL database, for example ' +
        '`postgres://user:password@host/dragoman`; by default, SQLite ' +
        'in `DATA_DIR`.',
    }),
  ),
  DEMO: Type.Union([Type.Literal('auto'), Type.Literal('on'), Type.Literal('off')], {
    default: 'auto',
    description:
      'Demo page and its token endpoint, which needs no API key. `auto` enables both only when ' +
      '`HOST` is a loopback address and neither `PUBLIC_URL` nor `TRUST_PROXY` is set.',
  }),
  CONSOLE: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'Administration of accounts in a browser, at `/console`.',
  }),
  WARM_UP: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description: 'Starts slow components in advance if 2 GiB of memory are free.',
  }),
  STOP_SECONDS: Type.Number({
    default: 10,
    minimum: 0,
    maximum: MAX_SECONDS,
    description:
      'How long running sessions may take to conclude after SIGTERM, in seconds. With ' +
      '`BROKER_URL`, sessions that another server can continue are handed over at once.',
  }),
  METRICS_KEY: Type.Optional(
    Type.String({
      pattern: KEY_PATTERN,
      description:
        'Bearer token that grants access to `/metrics`: ASCII without blanks. Without it, only this ' +
        'machine has access.',
    }),
  ),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'Lowest level to log, as JSON lines on standard error.' },
  ),
};

const cluster = {
  BROKER_URL: Type.Optional(
    Type.String({
      pattern: '^(rediss?|unix)://[^?#]+',
      description:
        'Redis 7 or Valkey shared by several servers, for example ' +
        '`redis://user:password@host:6379`; they must also share the database of ' +
        '`STORAGE_URL`. Without it, each server keeps its live state to itself.',
    }),
  ),
  CLUSTER_NAME: Type.String({
    default: 'dragoman',
    pattern: '^[\\w.-]{1,64}$',
    description: 'Prefix of all keys in Redis: letters, digits, `_`, `.` and `-`.',
  }),
};

const accounts = {
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      'Maximum requests of one API key in a minute, across all servers that share a ' +
      'broker; further requests are answered with 429. `0` means no limit.',
  }),
  TEXT_MAX_UNDER_WAY: Type.Integer({
    default: 1_000_000,
    minimum: 1,
    description:
      'Maximum characters of one account being translated or improved at a time; further requests ' +
      'wait half a second for room and are then answered with 429. A single request may exceed it ' +
      'when nothing else is running.',
  }),
  SMTP_URL: Type.Optional(
    Type.String({
      pattern: '^smtps?://[^/?#]+/?$',
      description:
        'Mail server for notices about usage limits: ' +
        '`smtp://user:password@mail.example.org:587`, or `smtps://` for TLS from ' +
        'the start.',
    }),
  ),
  SMTP_FROM: Type.Optional(
    Type.String({
      pattern: '^([^<>]*<[^\\s<>@]+@[^\\s<>@]+>|[^\\s<>@]+@[^\\s<>@]+)$',
      description: 'Sender of the notices: `Dragoman <dragoman@example.org>`.',
    }),
  ),
  LEGACY_AUTH: Type.Union([Type.Literal('off'), Type.Literal('brown-out')], {
    default: 'off',
    description:
      'API keys in the query or the body: `off` refuses them; `brown-out` accepts ' +
      'them on the plan pro, except during the refused part of each hour.',
  }),
  LEGACY_AUTH_REFUSED_PERCENT: Type.Integer({
    default: 50,
    minimum: 0,
    maximum: 100,
    description: 'Percentage of each hour in which `LEGACY_AUTH=brown-out` refuses such keys.',
  }),
};

const voice = {
  VOICE_MAX_SESSIONS: Type.Integer({
    default: 100,
    minimum: 1,
    description:
      'Maximum concurrent voice sessions, including waiting ones, across all ' +
      'servers that share a broker; further ones are answered with 429.',
  }),
  VOICE_MAX_SESSIONS_PER_KEY: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'Maximum concurrent voice sessions of one API key.',
  }),
  VOICE_LOAD_PERCENT: Type.Integer({
    default: 80,
    minimum: 0,
    maximum: 100,
    description:
      "Percentage of this machine's processors that its recognisers may " +
      'use, based on the measured load of a speaker; speakers beyond it ' +
      'are answered with 429. `0` turns the check off.',
  }),
  VOICE_TOKEN_SECONDS: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Lifetime of a session token, in seconds.',
  }),
  VOICE_IDLE_SECONDS: Type.Number({
    default: 30,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Seconds without audio after which a voice session is ended.',
  }),
  VOICE_CONNECTION_SECONDS: Type.Number({
    default: 3600,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description:
      'Maximum duration of a voice connection, in seconds; the client may reconnect afterwards.',
  }),
  VOICE_RESUME_SECONDS: Type.Number({
    default: 60,
    minimum: 0,
    maximum: MAX_SECONDS,
    description:
      'How long a voice session waits for its client to reconnect ' +
      'after the connection dropped, in seconds.',
  }),
  VOICE_MAX_LAG_SECONDS: Type.Number({
    default: 5,
    minimum: 1,
    maximum: 600,
    description:
      'Maximum audio waiting for a recogniser, in seconds, before ' +
      'the server applies back-pressure to the client.',
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
    description:
      'Approximate length in seconds after which speech without a pause is cut between two words.',
  }),
  FFMPEG: Type.String({
    default: 'ffmpeg',
    description: 'FFmpeg executable, which decodes MP3, AAC and Vorbis, and encodes AAC.',
  }),
  VOICE_FFMPEG_PROCESSES: Type.Integer({
    default: 64,
    minimum: 1,
    maximum: 10_000,
    description:
      'Maximum FFmpeg processes, one for each voice session ' +
      'that it decodes; each takes about 50 MB.',
  }),
};

const events = {
  EVENTS_MAX_VIEWERS: Type.Integer({
    default: 10_000,
    minimum: 1,
    description: 'Maximum concurrent readers of all rooms; further ones are answered with 429.',
  }),
  EVENTS_MAX_VIEWERS_PER_ROOM: Type.Integer({
    default: 5_000,
    minimum: 1,
    description: 'Maximum concurrent readers of one room.',
  }),
  EVENTS_MAX_VIEWERS_PER_ADDRESS: Type.Integer({
    default: 2_000,
    minimum: 1,
    description:
      'Maximum concurrent readers from one network address; all ' +
      'phones in a hall may share a single address.',
  }),
};

const recognition = {
  RECOGNISER: Type.Optional(
    Type.String({
      pattern: `^ *(${recogniserChoice})( *, *(${recogniserChoice}))* *$`,
      description:
        'Speech recognisers in order of preference: ' +
        `${defaultRecognisers.join(', ')}. By default all that are installed or ` +
        'connected, in this order; `silent` recognises nothing and is for load ' +
        'tests.',
    }),
  ),
  ...settingsOf(recognisers),
};

const translation = {
  TRANSLATION_ENGINES: Type.Optional(
    Type.String({
      description:
        'Engines for each direction in order of preference: `en/de: chat; *: apertium, chat`; no ' +
        `others are used. By default all are used: ${Object.keys(translators).join(', ')}.`,
    }),
  ),
  ...settingsOf(translators),
  ...settingsOf(improvers),
  GLOSSARY_CACHE_MB: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 65_536,
    description: 'Memory for glossaries in use, kept ready for matching, in MB.',
  }),
  LATENCY_CONFLICTS: Type.Union([Type.Literal('refuse'), Type.Literal('accept')], {
    default: 'refuse',
    description:
      'Whether to refuse or accept `model_type: latency_optimized` combined with tag ' +
      'handling v2, style rules, instructions or translation memories.',
  }),
};

const speech = settingsOf(speakers);

const documents = {
  DOCUMENT_WORKER: Type.Union([Type.Literal('on'), Type.Literal('off')], {
    default: 'on',
    description:
      'Whether the server starts a worker process for documents. Use `off` if separate ' +
      'workers run: `node dist/bundle/worker.js`, with the same settings.',
  }),
  DOCUMENT_JOBS: Type.Integer({
    default: 2,
    minimum: 1,
    maximum: 64,
    description: 'Documents that a worker translates concurrently.',
  }),
  DOCUMENT_TIME_SECONDS: Type.Number({
    default: 300,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Time limit for opening a document, and again for writing it, in seconds.',
  }),
  DOCUMENT_MEMORY_MB: Type.Integer({
    default: 1024,
    minimum: 128,
    maximum: 65_536,
    description: 'Memory limit for opening and writing one document, in MB.',
  }),
  DOCUMENT_ATTEMPTS: Type.Integer({
    default: 3,
    minimum: 1,
    maximum: 100,
    description: 'Maximum attempts at a document whose worker process ends or whose engines fail.',
  }),
  DOCUMENT_MAX_PER_ACCOUNT: Type.Integer({
    default: 100,
    minimum: 1,
    maximum: 1_000_000,
    description:
      'Maximum documents of an account on the server; downloading a result frees its place.',
  }),
  DOCUMENT_EXPIRY_HOURS: Type.Number({
    default: 24,
    exclusiveMinimum: 0,
    maximum: 8760,
    description: 'Retention of results that have not been downloaded, in hours.',
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
