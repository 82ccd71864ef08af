/**
 * The models of a fresh installation. The built command-line interface installs them. Missing
 * models never prevent a start: the server reports what is off.
 */
import { existsSync } from 'node:fs';
import path from 'node:path';
import { CommandFailure, run } from './command.mjs';
import { root } from './paths.mjs';

/** The default recogniser. */
export const serverModels = ['moonshine-tiny-en'];

const DESCRIPTION_FILE = 'dragoman-model.json';

/** Returns the models folder that the server's settings will name. @returns {string} */
function modelsFolder() {
  const { MODELS_DIR, DATA_DIR } = process.env;
  return path.resolve(MODELS_DIR?.trim() || path.join(DATA_DIR?.trim() || 'data', 'models'));
}

/**
 * Returns the given models that are not installed; costs a stat each.
 *
 * @param {string[]} names
 */
export function findMissing(names) {
  const folder = modelsFolder();
  return names.filter((name) => !existsSync(path.join(folder, name, DESCRIPTION_FILE)));
}

/** Returns the label of an installation step. @param {string} name */
export function labelOf(name) {
  return `model ${name}`;
}

/**
 * Installs a model of the catalogue.
 *
 * @param {string} name
 * @returns {Promise<string>} a message for the user; empty after success
 */
export async function install(name) {
  try {
    await run({
      program: process.execPath,
      args: [
        path.join(root, 'dist', 'server', 'cli', 'main.js'),
        ...['models', 'install', name],
        // Without a network, every start would wait for the download.
        ...['--timeout', '20'],
      ],
      // An absolute path: the set-up runs its programs in the project's folder.
      env: { MODELS_DIR: modelsFolder() },
      log: 'model',
      shownLines: 1,
    });
    return '';
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error;
    return [
      `The model ${name} is missing; engines that need it stay off. ${error.output}`,
      `To install it: npm run dragoman -- models install ${name}`,
    ].join('\n');
  }
}
