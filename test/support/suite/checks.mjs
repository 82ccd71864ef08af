/** Static checks: types, lint rules and format. */
import { CommandFailure, run } from '../../../server/setup/command.mjs';
import { modulePath } from '../../../server/setup/product.mjs';

const AT_ONCE = 2;

/** Less frequent garbage collection: a quarter less processor time for half a gigabyte more memory. */
const GOGC = '400';

const checks = [
  // Rules and types in one pass, each file with its nearest tsconfig.json: that of the root
  // has all that runs in the server, whose types are inferred once. A second thread would infer the
  // same types again, which takes a third more processor time and finishes later.
  { name: 'lint', args: [modulePath('oxlint/bin/oxlint'), '--threads=1'] },
  // Code shared by both sides is checked as browser code here, and as Node code by the check above.
  {
    name: 'types-browser',
    args: [modulePath('typescript/bin/tsc'), '-p', 'widget/tsconfig.shared.json'],
  },
  { name: 'format', args: [modulePath('oxfmt/bin/oxfmt'), '--check'] },
];

/**
 * Runs all checks.
 *
 * @param {import('../../../server/setup/progress.mjs').Progress} progress receives failures
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
