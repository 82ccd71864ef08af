/** Direct access to a database, bypassing the stores. */
import path from 'node:path';
import { DatabaseSync } from '@photostructure/sqlite';
import pg from 'pg';

/** Runs one statement; resolves to its rows, with integers as numbers. */
export async function executeOn(
  { url, dataFolder }: { url: string | undefined; dataFolder: string },
  sql: string,
): Promise<unknown[]> {
  if (url === undefined) {
    const database = new DatabaseSync(path.join(dataFolder, 'dragoman.sqlite'));
    try {
      // The server may be writing.
      database.exec('pragma busy_timeout = 60000');
      return database.prepare(sql).all() as unknown[];
    } finally {
      database.close();
    }
  }
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows, fields } = await client.query<Record<string, unknown>>(sql);
    const int8 = fields.filter(({ dataTypeID }) => dataTypeID === 20).map(({ name }) => name);
    for (const row of rows) for (const name of int8) row[name] = Number(row[name]);
    return rows;
  } finally {
    await client.end();
  }
}
