/**
 * `npm test`: sets up, builds, checks and tests; says only what went wrong, and how much went well in
 * its last line. With arguments (`npm test -- voice`) it passes them to vitest and skips the checks.
 */
import { existsSync } from 'node:fs';
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

refuseOldNode();
// Every test has data of its own, and all share what is installed.
process.env.MODELS_DIR = testModelsFolder;
// A room's name is its folder, and not whatever has the word in its path.
const isRoom = (/** @type {string} */ filter) =>
  /^\w[\w-]*$/.test(filter) && existsSync(path.join(root, 'test', filter));
const filters = process.argv
  .slice(2)
  .map((filter) => (isRoom(filter) ? `test/${filter}/` : filter));
const progress = createProgress({ quiet: true, logEveryMs: 60_000, stream: process.stdout });

async function setUpCheckAndTest() {
  try {
    await setUp({
      requirements: [...serverRequirements, ...testRequirements],
      models: serverModels,
      // The checks do, of the whole.
      areTypesChecked: filters.length > 0,
    });
  } catch (error) {
    progress.say(explain(error));
    return { passed: 0, failed: 1, skipped: 0 };
  }
  const isAll = filters.length === 0;
  // They take what processor the tests leave, which often wait.
  const checks = isAll ? [progress.step('checks', () => runChecks(progress))] : [];
  const tests = progress.step('tests', () => runVitest(filters, progress, { triesAgain: isAll }));
  return sum(...(await Promise.all([...checks, tests])));
}

const totals = await stoppable(setUpCheckAndTest);
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(inWords(totals));
