/**
 * A lock that lets one process at a time install a model, across all processes and machines that share the
 * folder. The lock is a folder that contains a file named after its owner, who touches the file regularly. A
 * stale lock is taken over by renaming that file, which succeeds for only one contender.
 */
import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const TOUCH_MS = 5_000;
const STALE_MS = 60_000;
const POLL_MS = 200;

export interface LockOptions {
  signal?: AbortSignal | undefined;
  /** Called once if another process holds the lock. */
  onWait?: (() => void) | undefined;
}

/**
 * Does work while holding the lock.
 *
 * @throws the signal's reason while waiting; any error of the work
 */
export async function withInstallationLock<T>(
  lock: string,
  { signal, onWait }: LockOptions,
  work: () => Promise<T>,
): Promise<T> {
  const owner = `${process.pid}@${hostname()}@${randomUUID()}`;
  await removeCandidatesOfDead(lock);
  for (let waited = false; !(await tryAcquire(lock, owner)); waited = true) {
    if (!waited) onWait?.();
    await delay(POLL_MS, undefined, signal && { signal });
  }
  const mark = path.join(lock, owner);
  const touching = setInterval(() => {
    const now = new Date();
    utimes(mark, now, now).catch(() => undefined);
  }, TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    await rm(mark, { force: true });
    // Another process may have taken it already.
    await rmdir(lock).catch(() => undefined);
  }
}

/** Removes candidate folders of processes that were killed before they renamed them. */
async function removeCandidatesOfDead(lock: string): Promise<void> {
  const prefix = `${path.basename(lock)}.`;
  const names = await readdir(path.dirname(lock));
  const dead = names.filter((name) => name.startsWith(prefix) && isDead(name.slice(prefix.length)));
  for (const name of dead) {
    await rm(path.join(path.dirname(lock), name), { recursive: true, force: true });
  }
}

async function tryAcquire(lock: string, owner: string): Promise<boolean> {
  const candidate = `${lock}.${owner}`;
  await mkdir(candidate, { recursive: true });
  await writeFile(path.join(candidate, owner), '');
  try {
    // Renaming onto a non-empty folder fails.
    await rename(candidate, lock);
    return true;
  } catch (error) {
    await rm(candidate, { recursive: true, force: true });
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
  }
  return await takeOver(lock, owner);
}

async function takeOver(lock: string, owner: string): Promise<boolean> {
  const [other] = await readdir(lock).catch((): string[] => []);
  if (other === undefined) return false;
  const mark = path.join(lock, other);
  const { mtimeMs } = await stat(mark).catch(() => ({ mtimeMs: Date.now() }));
  if (!isDead(other) && Date.now() - mtimeMs < STALE_MS) return false;
  try {
    // Touched before it is renamed, so that the lock never looks abandoned to other contenders.
    const now = new Date();
    await utimes(mark, now, now);
    await rename(mark, path.join(lock, owner));
    return true;
  } catch {
    return false;
  }
}

/** Whether the owner was a process of this machine that has ended. */
function isDead(owner: string): boolean {
  const [pid, host] = owner.split('@');
  if (host !== hostname()) return false;
  try {
    process.kill(Number(pid), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
