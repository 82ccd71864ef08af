import type { Kysely } from 'kysely';

/** Lists of terms that are likely to be said. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('spoken_terms')
    .addColumn('spoken_terms_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('language', 'text')
    .addColumn('term_count', 'integer', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    // Last: SQLite reads what stands before it without touching the pages of it.
    .addColumn('terms', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('spoken_terms_account_id')
    .on('spoken_terms')
    .columns(['account_id', 'created_at_ms'])
    .execute();
}
