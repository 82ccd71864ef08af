/** Finds installed models: one folder each, with a description or with files named as in releases. */
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { sha256Of } from './download.ts';
import {
  likeliestFile,
  modelFamilies,
  type LocalModel,
  type ModelDescription,
  readDescription,
} from './local-model.ts';
import { multilingual } from './catalogue.ts';

/** Name of the description file in a model's folder. */
export const DESCRIPTION_FILE = 'dragoman-model.json';

/** A folder that is not a usable model, with the reason, for people. */
interface UnusableModel {
  name: string;
  reason: string;
}

export interface FoundModels {
  models: LocalModel[];
  unusable: UnusableModel[];
}

/** Finds the models in a folder, sorted by name; a missing folder contains none. */
export async function findModels(folder: string): Promise<FoundModels> {
  const found: FoundModels = { models: [], unusable: [] };
  for (const name of await modelFolders(folder)) {
    const answer = await readModel(path.join(folder, name));
    if ('reason' in answer) found.unusable.push(answer);
    else found.models.push(answer);
  }
  return found;
}

/** Reads the folder of a model, which may not have its final name yet, and checks that it is complete. */
export async function readModel(
  folder: string,
  name = path.basename(folder),
): Promise<LocalModel | UnusableModel> {
  const unusable = (reason: string): UnusableModel => ({
    name,
    reason: `The model ${name} cannot be used: ${reason}`,
  });
  let entries: string[];
  let description: ModelDescription | undefined;
  try {
    entries = await readdir(folder);
    description = await describe(folder, entries);
  } catch (error) {
    return unusable(error instanceof Error ? error.message : String(error));
  }
  if (description === undefined) {
    return unusable(`its files do not show what it is; describe it in ${DESCRIPTION_FILE}.`);
  }
  const damage = await findDamage(folder, description);
  if (damage !== undefined) return unusable(damage);
  const { roles = {}, oneOf = [[]] } = modelFamilies[description.family] ?? {};
  const files: Record<string, string> = {};
  for (const [role, { pattern, isOptional }] of Object.entries(roles)) {
    const given = description.files?.[role];
    const file = given ?? likeliestFile(entries, { pattern });
    const isThere = file !== undefined && (await exists(path.join(folder, file)));
    if (isThere) files[role] = path.join(folder, file);
    else if (given !== undefined) return unusable(`its file ${given} is missing.`);
    else if (isOptional !== true) return unusable(`there is no single file for its ${role}.`);
  }
  if (!oneOf.some((set) => set.every((role) => files[role] !== undefined))) {
    const sets = oneOf.map((set) => set.join(' with '));
    return unusable(`it needs files for one of these: ${sets.join('; ')}.`);
  }
  return { ...description, name, folder, files };
}

/** Returns what has changed since the model was installed; undefined if nothing. */
async function findDamage(
  folder: string,
  { sums = {} }: ModelDescription,
): Promise<string | undefined> {
  for (const [file, sum] of Object.entries(sums)) {
    const place = path.join(folder, file);
    const advice = `Install it again: npm run dragoman -- models install ${path.basename(folder)}`;
    if (!(await exists(place))) return `its file ${file} is missing. ${advice}`;
    const isWhole = (await stat(place)).isFile() && (await knownSum(place)) === sum;
    if (!isWhole) return `its file ${file} is damaged. ${advice}`;
  }
  return undefined;
}

/** Checksums by file, size and times: rehashing all models for every listing would be slow. */
const knownSums = new Map<string, Promise<string>>();

async function knownSum(file: string): Promise<string> {
  const { size, mtimeMs, ctimeMs } = await stat(file);
  const key = [file, size, mtimeMs, ctimeMs].join(' ');
  const sum = knownSums.get(key) ?? sha256Of(file);
  knownSums.set(key, sum);
  return sum;
}

async function modelFolders(folder: string): Promise<string[]> {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    // Folders that begin with a dot are being installed or removed.
    const folders = entries.filter(({ name }) => !name.startsWith('.'));
    return folders
      .filter((entry) => entry.isDirectory() || entry.isSymbolicLink())
      .map(({ name }) => name)
      .sort();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function describe(folder: string, entries: string[]): Promise<ModelDescription | undefined> {
  const file = path.join(folder, DESCRIPTION_FILE);
  if (!(await exists(file))) return describeRelease(path.basename(folder), entries);
  return readDescription(await readFile(file, 'utf8'));
}

/** Whether a file or a folder exists; reading anything else, such as a pipe, could block. */
async function exists(file: string): Promise<boolean> {
  return stat(file).then(
    (found) => found.isFile() || found.isDirectory(),
    () => false,
  );
}

// Recognition of plain sherpa-onnx releases, by the names of the folder and its files.

/** Patterns in folder names, the most specific first, and the family each indicates. */
const familiesByName: readonly (readonly [RegExp, string])[] = [
  [/^sherpa-onnx-online-punct/, 'online-punctuation'],
  [/punct/, 'punctuation'],
  [/^vits-|piper/, 'vits'],
  [/^matcha-/, 'matcha'],
  [/^kokoro-/, 'kokoro'],
  [/^kitten-/, 'kitten'],
  [/streaming.*t-one/, 'streaming-tone-ctc'],
  [/streaming.*paraformer/, 'streaming-paraformer'],
  [/streaming.*zipformer.*ctc/, 'streaming-zipformer-ctc'],
  [/streaming.*nemo.*ctc|nemo-streaming.*ctc/, 'streaming-nemo-ctc'],
  [/streaming/, 'streaming-transducer'],
  [/whisper/, 'whisper'],
  [/sense-voice/, 'sense-voice'],
  [/moonshine/, 'moonshine-v1'],
  [/canary/, 'canary'],
  [/fire-red/, 'fire-red-asr'],
  [/dolphin/, 'dolphin'],
  [/paraformer/, 'paraformer'],
  [/nemo.*ctc/, 'nemo-ctc'],
  [/nemo/, 'nemo-transducer'],
  [/zipformer.*ctc/, 'zipformer-ctc'],
  [/zipformer|transducer|conformer/, 'transducer'],
];

/** Models whose text has capitals and punctuation. */
const PUNCTUATING = /whisper|sense-voice|moonshine|canary|parakeet|nemotron/;

/**
 * Describes a release: the family by its name, if its files confirm that, and languages by its name. Returns
 * undefined if either is uncertain.
 */
function describeRelease(name: string, entries: readonly string[]): ModelDescription | undefined {
  const family = familiesByName.find(([pattern]) => pattern.test(name))?.[1];
  if (family === undefined) return undefined;
  const { kind, roles } = modelFamilies[family] ?? { kind: 'recognition', roles: {} };
  const isComplete = Object.values(roles).every(
    (role) => role.isOptional === true || likeliestFile(entries, role) !== undefined,
  );
  const languages = languagesOf(name);
  if (!isComplete || languages.length === 0) return undefined;
  const detectsLanguage = languages.length > 1 && /whisper|sense-voice|nemotron/.test(name);
  return {
    kind,
    family,
    languages,
    ...(kind === 'recognition' && { detectsLanguage, punctuates: PUNCTUATING.test(name) }),
  };
}

/** Language names that some releases spell out. */
const spelled: Readonly<Record<string, string>> = {
  english: 'en',
  chinese: 'zh',
  french: 'fr',
  german: 'de',
  korean: 'ko',
  russian: 'ru',
  spanish: 'es',
  vi: 'vi',
};
const codes = new Set(multilingual.whisper);

/** Returns the base languages in a name: `en_US`, `zh-en`, `sherpa-onnx-whisper-tiny`. */
function languagesOf(name: string): string[] {
  if (/whisper/.test(name)) return /\.en\b/.test(name) ? ['en'] : [...multilingual.whisper];
  if (/nemotron-3\.5/.test(name)) return [...multilingual.nemotron];
  if (/parakeet-tdt-0\.6b-v3/.test(name)) return [...multilingual.european];
  const parts = name.split('-').map((part) => part.split('_', 1)[0] ?? '');
  const known = parts.map((part) => spelled[part] ?? part).filter((part) => codes.has(part));
  return [...new Set(known)];
}
