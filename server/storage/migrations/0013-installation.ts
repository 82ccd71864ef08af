import type { Kysely } from 'kysely';

/** One row with an id that no other database has, but for its copies. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('installation')
    .addColumn('row_id', 'integer', (column) => column.primaryKey())
    .addColumn('installation_id', 'text', (column) => column.notNull())
    .execute();
}
