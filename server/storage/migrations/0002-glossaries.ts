import type { Kysely } from 'kysely';

/** Glossaries and their dictionaries. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('glossaries')
    .addColumn('glossary_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('edited_in_v3', 'integer', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('glossaries_account_id')
    .on('glossaries')
    .columns(['account_id', 'created_at_ms'])
    .execute();

  await db.schema
    .createTable('glossary_dictionaries')
    .addColumn('glossary_id', 'text', (column) =>
      column.notNull().references('glossaries.glossary_id').onDelete('cascade'),
    )
    .addColumn('source_lang', 'text', (column) => column.notNull())
    .addColumn('target_lang', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('entry_count', 'integer', (column) => column.notNull())
    .addColumn('revision', 'text', (column) => column.notNull())
    // Last, so that SQLite reads the other columns without touching these megabytes.
    .addColumn('entries', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('glossary_dictionaries_pk', [
      'glossary_id',
      'source_lang',
      'target_lang',
    ])
    .execute();
}
