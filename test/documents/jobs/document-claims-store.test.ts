import { describe, expect, it } from 'vitest';
import { databaseNames, databasesOfThisFile } from '../../storage/database-pair.ts';
import {
  claim,
  EXHAUSTED,
  lastPart,
  readFile,
  sampleDocument,
  upload,
} from './document-samples.ts';
import { documentsIn } from './documents-in.ts';
import { openAccount } from '../../storage/samples.ts';

const openDatabase = databasesOfThisFile();
const atMs = 1_700_000_200_000;
const problem = 'It went wrong.';

describe.each(databaseNames)('document claims in %s', (name) => {
  const db = documentsIn(name, openDatabase);

  it('give each document to one of many workers, oldest first', async () => {
    const documents = await Promise.all(
      Array.from({ length: 8 }, (_, index) =>
        upload(db.storage, sampleDocument(db.owner, { createdAtMs: 1_700_000_000_000 + index })),
      ),
    );
    const first = await claim(db.other);
    expect(first).toMatchObject({ ...documents[0], attempt: 1 });
    const rest = await Promise.all(
      Array.from({ length: 16 }, (_, index) => claim([db.storage, db.other][index % 2]!)),
    );
    const ids = rest.flatMap((each) => each?.documentId ?? []);
    expect(ids.sort()).toEqual(
      documents
        .slice(1)
        .map(({ documentId }) => documentId)
        .sort(),
    );
    expect(await db.find(first!.documentId)).toMatchObject({ status: 'translating' });
  });

  it('alternate between accounts, however many documents one of them has', async () => {
    const [busy, second, third] = [
      db.owner,
      await openAccount(db.storage),
      await openAccount(db.storage),
    ];
    const submit = (account: typeof db.owner, createdAtMs: number) =>
      upload(db.storage, sampleDocument(account, { createdAtMs }));
    for (let count = 0; count < 10; count += 1) await submit(busy, count);
    const order: string[] = [];
    const serve = async () => {
      const { documentId, claimId, accountId } = (await claim(db.storage))!;
      order.push(
        [busy, second, third]
          .findIndex(({ account }) => account.accountId === accountId)
          .toString(),
      );
      // One worker at a time: the served document ends before the next choice.
      await db.storage.documents.fail(documentId, claimId, { problem, atMs });
    };
    for (let count = 0; count < 3; count += 1) await serve();
    for (let count = 0; count < 3; count += 1) await submit(second, 100 + count);
    for (let count = 0; count < 2; count += 1) await serve();
    await submit(third, 200);
    for (let count = 0; count < 7; count += 1) await serve();
    expect(order.join('')).toBe('000' + '10' + '210' + '1000');
  });

  it('alternate between accounts even when many workers claim at once', async () => {
    const owners = await Promise.all(Array.from({ length: 5 }, () => openAccount(db.storage)));
    for (let createdAtMs = 0; createdAtMs < 10; createdAtMs += 1) {
      // All documents of one account are older than those of the next.
      const owner = owners[Math.floor(createdAtMs / 2)]!;
      await upload(db.storage, sampleDocument(owner, { createdAtMs }));
    }
    for (let round = 0; round < 2; round += 1) {
      const claims = owners.map((_, index) => claim([db.storage, db.other][index % 2]!));
      const served = (await Promise.all(claims)).map((each) => each?.accountId);
      expect(new Set(served).size).toBe(owners.length);
    }
  });

  it('are taken from a silent worker, which can no longer change them', async () => {
    const { documentId, claimId } = await db.taken();
    await db.add(documentId, claimId, 'progress', 'half');
    await db.add(documentId, claimId, 'result', 'stale', 0);
    await db.add(documentId, claimId, 'result', 'stale', 1);
    const beatMs = 1_700_000_150_000;
    await db.storage.documents.beat(documentId, claimId, { atMs: beatMs, finishAtMs: null });
    expect(await claim(db.other, { staleBeforeMs: beatMs })).toBeUndefined();
    const heir = await claim(db.other, { staleBeforeMs: beatMs + 1 });
    expect(heir).toMatchObject({ documentId });
    const beat = { atMs, finishAtMs: null };
    expect(await db.storage.documents.beat(documentId, claimId, beat)).toBe(false);
    expect(await db.add(documentId, claimId, 'result', 'stale')).toBe(false);
    expect(await db.add(documentId, claimId, 'progress', 'stale', 1)).toBe(false);
    expect(await db.storage.documents.fail(documentId, claimId, { problem, atMs })).toBe(false);
    const release = { countsAttempt: true };
    expect(await db.storage.documents.release(documentId, claimId, release)).toBe(false);
    const result = { charge: db.chargeOf(7), problem, atMs };
    const stale = { ...result, lastPart: lastPart('stale') };
    expect(await db.storage.documents.finish(documentId, claimId, stale)).toBe('lost');

    expect((await readFile(db.other, documentId, 'progress')).toString()).toBe('half');
    expect(await readFile(db.other, documentId, 'result')).toHaveLength(0);
    const good = { ...result, lastPart: lastPart('good') };
    expect(await db.other.documents.finish(documentId, heir!.claimId, good)).toBe('done');
    expect((await readFile(db.storage, documentId, 'result')).toString()).toBe('good');
    expect((await db.used()).document).toBe(7);
  });

  it('become an error after too many attempts without progress', async () => {
    const { documentId } = await db.taken();
    const again = (maxAttempts = 3) => claim(db.other, { staleBeforeMs: atMs, maxAttempts });
    expect(await again()).toMatchObject({ attempt: 2 });
    const third = await again();
    expect(third).toMatchObject({ attempt: 3 });
    await db.add(documentId, third!.claimId, 'progress', 'a page');
    expect(await again()).toMatchObject({ attempt: 1 });
    await again();
    await again();
    const next = await upload(
      db.storage,
      sampleDocument(db.owner, { createdAtMs: 1_800_000_000_000 }),
    );
    expect(await again()).toMatchObject({ documentId: next.documentId });
    expect(await db.find(documentId)).toMatchObject({ status: 'error', problem: EXHAUSTED });
    expect(await readFile(db.other, documentId, 'progress')).toHaveLength(0);
    expect((await db.used()).document).toBe(0);
  });

  it('go back into the queue with or without counting the attempt, and optionally delayed', async () => {
    const { documentId, claimId } = await db.taken();
    expect(await db.storage.documents.release(documentId, claimId, { countsAttempt: false })).toBe(
      true,
    );
    expect(await db.find(documentId)).toMatchObject({ status: 'queued' });
    const second = (await claim(db.other))!;
    expect(second.attempt).toBe(1);
    const wait = { countsAttempt: true, notBeforeMs: 1_700_000_100_001 };
    await db.storage.documents.release(documentId, second.claimId, wait);
    expect(await claim(db.other, { atMs: 1_700_000_100_000 })).toBeUndefined();
    expect(await claim(db.other, { atMs: 1_700_000_100_001 })).toMatchObject({ attempt: 2 });
  });

  it('of a worker that ended are released at once, unlike those of others', async () => {
    const mine = await db.taken();
    await upload(db.storage, sampleDocument(db.owner));
    const theirs = (await claim(db.other, { workerId: 'another' }))!;
    expect(await db.storage.documents.abandon('worker')).toBe(true);
    expect(await db.storage.documents.abandon('worker')).toBe(false);
    expect(await db.find(mine.documentId)).toMatchObject({ status: 'queued' });
    expect(await db.find(theirs.documentId)).toMatchObject({ status: 'translating' });
    expect(await claim(db.other)).toMatchObject({ documentId: mine.documentId, attempt: 2 });
  });

  it('have an expected finish time that never gets later until it has passed', async () => {
    const { documentId, claimId } = await db.taken();
    const finishAtMs = async () => (await db.find(documentId))?.finishAtMs;
    const beat = (at: number, finish: number | null) =>
      db.storage.documents.beat(documentId, claimId, { atMs: atMs + at, finishAtMs: finish });
    expect(await finishAtMs()).toBeNull();
    await beat(0, atMs + 5000);
    await beat(1000, atMs + 9000);
    expect(await finishAtMs()).toBe(atMs + 5000);
    await beat(2000, atMs + 4000);
    expect(await finishAtMs()).toBe(atMs + 4000);
    await beat(3000, null);
    expect(await finishAtMs()).toBe(atMs + 4000);
    await beat(4000, atMs + 6000);
    expect(await finishAtMs()).toBe(atMs + 6000);
    await db.storage.documents.release(documentId, claimId, { countsAttempt: false });
    expect(await finishAtMs()).toBeNull();
  });

  it('report whether any is open', async () => {
    expect(await db.other.documents.hasOpen()).toBe(false);
    await upload(db.storage, sampleDocument(db.owner));
    expect(await db.other.documents.hasOpen()).toBe(true);
    const { documentId, claimId } = (await claim(db.storage))!;
    expect(await db.other.documents.hasOpen()).toBe(true);
    await db.storage.documents.fail(documentId, claimId, { problem, atMs });
    expect(await db.other.documents.hasOpen()).toBe(false);
  });
});
