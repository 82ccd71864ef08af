/** Every setting, in one schema. The only reader of process.env. */
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import Type, { type Static } from 'typebox';
import { Compile } from 'typebox/compile';

/** A week; Node's timers end at 24 days. */
const MAX_SECONDS = 604_800;

/** Environment variables by name; the README's table is checked against this schema. */
export const settingsSchema = Type.Object({
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
  RECOGNISER: Type.Union([Type.Literal('pocketsphinx'), Type.Literal('silent')], {
    default: 'pocketsphinx',
    description: 'Speech recogniser; `silent` hears nothing and serves load tests.',
  }),
  POCKETSPHINX_MODEL: Type.Optional(
    Type.String({ description: "Folder of the PocketSphinx model, if not Debian's." }),
  ),
  APERTIUM_MODES: Type.Optional(
    Type.String({ description: "Folder of the Apertium modes, if not Debian's." }),
  ),
  CHAT_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description:
        'OpenAI-compatible chat server that translates, up to `/v1`: vLLM, Ollama, llama.cpp or hosted.',
    }),
  ),
  CHAT_MODEL: Type.Optional(Type.String({ description: 'Model to ask; needed with `CHAT_URL`.' })),
  CHAT_KEY: Type.Optional(Type.String({ description: 'Key of the chat server, if it wants one.' })),
  CHAT_LANGUAGES: Type.Optional(
    Type.String({
      description: 'Languages the model translates among, `de,en,fr`; common ones without it.',
    }),
  ),
  CHAT_TIMEOUT_SECONDS: Type.Number({
    default: 60,
    exclusiveMinimum: 0,
    maximum: MAX_SECONDS,
    description: 'Longest wait for an answer of the chat server.',
  }),
  LIBRETRANSLATE_URL: Type.Optional(
    Type.String({ pattern: '^https?://', description: 'Address of a LibreTranslate server.' }),
  ),
  LIBRETRANSLATE_KEY: Type.Optional(Type.String({ description: 'Its key, if it wants one.' })),
  DEEPL_URL: Type.Optional(
    Type.String({
      pattern: '^https?://',
      description: 'Address of an upstream server with a DeepL-compatible API.',
    }),
  ),
  DEEPL_KEY: Type.Optional(Type.String({ description: 'Key of the upstream server.' })),
  TRANSLATION_ENGINES: Type.Optional(
    Type.String({
      description:
        'Which engines serve a direction, the preferred first: `en/de: chat; *: apertium, chat`; others are not asked. Without it all serve: upstream, chat, libretranslate, apertium.',
    }),
  ),
  GLOSSARY_CACHE_MB: Type.Integer({
    default: 256,
    minimum: 0,
    maximum: 65_536,
    description: 'Memory for glossaries that are in use, ready to be searched.',
  }),
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
  RATE_LIMIT_PER_MINUTE: Type.Integer({
    default: 0,
    minimum: 0,
    description:
      'Requests of one API key in a minute; more are answered with 429. `0` is no limit.',
  }),
  LATENCY_CONFLICTS: Type.Union([Type.Literal('refuse'), Type.Literal('accept')], {
    default: 'refuse',
    description:
      'Whether `model_type: latency_optimized` is refused beside tag handling v2, style rules, instructions and translation memories.',
  }),
  VOICE_MAX_SESSIONS: Type.Integer({
    default: 100,
    minimum: 1,
    description: 'Voice sessions at once, waiting ones included; more are answered with 429.',
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
    description: 'Longest voice connection.',
  }),
  STOP_SECONDS: Type.Number({
    default: 10,
    minimum: 0,
    maximum: MAX_SECONDS,
    description: 'On SIGTERM, how long running sessions may take to conclude.',
  }),
  LOG_LEVEL: Type.Union(
    ['fatal', 'error', 'warn', 'info', 'debug', 'silent'].map((level) => Type.Literal(level)),
    { default: 'info', description: 'Least level that is logged (JSON lines on standard error).' },
  ),
});

export type Settings = Static<typeof settingsSchema>;

/** What the server is told to be: settings with every question answered. */
export interface Config extends Omit<Settings, 'TRUST_PROXY' | 'DEMO'> {
  TRUST_PROXY: boolean;
  /** `local` answers only to the names of this machine. */
  DEMO: 'off' | 'local' | 'on';
}

/** Settings that cannot be used, each with what to do. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** One validator a setting: of a whole object the library reports a limited number of problems. */
const validators = Object.entries(settingsSchema.properties).map(
  ([name, schema]) => [name, schema, Compile(schema)] as const,
);

/**
 * Reads the settings; empty variables count as absent, unknown ones are left alone.
 *
 * @throws ConfigError naming every problem at once
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema, validator] of validators) {
    const { type, default: fallback } = schema as { type?: string; default?: unknown };
    const text = environment[name]?.trim() ?? '';
    if (text === '') {
      if (fallback !== undefined) values[name] = fallback;
      continue;
    }
    const isNumber = type === 'integer' || type === 'number';
    const value = isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
    if (validator.Check(value)) values[name] = value;
    else problems.push(`${name}: ${shown(name, text)} cannot be used. ${allowed(name)}`);
  }
  const settings = values as Settings;
  problems.push(...problemsWithPlaces(settings));
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved(settings);
}

/** Addresses may hold passwords, and keys are keys: these are not repeated. */
function shown(name: string, text: string): string {
  return /_(?:URL|KEY)$/.test(name) ? 'the value' : JSON.stringify(text);
}

/** What a pattern cannot tell: addresses, files and folders. Settings may still be missing here. */
function* problemsWithPlaces(settings: Partial<Settings>): Generator<string> {
  const { PUBLIC_URL, TLS_CERT_FILE, TLS_KEY_FILE, DATA_DIR } = settings;
  if (PUBLIC_URL !== undefined && !URL.canParse(PUBLIC_URL)) {
    yield `PUBLIC_URL: ${JSON.stringify(PUBLIC_URL)} is not an address.`;
  }
  if ((TLS_CERT_FILE === undefined) !== (TLS_KEY_FILE === undefined)) {
    yield 'TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither.';
  }
  if (TLS_CERT_FILE !== undefined && TLS_KEY_FILE !== undefined) {
    const problem = failureOf(() =>
      createSecureContext({ cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) }),
    );
    if (problem !== undefined) {
      yield `TLS_CERT_FILE, TLS_KEY_FILE: not a certificate and its key in PEM (${problem}).`;
    }
  }
  if (DATA_DIR !== undefined) {
    const problem = failureOf(() => accessSync(existingPart(DATA_DIR), constants.W_OK));
    if (problem !== undefined) yield `DATA_DIR: ${DATA_DIR} cannot be written (${problem}).`;
  }
}

/** The part of a path that is there; a folder below it can be made when it is one itself. */
function existingPart(folder: string): string {
  const absolute = path.resolve(folder);
  if (existsSync(absolute)) return statSync(absolute).isDirectory() ? absolute : `${absolute}/.`;
  return existingPart(path.dirname(absolute));
}

function failureOf(attempt: () => unknown): string | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? (error as Error).message;
  }
}

/** What a setting may be, for people. */
function allowed(name: string): string {
  const schema = settingsSchema.properties[name as keyof Settings] as {
    description?: string;
    minimum?: number;
    exclusiveMinimum?: number;
    maximum?: number;
    type?: string;
  };
  const choices = literals(schema);
  if (choices.length > 0) return `Possible: ${choices.join(', ')}.`;
  const { minimum, exclusiveMinimum, maximum, type } = schema;
  const bounds = [
    minimum !== undefined && `at least ${minimum}`,
    exclusiveMinimum !== undefined && `more than ${exclusiveMinimum}`,
    maximum !== undefined && `at most ${maximum}`,
  ].filter((bound) => bound !== false);
  if (type === 'integer') return `Give a whole number, ${bounds.join(' and ')}.`;
  if (type === 'number') return `Give a number, ${bounds.join(' and ')}.`;
  return schema.description ?? '';
}

function literals(schema: object): string[] {
  if ('const' in schema) return [String(schema.const)];
  return 'anyOf' in schema ? (schema.anyOf as object[]).flatMap(literals) : [];
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

function resolved(settings: Settings): Config {
  const TRUST_PROXY = settings.TRUST_PROXY === 'on';
  const isLocal = LOOPBACK.test(settings.HOST) && !TRUST_PROXY && settings.PUBLIC_URL === undefined;
  const automatic = isLocal ? 'local' : 'off';
  return { ...settings, TRUST_PROXY, DEMO: settings.DEMO === 'auto' ? automatic : settings.DEMO };
}

/** Whether a host name or address, with or without a port, can only mean this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.replace(/:\d+$/, ''));
}
