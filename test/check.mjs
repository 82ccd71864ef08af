/** `npm run check`: types, rules and format, then the directions of imports. */
import { refuseOldNode } from '../server/setup/node-version.mjs';
import { createProgress } from '../server/setup/progress.mjs';
import { setUpOrExit, stoppable } from '../server/setup/set-up.mjs';
import { runChecks } from './support/suite/checks.mjs';
import { inWords, sum } from './support/suite/totals.mjs';
import { runVitest } from './support/suite/vitest-run.mjs';

refuseOldNode();
await setUpOrExit({ quiet: true });
const progress = createProgress({ quiet: true, logEveryMs: 60_000, stream: process.stdout });
const totals = await stoppable(async () => {
  const checked = await progress.step('checks', () => runChecks(progress));
  const architecture = ['--project', '!realtime', 'test/architecture.test.ts'];
  return sum(checked, await progress.step('imports', () => runVitest(architecture, progress)));
});
process.exitCode = totals.failed === 0 ? 0 : 1;
console.log(inWords(totals));
