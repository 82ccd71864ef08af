import { randomUUID } from 'node:crypto';
import { countOf, type Database, lockAccount } from '../storage/database.ts';
import { defineStore } from '../storage/store.ts';

/** Language pair of a dictionary; base languages in lower case. */
export interface DictionaryPair {
  sourceLang: string;
  targetLang: string;
}

export interface DictionaryInfo extends DictionaryPair {
  entryCount: number;
  /** Changes with every write: a cached copy with the same revision is current. */
  revision: string;
}

export interface Glossary {
  glossaryId: string;
  name: string;
  createdAtMs: number;
  /** Whether it was ever changed through v3; v2 then refuses to delete it. */
  editedInV3: boolean;
  dictionaries: DictionaryInfo[];
}

/** A dictionary with its entries as TSV: `source<TAB>target` lines. */
export interface Dictionary extends DictionaryPair {
  entryCount: number;
  entries: string;
}

export interface GlossaryStore {
  /** @returns false if the account already has `maxGlossaries` */
  create(
    accountId: string,
    glossary: Omit<Glossary, 'dictionaries'>,
    dictionaries: readonly Dictionary[],
    maxGlossaries: number,
  ): Promise<boolean>;
  list(accountId: string): Promise<Glossary[]>;
  find(accountId: string, glossaryId: string): Promise<Glossary | undefined>;
  /** Returns the entries of a dictionary, with their revision. */
  entries(
    accountId: string,
    glossaryId: string,
    pair: DictionaryPair,
  ): Promise<{ entries: string; entryCount: number; revision: string } | undefined>;
  rename(accountId: string, glossaryId: string, name: string): Promise<boolean>;
  /**
   * Writes a dictionary, and the glossary's name if one is given. With `expectedRevision`, only the
   * dictionary of that revision is replaced (null: only if there is none; undefined: unconditionally).
   * Returns `conflict`, and writes nothing, if the revision differs.
   */
  putDictionary(
    accountId: string,
    glossaryId: string,
    dictionary: Dictionary,
    options?: { expectedRevision?: string | null; name?: string | undefined },
  ): Promise<'written' | 'conflict' | 'missing'>;
  deleteDictionary(accountId: string, glossaryId: string, pair: DictionaryPair): Promise<boolean>;
  delete(accountId: string, glossaryId: string): Promise<boolean>;
}

export interface GlossariesTable {
  glossary_id: string;
  account_id: string;
  name: string;
  created_at_ms: number;
  /** 0 or 1. */
  edited_in_v3: number;
}

export interface GlossaryDictionariesTable {
  glossary_id: string;
  source_lang: string;
  target_lang: string;
  /** Position among the glossary's dictionaries. */
  place: number;
  entry_count: number;
  /** Changes with every write. */
  revision: string;
  /** `source<TAB>target` lines. */
  entries: string;
}

declare module '../storage/database.ts' {
  interface Tables {
    glossaries: GlossariesTable;
    glossary_dictionaries: GlossaryDictionariesTable;
  }
}

/**
 * Glossaries, with the entries of each dictionary as one text. Every write except a creation locks the
 * glossary.
 */
export const glossaryStore = defineStore<GlossaryStore>({
  over: createGlossaries,
  reads: ['list', 'find', 'entries'],
});

function createGlossaries(db: Database): GlossaryStore {
  return { ...createReads(db), ...createWrites(db) };
}

type Reads = Pick<GlossaryStore, 'list' | 'find' | 'entries'>;

function createReads(db: Database): Reads {
  return {
    async list(accountId) {
      const rows = await glossariesOf(db, accountId).execute();
      return toGlossaries(rows);
    },

    async find(accountId, glossaryId) {
      const rows = await glossariesOf(db, accountId)
        .where('glossary.glossary_id', '=', glossaryId)
        .execute();
      return toGlossaries(rows)[0];
    },

    async entries(accountId, glossaryId, pair) {
      const row = await db
        .selectFrom('glossaries as glossary')
        .innerJoin('glossary_dictionaries as dictionary', (join) =>
          join.onRef('dictionary.glossary_id', '=', 'glossary.glossary_id'),
        )
        .select(['dictionary.entries', 'dictionary.entry_count', 'dictionary.revision'])
        .where('glossary.account_id', '=', accountId)
        .where('glossary.glossary_id', '=', glossaryId)
        .where('dictionary.source_lang', '=', pair.sourceLang)
        .where('dictionary.target_lang', '=', pair.targetLang)
        .executeTakeFirst();
      if (row === undefined) return undefined;
      return { entries: row.entries, entryCount: row.entry_count, revision: row.revision };
    },
  };
}

function createWrites(db: Database): Omit<GlossaryStore, keyof Reads> {
  return {
    async create(accountId, glossary, dictionaries, maxGlossaries) {
      await lockAccount(db, accountId);
      const own = db.selectFrom('glossaries').where('account_id', '=', accountId);
      if ((await countOf(own)) >= maxGlossaries) return false;
      await db.insertInto('glossaries').values(toRow(accountId, glossary)).execute();
      // One statement each: a combined one may exceed what a database accepts.
      for (const [place, dictionary] of dictionaries.entries()) {
        await insertDictionary(db, glossary.glossaryId, dictionary, place);
      }
      return true;
    },

    rename: (accountId, glossaryId, name) => markEdited(db, accountId, glossaryId, { name }),

    async putDictionary(accountId, glossaryId, dictionary, { expectedRevision, name } = {}) {
      if (!(await markEdited(db, accountId, glossaryId))) return 'missing';
      const current = await findDictionary(db, glossaryId, dictionary);
      const hasChanged =
        expectedRevision !== undefined && expectedRevision !== (current?.revision ?? null);
      if (hasChanged) return 'conflict';
      if (name !== undefined) await markEdited(db, accountId, glossaryId, { name });
      if (current === undefined) {
        const place = await nextPlace(db, glossaryId);
        await insertDictionary(db, glossaryId, dictionary, place);
      } else {
        await replaceDictionary(db, glossaryId, dictionary);
      }
      return 'written';
    },

    async deleteDictionary(accountId, glossaryId, pair) {
      if ((await findDictionary(db, glossaryId, pair)) === undefined) return false;
      if (!(await markEdited(db, accountId, glossaryId))) return false;
      const { numDeletedRows } = await db
        .deleteFrom('glossary_dictionaries')
        .where('glossary_id', '=', glossaryId)
        .where('source_lang', '=', pair.sourceLang)
        .where('target_lang', '=', pair.targetLang)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },

    async delete(accountId, glossaryId) {
      const { numDeletedRows } = await db
        .deleteFrom('glossaries')
        .where('account_id', '=', accountId)
        .where('glossary_id', '=', glossaryId)
        .executeTakeFirst();
      return numDeletedRows > 0;
    },
  };
}

function toRow(accountId: string, glossary: Omit<Glossary, 'dictionaries'>) {
  return {
    glossary_id: glossary.glossaryId,
    account_id: accountId,
    name: glossary.name,
    created_at_ms: glossary.createdAtMs,
    edited_in_v3: Number(glossary.editedInV3),
  };
}

/** Records a change through v3, which also locks the row until the transaction ends. */
async function markEdited(
  db: Database,
  accountId: string,
  glossaryId: string,
  changes: { name?: string } = {},
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('glossaries')
    .set({ ...changes, edited_in_v3: 1 })
    .where('account_id', '=', accountId)
    .where('glossary_id', '=', glossaryId)
    .executeTakeFirst();
  return numUpdatedRows > 0;
}

async function findDictionary(db: Database, glossaryId: string, pair: DictionaryPair) {
  return db
    .selectFrom('glossary_dictionaries')
    .select('revision')
    .where('glossary_id', '=', glossaryId)
    .where('source_lang', '=', pair.sourceLang)
    .where('target_lang', '=', pair.targetLang)
    .executeTakeFirst();
}

/** Returns the position after the last dictionary. */
async function nextPlace(db: Database, glossaryId: string): Promise<number> {
  const row = await db
    .selectFrom('glossary_dictionaries')
    .select(({ fn }) => fn.max('place').as('last'))
    .where('glossary_id', '=', glossaryId)
    .executeTakeFirst();
  return (row?.last ?? -1) + 1;
}

async function insertDictionary(
  db: Database,
  glossaryId: string,
  dictionary: Dictionary,
  place: number,
): Promise<void> {
  const row = {
    glossary_id: glossaryId,
    source_lang: dictionary.sourceLang,
    target_lang: dictionary.targetLang,
    place,
    entry_count: dictionary.entryCount,
    revision: randomUUID(),
    entries: dictionary.entries,
  };
  await db.insertInto('glossary_dictionaries').values(row).execute();
}

async function replaceDictionary(
  db: Database,
  glossaryId: string,
  { sourceLang, targetLang, entryCount, entries }: Dictionary,
): Promise<void> {
  await db
    .updateTable('glossary_dictionaries')
    .set({ entry_count: entryCount, revision: randomUUID(), entries })
    .where('glossary_id', '=', glossaryId)
    .where('source_lang', '=', sourceLang)
    .where('target_lang', '=', targetLang)
    .execute();
}

/** Selects one row per dictionary, or one without for an empty glossary; oldest glossary first. */
function glossariesOf(db: Database, accountId: string) {
  return db
    .selectFrom('glossaries as glossary')
    .leftJoin('glossary_dictionaries as dictionary', (join) =>
      join.onRef('dictionary.glossary_id', '=', 'glossary.glossary_id'),
    )
    .select([
      'glossary.glossary_id',
      'glossary.name',
      'glossary.created_at_ms',
      'glossary.edited_in_v3',
      'dictionary.source_lang',
      'dictionary.target_lang',
      'dictionary.entry_count',
      'dictionary.revision',
    ])
    .where('glossary.account_id', '=', accountId)
    .orderBy('glossary.created_at_ms')
    .orderBy('glossary.glossary_id')
    .orderBy('dictionary.place');
}

type GlossaryRow = Awaited<ReturnType<ReturnType<typeof glossariesOf>['execute']>>[number];

function toGlossaries(rows: readonly GlossaryRow[]): Glossary[] {
  const glossaries = new Map<string, Glossary>();
  for (const row of rows) {
    const glossary = glossaries.get(row.glossary_id) ?? {
      glossaryId: row.glossary_id,
      name: row.name,
      createdAtMs: row.created_at_ms,
      editedInV3: row.edited_in_v3 !== 0,
      dictionaries: [],
    };
    glossaries.set(row.glossary_id, glossary);
    const dictionary = toDictionary(row);
    if (dictionary !== undefined) glossary.dictionaries.push(dictionary);
  }
  return [...glossaries.values()];
}

/** Returns the dictionary in a row of the left join, if there is one. */
function toDictionary({
  source_lang,
  target_lang,
  entry_count,
  revision,
}: GlossaryRow): DictionaryInfo | undefined {
  if (source_lang === null || target_lang === null) return undefined;
  if (entry_count === null || revision === null) return undefined;
  return { sourceLang: source_lang, targetLang: target_lang, entryCount: entry_count, revision };
}
