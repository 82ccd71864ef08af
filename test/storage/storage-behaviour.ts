/** The contract of storage. It runs on every adapter, and on broken ones, which must fail it. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { Storage } from '../../server/stores.ts';
import { openAccount, sampleAccount, sampleHash, sampleKey, unlimited } from './samples.ts';

/** Two connections to the same database, as from two processes. */
export interface StorageUnderTest {
  storage: Storage;
  other: Storage;
}

type Behaviour = [name: string, check: (under: StorageUnderTest) => Promise<void>];

const accounts: Behaviour[] = [
  [
    'gives an account back as it was created, and none for another id',
    async ({ storage, other }) => {
      const account = sampleAccount({
        name: `'; drop table accounts; --\n😀`,
        plan: 'pro',
        features: ['admin', 'detection'],
        origins: ['https://example.org', '*'],
        emails: ['desk@example.org'],
        limits: { characters: 0, speechMs: 3_600_000 },
      });
      await storage.accounts.create(account);
      expect(await other.accounts.find(account.accountId)).toEqual(account);
      expect(await storage.accounts.find(randomUUID())).toBeUndefined();
    },
  ],
  [
    'lists accounts, oldest first',
    async ({ storage }) => {
      const made = [3, 1, 2].map((createdAtMs) => sampleAccount({ createdAtMs }));
      for (const account of made) await storage.accounts.create(account);
      const ids = new Set(made.map(({ accountId }) => accountId));
      const listed = (await storage.accounts.list()).filter(({ accountId }) => ids.has(accountId));
      expect(listed).toEqual([made[1], made[2], made[0]]);
    },
  ],
  [
    'changes what is given of an account and leaves the rest',
    async ({ storage }) => {
      const account = sampleAccount({ limits: { characters: 5, speechMs: 6 } });
      await storage.accounts.create(account);
      const { accountId } = account;
      expect(await storage.accounts.change(accountId, { plan: 'pro' })).toEqual({
        ...account,
        plan: 'pro',
      });
      const contacts = { origins: ['https://example.org'], emails: ['desk@example.org'] };
      const changed = {
        ...account,
        ...contacts,
        plan: 'pro',
        features: ['admin'],
        limits: unlimited,
      };
      const change = { features: ['admin' as const], limits: unlimited, ...contacts };
      expect(await storage.accounts.change(accountId, change)).toEqual(changed);
      expect(await storage.accounts.change(accountId, {})).toEqual(changed);
      expect(await storage.accounts.change(randomUUID(), { name: 'x' })).toBeUndefined();
    },
  ],
  [
    'refuses an account twice and goes on',
    async ({ storage }) => {
      const account = sampleAccount();
      await storage.accounts.create(account);
      const twice = storage.accounts.create({ ...account, name: 'impostor' });
      const beside = storage.accounts.create(sampleAccount());
      await expect(twice).rejects.toMatchObject({ code: 'internal' });
      await beside;
      expect(await storage.accounts.find(account.accountId)).toEqual(account);
    },
  ],
];

const apiKeys: Behaviour[] = [
  [
    'knows the caller by the hash of the whole secret',
    async ({ storage, other }) => {
      const { account, key, secretHash } = await openAccount(storage);
      expect(await other.apiKeys.authenticate(secretHash)).toEqual({ key, account });
      const almost = secretHash.slice(0, -1) + (secretHash.endsWith('0') ? '1' : '0');
      expect(await storage.apiKeys.authenticate(almost)).toBeUndefined();
      expect(await storage.apiKeys.authenticate(sampleHash())).toBeUndefined();
      expect(await storage.apiKeys.authenticate('')).toBeUndefined();
      const twin = sampleKey(account.accountId);
      await storage.apiKeys.create(twin, almost);
      expect((await storage.apiKeys.authenticate(almost))?.key).toEqual(twin);
      expect((await storage.apiKeys.authenticate(secretHash))?.key).toEqual(key);
    },
  ],
  [
    'refuses a deactivated key at once in every process, for ever',
    async ({ storage, other }) => {
      const { account, key, secretHash } = await openAccount(storage);
      expect(await other.apiKeys.authenticate(secretHash)).toBeDefined();
      const deactivated = { ...key, deactivatedAtMs: 7 };
      const { accountId } = account;
      expect(await storage.apiKeys.deactivate(accountId, key.keyId, 7)).toEqual(deactivated);
      expect(await other.apiKeys.authenticate(secretHash)).toBeUndefined();
      expect(await other.apiKeys.deactivate(accountId, key.keyId, 8)).toEqual(deactivated);
      expect(await storage.apiKeys.list(accountId)).toEqual([deactivated]);
      const active = (await openAccount(storage)).key;
      const among = [active.keyId, key.keyId];
      expect(await other.apiKeys.deactivatedAmong(among)).toEqual([key.keyId]);
    },
  ],
  [
    'keeps the keys of accounts apart',
    async ({ storage }) => {
      const { key, secretHash } = await openAccount(storage);
      const stranger = (await openAccount(storage)).account.accountId;
      expect(await storage.apiKeys.find(stranger, key.keyId)).toBeUndefined();
      expect(await storage.apiKeys.deactivate(stranger, key.keyId, 7)).toBeUndefined();
      expect(await storage.apiKeys.change(stranger, key.keyId, { label: 'x' })).toBeUndefined();
      expect(await storage.apiKeys.authenticate(secretHash)).toMatchObject({ key });
    },
  ],
  [
    'changes what is given of a key and leaves the rest',
    async ({ storage }) => {
      const { account, key } = await openAccount(storage, {
        key: { limits: { characters: 5, speechMs: 6 } },
      });
      const { accountId } = account;
      const change = (given: object) => storage.apiKeys.change(accountId, key.keyId, given);
      expect(await change({ label: 'door' })).toEqual({ ...key, label: 'door' });
      expect(await change({ limits: { characters: null } })).toEqual({
        ...key,
        label: 'door',
        limits: { characters: null, speechMs: 6 },
      });
      expect((await change({ limits: { speechMs: 0 } }))?.limits.speechMs).toBe(0);
      expect(await storage.apiKeys.find(accountId, key.keyId)).toMatchObject({ label: 'door' });
    },
  ],
  [
    'makes no more active keys of a kind than allowed, however many ask at once',
    async ({ storage, other }) => {
      const account = sampleAccount();
      const { accountId } = account;
      await storage.accounts.create(account);
      await storage.apiKeys.create(sampleKey(accountId, { kind: 'admin' }), sampleHash());
      const made = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          (index % 2 ? storage : other).apiKeys.create(sampleKey(accountId), sampleHash(), 5),
        ),
      );
      expect(made.filter(Boolean)).toHaveLength(5);
      const keys = await storage.apiKeys.list(accountId);
      expect(keys).toHaveLength(6);
      const developer = keys.find(({ kind }) => kind === 'developer');
      await other.apiKeys.deactivate(accountId, developer?.keyId ?? '', 1);
      expect(await storage.apiKeys.create(sampleKey(accountId), sampleHash(), 5)).toBe(true);
    },
  ],
  [
    'makes no key for an account that is not there',
    async ({ storage }) => {
      const creation = storage.apiKeys.create(sampleKey(randomUUID()), sampleHash());
      await expect(creation).rejects.toMatchObject({ code: 'not_found' });
    },
  ],
];

const usage: Behaviour[] = [
  [
    'counts what is used by kind and month, of key and account',
    async ({ storage, other }) => {
      const { account, key, charge } = await openAccount(storage);
      const { accountId } = account;
      const second = sampleKey(accountId);
      await storage.apiKeys.create(second, sampleHash());
      const newYear = Date.UTC(2027, 0, 1);
      const charges = [
        charge({ amount: 1 }),
        charge({ amount: 2, kind: 'document', tag: 'a' }),
        charge({ amount: 4, kind: 'write' }),
        charge({ amount: 8, kind: 'speech', tag: 'ä' }),
        charge({ amount: 16, keyId: second.keyId }),
        charge({ amount: 32, atMs: newYear }),
        charge({ amount: 64, atMs: newYear - 1 }),
        charge({ amount: 0 }),
      ];
      const outcomes = await Promise.all(charges.map((each) => storage.usage.charge(each)));
      expect(outcomes).toEqual(charges.map(() => 'charged'));
      const november = await other.usage.ofMonth(accountId, key.keyId, charge().atMs);
      expect(november).toEqual({
        key: { text: 1, document: 2, write: 4, speech: 8 },
        account: { text: 17, document: 2, write: 4, speech: 8 },
      });
      const text = async (atMs: number) =>
        (await other.usage.ofMonth(accountId, key.keyId, atMs)).key.text;
      expect([await text(newYear - 1), await text(newYear)]).toEqual([64, 32]);
    },
  ],
  [
    'refuses what does not fit, and at the limit even nothing',
    async ({ storage }) => {
      const { account, key, charge } = await openAccount(storage, {
        key: { limits: { characters: 20, speechMs: 0 } },
      });
      const attempt = (amount: number, kind: 'text' | 'document' | 'write' | 'speech' = 'text') =>
        storage.usage.charge(charge({ amount, kind }));
      expect(await attempt(15, 'document')).toBe('charged');
      expect(await attempt(6)).toBe('key_limit_reached');
      expect(await attempt(0)).toBe('charged');
      expect(await attempt(5, 'write')).toBe('charged');
      expect(await attempt(0)).toBe('key_limit_reached');
      expect(await attempt(0, 'speech')).toBe('key_limit_reached');
      const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
      expect(used.key).toEqual({ text: 0, document: 15, write: 5, speech: 0 });
    },
  ],
  [
    'holds keys against the limit of their account',
    async ({ storage }) => {
      const { account, charge } = await openAccount(storage, {
        account: { limits: { characters: 15, speechMs: null } },
      });
      const second = sampleKey(account.accountId);
      await storage.apiKeys.create(second, sampleHash());
      expect(await storage.usage.charge(charge())).toBe('charged');
      const bySecond = charge({ keyId: second.keyId });
      expect(await storage.usage.charge(bySecond)).toBe('account_limit_reached');
      expect(await storage.usage.charge({ ...bySecond, amount: 5 })).toBe('charged');
      const used = await storage.usage.ofMonth(account.accountId, second.keyId, charge().atMs);
      expect([used.account.text, used.key.text]).toEqual([15, 5]);
    },
  ],
  [
    'goes by a limit as soon as it is changed, in every process',
    async ({ storage, other }) => {
      const { account, key, charge } = await openAccount(storage);
      const { accountId } = account;
      expect(await other.usage.charge(charge())).toBe('charged');
      await storage.apiKeys.change(accountId, key.keyId, { limits: { characters: 0 } });
      expect(await other.usage.charge(charge())).toBe('key_limit_reached');
      await storage.apiKeys.change(accountId, key.keyId, { limits: { characters: null } });
      await storage.accounts.change(accountId, { limits: { characters: 10, speechMs: null } });
      expect(await other.usage.charge(charge())).toBe('account_limit_reached');
      await storage.accounts.change(accountId, { limits: unlimited });
      expect(await other.usage.charge(charge())).toBe('charged');
    },
  ],
  [
    'takes a charge back, and nothing below 0',
    async ({ storage }) => {
      const { account, key, charge } = await openAccount(storage, {
        key: { limits: { characters: 10, speechMs: null } },
      });
      const tagged = charge({ tag: 'a' });
      await storage.usage.charge(tagged);
      expect(await storage.usage.charge(charge({ amount: 1 }))).toBe('key_limit_reached');
      await storage.usage.refund(tagged);
      await storage.usage.refund(tagged);
      expect(await storage.usage.charge(charge({ amount: 4 }))).toBe('charged');
      const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
      expect([used.account.text, used.key.text]).toEqual([4, 4]);
    },
  ],
  [
    'charges a deactivated key for nothing but documents, and takes back what it was charged before',
    async ({ storage, other }) => {
      const { account, key, charge } = await openAccount(storage);
      const before = charge();
      expect(await storage.usage.charge(before)).toBe('charged');
      await storage.apiKeys.deactivate(account.accountId, key.keyId, Date.now());
      for (const kind of ['text', 'write', 'speech'] as const) {
        expect(await other.usage.charge(charge({ kind }))).toBe('key_deactivated');
        expect(await other.usage.charge(charge({ kind, amount: 0 }))).toBe('key_deactivated');
      }
      expect(await other.usage.charge(charge({ kind: 'document', amount: 3 }))).toBe('charged');
      await other.usage.refund(before);
      const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
      expect(used.key).toEqual({ text: 0, document: 3, write: 0, speech: 0 });
    },
  ],
  [
    'charges nobody for the key of another account',
    async ({ storage }) => {
      const { account, key, charge } = await openAccount(storage);
      const stranger = await openAccount(storage);
      const foreign = charge({ keyId: stranger.key.keyId });
      const [mine, theirs] = await Promise.allSettled([
        storage.usage.charge(charge()),
        storage.usage.charge(foreign),
      ]);
      expect(mine).toMatchObject({ value: 'charged' });
      expect(theirs).toMatchObject({ reason: { code: 'not_found' } });
      const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
      expect(used.account.text).toBe(10);
    },
  ],
  [
    'lets 24 callers in two processes use a limit up exactly',
    async ({ storage, other }) => {
      const { account, key, charge } = await openAccount(storage, {
        account: { limits: { characters: 2000, speechMs: null } },
        key: { limits: { characters: 600, speechMs: null } },
      });
      const second = sampleKey(account.accountId);
      await storage.apiKeys.create(second, sampleHash());
      const granted = { [key.keyId]: 0, [second.keyId]: 0 };
      const call = async (index: number) => {
        const keyId = index % 4 < 2 ? key.keyId : second.keyId;
        for (let count = 0; count < 20; count += 1) {
          const { usage } = (index + count) % 2 ? storage : other;
          const outcome = await usage.charge(charge({ keyId, amount: 7, tag: `t${count % 3}` }));
          if (outcome === 'charged') granted[keyId] = (granted[keyId] ?? 0) + 7;
        }
      };
      await Promise.all(Array.from({ length: 24 }, (_, index) => call(index)));
      const used = await other.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
      expect(granted[key.keyId]).toBe(used.key.text);
      expect((granted[key.keyId] ?? 0) + (granted[second.keyId] ?? 0)).toBe(used.account.text);
      // The rest is less than any charge: as much was granted as to sequential callers.
      expect(used.account.text).toBe(2000 - (2000 % 7));
      expect(used.key.text).toBe(600 - (600 % 7));
    },
  ],
  [
    'stays exact when many keys of many accounts are charged in every order',
    async ({ storage, other }) => {
      const open = () =>
        openAccount(storage, { key: { limits: { characters: 50, speechMs: 50 } } });
      const all = await Promise.all(Array.from({ length: 6 }, open));
      const call = async (index: number) => {
        const { usage } = index % 2 ? storage : other;
        for (const { charge } of index % 3 ? all : [...all].reverse()) {
          if (index % 8 === 7) await usage.charge(charge({ amount: 3, kind: 'speech' }));
          else await usage.charge(charge({ amount: 3 }));
        }
      };
      await Promise.all(Array.from({ length: 16 }, (_, index) => call(index)));
      for (const { account, key, charge } of all) {
        const used = await storage.usage.ofMonth(account.accountId, key.keyId, charge().atMs);
        expect([used.key.text, used.key.speech]).toEqual([42, 6]);
        expect(used.account).toEqual(used.key);
      }
    },
  ],
];

export const behaviours: readonly Behaviour[] = [...accounts, ...apiKeys, ...usage];
