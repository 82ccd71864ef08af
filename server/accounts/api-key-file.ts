import { randomUUID } from 'node:crypto';
import { chmod, link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import path from 'node:path';

/** The API key of a new installation: made once, in a file that only its owner can read. */
export interface ApiKeyFile {
  key: string;
  file: string;
}

/**
 * Reads the key of a data folder, or makes one. Several processes may start at once: one key wins.
 *
 * @throws Error of the file system when the folder cannot be written or the file cannot be read
 */
export async function openApiKeyFile(dataFolder: string): Promise<ApiKeyFile> {
  const file = path.resolve(dataFolder, 'api-key');
  const key = (await readKey(file)) ?? (await makeKey(file));
  return { key, file };
}

async function readKey(file: string): Promise<string | undefined> {
  try {
    const key = (await readFile(file, 'utf8')).trim();
    await chmod(file, 0o600);
    return key === '' ? undefined : key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Written beside and linked into place: the file is never seen half written or readable by others. */
async function makeKey(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
  const key = randomUUID();
  const draft = `${file}.${randomUUID()}`;
  await writeFile(draft, `${key}\n`, { mode: 0o600 });
  try {
    await link(draft, file);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    const existing = await readKey(file);
    if (existing === undefined) throw new Error(`${file} is empty: remove it.`, { cause: error });
    return existing;
  } finally {
    await unlink(draft);
  }
}
