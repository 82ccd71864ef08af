/**
 * Runs the built server as its users do: in its own process, with real sockets and a temporary data folder.
 */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { readContract, type ContractCheck } from './contract-check.ts';

export const projectFolder = path.resolve(import.meta.dirname, '../../..');
/** Longest wait for a start, in ms; below the timeouts of hooks and tests, so that the logs are reported. */
const START_MS = 300_000;
/** Longest time between two looks at what is awaited, in ms, unless it is to be longer. */
const LONGEST_PAUSE_MS = 500;

/** A running server, however it was started. */
export interface RunningServer {
  /** Address, such as `http://127.0.0.1:12345`. */
  url: string;
  apiKey: string;
  /** Its data folder, removed when the process ends. */
  dataFolder: string;
  pid: number;
  /** Sends a JSON request with the API key. */
  post(pathname: string, body: unknown, headers?: Record<string, string>): Promise<Response>;
  get(pathname: string, headers?: Record<string, string>): Promise<Response>;
  /** Sends any request with the API key, such as a form with a file. */
  send(
    pathname: string,
    init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> },
  ): Promise<Response>;
  stop(): Promise<void>;
}

export interface TestServer extends RunningServer {
  process: ChildProcess;
  /** Everything written to standard output so far. */
  output(): string;
  /** Everything logged so far. */
  logs(): string;
  /** Resolves with the exit code once the process has ended. */
  exited: Promise<number | null>;
}

/** Returns the settings of a test server: those that all share, and its own. */
export function serverSettings(own: Record<string, string>): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    MODELS_DIR: process.env['MODELS_DIR'] ?? '',
    ...{ PORT: '0', LOG_LEVEL: 'info', WARM_UP: 'off' },
    // Admission must not depend on other load on the machine.
    VOICE_LOAD_PERCENT: '0',
    // What hears nothing decodes nothing: asking FFmpeg for its decoders takes a fifth of a start.
    ...(own['RECOGNISER'] === 'silent' && { FFMPEG: 'none' }),
    ...own,
  };
}

/**
 * Starts a server on a free port with these settings and Node flags.
 *
 * @param enter command prefix, to run the server elsewhere
 */
export async function startServer(
  settings: Record<string, string> = {},
  nodeFlags: readonly string[] = [],
  enter: readonly string[] = [],
): Promise<TestServer> {
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-data-'));
  const command = [...enter, process.execPath, ...nodeFlags, 'dist/bundle/main.js'];
  const child = spawn(command[0] ?? '', command.slice(1), {
    cwd: projectFolder,
    env: serverSettings({ DATA_DIR: dataFolder, ...settings }),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let logs = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (logs += text));
  const exited = new Promise<number | null>((resolve) => {
    child.once('exit', (code) => {
      rmSync(dataFolder, { recursive: true, force: true });
      resolve(code);
    });
  });

  const started = until(() => {
    const [, address] = /Listening +(\S+)/.exec(output) ?? /live at (\S+)/.exec(output) ?? [];
    const [, key] = /API key +(\S+)/.exec(output) ?? [];
    return address !== undefined && key !== undefined && { address, key };
  }, START_MS);
  const failed = exited.then((code) => {
    throw new Error(`The server ended with ${code}: ${logs}`);
  });
  const { address: url, key: apiKey } = await Promise.race([started, failed]);
  failed.catch(() => undefined);

  return {
    ...{ url, apiKey, dataFolder, exited, process: child, pid: child.pid ?? 0 },
    ...requestsTo(url, apiKey),
    output: () => output,
    logs: () => logs,
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

/** Returns request functions for a server that use an API key. */
export function requestsTo(
  url: string,
  apiKey: string,
): Pick<RunningServer, 'post' | 'get' | 'send'> {
  let contract: Promise<ContractCheck> | undefined;
  /** Sends a request; fails if the answer of the API does not match the server's own OpenAPI document. */
  async function checked(pathname: string, init: RequestInit): Promise<Response> {
    const headers = new Headers(init.headers);
    // A server closes an idle connection after 72 s, perhaps just as it is used.
    headers.set('connection', 'close');
    const response = await fetch(url + pathname, { ...init, headers });
    if (!/^\/v\d\//.test(pathname)) return response;
    contract ??= readContract(url);
    // An event stream has no end to wait for.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const problem = (await contract)({
      ...{ method: init.method ?? 'GET', url: pathname, status: response.status },
      header: (name) => response.headers.get(name) ?? undefined,
      body: isStream ? '' : await response.clone().text(),
    });
    if (problem !== undefined) throw new Error(`${pathname}: ${problem}`);
    return response;
  }

  return {
    post: (pathname, body, headers) =>
      checked(pathname, {
        method: 'POST',
        headers: {
          Authorization: `Service-Auth-Key ${apiKey}`,
          'Content-Type': 'application/json',
          ...headers,
        },
        body: JSON.stringify(body),
      }),
    get: (pathname, headers = {}) => checked(pathname, { headers }),
    send: (pathname, init) =>
      checked(pathname, {
        ...init,
        headers: { Authorization: `Service-Auth-Key ${apiKey}`, ...init.headers },
      }),
  };
}

type Nothing = null | undefined | false;

/**
 * Polls `look` until it returns something or true; fails after the deadline. Numbers do not count. It takes at
 * most a fifth of the time: on a busy machine, requests would otherwise delay what they wait for.
 */
export async function until<T extends object | string | true>(
  look: () => T | Nothing | Promise<T | Nothing>,
  deadlineMs = 300_000,
  everyMs = 25,
): Promise<T> {
  const limit = Date.now() + deadlineMs;
  for (;;) {
    const lookedAtMs = Date.now();
    const found = await look();
    if (found !== null && found !== undefined && found !== false) return found;
    if (Date.now() > limit) throw new Error(`Waited ${deadlineMs} ms in vain: ${look.toString()}`);
    const pauseMs = Math.max(everyMs, Math.min(4 * (Date.now() - lookedAtMs), LONGEST_PAUSE_MS));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
