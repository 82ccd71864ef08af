/** Callers that charge one after the other, as fast as they are answered. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from './figures.ts';

export const CALLERS = 64;
const DURATION_MS = 1500;

export interface LoadFigures {
  chargesPerS: number;
  p50Ms: number;
  p99Ms: number;
  /** Longest time for which the main thread's event loop did not turn. */
  longestBlockMs: number;
}

/** @param charge one charge, answered once it is on the disk; throws when it was refused */
export async function measureLoad(charge: (caller: number) => Promise<void>): Promise<LoadFigures> {
  // First calls compile, connect and make rows.
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => charge(caller)));
  const timesMs: number[] = [];
  const loop = monitorEventLoopDelay({ resolution: 1 });
  loop.enable();
  const startedAtMs = performance.now();
  const work = async (caller: number) => {
    while (performance.now() - startedAtMs < DURATION_MS) {
      const askedAtMs = performance.now();
      await charge(caller);
      timesMs.push(performance.now() - askedAtMs);
    }
  };
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => work(caller)));
  const tookS = (performance.now() - startedAtMs) / 1000;
  loop.disable();
  return {
    chargesPerS: timesMs.length / tookS,
    p50Ms: quantile(timesMs, 0.5),
    p99Ms: quantile(timesMs, 0.99),
    longestBlockMs: loop.max / 1e6,
  };
}
