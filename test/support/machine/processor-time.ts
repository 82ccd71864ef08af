/** How much of the processor work takes, whoever else uses it. */
import { expect } from 'vitest';

/** Small pieces of work that are held against one large piece. */
const PIECES = 16;

/** Time of the processor that work takes, in milliseconds. */
export async function processorMs(work: () => unknown): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  // The system splits what it has measured into the two by guess: their sum alone is exact.
  return (user + system) / 1000;
}

/**
 * Holds work to a time that does not grow with the square of its size: what is done at once must take
 * less than four times as long as the same in sixteen pieces (the square would take sixteen times), or
 * little time at all.
 *
 * @param run does the work of a size
 * @param littleMs what is little time for all of it
 */
export async function expectSteadyTime(
  run: (size: number) => unknown,
  { size, littleMs }: { size: number; littleMs: number },
): Promise<void> {
  const pieceSize = Math.floor(size / PIECES);
  await run(pieceSize);
  // What is measured once may have been compiled or have collected garbage meanwhile.
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
