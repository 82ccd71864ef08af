import type { Database } from '../storage/database.ts';

/** Rows deleted at once: few enough not to delay other writers. */
const SWEPT_ROWS = 5_000;

/**
 * Adds to a memory during its import, and records that the import is alive.
 *
 * @returns false if the memory was retired or deleted meanwhile
 */
export async function addToMemory(
  db: Database,
  memoryId: string,
  atMs: number,
  add: () => Promise<void>,
): Promise<boolean> {
  // Also locks the row, so that a concurrent sweep cannot delete the memory.
  const { numUpdatedRows } = await db
    .updateTable('translation_memories')
    .set({ changed_at_ms: atMs })
    .where('memory_id', '=', memoryId)
    .where('state', '=', 'importing')
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await add();
  return true;
}

/** Creates a sweep that deletes retired and abandoned memories, one piece per call. */
export function createMemorySweep(db: Database): (abandonedBeforeMs: number) => Promise<boolean> {
  return async (abandonedBeforeMs) => {
    await db
      .updateTable('translation_memories')
      .set({ state: 'retired' })
      .where('state', '=', 'importing')
      .where('changed_at_ms', '<', abandonedBeforeMs)
      .execute();
    const memory = await db
      .selectFrom('translation_memories')
      .select('memory_id')
      .where('state', '=', 'retired')
      .limit(1)
      .executeTakeFirst();
    if (memory === undefined) return false;
    const part = await db
      .selectFrom('memory_parts')
      .select('part_id')
      .where('memory_id', '=', memory.memory_id)
      .limit(1)
      .executeTakeFirst();
    if (part === undefined) {
      await db
        .deleteFrom('translation_memories')
        .where('memory_id', '=', memory.memory_id)
        .execute();
    } else if (!(await deletePiece(db, part.part_id))) {
      await db.deleteFrom('memory_parts').where('part_id', '=', part.part_id).execute();
    }
    return true;
  };
}

/** @returns whether anything was left to delete */
async function deletePiece(db: Database, partId: number): Promise<boolean> {
  const segment = await db
    .selectFrom('memory_segments')
    .select('number as first')
    .where('part_id', '=', partId)
    .orderBy('number')
    .limit(1)
    .executeTakeFirst();
  if (segment !== undefined) {
    await db
      .deleteFrom('memory_segments')
      .where('part_id', '=', partId)
      .where('number', '<', segment.first + SWEPT_ROWS)
      .execute();
    return true;
  }
  const bucket = await db
    .selectFrom('memory_buckets')
    .select('bucket as first')
    .where('part_id', '=', partId)
    .orderBy('bucket')
    .limit(1)
    .executeTakeFirst();
  if (bucket === undefined) return false;
  await db
    .deleteFrom('memory_buckets')
    .where('part_id', '=', partId)
    .where('bucket', '<', bucket.first + SWEPT_ROWS)
    .execute();
  return true;
}
