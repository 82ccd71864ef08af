/**
 * The server that commands talk to over the network, where nothing else is said: it leaves in its data
 * folder where it can be reached.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../config.ts';

interface RunningServer {
  /** It listens there, such as `http://127.0.0.1:8080`. */
  address: string;
  /** Browsers reach it there; the same where nothing else is known. */
  publicAddress: string;
}

interface Note extends RunningServer {
  pid: number;
}

const FILE_NAME = 'server.json';

/**
 * Says that this process listens; taken back when it exits.
 *
 * @returns the server that listens there already: what is in its memory, such as rooms, is not in this one's
 */
export function announceServer(
  dataFolder: string,
  server: RunningServer,
): RunningServer | undefined {
  const file = path.resolve(dataFolder, FILE_NAME);
  const write = (note: Note): void => {
    writeFileSync(file, `${JSON.stringify(note)}\n`, { mode: 0o600 });
  };
  const found = findRunningServer(dataFolder);
  // In a container the one before, which was killed, had the same id.
  const other = found?.pid === process.pid ? undefined : found;
  try {
    write({ pid: process.pid, ...server });
  } catch {
    // A folder that is only read: commands go by their settings.
    return other;
  }
  process.once('exit', () => {
    // Another one may have started meanwhile.
    if (readNote(file)?.pid !== process.pid) return;
    if (other !== undefined && isAlive(other.pid)) write(other);
    else rmSync(file, { force: true });
  });
  return other;
}

/** The server that was announced last; undefined when its process is gone. */
function findRunningServer(dataFolder: string): Note | undefined {
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

/** Address of the server of the data folder where one runs, else of the one that the settings describe. */
export function localServer(): string {
  const { DATA_DIR, HOST, PORT, TLS_CERT_FILE } = readConfig();
  const running = findRunningServer(DATA_DIR);
  // By the name that is in its certificate, where it has one of its own.
  if (running !== undefined)
    return running.address.startsWith('https:') ? running.publicAddress : running.address;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const scheme = TLS_CERT_FILE === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** Address under which browsers reach that server. */
export function publicAddress(): string {
  const { DATA_DIR, PUBLIC_URL } = readConfig();
  return PUBLIC_URL ?? findRunningServer(DATA_DIR)?.publicAddress ?? localServer();
}

/** What to do about a server that has not answered, by the error of whoever asked it. */
export function adviceFor(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || !/CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/.test(code)) continue;
    return `Its certificate is not trusted (${code}): name the server with --url as its certificate does, and let Node know who has signed it by NODE_EXTRA_CA_CERTS.`;
  }
  return 'Start the server with npm start, or name another with --url.';
}

/** The key that the server made for itself. @throws Error when there is none */
export async function keyOfDataFolder(): Promise<string> {
  const file = path.resolve(readConfig().DATA_DIR, 'api-key');
  const key = await readFile(file, 'utf8').catch(() => '');
  if (key.trim() !== '') return key.trim();
  throw new Error(
    `There is no API key in ${file}. Pass one with --key, or make one by dragoman key create --account default and write it there.`,
  );
}
