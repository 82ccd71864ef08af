/** Runs the programs of the set-up. Their output goes to a log and is shown only after a failure. */
import { spawn } from 'node:child_process';
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { notesFolder, root } from './paths.mjs';

/** A program that failed; `output` is the end of its output. */
export class CommandFailure extends Error {
  /**
   * @param {string} message
   * @param {string} output
   */
  constructor(message, output) {
    super(message);
    this.name = 'CommandFailure';
    this.output = output;
  }
}

/**
 * Runs a program to its end, without standard input; its output goes to `dist/setup/<log>.log`.
 *
 * @param {object} command
 * @param {string} command.program
 * @param {string[]} command.args
 * @param {string} command.log name of the log
 * @param {Record<string, string>} [command.env] added to the environment
 * @param {number} [command.shownLines] how many lines of output a failure carries, from the end
 * @returns {Promise<void>}
 * @throws {CommandFailure} when it cannot start or does not exit with 0
 */
export async function run({ program, args, log, env = {}, shownLines = 40 }) {
  const logFile = path.join(notesFolder, `${log}.log`);
  mkdirSync(notesFolder, { recursive: true });
  const output = openSync(logFile, 'w');
  try {
    const end = await ended(
      spawn(program, args, {
        cwd: root,
        env: { ...process.env, ...env },
        stdio: ['ignore', output, output],
      }),
    );
    if (end === 'exit code 0') return;
    const shown = [path.basename(program), ...args.map(relativeToRoot)].join(' ');
    throw new CommandFailure(
      `${shown}: ${end} (${relativeToRoot(logFile)})`,
      tail(logFile, shownLines),
    );
  } finally {
    closeSync(output);
  }
}

/**
 * Returns the path of a program on the PATH; undefined if it is not found.
 *
 * @param {string} name
 * @param {string} [searchPath] the PATH to search
 * @returns {string | undefined}
 */
export function findProgram(name, searchPath = process.env.PATH ?? '') {
  const candidates = searchPath.split(path.delimiter).map((folder) => path.join(folder, name));
  return candidates.find((candidate) => {
    try {
      accessSync(candidate, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

/**
 * @param {import('node:child_process').ChildProcess} child
 * @returns {Promise<string>} how it ended, in words
 */
function ended(child) {
  // When the set-up is stopped, so is the program.
  const stop = () => void child.kill();
  process.once('exit', stop);
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(signal ?? `exit code ${code}`));
  }).finally(() => process.removeListener('exit', stop));
}

/** @param {string} file */
function relativeToRoot(file) {
  return file.startsWith(root + path.sep) ? path.relative(root, file) : file;
}

/**
 * @param {string} logFile
 * @param {number} lines
 */
function tail(logFile, lines) {
  return readFileSync(logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
}
