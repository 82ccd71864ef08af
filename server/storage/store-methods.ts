/** The stores as data: what the adapters need to know to run any method of any store. */
import type { Charge, Stores } from './ports.ts';
import type { DatabaseStores } from '../stores.ts';

/**
 * How an adapter runs a method.
 *
 *  - `read`: without a transaction of its own; what must be seen at one moment is one statement
 *  - `write`: all or nothing, on the disk before it is answered
 *  - `entry`: as `write`, together with whatever other entries are waiting
 */
export type Manner = 'read' | 'write' | 'entry';

const manners = {
  accounts: { create: 'write', find: 'read', list: 'read', change: 'write' },
  apiKeys: {
    create: 'write',
    authenticate: 'read',
    list: 'read',
    find: 'read',
    deactivate: 'write',
    change: 'write',
  },
  usage: { charge: 'entry', refund: 'entry', ofMonth: 'read' },
  usageReports: { total: 'read', byKey: 'read', byKeyAndDay: 'read', byTag: 'read' },
  usageNotices: {
    claim: 'write',
    noteTold: 'write',
    close: 'write',
    postpone: 'write',
    countOpen: 'read',
  },
  glossaries: {
    create: 'write',
    list: 'read',
    find: 'read',
    entries: 'read',
    rename: 'write',
    putDictionary: 'write',
    deleteDictionary: 'write',
    delete: 'write',
  },
  spokenTerms: { create: 'write', list: 'read', find: 'read', delete: 'write' },
  translationMemories: {
    begin: 'write',
    openPart: 'write',
    addSegments: 'write',
    addBuckets: 'write',
    complete: 'write',
    list: 'read',
    find: 'read',
    rename: 'write',
    retire: 'write',
    sweep: 'write',
    buckets: 'read',
    segments: 'read',
  },
  documents: {
    addPart: 'write',
    readPart: 'read',
    submit: 'write',
    find: 'read',
    delete: 'write',
    claim: 'write',
    beat: 'write',
    finish: 'write',
    fail: 'write',
    release: 'write',
    abandon: 'write',
    hasOpen: 'read',
    beginDownload: 'write',
    renewDownload: 'write',
    giveBackDownload: 'write',
    expire: 'write',
  },
  consoleCredentials: {
    findPassword: 'read',
    openSession: 'write',
    findSession: 'read',
    touchSession: 'write',
    closeSession: 'write',
    addLink: 'write',
    findLink: 'read',
    redeemLink: 'write',
    changePassword: 'write',
    spendTries: 'write',
    giveBackTries: 'write',
  },
  styleRules: {
    create: 'write',
    list: 'read',
    listDetailed: 'read',
    find: 'read',
    change: 'write',
    addInstruction: 'write',
    replaceInstruction: 'write',
    deleteInstruction: 'write',
    delete: 'write',
  },
  writeChecks: { write: 'write' },
} as const satisfies { [Store in keyof Stores]: Record<keyof Stores[Store], Manner> };

/** A call of a store method; plain data that can go to another thread. */
export interface StoreCall {
  store: keyof Stores;
  method: string;
  args: unknown[];
}

/** How a call is run. */
export function mannerOf({ store, method }: StoreCall): Manner {
  return (manners[store] as Record<string, Manner>)[method] ?? 'write';
}

/** Stores of which every method is a {@link StoreCall} handed to `call`. */
export function storesFromCalls(call: (call: StoreCall) => Promise<unknown>): Stores {
  const stores = Object.entries(manners).map(([store, methods]) => [
    store,
    Object.fromEntries(
      Object.keys(methods).map((method) => [
        method,
        (...args: unknown[]) => call({ store: store as keyof Stores, method, args }),
      ]),
    ),
  ]);
  // Complete, for `manners` names every method; TypeScript cannot follow that through fromEntries.
  const complete: unknown = Object.fromEntries(stores);
  return complete as Stores;
}

/** Runs a `read` or a `write` on stores of a database. */
export function runCall(
  stores: DatabaseStores,
  { store, method, args }: StoreCall,
): Promise<unknown> {
  const methods = stores[store] as unknown as Record<string, StoreMethod>;
  const run = methods[method];
  if (run === undefined) throw new TypeError(`${store} has no method ${method}.`);
  return run.apply(methods, args);
}

type StoreMethod = (...args: unknown[]) => Promise<unknown>;

/** What an `entry` writes. */
export function entryOf({ method, args }: StoreCall): {
  kind: 'charge' | 'refund';
  charge: Charge;
} {
  return { kind: method === 'refund' ? 'refund' : 'charge', charge: args[0] as Charge };
}
