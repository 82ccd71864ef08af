/** Runs store methods from calls, which are plain data and can cross threads. */
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

/** Store definitions by name. */
const definitions = stores as unknown as Record<string, StoreDefinition<Methods>>;

function definitionOf({ store }: Pick<StoreCall, 'store'>): StoreDefinition<Methods> {
  const definition = definitions[store];
  if (definition === undefined) throw new TypeError(`There is no store ${store}.`);
  return definition;
}

/** Returns how a call is run, see {@link StoreDefinition}. */
export function callKindOf(call: StoreCall): 'read' | 'write' | 'batch' {
  const { reads, batch } = definitionOf(call);
  if (reads.includes(call.method)) return 'read';
  return batch?.methods.includes(call.method) === true ? 'batch' : 'write';
}

/** Returns the largest batch for a batched call; 1 for others. */
export function mostCallsOf(call: StoreCall): number {
  return definitionOf(call).batch?.mostCalls ?? 1;
}

/** Returns the id of the subject whose rows a batched call locks. */
export function subjectOf(call: StoreCall): string {
  return definitionOf(call).batch?.subjectOf(call) ?? '';
}

/** Runs calls on a database, or on a transaction of it. */
export interface StoreRunner {
  /** Runs a `read` or a `write`. */
  run(call: StoreCall): Promise<unknown>;
  /** Runs `batch` calls of one store. */
  runBatch(
    calls: readonly StoreCall[],
    whenLocked?: WhenLocked,
  ): Promise<PromiseSettledResult<unknown>[]>;
}

/** Makes a runner, which creates stores on first use. */
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

/** Makes stores whose every method passes a {@link StoreCall} to `call`. */
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

/** A dummy database: stores over it are used only to list their methods. */
const noDatabase = {
  createAdapter: () => new SqliteAdapter(),
  createDriver: () => new DummyDriver(),
  createIntrospector: (db: Kysely<unknown>) => new SqliteIntrospector(db),
  createQueryCompiler: () => new SqliteQueryCompiler(),
};
