/** Shared set-up of document tests, in a database that is initially without documents. */
import { beforeAll, beforeEach, expect } from 'vitest';
import type { Charge } from '../../../server/accounts/usage/usage-counters-store.ts';
import type { DocumentFile } from '../../../server/documents/jobs/document-tables-store.ts';
import type { ClaimedDocument } from '../../../server/documents/jobs/document-claims-store.ts';
import type { Storage } from '../../../server/stores.ts';
import type { DatabaseName, DatabasePair } from '../../storage/database-pair.ts';
import { claim, sampleDocument, upload } from './document-samples.ts';
import { openAccount } from '../../storage/samples.ts';

const AT_MS = 1_700_000_200_000;

type Opened = Awaited<ReturnType<typeof openAccount>>;

/** A database during a test. */
export interface DocumentsUnderTest {
  /** Two connections to it, as of two processes. */
  readonly storage: Storage;
  readonly other: Storage;
  /** Owner of the documents, a new one in each test. */
  owner: Opened;
  /** Runs a statement, bypassing the stores. */
  rows(sql: string): Promise<unknown[]>;
  /** Returns a new document of the owner that a worker has claimed. */
  taken(): Promise<ClaimedDocument>;
  add(
    documentId: string,
    claimId: string | null,
    file: DocumentFile,
    text: string,
    place?: number,
  ): Promise<boolean>;
  find(documentId: string): ReturnType<Storage['documents']['find']>;
  chargeOf(amount: number, tag?: string | null): Charge;
  /** Returns this month's usage of the owner's key. */
  used(): Promise<{ document: number; text: number }>;
  /** Returns the kinds of files with stored parts. */
  parts(): Promise<string[]>;
}

/** Sets up the database. Call it in a `describe`: the result is usable in its tests. */
export function documentsIn(
  name: DatabaseName,
  openDatabase: (name: DatabaseName) => Promise<DatabasePair>,
): DocumentsUnderTest {
  let pair: DatabasePair;
  const state: { owner?: Opened } = {};

  beforeAll(async () => {
    pair = await openDatabase(name);
  });

  beforeEach(async () => {
    // Claims depend on the documents of all accounts.
    for (const table of ['documents', 'document_parts', 'document_turns']) {
      await pair.execute(`delete from ${table}`);
    }
    db.owner = await openAccount(pair.storage);
  });

  const db: DocumentsUnderTest = {
    get storage() {
      return pair.storage;
    },
    get other() {
      return pair.other;
    },
    get owner() {
      return state.owner!;
    },
    set owner(owner) {
      state.owner = owner;
    },
    rows: (sql) => pair.execute(sql),
    async taken() {
      const { documentId } = await upload(pair.storage, sampleDocument(db.owner));
      const claimed = (await claim(pair.storage))!;
      expect(claimed).toMatchObject({ documentId, attempt: 1 });
      return claimed;
    },
    add: (documentId, claimId, file, text, place = 0) =>
      pair.storage.documents.addPart(
        { documentId, file, place, bytes: Buffer.from(text), atMs: AT_MS },
        claimId,
      ),
    find: (documentId) => pair.other.documents.find(db.owner.account.accountId, documentId),
    chargeOf: (amount, tag = null) => db.owner.charge({ kind: 'document', amount, tag }),
    async used() {
      const { account, key, charge } = db.owner;
      return (await pair.other.usage.ofMonth(account.accountId, key.keyId, charge().atMs)).key;
    },
    async parts() {
      const rows = await pair.execute('select distinct file from document_parts order by file');
      return rows.map((row) => (row as { file: string }).file);
    },
  };
  return db;
}
