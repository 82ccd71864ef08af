import { PostgresAdapter, sql, type CreateTableBuilder, type Kysely } from 'kysely';

/** Translation memories, their segments, and the index of their segments. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('translation_memories')
    .addColumn('memory_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('source_lang', 'text', (column) => column.notNull())
    .addColumn('segment_count', 'bigint', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('changed_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('translation_memories_account_id')
    .on('translation_memories')
    .columns(['account_id', 'created_at_ms'])
    .execute();
  await db.schema
    .createTable('memory_parts')
    .addColumn('part_id', 'bigint', (column) => column.primaryKey())
    .addColumn('memory_id', 'text', (column) =>
      column.notNull().references('translation_memories.memory_id').onDelete('cascade'),
    )
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('target_lang', 'text', (column) => column.notNull())
    .addColumn('segment_count', 'bigint', (column) => column.notNull())
    .addColumn('bucket_count', 'bigint', (column) => column.notNull())
    .addUniqueConstraint('memory_parts_memory_id', ['memory_id', 'place'])
    .execute();
  await createContents(db);
}

/** Creates tables without foreign keys: a million rows are deleted in portions rather than by a cascade. */
async function createContents(db: Kysely<unknown>): Promise<void> {
  const isPostgresql = db.getExecutor().adapter instanceof PostgresAdapter;
  /** Without this, SQLite would keep a second tree beside that of the primary key. */
  const clustered = <Name extends string, Columns extends string>(
    table: CreateTableBuilder<Name, Columns>,
  ) => (isPostgresql ? table : table.modifyEnd(sql`without rowid`));
  await clustered(
    db.schema
      .createTable('memory_segments')
      .addColumn('part_id', 'bigint', (column) => column.notNull())
      .addColumn('number', 'integer', (column) => column.notNull())
      .addColumn('source', 'text', (column) => column.notNull())
      .addColumn('target', 'text', (column) => column.notNull())
      .addPrimaryKeyConstraint('memory_segments_pk', ['part_id', 'number']),
  ).execute();
  await clustered(
    db.schema
      .createTable('memory_buckets')
      .addColumn('part_id', 'bigint', (column) => column.notNull())
      .addColumn('bucket', 'integer', (column) => column.notNull())
      .addColumn('entries', isPostgresql ? 'bytea' : 'blob', (column) => column.notNull())
      .addPrimaryKeyConstraint('memory_buckets_pk', ['part_id', 'bucket']),
  ).execute();
  // Hashes cannot be compressed.
  if (isPostgresql) {
    await sql`alter table memory_buckets alter column entries set storage external`.execute(db);
  }
}
