import type { Kysely } from 'kysely';

/** Lists of spoken terms: words that recognisers should expect. */
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
    // Last, so that SQLite reads the other columns without touching its pages.
    .addColumn('terms', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('spoken_terms_account_id')
    .on('spoken_terms')
    .columns(['account_id', 'created_at_ms'])
    .execute();
}
