/** Measures processor time of work, independently of other load on the machine. */
import { expect } from 'vitest';

/** Number of small pieces compared with one large piece. */
const PIECES = 16;

/** Returns the processor time of some work, in ms. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  // The system only estimates how the time splits into the two; their sum is exact.
  return (user + system) / 1000;
}

/**
 * Expects the time of work to grow less than with the square of its size: the whole must take less than four
 * times as long as the same amount in sixteen pieces (quadratic work would take sixteen times), or little
 * time at all.
 *
 * @param run does the work of a size
 * @param littleMs time for the whole that passes in any case, in ms
 */
export async function expectSteadyTime(
  run: (size: number) => unknown,
  { size, littleMs }: { size: number; littleMs: number },
): Promise<void> {
  const pieceSize = Math.floor(size / PIECES);
  await run(pieceSize);
  // A single measurement may include compilation or garbage collection.
  for (let attempt = 1; ; attempt += 1) {
    const wholeMs = await processorMs(() => run(size));
    if (wholeMs < littleMs) return;
    const piecesMs = await processorMs(async () => {
      for (let piece = 0; piece < PIECES; piece += 1) await run(pieceSize);
    });
    if (attempt < 3 && wholeMs >= 4 * piecesMs) continue;
    expect(wholeMs).toBeLessThan(4 * piecesMs);
    return;
  }
}
