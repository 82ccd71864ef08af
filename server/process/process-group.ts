/** A shell command whose processes form a group of their own, so that all of them end together. */
import { spawn, type ChildProcessByStdio } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A running group of processes. */
export interface ProcessGroup {
  /** Id of the group; undefined when the shell could not be started. */
  readonly id: number | undefined;
  readonly child: ChildProcessByStdio<Writable, Readable, Readable>;
  /** Ends every process of the group; resolves when none is left. Safe to call again. */
  end(): Promise<void>;
}

/** How long processes may take to obey SIGTERM before SIGKILL follows, in ms. */
const GRACE_MS = 1_000;
/** After SIGKILL only clearing up remains, or zombies that nobody reaps, in ms. */
const CLEARING_MS = 500;
const POLL_MS = 5;

/**
 * Starts a pipeline of commands in `/bin/sh`, detached from the terminal, with piped stdio. Standard
 * output ends as soon as the last command ends, or any before it.
 *
 * @param command `a | b | c`; must not contain anything a user has written
 * @param args become `$1`, `$2`, … of the command
 * @param env the whole environment; nothing is inherited
 */
export function startProcessGroup({
  command,
  args,
  env,
}: {
  command: string;
  args: readonly string[];
  env: Record<string, string>;
}): ProcessGroup {
  const script = [
    // The shell outlives SIGTERM until it has reaped its children: where nobody else does that (Node
    // as the first process of a container), every ended command would stay behind as a zombie.
    'trap : TERM',
    // In the background, so that the shell can let go of the pipes: while it held them, the end of a
    // command would not show. The first command would then read from /dev/null but for the `<&3`.
    `exec 3<&0; <&3 ${command} & exec <&- >&- 3<&-`,
    // The first `wait` returns at the trap.
    'wait; wait',
  ].join('\n');
  const child = spawn('/bin/sh', ['-c', script, 'sh', ...args], {
    detached: true,
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const { pid } = child;
  let ended: Promise<void> | undefined;
  return {
    id: pid,
    child,
    end: () => (ended ??= pid === undefined ? Promise.resolve() : endGroup(pid)),
  };
}

async function endGroup(id: number): Promise<void> {
  signalGroup(id, 'SIGTERM');
  // One that was stopped obeys only when it goes on.
  if (signalGroup(id, 'SIGCONT') && (await isGone(id, GRACE_MS))) return;
  if (signalGroup(id, 'SIGKILL')) await isGone(id, CLEARING_MS);
}

async function isGone(id: number, withinMs: number): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (signalGroup(id, 0)) {
    if (performance.now() > deadline) return false;
    await delay(POLL_MS);
  }
  return true;
}

/** Returns whether the group has a process left; signal 0 only asks. */
function signalGroup(id: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-id, signal);
    return true;
  } catch {
    return false;
  }
}
