/**
 * `npm test`: sets up, builds, checks and tests; says only what went wrong, and how much went well in
 * its last line. With arguments (`npm test -- voice`) it passes them to vitest and skips the checks.
 */
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { serverRequirements, testRequirements } from '../server/setup/debian-packages.mjs';
import { serverModels } from '../server/setup/models.mjs';
import { refuseOldNode } from '../server/setup/node-version.mjs';
import { root, testModelsFolder } from '../server/setup/paths.mjs';
import { createProgress } from '../server/setup/progress.mjs';
import { explain, setUp, stoppable } from '../server/setup/set-up.mjs';
import { runChecks } from './support/suite/checks.mjs';
import { inWords, sum } from './support/suite/totals.mjs';
import { runVitest } from './support/suite/vitest-run.mjs';

/** Several times what all tests have there at a time. */
const ENOUGH_BYTES = 8 * 1024 ** 3;

refuseOldNode();
// Every test has data of its own, and all share what is installed.
process.env.MODELS_DIR = testModelsFolder;
// So has every run; processes that were killed have left theirs.
const place = process.env.TMPDIR ?? memoryFolder() ?? os.tmpdir();
const temporary = mkdtempSync(path.join(place, 'dragoman-tests-'));
// PostgreSQL and what is contained are other users, who have folders of their own within.
chmodSync(temporary, 0o711);
process.env.TMPDIR = temporary;
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
// A room's name is its folder, and not whatever has the word in its path.
const isRoom = (/** @type {string} */ filter) =>
  /^\w[\w-]*$/.test(filter) && existsSync(path.join(root, 'test', filter));
const filters = process.argv
  .slice(2)
  .map((filter) => (isRoom(filter) ? `test/${filter}/` : filter));
const progress = createProgress({ quiet: true, logEveryMs: 60_000, stream: process.stdout });

const isAll = filters.length === 0;
const none = { passed: 0, failed: 0, skipped: 0 };

/**
 * What tests write need not reach a disk: where memory is plenty their databases are a tenth cheaper there.
 * They also write programs, and run them.
 */
function memoryFolder() {
  const folder = '/dev/shm';
  try {
    const { bavail, bsize } = statfsSync(folder);
    const isEnough = Math.min(bavail * bsize, os.freemem()) >= ENOUGH_BYTES;
    const mount = readFileSync('/proc/mounts', 'utf8').match(/^tmpfs \/dev\/shm .*$/m)?.[0];
    return isEnough && mount?.includes('noexec') === false ? folder : undefined;
  } catch {
    return undefined;
  }
}

async function setUpCheckAndTest() {
  let checks = Promise.resolve(none);
  try {
    await setUp({
      requirements: [...serverRequirements, ...testRequirements],
      models: serverModels,
      // The checks do, of the whole.
      areTypesChecked: !isAll,
      // They take what processor the rest leaves: Debian packages are unpacked one by one, and tests wait.
      whenPackaged: () => {
        if (isAll) checks = runChecks(progress);
        // What is wrong with them is told below: it must not end dpkg half-way.
        checks.catch(() => undefined);
      },
    });
  } catch (error) {
    progress.say(explain(error));
    return sum(await checks, { ...none, failed: 1 });
  }
  const checked = progress.step('checks', () => checks);
  const tests = progress.step('tests', () => runVitest(filters, progress, { triesAgain: isAll }));
  return sum(...(await Promise.all([checked, tests])));
}

const totals = await stoppable(setUpCheckAndTest);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(inWords(totals));
