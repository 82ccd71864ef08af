/**
 * Who works on which document. A claim is an id in the document's row: every step of a worker names
 * it, so one whose document was given to another changes nothing any more.
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

/** A document that a worker has taken; the claim is its right to go on with it. */
export interface ClaimedDocument extends NewDocument {
  claimId: string;
  /** How often it has been taken since progress was last kept of it, this time included. */
  attempt: number;
}

/** Accounts whose documents were taken: the smallest number is served first. */
export interface DocumentTurnsTable {
  account_id: string;
  turn: number;
}

/** Documents as jobs: the table is the truth, whoever is rung up besides. */
export interface DocumentClaims {
  /**
   * Takes the document that is next: queued, or translating with a worker that was not heard of
   * since `staleBeforeMs`. Accounts take turns, an account's documents go by age. One that was taken
   * `maxAttempts` times becomes an error instead. Of any number of callers, one gets it; what the
   * one before wrote of its result is gone.
   */
  claim(wish: {
    claimId: string;
    /** Names the worker in {@link DocumentClaims.abandon}. */
    workerId: string;
    atMs: number;
    staleBeforeMs: number;
    maxAttempts: number;
    /** For the owner of a document that has been tried often enough. */
    exhausted: string;
  }): Promise<ClaimedDocument | undefined>;
  /**
   * Notes that a worker is at it, and when it will probably be done (null: as before). What was said
   * of that gets no later until it has passed.
   *
   * @returns false when the claim is lost
   */
  beat(
    documentId: string,
    claimId: string,
    beat: { atMs: number; finishAtMs: number | null },
  ): Promise<boolean>;
  /**
   * Charges for a document and makes it `done`, in one step: never one without the other, never
   * twice. Its source and progress are deleted. Without room within the limits it becomes an error
   * with `problem`. Asked again with the same claim, it answers the same.
   *
   * @param result.lastPart of the translated file, when all before it are kept
   * @throws ServiceError not_found when the account has no such key
   */
  finish(
    documentId: string,
    claimId: string,
    result: { charge: Charge; problem: string; atMs: number; lastPart: LastPart },
  ): Promise<'done' | 'lost' | 'quota_exceeded'>;
  /** Makes a document an `error`; its files are deleted. @returns false when the claim is lost */
  fail(
    documentId: string,
    claimId: string,
    failure: { problem: string; atMs: number },
  ): Promise<boolean>;
  /**
   * Puts a document back into the queue.
   *
   * @param options.countsAttempt false: its worker stops, which is no fault of the document
   * @param options.notBeforeMs nobody gets it earlier
   * @returns false when the claim is lost
   */
  release(
    documentId: string,
    claimId: string,
    options: { countsAttempt: boolean; notBeforeMs?: number },
  ): Promise<boolean>;
  /** Puts back all that a worker had which ended without a word. @returns whether there was any */
  abandon(workerId: string): Promise<boolean>;
  /** Whether a document waits, or is being translated by anybody. */
  hasOpen(): Promise<boolean>;
}

declare module '../../storage/database.ts' {
  interface Tables {
    document_turns: DocumentTurnsTable;
  }
}

type Wish = Parameters<DocumentClaims['claim']>[0];

/** What a document has that nobody works on. */
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
        // What has got on in this attempt counts none already.
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
      // Another took it meanwhile, whose turn is noted by now; or it was deleted, or its worker heard of.
      if (taken === undefined) continue;
      await noteTurn(db, taken.account_id);
      await deleteParts(db, [taken.document_id], ['result']);
      return { ...toNewDocument(taken), claimId: wish.claimId, attempt: taken.attempt };
    }
  };
}

/** An update of a document that does nothing unless the claim is good. */
function claimed(db: Database, documentId: string, claimId: string) {
  return db
    .updateTable('documents')
    .where('document_id', '=', documentId)
    .where('claim_id', '=', claimId)
    .where('status', '=', 'translating');
}

/** What anybody may take. */
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

/** The oldest document of the account whose last turn is longest ago. */
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
      // What an attempt before has said and was wrong about is forgotten.
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

/** Puts an account behind all others. */
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
    // The document first, then account and key: nobody locks them the other way round.
    const held = await db
      .selectFrom('documents')
      .select('status')
      .where('document_id', '=', documentId)
      .where('claim_id', '=', claimId)
      .$if(locksRows(db), (query) => query.forNoKeyUpdate())
      .executeTakeFirst();
    if (held === undefined) return 'lost';
    if (held.status !== 'translating') return held.status === 'done' ? 'done' : 'quota_exceeded';

    // Before the charge: nobody else who is charged waits for its way to the database.
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
