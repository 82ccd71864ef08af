/** What can be checked without running anything: types, rules, format. */
import { CommandFailure, run } from '../../../server/setup/command.mjs';
import { modulePath } from '../../../server/setup/product.mjs';

const AT_ONCE = 2;

/**
 * The types of a part, by the folder of its tsconfig.json. What has not changed is taken from the
 * last time.
 *
 * @param {string} part
 * @param {string} folder
 */
const types = (part, folder) => {
  const name = `types-${part}`;
  const memory = ['--incremental', '--tsBuildInfoFile', `dist/setup/${name}.tsbuildinfo`];
  return { name, args: [modulePath('typescript/bin/tsc'), '-p', folder, '--noEmit', ...memory] };
};

const checks = [
  // The longest first.
  { name: 'lint', args: [modulePath('oxlint/bin/oxlint')] },
  // Those of the server are checked where it is built, with nothing but Node's.
  types('node', 'test'),
  types('browser', 'test/widget'),
  {
    name: 'prettier',
    args: [
      modulePath('prettier/bin/prettier.cjs'),
      ...['--check', '.', '--log-level', 'warn'],
      ...['--cache', '--cache-strategy', 'content', '--cache-location', 'dist/setup/prettier'],
    ],
  },
];

/**
 * Runs all checks.
 *
 * @param {import('../../../server/setup/progress.mjs').Progress} progress told what fails
 * @returns {Promise<{ passed: number, failed: number, skipped: number }>}
 */
export async function runChecks(progress) {
  const totals = { passed: 0, failed: 0, skipped: 0 };
  const waiting = checks.values();
  const worker = async () => {
    for (const { name, args } of waiting) {
      try {
        await run({ program: process.execPath, args, log: `check-${name}`, shownLines: Infinity });
        totals.passed += 1;
      } catch (error) {
        if (!(error instanceof CommandFailure)) throw error;
        totals.failed += 1;
        progress.say(`\nFAILED ${name}\n${error.output}`);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return totals;
}
