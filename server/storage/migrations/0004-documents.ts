import { PostgresAdapter, sql, type Kysely } from 'kysely';

/** Documents, the parts of their files, and the turns of accounts in the queue. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('documents')
    .addColumn('document_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('key_id', 'text', (column) =>
      column.notNull().references('api_keys.key_id').onDelete('cascade'),
    )
    .addColumn('document_key_hash', 'text', (column) => column.notNull())
    .addColumn('file_name', 'text', (column) => column.notNull())
    .addColumn('order_json', 'text', (column) => column.notNull())
    .addColumn('tag', 'text')
    .addColumn('size_bytes', 'bigint', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('status', 'text', (column) => column.notNull())
    .addColumn('attempt', 'integer', (column) => column.notNull())
    .addColumn('not_before_ms', 'bigint', (column) => column.notNull())
    .addColumn('claim_id', 'text')
    .addColumn('worker_id', 'text')
    .addColumn('beat_at_ms', 'bigint')
    .addColumn('finish_at_ms', 'bigint')
    .addColumn('billed_characters', 'bigint')
    .addColumn('problem', 'text')
    .addColumn('settled_at_ms', 'bigint')
    .addColumn('download_until_ms', 'bigint')
    .execute();
  await db.schema
    .createIndex('documents_status')
    .on('documents')
    .columns(['status', 'created_at_ms'])
    .execute();
  await db.schema
    .createIndex('documents_account_id')
    .on('documents')
    .column('account_id')
    .execute();
  await createParts(db);
  await db.schema
    .createTable('document_turns')
    .addColumn('account_id', 'text', (column) =>
      column.primaryKey().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('turn', 'bigint', (column) => column.notNull())
    .execute();
}

async function createParts(db: Kysely<unknown>): Promise<void> {
  const isPostgresql = db.getExecutor().adapter instanceof PostgresAdapter;
  await db.schema
    .createTable('document_parts')
    // No reference: while it is being uploaded, the document does not exist yet.
    .addColumn('document_id', 'text', (column) => column.notNull())
    .addColumn('file', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('at_ms', 'bigint', (column) => column.notNull())
    // Last, so that SQLite reads the other columns without touching its pages.
    .addColumn('bytes', isPostgresql ? 'bytea' : 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('document_parts_pk', ['document_id', 'file', 'place'])
    .execute();
  // Most files are already compressed, so PostgreSQL need not try.
  if (isPostgresql) {
    await sql`alter table document_parts alter column bytes set storage external`.execute(db);
  }
}
