/**
 * Cache of generated files that are interchangeable: each is made once for all processes and all runs. Kept
 * in `dist`, which can be deleted at any time.
 */
import { createHash, randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, renameSync } from 'node:fs';
import path from 'node:path';
import { root } from '../../../server/setup/paths.mjs';

const folder = path.join(root, 'dist', 'setup', 'made-once');

/**
 * Returns the path of a cached file, and makes the file if necessary.
 *
 * @param from everything it depends on: the program and its arguments
 * @param extension file extension
 * @param make writes the file to the path it receives
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

/**
 * Like {@link madeOnce}, for many files that are made together.
 *
 * @param make writes the files that are missing, each to its own path, by its place in `all`
 */
export function madeTogether(
  all: readonly { from: readonly string[]; extension: string }[],
  make: (missing: { at: number; own: string }[]) => void,
): string[] {
  const places = all.map(({ from, extension }, at) => ({ at, ...placeOf(from, extension) }));
  const missing = new Map(
    places.filter(({ file }) => !existsSync(file)).map((place) => [place.file, place]),
  );
  if (missing.size > 0) make([...missing.values()]);
  for (const { file, own } of missing.values()) renameSync(own, file);
  return places.map(({ file }) => file);
}

/** Like {@link madeOnce}, for a file that is made asynchronously. */
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

/** Returns a function that makes something at the first call and returns the same at each later one. */
export function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
}

/** Several processes may make a file at the same time: each writes its own, and the last one stays. */
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

/** Returns whether a file is in the cache, so that its path identifies its content. */
export function isMadeOnce(file: string): boolean {
  return path.dirname(file) === folder;
}
