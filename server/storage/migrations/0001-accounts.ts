import type { Kysely } from 'kysely';

/** Accounts, API keys and usage. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('accounts')
    .addColumn('account_id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('plan', 'text', (column) => column.notNull())
    .addColumn('features', 'text', (column) => column.notNull())
    .addColumn('characters_limit', 'bigint')
    .addColumn('speech_ms_limit', 'bigint')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('api_keys')
    .addColumn('key_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('masked', 'text', (column) => column.notNull())
    .addColumn('secret_lookup', 'text', (column) => column.notNull())
    .addColumn('secret_hash', 'text', (column) => column.notNull().unique())
    .addColumn('characters_limit', 'bigint')
    .addColumn('speech_ms_limit', 'bigint')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('deactivated_at_ms', 'bigint')
    .execute();
  for (const column of ['account_id', 'secret_lookup']) {
    await db.schema.createIndex(`api_keys_${column}`).on('api_keys').column(column).execute();
  }

  await db.schema
    .createTable('usage_months')
    .addColumn('subject_kind', 'text', (column) => column.notNull())
    .addColumn('subject_id', 'text', (column) => column.notNull())
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('text_characters', 'bigint', (column) => column.notNull())
    .addColumn('document_characters', 'bigint', (column) => column.notNull())
    .addColumn('write_characters', 'bigint', (column) => column.notNull())
    .addColumn('speech_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_months_pk', ['subject_id', 'month', 'subject_kind'])
    .execute();

  await db.schema
    .createTable('usage_days')
    .addColumn('key_id', 'text', (column) =>
      column.notNull().references('api_keys.key_id').onDelete('cascade'),
    )
    .addColumn('day', 'text', (column) => column.notNull())
    .addColumn('tag', 'text', (column) => column.notNull())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('amount', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('usage_days_pk', ['key_id', 'day', 'tag', 'kind'])
    .execute();
}
