/** Unpacks an archive from elsewhere: nothing it says is believed. */
import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Unpack, type ReadEntry } from 'tar';
import { createBunzip2 } from './bunzip2.ts';
import { isOfDisk } from './failure.ts';

/** An archive that is not what it should be. */
export class ArchiveRefused extends Error {}

export interface UnpackLimits {
  /** Files and folders. */
  maxEntries: number;
  /** Bytes of what is packed, for each byte of the archive. Weights hardly shrink at all. */
  maxRatio: number;
  /** Bytes that are let pass whatever the archive has: lists of words do shrink. */
  freeBytes: number;
}

const usualLimits: UnpackLimits = { maxEntries: 10_000, maxRatio: 10, freeBytes: 200_000_000 };

/**
 * Unpacks a `.tar.bz2` with one folder in it; what is in that folder comes into `folder`, which must
 * be there and empty.
 *
 * @throws ArchiveRefused when it leaves its folder, has links or devices, is too large or damaged;
 *   files may be left in `folder` then
 */
export async function unpack(
  archive: string,
  folder: string,
  limits: Partial<UnpackLimits> = {},
): Promise<void> {
  const { maxEntries, maxRatio, freeBytes } = { ...usualLimits, ...limits };
  const maxBytes = (await stat(archive)).size * maxRatio + freeBytes;
  const abort = new AbortController();
  const refuse = (reason: string): false => {
    abort.abort(new ArchiveRefused(`The archive cannot be unpacked: ${reason}.`));
    return false;
  };
  let entries = 0;
  let top: string | undefined;
  const unpacker = new Unpack({
    ...{ cwd: folder, strip: 1, strict: true, preserveOwner: false },
    // Neither programs nor secrets: plain files.
    ...{ noChmod: true, umask: 0o022 },
    filter(name, entry) {
      entries += 1;
      const parts = name.split('/').filter((part) => part !== '' && part !== '.');
      top ??= parts[0];
      if (entries > maxEntries) return refuse(`it has more than ${maxEntries} files`);
      if (!isPlain(entry as ReadEntry)) return refuse(`${name} is neither a file nor a folder`);
      if (name.startsWith('/') || /\\|:/.test(name) || parts.includes('..')) {
        return refuse(`${name} is not in its folder`);
      }
      if (parts[0] !== top) return refuse('it has more than one folder');
      return true;
    },
  });
  try {
    await pipeline(
      createReadStream(archive),
      await createBunzip2(),
      atMost(maxBytes, () => refuse(`it is far larger than it looks`)),
      unpacker,
      { signal: abort.signal },
    );
  } catch (error) {
    if (abort.signal.aborted) throw abort.signal.reason;
    if (isOfDisk(error)) throw error;
    throw new ArchiveRefused('The archive cannot be unpacked: it is damaged.', { cause: error });
  }
  if (entries === 0) throw new ArchiveRefused('The archive cannot be unpacked: it is empty.');
}

function isPlain({ type }: ReadEntry): boolean {
  return type === 'File' || type === 'OldFile' || type === 'ContiguousFile' || type === 'Directory';
}

/** Counts what comes out of the archive, not what its headers say. */
function atMost(maxBytes: number, onMore: () => void): Transform {
  let bytes = 0;
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > maxBytes) onMore();
      else done(null, chunk);
    },
  });
}
