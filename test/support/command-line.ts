/** Runs the built command line as its users do: in a process of its own. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectFolder } from './server.ts';

export interface CommandLineResult {
  code: number | null;
  output: string;
  errors: string;
}

/** Runs `dragoman` with arguments on the data of a folder, or of the database that the settings name. */
export async function runDragoman(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<CommandLineResult> {
  const child = spawn(process.execPath, ['dist/server/cli/main.js', ...args], {
    cwd: projectFolder,
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let errors = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output += text));
  child.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, output, errors };
}

/** Runs `dragoman … --json` and answers what it said. @throws Error with what it complained of */
export async function askDragoman<T>(
  args: readonly string[],
  settings: Record<string, string>,
): Promise<T> {
  const { code, output, errors } = await runDragoman([...args, '--json'], settings);
  if (code !== 0) throw new Error(`dragoman ${args.join(' ')} ended with ${code}: ${errors}`);
  return JSON.parse(output) as T;
}
