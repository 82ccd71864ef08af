import { Migrator, type Kysely } from 'kysely';
import { migrations } from './migrations/index.ts';

const MIGRATION_TABLE = 'kysely_migration';

/**
 * Brings a database up to date. The adapter sees to it that one process does so at a time.
 *
 * @throws Error when a newer version of the program has been there, or a migration fails
 */
export async function migrate<Tables>(db: Kysely<Tables>): Promise<void> {
  const migrator = new Migrator({
    db,
    migrationTableName: MIGRATION_TABLE,
    provider: { getMigrations: async () => ({ ...migrations }) },
  });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const newer = (await performedMigrations(db)).filter((name) => !(name in migrations));
  if (newer.length > 0) {
    throw new Error(
      `A newer version of Dragoman has used this database (${newer.join(', ')}). ` +
        'Start that version, or use another database.',
      { cause: error },
    );
  }
  throw error instanceof Error
    ? error
    : new Error('The database could not be brought up to date.', { cause: error });
}

async function performedMigrations<Tables>(db: Kysely<Tables>): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some(({ name }) => name === MIGRATION_TABLE)) return [];
  const anyTables = db as unknown as Kysely<{ [MIGRATION_TABLE]: { name: string } }>;
  const rows = await anyTables.selectFrom(MIGRATION_TABLE).select('name').execute();
  return rows.map(({ name }) => name);
}
