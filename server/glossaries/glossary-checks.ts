/** What of a glossary request can be judged without the database. */
import { ServiceError } from '../../shared/errors.ts';
import { canonicalLanguage } from '../../shared/language.ts';
import type { DictionaryContent } from '../../shared/schemas/glossaries.ts';
import type { Dictionary, DictionaryPair } from './store.ts';
import { parseEntries } from './terms/entries.ts';
import { phraseFault } from './terms/phrase-rules.ts';
import { glossaryLanguages } from '../translation/language-table.ts';

const MAX_NAME_BYTES = 1024;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** @throws ServiceError invalid_request */
export function checkedGlossaryId(id: string): string {
  if (UUID.test(id)) return id.toLowerCase();
  throw invalid('Value for glossary_id not supported: a glossary id is a UUID.');
}

/** @throws ServiceError invalid_request */
export function checkedGlossaryName(name: string): string {
  // Names obey the rules of phrases: no control characters, no outer blanks, a length in bytes.
  const fault =
    name.length > MAX_NAME_BYTES ? `is longer than ${MAX_NAME_BYTES} bytes` : phraseFault(name);
  if (fault === undefined) return name;
  throw invalid(`Value for 'name' not supported: it ${fault}.`);
}

/**
 * A direction of which dictionaries can be made, in lower case.
 *
 * @throws ServiceError invalid_request
 */
export function checkedPair(query: { source_lang: string; target_lang: string }): DictionaryPair {
  const sourceLang = canonicalLanguage(query.source_lang);
  const targetLang = canonicalLanguage(query.target_lang);
  const isPair =
    sourceLang !== undefined &&
    targetLang !== undefined &&
    sourceLang !== targetLang &&
    glossaryLanguages.has(sourceLang) &&
    glossaryLanguages.has(targetLang);
  if (isPair) return { sourceLang, targetLang };
  throw new ServiceError(
    'invalid_request',
    'Unsupported glossary source and target language pair',
    {
      detail:
        `source_lang and target_lang are two of: ${[...glossaryLanguages].join(', ')}. ` +
        'Dictionaries are of base languages and serve their variants.',
    },
  );
}

/**
 * Reads a dictionary that was sent.
 *
 * @throws ServiceError invalid_request, its detail with the place; payload_too_large
 */
export async function checkedDictionary(content: DictionaryContent): Promise<Dictionary> {
  const pair = checkedPair(content);
  const { tsv, entryCount } = await parseEntries({
    text: content.entries,
    format: content.entries_format ?? 'tsv',
    ...pair,
  });
  return { ...pair, entries: tsv, entryCount };
}

/** @throws ServiceError invalid_request when two dictionaries have the same direction */
export function refuseSamePairs(dictionaries: readonly DictionaryPair[]): void {
  const names = dictionaries.map(({ sourceLang, targetLang }) => `${sourceLang}-${targetLang}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice === undefined) return;
  throw invalid(`Value for 'dictionaries' not supported: the language pair ${twice} occurs twice.`);
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
