/**
 * Runs the built command line, in a process that keeps its modules loaded, or in one of its own as users do.
 */
import {
  fork,
  spawn,
  type ChildProcess,
  type ChildProcessWithoutNullStreams,
} from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { projectFolder } from './server.ts';

export interface CommandLineResult {
  code: number | null;
  output: string;
  errors: string;
}

/** Idle processes with the command line loaded; they end with this process. */
const idle: ChildProcess[] = [];

/** Runs `dragoman` with arguments, on the data folder or database that the settings name. */
export async function runDragoman(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<CommandLineResult> {
  const host =
    idle.pop() ??
    fork(path.join(import.meta.dirname, 'command-line-host.mjs'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
  const answered = new AbortController();
  const { signal } = answered;
  const ended = once(host, 'exit', { signal }).then(([code]) => {
    throw new Error(`The process of the command line ended with ${code}.`);
  });
  host.send({ args, settings: environment(settings) });
  try {
    const answer: unknown[] = await Promise.race([once(host, 'message', { signal }), ended]);
    idle.push(host);
    return answer[0] as CommandLineResult;
  } finally {
    ended.catch(() => undefined);
    answered.abort();
  }
}

/** Runs `dragoman` in a process of its own, as users do. */
export async function runDragomanAlone(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<CommandLineResult> {
  const child = startDragoman(args, settings);
  child.stdin.end();
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

/** Starts `dragoman` in a process of its own; output is lost unless a listener is added at once. */
export function startDragoman(
  args: readonly string[],
  settings: Record<string, string>,
): ChildProcessWithoutNullStreams {
  const child = spawn(process.execPath, ['dist/bundle/cli/main.js', ...args], {
    ...{ cwd: projectFolder, env: environment(settings) },
  });
  child.stdout.resume();
  child.stderr.resume();
  return child;
}

function environment(settings: Record<string, string>): Record<string, string> {
  return { PATH: process.env['PATH'] ?? '', ...settings };
}

/** Runs `dragoman … --json` and parses its output. @throws Error with its error output */
export async function askDragoman<T>(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<T> {
  const { code, output, errors } = await runDragoman([...args, '--json'], settings);
  if (code !== 0) throw new Error(`dragoman ${args.join(' ')} ended with ${code}: ${errors}`);
  return JSON.parse(output) as T;
}
