/** Runs vitest in a process of its own and gets its totals from our reporter. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { root } from '../../../server/setup/paths.mjs';
import { modulePath } from '../../../server/setup/product.mjs';
import { sum } from './totals.mjs';

/** @typedef {import('./totals.mjs').Totals} Totals */

/** What waits for the clock runs beside what needs the processor, with workers of its own. */
const PARTS = [
  ['--project', '!realtime'],
  ['--project', 'realtime'],
];

/**
 * Runs tests; a vitest that breaks, or runs none, counts as one failed.
 *
 * @param {string[]} args filters and options of vitest
 * @param {import('../../../server/setup/progress.mjs').Progress} progress told what vitest prints
 * @returns {Promise<Totals>}
 */
export async function runVitest(args, progress) {
  const isOnePart = args.some((arg) => arg.startsWith('--project'));
  const parts = isOnePart ? [[]] : PARTS;
  const runs = await Promise.all(parts.map((part) => runPart([...part, ...args], progress)));
  const totals = sum(...runs.map((run) => run.totals));
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
 * @param {import('../../../server/setup/progress.mjs').Progress} progress
 * @returns {Promise<{ totals: Totals, end: string }>}
 */
async function runPart(args, progress) {
  const vitest = spawn(
    process.execPath,
    [
      modulePath('vitest/vitest.mjs'),
      'run',
      // Filters may choose tests of one part alone.
      '--passWithNoTests',
      '--config',
      'test/vitest.config.ts',
      '--reporter',
      './test/support/suite/summary-reporter.ts',
      ...args,
    ],
    {
      cwd: root,
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
      env: { ...colours(), ...process.env },
    },
  );
  const stop = () => void vitest.kill();
  process.once('exit', stop);
  /** @type {Totals} */
  let totals = { passed: 0, failed: 0, skipped: 0 };
  vitest.on('message', (/** @type {{ totals: Totals }} */ message) => ({ totals } = message));
  for (const stream of [vitest.stdout, vitest.stderr]) {
    if (stream !== null) createInterface({ input: stream }).on('line', progress.say);
  }
  const end = await new Promise((resolve) => {
    vitest.once('close', (code, signal) => resolve(String(signal ?? `exit code ${code}`)));
  });
  process.removeListener('exit', stop);
  return { totals, end };
}

/** vitest writes to a pipe and cannot see whether a person reads it. */
function colours() {
  if ('FORCE_COLOR' in process.env || 'NO_COLOR' in process.env) return {};
  return process.stdout.isTTY ? { FORCE_COLOR: '1' } : { NO_COLOR: '1' };
}
