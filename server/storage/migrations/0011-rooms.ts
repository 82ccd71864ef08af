import type { Kysely } from 'kysely';

/** Rooms, the links into them, and the captions of rooms that keep them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('rooms')
    .addColumn('room_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('wishes', 'text', (column) => column.notNull())
    .addColumn('keep_ms', 'bigint', (column) => column.notNull())
    .addColumn('is_paused', 'integer', (column) => column.notNull())
    .addColumn('link_secret', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('rooms_account_id')
    .on('rooms')
    .columns(['account_id', 'created_at_ms'])
    .execute();

  await db.schema
    .createTable('room_links')
    .addColumn('room_id', 'text', (column) =>
      column.notNull().references('rooms.room_id').onDelete('cascade'),
    )
    .addColumn('link_id', 'text', (column) => column.notNull())
    .addColumn('role', 'text', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('expires_at_ms', 'bigint')
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('room_links_key', ['room_id', 'link_id'])
    .execute();

  await db.schema
    .createTable('room_captions')
    .addColumn('room_id', 'text', (column) =>
      column.notNull().references('rooms.room_id').onDelete('cascade'),
    )
    .addColumn('track', 'text', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('line', 'bigint', (column) => column.notNull())
    .addColumn('renders', 'bigint')
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('start_ms', 'bigint', (column) => column.notNull())
    .addColumn('end_ms', 'bigint', (column) => column.notNull())
    .addColumn('author', 'text', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('room_captions_key', ['room_id', 'track', 'sequence'])
    .execute();
}
