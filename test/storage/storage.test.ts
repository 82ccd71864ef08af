import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSqliteFile } from '../../server/storage/embedded/sqlite.ts';
import { openStorage } from '../../server/storage/open-storage.ts';
import { newPostgresqlDatabase } from '../support/product/shared-server.ts';
import { executeOn } from './database-access.ts';
import { openAccount, quietLog } from './samples.ts';
import { behaviours, type StorageUnderTest } from './storage-behaviour.ts';

let folder: string;
let folders = 0;

beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'dragoman-storage-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A place where an empty database can be opened, any number of times. */
interface Place {
  url: string | undefined;
  dataFolder: string;
}

const databases: { name: string; newPlace: () => Promise<Place> }[] = [
  { name: 'sqlite', newPlace: async () => ({ url: undefined, dataFolder: newFolder() }) },
  {
    name: 'postgresql',
    newPlace: async () => ({ url: await newPostgresqlDatabase(), dataFolder: newFolder() }),
  },
];

function newFolder(): string {
  folders += 1;
  return path.join(folder, String(folders));
}

const open = (place: Place) => openStorage({ ...place, log: quietLog });

describe.each(databases)('storage in $name', ({ name, newPlace }) => {
  let place: Place;
  let under: StorageUnderTest;

  beforeAll(async () => {
    place = await newPlace();
    under = { storage: await open(place), other: await open(place) };
  });

  afterAll(async () => {
    await under.storage.close();
    await under.other.close();
  });

  it.each(behaviours)('%s', async (_, check) => check(under));

  it('reports the name of its database', () => {
    expect(under.storage.name).toBe(name);
  });

  it('records usage per key, day, tag and kind', async () => {
    const { key, charge } = await openAccount(under.storage);
    const nextDay = charge().atMs + 86_400_000;
    const charges = [
      charge(),
      charge({ tag: 'a' }),
      charge({ tag: 'a' }),
      charge({ tag: 'a', kind: 'write' }),
      charge({ tag: 'a', atMs: nextDay }),
    ];
    await Promise.all(charges.map((each) => under.storage.usage.charge(each)));
    await under.storage.usage.refund(charge({ tag: 'a', amount: 4 }));
    const rows = await executeOn(
      place,
      `select day, tag, kind, amount from usage_days where key_id = '${key.keyId}' order by day, tag, kind`,
    );
    expect(rows).toEqual([
      { day: '2026-11-21', tag: '', kind: 'text', amount: 10 },
      { day: '2026-11-21', tag: 'a', kind: 'text', amount: 16 },
      { day: '2026-11-21', tag: 'a', kind: 'write', amount: 10 },
      { day: '2026-11-22', tag: 'a', kind: 'text', amount: 10 },
    ]);
  });

  it('finishes pending calls when it is closed, refuses later ones, and has all data', async () => {
    const storage = await open(place);
    const { account, key, secretHash, charge } = await openAccount(storage);
    const pending = Array.from({ length: 50 }, () => storage.usage.charge(charge()));
    await storage.close();
    expect(await Promise.all(pending)).toEqual(pending.map(() => 'charged'));
    await expect(storage.accounts.list()).rejects.toMatchObject({ code: 'stopping' });
    const { other } = under;
    expect(await other.apiKeys.authenticate(secretHash)).toEqual({ key, account });
    const used = await other.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
    expect(used.key.text).toBe(500);
  });

  it('can be opened for the first time by several processes at once, unless a newer version has used it', async () => {
    const fresh = await newPlace();
    const [first, second] = await Promise.all([open(fresh), open(fresh)]);
    const { account } = await openAccount(first);
    expect(await second.accounts.list()).toEqual([account]);
    // By their id, servers refuse the broker of those with another database.
    const id = await first.installation.id();
    expect(await second.installation.id()).toBe(id);
    expect(await under.storage.installation.id()).not.toBe(id);
    await Promise.all([first.close(), second.close()]);

    const sql = `insert into kysely_migration (name, timestamp) values ('9999-future', '2030-01-01')`;
    await executeOn(fresh, sql);
    await expect(open(fresh)).rejects.toMatchObject({
      code: 'unusable_database',
      message: expect.stringMatching(
        /newer version.*\(9999-future\)\. Start .* database\.$/,
      ) as string,
    });
  });

  if (name === 'sqlite') {
    it('is readable only by its owner', async () => {
      await openAccount(under.storage);
      for (const file of ['dragoman.sqlite', 'dragoman.sqlite-wal']) {
        expect(statSync(path.join(place.dataFolder, file)).mode & 0o777).toBe(0o600);
      }
      // A restored copy keeps its group, which may make copies.
      const copy = path.join(place.dataFolder, 'dragoman.sqlite');
      chmodSync(copy, 0o644);
      await (await open(place)).close();
      expect(statSync(copy).mode & 0o777).toBe(0o640);
    });
  }

  if (name === 'postgresql') {
    it('is refused while new if its encoding lacks letters', async () => {
      const latin = `latin_${path.basename(new URL(place.url!).pathname)}`;
      await executeOn(place, `create database ${latin} encoding 'LATIN1' template template0`);
      const there = { ...place, url: Object.assign(new URL(place.url!), { pathname: latin }).href };
      await expect(open(there)).rejects.toMatchObject({
        code: 'unusable_database',
        message: expect.stringMatching(/encoding is LATIN1\. Create one .*'UTF8'/) as string,
      });
      await executeOn(
        place,
        `update pg_database set encoding = 8 where datname = current_database()`,
      );
      await (await open(place)).close();
    });
  }
});

describe('the embedded database', () => {
  it('syncs every commit to disk and uses a write-ahead log', async () => {
    const dataFolder = newFolder();
    mkdirSync(dataFolder);
    const database = openSqliteFile(path.join(dataFolder, 'settings.sqlite'));
    const setting = (name: string) => database.prepare(`pragma ${name}`).all()[0];
    expect(setting('synchronous')).toEqual({ synchronous: 2 });
    expect(setting('journal_mode')).toEqual({ journal_mode: 'wal' });
    expect(setting('foreign_keys')).toEqual({ foreign_keys: 1 });
    database.close();
  });

  it('is refused with its name and instructions when its file is not a database', async () => {
    const dataFolder = newFolder();
    mkdirSync(dataFolder);
    writeFileSync(path.join(dataFolder, 'dragoman.sqlite'), 'x'.repeat(20_000));
    await expect(open({ url: undefined, dataFolder })).rejects.toMatchObject({
      code: 'unusable_database',
      message: expect.stringMatching(
        /dragoman\.sqlite cannot be used: .*\. Restore it from a copy, or set DATA_DIR/,
      ) as string,
    });
  });
});

describe('a storage URL', () => {
  it('of an unknown kind is refused with the possible ones', async () => {
    const opening = openStorage({ url: 'mysql://x', dataFolder: folder, log: quietLog });
    await expect(opening).rejects.toThrow(/postgres:\/\//);
  });
});
