import type { Kysely } from 'kysely';

/** Up to where what was said in a room was deleted: who comes back with it is to forget it. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .alterTable('rooms')
    .addColumn('deleted_up_to', 'bigint', (column) => column.notNull().defaultTo(0))
    .execute();
}
