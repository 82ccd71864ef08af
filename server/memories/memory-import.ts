/**
 * Imports the file of a translation memory: pairs are written to the database while the file is read, then
 * the index.
 */
import { randomInt } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ServiceError } from '../../shared/errors.ts';
import type { LanguageTag } from '../../shared/language.ts';
import { MAX_MEMORY_FILE_BYTES } from '../../shared/schemas/translation-memories.ts';
import type { MemoryPart, MemorySegment, TranslationMemoryStore } from './store.ts';
import { createCsvReader } from './matching/csv-reader.ts';
import {
  decodedFile,
  badFile,
  type GivenLanguages,
  type MemoryReader,
  type MemoryUnit,
  writeSegment,
} from './matching/memory-unit.ts';
import { MemoryIndexBuilder, keysOfText, type MemoryKey } from './matching/memory-index.ts';
import { readMemoryText } from './matching/memory-text.ts';
import { createTmxReader } from './matching/tmx-reader.ts';

/** Maximum number of pairs of a memory: bounds its index in memory, about ten 16-byte entries per pair. */
export const MAX_MEMORY_SEGMENTS = 1_000_000;
/** Maximum number of target languages of a memory. */
const MAX_PARTS = 30;
/** Rows written at once: few enough not to delay other writers. */
const BATCH_ROWS = 500;
/** Units between two pauses of the thread: a few ms. */
const UNITS_PER_SLICE = 100;
/** Size of chunks in bytes, which bounds the work between two pauses. */
const CHUNK_BYTES = 16 * 1024;
/** Upper bound of part ids: well within safe integers, and `randomInt` goes no further than 2^48. */
const PART_IDS = 2 ** 47;
const MIB = 1024 * 1024;

export type MemoryFileFormat = 'tmx' | 'csv';

export interface MemoryFile extends GivenLanguages {
  format: MemoryFileFormat;
  bytes: AsyncIterable<Uint8Array>;
}

/** Result of an import. */
export interface ImportedContent {
  sourceLang: LanguageTag;
  /** Units imported. */
  segmentCount: number;
  /** Units without a usable text or translation. */
  skippedCount: number;
  parts: MemoryPart[];
}

/**
 * Fills a memory that was begun; the caller completes it.
 *
 * @throws ServiceError invalid_request for an unreadable file, payload_too_large for too many bytes or
 *   segments, not_found if the memory was deleted meanwhile; any error of the byte stream
 */
export async function importContent(
  memoryId: string,
  file: MemoryFile,
  { memories, maxSegments }: { memories: TranslationMemoryStore; maxSegments: number },
): Promise<ImportedContent> {
  const parts = new PartWriters(memoryId, memories);
  const reader = file.format === 'tmx' ? createTmxReader(file) : createCsvReader(file);
  let segmentCount = 0;
  let skippedCount = 0;
  let sinceRest = 0;
  for await (const unit of unitsOf(file, reader)) {
    if (unit === 'skipped') skippedCount += 1;
    else {
      segmentCount += 1;
      if (parts.count + unit.targets.size > maxSegments) throw tooMany(maxSegments);
      await parts.add(unit);
    }
    sinceRest += 1;
    if (sinceRest < UNITS_PER_SLICE) continue;
    sinceRest = 0;
    await nextTurn();
  }
  const sourceLang = reader.sourceLanguage();
  if (segmentCount === 0 || sourceLang === undefined) {
    throw badFile('The file holds no segment in its source language with a translation.');
  }
  return { sourceLang, segmentCount, skippedCount, parts: await parts.finish() };
}

async function* unitsOf({ bytes }: MemoryFile, reader: MemoryReader) {
  for await (const text of decodedFile(inChunks(bytes))) yield* reader.write(text);
  yield* reader.end();
}

async function* inChunks(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let sizeBytes = 0;
  for await (const piece of bytes) {
    sizeBytes += piece.length;
    if (sizeBytes > MAX_MEMORY_FILE_BYTES) throw tooLarge();
    for (let at = 0; at < piece.length; at += CHUNK_BYTES)
      yield piece.subarray(at, at + CHUNK_BYTES);
  }
}

/** Writes the parts of a memory, one for each target language. */
class PartWriters {
  readonly #memoryId: string;
  readonly #memories: TranslationMemoryStore;
  readonly #parts = new Map<LanguageTag, PartWriter>();
  /** Pairs so far. */
  count = 0;

  constructor(memoryId: string, memories: TranslationMemoryStore) {
    this.#memoryId = memoryId;
    this.#memories = memories;
  }

  async add({ source, targets }: MemoryUnit): Promise<void> {
    const written = writeSegment(source);
    const keys = keysOfText(readMemoryText(source));
    for (const [language, target] of targets) {
      this.count += 1;
      const part = this.#parts.get(language) ?? (await this.#open(language));
      await part.add({ source: written, target: writeSegment(target, source) }, keys);
    }
  }

  async finish(): Promise<MemoryPart[]> {
    const finished: MemoryPart[] = [];
    for (const part of this.#parts.values()) finished.push(await part.finish());
    return finished;
  }

  async #open(targetLang: LanguageTag): Promise<PartWriter> {
    if (this.#parts.size >= MAX_PARTS) {
      throw badFile(`The file has too many languages: a memory has at most ${MAX_PARTS} targets.`);
    }
    const options = { memoryId: this.#memoryId, memories: this.#memories };
    const part = await PartWriter.open(targetLang, options);
    this.#parts.set(targetLang, part);
    return part;
  }
}

interface PartWriterOptions {
  memoryId: string;
  memories: TranslationMemoryStore;
}

/** Writes one part: its pairs in batches, and its index at the end. */
class PartWriter {
  readonly #index = new MemoryIndexBuilder();
  readonly #partId: number;
  readonly #targetLang: LanguageTag;
  readonly #options: PartWriterOptions;
  #batch: MemorySegment[] = [];
  #count = 0;

  static async open(targetLang: LanguageTag, options: PartWriterOptions): Promise<PartWriter> {
    const partId = randomInt(1, PART_IDS);
    const part = { partId, targetLang };
    mustBeThere(await options.memories.openPart(options.memoryId, part, Date.now()));
    return new PartWriter(part, options);
  }

  constructor(
    { partId, targetLang }: { partId: number; targetLang: LanguageTag },
    options: PartWriterOptions,
  ) {
    this.#partId = partId;
    this.#targetLang = targetLang;
    this.#options = options;
  }

  async add(pair: { source: string; target: string }, keys: readonly MemoryKey[]): Promise<void> {
    this.#index.add(keys, this.#count);
    this.#batch.push({ number: this.#count, ...pair });
    this.#count += 1;
    if (this.#batch.length >= BATCH_ROWS) await this.#flush();
  }

  async finish(): Promise<MemoryPart> {
    await this.#flush();
    const { memoryId, memories } = this.#options;
    let buckets: { bucket: number; entries: Uint8Array }[] = [];
    const flush = async () => {
      mustBeThere(await memories.addBuckets(memoryId, this.#partId, buckets, Date.now()));
      buckets = [];
    };
    for await (const bucket of this.#index.buckets(nextTurn)) {
      buckets.push(bucket);
      if (buckets.length >= BATCH_ROWS) await flush();
    }
    if (buckets.length > 0) await flush();
    return {
      partId: this.#partId,
      targetLang: this.#targetLang,
      segmentCount: this.#count,
      bucketCount: this.#index.bucketCount,
    };
  }

  async #flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const { memoryId, memories } = this.#options;
    const batch = this.#batch;
    this.#batch = [];
    mustBeThere(await memories.addSegments(memoryId, this.#partId, batch, Date.now()));
  }
}

function mustBeThere(isThere: boolean): void {
  if (isThere) return;
  throw new ServiceError('not_found', 'The translation memory was deleted while it was imported.');
}

/** @returns payload_too_large, also for callers that know the size before reading */
export function tooLarge(): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The file is too large: it may have at most ${MAX_MEMORY_FILE_BYTES / MIB} MiB.`,
  );
}

function tooMany(maxSegments: number): ServiceError {
  return new ServiceError(
    'payload_too_large',
    `The file has too many segments: a memory has at most ${maxSegments.toLocaleString('en')}, each language counted.`,
  );
}
