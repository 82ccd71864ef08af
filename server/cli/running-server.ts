/**
 * Finds the server that commands contact by default: a running server leaves its address in its
 * data folder.
 */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { readConfig } from '../config.ts';

interface RunningServer {
  /** Listening address, such as `http://127.0.0.1:8080`. */
  address: string;
  /** Address for browsers; equal to `address` if no other is known. */
  publicAddress: string;
}

interface Note extends RunningServer {
  pid: number;
  /** When the process started, on the clock of Linux; its id may be of another one by now. */
  startTicks?: number | undefined;
}

const FILE_NAME = 'server.json';

/**
 * Announces that this process listens; withdrawn when it exits.
 *
 * @returns the server that was announced there before and still runs, if any. The servers do not
 *   share what they keep in memory, such as rooms
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
  // In a container, a killed predecessor had the same process id.
  const other = found?.pid === process.pid ? undefined : found;
  try {
    write({ pid: process.pid, startTicks: startTicksOf(process.pid), ...server });
  } catch {
    // The folder is read-only: commands then rely on their settings.
    return other;
  }
  process.once('exit', () => {
    // Another server may have been announced meanwhile.
    if (readNote(file)?.pid !== process.pid) return;
    if (other !== undefined && isAlive(other)) write(other);
    else rmSync(file, { force: true });
  });
  return other;
}

/** Returns the last announced server; undefined if its process is gone. */
export function findRunningServer(dataFolder: string): Note | undefined {
  const note = readNote(path.resolve(dataFolder, FILE_NAME));
  return note !== undefined && isAlive(note) ? note : undefined;
}

function readNote(file: string): Note | undefined {
  try {
    const note = JSON.parse(readFileSync(file, 'utf8')) as Partial<Note> | null;
    const { pid, startTicks, address, publicAddress } = note ?? {};
    if (pid === undefined || address === undefined || publicAddress === undefined) return undefined;
    return { pid, startTicks, address, publicAddress };
  } catch {
    // The file is missing or being written.
    return undefined;
  }
}

function isAlive({ pid, startTicks }: Note): boolean {
  const ticks = startTicks === undefined ? undefined : startTicksOf(pid);
  if (ticks !== undefined && ticks !== startTicks) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // The process exists but belongs to another user.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** Returns when a process started, in ticks since the machine did; undefined where that cannot be read. */
function startTicksOf(pid: number): number | undefined {
  try {
    // proc(5): field 22. Field 2, the name in brackets, may contain blanks.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]);
  } catch {
    return undefined;
  }
}

/**
 * Returns the address of the server that runs with the data folder, else the one that the settings
 * describe.
 */
export function localServer(): string {
  const { DATA_DIR, HOST, PORT, TLS_CERT_FILE } = readConfig();
  const running = findRunningServer(DATA_DIR);
  // Over HTTPS, the name in the server's certificate is needed.
  if (running !== undefined)
    return running.address.startsWith('https:') ? running.publicAddress : running.address;
  const host = HOST === '0.0.0.0' || HOST === '::' ? '127.0.0.1' : HOST;
  const scheme = TLS_CERT_FILE === undefined ? 'http' : 'https';
  return `${scheme}://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}

/** Returns the address under which browsers reach that server. */
export function publicAddress(): string {
  const { DATA_DIR, PUBLIC_URL } = readConfig();
  return PUBLIC_URL ?? findRunningServer(DATA_DIR)?.publicAddress ?? localServer();
}

/** Returns advice on a server that has not answered, given the client's error. */
export function adviceFor(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === undefined || !/CERT|UNABLE_TO_GET_ISSUER|UNABLE_TO_VERIFY/.test(code)) continue;
    return `Its certificate is not trusted (${code}): name the server with --url as its certificate does, and let Node know who has signed it by NODE_EXTRA_CA_CERTS.`;
  }
  return 'Start the server with npm start, or name another with --url.';
}

/**
 * Returns the given API key, else the one that the server created for itself.
 *
 * @throws Error when there is none, or no header can carry it
 */
export async function usableKey(given: string | undefined): Promise<string> {
  const key = given?.trim() ?? (await keyOfDataFolder());
  if (/^[!-~]+$/.test(key)) return key;
  const where = given === undefined ? 'The key in the data folder' : '--key';
  throw new Error(`${where}: this is no API key. A key is one word of ASCII characters.`);
}

async function keyOfDataFolder(): Promise<string> {
  const file = path.resolve(readConfig().DATA_DIR, 'api-key');
  const key = await readFile(file, 'utf8').catch(() => '');
  if (key.trim() !== '') return key.trim();
  throw new Error(
    `There is no API key in ${file}. Start the server with npm start, which makes one, set DATA_DIR to the server's data folder, or pass a key with --key.`,
  );
}
