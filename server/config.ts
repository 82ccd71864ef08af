/** Reads and validates the settings. This is the only reader of process.env. */
import {
  accessSync,
  constants,
  existsSync,
  lstatSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  statSync,
} from 'node:fs';
import path from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { KEY_PATTERN, settingsSchema } from './settings.ts';

export type Settings = Static<typeof settingsSchema>;

/** The validated settings, with every default resolved. */
export interface Config extends Omit<Settings, 'TRUST_PROXY' | 'DEMO' | 'MODELS_DIR'> {
  TRUST_PROXY: boolean;
  MODELS_DIR: string;
  /** `local` serves the demo only under host names of this machine. */
  DEMO: 'off' | 'local' | 'on';
}

/** Invalid settings; each problem says how to fix it. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The settings cannot be used:\n${problems.map((problem) => `  ${problem}`).join('\n')}`);
    this.name = 'ConfigError';
    this.problems = problems;
  }
}

/** One validator per setting: for a whole object, the library limits the number of problems it reports. */
const validators = Object.entries(settingsSchema.properties).map(
  ([name, schema]) => [name, schema, Compile(schema)] as const,
);

/**
 * Reads the settings from environment variables. Empty variables count as absent; unknown ones are
 * ignored.
 *
 * @throws ConfigError listing every problem
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
  const given = new Set(Object.keys(environment).filter((name) => environment[name]?.trim()));
  problems.push(...problemsWithPlaces(settings, given));
  if (problems.length > 0) throw new ConfigError(problems);
  return resolved(settings);
}

/** Returns a value for display; URLs may contain passwords and keys are secret, so neither is repeated. */
function shown(name: string, text: string): string {
  return /_(?:URL|KEY)$/.test(name) ? 'the value' : JSON.stringify(text);
}

/**
 * Yields problems that a schema cannot detect: addresses, files, folders and settings that depend
 * on each other. Settings that failed validation are absent here, but among the names given.
 */
function* problemsWithPlaces(
  settings: Partial<Settings>,
  given: ReadonlySet<string>,
): Generator<string> {
  const { PUBLIC_URL, TLS_CERT_FILE, TLS_KEY_FILE, DATA_DIR, SMTP_URL } = settings;
  const { MODELS_DIR, BROKER_URL } = settings;
  if (PUBLIC_URL !== undefined && !URL.canParse(PUBLIC_URL)) {
    yield `PUBLIC_URL: ${JSON.stringify(PUBLIC_URL)} is not an address.`;
  }
  if ((TLS_CERT_FILE === undefined) !== (TLS_KEY_FILE === undefined)) {
    yield 'TLS_CERT_FILE and TLS_KEY_FILE go together: set both or neither.';
  }
  if (given.has('SMTP_URL') !== given.has('SMTP_FROM')) {
    yield 'SMTP_URL and SMTP_FROM go together: set both or neither.';
  }
  for (const [name, address] of Object.entries({ SMTP_URL, BROKER_URL })) {
    const problem = address === undefined ? undefined : problemWithLogin(address);
    if (problem !== undefined) yield `${name}: ${problem}.`;
  }
  if (BROKER_URL !== undefined && !given.has('STORAGE_URL')) {
    yield 'BROKER_URL: servers that share a broker share a database too. Set STORAGE_URL to a PostgreSQL.';
  }
  if (TLS_CERT_FILE !== undefined && TLS_KEY_FILE !== undefined) {
    const unread = Object.entries({ TLS_CERT_FILE, TLS_KEY_FILE }).flatMap(([name, file]) => {
      const problem = failureOf(() => readFileSync(file));
      return problem === undefined ? [] : [`${name}: ${file} cannot be read (${problem}).`];
    });
    yield* unread;
    const problem = failureOf(() =>
      createSecureContext({ cert: readFileSync(TLS_CERT_FILE), key: readFileSync(TLS_KEY_FILE) }),
    );
    if (problem !== undefined && unread.length === 0) {
      yield `TLS_CERT_FILE, TLS_KEY_FILE: not a certificate and its key in PEM (${problem}).`;
    }
  }
  if (DATA_DIR !== undefined) {
    const problem = failureOf(() => assertFolder(DATA_DIR));
    if (problem !== undefined) yield `DATA_DIR: ${DATA_DIR} cannot be written (${problem}).`;
  }
  if (MODELS_DIR !== undefined) {
    // Read access is enough: only the installation of models writes there.
    const problem = failureOf(() => accessSync(existingPart(MODELS_DIR), constants.R_OK));
    if (problem !== undefined) yield `MODELS_DIR: ${MODELS_DIR} is no folder to read (${problem}).`;
  }
}

/** Returns what is wrong with an address that may have a user and password, which are decoded. */
function problemWithLogin(address: string): string | undefined {
  if (!URL.canParse(address)) return 'not an address';
  const { username, password } = new URL(address);
  const isEncoded = failureOf(() => decodeURIComponent(username + password)) === undefined;
  return isEncoded ? undefined : 'a % in the user or password must be written as %25';
}

/**
 * Throws Error of the file system if a folder can be neither written nor created. Below some folders
 * that seem writable, such as `/proc`, nobody creates any, and Node would try forever.
 */
function assertFolder(folder: string): void {
  const existing = existingPart(folder);
  accessSync(existing, constants.W_OK);
  if (existing !== path.resolve(folder)) rmdirSync(mkdtempSync(path.join(existing, '.dragoman-')));
}

/**
 * Returns the nearest existing ancestor of a path. If that is a file or a link to nothing, an access
 * check of the result fails.
 */
function existingPart(folder: string): string {
  const absolute = path.resolve(folder);
  const isLink = lstatSync(absolute, { throwIfNoEntry: false })?.isSymbolicLink() ?? false;
  if (isLink && !existsSync(absolute)) return absolute;
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

/** Describes the values that a setting accepts, for error messages. */
function allowed(name: string): string {
  const schema = settingsSchema.properties[name as keyof Settings] as {
    description?: string;
    minimum?: number;
    exclusiveMinimum?: number;
    maximum?: number;
    type?: string;
    pattern?: string;
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
  // The beginning is what people leave out: `localhost:8000`.
  const isWeb = schema.pattern?.startsWith('^https?://') === true;
  const isKey = schema.pattern === KEY_PATTERN;
  const form = isWeb ? 'It begins with http:// or https://. ' : '';
  return `${isKey ? 'It is one word of ASCII characters. ' : form}${schema.description ?? ''}`;
}

function literals(schema: object): string[] {
  if ('const' in schema) return [String(schema.const)];
  return 'anyOf' in schema ? (schema.anyOf as object[]).flatMap(literals) : [];
}

const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|::1|\[::1\])$/;

function resolved(settings: Settings): Config {
  const TRUST_PROXY = settings.TRUST_PROXY === 'on';
  // Brackets belong to the address of a page, but people write them here too.
  const HOST = settings.HOST.replace(/^\[(.+)\]$/, '$1');
  const isLocal = LOOPBACK.test(HOST) && !TRUST_PROXY && settings.PUBLIC_URL === undefined;
  const automatic = isLocal ? 'local' : 'off';
  const DEMO = settings.DEMO === 'auto' ? automatic : settings.DEMO;
  const MODELS_DIR = settings.MODELS_DIR ?? path.join(settings.DATA_DIR, 'models');
  return { ...settings, HOST, TRUST_PROXY, DEMO, MODELS_DIR };
}

/**
 * Returns the command that runs npm, for `spawn`: the npm that started this process, else the one
 * on the PATH.
 */
export function npmCommand(): [string, ...string[]] {
  const script = process.env['npm_execpath'] ?? '';
  return path.basename(script) === 'npm-cli.js' ? [process.execPath, script] : ['npm'];
}

/** Whether a host name or address, with or without a port, always refers to this machine. */
export function isLoopbackHost(host: string): boolean {
  return LOOPBACK.test(host.replace(/:\d+$/, ''));
}
