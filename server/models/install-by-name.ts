/** Lists, installs and removes models by name, for both the command line and the console. */
import { ServiceError } from '../../shared/errors.ts';
import {
  APERTIUM_PREFIX,
  apertiumPackages,
  installedPackages,
  installPackage,
  removePackage,
  type InstalledPackage,
} from './apertium-packages.ts';
import { catalogue, RELEASES_URL, type CatalogueEntry } from './catalogue.ts';
import { findModels } from './find-models.ts';
import {
  findInstalled,
  installModel,
  removeModel,
  type InstallOptions,
  type Installed,
} from './installation.ts';
import {
  chooseTranslation,
  fetchTranslationList,
  TRANSLATION_PREFIX,
  TRANSLATIONS_URL,
  type TranslationOffer,
} from './translation-models.ts';

export type { InstalledPackage } from './apertium-packages.ts';
export type { CatalogueEntry } from './catalogue.ts';
export type { InstallationStep, Installed } from './installation.ts';
export type { TranslationOffer } from './translation-models.ts';

/** Returns everything that can be installed, and all models found, usable or not. */
export async function listModels(modelsFolder: string) {
  const { models, unusable } = await findModels(modelsFolder);
  const names = new Set(models.map(({ name }) => name));
  const packages = await installedPackages();
  return {
    catalogue: catalogue.map((entry) => ({ ...entry, installed: names.has(entry.name) })),
    apertium: apertiumPackages.map((each) => ({ ...each, installed: packages.has(each.name) })),
    installed: models,
    unusable,
  };
}

export interface InstallByNameOptions extends Omit<InstallOptions, 'entry' | 'releasesUrl'> {
  /** A name of the catalogue, or as `translation-en-de`, or as `apertium-isl-eng`. */
  name: string;
  /** Mirror for all download locations except npm's; undefined: none. */
  mirror: string | undefined;
  /** Architecture of a translation model, if not the preferred one. */
  architecture?: string | undefined;
  /** Called with the entry to be installed, before anything is downloaded. */
  onFound?: (entry: CatalogueEntry | TranslationOffer) => void;
}

/**
 * Installs a model by its name. A model that is already installed causes no network request.
 *
 * @throws ServiceError not_found for an unknown name; as {@link installModel} and {@link
 *   fetchTranslationList}
 */
export async function installByName(
  options: InstallByNameOptions,
): Promise<Installed | InstalledPackage> {
  const { modelsFolder, mirror, onFound, signal, onStep } = options;
  if (options.name.startsWith(APERTIUM_PREFIX)) {
    return await installPackage(options.name, { signal, onStep });
  }
  const name = options.name.startsWith(TRANSLATION_PREFIX)
    ? options.name.toLowerCase()
    : options.name;
  if (!/^\w[\w.-]*$/.test(name)) throw unknown(name);
  const there = await findInstalled(modelsFolder, name);
  if (there !== undefined) return there;
  const entry = await findEntry({ ...options, name });
  onFound?.(entry);
  const releasesUrl = (mirror ?? RELEASES_URL).replace(/\/+$/, '');
  return await installModel({ ...options, entry, releasesUrl });
}

/** Removes a model or a package. @throws ServiceError not_found; model_not_installed with what to do */
export async function removeByName(modelsFolder: string, name: string): Promise<void> {
  if (name.startsWith(APERTIUM_PREFIX)) await removePackage(name);
  else await removeModel(modelsFolder, name);
}

/** Returns the public list of translation models. @throws as {@link fetchTranslationList} */
export async function listTranslations({
  mirror,
  timeoutMs,
  signal,
}: {
  mirror: string | undefined;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}): Promise<TranslationOffer[]> {
  const address = (mirror ?? TRANSLATIONS_URL).replace(/\/+$/, '');
  return await fetchTranslationList({
    address,
    isMirror: mirror !== undefined,
    timeoutMs,
    signal,
  });
}

async function findEntry(options: InstallByNameOptions): Promise<CatalogueEntry> {
  const { name, mirror, architecture, stallTimeoutMs, signal } = options;
  if (name.startsWith(TRANSLATION_PREFIX)) {
    const offers = await listTranslations({ mirror, timeoutMs: stallTimeoutMs, signal });
    return chooseTranslation(offers, name, architecture);
  }
  const entry = catalogue.find((known) => known.name === name);
  if (entry === undefined) throw unknown(name);
  return entry;
}

function unknown(name: string): ServiceError {
  return new ServiceError(
    'not_found',
    `There is no ${name} in the catalogue; see npm run dragoman -- models, and for translation npm run dragoman -- models available.`,
  );
}
