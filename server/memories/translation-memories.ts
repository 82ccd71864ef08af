/** Translation memories: importing, listing, renaming and deleting them, and finding one for a request. */
import { randomUUID } from 'node:crypto';
import { ServiceError } from '../../shared/errors.ts';
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
  memoryLanguage,
  PARAMETER_NAMES,
  type GivenLanguages,
  type LanguageNames,
} from './matching/memory-unit.ts';
import { importContent, MAX_MEMORY_SEGMENTS, type MemoryFileFormat } from './memory-import.ts';
import { createMemorySearch, type MemorySearch } from './memory-search.ts';

/** Most memories of an account, those that are being imported included. */
const MAX_MEMORIES = 1_000;
/** Most imports of a process at once, one of an account: each holds the index of its memory. */
const MAX_IMPORTS = 2;
const MAX_NAME_BYTES = 1_024;
/** An import that wrote nothing for so long is taken for one whose process ended, in ms. */
const ABANDONED_AFTER_MS = 60 * 60_000;

/** What is to be imported. */
export interface MemoryImport {
  name: string;
  format: MemoryFileFormat;
  bytes: AsyncIterable<Uint8Array>;
  /** For files that do not tell. */
  sourceLang?: string | undefined;
  targetLang?: string | undefined;
  /** What messages call these two, if not `source_lang` and `target_lang`. */
  languageNames?: LanguageNames;
}

/** A memory that is wished for, and how much alike a text must at least be, in percent. */
export interface MemoryWish {
  id: string;
  threshold: number;
}

/** A memory for a request; without a source language each text is looked up that is in the memory's. */
export interface MemoryFor extends MemoryWish {
  accountId: string;
  source: LanguageTag | undefined;
  target: LanguageTag;
}

/** Every method throws ServiceError invalid_request for malformed input and not_found for what is not there. */
export interface TranslationMemories {
  /** @throws ServiceError also payload_too_large, quota_exceeded, too_many_requests; what the bytes throw */
  import(accountId: string, file: MemoryImport): Promise<ImportedTranslationMemory>;
  /** The oldest first. */
  list(accountId: string, page: MemoryPage): Promise<TranslationMemoryList>;
  rename(accountId: string, memoryId: string, name: string): Promise<TranslationMemory>;
  /** Resolves when nobody finds it any more; what it holds is deleted in the background. */
  delete(accountId: string, memoryId: string): Promise<void>;
  searchFor(request: MemoryFor): Promise<MemorySearch>;
  /**
   * Deletes what is left of memories that were deleted, or whose import broke off; resolves when there
   * is no more of it, or it cannot be done now.
   */
  tidy(): Promise<void>;
  /** Ends what goes on in the background; another process, or the next start, takes it up. */
  stop(): Promise<void>;
}

export interface TranslationMemoriesOptions {
  memories: TranslationMemoryStore;
  log: Logger;
  /** Most pairs of a memory. */
  maxSegments?: number;
  now?: () => number;
}

export function createTranslationMemories(given: TranslationMemoriesOptions): TranslationMemories {
  const options = { now: Date.now, maxSegments: MAX_MEMORY_SEGMENTS, ...given };
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

/** Imports memories, some at a time, one of an account; one that fails leaves nothing that could be found. */
function createImports({
  memories,
  maxSegments,
  now,
  onFailure,
}: Required<TranslationMemoriesOptions> & { onFailure: () => void }) {
  /** Accounts with an import under way. */
  const underWay = new Set<string>();

  async function importMemory(
    accountId: string,
    { name, ...file }: MemoryImport,
  ): Promise<ImportedTranslationMemory> {
    const memoryId = randomUUID();
    const memory = { memoryId, name: checkedName(name), createdAtMs: now() };
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

/** Deletes what retired memories hold, a piece at a time. */
function createSweeper({ memories, log, now }: Required<TranslationMemoriesOptions>) {
  let sweeping: Promise<void> = Promise.resolve();
  let isStopping = false;

  async function sweepAll(): Promise<void> {
    try {
      while (!isStopping && (await memories.sweep(now() - ABANDONED_AFTER_MS)));
    } catch (error) {
      log.warn({ error: String(error) }, 'A deleted translation memory is not cleared away yet.');
    }
  }

  return {
    start() {
      // One that is at it may be past what is new.
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
 * The part for a target: of the same language, or of the base language, or, for a base language, of a
 * variant. What is written for Great Britain is none for America.
 */
function fittingPart(parts: readonly MemoryPart[], target: LanguageTag): MemoryPart | undefined {
  const wanted = memoryLanguage(target) ?? target;
  const base = baseLanguage(wanted);
  // Traditional characters are no variant of what `zh` says.
  const alsoBase = wanted !== 'zh-Hant';
  return (
    parts.find(({ targetLang }) => targetLang === wanted) ??
    parts.find(({ targetLang }) => alsoBase && targetLang === base) ??
    parts.find(
      ({ targetLang }) =>
        wanted === base && baseLanguage(targetLang) === base && targetLang !== 'zh-Hant',
    )
  );
}

/** The languages of this one resource are written in lower case. */
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

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
