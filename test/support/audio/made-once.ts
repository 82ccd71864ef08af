/**
 * Files that a program makes, always the same: once for all processes and all runs. They are kept in
 * `dist`, which nobody has to keep.
 */
import { createHash } from 'node:crypto';
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
  const name = createHash('sha256').update(JSON.stringify(from)).digest('hex');
  const file = path.join(folder, `${name}.${extension}`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  // Others may make it at the same time: each its own, and the last stays, which is the same.
  const own = path.join(folder, `${process.pid}-${name}.${extension}`);
  make(own);
  renameSync(own, file);
  return file;
}

/** Whether a file was made here, so that its path tells what is in it. */
export function isMadeOnce(file: string): boolean {
  return path.dirname(file) === folder;
}
