/** Dictionaries ready to be searched, as many as there is room for. */
import type { DictionaryInfo, GlossaryStore } from './store.ts';
import { buildTermTable, type TermTable } from './terms/term-table.ts';

export interface GlossaryTables {
  /** The table of a dictionary; undefined when the dictionary has gone meanwhile. */
  of(accountId: string, glossaryId: string, info: DictionaryInfo): Promise<TermTable | undefined>;
}

/**
 * Keeps tables by the revision of their dictionary, which changes with every write: none is ever
 * stale. Each is built once, however many ask for it at the same time.
 *
 * @param options.cacheBytes memory for all together; the ones not used for longest make way, and the
 *   one used last is kept even if it is larger
 */
export function createGlossaryTables({
  glossaries,
  cacheBytes,
}: {
  glossaries: Pick<GlossaryStore, 'entries'>;
  cacheBytes: number;
}): GlossaryTables {
  /** In the order of their last use. */
  const tables = new Map<string, TermTable>();
  const building = new Map<string, Promise<TermTable | undefined>>();
  let sizeBytes = 0;

  function keep(revision: string, table: TermTable): void {
    if (tables.delete(revision)) sizeBytes -= table.sizeBytes;
    tables.set(revision, table);
    sizeBytes += table.sizeBytes;
    for (const [oldest, { sizeBytes: freedBytes }] of tables) {
      if (sizeBytes <= cacheBytes || oldest === revision) return;
      tables.delete(oldest);
      sizeBytes -= freedBytes;
    }
  }

  async function build(accountId: string, glossaryId: string, info: DictionaryInfo) {
    const dictionary = await glossaries.entries(accountId, glossaryId, info);
    if (dictionary === undefined) return undefined;
    const table = await buildTermTable(dictionary.entries, info);
    // It may have been changed since its revision was looked up.
    keep(dictionary.revision, table);
    return table;
  }

  return {
    async of(accountId, glossaryId, info) {
      const ready = tables.get(info.revision);
      if (ready !== undefined) {
        keep(info.revision, ready);
        return ready;
      }
      const begun = building.get(info.revision);
      if (begun !== undefined) return begun;
      const work = build(accountId, glossaryId, info);
      building.set(info.revision, work);
      try {
        return await work;
      } finally {
        building.delete(info.revision);
      }
    },
  };
}
