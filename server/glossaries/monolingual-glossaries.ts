/** Glossaries as v2 knows them: of one direction, never changed. The same ones that v3 has. */
import { ServiceError } from '../../shared/errors.ts';
import type {
  Glossary,
  MonolingualCreation,
  MonolingualGlossary,
} from '../../shared/schemas/glossaries.ts';
import type { GlossaryStore } from './store.ts';
import type { Glossaries } from './glossaries.ts';

/** Every method throws ServiceError invalid_request for malformed input and not_found for what is not there. */
export interface MonolingualGlossaries {
  create(accountId: string, creation: MonolingualCreation): Promise<MonolingualGlossary>;
  /** Those of one direction alone. */
  list(accountId: string): Promise<MonolingualGlossary[]>;
  get(accountId: string, glossaryId: string): Promise<MonolingualGlossary>;
  /** As TSV. */
  entries(accountId: string, glossaryId: string): Promise<string>;
  /** @throws ServiceError invalid_request for one that was changed through v3 */
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
