/** Every setting, in one schema. The only reader of process.env. */
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
  DEMO: boolean;
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

const validator = Compile(settingsSchema);

/**
 * Reads the settings; empty variables count as absent, unknown ones are left alone.
 *
 * @throws ConfigError naming every problem at once
 */
export function readConfig(environment: NodeJS.ProcessEnv = process.env): Config {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, schema] of Object.entries(settingsSchema.properties)) {
    const { type, default: fallback } = schema as { type?: string; default?: unknown };
    const text = environment[name]?.trim() ?? '';
    if (text === '') {
      if (fallback !== undefined) values[name] = fallback;
      continue;
    }
    const isNumber = type === 'integer' || type === 'number';
    values[name] = isNumber && Number.isFinite(Number(text)) ? Number(text) : text;
  }
  for (const { instancePath } of validator.Errors(values)) {
    const name = instancePath.slice(1).split('/')[0] ?? '';
    const problem = `${name}: ${JSON.stringify(environment[name])} cannot be used. ${allowed(name)}`;
    if (!problems.includes(problem)) problems.push(problem);
  }
  const settings = values as Settings;
  if ((settings.TLS_CERT_FILE === undefined) !== (settings.TLS_KEY_FILE === undefined)) {
    problems.push('TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither.');
  }
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved(settings);
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
  const DEMO = settings.DEMO === 'auto' ? isLocal : settings.DEMO === 'on';
  return { ...settings, TRUST_PROXY, DEMO };
}
