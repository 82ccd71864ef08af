/**
 * Downloads large files resumably: an interruption costs only what was in flight. Also defines the checksums,
 * and the errors of a failed installation.
 */
import { createHash } from 'node:crypto';
import { access, open, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';

export interface DownloadOptions {
  url: string;
  /** Destination; until complete, the file lies beside it as `.part`. */
  file: string;
  /** Called with the bytes received and, if the server states it, the total. */
  onProgress?: (bytes: number, totalBytes: number | undefined) => void;
  signal?: AbortSignal;
  /** Larger files are refused. */
  maxBytes?: number;
  /** Time without data after which a server is given up, in ms. */
  stallTimeoutMs?: number;
  /** Pause after the first failure, in ms; it doubles each time. */
  firstPauseMs?: number;
}

/** Thrown for an answer that another attempt would not change. */
class DownloadRefused extends Error {}

/** Note beside a partial download: the file it belongs to, and its version. */
interface PartNote {
  url: string;
  /** Value for `If-Range`: a strong entity tag, or the time of the last change. */
  version: string;
}

/** Maximum number of consecutive failures without any progress. */
const MAX_FAILURES = 5;
const STALL_TIMEOUT_MS = 60_000;
const FIRST_PAUSE_MS = 1_000;

/**
 * Downloads a file, continuing an earlier attempt if the server supports it.
 *
 * @throws DownloadRefused if there is no such file; Error if the server cannot be reached or the disk is
 *   full; the signal's reason
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
        // Makes the content length count the bytes of the file itself.
        'accept-encoding': 'identity',
        ...(version !== undefined && offset > 0 && rangeFrom(offset, version)),
      },
      signal: signal === undefined ? stalled.signal : AbortSignal.any([signal, stalled.signal]),
    });
    const { from, totalBytes } = await begin(response, { part, url, offset });
    if (response.body === null) throw new Error('The server sent nothing');
    let bytes = from;
    onProgress?.(bytes, totalBytes);
    // Written chunk by chunk, so that a broken connection loses nothing that has arrived.
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
  // With `If-Range`, the server sends the whole file if it has changed.
  return { range: `bytes=${offset}-`, 'if-range': version };
}

/** Evaluates the response head: returns the offset of its bytes, and the total size of the file. */
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
    // Compressed in transit, a file can be neither resumed nor measured by its content length.
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
    // The partial download does not match the server's file, so it is useless.
    await rm(part, { force: true });
    throw new Error('The server has another file by now');
  }
  const message = `The server answered ${status} for ${url}`;
  if (status >= 500 || status === 429 || status === 408) throw new Error(message);
  throw new DownloadRefused(
    `${message}. See whether the address is right and has the file; a mirror named by MODELS_URL must have it.`,
  );
}

/** Returns an entity tag, unless it is weak: weak tags do not promise identical bytes. */
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

/** Bytes read at a time to be hashed. */
const HASHED_AT_ONCE = 1024 * 1024;

/** Returns the SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  const handle = await open(file);
  try {
    // One buffer for the whole file: allocating a stream's buffers takes longer than hashing.
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

/** Limit on a checksum list. */
const MAX_LIST_CHARACTERS = 1_000_000;
const TIMEOUT_MS = 30_000;

/**
 * Returns the publisher's checksum from `checksum.txt` beside an archive: a line with name and sum, in either
 * order. Undefined if there is no such list, or the archive is not in it.
 *
 * @throws Error if the server cannot be asked
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
    // `sha256sum` marks binary files with an asterisk.
    if (!parts.some((part) => part.replace(/^\*/, '') === name)) continue;
    const sum = parts.find((part) => /^[0-9a-f]{64}$/i.test(part));
    if (sum !== undefined) return sum.toLowerCase();
  }
  return undefined;
}

/** Returns the error of a failed installation or removal; the message says what to do. */
export function modelFailure(message: string, cause?: unknown): ServiceError {
  return new ServiceError('model_not_installed', message, cause === undefined ? {} : { cause });
}

/** Whether an error is caused by a disk that is full or not writable. */
export function isOfDisk(error: unknown): error is NodeJS.ErrnoException {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT' || code === 'EACCES' || code === 'EROFS';
}

/** Returns the error, with its remedy, for a disk to which a model in `folder` cannot be written. */
export function diskFailure(error: NodeJS.ErrnoException, folder: string): ServiceError {
  const isFull = error.code === 'ENOSPC' || error.code === 'EDQUOT';
  return modelFailure(
    isFull
      ? `There is no room left for the model in ${folder}. Make room, or set MODELS_DIR to a folder on another disk, and install it again.`
      : `${folder} cannot be written (${error.code ?? ''}). Let this user write there, or set MODELS_DIR to another folder, and install it again.`,
    error,
  );
}

/** Returns the message of an error's cause, as fetch's own error says little. */
export function causeOf(error: unknown): string {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const { message, code } = cause as NodeJS.ErrnoException;
  return message || (code ?? 'unknown error');
}

export async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
