/**
 * Everything between a fresh clone and a server that starts: npm packages, Debian packages, build,
 * models.
 * Each part finds out for itself whether there is something to do, so that a second start is quick.
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
 * @property {debian.Requirement[]} [requirements] Debian packages to have; none without it
 * @property {string[]} [models] names of models to have; none without it
 * @property {'when stale' | 'always' | 'never'} [building]
 * @property {boolean} [areTypesChecked] by the build; false where something else checks them
 * @property {() => void} [whenPackaged] called once npm packages are there, whatever else is still to do
 * @property {boolean} [quiet] leaves no lines of steps that went well
 */

/**
 * Sets up what is wished for; when something cannot be done, says so and ends the process.
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
 * Sets up what is wished for.
 *
 * @param {Wishes} [wishes]
 * @returns {Promise<void>}
 * @throws {CommandFailure} when npm or the build does not succeed
 */
export async function setUp({
  requirements = [],
  models: wishedModels = [],
  building = 'when stale',
  areTypesChecked = true,
  whenPackaged = () => {},
  quiet = false,
} = {}) {
  // Whoever builds an image installs packages in a layer of its own.
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
      // Whoever had the lock before may have done it all.
      work: () => doWork(findWork(), { areTypesChecked, whenPackaged }, progress),
    }),
  );
}

/**
 * What went wrong, for people: the end of the output of the program that failed.
 *
 * @param {unknown} error
 */
export function explain(error) {
  return error instanceof CommandFailure ? `${error.output}\n${error.message}` : String(error);
}

/**
 * Does some work that a signal ends in order: children stopped, lock released.
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
  // Without them the server starts all the same, and hears less.
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
  // Neither is cut short when the other fails: dpkg must not be stopped half-way.
  await allEnded([javaScript(), packages()]);
}
