/** Statements that are compiled once and executed with different values. */
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { Kysely, sql } from 'kysely';
import { expect, it, onTestFinished } from 'vitest';
import { cachedQuery, type Tables } from '../../server/storage/database.ts';
import { createSqliteDialect, openSqliteFile } from '../../server/storage/embedded/sqlite.ts';

async function openDatabase(): Promise<Kysely<Tables>> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-statements-'));
  const file = openSqliteFile(path.join(folder, 'data.db'));
  onTestFinished(() => {
    file.close();
    rmSync(folder, { recursive: true });
  });
  return new Kysely<Tables>({ dialect: createSqliteDialect(file) });
}

/** The sum of two values, computed by SQL. */
const sum = (db: Kysely<Tables>, [one, other]: readonly number[]) =>
  db.selectNoFrom(sql<number>`${one} + ${other}`.as('sum'));

it('compiles a statement once for all values of one shape', async () => {
  const db = await openDatabase();
  let built = 0;
  const ask = cachedQuery({
    build(database, values: readonly number[]) {
      built += 1;
      return sum(database, values);
    },
    shapeOf: (values) => values.length,
    parametersOf: (values) => values,
  });
  expect(await ask(db, [1, 2])).toEqual([{ sum: 3 }]);
  expect(await ask(db, [30, 4])).toEqual([{ sum: 34 }]);
  expect(built).toBe(1);
});

it('refuses to execute a statement whose values are in another order', async () => {
  const ask = cachedQuery({
    build: sum,
    shapeOf: () => '',
    parametersOf: ([one, other]) => [other, one],
  });
  await expect(ask(await openDatabase(), [1, 2])).rejects.toThrow('not in its order');
});
