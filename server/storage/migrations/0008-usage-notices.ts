import { sql, type Kysely } from 'kysely';

/** Notices of API keys that come near their limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('usage_notices')
    .addColumn('notice_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('key_id', 'text', (column) =>
      column.notNull().references('api_keys.key_id').onDelete('cascade'),
    )
    .addColumn('month', 'text', (column) => column.notNull())
    .addColumn('resource', 'text', (column) => column.notNull())
    .addColumn('limit_amount', 'bigint', (column) => column.notNull())
    .addColumn('percent', 'integer', (column) => column.notNull())
    .addColumn('used', 'bigint', (column) => column.notNull())
    .addColumn('reached_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('told', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('due_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('claim_id', 'text')
    .addColumn('closed_at_ms', 'bigint')
    // One notice for each limit and mark of a key in a month.
    .addUniqueConstraint('usage_notices_once', [
      'key_id',
      'month',
      'resource',
      'limit_amount',
      'percent',
    ])
    .execute();
  await db.schema
    .createIndex('usage_notices_open')
    .on('usage_notices')
    .column('due_at_ms')
    .where(sql<boolean>`closed_at_ms is null`)
    .execute();
}
