/**
 * Lets tests run the built product. Tests import `server/*.ts` and `shared/*.ts`, against whose types they
 * are checked, and get the built files in `dist/`. Node loads these as they are, and threads and processes
 * start from compiled code, where sources would be compiled at every start.
 */
import { copyFileSync, renameSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';
import { setUp } from '../../../server/setup/set-up.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const sourceFolders = ['server', 'shared'].map((name) => path.join(root, name, path.sep));

/** Modules of `dist/` that Node loads itself. */
export const builtModules = /\/dist\/(?:server|shared)\//;

/** Redirects imports of sources to their built files. */
export function builtProduct(): Plugin {
  return {
    name: 'built-product',
    enforce: 'pre',
    async resolveId(source, importer) {
      if (!source.endsWith('.ts')) return undefined;
      const found = await this.resolve(source, importer, { skipSelf: true });
      const isSource = sourceFolders.some((folder) => found?.id.startsWith(folder));
      return found === null || !isSource ? undefined : builtFile(path.relative(root, found.id));
    },
  };
}

/**
 * Returns the URL of the built file of a source, for scripts that run in a process of their own.
 *
 * @param source path in the project: `server/voice/audio/decode.ts`
 */
export function builtModule(source: string): string {
  return pathToFileURL(builtFile(source)).href;
}

function builtFile(source: string): string {
  return path.join(root, 'dist', source.replace(/\.ts$/, '.js'));
}

/** Builds if the sources have changed, once before all tests. */
export default async function setup(): Promise<void> {
  await setUp({ building: 'when stale', quiet: true });
  shareCountedWords();
}

/**
 * Gives the modules that tests load the word frequencies that the build has counted for the bundle: each process would
 * count them for seconds.
 */
function shareCountedWords(): void {
  const file = 'engines/detection/word-frequencies.bin';
  const place = path.join(root, 'dist/server', file);
  // Renamed, because tests that run already may read it.
  const copy = `${place}.${process.pid}`;
  copyFileSync(path.join(root, 'dist/bundle', file), copy);
  renameSync(copy, place);
}
