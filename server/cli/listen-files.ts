/** The files that `listen` writes, looked at before anything is opened: none may be lost, or fail at the end. */
import { constants } from 'node:fs';
import { access, realpath, stat } from 'node:fs/promises';
import path from 'node:path';

/** A file and the option, or argument, that names it. */
export interface NamedFile {
  name: string;
  path: string;
}

/**
 * Makes sure that every file can be written, and that none is the input or another of them, by
 * whatever path.
 *
 * @param input undefined for standard input
 * @throws Error that names the option and the file
 */
export async function checkFiles(
  input: string | undefined,
  written: readonly NamedFile[],
): Promise<void> {
  const known = new Map<string, string>();
  const inputKey = input === undefined ? undefined : await identity(input);
  if (inputKey !== undefined) known.set(inputKey, 'the audio that is read');
  for (const file of written) {
    const key = await identity(file.path);
    const other = key === undefined ? undefined : known.get(key);
    if (other !== undefined) {
      throw new Error(`${file.name}: ${file.path} is ${other}. Name another file.`);
    }
    if (key !== undefined) known.set(key, `what ${file.name} writes already`);
    await checkWritable(file);
  }
}

/** Whether two paths lead to one file, through links or not. */
export async function isSameFile(first: string, second: string): Promise<boolean> {
  const key = await identity(first);
  return key !== undefined && key === (await identity(second));
}

/** The same for all paths of a file; of one that is not there yet, where it will be. Undefined for devices. */
async function identity(file: string): Promise<string | undefined> {
  const found = await stat(file, { bigint: true }).catch(() => undefined);
  // Terminals and /dev/null may be named as often as one likes.
  if (found !== undefined && !found.isFile()) return undefined;
  if (found !== undefined) return `${found.dev}:${found.ino}`;
  const folder = path.dirname(path.resolve(file));
  return path.join(await realpath(folder).catch(() => folder), path.basename(file));
}

async function checkWritable({ name, path: file }: NamedFile): Promise<void> {
  const found = await stat(file).catch(() => undefined);
  if (found?.isDirectory() === true) throw new Error(`${name}: ${file} is a folder.`);
  const folder = path.dirname(path.resolve(file));
  if ((await stat(folder).catch(() => undefined))?.isDirectory() !== true) {
    throw new Error(`${name}: there is no folder ${folder}.`);
  }
  await access(found === undefined ? folder : file, constants.W_OK).catch(() => {
    throw new Error(`${name}: ${file} cannot be written.`);
  });
}
