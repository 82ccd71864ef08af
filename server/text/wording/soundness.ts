/**
 * Checks whether an engine's output can be an improvement of a text. Models may lose a number, drop an
 * address, answer a question instead of correcting it, or write an entirely different text.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { countCodePoints, letterDistance } from '../code-points.ts';
import { sentenceEnds } from '../sentences.ts';
import { OUTER_SIGNS, untouchableSpans } from './edits.ts';

interface SoundnessOptions {
  task: 'correct' | 'rephrase';
  language: LanguageTag;
}

/**
 * Limits of growth and shrinkage relative to the original, plus a free number of characters for short texts.
 */
const bounds = {
  correct: { most: 1.4, least: 0.65, freeGrowth: 12 },
  rephrase: { most: 2, least: 0.35, freeGrowth: 40 },
} as const;
const FREE_SHRINKAGE = 6;
/** Minimum number of longer words from which a sentence must keep one of them in any wording. */
const MIN_TELLING_WORDS = 2;
const TELLING_WORD = 5;

const NUMBER = /\p{N}+/gu;
const WORD = /[\p{L}\p{M}]+/gu;
/** A capital within a sentence: after a lower-case letter or a comma, and a blank. */
const NAME = /(?<=[\p{Ll},] )\p{Lu}[\p{L}\p{M}]+/gu;

/**
 * Rejects an improvement that lost or invented numbers, lost names, addresses or code, added a wrapping such
 * as a preface, changed a negation, or is a different text.
 */
export function isSoundImprovement(
  original: string,
  improved: string,
  { task, language }: SoundnessOptions,
): boolean {
  if (improved === original) return true;
  return (
    hasFittingLength(original, improved, task) &&
    sameNumbers(original, improved) &&
    keepsUntouchables(original, improved) &&
    keepsNames(original, improved, baseLanguage(language)) &&
    !isWrapped(original, improved, task) &&
    (task === 'correct'
      ? isCorrected(original, improved, language)
      : isRephrased(original, improved, language))
  );
}

function hasFittingLength(original: string, improved: string, task: 'correct' | 'rephrase') {
  const { most, least, freeGrowth } = bounds[task];
  const before = countCodePoints(original.trim());
  const after = countCodePoints(improved.trim());
  return (
    after > 0 && after <= before * most + freeGrowth && after >= before * least - FREE_SHRINKAGE
  );
}

function sameNumbers(original: string, improved: string): boolean {
  const before = found(original, NUMBER).sort();
  const after = found(improved, NUMBER).sort();
  return before.length === after.length && before.every((number, i) => number === after[i]);
}

function keepsUntouchables(original: string, improved: string): boolean {
  return untouchableSpans(original).every(({ start, end }) =>
    improved.includes(original.slice(start, end).replace(OUTER_SIGNS, '')),
  );
}

/** German is exempt: all nouns are capitalised, so names cannot be distinguished. */
function keepsNames(original: string, improved: string, language: LanguageTag): boolean {
  if (language === 'de') return true;
  const words = new Set(found(improved, WORD).map((word) => beginning(word)));
  return found(original, NAME).every((name) => words.has(beginning(name)));
}

function isCorrected(original: string, improved: string, language: LanguageTag): boolean {
  const before = sentencesOf(original, language).length;
  const after = sentencesOf(improved, language).length;
  return after >= before && isWordForWord(original, improved, language);
}

/** Whether no sentence and no negation was lost, as far as different wording allows to tell. */
function isRephrased(original: string, improved: string, language: LanguageTag): boolean {
  const after = wordsOf(improved);
  const before = wordsOf(original);
  const denies = (words: readonly string[]) => words.some((word) => isDenial(word, language));
  if (denies(before) && !denies(after)) {
    const known = new Set(before);
    if (!after.some((word) => mayDeny(word) && !known.has(word))) return false;
  }
  const sentences = sentencesOf(original, language);
  if (sentences.length < 2) return true;
  const kept = new Set(unjoined(after).map((word) => beginning(word)));
  return sentences.every((sentence) => {
    const telling = unjoined(wordsOf(sentence)).filter((word) => word.length >= TELLING_WORD);
    return telling.length < MIN_TELLING_WORDS || telling.some((word) => kept.has(beginning(word)));
  });
}

/** Splits words at apostrophes, since `don't` may become `do not`. */
function unjoined(words: readonly string[]): string[] {
  return words.flatMap((word) => word.split("'"));
}

function sentencesOf(text: string, language: LanguageTag): string[] {
  const trimmed = text.trim();
  let start = 0;
  return sentenceEnds(trimmed, { language, atLineBreaks: true })
    .map((end) => {
      const sentence = trimmed.slice(start, end);
      start = end;
      return sentence;
    })
    .filter((sentence) => /\p{L}/u.test(sentence));
}

/** Returns enough of a word to recognise it when it is inflected, or was misspelled at its end. */
function beginning(word: string): string {
  return word.toLowerCase().slice(0, 3);
}

function found(text: string, pattern: RegExp): string[] {
  return text.match(pattern) ?? [];
}

// Unrequested additions of models: prefaces, quotation marks, Markdown, notes.

/** Characters of emphasis, code and headings. */
const MARKDOWN = /[*_`#~]/gu;
const QUOTATION_MARKS = /["“”„«»]/u;
const OUTER_QUOTATION = /^\s*["“”„«»‘'*_`~]|["“”„«»’'*_`~]\s*$/u;
const OUTER_BRACKET = /[([{][^()[\]{}]*[)\]}][.!]?\s*$/u;
const BRACKET = /[([{]/u;
const LINE_BREAK = /[\r\n]/u;
/** A preface ends with a colon, usually in the first line. */
const COLON = /[:：](?=\s|$)/gu;
const LONGEST_PREFACE = 120;
/** Phrases with which a chat answer begins. */
const OPENING =
  /^\s*(?:sure|certainly|of course|absolutely|okay|ok|here (?:is|are|you)|here['’]s|as requested|gerne|natürlich|selbstverständlich|hier ist|voici|bien sûr|volontiers|claro|por supuesto|aquí (?:está|tienes)|ecco|certo|certamente|aqui está|com certeza)(?!\p{L})/iu;

/** Whether an answer has a wrapping that the original lacks. */
function isWrapped(original: string, improved: string, task: 'correct' | 'rephrase'): boolean {
  if (count(improved, MARKDOWN) > count(original, MARKDOWN)) return true;
  const hasQuotation = QUOTATION_MARKS.test(original) || OUTER_QUOTATION.test(original);
  if (OUTER_QUOTATION.test(improved) && !hasQuotation) return true;
  if (OUTER_BRACKET.test(improved) && !BRACKET.test(original)) return true;
  if (LINE_BREAK.test(improved.trim()) && !LINE_BREAK.test(original.trim())) return true;
  if (task === 'correct') return false;
  if (OPENING.test(improved) && !OPENING.test(original)) return true;
  const preface = (text: string) => count(text.slice(0, LONGEST_PREFACE), COLON);
  return preface(improved) > preface(original);
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

// Compares texts word by word: whether one is a correction of the other.

/** Consecutive words that replace others. */
interface Change {
  removed: readonly string[];
  added: readonly string[];
  /** Whether the change is at the beginning or end of the text. */
  isOuter: boolean;
  /** The words before and after it. */
  beside: readonly (string | undefined)[];
}

const JOINED_WORD = /[\p{L}\p{M}]+(?:['’][\p{L}\p{M}]+)*/gu;
/** Largest share of wrong letters in a word. */
const MAX_WRONG_SHARE = 0.45;
/** Most consecutive function words that a correction may add or drop. */
const MAX_SMALL_WORDS = 2;
/** Limit of word pairs compared between the first and the last change; beyond it, no statement is made. */
const MAX_PAIRS = 6_000_000;
const MAX_WORD_LENGTH = 500;
const MAX_ENDING = 3;

/**
 * Whether each changed word resembles the word it replaces or is a function word, nothing is added at either
 * end, and no negation is lost or gained.
 */
function isWordForWord(original: string, improved: string, language: LanguageTag): boolean {
  const changes = changesBetween(wordsOf(original), wordsOf(improved));
  return changes?.every((change) => isCorrection(change, language)) ?? false;
}

/** Returns the words of a text in lower case, with straight apostrophes. */
function wordsOf(text: string): string[] {
  const words = text.toLowerCase().replaceAll('’', "'").normalize('NFC').match(JOINED_WORD);
  return words ?? [];
}

function isCorrection(change: Change, language: LanguageTag): boolean {
  const { removed, added, isOuter, beside } = change;
  if (!keepsDenials(change, language)) return false;
  if (removed.length === 0 && isOuter) return false;
  // Joined or split words, such as `alot`.
  if (removed.length > 0 && added.length > 0) {
    if (resembles(removed.join(''), added.join(''))) return true;
  }
  // A word that was written twice.
  if (added.length === 0 && removed.every((word) => beside.includes(word))) return true;
  const content = (list: readonly string[]) =>
    list.filter((each) => !isGrammarWord(each, language));
  const before = content(removed);
  const after = content(added);
  if (before.length === after.length) {
    const small = Math.abs(removed.length - added.length);
    return small <= MAX_SMALL_WORDS && before.every((word, i) => resembles(word, after[i] ?? ''));
  }
  // Compared one by one, since a function word may be another one misspelled.
  return (
    removed.length === added.length && removed.every((word, i) => resembles(word, added[i] ?? ''))
  );
}

/** Whether no negation is lost, and each new one corrects a misspelled one. */
function keepsDenials({ removed, added }: Change, language: LanguageTag): boolean {
  const before = removed.filter((word) => isDenial(word, language));
  const after = added.filter((word) => isDenial(word, language));
  if (before.length === after.length) return true;
  if (before.length > after.length) return false;
  return after.every((denial) => removed.some((word) => isMisspelling(word, denial)));
}

function isMisspelling(word: string, meant: string): boolean {
  const letters = (of: string) => Array.from(of.replaceAll("'", '')).sort().join('');
  return letters(word) === letters(meant) || (word.length >= 4 && letterDistance(word, meant) <= 1);
}

function resembles(one: string, other: string): boolean {
  const longest = Math.max(one.length, other.length);
  // Languages without blanks have words as long as sentences.
  if (longest > MAX_WORD_LENGTH) return false;
  return (
    isInflection(one, other) ||
    letterDistance(one, other) <= Math.max(1, Math.floor(longest * MAX_WRONG_SHARE))
  );
}

/** Whether one word inflects the other, like `go` and `goes`. */
function isInflection(one: string, other: string): boolean {
  const isLonger = one.startsWith(other) || other.startsWith(one);
  return isLonger && Math.abs(one.length - other.length) <= MAX_ENDING;
}

/** Returns the changes in order; undefined when the comparison would be too large. */
function changesBetween(before: readonly string[], after: readonly string[]): Change[] | undefined {
  const shorter = Math.min(before.length, after.length);
  let start = 0;
  while (start < shorter && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < shorter - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const height = before.length - end - start;
  const width = after.length - end - start;
  if (height * width > MAX_PAIRS) return undefined;
  const common = commonLengths(before, after, { start, height, width });
  const changes: Change[] = [];
  let [i, j] = [0, 0];
  while (i < height || j < width) {
    const [fromI, fromJ] = [i, j];
    while (i < height || j < width) {
      if (i < height && j < width && before[start + i] === after[start + j]) break;
      const isRemoved =
        j === width ||
        (i < height &&
          (common[(i + 1) * (width + 1) + j] ?? 0) >= (common[i * (width + 1) + j + 1] ?? 0));
      if (isRemoved) i += 1;
      else j += 1;
    }
    if (i > fromI || j > fromJ) {
      changes.push({
        removed: before.slice(start + fromI, start + i),
        added: after.slice(start + fromJ, start + j),
        isOuter: start + fromJ === 0 || start + j === after.length,
        beside: [after[start + fromJ - 1], after[start + j]],
      });
    }
    while (i < height && j < width && before[start + i] === after[start + j]) {
      i += 1;
      j += 1;
    }
  }
  return changes;
}

/**
 * Returns, for each pair of positions, the length of the common subsequence from there on; one row per
 * original word.
 */
function commonLengths(
  before: readonly string[],
  after: readonly string[],
  { start, height, width }: { start: number; height: number; width: number },
): Uint16Array {
  const row = width + 1;
  const common = new Uint16Array((height + 1) * row);
  for (let i = height - 1; i >= 0; i -= 1) {
    for (let j = width - 1; j >= 0; j -= 1) {
      const isSame = before[start + i] === after[start + j];
      common[i * row + j] = isSame
        ? (common[(i + 1) * row + j + 1] ?? 0) + 1
        : Math.max(common[(i + 1) * row + j] ?? 0, common[i * row + j + 1] ?? 0);
    }
  }
  return common;
}

// Function words and negations, by language.

/** Articles, prepositions and auxiliaries: grammar corrections add, drop and change them. */
const grammarWords: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words(`
    der die das den dem des ein eine einen einem einer eines zu zum zur im in an am auf für mit von vom bei
    beim um und dass es sich als wie ist sind war waren sei wäre hat haben hatte hatten habe bin bist wird
    werden wurde wurden
  `),
  en: words(`
    a an the to of in on at for with by as than that which who whom is are was were be been being am has
    have had do does did will would and it its s there
  `),
  es: words(`
    el la los las lo un una unos unas a al de del en con por para que se y e o u es son era eran fue está
    están ha han he hay
  `),
  fr: words(`
    le la les l un une des de du d à au aux en dans par pour avec sur que qu qui se s ne n est sont était
    été a ont ai as et y ce c
  `),
  it: words(`
    il lo la i gli le l un uno una di del dello della dei degli delle d a al allo alla ai agli alle da dal
    dalla in nel nella con per su che si e ed è sono era ha hanno ho ci c
  `),
  pt: words(`
    o a os as um uma uns umas de do da dos das em no na nos nas ao à aos às por pelo pela para com que se e é
    são era foi há tem está estão
  `),
};

/** Negations: losing one reverses the meaning of a sentence. */
const denials: Readonly<Record<LanguageTag, ReadonlySet<string>>> = {
  de: words(`
    nicht nichts nie niemals kein keine keinen keinem keiner keines niemand niemanden niemandem ohne weder
    nirgends nein
  `),
  en: words(`
    not no never nobody nothing none neither nor nowhere without cannot cant wont dont doesnt didnt isnt
    arent wasnt werent hasnt havent hadnt wouldnt couldnt shouldnt mustnt neednt aint shant
  `),
  es: words('no nunca jamás nadie nada ningún ninguno ninguna ni sin tampoco'),
  fr: words('pas jamais rien aucun aucune ni non sans nulle'),
  it: words('non mai nessuno nessuna nessun niente nulla né senza no'),
  pt: words('não nunca jamais ninguém nada nenhum nenhuma nem sem'),
};
/** Beginnings of words that may replace a negation, as in `not possible` and `impossible`. */
const DENYING_BEGINNING = /^(?:un|in|im|ir|il|dis|mis|des|lack|fail|refus|hard|avoid|forb)/u;
/** Length up to which a word counts as a function word in a language without a list. */
const SMALL = 3;

/** Whether a lower-case word may be added or dropped by a correction. */
function isGrammarWord(word: string, language: LanguageTag): boolean {
  const known = grammarWords[baseLanguage(language)];
  return known === undefined ? word.length <= SMALL : known.has(word);
}

/** Whether a lower-case word is a negation; false in languages without a list. */
function isDenial(word: string, language: LanguageTag): boolean {
  return denials[baseLanguage(language)]?.has(word.replace(/['’]/g, '')) === true;
}

/** Whether the beginning of a lower-case word may negate it. */
function mayDeny(word: string): boolean {
  return DENYING_BEGINNING.test(word);
}

function words(list: string): ReadonlySet<string> {
  return new Set(list.trim().split(/\s+/));
}
