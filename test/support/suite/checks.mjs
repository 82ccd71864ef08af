/** What can be checked without running anything: types, rules, format. */
import { CommandFailure, run } from '../../../server/setup/command.mjs';
import { modulePath } from '../../../server/setup/product.mjs';

const AT_ONCE = 2;

/** What looks for garbage less often takes a quarter less of the processor, and half a gigabyte more. */
const GOGC = '400';

const checks = [
  // Rules and types in one pass, each file by the nearest tsconfig.json. Another thread would find out the
  // same types again: a third more of the processor, and later.
  { name: 'lint', args: [modulePath('oxlint/bin/oxlint'), '--threads=1'] },
  // What both sides share is checked there as Node has it.
  {
    name: 'types-browser',
    args: [modulePath('typescript/bin/tsc'), '-p', 'widget/tsconfig.shared.json'],
  },
  { name: 'format', args: [modulePath('oxfmt/bin/oxfmt'), '--check'] },
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
        await run({
          program: 'nice',
          args: ['-n', '10', process.execPath, ...args],
          env: { GOGC },
          log: `check-${name}`,
          shownLines: Infinity,
        });
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
