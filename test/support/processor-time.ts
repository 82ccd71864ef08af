/** How much of the processor work takes, whoever else uses it. */
import { expect } from 'vitest';

/** Time of the processor that work takes, in milliseconds. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  return process.cpuUsage(before).user / 1000;
}

/**
 * Holds work to a time that does not grow with the square of its size: eight times as much must take
 * less than 24 times as long (the square would take 64 times), or little time at all.
 *
 * @param run does the work of a size
 * @param littleMs what is little time for the largest size
 */
export async function expectSteadyTime(
  run: (size: number) => unknown,
  { size, littleMs }: { size: number; littleMs: number },
): Promise<void> {
  await run(size / 16);
  // What is measured once may have been compiled or have collected garbage meanwhile.
  for (let attempt = 1; ; attempt += 1) {
    const largeMs = await processorMs(() => run(size));
    if (largeMs < littleMs) return;
    const smallMs = await processorMs(() => run(size / 8));
    if (attempt < 3 && largeMs >= 24 * smallMs) continue;
    expect(largeMs).toBeLessThan(24 * smallMs);
    return;
  }
}
