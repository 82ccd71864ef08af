import type { Kysely } from 'kysely';

/** The sites whose pages may call the server for an account, and who is told of its limits. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const column of ['origins', 'emails']) {
    await db.schema
      .alterTable('accounts')
      .addColumn(column, 'text', (definition) => definition.notNull().defaultTo('[]'))
      .execute();
  }
}
