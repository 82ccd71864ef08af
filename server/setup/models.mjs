/**
 * The models that a fresh installation works with. They are installed by the command line that the
 * build has made, and never stand in the way: without them the server starts and says what is off.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, run } from './command.mjs';
import { root } from './paths.mjs';

/** What hears where nothing else was chosen. */
export const serverModels = ['moonshine-tiny-en'];

const DESCRIPTION_FILE = 'dragoman-model.json';

/** Where the server will look for models, as its settings say. @returns {string} */
function modelsFolder() {
  const { MODELS_DIR, DATA_DIR } = process.env;
  return path.resolve(MODELS_DIR?.trim() || path.join(DATA_DIR?.trim() || 'data', 'models'));
}

/**
 * Those of some models that are not installed: a stat each.
 *
 * @param {string[]} names
 */
export function findMissing(names) {
  const folder = modelsFolder();
  return names.filter((name) => !existsSync(path.join(folder, name, DESCRIPTION_FILE)));
}

/** What a step is called. @param {string} name */
export function labelOf(name) {
  return `model ${name}`;
}

/**
 * Installs a model of the catalogue.
 *
 * @param {string} name
 * @returns {Promise<string>} what to tell: empty when it was installed
 */
export async function install(name) {
  try {
    await run({
      program: process.execPath,
      args: [
        path.join(root, 'dist', 'server', 'cli', 'main.js'),
        ...['models', 'install', name],
        // Where there is no network, every start would wait for it.
        ...['--timeout', '20'],
      ],
      // The set-up runs its programs in the project's folder.
      env: { MODELS_DIR: modelsFolder() },
      log: 'model',
      shownLines: 1,
    });
    return '';
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return [
      `The model ${name} is missing; what needs it stays off. ${error.output}`,
      `To install it: npm run dragoman -- models install ${name}`,
    ].join('\n');
  }
}
