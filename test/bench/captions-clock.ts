/**
 * A clock for lags that a busy machine does not change: it goes with the audio, and processor time of
 * the recogniser is added to it. Audio is handed over as soon as what came before has been heard, so
 * measuring takes less time than the speech and every machine load gives the same lags.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** How often it is looked whether the recogniser has nothing more to do, in ms. */
const LOOK_MS = 3;
/** It has to sleep at so many looks, one after the other: what was sent to it may be on its way. */
const LOOKS = 3;

export interface HearingClock {
  /** Time in ms since the stream began. */
  now(): number;
  /** Hands chunks over, each when its last sample has been spoken and the one before has been heard. */
  pace(audio: Uint8Array, chunkBytes: number, bytesPerMs: number): AsyncGenerator<Uint8Array>;
}

export function createHearingClock(): HearingClock {
  let baseMs = 0;
  let cpuAtBaseMs = 0;

  const now = () => baseMs + processorMs() - cpuAtBaseMs;

  function setTo(ms: number): void {
    baseMs = ms;
    cpuAtBaseMs = processorMs();
  }

  return {
    now,
    async *pace(audio, chunkBytes, bytesPerMs) {
      for (let at = 0; at < audio.length; at += chunkBytes) {
        const chunk = audio.subarray(at, at + chunkBytes);
        const spokenMs = (at + chunk.length) / bytesPerMs;
        // The first chunk may start processes, which is no part of hearing.
        setTo(at <= chunkBytes ? spokenMs : Math.max(spokenMs, now()));
        const handedAtMs = performance.now();
        yield chunk;
        await idle();
        // A recogniser that is busy all the time would take it for many speakers and look less often.
        await delay(performance.now() - handedAtMs);
      }
    },
  };
}

/** Resolves once all processes below this one sleep. */
async function idle(): Promise<void> {
  for (let asleep = 0; asleep < LOOKS;) {
    await delay(LOOK_MS);
    asleep = descendants().every((pid) => stat(pid)[0] === 'S') ? asleep + 1 : 0;
  }
}

/** Processor time of the processes below this one that run now. */
function processorMs(): number {
  return descendants().reduce((sum, pid) => {
    const fields = stat(pid);
    return sum + (Number(fields[11] ?? 0) + Number(fields[12] ?? 0)) * MS_PER_TICK;
  }, 0);
}

/** Linux counts in hundredths of a second towards programs, whatever its own clock does. */
const MS_PER_TICK = 10;

function descendants(pid = process.pid): number[] {
  return read(`/proc/${pid}/task/${pid}/children`)
    .split(' ')
    .filter(Boolean)
    .flatMap((child) => [Number(child), ...descendants(Number(child))]);
}

/** Fields from the state on; the name before it may hold anything (man 5 proc). */
function stat(pid: number): string[] {
  const text = read(`/proc/${pid}/stat`);
  return text.slice(text.lastIndexOf(')') + 2).split(' ');
}

function read(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    // It has ended meanwhile.
    return '';
  }
}
