/** Which suggestion of a dictionary is surely meant, if any: better none than the wrong one. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';

/** From the surest to what is only near. */
const kinds = [
  ...(['same-letters', 'swapped', 'doubled', 'sounds-alike', 'one-more', 'one-other'] as const),
];
type Kind = (typeof kinds)[number] | 'more';
/** Shorter words resemble too many others: `cron` is no corn, `bloke` none that is broke. */
const leastLengths: Readonly<Record<Exclude<Kind, 'more'>, number>> = {
  'same-letters': 1,
  swapped: 5,
  doubled: 4,
  'sounds-alike': 5,
  'one-more': 6,
  'one-other': 8,
};

/** Letters that are mistaken for one another because they sound alike; an empty one is mute. */
const alike: Readonly<Record<LanguageTag, readonly (readonly [string, string])[]>> = {
  de: [...pairs('d-t f-v v-w e-ä s-ß z-s'), ['', 'h'], ['', 'e']],
  es: [...pairs('b-v s-c s-z c-z g-j x-j m-n'), ['', 'h']],
  fr: [...pairs('g-j c-s s-z e-a i-y k-q'), ['', 'h'], ['', 'e'], ['', 's']],
  it: [...pairs('c-q s-z'), ['', 'h'], ['', 'i']],
  pt: [...pairs('s-z c-s s-ç g-j x-z m-n o-u e-i'), ['', 'h']],
  en: pairs('a-e e-i a-i s-c o-u'),
};
/** Languages whose words of every day, nouns or names of days, may need a capital. */
const capitalising = new Set(['de', 'en']);
/** In English more words sound alike than not. */
const LEAST_LENGTH_IN_ENGLISH = 6;
/** Of such words even two wrong letters leave no doubt, if nothing else is near. */
const TELLING_LENGTH = 8;

/**
 * The suggestion that is meant, as it was suggested; undefined where it is not clear. Those of several
 * words are no candidates.
 *
 * @param word in the case in which it was looked up
 * @param options.isRanked whether the commonest word of those that are equally near comes first
 */
export function clearSuggestion(
  word: string,
  suggestions: readonly string[],
  language: LanguageTag,
  { isRanked = false }: { isRanked?: boolean } = {},
): string | undefined {
  const base = baseLanguage(language);
  if (isOfOtherKind(word, base)) return undefined;
  const candidates = suggestions.filter(
    (each) => /^[\p{L}\p{M}'’]+$/u.test(each) && !isPossessiveOf(word, each),
  );
  // A name in small letters is somebody's wish, but where words of every day need a capital.
  const isName = candidates.some((each) => isCapital(each) && each.toLowerCase() === word);
  if (isName && !capitalising.has(base)) return undefined;
  const judged = candidates.map((each) => ({ each, kind: kindOf(word, each, base) }));
  for (const wanted of kinds) {
    const found = judged.filter(({ kind }) => kind === wanted).map(({ each }) => each);
    if (found.length > 1 && !(isRanked && found[0] === suggestions[0])) return undefined;
    if (found[0] !== undefined) return isLongEnough(word, wanted, base) ? found[0] : undefined;
  }
  const [only] = suggestions;
  const isAlone = suggestions.length === 1 && candidates.length === 1;
  return isAlone && only !== undefined && resembles(word, only) ? only : undefined;
}

/** Words that a dictionary lacks for another reason than a mistake. */
function isOfOtherKind(word: string, language: LanguageTag): boolean {
  // Nobody adds an accent by mistake: `soupçon`, `maître`.
  if (language === 'en') return /[^a-z'’]/i.test(word);
  // As it was written before the reform: `acção`, `óptimo`, `actual`.
  return language === 'pt' && /[cp][cçt]/u.test(word);
}

function isLongEnough(word: string, kind: (typeof kinds)[number], language: LanguageTag): boolean {
  const isEnglish = language === 'en' && kind === 'sounds-alike';
  return word.length >= (isEnglish ? LEAST_LENGTH_IN_ENGLISH : leastLengths[kind]);
}

/** `information's` for `informations`: a plural that does not exist. */
function isPossessiveOf(word: string, suggestion: string): boolean {
  return /['’]s$/.test(suggestion) && suggestion.toLowerCase().replace(/['’]s$/, 's') === word;
}

function kindOf(word: string, suggestion: string, language: LanguageTag): Kind {
  const isSameCase = isCapital(word) === isCapital(suggestion);
  if (folded(word) === folded(suggestion)) {
    const isWord = suggestion.slice(1) === suggestion.slice(1).toLowerCase();
    return isSameCase || (capitalising.has(language) && isWord) ? 'same-letters' : 'more';
  }
  if (!isSameCase) return 'more';
  const { before, wrong, right, after } = difference(word, suggestion);
  // The first letter is the one that people get right.
  if (before === '') return 'more';
  if (wrong.length === 2 && right === `${wrong.charAt(1)}${wrong.charAt(0)}`) return 'swapped';
  if (wrong.length > 1 || right.length > 1) return 'more';
  const changed = wrong + right;
  if (changed.length === 1 && (before.endsWith(changed) || after.startsWith(changed))) {
    return 'doubled';
  }
  const pairsOfLanguage = alike[language] ?? [];
  const soundsAlike = pairsOfLanguage.some(
    ([one, other]) => (one === wrong && other === right) || (other === wrong && one === right),
  );
  if (soundsAlike) return 'sounds-alike';
  return changed.length === 1 ? 'one-more' : 'one-other';
}

/** What is between the longest common beginning and end. */
function difference(word: string, suggestion: string) {
  const shorter = Math.min(word.length, suggestion.length);
  let start = 0;
  while (start < shorter && word[start] === suggestion[start]) start += 1;
  let end = 0;
  while (end < shorter - start && word.at(-1 - end) === suggestion.at(-1 - end)) end += 1;
  return {
    before: word.slice(0, start),
    wrong: word.slice(start, word.length - end),
    right: suggestion.slice(start, suggestion.length - end),
    after: word.slice(word.length - end),
  };
}

function resembles(word: string, suggestion: string): boolean {
  const { before, wrong, right } = difference(word, suggestion);
  return (
    word.length >= TELLING_LENGTH &&
    isCapital(word) === isCapital(suggestion) &&
    before !== '' &&
    Math.max(wrong.length, right.length) <= 3 &&
    Math.abs(wrong.length - right.length) <= 1
  );
}

/** Without accents, apostrophes and case. */
function folded(word: string): string {
  return word
    .toLowerCase()
    .replaceAll('ß', 'ss')
    .normalize('NFD')
    .replace(/[\p{M}'’]/gu, '');
}

function isCapital(word: string): boolean {
  return /^\p{Lu}/u.test(word);
}

function pairs(list: string): (readonly [string, string])[] {
  return list.split(' ').map((pair) => {
    const [one = '', other = ''] = pair.split('-');
    return [one, other] as const;
  });
}
