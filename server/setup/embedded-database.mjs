/**
 * SQLite, where our data lies by default. Newer Node has it built in; for older ones the package
 * better-sqlite3 has it, ready made where its maker's files can be downloaded, else compiled here.
 */
import { createRequire, isBuiltin } from 'node:module';
import path from 'node:path';
import { CommandFailure, findProgram } from './command.mjs';
import * as debian from './debian-packages.mjs';
import { installNpmPackages } from './npm-packages.mjs';
import { root } from './paths.mjs';

/** What compiling it takes. @type {debian.Requirement[]} */
const compilerRequirements = [
  { name: 'a C++ compiler', programs: ['g++', 'clang++'], packages: ['g++'] },
  { name: 'make', programs: ['make'], packages: ['make'] },
  { name: 'Python 3', programs: ['python3'], packages: ['python3'] },
];

/** Whether this Node can open an SQLite database. */
export function canOpenDatabases() {
  if (isBuiltin('node:sqlite')) return true;
  try {
    const require = createRequire(path.join(root, 'package.json'));
    const Database = require('better-sqlite3');
    new Database(':memory:').close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Compiles better-sqlite3, which npm left out because it could not be had ready made.
 *
 * @returns {Promise<void>}
 * @throws {CommandFailure} when there is no compiler and none can be installed, or it fails
 */
export async function compileDatabase() {
  const missing = compilerRequirements.filter(({ programs }) =>
    (programs ?? []).every((program) => findProgram(program) === undefined),
  );
  if (missing.length > 0) {
    const packages = missing.flatMap((requirement) => requirement.packages);
    if (!debian.canInstall({ packages })) {
      throw new CommandFailure(
        'better-sqlite3 needs a compiler on this version of Node.',
        `Install ${packages.join(', ')}, or use Node 22.13 or later, which has SQLite built in.`,
      );
    }
    await debian.install(packages);
  }
  await installNpmPackages();
  if (canOpenDatabases()) return;
  throw new CommandFailure(
    'better-sqlite3 could not be compiled (dist/setup/npm-ci.log).',
    'Node 22.13 and later have SQLite built in and do without it.',
  );
}
