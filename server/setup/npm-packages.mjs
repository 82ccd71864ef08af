/** The npm packages: checks them against package-lock.json and runs `npm ci` if they differ. */
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './command.mjs';
import { root } from './paths.mjs';

/**
 * Whether the installed packages match package-lock.json. Reads npm's own record, which npm writes
 * last, so that an interrupted installation has none.
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
      // '' is the project itself; optional packages for other systems are absent.
      if (present === undefined) return name === '' || wanted.optional === true;
      return present.version === wanted.version && present.integrity === wanted.integrity;
    },
  );
}

/** Installs exactly the packages of package-lock.json. */
export async function installNpmPackages() {
  // Uses the npm that started this process, else the one on the PATH.
  const npmScript = process.env['npm_execpath'];
  const headers = nodeHeaders();
  const ownNpm = npmScript !== undefined && path.basename(npmScript) === 'npm-cli.js';
  await run({
    program: ownNpm ? process.execPath : 'npm',
    args: [
      ...(ownNpm ? [npmScript] : []),
      'ci',
      // Needed for the build, even where NODE_ENV is production.
      '--include=dev',
      // `npm start --silent` must not suppress the log of a failure.
      '--loglevel=warn',
    ],
    env: {
      // Native packages use the headers that came with this Node instead of downloading them.
      ...(headers !== undefined && { npm_config_nodedir: headers }),
      // Prevents onnxruntime-node from downloading GPU libraries.
      ONNXRUNTIME_NODE_INSTALL: 'skip',
    },
    log: 'npm-ci',
  });
}

/** Returns the folder of this Node's headers, if they came with it. */
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
