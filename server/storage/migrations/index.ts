/** All migrations, and the function that applies them. */
import { type Kysely, type Migration, Migrator } from 'kysely';
import * as accounts from './0001-accounts.ts';
import * as glossaries from './0002-glossaries.ts';
import * as spokenTerms from './0003-spoken-terms.ts';
import * as documents from './0004-documents.ts';
import * as styleRules from './0006-style-rules.ts';
import * as translationMemories from './0007-translation-memories.ts';
import * as usageNotices from './0008-usage-notices.ts';
import * as console from './0009-console.ts';
import * as rooms from './0011-rooms.ts';
import { UnusableDatabase } from '../store.ts';

/** Per account: origins of sites whose pages may call the server, and addresses for usage notices. */
const accountContacts: Migration = {
  async up(db) {
    for (const column of ['origins', 'emails']) {
      await db.schema
        .alterTable('accounts')
        .addColumn(column, 'text', (definition) => definition.notNull().defaultTo('[]'))
        .execute();
    }
  },
};

/** Rows that are written to check whether the database is writable. */
const writeChecks: Migration = {
  async up(db) {
    await db.schema
      .createTable('write_checks')
      .addColumn('check_id', 'integer', (column) => column.primaryKey())
      .addColumn('checked_at_ms', 'bigint', (column) => column.notNull())
      .execute();
  },
};

/**
 * Per room: the sequence up to which captions were deleted; clients that still have them must drop
 * them.
 */
const roomDeletions: Migration = { up: (db) => addSequence(db, 'deleted_up_to') };

/** A single row with an id that no other database has, except copies of this one. */
const installation: Migration = {
  async up(db) {
    await db.schema
      .createTable('installation')
      .addColumn('row_id', 'integer', (column) => column.primaryKey())
      .addColumn('installation_id', 'text', (column) => column.notNull())
      .execute();
  },
};

/** Per room: captions up to this sequence were deleted and must not be written any more. */
const roomWrites: Migration = { up: (db) => addSequence(db, 'written_after') };

/** Adds a sequence column to rooms, initially 0. */
async function addSequence<Tables>(db: Kysely<Tables>, column: string): Promise<void> {
  await db.schema
    .alterTable('rooms')
    .addColumn(column, 'bigint', (definition) => definition.notNull().defaultTo(0))
    .execute();
}

/**
 * All migrations in order. A new one is an entry here, plus a file if it creates the tables of a
 * resource. Its name sorts after the others, and it never changes once it has been released.
 */
const migrations: Readonly<Record<string, Migration>> = {
  '0001-accounts': accounts,
  '0002-glossaries': glossaries,
  '0003-spoken-terms': spokenTerms,
  '0004-documents': documents,
  '0005-account-contacts': accountContacts,
  '0006-style-rules': styleRules,
  '0007-translation-memories': translationMemories,
  '0008-usage-notices': usageNotices,
  '0009-console': console,
  '0010-write-checks': writeChecks,
  '0011-rooms': rooms,
  '0012-room-deletions': roomDeletions,
  '0013-installation': installation,
  '0014-room-writes': roomWrites,
};

const MIGRATION_TABLE = 'kysely_migration';

/**
 * Applies all missing migrations. The adapter ensures that only one process does so at a time.
 *
 * @throws UnusableDatabase when a newer version of the program has used the database; Error when a
 *   migration fails
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
    throw new UnusableDatabase(
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
