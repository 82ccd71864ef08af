import type { Kysely } from 'kysely';

/** Style rule lists and their custom instructions. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('style_rule_lists')
    .addColumn('style_id', 'text', (column) => column.primaryKey())
    .addColumn('account_id', 'text', (column) =>
      column.notNull().references('accounts.account_id').onDelete('cascade'),
    )
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('language', 'text', (column) => column.notNull())
    .addColumn('created_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('updated_at_ms', 'bigint', (column) => column.notNull())
    .addColumn('version', 'integer', (column) => column.notNull())
    .addColumn('configured_rules', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('style_rule_lists_account_id')
    .on('style_rule_lists')
    .columns(['account_id', 'created_at_ms', 'style_id'])
    .execute();

  await db.schema
    .createTable('style_instructions')
    .addColumn('style_id', 'text', (column) =>
      column.notNull().references('style_rule_lists.style_id').onDelete('cascade'),
    )
    .addColumn('instruction_id', 'text', (column) => column.notNull())
    .addColumn('place', 'integer', (column) => column.notNull())
    .addColumn('label', 'text', (column) => column.notNull())
    .addColumn('prompt', 'text', (column) => column.notNull())
    .addColumn('source_language', 'text')
    .addPrimaryKeyConstraint('style_instructions_pk', ['style_id', 'instruction_id'])
    .execute();
}
