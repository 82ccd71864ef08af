import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hashOfSecret } from '../../server/accounts/api-keys.ts';
import { ensureFirstAccount } from '../../server/accounts/first-account.ts';
import { openEmbedded, openPlatform, type Platform } from '../support/product/platform.ts';

let platform: Platform;
beforeAll(async () => (platform = await openPlatform()));
afterAll(() => platform.close());

describe('an account', () => {
  it('has a unique name, and is found by it and by its id', async () => {
    const { accounts } = platform;
    const made = await accounts.create({ name: '  editors ', plan: 'pro' });
    expect(made).toMatchObject({
      name: 'editors',
      features: [],
      limits: { characters: null, speechMs: null },
    });
    await expect(accounts.create({ name: 'editors', plan: 'free' })).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining("'editors'") as string,
    });
    expect(await accounts.resolve('editors')).toEqual(made);
    expect(await accounts.resolve(made.accountId.toUpperCase())).toEqual(made);
    await expect(accounts.resolve('nobody')).rejects.toMatchObject({ status: 404 });
  });

  it('changes only the given fields', async () => {
    const { accounts } = platform;
    const limits = { characters: 10, speechMs: 20 };
    const made = await accounts.create({ name: 'desk', plan: 'free', features: ['admin'], limits });
    expect(await accounts.change(made.accountId, { limits: { characters: null } })).toEqual({
      ...made,
      limits: { characters: null, speechMs: 20 },
    });
    const change = { name: 'desk', plan: 'pro', addFeatures: ['detection'] } as const;
    expect(
      await accounts.change(made.accountId, { ...change, removeFeatures: ['admin'] }),
    ).toMatchObject({ plan: 'pro', features: ['detection'], limits: { speechMs: 20 } });
    await expect(accounts.change(randomUUID(), {})).rejects.toMatchObject({ status: 404 });
  });

  it.each([
    [{ name: ' ' }, /name/],
    [{ name: 'a\nb' }, /name/],
    [{ name: 'a'.repeat(257) }, /name/],
    [{ name: 'x', limits: { characters: -1 } }, /characters/],
    [{ name: 'x', limits: { speechMs: 1.5 } }, /speechMs/],
  ])('%j is refused', async (account, message) => {
    const made = platform.accounts.create({ plan: 'pro', ...account });
    await expect(made).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(message) as string,
    });
  });
});

describe('an API key', () => {
  it('has a secret that is shown once and stored as a hash', async () => {
    const { account, key, secret } = await platform.newcomer();
    expect(secret).toMatch(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
    expect(key.keyId).toMatch(/^[0-9a-f-]{36}:[0-9a-f-]{36}$/);
    expect(key.masked).toBe(`${secret.slice(0, 4)}****${secret.slice(-4)}`);
    expect(key.label).toBe('Service API Key');
    const kept = await platform.apiKeys.list(account.accountId);
    expect(kept).toEqual([key]);
    expect(JSON.stringify(kept)).not.toContain(secret);
  });

  it.each([
    ['pro', 25],
    ['free', 2],
  ] as const)(
    'on the %s plan is one of at most %i active ones, even under concurrent creation',
    async (plan, most) => {
      const { accounts, apiKeys } = platform;
      const account = await accounts.create({ name: `full ${plan}`, plan, features: ['admin'] });
      const attempts = await Promise.allSettled(
        Array.from({ length: most + 5 }, () => apiKeys.create(account)),
      );
      const made = attempts.flatMap((attempt) =>
        attempt.status === 'fulfilled' ? [attempt.value.key] : [],
      );
      expect(made).toHaveLength(most);
      await expect(apiKeys.create(account)).rejects.toMatchObject({ status: 400 });
      // Admin keys do not count, and a deactivated key makes room.
      await apiKeys.create(account, { kind: 'admin' });
      await apiKeys.deactivate(account.accountId, made[0]!.keyId);
      await apiKeys.create(account);
    },
  );

  it('for administration requires an account with that feature', async () => {
    const { account } = await platform.newcomer();
    await expect(platform.apiKeys.create(account, { kind: 'admin' })).rejects.toMatchObject({
      status: 400,
    });
  });

  it('of another account is not found', async () => {
    const { key } = await platform.newcomer();
    const { account } = await platform.newcomer();
    const { apiKeys } = platform;
    for (const attempt of [
      apiKeys.deactivate(account.accountId, key.keyId),
      apiKeys.rename(account.accountId, key.keyId, 'mine'),
      apiKeys.limit(account.accountId, key.keyId, { characters: 1 }),
    ]) {
      await expect(attempt).rejects.toMatchObject({ status: 404 });
    }
  });

  it('that is deactivated can still be renamed, and never works again', async () => {
    const { account, key, secret } = await platform.newcomer();
    const ended = await platform.apiKeys.deactivate(account.accountId, key.keyId);
    const renamed = await platform.apiKeys.rename(account.accountId, key.keyId, 'old');
    expect(renamed).toEqual({ ...ended, label: 'old' });
    expect(await platform.storage.apiKeys.authenticate(hashOfSecret(secret))).toBeUndefined();
  });
});

describe('the first account', () => {
  /** Opens one database in `count` connections and starts them all at the same moment. */
  async function startAtOnce(dataFolder: string, secrets: string[]) {
    const storages = await Promise.all(secrets.map(() => openEmbedded(dataFolder)));
    const started = await Promise.all(
      storages.map((storage, index) => ensureFirstAccount({ ...storage, secret: secrets[index]! })),
    );
    const [storage] = storages;
    const accounts = await storage!.accounts.list();
    const keys = await storage!.apiKeys.list(accounts[0]!.accountId);
    await Promise.all(storages.map((open) => open.close()));
    return { started, accounts, keys };
  }

  it('is created once with one key, however many servers start at once', async () => {
    const fresh = await openPlatform();
    const secret = randomUUID();
    const { started, accounts, keys } = await startAtOnce(
      fresh.dataFolder,
      Array.from({ length: 3 }, () => secret),
    );
    expect(accounts).toHaveLength(1);
    expect(accounts[0]).toMatchObject({
      name: 'default',
      plan: 'pro',
      features: ['admin', 'detection'],
    });
    expect(keys).toHaveLength(1);
    expect(started.every(({ isSecretActive }) => isSecretActive)).toBe(true);
    await fresh.close();
  });

  it('has one key even when simultaneous servers bring different secrets', async () => {
    const fresh = await openPlatform();
    const { started, accounts, keys } = await startAtOnce(
      fresh.dataFolder,
      Array.from({ length: 3 }, () => randomUUID()),
    );
    expect(accounts).toHaveLength(1);
    expect(keys).toHaveLength(1);
    expect(started.filter(({ isSecretActive }) => isSecretActive)).toHaveLength(1);
    await fresh.close();
  });

  it('adopts the key of an existing installation, and keeps a deactivated one deactivated', async () => {
    const fresh = await openPlatform();
    const { storage } = fresh;
    const secret = 'a key someone wrote by hand';
    const start = () => ensureFirstAccount({ ...storage, secret });
    expect(await start()).toMatchObject({ isSecretActive: true });
    const caller = await storage.apiKeys.authenticate(hashOfSecret(secret));
    expect(caller).toMatchObject({ account: { name: 'default' }, key: { kind: 'developer' } });
    await fresh.apiKeys.deactivate(caller!.account.accountId, caller!.key.keyId);
    expect(await start()).toMatchObject({ isSecretActive: false });
    expect(await storage.apiKeys.authenticate(hashOfSecret(secret))).toBeUndefined();
    expect(await storage.accounts.list()).toHaveLength(1);
    await fresh.close();
  });
});
