import type { Worker } from 'node:worker_threads';
import { expect, it, onTestFinished, vi } from 'vitest';
import { openEmbeddedStorage } from '../../server/storage/embedded/embedded-storage.ts';
import { openStorage } from '../../server/storage/open-storage.ts';
import { openPostgresql } from '../support/machine/postgresql.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { openAccount, quietLog } from './samples.ts';

it('answers every call when the thread of the embedded database dies, and starts another', async () => {
  const threads: Worker[] = [];
  const storage = await openEmbeddedStorage({
    dataFolder: temporaryFolder(),
    log: quietLog,
    onThread: (thread) => threads.push(thread),
  });
  const { account, key, charge } = await openAccount(storage);
  const pending = Array.from({ length: 2000 }, () => storage.usage.charge(charge({ amount: 1 })));
  const settled = Promise.allSettled(pending);
  await pending[0];
  await threads[0]?.terminate();
  const outcomes = await settled;
  const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
  for (const { reason } of refused) expect(reason).toMatchObject({ code: 'internal' });

  const used = await vi.waitFor(
    () => storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs),
    { timeout: 90_000 },
  );
  expect(threads).toHaveLength(2);
  expect(used.key.text).toBeGreaterThanOrEqual(2000 - refused.length);
  expect(used.account).toEqual(used.key);
  await storage.close();
});

it('says that PostgreSQL is away, and goes on when it is back', async () => {
  const postgresql = await openPostgresql();
  onTestFinished(() => postgresql.stop());
  const url = await postgresql.createDatabase();
  const open = () => openStorage({ url, dataFolder: temporaryFolder(), log: quietLog });
  const storage = await open();
  const { account, key, secretHash, charge } = await openAccount(storage);
  expect(await storage.usage.charge(charge())).toBe('charged');

  await postgresql.crash();
  const away = { code: 'storage_unavailable', status: 503 };
  await expect(storage.apiKeys.authenticate(secretHash)).rejects.toMatchObject(away);
  await expect(storage.usage.charge(charge())).rejects.toMatchObject(away);
  await expect(open()).rejects.toMatchObject(away);

  await postgresql.restart();
  expect(await storage.apiKeys.authenticate(secretHash)).toEqual({ key, account });
  expect(await storage.usage.charge(charge())).toBe('charged');
  const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
  expect(used.key.text).toBe(20);
  await storage.close();
});
