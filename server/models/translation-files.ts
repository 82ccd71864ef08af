/** Downloads the files of a translation model, and unpacks them so that nothing they say is believed. */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { download, type DownloadOptions, isOfDisk, modelFailure } from './download.ts';
import type { TranslationFile, TranslationOrigin } from './catalogue.ts';

interface TranslationFilesOptions extends Pick<
  DownloadOptions,
  'onProgress' | 'signal' | 'firstPauseMs' | 'stallTimeoutMs'
> {
  name: string;
  origin: TranslationOrigin;
  /** Where downloads are kept until they are whole. */
  downloads: string;
  /** Gets the files; must be there. */
  folder: string;
  onStep?: ((step: 'download' | 'unpack') => void) | undefined;
}

/** What gzip may add to what cannot be made smaller. */
const PACKING_BYTES = 1_000_000;

/**
 * Brings all files of a model. A call that was interrupted is gone on with by the next.
 *
 * @throws ServiceError model_not_installed for a file that is not what the list says; Error when the
 *   server cannot be reached or the disk is full; the signal's reason
 */
export async function takeTranslation(options: TranslationFilesOptions): Promise<void> {
  const { name, origin, downloads, folder, onProgress, onStep } = options;
  const totalBytes = origin.files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const packed = (file: TranslationFile) =>
    path.join(downloads, `${name}.${file.sha256.slice(0, 16)}`);
  onStep?.('download');
  let doneBytes = 0;
  for (const file of origin.files) {
    if (!(await isThere(packed(file)))) {
      await download({
        ...options,
        url: `${origin.address}/${file.path}`,
        file: packed(file),
        maxBytes: file.sizeBytes + PACKING_BYTES,
        // In the bytes of what comes out: those of the packages are known one after the other.
        onProgress(bytes, fileBytes) {
          const share = fileBytes === undefined ? 0 : bytes / fileBytes;
          onProgress?.(doneBytes + Math.floor(share * file.sizeBytes), totalBytes);
        },
      });
    }
    doneBytes += file.sizeBytes;
    onProgress?.(doneBytes, totalBytes);
  }
  onStep?.('unpack');
  for (const file of origin.files) {
    try {
      await unpackFile(packed(file), path.join(folder, file.name), file);
    } catch (error) {
      if (isOfDisk(error)) throw error;
      await rm(packed(file), { force: true });
      throw modelFailure(
        `The file ${file.path} of ${name} is not what the list says: ${(error as Error).message}. It has been removed; install the model again.`,
      );
    }
  }
  for (const left of await readdir(downloads)) {
    if (left.startsWith(`${name}.`) && !left.startsWith(`${name}.lock`)) {
      await rm(path.join(downloads, left), { recursive: true, force: true });
    }
  }
}

/** @throws Error with what is wrong */
async function unpackFile(source: string, target: string, wanted: TranslationFile): Promise<void> {
  const hash = createHash('sha256');
  let bytes = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.byteLength;
      if (bytes > wanted.sizeBytes) {
        done(new Error(`it is larger than ${wanted.sizeBytes} bytes`));
        return;
      }
      hash.update(chunk);
      done(null, chunk);
    },
  });
  // Some servers take the packing off by themselves.
  const unpacking = (await isGzip(source)) ? createGunzip() : new PassThrough();
  try {
    await pipeline(createReadStream(source), unpacking, measure, createWriteStream(target));
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    throw code.startsWith('Z_') ? new Error('it is damaged', { cause: error }) : error;
  }
  const sha256 = hash.digest('hex');
  if (bytes !== wanted.sizeBytes) {
    throw new Error(`it has ${bytes} bytes instead of ${wanted.sizeBytes}`);
  }
  if (sha256 !== wanted.sha256) {
    throw new Error(`its SHA-256 is ${sha256} instead of ${wanted.sha256}`);
  }
}

async function isGzip(file: string): Promise<boolean> {
  const handle = await open(file);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(2), 0, 2, 0);
    return bytesRead === 2 && buffer[0] === 0x1f && buffer[1] === 0x8b;
  } finally {
    await handle.close();
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
