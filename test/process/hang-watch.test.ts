import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { HangWatch, processorMs } from '../../server/process/supervision.ts';

/** Long enough that a busy machine lets a process have some of it. */
const TIMEOUT_MS = 1_000;

/** A process that runs a script, and what it has had of the processor when it is found to hang. */
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

test('a process that waits for ever is found to hang', async () => {
  // What the start of a process leaves to be done is not what it waits for.
  expect(await foundToHang('setInterval(() => {}, 1e6)')).toBeLessThan(TIMEOUT_MS);
});

test('one that is busy for ever is found to hang', async () => {
  expect(await foundToHang('for (;;);')).toBeGreaterThanOrEqual(TIMEOUT_MS / 2);
});

test('one that gets little of the processor is given what one needs', async () => {
  const little =
    'setInterval(() => { const from = process.cpuUsage(); while (process.cpuUsage(from).user < 4e4); }, 100)';
  expect(await foundToHang(little)).toBeGreaterThanOrEqual(TIMEOUT_MS - 20);
});
