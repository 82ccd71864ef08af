/**
 * Downloads a large file so that whatever interrupts it costs what was under way and no more. What it
 * is checked against, and how an installation fails, stand here too.
 */
import { createHash } from 'node:crypto';
import { access, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';

export interface DownloadOptions {
  url: string;
  /** Where the file is to be; until it is whole it lies beside it as `.part`. */
  file: string;
  /** Called with bytes there are and, if the server says, bytes there will be. */
  onProgress?: (bytes: number, totalBytes: number | undefined) => void;
  signal?: AbortSignal;
  /** A file that turns out larger is not taken. */
  maxBytes?: number;
  /** A server that sends nothing for so long is given up, in ms. */
  stallTimeoutMs?: number;
  /** Pause after the first failure, in ms; it doubles. */
  firstPauseMs?: number;
}

/** An answer that another try will not change. */
class DownloadRefused extends Error {}

/** The part that is there belongs to this file, in this version. */
interface PartNote {
  url: string;
  /** What `If-Range` needs: a strong entity tag or the time of the last change. */
  version: string;
}

/** Failures in a row without a byte between them. */
const MAX_FAILURES = 5;
const STALL_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;

/**
 * Downloads a file, going on where an earlier try ended if the server can.
 *
 * @throws DownloadRefused when there is no such file; Error when the server cannot be reached or the
 *   disk is full; the signal's reason
 */
export async function download(options: DownloadOptions): Promise<void> {
  const { file, signal, firstPauseMs = FIRST_PAUSE_MS } = options;
  const part = `${file}.part`;
  for (let failures = 0; ;) {
    const before = await sizeOf(part);
    try {
      await fetchRest(options, part);
      break;
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof DownloadRefused) {
        await rm(part, { force: true });
        throw error;
      }
      if (isOfDisk(error)) throw error;
      failures = (await sizeOf(part)) > before ? 1 : failures + 1;
      if (failures >= MAX_FAILURES) throw explained(error);
      await delay(firstPauseMs * 2 ** (failures - 1), undefined, signal && { signal });
    }
  }
  await rename(part, file);
  await rm(`${part}.json`, { force: true });
}

async function fetchRest(options: DownloadOptions, part: string): Promise<void> {
  const { url, signal, onProgress, stallTimeoutMs = STALL_TIMEOUT_MS } = options;
  const { maxBytes = Infinity } = options;
  const stalled = new AbortController();
  const stall = setTimeout(() => stalled.abort(new Error('The server is silent')), stallTimeoutMs);
  try {
    const version = await versionOf(part, url);
    const offset = version === undefined ? 0 : await sizeOf(part);
    const response = await fetch(url, {
      headers: {
        // A length that is counted in the bytes of the file.
        'accept-encoding': 'identity',
        ...(version !== undefined && offset > 0 && rangeFrom(offset, version)),
      },
      signal: signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]),
    });
    const { from, totalBytes } = await begin(response, { part, url, offset });
    if (response.body === null) throw new Error('The server sent nothing');
    let bytes = from;
    onProgress?.(bytes, totalBytes);
    // Written piece by piece: what has arrived is kept when the connection breaks.
    const target = await open(part, from > 0 ? 'a' : 'w');
    try {
      for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
        stall.refresh();
        await target.writeFile(chunk);
        bytes += chunk.byteLength;
        if (bytes > maxBytes) throw new DownloadRefused(`What is at ${url} is too large`);
        onProgress?.(bytes, totalBytes);
      }
    } finally {
      await target.close();
    }
    if (totalBytes !== undefined && bytes !== totalBytes) {
      throw new Error(`The server sent ${bytes} of ${totalBytes} bytes`);
    }
  } finally {
    clearTimeout(stall);
  }
}

function rangeFrom(offset: number, version: string): Record<string, string> {
  // The whole file comes if it is another one by now.
  return { range: `bytes=${offset}-`, 'if-range': version };
}

/** Reads the head of an answer: where its bytes go and how many there are of the file. */
async function begin(
  response: Response,
  { part, url, offset }: { part: string; url: string; offset: number },
): Promise<{ from: number; totalBytes: number | undefined }> {
  const { status, headers } = response;
  if (status === 206) {
    const range = /^bytes (\d+)-\d+\/(\d+|\*)$/.exec(headers.get('content-range') ?? '');
    if (range?.[1] === `${offset}`) {
      return { from: offset, totalBytes: range[2] === '*' ? undefined : Number(range[2]) };
    }
  } else if (status === 200) {
    // Packed on its way by the server, it is neither gone on with nor measured in what it has.
    const isPacked = headers.has('content-encoding');
    const version = isPacked
      ? null
      : (strongTag(headers.get('etag')) ?? headers.get('last-modified'));
    await rm(`${part}.json`, { force: true });
    await rm(part, { force: true });
    if (version !== null) await writeFile(`${part}.json`, JSON.stringify({ url, version }));
    const length = isPacked ? null : headers.get('content-length');
    return { from: 0, totalBytes: length === null ? undefined : Number(length) };
  }
  await response.body?.cancel();
  if (status === 206 || status === 416) {
    // A part that does not fit: what is there is worth nothing.
    await rm(part, { force: true });
    throw new Error('The server has another file by now');
  }
  const message = `The server answered ${status} for ${url}`;
  if (status >= 500 || status === 429 || status === 408) throw new Error(message);
  throw new DownloadRefused(
    `${message}. See whether the address is right and has the file; a mirror named by MODELS_URL must have it.`,
  );
}

/** Weak tags do not promise the same bytes. */
function strongTag(tag: string | null): string | undefined {
  return tag === null || tag.startsWith('W/') ? undefined : tag;
}

async function versionOf(part: string, url: string): Promise<string | undefined> {
  try {
    const note = JSON.parse(await readFile(`${part}.json`, 'utf8')) as PartNote;
    return note.url === url ? note.version : undefined;
  } catch {
    return undefined;
  }
}

async function sizeOf(file: string): Promise<number> {
  return stat(file).then(
    ({ size }) => size,
    () => 0,
  );
}

function explained(error: unknown): Error {
  return new Error(
    `The download failed: ${causeOf(error)}. Check the network, then install the model again: it goes on where it ended`,
    { cause: error },
  );
}

/** What is read of a file at once to be hashed, in bytes. */
const HASHED_AT_ONCE = 1024 * 1024;

/** SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    // The same piece of memory for all of it: a stream's own take longer than the hashing.
    const piece = Buffer.allocUnsafe(HASHED_AT_ONCE);
    for (;;) {
      const { bytesRead } = await handle.read(piece, 0, piece.length, null);
      if (bytesRead === 0) return hash.digest('hex');
      hash.update(piece.subarray(0, bytesRead));
    }
  } finally {
    await handle.close();
  }
}

/** Longer lists are none. */
const MAX_LIST_CHARACTERS = 1_000_000;
const TIMEOUT_MS = 30_000;

/**
 * The sum that the publisher states in `checksum.txt` beside an archive: a line with the name and the
 * sum, in either order. Undefined when there is no such list or the archive is not in it.
 *
 * @throws Error when the server cannot be asked
 */
export async function publishedSum(archiveUrl: string): Promise<string | undefined> {
  const list = new URL('checksum.txt', archiveUrl);
  const response = await fetch(list, { signal: AbortSignal.timeout(TIMEOUT_MS) });
  if (response.status === 404) {
    await response.body?.cancel();
    return undefined;
  }
  if (!response.ok) throw new Error(`The server answered ${response.status} for ${list.href}`);
  const text = (await response.text()).slice(0, MAX_LIST_CHARACTERS);
  const name = decodeURIComponent(new URL(archiveUrl).pathname.split('/').at(-1) ?? '');
  for (const line of text.split('\n')) {
    const parts = line.trim().split(/\s+/);
    // `sha256sum` marks binary files with a star.
    if (!parts.some((part) => part.replace(/^\*/, '') === name)) continue;
    const sum = parts.find((part) => /^[0-9a-f]{64}$/i.test(part));
    if (sum !== undefined) return sum.toLowerCase();
  }
  return undefined;
}

/** A model could not be installed or removed; the message says what to do. */
export function modelFailure(message: string, cause?: unknown): ServiceError {
  return new ServiceError('model_not_installed', message, cause === undefined ? {} : { cause });
}

/** Whether a failure is of the disk: full, or not to be written. */
export function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EACCES' || code === 'EROFS';
}

/** What to say and do about a disk that a model in `folder` cannot be written to. */
export function diskFailure(error: NodeJS.ErrnoException, folder: string): ServiceError {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return modelFailure(
    isFull
      ? `There is no room left for the model in ${folder}. Make room, or set MODELS_DIR to a folder on another disk, and install it again.`
      : `${folder} cannot be written (${error.code ?? ''}). Let this user write there, or set MODELS_DIR to another folder, and install it again.`,
    error,
  );
}

/** What fetch throws says little; its cause says what happened. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || (code ?? 'unknown error');
}

/** Whether a file or a folder is there. */
export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
