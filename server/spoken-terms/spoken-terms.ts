/** Lists of spoken terms: created and deleted by their accounts, used by their voice sessions. */
import { randomUUID } from 'node:crypto';
import { ServiceError, invalid } from '../../shared/errors.ts';
import { canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import {
  MAX_SPOKEN_TERM_CHARACTERS,
  MAX_SPOKEN_TERMS,
  type SpokenTerms,
  type SpokenTermsCreation,
  type SpokenTermsInfo,
} from '../../shared/schemas/spoken-terms.ts';
import { voiceSourceLanguages } from '../../shared/schemas/voice-session.ts';
import { checkedUuid } from '../../shared/uuid.ts';
import type { Caller } from '../http/door.ts';
import type {
  SpokenTermsStore,
  SpokenTermsInfo as StoredInfo,
  SpokenTermsList as StoredList,
} from './store.ts';
import { countCodePoints, FORBIDDEN_CHARACTER } from '../text/code-points.ts';
import { checkedGlossaryName } from '../glossaries/glossaries.ts';

/** Maximum number of lists of an account. */
const MAX_LISTS = 1000;
/** Maximum length of a term before trimming, in UTF-16 units: longer ones are refused unread. */
const MAX_RAW_UNITS = 1024;
/** Every method throws ServiceError invalid_request for malformed input and not_found for a missing list. */
export interface SpokenTermLists {
  create(accountId: string, creation: SpokenTermsCreation): Promise<SpokenTerms>;
  list(accountId: string): Promise<SpokenTermsInfo[]>;
  get(accountId: string, spokenTermsId: string): Promise<SpokenTerms>;
  delete(accountId: string, spokenTermsId: string): Promise<void>;
  /**
   * Returns the terms of a list for a voice session; error messages name `spoken_terms_id`.
   *
   * @param caller undefined for visitors of the demo, who have no lists
   */
  find(
    caller: Caller | undefined,
    spokenTermsId: string,
  ): Promise<{ language: LanguageTag | undefined; terms: readonly string[] }>;
}

export function createSpokenTerms({
  spokenTerms: store,
}: {
  spokenTerms: SpokenTermsStore;
}): SpokenTermLists {
  async function known(accountId: string, id: string): Promise<StoredList> {
    const found = await store.find(accountId, checkedId(id));
    if (found === undefined) throw unknown();
    return found;
  }

  return {
    async create(accountId, creation) {
      const terms = checkedTerms(creation.terms);
      const list = {
        spokenTermsId: randomUUID(),
        name: checkedGlossaryName(creation.name),
        language: checkedLanguage(creation.language),
        terms,
        termCount: terms.length,
        createdAtMs: Date.now(),
      };
      if (await store.create(accountId, list, MAX_LISTS)) return toAnswer(list);
      throw invalid(`An account has at most ${MAX_LISTS} lists of spoken terms: delete one first.`);
    },
    list: async (accountId) => (await store.list(accountId)).map(toInfo),
    get: async (accountId, id) => toAnswer(await known(accountId, id)),
    async delete(accountId, id) {
      if (!(await store.delete(accountId, checkedId(id)))) throw unknown();
    },
    async find(caller, id) {
      const spokenTermsId = checkedId(id);
      if (caller === undefined) throw unknown();
      const { language, terms } = await known(caller.account.accountId, spokenTermsId);
      return { language: language ?? undefined, terms };
    },
  };
}

function checkedId(id: string): string {
  return checkedUuid(id, 'spoken_terms_id');
}

function checkedLanguage(given: string | undefined): LanguageTag | null {
  if (given === undefined || given.trim() === '') return null;
  const language = canonicalLanguage(given);
  if (language !== undefined && voiceSourceLanguages.includes(language)) return language;
  throw invalid(
    `Value for 'language' not supported. Possible: ${voiceSourceLanguages.join(', ')}.`,
  );
}

/** Returns the terms in NFC, trimmed and without duplicates, in order. */
function checkedTerms(given: readonly string[]): string[] {
  if (given.length === 0) throw invalid("Value for 'terms' not supported: it is empty.");
  if (given.length > MAX_SPOKEN_TERMS) {
    throw invalid(`Value for 'terms' not supported: a list has at most ${MAX_SPOKEN_TERMS} terms.`);
  }
  return [...new Set(given.map(checkedTerm))];
}

function checkedTerm(given: string, index: number): string {
  const fault = (what: string) => invalid(`Value for 'terms.${index}' not supported: it ${what}.`);
  const tooLong = `is longer than ${MAX_SPOKEN_TERM_CHARACTERS} characters`;
  if (given.length > MAX_RAW_UNITS) throw fault(tooLong);
  const term = given.normalize('NFC').trim();
  if (term === '') throw fault('is empty');
  if (FORBIDDEN_CHARACTER.test(term)) throw fault('contains a control character');
  if (countCodePoints(term) > MAX_SPOKEN_TERM_CHARACTERS) throw fault(tooLong);
  return term;
}

function toInfo(info: StoredInfo): SpokenTermsInfo {
  return {
    spoken_terms_id: info.spokenTermsId,
    name: info.name,
    ...(info.language !== null && { language: info.language }),
    term_count: info.termCount,
    creation_time: new Date(info.createdAtMs).toISOString(),
  };
}

function toAnswer(list: StoredList): SpokenTerms {
  return { ...toInfo(list), terms: list.terms };
}

function unknown(): ServiceError {
  return new ServiceError(
    'not_found',
    'There is no list of spoken terms with this spoken_terms_id.',
  );
}
