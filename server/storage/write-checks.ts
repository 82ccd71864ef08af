import type { Database } from './database.ts';
import type { WriteChecks } from './ports.ts';

const ONLY_ROW = 1;

export function createWriteChecks(db: Database): WriteChecks {
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
