import type { Kysely } from 'kysely';

/** Console credentials: passwords, sessions and one-time links, all as hashes, and sign-in attempts. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('console_passwords')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('password_hash', 'text', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('console_sessions')
    .addColumn('session_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('idle_until_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('console_links')
    .addColumn('link_hash', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint', (column) => column.notNull())
    .execute();

  await db.schema
    .createTable('console_tries')
    .addColumn('subject', 'text', (column) => column.primaryKey())
    .addColumn('count', 'integer', (column) => column.notNull())
    .addColumn('until_ms', 'bigint', (column) => column.notNull())
    .execute();

  for (const table of ['console_sessions', 'console_links']) {
    await db.schema.createIndex(`${table}_account_id`).on(table).column('account_id').execute();
  }
  for (const [table, column] of [
    ['console_sessions', 'idle_until_ms'],
    ['console_tries', 'until_ms'],
  ] as const) {
    await db.schema.createIndex(`${table}_${column}`).on(table).column(column).execute();
  }
}
