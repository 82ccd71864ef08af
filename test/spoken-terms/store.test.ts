import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { SpokenTermsList } from '../../server/spoken-terms/store.ts';
import type { Storage } from '../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount } from '../storage/samples.ts';

const openDatabase = databasesOfThisFile();

const listOf = (given: Partial<SpokenTermsList> = {}): SpokenTermsList => ({
  spokenTermsId: randomUUID(),
  name: 'Überseehandel',
  language: 'en',
  termCount: 3,
  createdAtMs: 1_700_000_000_000,
  terms: [`'; drop table spoken_terms; --`, '"😀", \\', 'Zembla'],
  ...given,
});

const withoutTerms = ({ terms: _terms, ...info }: SpokenTermsList) => info;

describe.each(databaseNames)('spoken terms in %s', (name) => {
  /** Two connections to one database, as of two processes. */
  let storage: Storage;
  let other: Storage;

  beforeAll(async () => {
    ({ storage, other } = await openDatabase(name));
  });

  const newAccountId = async () => (await openAccount(storage)).account.accountId;

  it('are returned as created, and listed without their terms', async () => {
    const accountId = await newAccountId();
    const list = listOf();
    expect(await storage.spokenTerms.create(accountId, list, 10)).toBe(true);
    expect(await other.spokenTerms.find(accountId, list.spokenTermsId)).toEqual(list);
    expect(await other.spokenTerms.list(accountId)).toEqual([withoutTerms(list)]);
  });

  it('may have no language, and are listed oldest first', async () => {
    const accountId = await newAccountId();
    const made = [3, 1, 2].map((createdAtMs) => listOf({ createdAtMs, language: null }));
    for (const list of made) await storage.spokenTerms.create(accountId, list, 10);
    const expected = [made[1]!, made[2]!, made[0]!].map(withoutTerms);
    expect(await storage.spokenTerms.list(accountId)).toEqual(expected);
  });

  it('are hidden from other accounts', async () => {
    const list = listOf();
    await storage.spokenTerms.create(await newAccountId(), list, 10);
    const strangerId = await newAccountId();
    expect(await storage.spokenTerms.find(strangerId, list.spokenTermsId)).toBeUndefined();
    expect(await storage.spokenTerms.list(strangerId)).toEqual([]);
    expect(await storage.spokenTerms.delete(strangerId, list.spokenTermsId)).toBe(false);
  });

  it('never exceed the limit of an account, whoever creates them', async () => {
    const accountId = await newAccountId();
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [storage, other][index % 2]!.spokenTerms.create(accountId, listOf(), 5),
      ),
    );
    expect(created.filter(Boolean)).toHaveLength(5);
    expect(await storage.spokenTerms.list(accountId)).toHaveLength(5);
  });

  it('are not created for an unknown account', async () => {
    const made = storage.spokenTerms.create(randomUUID(), listOf(), 10);
    await expect(made).rejects.toMatchObject({ code: 'not_found' });
  });

  it('are deleted once', async () => {
    const accountId = await newAccountId();
    const { spokenTermsId, ...rest } = listOf();
    await storage.spokenTerms.create(accountId, { spokenTermsId, ...rest }, 10);
    expect(await storage.spokenTerms.delete(accountId, spokenTermsId)).toBe(true);
    expect(await other.spokenTerms.delete(accountId, spokenTermsId)).toBe(false);
    expect(await other.spokenTerms.find(accountId, spokenTermsId)).toBeUndefined();
  });
});
