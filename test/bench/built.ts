/** Modules of the built server: what is measured is what runs in production, without tsx in its processes. */
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { projectFolder } from '../support/product/server.ts';

/**
 * Loads a module from `dist/`.
 *
 * @typeParam Module type of its source: `import type * as Source …`, then `typeof Source`
 * @param source path of its source in the project: `server/voice/audio/decode.ts`
 */
export async function importBuilt<Module>(source: string): Promise<Module> {
  const file = path.join(projectFolder, 'dist', source.replace(/\.ts$/, '.js'));
  return (await import(pathToFileURL(file).href)) as Module;
}

/** A logger that keeps quiet. */
export const quietLog = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};
