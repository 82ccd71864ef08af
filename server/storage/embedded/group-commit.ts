/**
 * Runs calls that have arrived together in one transaction, so that they share one wait for the
 * disk. Each write is in a savepoint of its own: one that fails takes back itself alone.
 */
import { ServiceError } from '../../../shared/errors.ts';
import { entryOf, mannerOf, runCall } from '../store-methods.ts';
import type { DatabaseStores } from '../../stores.ts';
import { answerOfEntry, MAX_ENTRIES } from '../usage-answers.ts';
import { isBusy, isOutOfOrder, rollBack, whenFree, type SqliteDatabase } from './sqlite.ts';
import type { StoreAnswer, StoreFailure, StoreRequest } from './store-messages.ts';

export interface GroupCommitOptions {
  database: SqliteDatabase;
  /** Stores over that database. */
  stores: DatabaseStores;
}

/**
 * @returns runs a group and answers once it is on the disk; to be called when the group before has
 *   been answered; does not reject
 */
export function createGroupCommit({ database, stores }: GroupCommitOptions) {
  const inSavepoint = <Result>(work: () => Promise<Result>) => runInSavepoint(database, work);

  async function answerCall({ id, call }: StoreRequest): Promise<StoreAnswer> {
    const run = () => runCall(stores, call);
    try {
      return { id, value: await (mannerOf(call) === 'read' ? run() : inSavepoint(run)) };
    } catch (error) {
      if (error instanceof LostTransaction) throw error;
      return { id, failure: toFailure(error) };
    }
  }

  async function answerEntries(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    try {
      const entries = requests.map(({ call }) => entryOf(call));
      const outcomes = await inSavepoint(() => stores.usage.record(entries));
      return requests.map(({ id }, index) => {
        try {
          return { id, value: answerOfEntry(outcomes[index]) };
        } catch (error) {
          return { id, failure: toFailure(error) };
        }
      });
    } catch (error) {
      if (error instanceof LostTransaction) throw error;
      return requests.map(({ id }) => ({ id, failure: toFailure(error) }));
    }
  }

  /** All of them were asked for before any was answered: whatever order they are run in will do. */
  async function answerAll(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    const answers: StoreAnswer[] = [];
    const entries: StoreRequest[] = [];
    for (const request of requests) {
      if (mannerOf(request.call) === 'entry') entries.push(request);
      else answers.push(await answerCall(request));
    }
    for (let start = 0; start < entries.length; start += MAX_ENTRIES) {
      answers.push(...(await answerEntries(entries.slice(start, start + MAX_ENTRIES))));
    }
    return answers;
  }

  return async function runGroup(requests: readonly StoreRequest[]): Promise<StoreAnswer[]> {
    // Reads see the newest state without waiting for writers of other processes.
    if (requests.every(({ call }) => mannerOf(call) === 'read')) return answerAll(requests);
    try {
      whenFree(() => database.exec('begin immediate'));
      const answers = await answerAll(requests);
      database.exec('commit');
      return answers;
    } catch (error) {
      rollBack(database);
      const failure = toFailure(error instanceof LostTransaction ? error.cause : error);
      return requests.map(({ id }) => ({ id, failure }));
    }
  };
}

/** Undone alone when it fails. @throws what the work throws; LostTransaction */
async function runInSavepoint<Result>(
  database: SqliteDatabase,
  work: () => Promise<Result>,
): Promise<Result> {
  database.exec('savepoint call');
  try {
    const result = await work();
    database.exec('release call');
    return result;
  } catch (error) {
    try {
      database.exec('rollback to call; release call');
    } catch {
      throw new LostTransaction(error);
    }
    throw error;
  }
}

/** SQLite has ended the transaction itself, as on a full disk: nothing of the group is kept. */
class LostTransaction extends Error {
  constructor(cause: unknown) {
    super('The transaction of the group is no more.', { cause });
  }
}

function toFailure(error: unknown): StoreFailure {
  if (error instanceof ServiceError) {
    const { code, message, detail } = error;
    return { code, message, ...(detail !== undefined && { detail }) };
  }
  if (isBusy(error)) {
    return { code: 'storage_unavailable', message: 'The database is busy. Please try again.' };
  }
  if (isOutOfOrder(error)) {
    return {
      code: 'storage_unavailable',
      message: 'The database cannot write or read its file now. Please try again later.',
    };
  }
  return { code: undefined, message: error instanceof Error ? error.message : String(error) };
}
