/**
 * One installation of a model at a time, whichever processes and machines share the folder. The lock
 * is a folder with a file in it that is named after its owner, who touches it; a lock that nobody has
 * touched for a while is taken over by renaming that file, which of several succeeds for one.
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
  /** Called once when somebody else has the lock. */
  onWait?: (() => void) | undefined;
}

/**
 * Does some work while nobody else does under the same lock.
 *
 * @throws the signal's reason while waiting; what the work throws
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
    // Somebody else may have it already.
    await rmdir(lock).catch(() => undefined);
  }
}

/** Who is killed between the making of a candidate and its renaming leaves it behind. */
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
    // Onto a folder with something in it a rename fails.
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
    // Touched before it has its new name: to nobody who looks meanwhile it is given up.
    const now = new Date();
    await utimes(mark, now, now);
    await rename(mark, path.join(lock, owner));
    return true;
  } catch {
    return false;
  }
}

/** Of this machine, and no longer running. */
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
