/**
 * Files that a program makes, of which one is as good as another: once for all processes and all runs. They
 * are kept in `dist`, which nobody has to keep.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../server/setup/paths.mjs';

const folder = path.join(root, 'dist', 'setup', 'made-once');

/**
 * The path of a file.
 *
 * @param from all that it is made from: what is asked of which program
 * @param extension how its name ends
 * @param make writes it to the path it is given
 */
export function madeOnce(
  from: readonly (string | number | undefined)[],
  extension: string,
  make: (file: string) => void,
): string {
  const { file, own } = placeOf(from, extension);
  if (existsSync(file)) return file;
  make(own);
  renameSync(own, file);
  return file;
}

/** The same of a file that takes its time. */
export async function madeOnceLater(
  from: readonly (string | number | undefined)[],
  extension: string,
  make: (file: string) => Promise<void>,
): Promise<string> {
  const { file, own } = placeOf(from, extension);
  if (existsSync(file)) return file;
  await make(own);
  renameSync(own, file);
  return file;
}

/** Others may make a file at the same time: each its own, and the last stays. */
function placeOf(
  from: readonly (string | number | undefined)[],
  extension: string,
): { file: string; own: string } {
  const name = createHash('sha256').update(JSON.stringify(from)).digest('hex');
  mkdirSync(folder, { recursive: true });
  return {
    file: path.join(folder, `${name}.${extension}`),
    own: path.join(folder, `${randomUUID()}.${extension}`),
  };
}

/** Whether a file was made here, so that its path tells what is in it. */
export function isMadeOnce(file: string): boolean {
  return path.dirname(file) === folder;
}
