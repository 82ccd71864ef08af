import { randomInt, randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { MemorySegment } from '../../server/memories/store.ts';
import type { Storage } from '../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount } from '../storage/samples.ts';

const openDatabase = databasesOfThisFile();
const AT_MS = 1_700_000_000_000;

const memoryOf = (given: { createdAtMs?: number; name?: string } = {}) => ({
  ...{ memoryId: randomUUID(), name: 'Überseehandel', createdAtMs: AT_MS },
  ...given,
});

const segmentsFrom = (first: number, count: number): MemorySegment[] =>
  Array.from({ length: count }, (_, index) => ({
    number: first + index,
    source: `'; drop table memory_segments; -- ${first + index} \u0001o1\u0001 😀`,
    target: `Ziel ${first + index}`,
  }));

interface Given {
  createdAtMs?: number;
  name?: string;
  /** Even; a call adds half of them. */
  pairs?: number;
}

describe.each(databaseNames)('translation memories in %s', (name) => {
  /** Two connections to one database, as of two processes. */
  let storage: Storage;
  let other: Storage;
  let execute: (sql: string) => Promise<unknown[]>;

  beforeAll(async () => {
    ({ storage, other, execute } = await openDatabase(name));
  });

  const rowCount = async (table: string, partIds: readonly number[]) => {
    const where = `part_id in (${partIds.join(', ')})`;
    return (await execute(`select part_id from ${table} where ${where}`)).length;
  };

  /** Returns an account's memory during its import, with a part of some pairs and buckets. */
  async function begun(accountId: string, given: Given = {}) {
    const { pairs = 4, ...rest } = given;
    const memory = memoryOf(rest);
    const { memoryId } = memory;
    const { translationMemories } = storage;
    expect(await translationMemories.begin(accountId, memory, 10)).toBe(true);
    const partId = randomInt(1, 2 ** 47);
    const opened = { partId, targetLang: 'de' };
    expect(await translationMemories.openPart(memoryId, opened, AT_MS)).toBe(true);
    for (const first of [0, pairs / 2]) {
      const segments = segmentsFrom(first, pairs / 2);
      expect(await translationMemories.addSegments(memoryId, partId, segments, AT_MS)).toBe(true);
    }
    const buckets = [3, 7].map((bucket) => ({ bucket, entries: Uint8Array.of(bucket, 0, 255) }));
    expect(await translationMemories.addBuckets(memoryId, partId, buckets, AT_MS)).toBe(true);
    const part = { ...opened, segmentCount: pairs, bucketCount: 9 };
    return { memory, memoryId, part };
  }

  async function complete(accountId: string, given: Given = {}) {
    const { memory, memoryId, part } = await begun(accountId, given);
    const counted = { sourceLang: 'en', segmentCount: part.segmentCount };
    const { translationMemories } = storage;
    expect(await translationMemories.complete(memoryId, counted, [part])).toBe(true);
    return { ...memory, ...counted, targetLangs: ['de'], parts: [part] };
  }

  it('are returned as imported, and searched by number', async () => {
    const { account } = await openAccount(storage);
    const memory = await complete(account.accountId, { pairs: 2000 });
    const { translationMemories } = other;
    expect(await translationMemories.find(account.accountId, memory.memoryId)).toEqual(memory);
    const [{ partId } = { partId: 0 }] = memory.parts;
    const buckets = await translationMemories.buckets(partId, [1, 3, 7, 12]);
    expect(buckets.map(({ bucket, entries }) => [bucket, [...entries]])).toEqual([
      [3, [3, 0, 255]],
      [7, [7, 0, 255]],
    ]);
    const found = await translationMemories.segments(partId, [1999, 0, 2000]);
    const inOrder = found.sort((one, another) => one.number - another.number);
    expect(inOrder).toEqual([...segmentsFrom(0, 1), ...segmentsFrom(1999, 1)]);
    const many = Array.from({ length: 1000 }, (_, number) => number * 2);
    expect(await translationMemories.segments(partId, many)).toHaveLength(1000);
    expect(await translationMemories.segments(partId, [])).toEqual([]);
  });

  it('are searched through their keys, never by a scan', async () => {
    const { account } = await openAccount(storage);
    const { memoryId, part } = await begun(account.accountId);
    const buckets = Array.from({ length: 1000 }, (_, index) => {
      return { bucket: 1000 + index, entries: new Uint8Array(512) };
    });
    await storage.translationMemories.addBuckets(memoryId, part.partId, buckets, AT_MS);
    const planOf = async (table: string, column: string) => {
      // Otherwise PostgreSQL may assume a table small enough for a scan.
      await execute(`analyze ${table}`);
      const explain = name === 'sqlite' ? 'explain query plan' : 'explain';
      const asked = `part_id = ${part.partId} and ${column} in (1, 2, 3)`;
      const plan = await execute(`${explain} select * from ${table} where ${asked}`);
      return plan.map((line) => Object.values(line as object).join(' ')).join('; ');
    };
    const isSearch =
      name === 'sqlite' ? /SEARCH \w+ USING PRIMARY KEY \(part_id=\? AND/ : /Index Cond: .*part_id/;
    expect(await planOf('memory_segments', 'number')).toMatch(isSearch);
    expect(await planOf('memory_buckets', 'bucket')).toMatch(isSearch);
  });

  it('are listed in pages, oldest first, with the total count', async () => {
    const { account } = await openAccount(storage);
    const made: Awaited<ReturnType<typeof complete>>[] = [];
    for (const createdAtMs of [3, 1, 2])
      made.push(await complete(account.accountId, { createdAtMs }));
    await begun(account.accountId);
    const expected = [1, 2, 0].map((index) => {
      const {
        memoryId,
        name: called,
        sourceLang,
        targetLangs,
        segmentCount,
        createdAtMs,
      } = made[index]!;
      return { memoryId, name: called, sourceLang, targetLangs, segmentCount, createdAtMs };
    });
    const list = (offset: number, limit: number) =>
      other.translationMemories.list(account.accountId, { offset, limit });
    expect(await list(0, 25)).toEqual({ memories: expected, totalCount: 3 });
    expect(await list(2, 2)).toEqual({ memories: expected.slice(2), totalCount: 3 });
    expect(await list(4, 2)).toEqual({ memories: [], totalCount: 3 });
  });

  it('are hidden from other accounts', async () => {
    const { account: owner } = await openAccount(storage);
    const { account } = await openAccount(storage);
    const { memoryId } = await complete(owner.accountId);
    const stranger = [account.accountId, memoryId] as const;
    const { translationMemories } = storage;
    expect(await translationMemories.find(...stranger)).toBeUndefined();
    expect(await translationMemories.rename(...stranger, 'mine')).toBe(false);
    expect(await translationMemories.retire(...stranger)).toBe(false);
    const page = { offset: 0, limit: 25 };
    expect(await translationMemories.list(account.accountId, page)).toEqual({
      ...{ memories: [], totalCount: 0 },
    });
  });

  it('never exceed the limit of an account, whoever begins them', async () => {
    const { account } = await openAccount(storage);
    const begins = await Promise.all(
      Array.from({ length: 12 }, (_, index) => {
        const { translationMemories } = [storage, other][index % 2]!;
        return translationMemories.begin(account.accountId, memoryOf(), 5);
      }),
    );
    expect(begins.filter(Boolean)).toHaveLength(5);
  });

  it('disappear at once when they are retired, and are swept in pieces', async () => {
    const { account } = await openAccount(storage);
    const kept = await complete(account.accountId);
    const { memoryId, parts } = await complete(account.accountId, { pairs: 2000 });
    const retire = () => storage.translationMemories.retire(account.accountId, memoryId);
    expect(await retire()).toBe(true);
    expect(await retire()).toBe(false);
    expect(await other.translationMemories.find(account.accountId, memoryId)).toBeUndefined();
    while (await other.translationMemories.sweep(0));
    const partIds = parts.map(({ partId }) => partId);
    expect(await rowCount('memory_segments', partIds)).toBe(0);
    expect(await rowCount('memory_buckets', partIds)).toBe(0);
    expect(await rowCount('memory_parts', partIds)).toBe(0);
    expect(await rowCount('memory_segments', [kept.parts[0]!.partId])).toBe(4);
    expect(await execute(`select 1 from translation_memories where state = 'retired'`)).toEqual([]);
  });

  it('are swept when their import stalls, and the importer learns of it', async () => {
    const { account } = await openAccount(storage);
    const { memoryId, part } = await begun(account.accountId);
    const { translationMemories } = storage;
    // Not yet: it has just been extended.
    while (await translationMemories.sweep(AT_MS));
    const more = segmentsFrom(2000, 1);
    const add = () => translationMemories.addSegments(memoryId, part.partId, more, AT_MS + 5);
    expect(await add()).toBe(true);
    while (await other.translationMemories.sweep(AT_MS + 6));
    expect(await rowCount('memory_segments', [part.partId])).toBe(0);
    expect(await add()).toBe(false);
    const counted = { sourceLang: 'en', segmentCount: 1 };
    expect(await translationMemories.complete(memoryId, counted, [part])).toBe(false);
  });

  // The same statements of either database: those above have run them in both.
  if (name !== 'sqlite') return;

  it('are hidden during their import', async () => {
    const { account } = await openAccount(storage);
    const { memoryId } = await begun(account.accountId);
    const { translationMemories } = other;
    expect(await translationMemories.find(account.accountId, memoryId)).toBeUndefined();
    expect(await translationMemories.rename(account.accountId, memoryId, 'x')).toBe(false);
  });

  it('are renamed', async () => {
    const { account } = await openAccount(storage);
    const { memoryId } = await complete(account.accountId);
    expect(await storage.translationMemories.rename(account.accountId, memoryId, 'new')).toBe(true);
    const found = await other.translationMemories.find(account.accountId, memoryId);
    expect(found?.name).toBe('new');
  });
});
