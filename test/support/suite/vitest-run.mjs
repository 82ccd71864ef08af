/** Runs vitest in a process of its own and receives its totals from the summary reporter. */
import { spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../../server/setup/paths.mjs';
import { modulePath } from '../../../server/setup/product.mjs';
import { less, sum } from './totals.mjs';

/** @typedef {import('./totals.mjs').Totals} Totals */
/** @typedef {import('../../../server/setup/progress.mjs').Progress} Progress */

const CONFIG = 'test/vitest.config.ts';
const { PRIORITY_LOW } = os.constants.priority;

/**
 * @typedef {object} Part
 * @property {string[]} args vitest arguments
 * @property {number} [niceness] niceness of its processes, and of all that they start
 * @property {number} [workersOfAll] test processes when all tests run; configured elsewhere otherwise
 */

/**
 * Tests that wait for the clock run beside tests that need the processor, with workers of their own and
 * higher priority. The kernel may weight processes that have left this process session, such as engines,
 * differently. In a full run the waiting tests end long before the rest unless few of them run at once: this
 * split keeps the processor busy to the end, with no more processes than fit the memory of a small machine.
 *
 * @type {Part[]}
 */
const PARTS = [
  { args: ['--project', '!realtime'], niceness: 5, workersOfAll: 6 },
  { args: ['--project', 'realtime'], workersOfAll: 2 },
];

/**
 * Most files that are tried again: if more fail, something is broken rather than disturbed by other tests.
 */
const MOST_TRIED_AGAIN = 4;

/**
 * Runs tests; a vitest that breaks, or runs no test, counts as one failure.
 *
 * @param {string[]} args filters and options of vitest
 * @param {Progress} progress receives vitest's output
 * @param {object} [options]
 * @param {string} [options.config] vitest configuration
 * @param {boolean} [options.triesAgain] whether to run the failed files once more with nothing beside them,
 *   if they are few; the second result counts, and both are reported
 * @returns {Promise<Totals>}
 */
export async function runVitest(args, progress, { config = CONFIG, triesAgain = false } = {}) {
  const isOnePart = args.some((arg) => arg.startsWith('--project'));
  const parts = isOnePart ? [{ args: [] }] : PARTS;
  const runs = await Promise.all(
    parts.map(({ args: ofPart, niceness, workersOfAll }) =>
      runPart(['--config', config, ...ofPart, ...args], progress, {
        niceness,
        workers: args.length === 0 ? workersOfAll : undefined,
      }),
    ),
  );
  const totals = sum(...runs.map((run) => run.totals));
  /** @type {Record<string, Totals>} */
  const failedFiles = Object.assign({}, ...runs.map((run) => run.failedFiles));
  const files = Object.keys(failedFiles);
  const ofFiles = sum(...Object.values(failedFiles));
  const isOfFiles = totals.failed > 0 && totals.failed === ofFiles.failed;
  if (triesAgain && isOfFiles && files.length <= MOST_TRIED_AGAIN) {
    progress.say(`\nOnce more, with nothing beside them: ${files.join(', ')}`);
    const again = await runVitest(files, progress, { config });
    if (again.failed === 0) progress.say('They pass when nothing runs beside them.');
    return sum(less(totals, ofFiles), again);
  }
  const failures = new Set(runs.flatMap(({ end }) => (end === 'exit code 0' ? [] : [end])));
  if (totals.failed > 0 || (failures.size === 0 && totals.passed > 0)) return totals;
  const end = [...failures].join(', ') || 'exit code 0';
  progress.say(totals.passed === 0 ? `No test ran (${end}).` : `vitest: ${end}`);
  return { ...totals, failed: 1 };
}

/**
 * Runs one vitest to its end.
 *
 * @param {string[]} args
 * @param {Progress} progress
 * @param {{ niceness?: number | undefined, workers?: number | undefined }} options
 * @returns {Promise<{ totals: Totals, failedFiles: Record<string, Totals>, end: string }>}
 */
async function runPart(args, progress, { niceness = 0, workers }) {
  const vitest = spawn(
    process.execPath,
    [
      modulePath('vitest/vitest.mjs'),
      'run',
      // Filters may select tests of one part only.
      '--passWithNoTests',
      '--reporter',
      path.join(import.meta.dirname, 'summary-reporter.ts'),
      ...args,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: {
        ...colours(),
        ...(workers !== undefined && { VITEST_MAX_WORKERS: String(workers) }),
        // Memory of C and C++ comes in huge pages: a tenth less time in the kernel.
        GLIBC_TUNABLES: 'glibc.malloc.hugetlb=1',
        ...process.env,
      },
    },
  );
  if (vitest.pid !== undefined) {
    os.setPriority(vitest.pid, Math.min(os.getPriority() + niceness, PRIORITY_LOW));
  }
  const stop = () => void vitest.kill();
  process.once('exit', stop);
  /** @type {{ totals: Totals, failedFiles: Record<string, Totals> }} */
  let told = { totals: { passed: 0, failed: 0, skipped: 0 }, failedFiles: {} };
  vitest.on('message', (/** @type {typeof told} */ message) => (told = message));
  for (const stream of [vitest.stdout, vitest.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', progress.say);
  }
  const end = await new Promise((resolve) => {
    vitest.once('close', (code, signal) => resolve(String(signal ?? `exit code ${code}`)));
  });
  process.removeListener('exit', stop);
  return { ...told, end };
}

/** Returns colour settings for vitest, which writes to a pipe and cannot detect a terminal. */
function colours() {
  if ('FORCE_COLOR' in process.env || 'NO_COLOR' in process.env) return {};
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
}
