/**
 * A lock that serialises set-ups. It is a folder with its owner's mark, created by a rename, so
 * that it is never visible without a mark. The lock of a dead process is taken over.
 */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const POLL_MS = 200;

/**
 * Runs work while holding a lock, so that only one process on this machine runs such work at a time.
 *
 * @template T
 * @param {string} lockFolder
 * @param {{
 *   whileWaiting: (ownerPid: number, wait: () => Promise<void>) => Promise<void>,
 *   work: () => Promise<T>,
 * }} steps `whileWaiting` is called when another process holds the lock; it must call `wait`
 * @returns {Promise<T>}
 */
export async function withLock(lockFolder, { whileWaiting, work }) {
  const mark = markOf(process.pid) ?? String(process.pid);
  if (!tryAcquire(lockFolder, mark)) {
    await whileWaiting(Number.parseInt(readMark(lockFolder) ?? '', 10), async () => {
      while (!tryAcquire(lockFolder, mark)) await sleep(POLL_MS);
    });
  }
  const release = () => releaseLock(lockFolder);
  process.once('exit', release);
  try {
    return await work();
  } finally {
    process.removeListener('exit', release);
    release();
  }
}

/** @param {string} lockFolder */
function releaseLock(lockFolder) {
  const released = `${lockFolder}.released-${process.pid}`;
  try {
    renameSync(lockFolder, released);
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error; // The user has deleted all of dist/.
  }
  const folder = path.dirname(lockFolder);
  const remains = [`${path.basename(lockFolder)}.dead-`, path.basename(released)];
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    if (remains.some((start) => name.startsWith(start))) {
      rmSync(path.join(folder, name), { recursive: true, force: true });
    }
  }
}

/**
 * @param {string} lockFolder
 * @param {string} mark
 */
function tryAcquire(lockFolder, mark) {
  buryTheDead(lockFolder);
  const candidate = `${lockFolder}.candidate-${process.pid}`;
  mkdirSync(candidate, { recursive: true });
  writeFileSync(path.join(candidate, 'owner'), mark);
  try {
    // A rename onto a non-empty folder fails, so only one process gets the lock.
    renameSync(candidate, lockFolder);
    return true;
  } catch (error) {
    rmSync(candidate, { recursive: true });
    if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Moves the lock of a dead process out of the way. The new name contains the owner's mark: a slower
 * process finds the name taken and cannot move a lock that another process has acquired meanwhile.
 *
 * @param {string} lockFolder
 */
function buryTheDead(lockFolder) {
  const mark = readMark(lockFolder);
  if (mark === undefined || markOf(Number.parseInt(mark, 10)) === mark) return;
  const grave = `${lockFolder}.dead-${mark.replace(' ', '-')}`;
  try {
    if (!existsSync(grave)) renameSync(lockFolder, grave);
  } catch (error) {
    if (!['ENOENT', 'ENOTEMPTY', 'EEXIST'].some((code) => isErrno(error, code))) throw error;
  }
}

/**
 * Returns a process's id and, where the system reports it, its start time in ticks, because ids are
 * reused after a restart of the machine.
 *
 * @param {number} pid
 * @returns {string | undefined} undefined when there is no such process
 */
function markOf(pid) {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (!isErrno(error, 'EPERM')) return undefined;
  }
  try {
    // proc(5): field 22. Field 2, the name in brackets, may contain blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended, but its parent has not reaped it yet.
    return fields[0] === 'Z' ? undefined : `${pid} ${fields[19]}`;
  } catch {
    return String(pid);
  }
}

/** @param {string} lockFolder */
function readMark(lockFolder) {
  try {
    return readFileSync(path.join(lockFolder, 'owner'), 'utf8');
  } catch {
    return undefined;
  }
}

/**
 * @param {unknown} error
 * @param {string} code
 */
function isErrno(error, code) {
  return error instanceof Error && 'code' in error && error.code === code;
}
