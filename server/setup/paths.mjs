/** Where things are. Everything the set-up writes is below `dist/`, which git ignores. */
import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The repository, absolute. */
export const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/[\\/]$/, '');

/** The set-up's own notes, logs and lock. */
export const notesFolder = path.join(root, 'dist', 'setup');

/** The models that all tests share. */
export const testModelsFolder = path.join(root, 'dist', 'models');
