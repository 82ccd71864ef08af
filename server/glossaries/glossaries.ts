/** Glossaries: the operations of v3 and v2, and the terms of a translation. */
import { randomUUID } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import { phraseFault } from '../../shared/glossary-phrase.ts';
import {
  baseLanguage,
  type LanguageTag,
  canonicalLanguage,
  glossaryLanguages,
} from '../../shared/language.ts';
import type {
  DictionaryContent,
  DictionaryInfo,
  DictionaryQuery,
  Glossary,
  GlossaryChange,
  GlossaryCreation,
  MonolingualCreation,
  MonolingualGlossary,
} from '../../shared/schemas/glossaries.ts';
import { UUID } from '../../shared/uuid.ts';
import type {
  Dictionary,
  DictionaryPair,
  GlossaryStore,
  Glossary as StoredGlossary,
} from './store.ts';
import { createTermIndex, type TermIndex } from './terms/term-index.ts';
import { type TermTable, createGlossaryTables } from './terms/term-table.ts';
import { mergeEntries, parseEntries } from './terms/entries.ts';

/** Maximum number of glossaries of an account. */
const MAX_GLOSSARIES = 1000;

/**
 * Every method throws ServiceError invalid_request for malformed input and not_found for a missing glossary
 * or dictionary.
 */
export interface Glossaries {
  create(accountId: string, creation: GlossaryCreation): Promise<Glossary>;
  list(accountId: string): Promise<Glossary[]>;
  get(accountId: string, glossaryId: string): Promise<Glossary>;
  entries(accountId: string, glossaryId: string, pair: DictionaryQuery): Promise<DictionaryContent>;
  /** Renames a glossary, and merges entries into at most one dictionary. */
  change(accountId: string, glossaryId: string, change: GlossaryChange): Promise<Glossary>;
  /** Replaces the dictionary of a language pair, or adds one. */
  putDictionary(
    accountId: string,
    glossaryId: string,
    content: DictionaryContent,
  ): Promise<DictionaryInfo>;
  deleteDictionary(accountId: string, glossaryId: string, pair: DictionaryQuery): Promise<void>;
  delete(accountId: string, glossaryId: string): Promise<void>;
  /**
   * Returns the terms of a translation. A dictionary of base languages serves their variants; if several
   * glossaries contain a phrase, the first one wins.
   *
   * @throws ServiceError invalid_request if one of the glossaries has no dictionary of the pair
   */
  glossaryFor(wanted: {
    accountId: string;
    ids: readonly string[];
    source: LanguageTag;
    target: LanguageTag;
  }): Promise<TermIndex>;
}

interface GlossariesOptions {
  glossaries: GlossaryStore;
  /** Memory limit for cached dictionaries, in bytes. */
  cacheBytes: number;
}

export function createGlossaries(options: GlossariesOptions): Glossaries {
  return {
    ...createWholes(options),
    ...createDictionaries(options),
    glossaryFor: createTermSearch(options),
  };
}

type Wholes = Pick<Glossaries, 'create' | 'list' | 'get' | 'change' | 'delete'>;
type Dictionaries = Pick<Glossaries, 'entries' | 'putDictionary' | 'deleteDictionary'>;

function createWholes({ glossaries: store }: GlossariesOptions): Wholes {
  const get: Glossaries['get'] = async (accountId, glossaryId) =>
    toGlossary(known(await store.find(accountId, checkedGlossaryId(glossaryId))));
  const merge = createMerging(store);

  return {
    get,

    async create(accountId, { name, dictionaries: contents = [] }) {
      const glossary = {
        glossaryId: randomUUID(),
        name: checkedGlossaryName(name),
        createdAtMs: Date.now(),
        editedInV3: false,
      };
      refuseSamePairs(contents.map(checkedPair));
      const dictionaries: Dictionary[] = [];
      for (const content of contents) dictionaries.push(await checkedDictionary(content));
      if (!(await store.create(accountId, glossary, dictionaries, MAX_GLOSSARIES))) {
        throw invalid(`An account has at most ${MAX_GLOSSARIES} glossaries: delete one first.`);
      }
      return toGlossary({ ...glossary, dictionaries });
    },

    list: async (accountId) => (await store.list(accountId)).map(toGlossary),

    async change(accountId, glossaryId, { name, dictionaries = [] }) {
      const id = checkedGlossaryId(glossaryId);
      const newName = name === undefined ? undefined : checkedGlossaryName(name);
      const [content, ...more] = dictionaries;
      if (more.length > 0) {
        throw invalid(
          "Value for 'dictionaries' not supported: one dictionary can be changed at a time.",
        );
      }
      // A missing glossary is reported before any fault of the entries.
      await get(accountId, id);
      if (content !== undefined) {
        const added = { dictionary: await checkedDictionary(content), name: newName };
        if (!(await merge(accountId, id, added))) throw unknown();
      } else if (newName !== undefined && !(await store.rename(accountId, id, newName))) {
        throw unknown();
      }
      return get(accountId, id);
    },

    async delete(accountId, glossaryId) {
      if (!(await store.delete(accountId, checkedGlossaryId(glossaryId)))) throw unknown();
    },
  };
}

function createDictionaries({ glossaries: store }: GlossariesOptions): Dictionaries {
  return {
    async entries(accountId, glossaryId, query) {
      const id = checkedGlossaryId(glossaryId);
      const pair = checkedPair(query);
      const dictionary = await store.entries(accountId, id, pair);
      if (dictionary !== undefined) {
        return { ...toPair(pair), entries: dictionary.entries, entries_format: 'tsv' };
      }
      known(await store.find(accountId, id));
      throw noDictionary(pair);
    },

    async putDictionary(accountId, glossaryId, content) {
      const id = checkedGlossaryId(glossaryId);
      known(await store.find(accountId, id));
      const dictionary = await checkedDictionary(content);
      const outcome = await store.putDictionary(accountId, id, dictionary);
      if (outcome === 'missing') throw unknown();
      return toInfo(dictionary);
    },

    async deleteDictionary(accountId, glossaryId, query) {
      const id = checkedGlossaryId(glossaryId);
      const pair = checkedPair(query);
      if (await store.deleteDictionary(accountId, id, pair)) return;
      known(await store.find(accountId, id));
      throw noDictionary(pair);
    },
  };
}

function createTermSearch({ glossaries: store, cacheBytes }: GlossariesOptions) {
  const tables = createGlossaryTables({ glossaries: store, cacheBytes });
  const glossaryFor: Glossaries['glossaryFor'] = async ({ accountId, ids, source, target }) => {
    const sourceLang = baseLanguage(source);
    const targetLang = baseLanguage(target);
    const found: TermTable[] = [];
    for (const id of ids.map(checkedGlossaryId)) {
      const { dictionaries } = known(await store.find(accountId, id));
      const info = dictionaries.find(
        (each) => each.sourceLang === sourceLang && each.targetLang === targetLang,
      );
      const table = info === undefined ? undefined : await tables.of(accountId, id, info);
      if (table === undefined) {
        throw invalid(
          `Bad request. Reason: No dictionary found for language pair ${source}-${target} in glossary`,
        );
      }
      found.push(table);
    }
    return createTermIndex(found);
  };
  return glossaryFor;
}

function known(glossary: StoredGlossary | undefined): StoredGlossary {
  if (glossary === undefined) throw unknown();
  return glossary;
}

function toGlossary({
  glossaryId,
  name,
  createdAtMs,
  dictionaries,
}: Pick<StoredGlossary, 'glossaryId' | 'name' | 'createdAtMs'> & {
  dictionaries: readonly (DictionaryPair & { entryCount: number })[];
}): Glossary {
  return {
    glossary_id: glossaryId,
    ready: true,
    name,
    dictionaries: dictionaries.map(toInfo),
    creation_time: new Date(createdAtMs).toISOString(),
  };
}

function toInfo(dictionary: DictionaryPair & { entryCount: number }): DictionaryInfo {
  return { ...toPair(dictionary), entry_count: dictionary.entryCount };
}

function toPair({ sourceLang, targetLang }: DictionaryPair): DictionaryQuery {
  return { source_lang: sourceLang, target_lang: targetLang };
}

function noDictionary({ sourceLang, targetLang }: DictionaryPair): ServiceError {
  return new ServiceError(
    'not_found',
    `No dictionary found for language pair ${sourceLang}-${targetLang} in glossary`,
  );
}

function unknown(): ServiceError {
  return new ServiceError('not_found', 'There is no glossary with this id.');
}

// Checks of a request that need no database.

const MAX_NAME_BYTES = 1024;

/** @throws ServiceError invalid_request */
export function checkedGlossaryId(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  throw invalid('Value for glossary_id not supported: a glossary id is a UUID.');
}

/** @throws ServiceError invalid_request, with the name of the field */
export function checkedGlossaryName(name: string, field = 'name'): string {
  // Names follow the rules of phrases: no control characters, no outer whitespace, a maximum length in bytes.
  const fault =
    name.length > MAX_NAME_BYTES ? `is longer than ${MAX_NAME_BYTES} bytes` : phraseFault(name);
  if (fault === undefined) return name;
  throw invalid(`Value for '${field}' not supported: it ${fault}.`);
}

/**
 * Returns a language pair that dictionaries can have, in lower case.
 *
 * @throws ServiceError invalid_request
 */
function checkedPair(query: { source_lang: string; target_lang: string }): DictionaryPair {
  const sourceLang = canonicalLanguage(query.source_lang);
  const targetLang = canonicalLanguage(query.target_lang);
  const isPair =
    sourceLang !== undefined &&
    targetLang !== undefined &&
    sourceLang !== targetLang &&
    glossaryLanguages.includes(sourceLang) &&
    glossaryLanguages.includes(targetLang);
  if (isPair) return { sourceLang, targetLang };
  throw new ServiceError(
    'invalid_request',
    'Unsupported glossary source and target language pair',
    {
      detail:
        `source_lang and target_lang are two of: ${glossaryLanguages.join(', ')}. ` +
        'Dictionaries are of base languages and serve their variants.',
    },
  );
}

/**
 * Parses a dictionary that a client sent.
 *
 * @throws ServiceError invalid_request, with the place in its detail; payload_too_large
 */
async function checkedDictionary(content: DictionaryContent): Promise<Dictionary> {
  const pair = checkedPair(content);
  const { tsv, entryCount } = await parseEntries({
    text: content.entries,
    format: content.entries_format ?? 'tsv',
    ...pair,
  });
  return { ...pair, entries: tsv, entryCount };
}

/** @throws ServiceError invalid_request if two dictionaries have the same language pair */
function refuseSamePairs(dictionaries: readonly DictionaryPair[]): void {
  const names = dictionaries.map(({ sourceLang, targetLang }) => `${sourceLang}-${targetLang}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw invalid(`Value for 'dictionaries' not supported: the language pair ${twice} occurs twice.`);
}

// Merging of entries into existing dictionaries, by any number of concurrent callers.

/**
 * Maximum number of merge attempts. A conflict can only come from another process: with ten of them
 * competing, one attempt in ten succeeds.
 */
const MAX_ATTEMPTS = 100;

/** An addition to a glossary. */
interface Addition {
  dictionary: Dictionary;
  /** New name of the glossary; undefined: unchanged. */
  name: string | undefined;
}

/**
 * Merges a dictionary into that of its language pair, or creates it, and renames the glossary, all at once.
 * Resolves to false if there is no such glossary.
 */
type Merge = (accountId: string, glossaryId: string, added: Addition) => Promise<boolean>;

/** @returns a function that throws ServiceError storage_unavailable if conflicts never end */
function createMerging(store: Pick<GlossaryStore, 'entries' | 'putDictionary'>): Merge {
  /** The last merge into each dictionary, which the next one waits for to avoid a conflict. */
  const lastOf = new Map<string, Promise<unknown>>();

  return async (accountId, glossaryId, added) => {
    const { sourceLang, targetLang } = added.dictionary;
    const key = [glossaryId, sourceLang, targetLang].join(' ');
    const merging = (lastOf.get(key) ?? Promise.resolve())
      .catch(() => undefined)
      .then(() => merge(store, accountId, glossaryId, added));
    lastOf.set(key, merging);
    try {
      return await merging;
    } finally {
      if (lastOf.get(key) === merging) lastOf.delete(key);
    }
  };
}

async function merge(
  store: Pick<GlossaryStore, 'entries' | 'putDictionary'>,
  accountId: string,
  glossaryId: string,
  { dictionary: added, name }: Addition,
): Promise<boolean> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const current = await store.entries(accountId, glossaryId, added);
    const { tsv: entries, entryCount } = await mergeEntries(current?.entries ?? '', added.entries);
    const dictionary = { ...added, entries, entryCount };
    const expectedRevision = current?.revision ?? null;
    const options = { expectedRevision, name };
    const outcome = await store.putDictionary(accountId, glossaryId, dictionary, options);
    if (outcome !== 'conflict') return outcome === 'written';
  }
  throw new ServiceError(
    'storage_unavailable',
    'The dictionary is being changed by others all the time. Please try again.',
  );
}

// Glossaries in v2: of one language pair, and immutable. They are the same ones as in v3.

/**
 * Every method throws ServiceError invalid_request for malformed input and not_found for a missing glossary.
 */
export interface MonolingualGlossaries {
  create(accountId: string, creation: MonolingualCreation): Promise<MonolingualGlossary>;
  /** Returns only glossaries with exactly one dictionary. */
  list(accountId: string): Promise<MonolingualGlossary[]>;
  get(accountId: string, glossaryId: string): Promise<MonolingualGlossary>;
  /** Returns the entries as TSV. */
  entries(accountId: string, glossaryId: string): Promise<string>;
  /** @throws ServiceError invalid_request if it was changed through v3 */
  delete(accountId: string, glossaryId: string): Promise<void>;
}

export function createMonolingualGlossaries({
  glossaries,
  store,
}: {
  glossaries: Glossaries;
  store: Pick<GlossaryStore, 'find'>;
}): MonolingualGlossaries {
  const get = async (accountId: string, glossaryId: string) => {
    const found = monolingual(await glossaries.get(accountId, glossaryId));
    if (found !== undefined) return found;
    throw new ServiceError(
      'not_found',
      'This glossary has not exactly one dictionary: read it through /v3/glossaries.',
    );
  };

  return {
    get,

    async create(accountId, { name, ...dictionary }) {
      const made = monolingual(
        await glossaries.create(accountId, { name, dictionaries: [dictionary] }),
      );
      if (made === undefined) throw new Error('A glossary was made without its dictionary.');
      return made;
    },

    list: async (accountId) =>
      (await glossaries.list(accountId))
        .map(monolingual)
        .filter((glossary) => glossary !== undefined),

    async entries(accountId, glossaryId) {
      const { entries } = await glossaries.entries(
        accountId,
        glossaryId,
        await get(accountId, glossaryId),
      );
      return entries;
    },

    async delete(accountId, glossaryId) {
      const { glossary_id } = await get(accountId, glossaryId);
      if ((await store.find(accountId, glossary_id))?.editedInV3 === true) {
        throw new ServiceError(
          'invalid_request',
          'This glossary was changed through v3: delete it with DELETE /v3/glossaries/{glossary_id}.',
        );
      }
      await glossaries.delete(accountId, glossary_id);
    },
  };
}

function monolingual({ dictionaries, ...glossary }: Glossary): MonolingualGlossary | undefined {
  const [only, ...more] = dictionaries;
  return only === undefined || more.length > 0 ? undefined : { ...glossary, ...only };
}
