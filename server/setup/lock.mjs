/**
 * One set-up at a time. The lock is a folder that holds its owner's mark and appears by a rename, so
 * that it is never seen without one; the lock of a process that has died is taken over.
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
 * Does some work while no other process does, on this machine, under the same lock.
 *
 * @template T
 * @param {string} lockFolder
 * @param {{
 *   whileWaiting: (ownerPid: number, wait: () => Promise<void>) => Promise<void>,
 *   work: () => Promise<T>,
 * }} steps `whileWaiting` is called when someone else has the lock and calls `wait`
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
    if (!isErrno(error, 'ENOENT')) throw error; // Someone has deleted all of dist/.
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
    // Onto a folder with something in it a rename fails: of several, one gets the lock.
    renameSync(candidate, lockFolder);
    return true;
  } catch (error) {
    rmSync(candidate, { recursive: true });
    if (isErrno(error, 'ENOTEMPTY') || isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

/**
 * Moves the lock of a dead process out of the way. Its new name is made of its owner's mark: who
 * comes late finds that name taken and cannot move the lock that someone has got meanwhile.
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
 * A process's number and, where the system tells, the tick it started at: after a restart of the
 * machine another process may have the number.
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
    // proc(5): the 22nd field; the 2nd, the name in brackets, may hold blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    // A zombie has ended; only its parent has not asked yet.
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
