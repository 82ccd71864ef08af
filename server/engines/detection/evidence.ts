/**
 * What speaks for each language: two statistical detectors that err in different places, under one set
 * of language codes, and the words that are known.
 */
import { loadModule } from 'cld3-asm';
import { eld } from 'eld/small';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Script } from './letters.ts';
import { isCommon, isEveryday, partsOf, type Evidence } from './common-words.ts';
import { RARE_WORD, type WordLists } from './word-lists.ts';

export interface Statistics {
  /** n-gram frequencies: the likeliest language has 1. Knows some 60 languages. */
  byNgrams(text: string): Evidence;
  /** A neural network's one guess and its probability. Knows some 100 languages. */
  byNetwork(text: string): { language: LanguageTag; probability: number };
}

/**
 * Codes that the detectors write otherwise. Malay and Indonesian are one to the n-gram tables, and
 * Serbian and Bosnian in Latin letters cannot be distinguished from Croatian: such texts get one name.
 */
const LATIN_CODES: Readonly<Record<string, LanguageTag>> = {
  no: 'nb',
  fil: 'tl',
  bs: 'hr',
  sr: 'hr',
  ms: 'id',
  ku: 'kmr',
};
const OTHER_CODES: Readonly<Record<string, LanguageTag>> = { iw: 'he', ku: 'ckb' };

/** Languages the n-gram tables do not have. */
export const withoutNgrams: ReadonlySet<LanguageTag> = new Set(
  'ceb cy eo ga gl ha ht ig jv la lb mg mi mt st su sw uz xh zu mk kk ky mn tg ps ne yi'.split(' '),
);

/** Compiling the network takes a slow or busy machine longer than the 3 s that its loader grants. */
const LOADING_TIMEOUT_MS = 60_000;

/** Loads both detectors; they stay for the life of the process. */
export async function loadStatistics(): Promise<Statistics> {
  const factory = await loadModule({ timeout: LOADING_TIMEOUT_MS });
  // Short texts are taken as well, and no more than was cut off before: 3 bytes a character.
  const network = factory.create(0, 1536);
  return {
    byNgrams(text) {
      const scores = Object.entries(eld.detect(text).getScores());
      const best = scores[0]?.[1] ?? 1;
      const codes = codesFor(text);
      const evidence = new Map<LanguageTag, number>();
      for (const [code, score] of scores) evidence.set(codes[code] ?? code, score / best);
      return evidence;
    },
    byNetwork(text) {
      const { language, probability } = network.findLanguage(text);
      return { language: codesFor(text)[language] ?? language, probability };
    },
  };
}

function codesFor(text: string) {
  return /\p{Script=Latin}/u.test(text) ? LATIN_CODES : OTHER_CODES;
}

// Words: very frequent ones, those of the lists, and those that are another language's.

/** So typical of a language are the letters of its usual words, and of a foreign one at most. */
const TYPICAL = 0.9;
const UNTYPICAL = 0.5;

/** Which languages have few words only by forms that are rather another language's. */
export interface ForeignWords {
  /**
   * Whether it has a word only by a form that hardly anybody writes, `vida` of French `vider`: by its
   * letters it is another language's, which has it as well. One word alone must be at home in two.
   */
  isForeign: (language: LanguageTag) => boolean;
  /**
   * Whether it is its dictionary alone that has such a word: a rare one here, or an everyday one of
   * another, `una` of Portuguese `unir`. Never of languages without a list.
   */
  isAlien: (language: LanguageTag) => boolean;
}

export function foreignWords(
  words: readonly string[],
  { statistics, lists, script }: { statistics: Statistics; lists: WordLists; script: Script },
): ForeignWords {
  const least = words.length === 1 ? 2 : 1;
  const listed = lists.languages;
  const found = words.map((word) => {
    const ngrams = statistics.byNgrams(word);
    const homes = script.languages.filter(
      (each) =>
        (ngrams.get(each) ?? 0) >= TYPICAL &&
        (isCommon(word, each) || lists.share(each, word) === 1),
    );
    return { word, ngrams, homes };
  });
  const foreignIn = (language: LanguageTag) =>
    found.filter(
      ({ word, ngrams, homes }) =>
        homes.length >= least &&
        !isCommon(word, language) &&
        (ngrams.get(language) ?? 0) < UNTYPICAL,
    );
  return {
    isForeign: (language) => foreignIn(language).length > 0,
    isAlien: (language) =>
      listed.has(language) &&
      foreignIn(language).some(
        ({ word, homes }) =>
          lists.share(language, word) < 1 ||
          homes.some((home) => listed.has(home) && isEveryday(word, home)),
      ),
  };
}

/** Which share of the letters is in words of each language that has a list. */
export function listEvidence(
  words: readonly string[],
  script: Script,
  lists: WordLists,
): Map<LanguageTag, number> {
  const evidence = new Map<LanguageTag, number>();
  const length = words.join('').length;
  const listed = lists.languages;
  for (const language of script.languages) {
    if (!listed.has(language)) continue;
    const known = words.map((word) => word.length * knownShare(word, language, lists));
    evidence.set(language, known.reduce((sum, each) => sum + each, 0) / length);
  }
  return evidence;
}

/** How surely a language with a list has a word, as a whole or in its parts; of hyphens, not all make words. */
function knownShare(word: string, language: LanguageTag, lists: WordLists): number {
  const parts = partsOf(word);
  const shares = parts.map((part) => (isCommon(part, language) ? 1 : lists.share(language, part)));
  const length = parts.join('').length;
  const mean = parts.reduce((sum, part, i) => sum + part.length * (shares[i] ?? 0), 0) / length;
  if (parts.length < 2) return mean;
  const isHyphened = word.includes('-');
  return Math.max(lists.share(language, word), isHyphened ? Math.min(...shares, RARE_WORD) : mean);
}
