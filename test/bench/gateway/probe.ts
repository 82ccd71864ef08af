/** The asking end of `probe.mjs`. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';

/** How late the turns of an event loop were, in ms. */
export interface LoopDelay {
  p50Ms: number;
  p99Ms: number;
  longestMs: number;
}

/** A way into a server under measurement. */
export interface Probe {
  /** Environment with which the server has to be started. */
  readonly environment: { NODE_OPTIONS: string; PROBE_SOCKET: string };
  /** Processor time of the whole process since its start, in µs. */
  cpuUs(): Promise<number>;
  /** Resident memory of the process without garbage, in bytes. */
  memoryBytes(): Promise<number>;
  /** Watches the event loop until the work is done. */
  loopDelayDuring(work: () => Promise<unknown>): Promise<LoopDelay>;
  /**
   * The turns of the event loop that took most of the processor while the work was done, in ms, longest
   * first: what else there was to do had to wait for them.
   */
  longestTurnsMs(work: () => Promise<unknown>): Promise<readonly number[]>;
  close(): void;
}

/** Prepares a probe; it connects when it is first asked. */
export function createProbe(): Probe {
  const folder = mkdtempSync(path.join(tmpdir(), 'dragoman-probe-'));
  const address = path.join(folder, 'socket');
  const script = path.join(import.meta.dirname, 'probe.mjs');
  let socket: Socket | undefined;
  const removeFolder = () => rmSync(folder, { recursive: true, force: true });
  process.once('exit', removeFolder);

  async function ask(question: string): Promise<unknown> {
    if (socket === undefined) {
      socket = connect(address).setEncoding('utf8');
      await once(socket, 'connect');
    }
    socket.write(`${question}\n`);
    const [answer] = (await once(socket, 'data')) as [string];
    return JSON.parse(answer);
  }

  return {
    environment: {
      NODE_OPTIONS: `--import=${pathToFileURL(script).href}`,
      PROBE_SOCKET: address,
    },
    cpuUs: async () => (await ask('cpu')) as number,
    memoryBytes: async () => (await ask('memory')) as number,
    async loopDelayDuring(work) {
      await ask('watch-loop');
      await work();
      return (await ask('loop')) as LoopDelay;
    },
    async longestTurnsMs(work) {
      await ask('watch-turns');
      await work();
      return (await ask('turns')) as number[];
    },
    close() {
      socket?.destroy();
      process.off('exit', removeFolder);
      removeFolder();
    },
  };
}
