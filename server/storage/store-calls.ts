/** How the databases run the methods of stores: from calls, which are data. */
import {
  DummyDriver,
  Kysely,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import { stores, type Stores } from '../stores.ts';
import type { Database } from './database.ts';
import type { StoreCall, StoreDefinition, WhenLocked } from './store.ts';

type Methods = Record<string, (...args: unknown[]) => Promise<unknown>>;

/** The stores by name, for calls that name them. */
const definitions = stores as unknown as Record<string, StoreDefinition<Methods>>;

function definitionOf({ store }: Pick<StoreCall, 'store'>): StoreDefinition<Methods> {
  const definition = definitions[store];
  if (definition === undefined) throw new TypeError(`There is no store ${store}.`);
  return definition;
}

/** How a call is run: see {@link StoreDefinition}. */
export function mannerOf(call: StoreCall): 'read' | 'write' | 'batch' {
  const { reads, batch } = definitionOf(call);
  if (reads.includes(call.method)) return 'read';
  return batch?.methods.includes(call.method) === true ? 'batch' : 'write';
}

/** Most calls that are run at once of those that are run in batches. */
export function mostCallsOf(call: StoreCall): number {
  return definitionOf(call).batch?.mostCalls ?? 1;
}

/** Whose rows a call locks, of those that are run in batches. */
export function subjectOf(call: StoreCall): string {
  return definitionOf(call).batch?.subjectOf(call) ?? '';
}

/** Runs calls on a database, or on a transaction of it. */
export interface StoreRunner {
  /** Runs a `read` or a `write`. */
  run(call: StoreCall): Promise<unknown>;
  /** Runs calls of one store, all of them `batch`. */
  runBatch(
    calls: readonly StoreCall[],
    whenLocked?: WhenLocked,
  ): Promise<PromiseSettledResult<unknown>[]>;
}

/** Makes the stores that are asked for. */
export function createStoreRunner(db: Database): StoreRunner {
  const made = new Map<string, Methods>();
  return {
    run(call) {
      const { store, method, args } = call;
      let methods = made.get(store);
      if (methods === undefined) made.set(store, (methods = definitionOf(call).over(db)));
      const run = methods[method];
      if (run === undefined) throw new TypeError(`${store} has no method ${method}.`);
      return run.apply(methods, args);
    },
    async runBatch(calls, whenLocked) {
      const [first] = calls;
      const batch = first && definitionOf(first).batch;
      if (batch === undefined) throw new TypeError('These calls are not run in batches.');
      return batch.over(db, whenLocked)(calls);
    },
  };
}

/** Stores of which every method is a {@link StoreCall} handed to `call`. */
export function storesFromCalls(call: (call: StoreCall) => Promise<unknown>): Stores {
  const nowhere = new Kysely<never>({ dialect: noDatabase });
  const storeOf = (store: string, methods: Methods): Methods =>
    Object.fromEntries(
      Object.keys(methods).map((method) => [method, (...args) => call({ store, method, args })]),
    );
  const made: unknown = Object.fromEntries(
    Object.entries(definitions).map(([name, { over }]) => [name, storeOf(name, over(nowhere))]),
  );
  return made as Stores;
}

/** Stores over it list the names of their methods. */
const noDatabase = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};
