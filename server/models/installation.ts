/** Puts models of the catalogue in their place, and takes them away. */
import { access, mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { CatalogueEntry } from './catalogue.ts';
import { publishedSum, sha256Of } from './checksum.ts';
import { download, type DownloadOptions } from './download.ts';
import { DESCRIPTION_FILE, readModel } from './find-models.ts';
import type { LocalModel, ModelDescription } from './local-model.ts';
import { unpack, type UnpackLimits } from './unpack.ts';

/** A step of an installation. */
export type InstallationStep = 'download' | 'check' | 'unpack';

export interface InstallOptions extends Pick<
  DownloadOptions,
  'onProgress' | 'signal' | 'firstPauseMs' | 'stallTimeoutMs'
> {
  entry: CatalogueEntry;
  /** Folder of all models. */
  modelsFolder: string;
  /** Address of the releases, without a `/` at its end. */
  releasesUrl: string;
  onStep?: (step: InstallationStep) => void;
  limits?: Partial<UnpackLimits>;
}

export interface Installed {
  model: LocalModel;
  sha256: string;
  /** What the sum was held against; undefined when there was nothing. */
  checkedAgainst: 'catalogue' | 'publisher' | undefined;
}

/** Not listed as models: names that begin with a dot. */
const DOWNLOADS = '.downloads';
const UNFINISHED = '.installing-';

/**
 * Downloads, checks and unpacks a model. It appears in its place whole or not at all; a download that
 * was interrupted is gone on with by the next call.
 *
 * @throws Error with what is wrong, for people
 */
export async function installModel(options: InstallOptions): Promise<Installed> {
  const { entry, modelsFolder, releasesUrl, onStep, limits } = options;
  const place = path.join(modelsFolder, entry.name);
  if (await isThere(place)) throw new Error(`${entry.name} is installed already.`);
  await mkdir(path.join(modelsFolder, DOWNLOADS), { recursive: true });
  await removeUnfinished(modelsFolder);

  const url = `${releasesUrl}/${entry.path}`;
  const archive = path.join(modelsFolder, DOWNLOADS, `${entry.name}.tar.bz2`);
  onStep?.('download');
  if (!(await isThere(archive))) await download({ ...options, url, file: archive });
  onStep?.('check');
  const { sha256, checkedAgainst } = await check(archive, entry, url);
  onStep?.('unpack');
  const folder = await mkdtemp(path.join(modelsFolder, UNFINISHED));
  try {
    await unpack(archive, folder, limits);
    await writeFile(path.join(folder, DESCRIPTION_FILE), describe(entry));
    const model = await readModel(folder);
    if ('reason' in model) throw new Error(model.reason);
    await rename(folder, place);
  } catch (error) {
    // What was being written when the archive was refused may come a moment later.
    await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 20 });
    await rm(archive, { force: true });
    throw error;
  }
  await rm(archive, { force: true });
  const model = await readModel(place);
  if ('reason' in model) throw new Error(model.reason);
  return { model, sha256, checkedAgainst };
}

/** Removes a model. @throws Error when there is none of the name */
export async function removeModel(modelsFolder: string, name: string): Promise<void> {
  const installed = await readdir(modelsFolder).catch((): string[] => []);
  // Only what the folder has: a name is no path.
  if (name.startsWith('.') || !installed.includes(name)) {
    throw new Error(`No model ${name} is installed.`);
  }
  // A server that starts meanwhile does not find half of it.
  const away = await mkdtemp(path.join(modelsFolder, UNFINISHED));
  await rename(path.join(modelsFolder, name), path.join(away, name));
  await rm(away, { recursive: true, force: true });
}

async function check(
  archive: string,
  entry: CatalogueEntry,
  url: string,
): Promise<Pick<Installed, 'sha256' | 'checkedAgainst'>> {
  const sha256 = await sha256Of(archive);
  const expected = entry.sha256 ?? (await publishedSum(url));
  if (expected === undefined) return { sha256, checkedAgainst: undefined };
  if (sha256 !== expected) {
    await rm(archive, { force: true });
    throw new Error(
      `The download of ${entry.name} is not what its publisher made: its SHA-256 is ${sha256} instead of ${expected}. It has been removed.`,
    );
  }
  return { sha256, checkedAgainst: entry.sha256 === undefined ? 'publisher' : 'catalogue' };
}

/** What the catalogue knows goes with the model: names of folders may be changed. */
function describe(entry: CatalogueEntry): string {
  const { kind, family, languages, licence, source } = entry;
  const { files, detectsLanguage, punctuates, modelingUnit, modelType, voices } = entry;
  const description: { [Key in keyof ModelDescription]: ModelDescription[Key] | undefined } = {
    ...{ kind, family, languages, licence, source },
    ...{ files, detectsLanguage, punctuates, modelingUnit, modelType, voices },
  };
  return `${JSON.stringify(description, null, 2)}\n`;
}

/** What an installation left that was killed. */
async function removeUnfinished(modelsFolder: string): Promise<void> {
  for (const name of await readdir(modelsFolder)) {
    if (!name.startsWith(UNFINISHED)) continue;
    await rm(path.join(modelsFolder, name), { recursive: true, force: true });
  }
}

async function isThere(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
