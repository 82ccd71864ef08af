/**
 * Erases deleted data. SQLite overwrites it with zeros (`secure_delete`), but copies remain in two
 * places: in the write-ahead log, and in the free space of pages that were split.
 */
import { statSync } from 'node:fs';
import { isBusy, withoutWaiting, type SqliteDatabase } from './sqlite.ts';

/** Interval at which the log is emptied, in ms. */
export const ERASURE_PERIOD_MS = 60_000;
/**
 * Size up to which the database is rewritten, in bytes: this takes a tenth of a second, during
 * which other calls wait.
 */
const MAX_REWRITTEN_BYTES = 16 * 2 ** 20;
/** Pause after a rewrite, in ms per ms that it took. */
const REST_PER_MS = 1000;

/**
 * Makes the erasure, to be called periodically and at the end, between transactions. It never waits
 * for other processes: what they block is done the next time.
 *
 * @returns a function that throws Error when the database cannot be written
 */
export function createErasure({ database, file }: { database: SqliteDatabase; file: string }) {
  let restsUntilMs = 0;

  function rewrite(): void {
    const startedAtMs = performance.now();
    if (startedAtMs < restsUntilMs || !isWorthRewriting(database)) return;
    database.exec('vacuum');
    const endedAtMs = performance.now();
    restsUntilMs = endedAtMs + REST_PER_MS * (endedAtMs - startedAtMs);
  }

  function erase(): void {
    try {
      rewrite();
    } finally {
      // Last, because the rewritten pages are in the log as well.
      emptyLog(database, file);
    }
  }

  return () => {
    try {
      withoutWaiting(database, erase);
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
  };
}

/** Writes the log back into the database and truncates it. */
function emptyLog(database: SqliteDatabase, file: string): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) database.exec('pragma wal_checkpoint(truncate)');
}

/** Free pages exist once data was deleted, until the database is rewritten. */
function isWorthRewriting(database: SqliteDatabase): boolean {
  const read = (name: string) =>
    Number(Object.values(database.prepare(`pragma ${name}`).all()[0] ?? {})[0]);
  const freePages = read('freelist_count');
  const usedBytes = (read('page_count') - freePages) * read('page_size');
  return freePages > 0 && usedBytes <= MAX_REWRITTEN_BYTES;
}
