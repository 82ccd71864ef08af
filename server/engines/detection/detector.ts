/**
 * Tells the language of a text by its script where that is enough, else by weighing statistics,
 * very frequent words and distinctive letters.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Detection, DetectionEngine } from '../engine.ts';
import {
  detectableLanguages,
  han,
  letterEvidence,
  type LetterEvidence,
  mainScript,
  ownWords,
  readableText,
  type Script,
} from './letters.ts';
import type { Evidence } from './common-words.ts';
import {
  type ForeignWords,
  foreignWords,
  listEvidence,
  loadStatistics,
  type Statistics,
  withoutNgrams,
} from './evidence.ts';
import { commonWordsIn, type CommonWords } from './common-words.ts';
import { createWordLists, type WordListOptions, type WordLists } from './word-lists.ts';

/** What each kind of evidence counts; set by hand on the tests' sentences and on messages of programs. */
const weights = {
  ngrams: 1,
  network: 0.6,
  words: 1.3,
  letters: 0.45,
  lists: 2,
  alien: 0.5,
} as const;
/** The network guesses wildly below this length, in UTF-16 units. */
const NETWORK_LENGTH = 32;
/** Texts of more words are detected by statistics; fewer are looked up, and judged with more care. */
const FEW_WORDS = 8;
/** What a language without a list has of the words: little, where another one has all. */
const UNLISTED = 0.35;
/** A language has so much of a text that it is more than chance: of its words, of its letters. */
const BACKING = { frequent: 0.5, listed: 0.6, all: 0.8, usual: 0.84, certain: 0.95 } as const;
/** Two languages that have the words of a text to shares nearer than this both have them. */
const SAME_SHARE = 0.1;
/** The leads that one word takes, and few, where two languages have them all, and between languages alike. */
const SHARED_MARGIN = { one: 1.2, few: 0.6 } as const;
const ALIKE_MARGIN = 0.4;
/** A usual language decides between those that have the words where it is so much more usual, and so much of all is in it. */
const USUAL_LEAD = 4;
const USUAL_SHARE = 0.25;
/** So much more of a text is very frequent words of one language: they tell, though others have them. */
const FREQUENT_LEAD = 0.4;
/** Of languages that have so much less of a text in their lists nothing speaks but a guess. */
const LEAST_LISTED = 0.6;
/** What a language leads by that is clear against those of which nothing speaks; more over those that have a part. */
const CLEAR_LEAD = 0.5;
/** What several words lead by at most for a usual language that has them all; of one word statistics know nothing. */
const USUAL_MARGIN = 0.75;
/** So much more of a text is common words of a language without a list: it may be that one. */
const MORE_FREQUENT = 0.1;
/** Languages that statistics mistake for one another. */
const alike = [
  ...['da nb sv', 'cs sk', 'hr sl', 'ru uk be bg sr mk', 'fi et', 'tr az', 'hi mr ne'],
  ...['id su jv', 'nl af'],
].map((group) => new Set(group.split(' ')));
/** Scores nearer to each other than this decide nothing; the fewer letters, the less a lead means. */
function decisiveMargin(text: string, hasFewWords: boolean): number {
  return (hasFewWords ? 0.12 : 0.04) + 0.7 / text.length;
}
/** Below this even the likeliest language has next to nothing to show. */
const LEAST_SCORE = 0.3;

/**
 * Names and single words may lead away from what somebody says a text is in; a sentence of another
 * language leads by more than one.
 */
const LEAD_OVER_EXPECTED = 0.7;
/** In longer texts names and mistakes do not count for much, in UTF-16 units. */
const SHORT = 200;

/** Which language it is likelier to be before anything is read: what people mostly translate. */
const priors: ReadonlyMap<LanguageTag, number> = new Map(
  (
    [
      [0.08, 'en'],
      [0.04, 'de fr es ru ar zh hi he'],
      [0.03, 'it pt nl pl tr sv id'],
      [0.02, 'uk cs da nb fi hu ro bg el et lt lv vi'],
      [0.01, 'sk sl'],
      [0, 'sr fa th'],
      [-0.03, 'be'],
      [-0.05, 'hr'],
      [-0.06, 'ca'],
      [-0.1, 'ur mr'],
      [-0.12, 'gl'],
    ] as const
  ).flatMap(([prior, languages]) => languages.split(' ').map((each) => [each, prior] as const)),
);
/** Languages of which few texts come. */
const RARE_PRIOR = -0.2;

/**
 * Loads the detectors: some 70 MB of memory, and half a second of the main thread. The lists of words
 * are another 30 MB, read when a short text comes first.
 */
export async function createDetector(options: WordListOptions): Promise<DetectionEngine> {
  const lists = createWordLists(options);
  const means = { statistics: await loadStatistics(), lists };
  // Whoever asks for the language of a text mostly asks for the others as well.
  let last: { text: string; listed: number; scoring: Scoring } | undefined;
  const scored = (text: string) => {
    const listed = lists.languages.size;
    if (last?.text !== text || last.listed !== listed) {
      last = { text, listed, scoring: score(text, means) };
    }
    return last.scoring;
  };
  return {
    name: 'eld and cld3',
    languages: detectableLanguages,
    detect: (text, { expected, usual } = {}) => {
      const scoring = scored(text);
      const isShort = text.length < SHORT;
      return isShort && isPlausible(expected, scoring)
        ? { status: 'success', language: expected }
        : conclude(scoring, usual);
    },
    rank: (text) => {
      const scoring = scored(text);
      const languages = scoring.scores.map(({ language }) => language);
      return writtenOf(languages, scoring);
    },
    prepare: async (texts) => {
      if (texts.some(hasFewWords)) await lists.load();
    },
  };
}

/** What speaks for the languages of a text, the likeliest first. */
interface Scoring {
  scores: readonly Scored[];
  /** Whether a language has the words, all but a part that may be a name. */
  hasWords: (language: LanguageTag) => boolean;
  /** Whether a word of it is another language's rather than this one's. */
  isForeign: (language: LanguageTag) => boolean;
  /** Whether a language writes with all its letters, those of names aside where there are other words. */
  hasLetters: (language: LanguageTag) => boolean;
  /** Nothing but one detector speaks for the best. */
  isGuess: boolean;
  /** The lead over a language that decides: more where that has few words as surely as the best. */
  marginOver: (language: LanguageTag) => number;
  /** Whether a language has all words, so that it may be theirs where it is usual, though another leads. */
  mayBeUsual: (scored: Scored) => boolean;
}

interface Scored {
  language: LanguageTag;
  score: number;
}

interface Means {
  statistics: Statistics;
  lists: WordLists;
}

function score(text: string, means: Means): Scoring {
  const readable = readableText(text);
  const script = mainScript(readable);
  if (script === undefined) return certainly([]);
  if (script === han) return certainly(isJapanese(readable) ? ['ja', 'zh'] : ['zh', 'ja']);
  if (script.languages.length === 1) return certainly(script.languages);
  return weigh(readable, script, means);
}

function certainly(languages: readonly LanguageTag[]): Scoring {
  const scores = languages.map((language, i) => ({ language, score: 1 / (i + 1) }));
  return { scores, ...longScoring(0) };
}

/** How languages are detected where there are no few words to look up. */
function longScoring(margin: number, letters?: LetterEvidence): Omit<Scoring, 'scores'> {
  return {
    isGuess: false,
    hasWords: () => true,
    isForeign: () => false,
    hasLetters: (language) => letters?.areAllOf(language) !== false,
    marginOver: () => margin,
    mayBeUsual: () => false,
  };
}

function conclude(scoring: Scoring, usual: Evidence | undefined): Detection {
  const { scores, hasWords, isForeign, hasLetters, isGuess, marginOver, mayBeUsual } = scoring;
  const [best] = scores;
  if (best === undefined || best.score < LEAST_SCORE) return { status: 'no_language_detected' };
  const { language } = best;
  const others = scores.slice(1);
  const near = others.filter((other) => best.score - other.score < marginOver(other.language));
  const languagesOf = (list: readonly Scored[]) => list.map((each) => each.language);
  const candidates = [language, ...languagesOf(near).filter(hasLetters)];
  const possible = [
    ...candidates.filter(hasWords),
    ...languagesOf(others.filter(mayBeUsual)).filter(
      (other) => hasLetters(other) && !candidates.includes(other),
    ),
  ];
  const own = usual && mostUsual(possible, usual);
  // What a language hardly has it need not be, however usual.
  if (own !== undefined && (own === language || !isForeign(own)))
    return { status: 'success', language: own };
  return near.length === 0 && !isGuess
    ? { status: 'success', language }
    : {
        status: 'insufficient_confidence',
        language,
        candidates: writtenOf([...new Set([...candidates, ...possible])], scoring),
      };
}

/** The languages that write with all letters of a text; the first alone where none does. */
function writtenOf(languages: readonly LanguageTag[], { hasLetters }: Scoring): LanguageTag[] {
  const written = languages.filter(hasLetters);
  return written.length === 0 ? languages.slice(0, 1) : written;
}

/** The one of several languages that is more usual than the others by far. */
function mostUsual(languages: readonly LanguageTag[], usual: Evidence): LanguageTag | undefined {
  const shareOf = (language: LanguageTag) => usual.get(language) ?? 0;
  const [first, second] = languages.toSorted((one, other) => shareOf(other) - shareOf(one));
  const all = [...usual.values()].reduce((sum, share) => sum + share, 0);
  if (first === undefined || shareOf(first) < USUAL_SHARE * all) return undefined;
  const isClear = second === undefined || shareOf(first) >= USUAL_LEAD * shareOf(second);
  return isClear ? first : undefined;
}

/** Whether a text may well be in the language that it should be in. */
function isPlausible(
  expected: LanguageTag | undefined,
  { scores }: Scoring,
): expected is LanguageTag {
  const own = scores.find(({ language }) => language === expected)?.score;
  return (
    own !== undefined && own >= LEAST_SCORE && own > (scores[0]?.score ?? 0) - LEAD_OVER_EXPECTED
  );
}

/** Characters that only Japanese writes: simplified otherwise than in China, or made in Japan. */
function isJapanese(text: string): boolean {
  return /[々〆込働畑峠駅図円読売帰気広辺沢桜栄歩戦伝単対応労覚関験効済総続転闘発抜変薬両陽]/u.test(
    text,
  );
}

/** The words written in a script, in lower case: names in other letters would mislead. */
function wordsIn(text: string, { letter }: Script): string[] {
  const words = text.split(' ').filter((word) => letter.test(word.toLowerCase()));
  const own = words.filter((word, index) => index === 0 || !/^\p{Lu}/u.test(word));
  const hasOwnWords = words.length <= FEW_WORDS && own.some((word) => /^\p{Ll}/u.test(word));
  return (hasOwnWords ? own : words).map((word) => word.toLowerCase());
}

function weigh(readable: string, script: Script, { statistics, lists }: Means): Scoring {
  const words = wordsIn(readable, script);
  const text = words.join(' ');
  const ngrams = statistics.byNgrams(text);
  const guess = statistics.byNetwork(text);
  const common = commonWordsIn(words);
  const letters = letterEvidence(text);
  const isShort = words.length <= FEW_WORDS;
  const listed = isShort ? listEvidence(words, script, lists) : new Map<LanguageTag, number>();
  const foreign = foreignWords(isShort ? words : [], { statistics, lists, script });
  // Of a language without a list only the common words are known: most must be, as a few are by chance.
  const knownIn = (language: LanguageTag) => {
    const share = isShort ? (common.shares.get(language) ?? 0) : 0;
    return listed.get(language) ?? (share >= BACKING.listed ? share : UNLISTED);
  };
  const trust = Math.min(1, text.length / NETWORK_LENGTH);
  const scores = script.languages.map((language) => {
    const network = guess.language === language ? trust * guess.probability : 0;
    // A language that one detector lacks depends on the other. The cube sets the best one apart.
    const byNgrams = withoutNgrams.has(language) ? network : (ngrams.get(language) ?? 0) ** 3;
    const score =
      weights.ngrams * byNgrams +
      weights.network * network +
      weights.words * (common.frequent.get(language) ?? 0) +
      weights.letters * letters.evidence(language) +
      weights.lists * (knownIn(language) - UNLISTED) -
      (foreign.isAlien(language) ? weights.alien : 0) +
      (priors.get(language) ?? RARE_PRIOR);
    return { language, score };
  });
  scores.sort((one, other) => other.score - one.score);
  const margin = decisiveMargin(text, isShort);
  const own = ownWords(readable);
  const ownLetters = own === '' ? undefined : letterEvidence(own);
  const firstWord = readable.split(' ', 1).join().toLowerCase();
  if (!isShort) return { scores, ...longScoring(margin, ownLetters) };
  const isOneWord = words.length === 1;
  const found = {
    isOneWord,
    letters: ownLetters ?? letterEvidence(firstWord),
    ownLetters,
    foreign,
    margin,
    scores,
    common,
    listed,
    guess,
  };
  return { scores, ...shortScoring(found) };
}

/** What was found of few words. */
interface ShortText {
  isOneWord: boolean;
  /** Of the words that are no names, or of the first where all may be. */
  letters: LetterEvidence;
  /** Of the words that are no names; undefined where all may be. */
  ownLetters: LetterEvidence | undefined;
  foreign: ForeignWords;
  margin: number;
  scores: readonly Scored[];
  common: CommonWords;
  listed: Evidence;
  guess: { language: LanguageTag };
}

/** How languages are detected by few words, which more than one may have. */
function shortScoring(found: ShortText): Omit<Scoring, 'scores'> {
  const { isOneWord, letters, ownLetters, foreign, margin, scores, common, listed, guess } = found;
  const { isForeign, isAlien } = foreign;
  const frequentIn = (language: LanguageTag) => common.frequent.get(language) ?? 0;
  const listedIn = (language: LanguageTag) => listed.get(language) ?? 0;
  const commonIn = (language: LanguageTag) => common.shares.get(language) ?? 0;
  const hasCommonWords = (language: LanguageTag) => commonIn(language) >= BACKING.listed;
  // What one detector says alone is a guess among all languages.
  const isBacked = (language: LanguageTag) =>
    guess.language === language ||
    frequentIn(language) >= BACKING.frequent ||
    (listed.has(language)
      ? listedIn(language) >= BACKING.listed
      : !isOneWord && hasCommonWords(language));
  const hasWords = (language: LanguageTag) =>
    listed.has(language) ? listedIn(language) >= BACKING.all : isBacked(language);
  const [best] = scores;
  if (best === undefined) return longScoring(margin, letters);
  const known = listedIn(best.language);
  const areRarer = (language: LanguageTag) =>
    frequentIn(best.language) - frequentIn(language) >= FREQUENT_LEAD;
  const everydayIn = (language: LanguageTag) => common.everyday.get(language) ?? 0;
  // Everyday words that only one has tell in company: they are most of the text, or all is common there.
  const areToldFrom = (language: LanguageTag) => {
    if (isOneWord) return false;
    if (known > 0 && isForeign(language)) return true;
    if (commonIn(best.language) <= commonIn(language)) return false;
    const isAllCommon = commonIn(best.language) >= BACKING.certain;
    const hasMoreEveryday = everydayIn(best.language) > everydayIn(language);
    return isAllCommon ? hasMoreEveryday || areRarer(language) : known > 0 && areRarer(language);
  };
  const hasLetters = (language: LanguageTag) =>
    listedIn(language) >= BACKING.certain || letters.areAllOf(language);
  const isWritten = known >= BACKING.certain || ownLetters?.areAllOf(best.language) !== false;
  const isGuess = !isBacked(best.language) || !isWritten || isAlien(best.language);
  return {
    isGuess,
    hasWords,
    isForeign,
    hasLetters,
    marginOver: (language) => {
      // What nothing else speaks for may be any language.
      if (isGuess) {
        const isUnknown = !isBacked(language) && listedIn(language) < LEAST_LISTED;
        const isClear = !isOneWord && ownLetters !== undefined && isUnknown;
        return isClear ? CLEAR_LEAD + listedIn(language) / 2 : Infinity;
      }
      if (isAlien(language)) return 0;
      // Of words that both have, no lead of statistics tells whose they are.
      if (listedIn(language) >= BACKING.certain && !areToldFrom(language)) return Infinity;
      if (known >= BACKING.certain && !isBacked(language)) return 0;
      const isShared = known > 0 && listedIn(language) >= known - SAME_SHARE && !areRarer(language);
      const shared = SHARED_MARGIN[isOneWord ? 'one' : 'few'];
      // Without a list, very frequent words are all that can speak for it.
      const isFrequent = frequentIn(language) > frequentIn(best.language) + MORE_FREQUENT;
      const isOpen = known < BACKING.certain || hasCommonWords(language);
      if (!listed.has(language) && isFrequent && isOpen) return Infinity;
      const areAlike = alike.some((group) => group.has(best.language) && group.has(language));
      return Math.max(margin, isShared ? shared : 0, areAlike ? ALIKE_MARGIN : 0);
    },
    mayBeUsual: ({ language, score }) =>
      listedIn(language) >= BACKING.usual &&
      (isOneWord || (best.score - score < USUAL_MARGIN && !areRarer(language))),
  };
}

function hasFewWords(text: string): boolean {
  return readableText(text).split(' ', FEW_WORDS + 1).length <= FEW_WORDS;
}
