/**
 * Firefox's translation models: their public list, which of them improve on the installed translators, and
 * the download of their files. They are hosted for Firefox, so the list is fetched only at an operator's
 * request, and a mirror (MODELS_URL) can replace it.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { open, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { PassThrough, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import Type from 'typebox';
import type { Static } from 'typebox';
import { Compile } from 'typebox/compile';
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { CatalogueEntry, TranslationFile, TranslationOrigin } from './catalogue.ts';
import {
  causeOf,
  download,
  type DownloadOptions,
  isOfDisk,
  isThere,
  modelFailure,
} from './download.ts';

/** Address of Firefox's models, unless the setting MODELS_URL names a mirror. */
export const TRANSLATIONS_URL =
  'https://storage.googleapis.com/moz-fx-translations-data--303e-prod-translations-data';

/** Prefix of these models' names: `translation-en-de`. */
export const TRANSLATION_PREFIX = 'translation-';

/** A model on the list. */
export interface TranslationOffer extends CatalogueEntry {
  origin: TranslationOrigin;
  /** `tiny`, `base-memory` or `base`: determines the cost and the quality of a translation. */
  architecture: string;
  /** Whether Firefox has released it to its users. */
  isReleased: boolean;
  /** Total size of its files, unpacked. */
  sizeBytes: number;
}

const listedFile = Type.Object({
  path: Type.String({ pattern: '^[\\w./-]+$' }),
  uncompressedHash: Type.String({ pattern: '^[0-9a-fA-F]{64}$' }),
  uncompressedSize: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
});
const listedModel = Type.Object({
  architecture: Type.String(),
  releaseStatus: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  sourceLanguage: Type.Optional(Type.String()),
  targetLanguage: Type.Optional(Type.String()),
  files: Type.Object({
    model: listedFile,
    lexicalShortlist: Type.Optional(listedFile),
    vocab: Type.Optional(listedFile),
    srcVocab: Type.Optional(listedFile),
    trgVocab: Type.Optional(listedFile),
  }),
});
const list = Compile(
  Type.Object({
    baseUrl: Type.Optional(Type.String()),
    models: Type.Record(Type.String(), Type.Array(Type.Unknown())),
  }),
);
const model = Compile(listedModel);

/** Roles of the family `marian` and local file names, by the names in the list. */
const parts = {
  model: ['model', 'model.bin'],
  lexicalShortlist: ['shortlist', 'shortlist.bin'],
  vocab: ['vocab', 'vocab.spm'],
  srcVocab: ['sourceVocab', 'source-vocab.spm'],
  trgVocab: ['targetVocab', 'target-vocab.spm'],
} as const;

const TIMEOUT_MS = 30_000;
const MAX_LIST_BYTES = 50_000_000;

/**
 * Fetches the list: every model that can run here, the preferred one of each pair first.
 *
 * @param address of the models, without a trailing `/`; with `isMirror`, files come from there too, wherever
 *   the list says they are
 * @throws ServiceError model_not_installed if it cannot be fetched; the signal's reason
 */
export async function fetchTranslationList({
  address,
  isMirror,
  timeoutMs = TIMEOUT_MS,
  signal,
}: {
  address: string;
  isMirror: boolean;
  timeoutMs?: number | undefined;
  signal?: AbortSignal | undefined;
}): Promise<TranslationOffer[]> {
  const url = `${address}/db/models.json`;
  const text = await textAt(url, timeoutMs, signal);
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch {
    content = undefined;
  }
  if (!list.Check(content)) {
    throw modelFailure(`What is at ${url} is no list of translation models.`);
  }
  const { baseUrl, models } = content;
  const filesAt = isMirror || !/^https:\/\//.test(baseUrl ?? '') ? address : (baseUrl ?? address);
  return Object.entries(models).flatMap(([pair, listed]) =>
    listed
      // Skips entries of a newer format.
      .filter((each): each is Static<typeof listedModel> => model.Check(each))
      .flatMap((each) => offerOf(pair, each, filesAt.replace(/\/+$/, '')) ?? [])
      .sort((one, other) => rank(one) - rank(other)),
  );
}

async function textAt(
  url: string,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<string> {
  const timeout = AbortSignal.timeout(timeoutMs);
  try {
    const response = await fetch(url, {
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw modelFailure(
        `The list of translation models cannot be had: ${url} answers ${response.status}. A mirror named by MODELS_URL must have it.`,
      );
    }
    const chunks: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
      bytes += chunk.byteLength;
      if (bytes > MAX_LIST_BYTES) {
        throw modelFailure(`What is at ${url} is too large for a list of translation models.`);
      }
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString('utf8');
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    const reason = timeout.aborted ? `silent for ${timeoutMs / 1000} s` : causeOf(error);
    throw modelFailure(
      `The list of translation models at ${url} cannot be reached (${reason}). Check the network, or name a mirror with MODELS_URL, then try again.`,
      error,
    );
  }
}

function offerOf(
  pair: string,
  { architecture, releaseStatus, files, ...listed }: Static<typeof listedModel>,
  address: string,
): TranslationOffer | undefined {
  const [first, second] = pair.split('-');
  const codes = [listed.sourceLanguage ?? first ?? '', listed.targetLanguage ?? second ?? ''];
  const languages = codes.map(languageOf).filter((tag) => tag !== undefined);
  const isWhole = files.vocab !== undefined || (files.srcVocab && files.trgVocab) !== undefined;
  if (languages.length !== 2 || !isWhole) return undefined;
  const wanted = Object.entries(parts).flatMap(([part, [role, name]]) => {
    const file = files[part as keyof typeof parts];
    if (file === undefined) return [];
    const { path, uncompressedSize: sizeBytes, uncompressedHash } = file;
    return [{ role, name, path, sizeBytes, sha256: uncompressedHash.toLowerCase() }];
  });
  const sizeBytes = wanted.reduce((sum, file) => sum + file.sizeBytes, 0);
  return {
    kind: 'translation',
    family: 'marian',
    languages,
    modelType: architecture,
    name: `${TRANSLATION_PREFIX}${codes.join('-').replaceAll('_', '-').toLowerCase()}`,
    about: `Firefox's translation, ${architecture}`,
    licence: 'MPL-2.0',
    source: 'https://github.com/mozilla/translations',
    // Eight-bit weights compress by about a quarter.
    downloadMb: Math.max(1, Math.round((sizeBytes * 0.75) / 1_000_000)),
    files: Object.fromEntries(wanted.map(({ role, name }) => [role, name])),
    origin: { from: 'translations', address, files: wanted },
    architecture,
    sizeBytes,
    isReleased: /^Release\b/.test(releaseStatus ?? ''),
  };
}

/** The list uses `no` for Norwegian Bokmål. */
function languageOf(code: string): LanguageTag | undefined {
  return canonicalLanguage(code === 'no' ? 'nb' : code);
}

/** Ranks released models first, and among them the fastest. */
function rank({ isReleased, architecture }: TranslationOffer): number {
  const place = ['tiny', 'base-memory', 'base'].indexOf(architecture);
  return (isReleased ? 0 : 10) + (place === -1 ? 9 : place);
}

/**
 * Chooses the model of a name: the preferred one, or that of an architecture.
 *
 * @throws ServiceError not_found, listing the alternatives
 */
export function chooseTranslation(
  offers: readonly TranslationOffer[],
  name: string,
  architecture?: string,
): TranslationOffer {
  const ofName = offers.filter((offer) => offer.name === name.toLowerCase());
  if (ofName.length === 0) {
    throw new ServiceError(
      'not_found',
      `There is no ${name} on the list of translation models; see npm run dragoman -- models available. Pairs without English go through it, with two models.`,
    );
  }
  const chosen = ofName.find((offer) =>
    architecture === undefined ? offer.isReleased : offer.architecture === architecture,
  );
  if (chosen !== undefined) return chosen;
  const known = ofName.map((offer) => offer.architecture).join(', ');
  throw new ServiceError(
    'not_found',
    architecture === undefined
      ? `${name} is not released yet. To take it all the same, name its architecture: --architecture ${ofName[0]?.architecture ?? ''}.`
      : `${name} has no architecture ${architecture}; possible: ${known}.`,
  );
}

/** Approximate size of a model before the list has been fetched, in MB. */
const USUAL_MODEL_MB = 20;

/** A model that would improve pairs now served by rules. */
export interface BetterModel {
  name: string;
  source: LanguageTag;
  target: LanguageTag;
  /** Approximate size. */
  sizeMb: number;
}

interface Translator {
  name: string;
  pairs: readonly { source: LanguageTag; target: LanguageTag }[];
}

/** Languages that both Apertium and Firefox's models from and into English cover. */
const languages = new Set('bg ca da es fr hi hr id is it ms nl pt ro ru sv uk'.split(' '));
const RULES = 'apertium';

/**
 * Returns the models that would improve each pair now served by rules: one from or into English, two for a
 * pair without English. Pairs that another engine serves, or that have no model, are left out.
 *
 * @returns by `source target`, base languages
 */
export function betterModels(translators: readonly Translator[]): Map<string, BetterModel[]> {
  const by = (isRules: boolean) =>
    translators
      .filter(({ name }) => (name === RULES) === isRules)
      .flatMap(({ pairs }) => pairs)
      .map(({ source, target }) => `${baseLanguage(source)} ${baseLanguage(target)}`);
  const served = new Set(by(false));
  const better = new Map<string, BetterModel[]>();
  for (const pair of by(true)) {
    if (served.has(pair) || better.has(pair)) continue;
    const [source = '', target = ''] = pair.split(' ');
    const models = modelsFor(source, target, served);
    if (models.length > 0) better.set(pair, models);
  }
  return better;
}

/** Returns the models missing on the way through English. */
function modelsFor(
  source: LanguageTag,
  target: LanguageTag,
  served: ReadonlySet<string>,
): BetterModel[] {
  const known = [source, target].every((each) => each === 'en' || languages.has(each));
  if (!known) return [];
  const steps = [source, 'en', target].filter((each, i, all) => each !== all[i - 1]);
  return steps.slice(1).flatMap((to, i) => {
    const from = steps[i] ?? '';
    if (served.has(`${from} ${to}`)) return [];
    return [
      {
        name: `${TRANSLATION_PREFIX}${from}-${to}`,
        source: from,
        target: to,
        sizeMb: USUAL_MODEL_MB,
      },
    ];
  });
}

// Downloading and unpacking; sizes and checksums are verified, as nothing the files claim is trusted.

interface TranslationFilesOptions extends Pick<
  DownloadOptions,
  'onProgress' | 'signal' | 'firstPauseMs' | 'stallTimeoutMs'
> {
  name: string;
  origin: TranslationOrigin;
  /** Folder of downloads, complete or partial. */
  downloads: string;
  /** Receives the files; must exist. */
  folder: string;
  onStep?: ((step: 'download' | 'unpack') => void) | undefined;
}

/** Allowance for what gzip adds to incompressible data. */
const PACKING_BYTES = 1_000_000;

/**
 * Downloads and unpacks all files of a model. An interrupted call is continued by the next one.
 *
 * @throws ServiceError model_not_installed if a file does not match the list; Error if the server cannot be
 *   reached or the disk is full; the signal's reason
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
        // Progress counts unpacked bytes, as compressed sizes become known only one by one.
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

/** @throws Error saying what is wrong */
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
  // Some servers decompress files themselves.
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
