/** Tells again what was heard, at the times at which it was heard, on a clock of its own. */
import type { HeardText, Pause } from '../../server/voice/path/recognise.ts';

/** What was heard, and when. */
export interface TimedEvent {
  atMs: number;
  event: HeardText | Pause;
}

export interface Replay {
  /** Time in ms since the stream began. */
  now: () => number;
  /** The events, each at its time; what is under way and done before it is done first. */
  events(): AsyncGenerator<TimedEvent['event']>;
  /** Lets work take a time on this clock, however long it really takes; less when it is aborted. */
  taking<Result>(durationMs: number, work: Promise<Result>, signal: AbortSignal): Promise<Result>;
}

export function createReplay(heard: readonly TimedEvent[]): Replay {
  let nowMs = 0;
  let working = 0;
  const waiting = new Set<{ doneMs: number; resolve: () => void }>();

  /** Everybody who can go on has gone on. */
  async function settle(): Promise<void> {
    for (let turn = 0; turn < 3 || working > 0; turn += 1) {
      await new Promise((next) => setImmediate(next));
    }
  }

  async function advance(untilMs: number): Promise<void> {
    for (;;) {
      await settle();
      const [next] = [...waiting].sort((one, other) => one.doneMs - other.doneMs);
      if (next === undefined || next.doneMs > untilMs) return;
      nowMs = Math.max(nowMs, next.doneMs);
      waiting.delete(next);
      next.resolve();
    }
  }

  return {
    now: () => nowMs,
    async *events() {
      for (const { atMs, event } of heard) {
        await advance(atMs);
        nowMs = Math.max(nowMs, atMs);
        yield event;
      }
      // Not awaited: those who wait for the end of the events are among those who wait.
      void advance(Infinity);
    },
    async taking(durationMs, work, signal) {
      const doneMs = nowMs + durationMs;
      working += 1;
      const result = await work.finally(() => (working -= 1));
      if (nowMs < doneMs && !signal.aborted) {
        await new Promise<void>((resolve) => {
          waiting.add({ doneMs, resolve });
          signal.addEventListener('abort', () => resolve(), { once: true });
        });
      }
      return result;
    },
  };
}
