/** Translation in voice sessions: formality and glossary are resolved once for the whole session. */
import { ServiceError, invalid } from '../../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { MAX_TARGET_LANGUAGES } from '../../../shared/schemas/voice-session.ts';
import type { LanguagePair } from '../../engines/engine.ts';
import type { Caller } from '../../http/door.ts';
import type { TermIndex } from '../../glossaries/terms/term-index.ts';
import { layOutPlain } from '../../text/markup/segment-layout.ts';
import type { TranslateText } from '../path/translate.ts';
import { checkedGlossaryId, type Glossaries } from '../../glossaries/glossaries.ts';
import type { Translation } from '../../translation/translation.ts';
import { translateLayouts } from '../../translation/wishes.ts';

/** Maps values of `formality` in a session request to the engines' values. */
const formalities: ReadonlyMap<string, 'more' | 'less' | undefined> = new Map([
  ['default', undefined],
  ['formal', 'more'],
  ['more', 'more'],
  ['informal', 'less'],
  ['less', 'less'],
]);

/**
 * Most dictionaries to load before a session begins: one per target. When the spoken language is not
 * fixed there may be more; those are loaded when their language is first heard.
 */
const MAX_READ_AHEAD = MAX_TARGET_LANGUAGES;

/** The translation settings of a session request. */
export interface LiveTranslationRequest {
  /** Undefined for visitors of the demo page, who have no glossaries. */
  caller: Caller | undefined;
  glossaryId: string | undefined;
  formality: string | undefined;
  /** Language pairs that may occur, all of them served; empty when nothing is translated. */
  pairs: readonly LanguagePair[];
}

export interface LiveTranslation {
  /**
   * Checks a session's settings and loads what it needs, so that the first sentence does not wait. A
   * session keeps the dictionaries it has loaded even if the glossary changes.
   *
   * @returns a function that translates sentences as `POST /v2/translate` would
   * @throws ServiceError invalid_request for a formality that no engine supports in any of the targets
   *   and for a glossary without a dictionary for any of the pairs; not_found for an unknown glossary
   */
  prepare(request: LiveTranslationRequest): Promise<{ translateText: TranslateText }>;
}

export interface LiveTranslationOptions {
  translation: Translation;
  glossaries: Pick<Glossaries, 'get' | 'glossaryFor'>;
}

export function createLiveTranslation(options: LiveTranslationOptions): LiveTranslation {
  const { translation } = options;
  return {
    async prepare({ caller, glossaryId, formality: requested = 'default', pairs }) {
      const formality = checkedFormality(requested, pairs, translation);
      const terms =
        glossaryId === undefined
          ? undefined
          : await readGlossary({ caller, glossaryId, pairs, glossaries: options.glossaries });
      const translateText: TranslateText = async (text, { source, target, signal }) => {
        const glossary = await terms?.({ source, target });
        const layout = layOutPlain(text, { splitting: 'lines-and-sentences', language: source });
        const { texts } = await translateLayouts([layout], translation, {
          source,
          target,
          signal,
          sentences: 'split',
          account: caller?.account.accountId,
          ...(formality !== undefined && { formality }),
          ...(glossary !== undefined && { glossary }),
        });
        return texts[0] ?? '';
      };
      return { translateText };
    },
  };
}

/** @throws ServiceError invalid_request, listing what is possible */
function checkedFormality(
  requested: string,
  pairs: readonly LanguagePair[],
  translation: Translation,
): 'more' | 'less' | undefined {
  if (!formalities.has(requested)) {
    throw invalid(
      `Value for 'formality' not supported. Possible: ${[...formalities.keys()].join(', ')}.`,
    );
  }
  const wish = formalities.get(requested);
  const isPossible = (pair: LanguagePair) => translation.choosesFormality(pair);
  if (wish === undefined || pairs.length === 0 || pairs.some(isPossible)) return wish;
  const targets = [...new Set(pairs.map(({ target }) => target))].join(', ');
  const sources = new Set(pairs.map(({ source }) => source));
  const possible = translation
    .formalityTargets()
    .filter((target) => [...sources].some((source) => isPossible({ source, target })))
    .sort()
    .join(', ');
  throw invalid(
    `formality: the running engines cannot choose it in any of the target languages (${targets}). ` +
      (possible === ''
        ? "No running engine chooses it: connect a chat engine, or use 'default'."
        : `Target languages in which one can: ${possible}.`),
  );
}

/** Returns the terms of a language pair; undefined where the glossary has no dictionary for the pair. */
type TermsOf = (pair: LanguagePair) => Promise<TermIndex | undefined>;

/**
 * @throws ServiceError not_found; invalid_request when the glossary has no dictionary for any of the
 *   pairs
 */
async function readGlossary({
  caller,
  glossaryId,
  pairs,
  glossaries,
}: Required<Pick<LiveTranslationRequest, 'caller' | 'pairs'>> & {
  glossaryId: string;
  glossaries: LiveTranslationOptions['glossaries'];
}): Promise<TermsOf> {
  const id = checkedGlossaryId(glossaryId);
  if (caller === undefined) {
    throw new ServiceError('not_found', 'There is no glossary with this id.');
  }
  const { accountId } = caller.account;
  const { dictionaries } = await glossaries.get(accountId, id);
  const offered = new Set(
    dictionaries.map(({ source_lang, target_lang }) => `${source_lang}-${target_lang}`),
  );
  // Nothing is translated within one language, so such a pair needs no dictionary.
  const wanted = new Set(pairs.filter(isTranslated).map(nameOf));
  const served = [...wanted].filter((name) => offered.has(name));
  if (wanted.size > 0 && served.length === 0) {
    throw invalid(
      'Bad request. Reason: No dictionary found for language pair ' +
        `${[...wanted].slice(0, MAX_READ_AHEAD).join(', ')} in glossary`,
    );
  }

  const read = new Map<string, Promise<TermIndex | undefined>>();
  const termsOf: TermsOf = async (pair) => {
    const name = nameOf(pair);
    if (!offered.has(name)) return undefined;
    const begun = read.get(name);
    if (begun !== undefined) return begun;
    const index = glossaries.glossaryFor({
      accountId,
      ids: [id],
      source: baseLanguage(pair.source),
      target: baseLanguage(pair.target),
    });
    read.set(name, index);
    // A dictionary that fails to load now is tried again for the next sentence.
    index.catch(() => read.delete(name));
    return index;
  };
  if (served.length <= MAX_READ_AHEAD)
    await Promise.all(served.map((name) => termsOf(pairOf(name))));
  return (pair) => termsOf(pair).catch(ignoreDeleted);
}

/** Ignores a deleted dictionary: the sentence is translated without it. */
function ignoreDeleted(error: unknown): undefined {
  const isGone =
    error instanceof ServiceError && ['not_found', 'invalid_request'].includes(error.code);
  if (!isGone) throw error;
}

function isTranslated({ source, target }: LanguagePair): boolean {
  return baseLanguage(source) !== baseLanguage(target);
}

/** Name of the pair of base languages, as dictionaries are named. */
function nameOf({ source, target }: LanguagePair): string {
  return `${baseLanguage(source)}-${baseLanguage(target)}`;
}

function pairOf(name: string): { source: LanguageTag; target: LanguageTag } {
  const [source = '', target = ''] = name.split('-');
  return { source, target };
}
