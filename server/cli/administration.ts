/** What the commands work with: the services over the database that the settings name. */
import { readConfig } from '../config.ts';
import type { Logger } from '../process/log.ts';
import { createAdministration } from '../accounts/administration.ts';
import {
  createTranslationMemories,
  type TranslationMemories,
} from '../memories/translation-memories.ts';
import { openStorage } from '../storage/open-storage.ts';

export interface Administration extends ReturnType<typeof createAdministration> {
  translationMemories: TranslationMemories;
}

/**
 * Opens the database, which a running server may have open too, does some work and closes it.
 *
 * @throws ConfigError, or Error of the database
 */
export async function withAdministration<T>(
  work: (administration: Administration) => Promise<T>,
): Promise<T> {
  const config = readConfig();
  const storage = await openStorage({
    url: config.STORAGE_URL,
    dataFolder: config.DATA_DIR,
    log: standardError,
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

/** Standard output is for the answer. */
const standardError: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: (_fields, message) => void process.stderr.write(`${message}\n`),
  error: (_fields, message) => void process.stderr.write(`${message}\n`),
};
