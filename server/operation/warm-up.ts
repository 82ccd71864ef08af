/** Starts in the background what takes seconds at the first request, where there is memory for it. */
import type { Logger } from '../process/log.ts';

/** With less memory free, in bytes, nothing is loaded that nobody may ask for. */
const LEAST_FREE_BYTES = 2 * 1024 ** 3;
/** The rest of the start, and who has waited for it, come first; in ms. */
const AFTER_MS = 1_000;

/** What takes its time to start. */
interface Slow {
  readonly name: string;
  prepare?(): Promise<void>;
}

/** One after the other; never throws, and whoever asks meanwhile shares what is being started. */
export function warmUp(all: readonly Slow[], log: Logger): void {
  const prepare = async () => {
    for (const slow of all) {
      if (slow.prepare === undefined) continue;
      const isRoomy = process.availableMemory() >= LEAST_FREE_BYTES;
      const startedAtMs = performance.now();
      if (isRoomy) await slow.prepare().catch(() => undefined);
      const durationMs = Math.round(performance.now() - startedAtMs);
      log.info(
        { what: slow.name, durationMs },
        isRoomy ? 'warmed up' : 'not warmed up: little memory',
      );
    }
  };
  setTimeout(() => void prepare(), AFTER_MS).unref();
}
