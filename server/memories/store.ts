import { countOf, type Database, lockAccount } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';
import { addToMemory, createMemorySweep } from './memory-contents-store.ts';

/** A complete memory. Languages are canonical tags. */
export interface TranslationMemoryInfo {
  memoryId: string;
  name: string;
  sourceLang: string;
  /** Targets of its parts, in the order of the imported file. */
  targetLangs: string[];
  /** Number of units in the imported file; a unit with several targets counts once. */
  segmentCount: number;
  createdAtMs: number;
}

/** Part of a memory for one target language. */
export interface MemoryPart {
  /** Unique among all memories; a safe integer. */
  partId: number;
  targetLang: string;
  segmentCount: number;
  /** Number of buckets of its index, needed to find the bucket of a key. */
  bucketCount: number;
}

/** A pair of a part. Marks are encoded in the texts, and the store does not interpret them. */
export interface MemorySegment {
  /** Consecutive from 0 within a part, in the order of the file. */
  number: number;
  source: string;
  target: string;
}

/** One bucket of a part's index. */
export interface MemoryBucket {
  bucket: number;
  entries: Uint8Array;
}

/** A page of a list: the `limit` memories after the first `offset`. */
export interface MemoryPage {
  offset: number;
  limit: number;
}

/**
 * Translation memories. A memory is imported piece by piece, hidden until complete, and afterwards only its
 * name can change. Deletion hides it at once and removes it piece by piece.
 */
export interface TranslationMemoryStore {
  /** Begins an import. @returns false if the account already has `maxMemories` */
  begin(
    accountId: string,
    memory: Pick<TranslationMemoryInfo, 'memoryId' | 'name' | 'createdAtMs'>,
    maxMemories: number,
  ): Promise<boolean>;
  /** Adds a target language to a memory being imported. @returns false if the memory is gone */
  openPart(
    memoryId: string,
    part: Pick<MemoryPart, 'partId' | 'targetLang'>,
    atMs: number,
  ): Promise<boolean>;
  /** Adds at most 1,000 pairs to a memory being imported. @returns false if the memory is gone */
  addSegments(
    memoryId: string,
    partId: number,
    segments: readonly MemorySegment[],
    atMs: number,
  ): Promise<boolean>;
  /** Adds at most 1,000 buckets to the index. @returns false if the memory is gone */
  addBuckets(
    memoryId: string,
    partId: number,
    buckets: readonly MemoryBucket[],
    atMs: number,
  ): Promise<boolean>;
  /** Completes an import, which makes the memory visible. @returns false if the memory is gone */
  complete(
    memoryId: string,
    memory: Pick<TranslationMemoryInfo, 'sourceLang' | 'segmentCount'>,
    parts: readonly MemoryPart[],
  ): Promise<boolean>;
  /** Returns complete memories, oldest first, and their total number. */
  list(
    accountId: string,
    page: MemoryPage,
  ): Promise<{ memories: TranslationMemoryInfo[]; totalCount: number }>;
  find(
    accountId: string,
    memoryId: string,
  ): Promise<(TranslationMemoryInfo & { parts: MemoryPart[] }) | undefined>;
  rename(accountId: string, memoryId: string, name: string): Promise<boolean>;
  /** Hides a memory for ever, complete or not; {@link sweep} then deletes its contents. */
  retire(accountId: string, memoryId: string): Promise<boolean>;
  /**
   * Deletes a piece of the contents of retired and abandoned memories.
   *
   * @param abandonedBeforeMs imports without additions since then are abandoned
   * @returns whether there may be more
   */
  sweep(abandonedBeforeMs: number): Promise<boolean>;
  /** Returns the buckets with these numbers, at most 1,000, without empty ones. */
  buckets(partId: number, numbers: readonly number[]): Promise<MemoryBucket[]>;
  /**
   * Returns the pairs with these numbers, at most 1,000, in no particular order, without those of deleted
   * memories.
   */
  segments(partId: number, numbers: readonly number[]): Promise<MemorySegment[]>;
}

export interface TranslationMemoriesTable {
  memory_id: string;
  account_id: string;
  name: string;
  state: 'importing' | 'ready' | 'retired';
  source_lang: string;
  segment_count: number;
  created_at_ms: number;
  /** Time of the last addition, in ms since the epoch. */
  changed_at_ms: number;
}

/** One row per target language of a memory. */
export interface MemoryPartsTable {
  part_id: number;
  memory_id: string;
  /** Consecutive from 0 within a memory. */
  place: number;
  target_lang: string;
  segment_count: number;
  bucket_count: number;
}

export interface MemorySegmentsTable {
  part_id: number;
  number: number;
  source: string;
  target: string;
}

export interface MemoryBucketsTable {
  part_id: number;
  bucket: number;
  entries: Uint8Array;
}

declare module '../storage/database.ts' {
  interface Tables {
    translation_memories: TranslationMemoriesTable;
    memory_parts: MemoryPartsTable;
    memory_segments: MemorySegmentsTable;
    memory_buckets: MemoryBucketsTable;
  }
}

/** Translation memories: names and states here, contents in `memory-contents-store.ts`. */
export const translationMemoryStore = defineStore<TranslationMemoryStore>({
  over: createTranslationMemories,
  reads: ['list', 'find', 'buckets', 'segments'],
});

function createTranslationMemories(db: Database): TranslationMemoryStore {
  return {
    ...createImports(db),
    ...createUpkeep(db),
    ...createSearches(db),
    sweep: createMemorySweep(db),
  };
}

type Imports = Pick<
  TranslationMemoryStore,
  'begin' | 'openPart' | 'addSegments' | 'addBuckets' | 'complete'
>;

function createImports(db: Database): Imports {
  return {
    async begin(accountId, { memoryId, name, createdAtMs }, maxMemories) {
      await lockAccount(db, accountId);
      const own = db
        .selectFrom('translation_memories')
        .where('account_id', '=', accountId)
        .where('state', '!=', 'retired');
      if ((await countOf(own)) >= maxMemories) return false;
      await db
        .insertInto('translation_memories')
        .values({
          memory_id: memoryId,
          account_id: accountId,
          name,
          state: 'importing',
          source_lang: '',
          segment_count: 0,
          created_at_ms: createdAtMs,
          changed_at_ms: createdAtMs,
        })
        .execute();
      return true;
    },

    openPart: (memoryId, part, atMs) =>
      addToMemory(db, memoryId, atMs, () => insertPart(db, memoryId, part)),

    addSegments: (memoryId, partId, segments, atMs) =>
      addToMemory(db, memoryId, atMs, async () => {
        const rows = segments.map((segment) => ({ part_id: partId, ...segment }));
        await db.insertInto('memory_segments').values(rows).execute();
      }),

    addBuckets: (memoryId, partId, buckets, atMs) =>
      addToMemory(db, memoryId, atMs, async () => {
        const rows = buckets.map((bucket) => ({ part_id: partId, ...bucket }));
        await db.insertInto('memory_buckets').values(rows).execute();
      }),

    async complete(memoryId, { sourceLang, segmentCount }, parts) {
      for (const { partId, segmentCount: segment_count, bucketCount: bucket_count } of parts) {
        await db
          .updateTable('memory_parts')
          .set({ segment_count, bucket_count })
          .where('part_id', '=', partId)
          .execute();
      }
      const { numUpdatedRows } = await db
        .updateTable('translation_memories')
        .set({ state: 'ready', source_lang: sourceLang, segment_count: segmentCount })
        .where('memory_id', '=', memoryId)
        .where('state', '=', 'importing')
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },
  };
}

async function insertPart(
  db: Database,
  memoryId: string,
  { partId, targetLang }: Pick<MemoryPart, 'partId' | 'targetLang'>,
): Promise<void> {
  const { place } = await db
    .selectFrom('memory_parts')
    .select(({ fn }) => fn.countAll<number>().as('place'))
    .where('memory_id', '=', memoryId)
    .executeTakeFirstOrThrow();
  await db
    .insertInto('memory_parts')
    .values({
      part_id: partId,
      memory_id: memoryId,
      place,
      target_lang: targetLang,
      segment_count: 0,
      bucket_count: 0,
    })
    .execute();
}

function createUpkeep(
  db: Database,
): Pick<TranslationMemoryStore, 'list' | 'find' | 'rename' | 'retire'> {
  return {
    async list(accountId, page) {
      const rows = await readyMemories(db, accountId)
        .select(memoryColumns)
        // Counted in the same statement, so that rows and total are consistent.
        .select(({ fn }) => fn.countAll<number>().over().as('total_count'))
        .orderBy('created_at_ms')
        .orderBy('memory_id')
        .limit(page.limit)
        .offset(page.offset)
        .execute();
      const totalCount = rows[0]?.total_count ?? (await countReady(db, accountId));
      const parts = await partsOf(
        db,
        rows.map(({ memory_id }) => memory_id),
      );
      return {
        memories: rows.map((row) => toMemory(row, parts.get(row.memory_id) ?? [])),
        totalCount,
      };
    },

    async find(accountId, memoryId) {
      const row = await readyMemories(db, accountId)
        .select(memoryColumns)
        .where('memory_id', '=', memoryId)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      const parts = (await partsOf(db, [memoryId])).get(memoryId) ?? [];
      return { ...toMemory(row, parts), parts };
    },

    async rename(accountId, memoryId, name) {
      const { numUpdatedRows } = await db
        .updateTable('translation_memories')
        .set({ name })
        .where('account_id', '=', accountId)
        .where('memory_id', '=', memoryId)
        .where('state', '=', 'ready')
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    async retire(accountId, memoryId) {
      const { numUpdatedRows } = await db
        .updateTable('translation_memories')
        .set({ state: 'retired' })
        .where('account_id', '=', accountId)
        .where('memory_id', '=', memoryId)
        .where('state', '!=', 'retired')
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },
  };
}

function createSearches(db: Database): Pick<TranslationMemoryStore, 'buckets' | 'segments'> {
  return {
    buckets: (partId, numbers) =>
      db
        .selectFrom('memory_buckets')
        .select(['bucket', 'entries'])
        .where('part_id', '=', partId)
        .where('bucket', 'in', padded(numbers))
        .execute(),

    segments: (partId, numbers) =>
      db
        .selectFrom('memory_segments')
        .select(['number', 'source', 'target'])
        .where('part_id', '=', partId)
        .where('number', 'in', padded(numbers))
        .execute(),
  };
}

/** Pads lists to a few different lengths, so that the databases prepare only a few statements. */
function padded(numbers: readonly number[]): number[] {
  const length = 2 ** Math.ceil(Math.log2(Math.max(8, numbers.length)));
  return [...numbers, ...Array<number>(length - numbers.length).fill(-1)];
}

const memoryColumns = [
  'memory_id',
  'name',
  'source_lang',
  'segment_count',
  'created_at_ms',
] as const;

function readyMemories(db: Database, accountId: string) {
  return db
    .selectFrom('translation_memories')
    .where('account_id', '=', accountId)
    .where('state', '=', 'ready');
}

/** Counts separately for a page past the end, whose missing rows cannot carry the total. */
async function countReady(db: Database, accountId: string): Promise<number> {
  return countOf(readyMemories(db, accountId));
}

async function partsOf(
  db: Database,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, MemoryPart[]>> {
  const parts = new Map<string, MemoryPart[]>();
  if (memoryIds.length === 0) return parts;
  const rows = await db
    .selectFrom('memory_parts')
    .select(['part_id', 'memory_id', 'target_lang', 'segment_count', 'bucket_count'])
    .where('memory_id', 'in', memoryIds)
    .orderBy('memory_id')
    .orderBy('place')
    .execute();
  for (const row of rows) {
    const known = parts.get(row.memory_id) ?? [];
    parts.set(row.memory_id, known);
    known.push({
      partId: row.part_id,
      targetLang: row.target_lang,
      segmentCount: row.segment_count,
      bucketCount: row.bucket_count,
    });
  }
  return parts;
}

function toMemory(
  row: {
    memory_id: string;
    name: string;
    source_lang: string;
    segment_count: number;
    created_at_ms: number;
  },
  parts: readonly MemoryPart[],
): TranslationMemoryInfo {
  return {
    memoryId: row.memory_id,
    name: row.name,
    sourceLang: row.source_lang,
    targetLangs: parts.map(({ targetLang }) => targetLang),
    segmentCount: row.segment_count,
    createdAtMs: row.created_at_ms,
  };
}
