/** Where the server of a data folder can be reached, left there for the commands that are run beside it. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

export interface RunningServer {
  /** It listens there, such as `http://127.0.0.1:8080`. */
  address: string;
  /** Browsers reach it there; the same where nothing else is known. */
  publicAddress: string;
}

interface Note extends RunningServer {
  pid: number;
}

const FILE_NAME = 'server.json';

/** Says that this process listens; taken back when it exits. */
export function announceServer(dataFolder: string, server: RunningServer): void {
  const file = path.resolve(dataFolder, FILE_NAME);
  const note: Note = { pid: process.pid, ...server };
  try {
    writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  } catch {
    // A folder that is only read: commands go by their settings.
    return;
  }
  process.once('exit', () => {
    // Another one may have started meanwhile.
    if (readNote(file)?.pid === process.pid) rmSync(file, { force: true });
  });
}

/** The server that was announced last; undefined when its process is gone. */
export function findRunningServer(dataFolder: string): RunningServer | undefined {
  const note = readNote(path.resolve(dataFolder, FILE_NAME));
  return note !== undefined && isAlive(note.pid) ? note : undefined;
}

function readNote(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Partial<Note> | null;
    const { pid, address, publicAddress } = note ?? {};
    if (pid === undefined || address === undefined || publicAddress === undefined) return undefined;
    return { pid, address, publicAddress };
  } catch {
    // There is none, or it is being written.
    return undefined;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Somebody else's is one all the same.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
