/** The npm packages: are they those of package-lock.json, and if not, `npm ci`. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './command.mjs';
import { root } from './paths.mjs';

/**
 * Whether the installed packages are those of package-lock.json. Asks npm's own record of what it
 * installed, which npm writes last: an interrupted installation has none.
 *
 * @param {string} [folder] of the project
 */
export function npmPackagesInstalled(folder = root) {
  const record = path.join(folder, 'node_modules', '.package-lock.json');
  if (!existsSync(record)) return false;
  const installed = packagesOf(record);
  return Object.entries(packagesOf(path.join(folder, 'package-lock.json'))).every(
    ([name, wanted]) => {
      const present = installed[name];
      // '' is the project itself; packages for other systems are optional and absent.
      if (present === undefined) return name === '' || wanted.optional === true;
      return present.version === wanted.version && present.integrity === wanted.integrity;
    },
  );
}

/** Installs exactly what package-lock.json says. */
export async function installNpmPackages() {
  // Started through npm, the same npm is used; else the one on the PATH.
  const npmScript = process.env['npm_execpath'];
  const headers = nodeHeaders();
  const ownNpm = npmScript !== undefined && path.basename(npmScript) === 'npm-cli.js';
  await run({
    program: ownNpm ? process.execPath : 'npm',
    args: [
      ...(ownNpm ? [npmScript] : []),
      'ci',
      // The build needs them, also where NODE_ENV is production.
      '--include=dev',
      // `npm start --silent` must not silence the log of a failure.
      '--loglevel=warn',
    ],
    env: {
      // Compiled packages find the headers that came with this Node, instead of downloading them.
      ...(headers !== undefined && { npm_config_nodedir: headers }),
      // The runtime of models would fetch what graphics cards take from elsewhere.
      ONNXRUNTIME_NODE_INSTALL: 'skip',
    },
    log: 'npm-ci',
  });
}

/** Where the headers of this Node are, if they came with it. */
function nodeHeaders() {
  const prefix = path.resolve(path.dirname(process.execPath), '..');
  return existsSync(path.join(prefix, 'include', 'node', 'node.h')) ? prefix : undefined;
}

/**
 * @param {string} lockFile
 * @returns {Record<string, { version?: string, integrity?: string, optional?: boolean }>}
 */
function packagesOf(lockFile) {
  return JSON.parse(readFileSync(lockFile, 'utf8')).packages;
}
