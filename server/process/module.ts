/**
 * Starts one of our own modules in a worker thread or a child process, from the built JavaScript as
 * well as from TypeScript sources (development and tests, where tsx is there to read them).
 */
import {
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessByStdio,
  type SpawnOptions,
} from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { Worker, type WorkerOptions } from 'node:worker_threads';

import { foldersAbove, type Command } from './containment.ts';

/** A child with pipes for input, output and errors. */
export type PipedChild = ChildProcessByStdio<Writable, Readable, Readable>;

/**
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path of the module relative to the caller, without extension: `./decode-worker`
 */
function resolveModule(importMetaUrl: string, name: string): { url: URL; execArgv: string[] } {
  const fromSource = importMetaUrl.endsWith('.ts');
  const url = new URL(`${name}${fromSource ? '.ts' : '.js'}`, importMetaUrl);
  return { url, execArgv: fromSource ? ['--import', import.meta.resolve('tsx')] : [] };
}

/** Starts a module in a worker thread. Arguments as in {@link resolveModule}. */
export function startWorker(importMetaUrl: string, name: string, options?: WorkerOptions): Worker {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  const entry = execArgv.length > 0 ? typescriptEntry(url) : url;
  return new Worker(entry, { ...options, execArgv: [] });
}

/** Node 20 ignores `--import tsx` in worker threads: there tsx has to be registered by the worker itself. */
function typescriptEntry(url: URL): URL {
  const tsx = JSON.stringify(import.meta.resolve('tsx/esm/api'));
  const script = `import { register } from ${tsx}; register(); await import(${JSON.stringify(url)});`;
  return new URL(`data:text/javascript,${encodeURIComponent(script)}`);
}

/** Starts a module in a child process with piped stdio. Arguments as in {@link resolveModule}. */
export function startChild(importMetaUrl: string, name: string, args: string[] = []): PipedChild {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  return spawn(process.execPath, [...execArgv, fileURLToPath(url), ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

/**
 * Starts a module in a child process that gets messages and nothing else: none of our environment but
 * what `options.env` says. Arguments as in {@link resolveModule}; `options.stdio` has a channel.
 *
 * @param options.wrap makes the command one that contains it
 */
export function forkChild(
  importMetaUrl: string,
  name: string,
  {
    args = [],
    execArgv = [],
    wrap = (command) => command,
    ...options
  }: SpawnOptions & {
    args?: readonly string[];
    execArgv?: readonly string[];
    wrap?: (command: Command) => Command;
    env: Record<string, string>;
  },
): ChildProcess {
  const { url, execArgv: ours } = resolveModule(importMetaUrl, name);
  const [program, ...all] = wrap([
    process.execPath,
    ...[...ours, ...execArgv, fileURLToPath(url), ...args],
  ]);
  return spawn(program, all, options);
}

/**
 * What Node reads when it runs a module of ours: itself, our code, packages, and the files that say what
 * kind of modules these are.
 *
 * @param importMetaUrl of a module of the same product
 */
export function runtimeFiles(importMetaUrl: string): string[] {
  const above = foldersAbove(fileURLToPath(importMetaUrl));
  const server = above.find((folder) => ['server', 'bundle'].includes(path.basename(folder)));
  const ours = server === undefined ? [] : [server, path.join(server, '..', 'shared')];
  const beside = above.flatMap((folder) =>
    ['node_modules', 'package.json', 'tsconfig.json'].map((name) => path.join(folder, name)),
  );
  return [process.execPath, ...[...ours, ...beside].filter((file) => existsSync(file))];
}

/** Starts a module in a child process with our environment, which gets messages. Arguments as in {@link resolveModule}. */
export function forkSibling(importMetaUrl: string, name: string, args: string[]): ChildProcess {
  const { url, execArgv } = resolveModule(importMetaUrl, name);
  // Standard output is for people; what it logs goes where ours goes.
  return fork(fileURLToPath(url), args, {
    execArgv,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
}
