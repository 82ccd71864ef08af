import type { Database } from './database.ts';
import { defineStore } from './store.ts';

/** Finds out whether the database can be written. */
export interface WriteCheckStore {
  /** @throws ServiceError storage_unavailable when it cannot */
  write(atMs: number): Promise<void>;
}

const ONLY_ROW = 1;

export interface WriteChecksTable {
  check_id: number;
  checked_at_ms: number;
}

declare module './database.ts' {
  interface Tables {
    write_checks: WriteChecksTable;
  }
}

/** Whether the database can be written. */
export const writeCheckStore = defineStore<WriteCheckStore>({
  over: createWriteChecks,
  reads: [],
});

function createWriteChecks(db: Database): WriteCheckStore {
  return {
    async write(atMs) {
      const row = { check_id: ONLY_ROW, checked_at_ms: atMs };
      await db
        .insertInto('write_checks')
        .values(row)
        .onConflict((conflict) => conflict.column('check_id').doUpdateSet(row))
        .execute();
    },
  };
}
