/**
 * The outside of a private network's cluster: clients that speak, and third-party recogniser and translator.
 * Runs as a process on a machine of that network, which this process is not part of.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Machine } from '../machine/network.ts';

/** A crowd of clients that all send the same audio. */
export interface CrowdWish {
  /** Servers of the cluster. Clients start at each in turn, and may use any, as behind a load balancer. */
  servers: { url: string; apiKey: string }[];
  count: number;
  request: Record<string, unknown>;
  /** Raw audio, base64. */
  audio: string;
  chunkBytes: number;
  /** Interval between chunks, in ms. */
  everyMs: number;
  /** Whether clients keep listening to connections they have left. */
  hearsOn?: boolean;
}

/** What one client received. */
export interface Heard {
  source: string;
  target: string;
  sequences: number[];
  /** Captions: time of arrival, in ms since the epoch, and number of the connection. */
  captions: { atMs: number; connection: number }[];
  connections: number;
  closeCodes: number[];
  /** HTTP statuses of failed attempts; 0 if no answer came. */
  refusals: number[];
  /** Messages on connections that the client had left for another. */
  stale: string[];
  /** Why the client could not go on. */
  problem?: string;
}

export type Told =
  | { kind: 'ready'; recogniserUrl: string; translatorUrl: string }
  | { kind: 'progress'; id: number; share: number }
  | { kind: 'done'; id: number; heard: Heard[] };

export interface Crowd {
  /** Smallest share of the audio that any client has sent, 0 to 1. */
  readonly share: number;
  readonly done: Promise<Heard[]>;
}

export interface Outside {
  recogniserUrl: string;
  translatorUrl: string;
  speak(wish: CrowdWish): Crowd;
  stop(): Promise<void>;
}

export async function openOutside(machine: Machine): Promise<Outside> {
  const script = path.join(import.meta.dirname, 'outside-process.ts');
  const node = [process.execPath, '--import', import.meta.resolve('tsx'), script];
  const [program, ...enter] = machine.enter;
  const args = [...enter, ...node, machine.address('front')];
  const child = spawn(program ?? '', args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const crowds = new Map<number, { share: number; finish: (heard: Heard[]) => void }>();
  child.on('message', (told: Told) => {
    if (told.kind === 'ready') return;
    const crowd = crowds.get(told.id);
    if (told.kind === 'done') crowd?.finish(told.heard);
    else if (crowd !== undefined) crowd.share = told.share;
  });
  const exited = once(child, 'exit');
  const failed = exited.then(() => {
    throw new Error('Those who speak have ended.');
  });
  failed.catch(() => undefined);
  const [ready] = (await Promise.race([once(child, 'message'), failed])) as [Told];
  if (ready.kind !== 'ready') throw new Error('It was not ready.');
  const { recogniserUrl, translatorUrl } = ready;
  return {
    ...{ recogniserUrl, translatorUrl },
    speak(wish) {
      const id = crowds.size;
      const finished = new Promise<Heard[]>((finish) => crowds.set(id, { share: 0, finish }));
      child.send({ id, wish });
      return {
        get share() {
          return crowds.get(id)?.share ?? 0;
        },
        done: Promise.race([finished, failed]),
      };
    },
    async stop() {
      child.disconnect();
      await exited;
    },
  };
}
