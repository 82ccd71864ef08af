/**
 * What is outside of a cluster in a network of its own: people who speak, and the recogniser and the
 * translator of others. It is a process on a machine there, as this one is not in that network.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { Machine } from '../machine/network.ts';

/** A crowd that says the same. */
export interface CrowdWish {
  /** Where any of its servers may be asked, as a balancer does; they begin at each of them in turn. */
  servers: { url: string; apiKey: string }[];
  count: number;
  request: Record<string, unknown>;
  /** Raw audio, base64. */
  audio: string;
  chunkBytes: number;
  /** Between chunks, in ms. */
  everyMs: number;
  /** Whether they go on listening to connections that they have left for others. */
  hearsOn?: boolean;
}

/** What one of them was told. */
export interface Heard {
  source: string;
  target: string;
  sequences: number[];
  /** When captions came, in ms since the epoch, and on the how many-th connection. */
  captions: { atMs: number; connection: number }[];
  connections: number;
  closeCodes: number[];
  /** HTTP statuses of attempts that failed; 0 where nobody answered. */
  refusals: number[];
  /** Messages on connections that had been left for another. */
  stale: string[];
  /** Why it could not go on. */
  problem?: string;
}

export type Told =
  | { kind: 'ready'; recogniserUrl: string; translatorUrl: string }
  | { kind: 'progress'; id: number; share: number }
  | { kind: 'done'; id: number; heard: Heard[] };

export interface Crowd {
  /** What all of them have said at least, of 1. */
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
