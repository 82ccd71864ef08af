/**
 * A process that a {@link createWorkerPool} can have in place of a worker thread: one that is contained,
 * needs flags of its own, or whose memory is to go back when it ends.
 */
import { once } from 'node:events';
import { SYSTEM_PATH, type Containment } from './containment.ts';
import { endWithParent, type Uncontained } from './end-with-parent.ts';
import { LimitWatch, type ProcessLimits } from './limit-watch.ts';
import { forkChild } from './module.ts';
import type { PoolWorker } from './worker-pool.ts';

export interface WorkerProcessOptions {
  /** Without it the process may do what the server may. */
  containment?: Containment;
  /** Flags of Node. */
  execArgv: readonly string[];
  env?: Record<string, string>;
  /** It is ended when it takes more; `onExceeded` is told of what. */
  limits?: ProcessLimits & { onExceeded: (what: string) => void };
}

/** What it is started with: its argument. */
interface WorkerArguments {
  uncontained?: Uncontained;
}

/**
 * Starts a module, which calls {@link serveAsWorker}. What it writes is dropped.
 *
 * @param importMetaUrl `import.meta.url` of the caller
 * @param name path of the module relative to the caller, without extension: `./decode-child`
 */
export function startWorkerProcess(
  importMetaUrl: string,
  name: string,
  { containment, execArgv, env, limits }: WorkerProcessOptions,
): PoolWorker {
  const isContained = containment !== undefined && containment.lack === undefined;
  const args: WorkerArguments = isContained ? {} : { uncontained: { parentPid: process.pid } };
  const child = forkChild(importMetaUrl, name, {
    ...{ args: [JSON.stringify(args)], execArgv, env: { PATH: SYSTEM_PATH, ...env } },
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    detached: true,
    ...(containment === undefined ? {} : { wrap: containment.wrap }),
  });
  const gone = once(child, 'close').catch(() => undefined);
  const end = () => {
    if (containment === undefined) child.kill('SIGKILL');
    else containment.kill(child);
  };
  const watch = limits && watchLimits(child.pid, limits, end);
  if (watch !== undefined) child.on('message', () => watch.answered());
  child.once('exit', () => watch?.stop());
  return {
    pid: child.pid,
    on: child.on.bind(child),
    postMessage(message) {
      watch?.asked();
      // A channel that has just been closed shows as the end of the process.
      child.send(message, () => undefined);
    },
    terminate() {
      end();
      return gone;
    },
  };
}

function watchLimits(
  pid: number | undefined,
  { onExceeded, ...limits }: NonNullable<WorkerProcessOptions['limits']>,
  end: () => void,
): LimitWatch | undefined {
  if (pid === undefined) return undefined;
  return new LimitWatch({
    pid,
    limits,
    onExceeded(what) {
      onExceeded(what);
      end();
    },
  });
}

/** Where a worker gets requests and posts answers: a thread's `parentPort`, or a process's channel. */
export interface WorkerPort<Request, Answer> {
  on(event: 'message', listener: (request: Request) => void): unknown;
  postMessage(answer: Answer, transfer?: readonly ArrayBuffer[]): void;
}

/** In the process: its port. It ends with its parent. */
export function serveAsWorker<Request, Answer>(): WorkerPort<Request, Answer> {
  const { uncontained } = JSON.parse(process.argv[2] ?? '{}') as WorkerArguments;
  endWithParent(uncontained);
  return {
    on: (event, listener) => process.on(event, listener),
    postMessage: (answer) => process.send?.(answer),
  };
}
