/**
 * Erases what was deleted. SQLite writes zeros over it (`secure_delete`), which leaves two places: the
 * write-ahead log, with pages as they were, and pages that were divided, whose free room still has
 * copies of the rows that moved out.
 */
import { statSync } from 'node:fs';
import { isBusy, withoutWaiting, type SqliteDatabase } from './sqlite.ts';

/** How often the log is emptied, in ms. */
export const ERASURE_PERIOD_MS = 60_000;
/** What is written anew holds at most so much: it takes a tenth of a second, in which others wait. */
const MAX_REWRITTEN_BYTES = 16 * 2 ** 20;
/** For each millisecond that took, so many go by before it is done again. */
const REST_PER_MS = 1000;

/**
 * Makes what is to be called once a period and at the end, between transactions. It waits for no other
 * process: what one of them keeps it from is done the next time.
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
      // Last: what was written anew is in the log as well.
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

/** Writes the log into the database, and cuts it off. */
function emptyLog(database: SqliteDatabase, file: string): void {
  const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) database.exec('pragma wal_checkpoint(truncate)');
}

/** Pages are free once something was deleted, and until the database is written anew. */
function isWorthRewriting(database: SqliteDatabase): boolean {
  const read = (name: string) =>
    Number(Object.values(database.prepare(`pragma ${name}`).all()[0] ?? {})[0]);
  const freePages = read('freelist_count');
  const usedBytes = (read('page_count') - freePages) * read('page_size');
  return freePages > 0 && usedBytes <= MAX_REWRITTEN_BYTES;
}
