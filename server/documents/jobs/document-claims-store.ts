/**
 * Claims: which worker translates which document. A claim is a random id in the document's row, and it fences
 * every step of a worker: once the document is claimed anew, steps under the old claim change nothing.
 */
import {
  sql,
  type Expression,
  type ExpressionBuilder,
  type Selectable,
  type SqlBool,
} from 'kysely';
import type { Charge } from '../../accounts/usage/store.ts';
import { usageStore } from '../../accounts/usage/store.ts';
import { locksRows, type Database, type Tables } from '../../storage/database.ts';
import {
  type DocumentsTable,
  type LastPart,
  type NewDocument,
  deleteParts,
  putPart,
  toNewDocument,
} from './document-tables-store.ts';

/** A document claimed by a worker; `claimId` is the worker's right to proceed. */
export interface ClaimedDocument extends NewDocument {
  claimId: string;
  /** Number of claims since progress was last saved, including this one. */
  attempt: number;
}

/** Turns of the accounts in the queue: the account with the smallest number is served first. */
export interface DocumentTurnsTable {
  account_id: string;
  turn: number;
}

/**
 * The job queue of documents. The table is the source of truth; ringing a worker only makes
 * it check sooner.
 */
export interface DocumentClaims {
  /**
   * Claims the next document: one that is queued, or whose worker has sent no heartbeat since
   * `staleBeforeMs`. Accounts take turns; within an account, the oldest document comes first. A document
   * that has been claimed `maxAttempts` times becomes an `error` instead. Exactly one of several
   * concurrent callers gets a document. Parts of a result that the previous worker wrote are deleted.
   */
  claim(wish: {
    claimId: string;
    /** Identifies the worker in {@link DocumentClaims.abandon}. */
    workerId: string;
    atMs: number;
    staleBeforeMs: number;
    maxAttempts: number;
    /** Message for the owner of a document that has used up its attempts. */
    exhausted: string;
  }): Promise<ClaimedDocument | undefined>;
  /**
   * Records a heartbeat and the estimated time of completion (null: unchanged). Until the recorded
   * estimate has passed, it can only move earlier.
   *
   * @returns false when the claim is lost
   */
  beat(
    documentId: string,
    claimId: string,
    beat: { atMs: number; finishAtMs: number | null },
  ): Promise<boolean>;
  /**
   * Charges for a document, marks it `done` and deletes its source and progress, in one
   * transaction: a document is never done without being charged, and never charged twice. When the
   * charge exceeds a quota, the document becomes an `error` with `problem` instead. Idempotent: a
   * repeated call with the same claim gives the same answer.
   *
   * @param result.lastPart last part of the translated file; all earlier parts must have been saved
   * @throws ServiceError not_found when the account has no such key
   */
  finish(
    documentId: string,
    claimId: string,
    result: { charge: Charge; problem: string; atMs: number; lastPart: LastPart },
  ): Promise<'done' | 'lost' | 'quota_exceeded'>;
  /** Marks a document as `error` and deletes its files. @returns false when the claim is lost */
  fail(
    documentId: string,
    claimId: string,
    failure: { problem: string; atMs: number },
  ): Promise<boolean>;
  /**
   * Puts a document back into the queue.
   *
   * @param options.countsAttempt false when the worker is shutting down, which is not the document's fault
   * @param options.notBeforeMs earliest time of the next claim, in ms since the epoch
   * @returns false when the claim is lost
   */
  release(
    documentId: string,
    claimId: string,
    options: { countsAttempt: boolean; notBeforeMs?: number },
  ): Promise<boolean>;
  /** Requeues all documents of a worker that ended without releasing them. @returns whether it had any */
  abandon(workerId: string): Promise<boolean>;
  /** Whether any document is queued or being translated, by any worker. */
  hasOpen(): Promise<boolean>;
}

declare module '../../storage/database.ts' {
  interface Tables {
    document_turns: DocumentTurnsTable;
  }
}

type Wish = Parameters<DocumentClaims['claim']>[0];

/** Columns of a document without a worker. */
const unclaimed = {
  status: 'queued',
  claim_id: null,
  worker_id: null,
  beat_at_ms: null,
} as const;

export function createDocumentClaims(db: Database): DocumentClaims {
  return {
    claim: createClaim(db),

    async beat(documentId, claimId, { atMs, finishAtMs }) {
      const { numUpdatedRows } = await claimed(db, documentId, claimId)
        .set({
          beat_at_ms: atMs,
          ...(finishAtMs !== null && {
            finish_at_ms: sql<number>`case when finish_at_ms > ${atMs} and finish_at_ms < ${finishAtMs} then finish_at_ms else ${finishAtMs} end`,
          }),
        })
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    finish: createFinish(db),

    async fail(documentId, claimId, { problem, atMs }) {
      const { numUpdatedRows } = await claimed(db, documentId, claimId)
        .set({ status: 'error', problem, settled_at_ms: atMs })
        .executeTakeFirst();
      if (numUpdatedRows > 0) await deleteParts(db, [documentId]);
      return numUpdatedRows > 0;
    },

    async release(documentId, claimId, { countsAttempt, notBeforeMs = 0 }) {
      const { numUpdatedRows } = await claimed(db, documentId, claimId)
        .set({ ...unclaimed, not_before_ms: notBeforeMs })
        // When progress was saved in this attempt, the count is 0 already.
        .$if(!countsAttempt, (query) =>
          query.set({ attempt: sql<number>`case when attempt > 0 then attempt - 1 else 0 end` }),
        )
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    async abandon(workerId) {
      const { numUpdatedRows } = await db
        .updateTable('documents')
        .set(unclaimed)
        .where('worker_id', '=', workerId)
        .where('status', '=', 'translating')
        .executeTakeFirst();
      return numUpdatedRows > 0;
    },

    async hasOpen() {
      const open = await db
        .selectFrom('documents')
        .select('document_id')
        .where('status', 'in', ['queued', 'translating'])
        .limit(1)
        .executeTakeFirst();
      return open !== undefined;
    },
  };
}

function createClaim(db: Database): DocumentClaims['claim'] {
  return async (wish) => {
    for (;;) {
      const next = await findNext(db, wish);
      if (next === undefined) return undefined;
      if (next.attempt >= wish.maxAttempts) {
        await giveUp(db, next, wish);
        continue;
      }
      const taken = await take(db, next, wish);
      // Another worker took it (and has noted the turn by now), its worker sent a heartbeat, or it
      // was deleted.
      if (taken === undefined) continue;
      await noteTurn(db, taken.account_id);
      await deleteParts(db, [taken.document_id], ['result']);
      return { ...toNewDocument(taken), claimId: wish.claimId, attempt: taken.attempt };
    }
  };
}

/** An update that affects no row unless the claim is still valid. */
function claimed(db: Database, documentId: string, claimId: string) {
  return db
    .updateTable('documents')
    .where('document_id', '=', documentId)
    .where('claim_id', '=', claimId)
    .where('status', '=', 'translating');
}

/** Condition for documents that any worker may claim. */
function isFree(
  eb: ExpressionBuilder<Tables, 'documents'>,
  { atMs, staleBeforeMs }: Wish,
): Expression<SqlBool> {
  return eb.or([
    eb.and([eb('documents.status', '=', 'queued'), eb('documents.not_before_ms', '<=', atMs)]),
    eb.and([
      eb('documents.status', '=', 'translating'),
      eb('documents.beat_at_ms', '<', staleBeforeMs),
    ]),
  ]);
}

/** Finds the oldest document of the account that was served least recently. */
async function findNext(db: Database, wish: Wish) {
  return db
    .selectFrom('documents')
    .leftJoin('document_turns as turns', 'turns.account_id', 'documents.account_id')
    .select(['documents.document_id', 'documents.attempt'])
    .where((builder) => isFree(builder as ExpressionBuilder<Tables, 'documents'>, wish))
    .orderBy((eb) => eb.fn.coalesce('turns.turn', eb.lit(0)))
    .orderBy('documents.created_at_ms')
    .orderBy('documents.document_id')
    .limit(1)
    .executeTakeFirst();
}

async function take(
  db: Database,
  { document_id }: { document_id: string },
  wish: Wish,
): Promise<Selectable<DocumentsTable> | undefined> {
  return db
    .updateTable('documents')
    .set((eb) => ({
      status: 'translating',
      claim_id: wish.claimId,
      worker_id: wish.workerId,
      beat_at_ms: wish.atMs,
      attempt: eb('attempt', '+', 1),
      // Drops an estimate of the previous attempt that has already passed.
      finish_at_ms: sql<
        number | null
      >`case when finish_at_ms > ${wish.atMs} then finish_at_ms else null end`,
    }))
    .where('document_id', '=', document_id)
    .where((builder) => isFree(builder, wish))
    .returningAll()
    .executeTakeFirst();
}

async function giveUp(
  db: Database,
  { document_id }: { document_id: string },
  wish: Wish,
): Promise<void> {
  const { numUpdatedRows } = await db
    .updateTable('documents')
    .set({ status: 'error', problem: wish.exhausted, settled_at_ms: wish.atMs })
    .where('document_id', '=', document_id)
    .where('attempt', '>=', wish.maxAttempts)
    .where((builder) => isFree(builder, wish))
    .executeTakeFirst();
  if (numUpdatedRows > 0) await deleteParts(db, [document_id]);
}

/** Moves an account to the end of the queue. */
async function noteTurn(db: Database, accountId: string): Promise<void> {
  const { last } = await db
    .selectFrom('document_turns')
    .select((eb) => eb.fn.coalesce(eb.fn.max('turn'), eb.lit(0)).as('last'))
    .executeTakeFirstOrThrow();
  const turn = last + 1;
  await db
    .insertInto('document_turns')
    .values({ account_id: accountId, turn })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet({ turn }))
    .execute();
}

function createFinish(db: Database): DocumentClaims['finish'] {
  return async (documentId, claimId, { charge, problem, atMs, lastPart }) => {
    // Lock order: the document, then account and key. Every transaction keeps to it.
    const held = await db
      .selectFrom('documents')
      .select('status')
      .where('document_id', '=', documentId)
      .where('claim_id', '=', claimId)
      .$if(locksRows(db), (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    if (held === undefined) return 'lost';
    if (held.status !== 'translating') return held.status === 'done' ? 'done' : 'quota_exceeded';

    // Written before the charge locks the account, so that no other charge waits for this write.
    await putPart(db, { documentId, file: 'result', ...lastPart, atMs });
    if ((await usageStore.over(db).charge(charge)) !== 'charged') {
      await claimed(db, documentId, claimId)
        .set({ status: 'error', problem, settled_at_ms: atMs })
        .execute();
      await deleteParts(db, [documentId]);
      return 'quota_exceeded';
    }
    await claimed(db, documentId, claimId)
      .set({ status: 'done', billed_characters: charge.amount, settled_at_ms: atMs })
      .execute();
    await deleteParts(db, [documentId], ['source', 'progress']);
    return 'done';
  };
}
