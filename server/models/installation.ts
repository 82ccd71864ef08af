/** Installs models of the catalogue, and removes them. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { mkdir, mkdtemp, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Duplex, Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ReadEntry } from 'tar';
import { ServiceError } from '../../shared/errors.ts';
import type { CatalogueEntry, ReleaseArchive } from './catalogue.ts';
import {
  publishedSum,
  sha256Of,
  download,
  type DownloadOptions,
  diskFailure,
  isOfDisk,
  isThere,
  modelFailure,
} from './download.ts';
import { DESCRIPTION_FILE, readModel } from './find-models.ts';
import { withInstallationLock } from './installation-lock.ts';
import type { LocalModel, ModelDescription } from './local-model.ts';
import { takeFromNpm, type NpmDownloadOptions } from './npm-package.ts';
import { takeTranslation } from './translation-models.ts';

/** A step of an installation; `wait` while another process installs the same model. */
export type InstallationStep = 'wait' | 'download' | 'check' | 'unpack';

export interface InstallOptions extends Pick<
  DownloadOptions,
  'onProgress' | 'signal' | 'firstPauseMs' | 'stallTimeoutMs'
> {
  entry: CatalogueEntry;
  /** Folder of all models. */
  modelsFolder: string;
  /** Address of the releases, without a trailing `/`. */
  releasesUrl: string;
  /** How npm is started: a program and its first arguments. */
  npm: NpmDownloadOptions['npm'];
  /** Asks whether the entry's terms are accepted; without it, they are not. */
  acceptTerms?: (terms: string) => boolean | Promise<boolean>;
  onStep?: (step: InstallationStep) => void;
  limits?: Partial<UnpackLimits>;
}

export interface Installed {
  model: LocalModel;
  /** Whether this call installed it; false if it was there already and nothing was downloaded. */
  isNew: boolean;
  /** SHA-256 of the archive; undefined if the model is not a single archive. */
  sha256: string | undefined;
  /** Source of the checksums; undefined if there was none. */
  checkedAgainst: 'catalogue' | 'publisher' | undefined;
}

/** Begin with a dot, so that they are not listed as models. */
const DOWNLOADS = '.downloads';
const UNFINISHED = '.installing-';
const REMOVED = '.removing-';

/**
 * Downloads, checks and unpacks a model. It appears in its place complete or not at all. An interrupted
 * download is continued by the next call, and a damaged model is replaced.
 *
 * @throws ServiceError invalid_request if its terms are not accepted, model_not_installed with what to do;
 *   the signal's reason
 */
export async function installModel(options: InstallOptions): Promise<Installed> {
  const { entry, modelsFolder, acceptTerms, onStep, signal } = options;
  const there = await findInstalled(modelsFolder, entry.name);
  if (there !== undefined) return there;
  if (entry.terms !== undefined && (await acceptTerms?.(entry.terms)) !== true) {
    throw new ServiceError(
      'invalid_request',
      `${entry.name} was not installed: its terms were not accepted.`,
    );
  }
  const downloads = path.join(modelsFolder, DOWNLOADS);
  try {
    await mkdir(downloads, { recursive: true });
    const lock = path.join(downloads, `${entry.name}.lock`);
    const onWait = () => onStep?.('wait');
    return await withInstallationLock(
      lock,
      { signal, onWait },
      // The previous holder of the lock may have installed it.
      async () => (await findInstalled(modelsFolder, entry.name)) ?? (await putInPlace(options)),
    );
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    if (isOfDisk(error)) throw diskFailure(error, modelsFolder);
    throw modelFailure(error instanceof Error ? error.message : String(error), error);
  }
}

/**
 * Returns the model if it is installed and intact.
 *
 * @throws ServiceError model_not_installed if something else is in its place
 */
export async function findInstalled(
  modelsFolder: string,
  name: string,
): Promise<Installed | undefined> {
  const place = path.join(modelsFolder, name);
  if (!(await isThere(place))) return undefined;
  const model = await readModel(place);
  if (!('reason' in model)) {
    return { model, isNew: false, sha256: undefined, checkedAgainst: undefined };
  }
  // A folder without a description belongs to the user and must not be replaced.
  if (await isThere(path.join(place, DESCRIPTION_FILE))) return undefined;
  throw modelFailure(
    `${place} is there, and no model: ${model.reason} Move it away, then install ${name} again.`,
  );
}

async function putInPlace(options: InstallOptions): Promise<Installed> {
  const { entry, modelsFolder } = options;
  const place = path.join(modelsFolder, entry.name);
  await removeUnfinished(modelsFolder, entry.name);
  const folder = path.join(modelsFolder, `${UNFINISHED}${entry.name}`);
  await mkdir(folder);
  try {
    const sums = await takeFrom(options, folder);
    await describeIn(folder, entry);
    // An existing model is damaged.
    if (await isThere(place)) await moveAway(modelsFolder, entry.name);
    await rename(folder, place);
    return { model: await soundModel(place, entry.name), isNew: true, ...sums };
  } catch (error) {
    // Writes still under way when the archive was refused may land a moment later.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    throw error;
  }
}

type Sums = Pick<Installed, 'sha256' | 'checkedAgainst'>;

async function takeFrom(options: InstallOptions, folder: string): Promise<Sums> {
  const { entry, modelsFolder } = options;
  const { origin, name } = entry;
  switch (origin.from) {
    case 'npm':
      return await takePackages(options, origin, folder);
    case 'release':
      return await takeRelease(options, origin, folder);
    case 'translations':
      await takeTranslation({
        ...options,
        name,
        origin,
        folder,
        downloads: path.join(modelsFolder, DOWNLOADS),
      });
      return { sha256: undefined, checkedAgainst: 'publisher' };
  }
}

async function takePackages(
  { npm, signal, onStep, stallTimeoutMs }: InstallOptions,
  { packages }: { packages: NpmDownloadOptions['packages'] },
  folder: string,
): Promise<Sums> {
  await takeFromNpm({
    packages,
    folder,
    npm,
    signal,
    onStep,
    ...(stallTimeoutMs !== undefined && { timeoutMs: stallTimeoutMs }),
  });
  return { sha256: undefined, checkedAgainst: 'catalogue' };
}

async function takeRelease(
  options: InstallOptions,
  origin: ReleaseArchive,
  folder: string,
): Promise<Sums> {
  const { entry, modelsFolder, releasesUrl, onStep, limits } = options;
  const url = `${releasesUrl}/${origin.path}`;
  const archive = path.join(modelsFolder, DOWNLOADS, `${entry.name}.tar.bz2`);
  onStep?.('download');
  if (!(await isThere(archive))) await download({ ...options, url, file: archive });
  onStep?.('check');
  const sums = await check(archive, entry.name, origin, url);
  onStep?.('unpack');
  try {
    await unpack(archive, folder, limits);
  } catch (error) {
    // An archive that is not at fault, as when the disk is full, is there for the next installation.
    if (error instanceof ArchiveRefused) await rm(archive, { force: true });
    throw error;
  }
  await rm(archive, { force: true });
  return sums;
}

/** Removes a model. @throws ServiceError not_found if there is none of that name */
export async function removeModel(modelsFolder: string, name: string): Promise<void> {
  const names = await readdir(modelsFolder).catch((): string[] => []);
  // Accepts only names in the folder, so that a name cannot be a path.
  if (name.startsWith('.') || !names.includes(name)) {
    throw new ServiceError('not_found', `No model ${name} is installed.`);
  }
  try {
    await moveAway(modelsFolder, name);
  } catch (error) {
    throw isOfDisk(error) ? diskFailure(error, modelsFolder) : error;
  }
}

/** Renames before deleting, so that a server starting meanwhile does not find half of the model. */
async function moveAway(modelsFolder: string, name: string): Promise<void> {
  const away = await mkdtemp(path.join(modelsFolder, `${REMOVED}${name}-`));
  await rename(path.join(modelsFolder, name), path.join(away, name));
  await rm(away, { recursive: true, force: true });
}

async function check(
  archive: string,
  name: string,
  origin: ReleaseArchive,
  url: string,
): Promise<Sums> {
  const sha256 = await sha256Of(archive);
  const expected = origin.sha256 ?? (await publishedSum(url));
  if (expected === undefined) return { sha256, checkedAgainst: undefined };
  if (sha256 !== expected) {
    await rm(archive, { force: true });
    throw modelFailure(
      `The download of ${name} is not what its publisher made: its SHA-256 is ${sha256} instead of ${expected}. It has been removed; install the model again.`,
    );
  }
  return { sha256, checkedAgainst: origin.sha256 === undefined ? 'publisher' : 'catalogue' };
}

/**
 * Writes the catalogue's description beside the files of a model, as folders may be renamed, and the SHA-256
 * of the files, so that damage is noticed.
 */
async function describeIn(folder: string, entry: CatalogueEntry): Promise<void> {
  const { kind, family, languages, licence, source } = entry;
  const { files, detectsLanguage, punctuates, modelingUnit, modelType, voices } = entry;
  const description: { [Key in keyof ModelDescription]: ModelDescription[Key] | undefined } = {
    kind,
    family,
    languages,
    licence,
    source,
    files,
    detectsLanguage,
    punctuates,
    modelingUnit,
    modelType,
    voices,
  };
  const place = path.join(folder, DESCRIPTION_FILE);
  await writeFile(place, `${JSON.stringify(description, null, 2)}\n`);
  const model = await soundModel(folder, entry.name);
  const sums: Record<string, string> = {};
  for (const file of Object.values(model.files)) {
    if ((await stat(file)).isFile()) sums[path.relative(folder, file)] = await sha256Of(file);
  }
  await writeFile(place, `${JSON.stringify({ ...description, sums }, null, 2)}\n`);
}

async function soundModel(folder: string, name: string): Promise<LocalModel> {
  const model = await readModel(folder, name);
  if ('reason' in model) throw modelFailure(model.reason);
  return model;
}

/** Removes what a killed installation or removal left behind. */
async function removeUnfinished(modelsFolder: string, name: string): Promise<void> {
  for (const entry of await readdir(modelsFolder)) {
    const isRemoved =
      entry.startsWith(`${REMOVED}${name}-`) &&
      !entry.slice(REMOVED.length + name.length + 1).includes('-');
    const isLeft = entry === `${UNFINISHED}${name}` || isRemoved;
    if (isLeft) await rm(path.join(modelsFolder, entry), { recursive: true, force: true });
  }
}

// Unpacking of an untrusted archive.

/** Thrown if an archive is not as it should be. */
class ArchiveRefused extends Error {}

interface UnpackLimits {
  /** Maximum number of files and folders. */
  maxEntries: number;
  /** Maximum unpacked bytes per byte of the archive. Weights hardly compress at all. */
  maxRatio: number;
  /** Unpacked bytes allowed in addition, as word lists do compress. */
  freeBytes: number;
}

const usualLimits: UnpackLimits = { maxEntries: 10_000, maxRatio: 10, freeBytes: 200_000_000 };

/**
 * Unpacks a `.tar.bz2` that contains one folder, and puts that folder's contents into `folder`, which must
 * exist and be empty.
 *
 * @throws ArchiveRefused if it escapes its folder, has links or devices, is too large or damaged; files may
 *   then remain in `folder`
 */
async function unpack(
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
  // Loaded on demand, as a starting server does not need it.
  const { Unpack } = await import('tar');
  const unpacker = new Unpack({
    cwd: folder,
    strip: 1,
    strict: true,
    preserveOwner: false,
    // Plain files: neither executable nor private.
    umask: 0o022,
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
  const bunzip2 = await createBunzip2();
  try {
    await pipeline(
      createReadStream(archive),
      bunzip2,
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

/** Counts the actual output of decompression, whatever the archive's headers claim. */
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

/**
 * Returns a stream that decompresses bzip2; it fails if the data is damaged.
 *
 * @throws ServiceError model_not_installed if the program bzip2 is missing
 */
async function createBunzip2(): Promise<Duplex> {
  const child = spawn('bzip2', ['-dc'], { stdio: ['pipe', 'pipe', 'ignore'] });
  try {
    await once(child, 'spawn');
  } catch (error) {
    throw modelFailure(
      'The program bzip2, which unpacks models, is missing. Install the package bzip2, then install the model again.',
      error,
    );
  }
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  async function* output(): AsyncGenerator<Buffer> {
    try {
      yield* child.stdout as AsyncIterable<Buffer>;
      const [code] = await ended;
      if (code !== 0) throw new Error('bzip2 found damage');
    } finally {
      child.kill('SIGKILL');
    }
  }
  return Duplex.from({ writable: child.stdin, readable: Readable.from(output()) });
}
