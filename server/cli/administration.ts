/** Runs administrative commands over the database that the settings name. */
import type { Command } from 'commander';
import { createAdministration } from '../accounts/administration.ts';
import { readConfig } from '../config.ts';
import {
  createTranslationMemories,
  type TranslationMemories,
} from '../memories/translation-memories.ts';
import type { Logger } from '../process/log.ts';
import { openStorage } from '../storage/open-storage.ts';
import type { Answer } from './output.ts';

export interface Administration extends ReturnType<typeof createAdministration> {
  translationMemories: TranslationMemories;
}

/**
 * Opens the database, which a running server may also have open, does some work and closes it.
 *
 * @throws ConfigError, or Error of the database, which must exist
 */
async function withAdministration<T>(
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const storage = await openStorage({
    url: config.STORAGE_URL,
    dataFolder: config.DATA_DIR,
    log: standardError,
    // A command with a wrong DATA_DIR would otherwise answer from a new, empty database.
    mustExist: true,
  });
  try {
    return await work({
      ...createAdministration(storage, standardError),
      translationMemories: createTranslationMemories({
        memories: storage.translationMemories,
        log: standardError,
      }),
    });
  } finally {
    await storage.close();
  }
}

/** Logs to standard error, because standard output carries the answer. */
const standardError: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};

/**
 * Gives a command its action, which receives the command's arguments, and the option `--json`. The
 * answer is printed after the database was closed, so that everything reported has been stored.
 */
export function answering(
  command: Command,
  work: (administration: Administration, ...positions: string[]) => Promise<Answer>,
): Command {
  return command.option('--json', 'print JSON').action(async () => {
    const answer = await withAdministration((administration) =>
      work(administration, ...command.args),
    );
    const { json = false } = command.opts<{ json?: boolean }>();
    process.stdout.write(`${json ? JSON.stringify(answer.json, null, 2) : answer.text}\n`);
  });
}
