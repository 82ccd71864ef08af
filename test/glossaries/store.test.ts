import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Dictionary } from '../../server/glossaries/store.ts';
import type { Storage } from '../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount } from '../storage/samples.ts';

const openDatabase = databasesOfThisFile();

const dictionary = (given: Partial<Dictionary> = {}): Dictionary => ({
  ...{ sourceLang: 'en', targetLang: 'es', entryCount: 2 },
  entries: `house\thogar\n'; drop table glossaries; --\t😀`,
  ...given,
});

const glossaryOf = (given: { createdAtMs?: number } = {}) => ({
  glossaryId: randomUUID(),
  name: 'Überseehandel',
  createdAtMs: 1_700_000_000_000,
  editedInV3: false,
  ...given,
});

describe.each(databaseNames)('glossaries in %s', (name) => {
  /** Two connections to one database, as of two processes. */
  let storage: Storage;
  let other: Storage;

  beforeAll(async () => {
    ({ storage, other } = await openDatabase(name));
  });

  /** Creates a glossary of a new account, with dictionaries. */
  async function newGlossary(...dictionaries: Dictionary[]) {
    const { account } = await openAccount(storage);
    const glossary = glossaryOf();
    const { accountId } = account;
    expect(await storage.glossaries.create(accountId, glossary, dictionaries, 10)).toBe(true);
    return { accountId, glossary, glossaryId: glossary.glossaryId };
  }

  it('are returned as created, with dictionaries in order', async () => {
    const dictionaries = [dictionary(), dictionary({ sourceLang: 'de', entryCount: 7 })];
    const { accountId, glossary, glossaryId } = await newGlossary(...dictionaries);
    const found = await other.glossaries.find(accountId, glossaryId);
    expect(found).toEqual({
      ...glossary,
      dictionaries: dictionaries.map(({ sourceLang, targetLang, entryCount }) => ({
        ...{ sourceLang, targetLang, entryCount },
        revision: expect.any(String) as string,
      })),
    });
    expect(await other.glossaries.list(accountId)).toEqual([found]);
    const { entries, entryCount } = dictionary();
    const { revision } = found!.dictionaries[0]!;
    expect(await other.glossaries.entries(accountId, glossaryId, dictionary())).toEqual({
      ...{ entries, entryCount, revision },
    });
  });

  it('may be without dictionaries, and are listed oldest first', async () => {
    const { account } = await openAccount(storage);
    const made = [3, 1, 2].map((createdAtMs) => glossaryOf({ createdAtMs }));
    for (const each of made) await storage.glossaries.create(account.accountId, each, [], 10);
    const expected = [made[1], made[2], made[0]].map((each) => ({ ...each, dictionaries: [] }));
    expect(await storage.glossaries.list(account.accountId)).toEqual(expected);
  });

  it('are hidden from other accounts', async () => {
    const { glossaryId } = await newGlossary(dictionary());
    const { account } = await openAccount(storage);
    const stranger = [account.accountId, glossaryId] as const;
    const { glossaries } = storage;
    expect(await glossaries.find(...stranger)).toBeUndefined();
    expect(await glossaries.list(account.accountId)).toEqual([]);
    expect(await glossaries.entries(...stranger, dictionary())).toBeUndefined();
    expect(await glossaries.rename(...stranger, 'mine')).toBe(false);
    expect(await glossaries.putDictionary(...stranger, dictionary())).toBe('missing');
    expect(await glossaries.deleteDictionary(...stranger, dictionary())).toBe(false);
    expect(await glossaries.delete(...stranger)).toBe(false);
  });

  it('never exceed the limit of an account, whoever creates them', async () => {
    const { account } = await openAccount(storage);
    const created = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [storage, other][index % 2]!.glossaries.create(account.accountId, glossaryOf(), [], 5),
      ),
    );
    expect(created.filter(Boolean)).toHaveLength(5);
    expect(await storage.glossaries.list(account.accountId)).toHaveLength(5);
  });

  it('have a dictionary replaced or added, with a new revision each time', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    const put = (given: Partial<Dictionary>) =>
      storage.glossaries.putDictionary(accountId, glossaryId, dictionary(given));
    const before = (await storage.glossaries.find(accountId, glossaryId))!.dictionaries[0]!;
    expect(await put({ entries: 'a\tb', entryCount: 1 })).toBe('written');
    expect(await put({ targetLang: 'ar' })).toBe('written');
    const after = (await other.glossaries.find(accountId, glossaryId))!;
    expect(after.editedInV3).toBe(true);
    expect(after.dictionaries).toMatchObject([
      { targetLang: 'es', entryCount: 1 },
      { targetLang: 'ar', entryCount: 2 },
    ]);
    const revisions = after.dictionaries.map(({ revision }) => revision);
    expect(new Set([before.revision, ...revisions]).size).toBe(3);
    const read = await other.glossaries.entries(accountId, glossaryId, dictionary());
    expect(read).toEqual({ entries: 'a\tb', entryCount: 1, revision: revisions[0] });
  });

  it('have a dictionary and the name changed atomically for readers', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary({ entryCount: 0 }));
    await storage.glossaries.rename(accountId, glossaryId, '0');
    let isWriting = true;
    const write = async () => {
      for (let entryCount = 1; entryCount <= 20; entryCount += 1) {
        const written = dictionary({ entryCount });
        const name = `${entryCount}`;
        await storage.glossaries.putDictionary(accountId, glossaryId, written, { name });
      }
      isWriting = false;
    };
    const seen = new Set<string>();
    const read = async () => {
      while (isWriting) {
        const found = await other.glossaries.find(accountId, glossaryId);
        seen.add(`${found?.name} ${found?.dictionaries[0]?.entryCount}`);
      }
    };
    await Promise.all([write(), read()]);
    expect(seen.size).toBeGreaterThan(2);
    expect([...seen].filter((pair) => !/^(\d+) \1$/.test(pair))).toEqual([]);
  });

  it('accept one of many concurrent writers of a revision', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    const { revision } = (await storage.glossaries.find(accountId, glossaryId))!.dictionaries[0]!;
    const race = (expectedRevision: string | null, targetLang: string) =>
      Promise.all(
        Array.from({ length: 16 }, (_, index) => {
          const written = dictionary({ targetLang, entries: `x\t${index}` });
          const { glossaries } = [storage, other][index % 2]!;
          return glossaries.putDictionary(accountId, glossaryId, written, { expectedRevision });
        }),
      );
    for (const outcomes of [await race(revision, 'es'), await race(null, 'fr')]) {
      expect(outcomes.filter((outcome) => outcome === 'written')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'conflict')).toHaveLength(15);
    }
  });

  it('have a dictionary deleted once', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    const remove = (pair: Dictionary) =>
      storage.glossaries.deleteDictionary(accountId, glossaryId, pair);
    expect(await remove(dictionary({ targetLang: 'fr' }))).toBe(false);
    expect((await storage.glossaries.find(accountId, glossaryId))?.editedInV3).toBe(false);
    expect(await remove(dictionary())).toBe(true);
    expect(await remove(dictionary())).toBe(false);
    const after = await other.glossaries.find(accountId, glossaryId);
    expect(after).toMatchObject({ dictionaries: [], editedInV3: true });
  });

  it('are deleted once, with their dictionaries', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    expect(await storage.glossaries.delete(accountId, glossaryId)).toBe(true);
    expect(await other.glossaries.delete(accountId, glossaryId)).toBe(false);
    expect(await other.glossaries.find(accountId, glossaryId)).toBeUndefined();
    const { glossaries } = storage;
    expect(await glossaries.entries(accountId, glossaryId, dictionary())).toBeUndefined();
    expect(await glossaries.putDictionary(accountId, glossaryId, dictionary())).toBe('missing');
  });

  it('accept dictionaries of 10 MiB', async () => {
    const entries = `é\t${'x'.repeat(1_000)}\n`.repeat(10_400);
    const { accountId, glossaryId } = await newGlossary(dictionary({ entries }));
    const read = await other.glossaries.entries(accountId, glossaryId, dictionary());
    expect(read?.entries === entries).toBe(true);
  });

  // The same statements of either database: those above have run them in both.
  if (name !== 'sqlite') return;

  it('are renamed, which counts as a change', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    const before = await storage.glossaries.find(accountId, glossaryId);
    expect(await storage.glossaries.rename(accountId, glossaryId, 'new')).toBe(true);
    const after = await other.glossaries.find(accountId, glossaryId);
    expect(after).toEqual({ ...before, name: 'new', editedInV3: true });
  });

  it('refuse a dictionary written for another revision', async () => {
    const { accountId, glossaryId } = await newGlossary(dictionary());
    const put = (expectedRevision: string | null, given: Partial<Dictionary> = {}) =>
      storage.glossaries.putDictionary(accountId, glossaryId, dictionary(given), {
        expectedRevision,
        name: 'not this',
      });
    expect(await put('another')).toBe('conflict');
    expect(await put(null)).toBe('conflict');
    expect(await put('another', { targetLang: 'fr' })).toBe('conflict');
    expect((await other.glossaries.find(accountId, glossaryId))?.name).not.toBe('not this');
    expect(await put(null, { targetLang: 'fr' })).toBe('written');
    const { revision } = (await storage.glossaries.find(accountId, glossaryId))!.dictionaries[0]!;
    expect(await put(revision, { entries: 'a\tb' })).toBe('written');
    expect(await put(revision, { entries: 'c\td' })).toBe('conflict');
    const read = await storage.glossaries.entries(accountId, glossaryId, dictionary());
    expect(read?.entries).toBe('a\tb');
  });
});
