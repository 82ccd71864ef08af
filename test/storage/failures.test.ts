import net from 'node:net';
import type { Worker } from 'node:worker_threads';
import pg from 'pg';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { createUsageMeter } from '../../server/accounts/usage/usage.ts';
import type { Account } from '../../server/http/door.ts';
import { freePort } from '../../server/setup/cluster/local-services.mjs';
import { openEmbeddedStorage } from '../../server/storage/embedded/embedded-storage.ts';
import { openStorage } from '../../server/storage/open-storage.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { newPostgresqlDatabase } from '../support/product/shared-server.ts';
import { openAccount, quietLog, unlimited } from './samples.ts';

const open = (url: string) => openStorage({ url, dataFolder: temporaryFolder(), log: quietLog });

/** One database for all tests: each has accounts of its own, and restores what it breaks. */
let database: ReturnType<typeof openDatabase> | undefined;
const databaseOfFile = () => (database ??= openDatabase());
async function openDatabase() {
  const url = await newPostgresqlDatabase();
  return { url, storage: await open(url) };
}
afterAll(async () => {
  await (await database)?.storage.close();
});

it('answers every call when the thread of the embedded database dies, and starts another thread', async () => {
  const threads: Worker[] = [];
  const storage = await openEmbeddedStorage({
    dataFolder: temporaryFolder(),
    log: quietLog,
    onThread: (thread) => threads.push(thread),
  });
  const { account, key, charge } = await openAccount(storage);
  // Not sent to the thread any more, so surely not written.
  let unsent: Promise<string> | undefined;
  threads[0]?.prependOnceListener('exit', () => {
    unsent = storage.usage.charge(charge({ amount: 1 }));
    unsent.catch(() => undefined);
  });
  const pending = Array.from({ length: 500 }, () => storage.usage.charge(charge({ amount: 1 })));
  const settled = Promise.allSettled(pending);
  await pending[0];
  await threads[0]?.terminate();
  const outcomes = await settled;
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'internal' });
  await expect(unsent).rejects.toMatchObject({ code: 'storage_unavailable' });

  const used = await vi.waitFor(
    () => storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs),
    { timeout: 90_000 },
  );
  expect(threads).toHaveLength(2);
  expect(used.key.text).toBeGreaterThanOrEqual(500 - refused.length);
  expect(used.account).toEqual(used.key);
  await storage.close();
});

it('survives a PostgreSQL that closes connections right after its greeting', async () => {
  const door = await openDoor((await databaseOfFile()).url);
  const storage = await open(door.url);
  const { account, key, secretHash, charge } = await openAccount(storage);
  expect(await storage.usage.charge(charge())).toBe('charged');

  door.endsAfterGreeting = true;
  door.cut();
  const away = { code: 'storage_unavailable', status: 503 };
  await Promise.all([
    expect(storage.usage.charge(charge())).rejects.toMatchObject(away),
    expect(storage.apiKeys.authenticate(secretHash)).rejects.toMatchObject(away),
  ]);

  door.endsAfterGreeting = false;
  expect(await storage.apiKeys.authenticate(secretHash)).toEqual({ key, account });
  expect(await storage.usage.charge(charge())).toBe('charged');
  const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
  expect(used.key.text).toBe(20);
  await storage.close();
});

it('holds the lock of its migrations in a transaction, which poolers of connections keep together', async () => {
  const { url, administrator } = await openAdministered();
  // The lock of the migrations themselves, so that they stop there.
  await administrator.query('select pg_advisory_lock(3853314791062309107)');
  const opening = open(url);
  const holders = async () => {
    const { rows } = await administrator.query<{ state: string }>(
      `select state from pg_locks join pg_stat_activity using (pid)
        where locktype = 'advisory' and granted and datname = current_database()
          and pid <> pg_backend_pid()`,
    );
    return rows.map(({ state }) => state);
  };
  await vi.waitFor(async () => expect(await holders()).toEqual(['idle in transaction']), 90_000);
  await administrator.query('select pg_advisory_unlock_all()');
  await (await opening).close();
});

it('says what PgBouncer needs that refuses parameters of a connection', async () => {
  const refusal = { S: 'FATAL', C: '08P01', M: 'unsupported startup parameter: statement_timeout' };
  const pooler = net.createServer((client) => {
    client.on('error', () => undefined).once('data', () => client.end(errorResponse(refusal)));
  });
  const port = await freePort();
  await new Promise<void>((resolve) => pooler.listen(port, '127.0.0.1', resolve));
  onTestFinished(() => void pooler.close());
  const url = `postgres://postgres@127.0.0.1:${port}/dragoman`;
  const opening = open(url);
  await expect(opening).rejects.toThrow(/statement_timeout\. Of PgBouncer, .*ignore_startup_param/);
});

it('charges once when the answer to a COMMIT is lost', async () => {
  const door = await openDoor((await databaseOfFile()).url);
  const storage = await open(door.url);
  onTestFinished(() => storage.close());
  const { account, key, charge } = await openAccount(storage);
  const usedText = async () =>
    (await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs)).key.text;

  door.onCommit = 'lose the answer';
  expect(await storage.usage.charge(charge())).toBe('charged');
  expect(door.onCommit).toBeUndefined();
  expect(await usedText()).toBe(10);

  // A COMMIT that did not arrive was not carried out.
  door.onCommit = 'lose the question';
  const away = { code: 'storage_unavailable', status: 503 };
  await expect(storage.usage.charge(charge())).rejects.toMatchObject(away);
  expect(door.onCommit).toBeUndefined();
  expect(await usedText()).toBe(10);

  expect(await storage.usage.charge(charge())).toBe('charged');
  expect(await usedText()).toBe(20);
});

it('counts what fails for nothing, even if a COMMIT is found out about long after', async () => {
  const door = await openDoor((await databaseOfFile()).url);
  const storage = await open(door.url);
  onTestFinished(() => storage.close());
  const caller = await openAccount(storage);
  const meter = createUsageMeter({ ...storage, log: quietLog, refundAgainMs: 50 });
  onTestFinished(() => meter.stop());
  const reserve = (characters: number) =>
    meter.reserve({ caller, kind: 'text', characters, tag: null });
  await reserve(1000);
  const failed = await reserve(100);

  // A refund and a charge in one transaction.
  door.onCommit = 'lose the answer and stay away';
  const [refunded, charged] = await Promise.allSettled([failed.giveBack(), reserve(10)]);
  expect(refunded.status).toBe('fulfilled');
  expect(charged).toMatchObject({ reason: { code: 'storage_unavailable', status: 503 } });
  expect(door.isAway).toBe(true);

  door.isAway = false;
  const report = () => meter.report(caller);
  await expect.poll(report).toMatchObject({ character_count: 1000 });
  await meter.stop();
  expect(await report()).toMatchObject({ character_count: 1000 });
});

it('passes the write check while another server hangs in its own', async () => {
  const { storage, administrator: other } = await openAdministered();
  await other.query('delete from write_checks');
  await other.query('begin');
  await other.query('insert into write_checks values ($1, $2)', [1, Date.now()]);
  await storage.writeChecks.write(Date.now());
  await other.query('commit');
  await storage.writeChecks.write(Date.now());
  const countRows = async () => (await other.query('select check_id from write_checks')).rowCount;
  expect(await countRows()).toBe(2);
  // One whose clock is hours ahead removes no row that others use.
  const laterMs = Date.now() + 2 * 60 * 60_000;
  await storage.writeChecks.write(laterMs);
  expect(await countRows()).toBe(2);
  // Rows of dead servers are removed as well.
  await other.query('insert into write_checks values ($1, $2)', [2, laterMs]);
  await storage.writeChecks.write(laterMs);
  const rows = await other.query('select check_id from write_checks where check_id in (1, 2)');
  expect(rows.rows).toEqual([{ check_id: 2 }]);
});

it('passes the write check while the row of a dead server is locked', async () => {
  const { storage, administrator: other } = await openAdministered();
  await other.query('delete from write_checks');
  await other.query('insert into write_checks values (1, 0), (2, 0), (3, $1)', [Date.now()]);
  await other.query('begin');
  await other.query('select from write_checks where check_id = 1 for update');
  await storage.writeChecks.write(Date.now());
  await other.query('commit');
  const rows = await other.query('select check_id from write_checks where checked_at_ms = 0');
  expect(rows.rows).toEqual([{ check_id: 1 }]);
});

it('reports a read-only PostgreSQL as unavailable, and recovers once it is writable', async () => {
  const { url, storage, administrator } = await openAdministered();
  const { charge } = await openAccount(storage);
  const database = new URL(url).pathname.slice(1);
  await administrator.query(`alter database ${database} set default_transaction_read_only = on`);
  await administrator.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
     where datname = current_database() and pid <> pg_backend_pid()`,
  );
  const away = { code: 'storage_unavailable', status: 503 };
  for (let count = 0; count < 3; count += 1) {
    await expect(storage.usage.charge(charge())).rejects.toMatchObject(away);
  }
  await administrator.query(`alter database ${database} reset default_transaction_read_only`);
  expect(await storage.usage.charge(charge())).toBe('charged');
});

it('refuses a text that PostgreSQL cannot have, which is no fault of the server', async () => {
  const { storage } = await openAdministered();
  const { account } = await openAccount(storage);
  const refused = { code: 'invalid_request', status: 400 };
  const { accountId } = account;
  await expect(storage.apiKeys.find(accountId, 'a\0b')).rejects.toMatchObject(refused);
  const change = { label: 'a\0b' };
  await expect(storage.apiKeys.change(accountId, 'a\0b', change)).rejects.toMatchObject(refused);
});

it('fails waiting charges together with the one that waits for a lock', async () => {
  const { storage, administrator } = await openAdministered();
  const { account, key, charge } = await openAccount(storage);
  await administrator.query('begin');
  await administrator.query('lock table usage_months');
  const first = storage.usage.charge(charge()).catch((error: unknown) => error);
  const waiting = `select from pg_locks join pg_stat_activity using (pid)
    where not granted and datname = current_database()`;
  const locks = () => administrator.query(waiting);
  await expect.poll(locks).toMatchObject({ rowCount: 1 });
  const next: unknown[] = [];
  storage.usage.charge(charge()).catch((error: unknown) => next.push(error));
  const away = { code: 'storage_unavailable', status: 503 };
  expect(await first).toMatchObject(away);
  await new Promise(setImmediate);
  expect(next).toEqual([expect.objectContaining(away)]);

  await administrator.query('rollback');
  expect(await storage.usage.charge(charge())).toBe('charged');
  const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
  expect(used.key.text).toBe(10);
});

it("charges other accounts while one account's row is locked, and that one once it is free", async () => {
  const { url, storage, administrator } = await openAdministered();
  const second = await open(url);
  onTestFinished(() => second.close());
  const servers = [storage.usage, second.usage];
  const limits = { ...unlimited, characters: 65 };
  const [locked, given, ...others] = await Promise.all([
    openAccount(storage, { account: { limits } }),
    ...Array.from({ length: 8 }, () => openAccount(storage)),
  ]);
  if (given === undefined) throw new Error('There are no others.');

  const unlock = await lockAccountRow(administrator, locked);
  const answers: unknown[] = [];
  // Twice as much as the limit allows.
  const charges = Array.from({ length: 6 }, () =>
    servers.map(async (usage) => answers.push(await usage.charge(locked.charge()))),
  );
  for (let round = 0; round < 3; round += 1) {
    const outcomes = servers.flatMap((usage) =>
      [given, ...others].map(({ charge }) => usage.charge(charge())),
    );
    expect(new Set(await Promise.all(outcomes))).toEqual(new Set(['charged']));
    await Promise.all(servers.map((usage) => usage.refund(given.charge())));
  }
  const unknown = storage.usage.charge({ ...given.charge(), keyId: 'none' });
  await expect(unknown).rejects.toMatchObject({ code: 'not_found' });
  expect(answers).toEqual([]);

  await unlock();
  await Promise.all(charges.flat());
  expect(answers.filter((answer) => answer === 'charged')).toHaveLength(6);
  expect(answers.filter((answer) => answer === 'account_limit_reached')).toHaveLength(6);
  const amounts: number[] = [];
  for (const { account, key, charge } of [locked, given, ...others]) {
    const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
    const sum = 'select sum(amount)::integer as amount from usage_days where key_id = $1';
    const { rows } = await administrator.query(sum, [key.keyId]);
    expect(rows).toEqual([{ amount: used.key.text }]);
    expect(used.account).toEqual(used.key);
    amounts.push(used.key.text);
  }
  expect(amounts).toEqual([60, 0, 60, 60, 60, 60, 60, 60, 60]);
});

it('charges once when the lost answer belongs to a COMMIT that waited for a locked row', async () => {
  const { url, administrator } = await openAdministered();
  const door = await openDoor(url);
  const storage = await open(door.url);
  onTestFinished(() => storage.close());
  const [locked, other] = [await openAccount(storage), await openAccount(storage)];
  const unlock = await lockAccountRow(administrator, locked);
  const charging = storage.usage.charge(locked.charge());
  expect(await storage.usage.charge(other.charge())).toBe('charged');

  door.onCommit = 'lose the answer';
  await unlock();
  expect(await charging).toBe('charged');
  expect(door.onCommit).toBeUndefined();
  const { account, key, charge } = locked;
  const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
  expect(used.key.text).toBe(10);
});

/** Locks an account's row as a manual session would; resolves to a function that unlocks it. */
async function lockAccountRow(
  administrator: pg.Client,
  { account }: { account: Account },
): Promise<() => Promise<unknown>> {
  await administrator.query('begin');
  const statement = 'select from accounts where account_id = $1 for update';
  await administrator.query(statement, [account.accountId]);
  return () => administrator.query('rollback');
}

/** The database with a second client. */
async function openAdministered() {
  const { url, storage } = await databaseOfFile();
  const administrator = new pg.Client({ connectionString: url });
  await administrator.connect();
  onTestFinished(() => administrator.end());
  return { url, storage, administrator };
}

/** ReadyForQuery while no transaction is open. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
/** What a server sends that is shutting down, and what a session receives after its server has died. */
const ENDING = errorResponse({
  ...{ S: 'FATAL', V: 'FATAL', C: '57P01' },
  M: 'terminating connection due to administrator command',
});

function errorResponse(fields: Record<string, string>): Buffer {
  const body = Object.entries(fields).map(([name, value]) => `${name}${value}\0`);
  const text = Buffer.from(`${body.join('')}\0`, 'latin1');
  const head = Buffer.from('E\0\0\0\0', 'latin1');
  head.writeUInt32BE(text.length + 4, 1);
  return Buffer.concat([head, text]);
}

/** A simple query: `Q`, its length, and the text. */
const COMMIT = Buffer.from('commit\0', 'latin1');

/** A proxy to a database that can end connections after the greeting, once at a COMMIT, or at once. */
async function openDoor(databaseUrl: string) {
  const { hostname, port } = new URL(databaseUrl);
  const sockets = new Set<net.Socket>();
  const door = {
    url: '',
    endsAfterGreeting: false,
    isAway: false,
    onCommit: undefined as
      | 'lose the question'
      | 'lose the answer'
      | 'lose the answer and stay away'
      | undefined,
    cut: () => sockets.forEach((socket) => socket.destroy()),
  };
  const server = net.createServer((client) => {
    if (door.isAway) {
      client.destroy();
      return;
    }
    const database = net.connect(Number(port), hostname);
    for (const socket of [client, database]) {
      sockets.add(socket.on('error', () => undefined));
      socket.once('close', () => [client, database].forEach((each) => each.destroy()));
    }
    let losesAnswer = false;
    client.on('data', (bytes) => {
      const lost = bytes.subarray(-COMMIT.length).equals(COMMIT) ? door.onCommit : undefined;
      if (lost !== undefined) door.onCommit = undefined;
      if (lost === 'lose the question') client.destroy();
      else database.write(bytes);
      losesAnswer ||= lost !== undefined;
      door.isAway ||= lost === 'lose the answer and stay away';
    });
    database.on('data', (bytes) => {
      if (losesAnswer) {
        client.destroy();
        return;
      }
      const isGreeting = door.endsAfterGreeting && bytes.subarray(-READY.length).equals(READY);
      if (isGreeting) client.end(Buffer.concat([bytes, ENDING]));
      else client.write(bytes);
    });
  });
  const freely = await freePort();
  await new Promise<void>((resolve) => server.listen(freely, '127.0.0.1', resolve));
  onTestFinished(() => {
    door.cut();
    server.close();
  });
  const url = new URL(databaseUrl);
  url.port = `${freely}`;
  door.url = url.href;
  return door;
}
