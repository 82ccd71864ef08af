import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Storage } from '../../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../../storage/database-pair.ts';
import {
  claim,
  lastPart,
  newDocumentId,
  readFile,
  sampleDocument,
  upload,
} from './document-samples.ts';
import { documentsIn } from './documents-in.ts';
import { openAccount, sampleHash, sampleKey } from '../../storage/samples.ts';

const openDatabase = databasesOfThisFile();
const atMs = 1_700_000_200_000;
const problem = 'There is no room.';

describe.each(databaseNames)('stored documents in %s', (name) => {
  const db = documentsIn(name, openDatabase);

  it('are found by their account as submitted', async () => {
    const document = sampleDocument(db.owner, {
      fileName: `'; drop table documents; -- 😀`,
      tag: 'spring',
      sizeBytes: 30_000_000,
    });
    await upload(db.storage, document);
    const queued = { status: 'queued', finishAtMs: null, billedCharacters: null, problem: null };
    expect(await db.find(document.documentId)).toEqual({ ...document, ...queued });
    const stranger = await openAccount(db.storage);
    const { accountId } = stranger.account;
    expect(await db.other.documents.find(accountId, document.documentId)).toBeUndefined();
    expect(await db.find(newDocumentId())).toBeUndefined();
  });

  it('have their bytes stored in parts, whatever buffer the bytes are a view of', async () => {
    const file = randomBytes(1_000_001);
    const sizes = [262_144, 524_288, 786_432, file.byteLength];
    const cut = sizes.map((end, index) => file.subarray(sizes[index - 1] ?? 0, end));
    const { documentId } = await upload(db.storage, sampleDocument(db.owner), cut);
    expect((await readFile(db.other, documentId, 'source')).equals(file)).toBe(true);
    expect(await db.other.documents.readPart(documentId, 'result', 0)).toBeUndefined();
    // A writer that does not know whether a part was written writes it again.
    await db.add(documentId, null, 'source', 'again', 3);
    expect(Buffer.from((await db.other.documents.readPart(documentId, 'source', 3))!)).toEqual(
      Buffer.from('again'),
    );
  });

  it('never exceed the limit of an account, whoever submits them', async () => {
    const submitted = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [db.storage, db.other][index % 2]!.documents.submit(
          sampleDocument(db.owner),
          5,
          lastPart('x'),
        ),
      ),
    );
    expect(submitted.filter(Boolean)).toHaveLength(5);
    // A failed document occupies no place, because it has no result to download.
    const { documentId, claimId } = (await claim(db.storage))!;
    await db.storage.documents.fail(documentId, claimId, { problem, atMs });
    const more = () => db.storage.documents.submit(sampleDocument(db.owner), 5, lastPart('x'));
    expect([await more(), await more()]).toEqual([true, false]);
  });

  it('are finished and charged in one step, once, under their tag', async () => {
    const { documentId, claimId } = await db.taken();
    await db.add(documentId, claimId, 'progress', 'half');
    await db.add(documentId, claimId, 'result', 'who');
    const finish = (from: Storage) =>
      from.documents.finish(documentId, claimId, {
        charge: db.chargeOf(50_000, 'spring'),
        problem,
        atMs,
        lastPart: lastPart('le', 1),
      });
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => finish([db.storage, db.other][index % 2]!)),
    );
    // A worker that did not receive the answer asks again.
    expect(outcomes).toEqual(outcomes.map(() => 'done'));
    expect(await db.find(documentId)).toMatchObject({ status: 'done', billedCharacters: 50_000 });
    expect(await db.used()).toMatchObject({ document: 50_000 });
    const ledger = `select tag, kind, amount from usage_days where key_id = '${db.owner.key.keyId}'`;
    expect(await db.rows(ledger)).toEqual([{ tag: 'spring', kind: 'document', amount: 50_000 }]);
    expect(await db.parts()).toEqual(['result']);
    expect((await readFile(db.other, documentId, 'result')).toString()).toBe('whole');
    expect(await db.storage.documents.hasOpen()).toBe(false);
    const beat = { atMs, finishAtMs: null };
    expect(await db.storage.documents.beat(documentId, claimId, beat)).toBe(false);
    expect(await db.storage.documents.fail(documentId, claimId, { problem, atMs })).toBe(false);
    expect(await claim(db.other, { staleBeforeMs: atMs * 2 })).toBeUndefined();
  });

  it.each(['key', 'account'] as const)(
    'become a free error where the quota of the %s has no room',
    async (whose) => {
      db.owner = await openAccount(db.storage, {
        [whose]: { limits: { characters: 10, speechMs: null } },
      });
      const finish = async (amount: number) => {
        const { documentId, claimId } = await db.taken();
        await db.add(documentId, claimId, 'result', 'who');
        const charge = db.chargeOf(amount);
        const result = { charge, problem, atMs, lastPart: lastPart('le', 1) };
        const outcome = await db.storage.documents.finish(documentId, claimId, result);
        expect(await db.storage.documents.finish(documentId, claimId, result)).toBe(outcome);
        return { outcome, documentId };
      };
      expect((await finish(6)).outcome).toBe('done');
      const refused = await finish(5);
      expect(refused.outcome).toBe('quota_exceeded');
      expect(await db.find(refused.documentId)).toMatchObject({
        status: 'error',
        problem,
        billedCharacters: null,
      });
      expect(await readFile(db.other, refused.documentId, 'result')).toHaveLength(0);
      expect((await finish(4)).outcome).toBe('done');
      expect((await db.used()).document).toBe(10);
    },
  );

  it('use up a quota exactly beside requests, whoever finishes them', async () => {
    db.owner = await openAccount(db.storage, {
      account: { limits: { characters: 40, speechMs: null } },
      key: { limits: { characters: 36, speechMs: null } },
    });
    const second = sampleKey(db.owner.account.accountId);
    await db.storage.apiKeys.create(second, sampleHash());
    const keyIds = [db.owner.key.keyId, second.keyId];
    for (let count = 0; count < 16; count += 1) {
      await upload(db.storage, sampleDocument(db.owner, { keyId: keyIds[count % 2]! }));
    }
    let granted = 0;
    const work = async (index: number): Promise<void> => {
      const from = [db.storage, db.other][index % 2]!;
      for (let next = await claim(from); next !== undefined; next = await claim(from)) {
        const { documentId, claimId, keyId } = next;
        const charge = { ...db.chargeOf(3), keyId };
        const result = { charge, problem, atMs, lastPart: lastPart('x') };
        if ((await from.documents.finish(documentId, claimId, result)) === 'done') granted += 3;
        const request = db.owner.charge({ amount: 3, keyId: keyIds[index % 2]! });
        if ((await from.usage.charge(request)) === 'charged') granted += 3;
      }
    };
    await Promise.all(Array.from({ length: 6 }, (_, index) => work(index)));
    const { account } = await db.other.usage.ofMonth(
      db.owner.account.accountId,
      db.owner.key.keyId,
      db.owner.charge().atMs,
    );
    expect(account.text + account.document).toBe(granted);
    expect(granted).toBe(39);
    const done = "select count(*) as number from documents where status = 'done'";
    expect(await db.rows(done)).toEqual([{ number: account.document / 3 }]);
  });

  it('that failed keep the problem, and nothing of their files', async () => {
    const { documentId, claimId } = await db.taken();
    await db.add(documentId, claimId, 'progress', 'half');
    expect(await db.storage.documents.fail(documentId, claimId, { problem, atMs })).toBe(true);
    expect(await db.find(documentId)).toMatchObject({ status: 'error', problem });
    expect(await db.parts()).toEqual([]);
    const download = { atMs, leaseMs: 1 };
    expect(await db.other.documents.beginDownload(documentId, download)).toBe(false);
  });

  async function translated() {
    const { documentId, claimId } = await db.taken();
    await db.add(documentId, claimId, 'progress', 'half');
    await db.storage.documents.finish(documentId, claimId, {
      charge: db.chargeOf(1),
      problem,
      atMs,
      lastPart: lastPart('whole'),
    });
    return documentId;
  }

  it('are downloaded by one of many clients, and by another only after an interruption', async () => {
    const documentId = await translated();
    const begin = (from: Storage, at = 0) =>
      from.documents.beginDownload(documentId, { atMs: atMs + at, leaseMs: 1000 });
    const begun = await Promise.all(
      Array.from({ length: 10 }, (_, index) => begin([db.storage, db.other][index % 2]!)),
    );
    expect(begun.filter(Boolean)).toHaveLength(1);
    expect(await begin(db.other, 999)).toBe(false);
    await db.storage.documents.giveBackDownload(documentId);
    expect(await begin(db.other, 999)).toBe(true);
    expect(await begin(db.storage, 1999)).toBe(true);
  });

  it('leave nothing in any table after deletion', async () => {
    const documentId = await translated();
    const { documentId: second, claimId } = await db.taken();
    await db.add(second, claimId, 'progress', 'half');
    await db.storage.documents.delete(documentId);
    await db.storage.documents.delete(second);
    expect(await db.add(second, claimId, 'progress', 'late', 1)).toBe(false);
    expect(await db.find(documentId)).toBeUndefined();
    const tables =
      name === 'sqlite'
        ? `select name from sqlite_master where type = 'table'`
        : `select table_name as name from information_schema.tables where table_schema = 'public'`;
    const names = (await db.rows(tables)).map((row) => (row as { name: string }).name);
    expect(names).toContain('document_parts');
    for (const table of names) {
      const text = JSON.stringify(await db.rows(`select * from ${table}`));
      expect(text).not.toContain(documentId);
      expect(text).not.toContain(second);
      if (table.startsWith('document') && table !== 'document_turns') expect(text).toBe('[]');
    }
  });

  it('expire with their parts, unless they are open, being uploaded or being downloaded', async () => {
    const settle = async (atMs: number) => {
      const { documentId, claimId } = await db.taken();
      const result = { charge: db.chargeOf(1), problem, atMs, lastPart: lastPart('whole') };
      await db.storage.documents.finish(documentId, claimId, result);
      return documentId;
    };
    const [old, recent, downloading] = [await settle(1000), await settle(2000), await settle(1000)];
    await db.storage.documents.beginDownload(downloading, { atMs: 1500, leaseMs: 1000 });
    const open = await upload(db.storage, sampleDocument(db.owner, { createdAtMs: 1 }));
    const [given, growing] = [newDocumentId(), newDocumentId()];
    const source = (documentId: string, place: number, at: number) =>
      db.storage.documents.addPart(
        { documentId, file: 'source', place, bytes: Buffer.from('x'), atMs: at },
        null,
      );
    await source(given, 0, 100);
    await source(growing, 0, 100);
    await source(growing, 1, 600);
    const expire = () => db.other.documents.expire({ settled: 2000, uploads: 500 });
    expect([await expire(), await expire(), await expire()]).toEqual([true, true, false]);

    const kept = await db.rows('select distinct document_id from document_parts');
    expect(new Set(kept.map((row) => (row as { document_id: string }).document_id))).toEqual(
      new Set([recent, downloading, open.documentId, growing]),
    );
    expect(await db.find(old)).toBeUndefined();
    expect(await db.find(recent)).toMatchObject({ status: 'done' });
    expect(await db.find(open.documentId)).toMatchObject({ status: 'queued' });
    // The turns of an account are deleted with its last document.
    await db.storage.documents.delete(open.documentId);
    await db.storage.documents.delete(recent);
    await db.storage.documents.delete(downloading);
    expect(await db.other.documents.expire({ settled: 0, uploads: 0 })).toBe(false);
    expect(await db.rows('select * from document_turns')).toEqual([]);
  });

  it('cannot be charged to a key of another account', async () => {
    const { documentId, claimId } = await db.taken();
    const { keyId } = (await openAccount(db.storage)).key;
    const finish = db.storage.documents.finish(documentId, claimId, {
      charge: { ...db.chargeOf(1), keyId },
      problem,
      atMs,
      lastPart: lastPart('whole'),
    });
    await expect(finish).rejects.toMatchObject({ code: 'not_found' });
    expect(await db.find(documentId)).toMatchObject({ status: 'translating' });
    expect(await db.parts()).toEqual(['source']);
  });
});
