/** Translation memories as storage keeps them: pairs of texts, and an index whose meaning it does not know. */

/** A memory that is complete. Languages are canonical tags. */
export interface TranslationMemoryInfo {
  memoryId: string;
  name: string;
  sourceLang: string;
  /** Those of its parts, in the order in which the imported file named them. */
  targetLangs: string[];
  /** Units of the imported file; one with several targets counts once. */
  segmentCount: number;
  createdAtMs: number;
}

/** What a memory holds for one target language. */
export interface MemoryPart {
  /** Unique among all memories; a whole number that fits a JavaScript number. */
  partId: number;
  targetLang: string;
  segmentCount: number;
  /** How many buckets its index has: needed to find the one of a key. */
  bucketCount: number;
}

/** A pair of a part. Texts hold their marks in writing, which storage does not read. */
export interface MemorySegment {
  /** 0, 1, 2… in a part, in the order of the file. */
  number: number;
  source: string;
  target: string;
}

/** Some entries of a part's index. */
export interface MemoryBucket {
  bucket: number;
  entries: Uint8Array;
}

/** A page of a list: `offset` memories before it, `limit` on it. */
export interface MemoryPage {
  offset: number;
  limit: number;
}

/**
 * Translation memories. They are imported piece by piece, hidden until they are complete, and then
 * change no more but for their name; they are deleted piece by piece as well, hidden from the start.
 */
export interface TranslationMemories {
  /** Begins an import. @returns false when the account has `maxMemories` already */
  begin(
    accountId: string,
    memory: Pick<TranslationMemoryInfo, 'memoryId' | 'name' | 'createdAtMs'>,
    maxMemories: number,
  ): Promise<boolean>;
  /** Makes room for a target language of a memory that is being imported. @returns false: it is gone */
  openPart(
    memoryId: string,
    part: Pick<MemoryPart, 'partId' | 'targetLang'>,
    atMs: number,
  ): Promise<boolean>;
  /** Adds pairs, at most 1,000, to a memory that is being imported. @returns false: it is gone */
  addSegments(
    memoryId: string,
    partId: number,
    segments: readonly MemorySegment[],
    atMs: number,
  ): Promise<boolean>;
  /** Adds to the index, at most 1,000 at once. @returns false: the memory is gone */
  addBuckets(
    memoryId: string,
    partId: number,
    buckets: readonly MemoryBucket[],
    atMs: number,
  ): Promise<boolean>;
  /** Ends an import: from now on the memory is there. @returns false: it is gone */
  complete(
    memoryId: string,
    memory: Pick<TranslationMemoryInfo, 'sourceLang' | 'segmentCount'>,
    parts: readonly MemoryPart[],
  ): Promise<boolean>;
  /** Complete memories, oldest first, and how many there are. */
  list(
    accountId: string,
    page: MemoryPage,
  ): Promise<{ memories: TranslationMemoryInfo[]; totalCount: number }>;
  find(
    accountId: string,
    memoryId: string,
  ): Promise<(TranslationMemoryInfo & { parts: MemoryPart[] }) | undefined>;
  rename(accountId: string, memoryId: string, name: string): Promise<boolean>;
  /** Hides a memory for ever, complete or not; {@link sweep} then deletes what it holds. */
  retire(accountId: string, memoryId: string): Promise<boolean>;
  /**
   * Deletes a piece of what retired memories hold, and of those whose import nobody goes on with.
   *
   * @param abandonedBeforeMs an import that was not added to since then is abandoned
   * @returns whether there may be more
   */
  sweep(abandonedBeforeMs: number): Promise<boolean>;
  /** The buckets with these numbers, at most 1,000; empty ones are left out. */
  buckets(partId: number, numbers: readonly number[]): Promise<MemoryBucket[]>;
  /** The pairs with these numbers, at most 1,000, in no order; those of a deleted memory are left out. */
  segments(partId: number, numbers: readonly number[]): Promise<MemorySegment[]>;
}
