import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { HangWatch, processorMs } from '../../server/process/supervision.ts';

/** Long enough for a process to get processor time on a busy machine. */
const TIMEOUT_MS = 1_000;

/** Runs a script in a process; resolves to the processor time it used until it was found to hang. */
async function foundToHang(script: string): Promise<number> {
  const child = spawn(process.execPath, ['-e', `console.log(''); ${script}`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  const pid = child.pid ?? 0;
  const before = processorMs(pid) ?? 0;
  await new Promise<void>((onHang) => {
    new HangWatch({ pid, timeoutMs: TIMEOUT_MS, onHang }).start();
  });
  return (processorMs(pid) ?? 0) - before;
}

test('detects a process that waits for ever', async () => {
  // Work left from the start of the process is smaller than the limit.
  expect(await foundToHang('setInterval(() => {}, 1e6)')).toBeLessThan(TIMEOUT_MS);
});

test('detects a process that is busy for ever', async () => {
  expect(await foundToHang('for (;;);')).toBeGreaterThanOrEqual(TIMEOUT_MS / 2);
});

test('grants a process with little processor time as much as a busy one', async () => {
  const little =
    'setInterval(() => { const from = process.cpuUsage(); while (process.cpuUsage(from).user < 4e4); }, 100)';
  expect(await foundToHang(little)).toBeGreaterThanOrEqual(TIMEOUT_MS - 20);
});
