/** Entries added to those that are there, by any number of callers at once. */
import { ServiceError } from '../../shared/errors.ts';
import type { Dictionary, GlossaryStore } from './store.ts';
import { mergeEntries } from './terms/entries.ts';

/**
 * Merging is tried again when another change came between, which only other processes can do: with
 * ten of them at it, one attempt in ten is the first.
 */
const MAX_ATTEMPTS = 100;

/** What is to be added to a glossary. */
export interface Addition {
  dictionary: Dictionary;
  /** The name it has from then on. */
  name: string | undefined;
}

/**
 * Merges a dictionary into the one of its direction, or makes that one, and names the glossary, all at
 * once. Answers false when there is no such glossary.
 */
export type Merge = (accountId: string, glossaryId: string, added: Addition) => Promise<boolean>;

/** @returns a function that throws ServiceError storage_unavailable when others never let it */
export function createMerging(store: Pick<GlossaryStore, 'entries' | 'putDictionary'>): Merge {
  /** The last merge into each dictionary; the next one waits for it instead of colliding. */
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
