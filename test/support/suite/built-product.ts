/**
 * Lets tests run the built product. They import `server/*.ts` and `shared/*.ts`, whose types they are
 * held to, and get what was built of them in `dist/`: Node loads it as it is, and the threads and
 * processes that it starts are compiled already, where sources would be compiled at every start.
 */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plugin } from 'vitest/config';
import { setUp } from '../../../server/setup/set-up.mjs';

const root = path.resolve(import.meta.dirname, '../../..');
const sourceFolders = ['server', 'shared'].map((name) => path.join(root, name, path.sep));

/** What of `dist/` Node loads by itself. */
export const builtModules = /\/dist\/(?:server|shared)\//;

/** Takes imports of sources to what was built of them. */
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
 * The address of what was built of a source, for scripts that run in a process of their own.
 *
 * @param source its path in the project: `server/voice/audio/decode.ts`
 */
export function builtModule(source: string): string {
  return pathToFileURL(builtFile(source)).href;
}

function builtFile(source: string): string {
  return path.join(root, 'dist', source.replace(/\.ts$/, '.js'));
}

/** Builds when the sources have changed, once before all tests. */
export default async function setup(): Promise<void> {
  await setUp({ building: 'when stale', quiet: true });
}
