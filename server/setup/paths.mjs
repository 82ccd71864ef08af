/** Paths of the project. The set-up writes only below `dist/`, which git ignores. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** Logs, records and lock of the set-up. */
export const notesFolder = path.join(root, 'dist', 'setup');

/** The models that all tests share. */
export const testModelsFolder = path.join(root, 'dist', 'models');
