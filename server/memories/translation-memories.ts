/** Translation memories: imports, lists, renames and deletes them, and opens one for a request. */
import { randomUUID } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { checkedUuid } from '../../shared/uuid.ts';
import type {
  ImportedTranslationMemory,
  TranslationMemory,
  TranslationMemoryList,
} from '../../shared/schemas/translation-memories.ts';
import type { Logger } from '../process/log.ts';
import type {
  MemoryPage,
  MemoryPart,
  TranslationMemoryStore,
  TranslationMemoryInfo,
} from './store.ts';
import {
  isOrVaries,
  memoryLanguage,
  PARAMETER_NAMES,
  type GivenLanguages,
  type LanguageNames,
} from './matching/memory-unit.ts';
import { importContent, MAX_MEMORY_SEGMENTS, type MemoryFileFormat } from './memory-import.ts';
import { createMemorySearch, type MemorySearch } from './memory-search.ts';

/** Maximum number of memories of an account, including those being imported. */
const MAX_MEMORIES = 1_000;
/** Maximum number of concurrent imports per process, one per account: each holds the index of its memory. */
const MAX_IMPORTS = 2;
const MAX_NAME_BYTES = 1_024;
/** An import that has written nothing for this long is taken for abandoned, as its process ended; in ms. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** A file to import. */
export interface MemoryImport {
  name: string;
  format: MemoryFileFormat;
  bytes: AsyncIterable<Uint8Array>;
  /** Languages for files that do not state them. */
  sourceLang?: string | undefined;
  targetLang?: string | undefined;
  /** Names of these two in messages, if not `source_lang` and `target_lang`. */
  languageNames?: LanguageNames;
}

/** A requested memory, and the minimum similarity of a match in percent. */
export interface MemoryWish {
  id: string;
  threshold: number;
}

/** A memory for a request; without a source language, texts in the memory's language are looked up. */
export interface MemoryFor extends MemoryWish {
  accountId: string;
  source: LanguageTag | undefined;
  target: LanguageTag;
}

/**
 * Every method throws ServiceError invalid_request for malformed input and not_found for a missing memory.
 */
export interface TranslationMemories {
  /**
   * @throws ServiceError also payload_too_large, quota_exceeded, too_many_requests; any error of the byte
   *   stream
   */
  import(accountId: string, file: MemoryImport): Promise<ImportedTranslationMemory>;
  /** Returns memories, the oldest first. */
  list(accountId: string, page: MemoryPage): Promise<TranslationMemoryList>;
  rename(accountId: string, memoryId: string, name: string): Promise<TranslationMemory>;
  /** Resolves when the memory cannot be found any more; its contents are deleted in the background. */
  delete(accountId: string, memoryId: string): Promise<void>;
  searchFor(request: MemoryFor): Promise<MemorySearch>;
  /**
   * Deletes the remains of deleted memories and broken imports; resolves when none are left, or it fails for
   * now.
   */
  tidy(): Promise<void>;
  /** Stops background work; another process, or the next start, resumes it. */
  stop(): Promise<void>;
}

export interface TranslationMemoriesOptions {
  memories: TranslationMemoryStore;
  log: Logger;
  /** Maximum number of pairs of a memory. */
  maxSegments?: number;
}

export function createTranslationMemories(given: TranslationMemoriesOptions): TranslationMemories {
  const options = { maxSegments: MAX_MEMORY_SEGMENTS, ...given };
  const { memories } = options;
  const sweeper = createSweeper(options);
  const importInTurn = createImports({ ...options, onFailure: () => void sweeper.start() });

  return {
    import: importInTurn,

    async list(accountId, page) {
      const { memories: found, totalCount } = await memories.list(accountId, page);
      return { translation_memories: found.map(view), total_count: totalCount };
    },

    async rename(accountId, memoryId, name) {
      const id = checkedId(memoryId);
      if (!(await memories.rename(accountId, id, checkedName(name)))) throw unknown();
      const memory = await memories.find(accountId, id);
      if (memory === undefined) throw unknown();
      return view(memory);
    },

    async delete(accountId, memoryId) {
      if (!(await memories.retire(accountId, checkedId(memoryId)))) throw unknown();
      void sweeper.start();
    },

    async searchFor({ accountId, id, threshold, source, target }) {
      const memory = await memories.find(accountId, checkedId(id));
      if (memory === undefined) throw unknown();
      const { sourceLang } = memory;
      const part = fittingPart(memory.parts, target);
      if (part === undefined) throw unfit('target', target, memory.targetLangs);
      if (source !== undefined && baseLanguage(source) !== sourceLang) {
        throw unfit('source', source, [sourceLang]);
      }
      return createMemorySearch({ memories, part, sourceLang, threshold });
    },

    tidy: () => sweeper.start(),
    stop: () => sweeper.stop(),
  };
}

/**
 * Runs imports, a limited number at once and one per account; a failed import leaves nothing that can be
 * found.
 */
function createImports({
  memories,
  maxSegments,
  onFailure,
}: Required<TranslationMemoriesOptions> & { onFailure: () => void }) {
  /** Accounts with an import under way. */
  const underWay = new Set<string>();

  async function importMemory(
    accountId: string,
    { name, ...file }: MemoryImport,
  ): Promise<ImportedTranslationMemory> {
    const memoryId = randomUUID();
    const memory = { memoryId, name: checkedName(name), createdAtMs: Date.now() };
    const languages = checkedLanguages(file);
    if (!(await memories.begin(accountId, memory, MAX_MEMORIES))) throw tooManyMemories();
    try {
      const content = await importContent(
        memoryId,
        { ...file, ...languages },
        { memories, maxSegments },
      );
      const { parts, skippedCount, ...counted } = content;
      if (!(await memories.complete(memoryId, counted, parts))) throw unknown();
      const targetLangs = parts.map(({ targetLang }) => targetLang);
      return { ...view({ ...memory, ...counted, targetLangs }), skipped_count: skippedCount };
    } catch (error) {
      await memories.retire(accountId, memoryId);
      onFailure();
      throw error;
    }
  }

  return async (accountId: string, file: MemoryImport): Promise<ImportedTranslationMemory> => {
    if (underWay.has(accountId)) throw busy('Another translation memory of yours is');
    if (underWay.size >= MAX_IMPORTS) throw busy('Translation memories of others are');
    underWay.add(accountId);
    try {
      return await importMemory(accountId, file);
    } finally {
      underWay.delete(accountId);
    }
  };
}

/** Deletes the contents of retired memories, piece by piece. */
function createSweeper({ memories, log }: TranslationMemoriesOptions) {
  let sweeping: Promise<void> = Promise.resolve();
  let isStopping = false;

  async function sweepAll(): Promise<void> {
    try {
      while (!isStopping && (await memories.sweep(Date.now() - ABANDONED_AFTER_MS)));
    } catch (error) {
      log.warn(
        { error: String(error) },
        'The data of a deleted translation memory is not removed yet.',
      );
    }
  }

  return {
    start() {
      // A sweep under way may have missed newly retired memories.
      sweeping = sweeping.then(sweepAll);
      return sweeping;
    },
    stop() {
      isStopping = true;
      return sweeping;
    },
  };
}

/**
 * Returns the part for a target: of the same language, of its base language or, for a base language, of a
 * variant. Texts for Great Britain do not serve America.
 */
function fittingPart(parts: readonly MemoryPart[], target: LanguageTag): MemoryPart | undefined {
  const wanted = memoryLanguage(target) ?? target;
  const base = baseLanguage(wanted);
  // Traditional Chinese is not a variant of what `zh` means.
  const alsoBase = wanted !== 'zh-Hant';
  return (
    parts.find(({ targetLang }) => targetLang === wanted) ??
    parts.find(({ targetLang }) => alsoBase && targetLang === base) ??
    parts.find(({ targetLang }) => isOrVaries(targetLang, wanted))
  );
}

/** Describes a memory; this resource writes its languages in lower case. */
function view(memory: TranslationMemoryInfo): TranslationMemory {
  return {
    translation_memory_id: memory.memoryId,
    name: memory.name,
    source_language: memory.sourceLang.toLowerCase(),
    target_languages: memory.targetLangs.map((language) => language.toLowerCase()),
    segment_count: memory.segmentCount,
  };
}

function checkedLanguages({
  sourceLang,
  targetLang,
  languageNames: named = PARAMETER_NAMES,
}: Pick<MemoryImport, 'sourceLang' | 'targetLang' | 'languageNames'>): GivenLanguages {
  const source = checkedLanguage(named.source, sourceLang);
  const target = checkedLanguage(named.target, targetLang);
  const base = source === undefined ? undefined : baseLanguage(source);
  if (base !== undefined && target !== undefined && baseLanguage(target) === base) {
    throw invalid('Source and target language are equal.');
  }
  return { source: base, target, named };
}

function checkedLanguage(name: string, value: string | undefined): LanguageTag | undefined {
  if (value === undefined || value.trim() === '') return undefined;
  const language = memoryLanguage(value);
  if (language === undefined) throw invalid(`Value for '${name}' not supported.`);
  return language;
}

function checkedName(name: string): string {
  const trimmed = name.trim();
  const isFine =
    trimmed !== '' &&
    Buffer.byteLength(trimmed) <= MAX_NAME_BYTES &&
    !/[\p{Cc}\p{Surrogate}]/u.test(trimmed);
  if (isFine) return trimmed;
  throw invalid(
    `A name must have 1 to ${MAX_NAME_BYTES} bytes of UTF-8, and no control characters.`,
  );
}

function checkedId(id: string): string {
  return checkedUuid(id, 'translation_memory_id');
}

function unfit(side: 'source' | 'target', wanted: LanguageTag, has: readonly LanguageTag[]) {
  return new ServiceError(
    'not_found',
    `The translation memory does not have the ${side} language ${wanted.toUpperCase()}: it has ${has.join(', ').toUpperCase()}.`,
  );
}

function unknown(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no translation memory with this translation_memory_id.',
  );
}

function busy(who: string): ServiceError {
  return new ServiceError(
    'too_many_requests',
    `${who} being imported. Please try again in a minute.`,
  );
}

function tooManyMemories(): ServiceError {
  return new ServiceError(
    'quota_exceeded',
    `An account has at most ${MAX_MEMORIES.toLocaleString('en')} translation memories.`,
  );
}
