import type { Kysely } from 'kysely';

/** After which sequence something has to have been said to be written: what was before was deleted. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('rooms')
    .addColumn('written_after', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
