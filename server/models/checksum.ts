/** Whether an archive is the one its publisher made. */
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

/** SHA-256 of a file, in hexadecimal. */
export async function sha256Of(file: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
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
