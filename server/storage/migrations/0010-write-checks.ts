import type { Kysely } from 'kysely';

/** One row that is written to find out whether the database can be. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('write_checks')
    .addColumn('check_id', 'integer', (column) => column.primaryKey())
    .addColumn('checked_at_ms', 'bigint', (column) => column.notNull())
    .execute();
}
