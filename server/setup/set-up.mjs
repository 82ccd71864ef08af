/**
 * Everything between a fresh clone and a running server: npm packages, Debian packages, build and
 * models. Each part checks for itself whether it has work to do, so that later starts are fast.
 */
import { constants } from 'node:os';
import path from 'node:path';
import { CommandFailure } from './command.mjs';
import * as debian from './debian-packages.mjs';
import { withLock } from './lock.mjs';
import * as models from './models.mjs';
import { installNpmPackages, npmPackagesInstalled } from './npm-packages.mjs';
import { notesFolder } from './paths.mjs';
import { allEnded, build, isBuilt, wasBuilt } from './product.mjs';
import { createProgress } from './progress.mjs';

/**
 * @typedef {object} Wishes
 * @property {debian.Requirement[]} [requirements] required Debian packages; none by default
 * @property {string[]} [models] names of required models; none by default
 * @property {'when stale' | 'always' | 'never'} [building]
 * @property {boolean} [areTypesChecked] by the build; false if types are checked elsewhere
 * @property {() => void} [whenPackaged] called once the npm packages are installed, whatever else
 *   remains
 * @property {boolean} [quiet] omits the lines of successful steps
 */

/**
 * Sets up what is requested; on failure, prints the reason and exits.
 *
 * @param {Wishes} [wishes]
 * @returns {Promise<void>}
 */
export async function setUpOrExit(wishes) {
  try {
    await setUp(wishes);
  } catch (error) {
    process.stderr.write(`${explain(error)}\n`);
    process.exit(1);
  }
}

/**
 * Sets up what is requested.
 *
 * @param {Wishes} [wishes]
 * @returns {Promise<void>}
 * @throws {CommandFailure} when npm or the build fails
 */
export async function setUp({
  requirements = [],
  models: wishedModels = [],
  building = 'when stale',
  areTypesChecked = true,
  whenPackaged = () => {},
  quiet = false,
} = {}) {
  // Image builds install packages in a layer of their own.
  const installs = process.env['DRAGOMAN_SETUP'] !== 'off';
  const findWork = () => ({
    npm: installs && !npmPackagesInstalled(),
    missing: installs ? debian.findMissing(requirements) : { packages: [] },
    build: building === 'always' || (building === 'when stale' && !isBuilt()),
    models: installs ? models.findMissing(wishedModels) : [],
  });
  const heading = wasBuilt() ? 'Setting up' : 'Setting up (first start only)';
  const progress = createProgress({ ...(!quiet && { heading }), quiet });

  const found = findWork();
  const installable = debian.canInstall(found.missing);
  if (!installable && debian.isAnyMissing(found.missing)) {
    process.stderr.write(`${debian.advice(found.missing)}\n`);
  }
  const isComplete = !found.npm && !found.build && found.models.length === 0;
  if (isComplete && !installable) return whenPackaged();
  await stoppable(() =>
    withLock(path.join(notesFolder, 'lock'), {
      whileWaiting: (pid, wait) => progress.step(`waiting for process ${pid}`, wait),
      // The previous owner of the lock may have done all the work.
      work: () => doWork(findWork(), { areTypesChecked, whenPackaged }, progress),
    }),
  );
}

/**
 * Describes an error for people, with the end of the failed program's output.
 *
 * @param {unknown} error
 */
export function explain(error) {
  return error instanceof CommandFailure ? `${error.output}\n${error.message}` : String(error);
}

/**
 * Runs work that a signal ends cleanly: child processes are stopped and the lock is released.
 *
 * @template T
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function stoppable(work) {
  const stop = (/** @type {NodeJS.Signals} */ signal) =>
    process.exit(128 + constants.signals[signal]);
  process.on('SIGINT', stop).on('SIGTERM', stop).on('SIGHUP', stop);
  try {
    return await work();
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop).off('SIGHUP', stop);
  }
}

/**
 * @param {{ npm: boolean, missing: ReturnType<typeof debian.findMissing>, build: boolean, models: string[] }} work
 * @param {Required<Pick<Wishes, 'areTypesChecked' | 'whenPackaged'>>} wishes
 * @param {import('./progress.mjs').Progress} progress
 */
async function doWork(work, { areTypesChecked, whenPackaged }, progress) {
  const javaScript = async () => {
    if (work.npm) await progress.step('npm packages', installNpmPackages);
    whenPackaged();
    if (!work.build) return installModels();
    await progress.step('build', () => build({ areTypesChecked, whenCompiled: installModels }));
  };
  // Without models, the server still starts, but recognises no speech.
  const installModels = async () => {
    for (const name of work.models) {
      const told = await progress.step(models.labelOf(name), () => models.install(name));
      if (told !== '') progress.say(told);
    }
  };
  const packages = async () => {
    if (!('packages' in work.missing) || !debian.canInstall(work.missing)) return;
    const names = work.missing.packages;
    const told = await progress.step('Debian packages', () => debian.install(names));
    if (told !== '') progress.say(told);
  };
  // A failure of one does not interrupt the other: dpkg must not be stopped half-way.
  await allEnded([javaScript(), packages()]);
}
