/**
 * The few mistakes that can be seen without understanding a sentence: a small word written twice, a
 * blank before a comma, a sentence that begins with a small letter.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { abbreviationsOf } from '../sentences.ts';
import { changed, type Edit } from './edits.ts';

/**
 * Words that cannot end one phrase and begin the next, so that no sentence has them twice in a row.
 * Prepositions can where they are left behind (`look for for years`) or are particles (`mit mit`),
 * verbs can (`what it is is`), articles that are also pronouns can (`chacune une`, `die eine eine`).
 */
const neverDoubled: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words('und oder zum zur im vom beim für dass'),
  en: words('the an and or our their your'),
  es: words('el un de del en con por al'),
  fr: words('des du et dans par cette sa ses au aux'),
  it: words('il un di del della nel nella con per al alla'),
  pt: words('de do em com por ao'),
};
/** French has a blank before the last three. */
const WITHOUT_BLANKS = /([\p{L}\p{M}]) +([,.;!?])(?=\s|$)/gu;
const WITHOUT_BLANKS_IN_FRENCH = /([\p{L}\p{M}]) +([,.])(?=\s|$)/gu;
const DOUBLED =
  /(?<![\p{L}\p{M}\p{N}'’-])([\p{L}\p{M}]{1,8})([ \t]+)([\p{L}\p{M}]{1,8})(?![\p{L}\p{M}\p{N}'’-])/gu;
/** Only after a full stop: "Oh! what a day" goes on. */
const NEW_SENTENCE = /(?<![\p{L}\p{M}.'’-])(\p{Lu}?[\p{Ll}\p{M}]+)\.( +)(\p{Ll})/gu;
/** A shorter word before a full stop may be an abbreviation, as may these. */
const LEAST_WORD = 4;
const moreAbbreviations = words('corp univ resp sect vers misc tech excl trad appr univ inst temp');

/** The text without such mistakes, where the language is one whose rules are known here. */
export function safeGrammar(text: string, language: LanguageTag): string {
  const base = baseLanguage(language);
  const isKnown = Object.hasOwn(neverDoubled, base);
  if (!isKnown) return text;
  const undoubled = changed(text, (each) => doubledWords(each, base));
  const joined = changed(undoubled, (each) => blanksBeforeSigns(each, base));
  return changed(joined, (each) => smallBeginnings(each, base));
}

function doubledWords(text: string, language: LanguageTag): Edit[] {
  const found = neverDoubled[language] ?? new Set();
  const edits: Edit[] = [];
  DOUBLED.lastIndex = 0;
  for (let match = DOUBLED.exec(text); match !== null; match = DOUBLED.exec(text)) {
    const [, first = '', blank = '', second = ''] = match;
    const start = match.index + first.length;
    const isSame = first.toLowerCase() === second.toLowerCase();
    // With a capital, the second one is a name or a beginning.
    const isDoubled = isSame && second === second.toLowerCase() && found.has(second);
    if (isDoubled) edits.push({ start, end: start + blank.length + second.length, text: '' });
    // The second word may be the first of another pair.
    DOUBLED.lastIndex = isDoubled ? match.index + match[0].length : start;
  }
  return edits;
}

function blanksBeforeSigns(text: string, language: LanguageTag): Edit[] {
  const pattern = language === 'fr' ? WITHOUT_BLANKS_IN_FRENCH : WITHOUT_BLANKS;
  return [...text.matchAll(pattern)].map(({ 0: all, 1: letter = '', 2: sign = '', index }) => ({
    start: index + letter.length,
    end: index + all.length - sign.length,
    text: '',
  }));
}

function smallBeginnings(text: string, language: LanguageTag): Edit[] {
  const { goesOn } = abbreviationsOf(language);
  return [...text.matchAll(NEW_SENTENCE)].flatMap((match) => {
    const { index } = match;
    const [, before = '', blank = '', letter = ''] = match;
    const word = before.toLowerCase();
    const isEnd = word.length >= LEAST_WORD && !goesOn.has(word) && !moreAbbreviations.has(word);
    const start = index + before.length + 1 + blank.length;
    return isEnd ? [{ start, end: start + 1, text: letter.toUpperCase() }] : [];
  });
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.split(' '));
}

// German as it is written where there are no umlauts: `fuer`, `moechten`, `heisst`.

/** No `ue` as in neue, Bauer, Quelle. */
const SPELLED_OUT = /ae|oe|(?<![aeoq])ue|ss/gu;
const letters: Readonly<Record<string, string>> = { ae: 'ä', oe: 'ö', ue: 'ü', ss: 'ß' };
/** Of the places of one word: twice as many spellings for each. */
const MAX_PLACES = 3;

/** Whether a word, in lower case, has what may stand for an umlaut. */
export function hasSpelledOutUmlaut(word: string): boolean {
  return /ae|oe|(?<![aeoq])ue/u.test(word);
}

/** The words that may be meant by one in lower case, those with the most umlauts first. */
export function umlautSpellings(word: string): string[] {
  const places = [...word.matchAll(SPELLED_OUT)].slice(0, MAX_PLACES);
  const spellings: string[] = [];
  for (let choice = (1 << places.length) - 1; choice > 0; choice -= 1) {
    let spelling = '';
    let done = 0;
    for (const [bit, { 0: pair, index }] of places.entries()) {
      if ((choice & (1 << bit)) === 0) continue;
      spelling += word.slice(done, index) + (letters[pair] ?? pair);
      done = index + pair.length;
    }
    spellings.push(spelling + word.slice(done));
  }
  return spellings;
}
