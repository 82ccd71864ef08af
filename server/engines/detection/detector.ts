/**
 * Detects the language of a text: by its script where that is sufficient, by its words when they are few, and
 * otherwise by weighing statistics, frequent words and distinctive letters.
 */
import { createRequire } from 'node:module';
import type * as Cld3 from 'cld3-asm';
import type { LanguageTag } from '../../../shared/language.ts';
import type { Detection, DetectionEngine } from '../engine.ts';
import {
  concludeFewWords,
  type Evidence,
  isCommon,
  type Means,
  type Statistics,
  weighFewWords,
} from './few-words.ts';
import {
  detectableLanguages,
  han,
  letterEvidence,
  mainScript,
  ownWords,
  readableText,
  type Script,
} from './letters.ts';
import { createWordLists, type WordListOptions, type WordLists } from './word-lists.ts';

/** Weights of the kinds of evidence, tuned by hand on the tests' sentences and on program messages. */
const weights = {
  ngrams: 1,
  network: 0.6,
  words: 1.3,
  letters: 0.45,
} as const;
/** Length below which the network's guesses are unreliable, in UTF-16 units. */
const NETWORK_LENGTH = 32;
/** Largest number of words for detection by words; longer texts are detected by statistics. */
const FEW_WORDS = 8;
/** Rank up to which a word occurs in almost any text. */
const FREQUENT_RANK = 150;
/**
 * Returns the difference between scores below which neither wins; a lead means less when the text has fewer
 * letters.
 */
function decisiveMargin(text: string): number {
  return 0.04 + 0.7 / text.length;
}
/** Score below which even the likeliest language has too little evidence. */
const LEAST_SCORE = 0.3;

/**
 * Lead that overrides the expected language. Names and single words may point to another language; a sentence
 * in another language leads by more than one word, or two.
 */
const LEAD_OVER_EXPECTED = { words: 12, statistics: 0.7 } as const;
/** Length above which names and mistakes no longer matter much, in UTF-16 units. */
const SHORT = 200;

/** Prior probability of languages, by how often texts in them are translated. */
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
/** Prior of languages in which texts are rare. */
const RARE_PRIOR = -0.2;
/** Scale of the priors relative to logarithms of probabilities. */
const PRIOR_SCALE = 10;

/** Creates the detector. Statistics are loaded for the first text, and word lists for the first short one. */
export function createDetector(options: WordListOptions): DetectionEngine {
  const lists = createWordLists(options);
  let loading: Promise<Statistics> | undefined;
  let statistics: Statistics | undefined;
  // Callers that detect the language of a text usually rank its languages as well.
  let last: { text: string; state: string; judgement: Judgement } | undefined;
  const judged = (text: string) => {
    const state = `${lists.languages.size} ${lists.frequencies !== undefined}`;
    if (last?.text !== text || last.state !== state) {
      if (statistics === undefined) throw new Error('Nothing is detected before `prepare`');
      last = { text, state, judgement: judge(text, { statistics, lists }) };
    }
    return last.judgement;
  };
  return {
    name: 'eld and cld3',
    languages: detectableLanguages,
    detect: (text, { expected, usual } = {}) => {
      const judgement = judged(text);
      const isExpected = text.length < SHORT && judgement.isPlausible(expected);
      return isExpected && expected !== undefined
        ? { status: 'success', language: expected }
        : judgement.conclude(usual);
    },
    rank: (text) => [...judged(text).ranked],
    prepare: async (texts) => {
      loading ??= loadStatistics();
      statistics = await loading.catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
      if (texts.some(needsWordLists)) await lists.load();
    },
  };
}

/** Result of examining a text. */
interface Judgement {
  /** Languages written with its letters, the likeliest first. */
  ranked: readonly LanguageTag[];
  conclude: (usual: Evidence | undefined) => Detection;
  /** Whether the text may be in the expected language. */
  isPlausible: (expected: LanguageTag | undefined) => boolean;
}

interface Scored {
  language: LanguageTag;
  score: number;
}

function judge(text: string, means: Means): Judgement {
  const readable = readableText(text);
  const script = mainScript(readable);
  if (script === undefined) return certainly([]);
  if (script === han) return certainly(isJapanese(readable) ? ['ja', 'zh'] : ['zh', 'ja']);
  if (script.languages.length === 1) return certainly(script.languages);
  const words = wordsIn(readable, script);
  const own = ownWords(readable);
  const { frequencies } = means.lists;
  const isListed = frequencies?.languages.some((each) => script.languages.includes(each));
  if (words.length > FEW_WORDS || frequencies === undefined || !isListed) {
    return byStatistics(weigh(words, script, means), { text: words.join(' '), own });
  }
  const few = weighFewWords(words, {
    ...means,
    script,
    frequencies,
    prior: (language) => PRIOR_SCALE * (priors.get(language) ?? RARE_PRIOR),
  });
  const { weighed } = few;
  return {
    ranked: writtenOf(weighed, own).map(({ language }) => language),
    conclude: (usual) => concludeFewWords(few, { own, usual }),
    isPlausible: (expected) => isNear(expected, weighed, LEAD_OVER_EXPECTED.words),
  };
}

function certainly(languages: readonly LanguageTag[]): Judgement {
  const [language] = languages;
  return {
    ranked: languages,
    conclude: () =>
      language === undefined ? { status: 'no_language_detected' } : { status: 'success', language },
    isPlausible: (expected) => expected !== undefined && languages.includes(expected),
  };
}

/** Judges by scores, sorted in descending order. */
function byStatistics(
  scores: readonly Scored[],
  { text, own }: { text: string; own: string },
): Judgement {
  const [best] = scores;
  const languagesOf = (list: readonly Scored[]) => list.map(({ language }) => language);
  const isNothing = best === undefined || best.score < LEAST_SCORE;
  const near = scores.filter(({ score }) => (best?.score ?? 0) - score < decisiveMargin(text));
  return {
    ranked: languagesOf(writtenOf(scores, own)),
    conclude: () => {
      if (isNothing) return { status: 'no_language_detected' };
      const { language } = best;
      if (near.length === 1) return { status: 'success', language };
      const candidates = languagesOf(writtenOf(near, own));
      return { status: 'insufficient_confidence', language, candidates };
    },
    isPlausible: (expected) =>
      !isNothing && isNear(expected, scores, LEAD_OVER_EXPECTED.statistics),
  };
}

/**
 * Returns the languages whose alphabet has all letters of the words that are not names; if there are none,
 * the first language alone.
 */
function writtenOf<Each extends Scored>(scores: readonly Each[], own: string): readonly Each[] {
  const letters = letterEvidence(own);
  const written = scores.filter(({ language }) => letters.areAllOf(language));
  return written.length === 0 ? scores.slice(0, 1) : written;
}

function isNear(
  language: LanguageTag | undefined,
  scores: readonly Scored[],
  lead: number,
): boolean {
  const own = scores.find((each) => each.language === language);
  return own !== undefined && own.score > (scores[0]?.score ?? 0) - lead;
}

/**
 * Whether a text has characters used only in Japanese: simplified differently than in China, or coined in
 * Japan.
 */
function isJapanese(text: string): boolean {
  return /[々〆込働畑峠駅図円読売帰気広辺沢桜栄歩戦伝単対応労覚関験効済総続転闘発抜変薬両陽]/u.test(
    text,
  );
}

/** Returns the words in a script, in lower case, without names in other scripts, which would mislead. */
function wordsIn(text: string, { letter }: Script): string[] {
  const words = text.split(' ').filter((word) => letter.test(word.toLowerCase()));
  const own = words.filter((word, index) => index === 0 || !/^\p{Lu}/u.test(word));
  const hasOwnWords = words.length <= FEW_WORDS && own.some((word) => /^\p{Ll}/u.test(word));
  return (hasOwnWords ? own : words).map((word) => word.toLowerCase());
}

/** Weighs the evidence for each language of a longer text. */
function weigh(words: readonly string[], script: Script, { statistics, lists }: Means): Scored[] {
  const text = words.join(' ');
  const ngrams = statistics.byNgrams(text);
  const guess = statistics.byNetwork(text);
  const frequent = frequentWords(words, script, lists);
  const letters = letterEvidence(text);
  const trust = Math.min(1, text.length / NETWORK_LENGTH);
  const scores = script.languages.map((language) => {
    const network = guess.language === language ? trust * guess.probability : 0;
    // For a language that only one detector knows, that one counts for both. The cube emphasises the best
    // language.
    const byNgrams = withoutNgrams.has(language) ? network : (ngrams.get(language) ?? 0) ** 3;
    const score =
      weights.ngrams * byNgrams +
      weights.network * network +
      weights.words * (frequent.get(language) ?? 0) +
      weights.letters * letters.evidence(language) +
      (priors.get(language) ?? RARE_PRIOR);
    return { language, score };
  });
  return scores.sort((one, other) => other.score - one.score);
}

/**
 * Returns, for each language, the share of words that are frequent in it; a word of several languages counts
 * less for each.
 */
function frequentWords(
  words: readonly string[],
  script: Script,
  { frequencies }: WordLists,
): Evidence {
  const shares = new Map<LanguageTag, number>();
  // The built-in lists alone would favour their languages where others are known from the frequency lists.
  if (frequencies === undefined && script.languages.includes('en')) return shares;
  const parts = words.flatMap((word) => word.split(/['’-]/)).filter((part) => part !== '');
  for (const part of parts) {
    const ranks = frequencies?.ranks(part);
    const languages = script.languages.filter(
      (each) => (ranks?.get(each) ?? Infinity) <= FREQUENT_RANK || isCommon(part, each),
    );
    const share = 1 / parts.length / Math.sqrt(languages.length);
    for (const language of languages) shares.set(language, (shares.get(language) ?? 0) + share);
  }
  return shares;
}

/** Whether a text is short, and in letters of several languages. */
function needsWordLists(text: string): boolean {
  const readable = readableText(text);
  if (readable.split(' ', FEW_WORDS + 1).length > FEW_WORDS) return false;
  const script = mainScript(readable);
  return script !== undefined && script !== han && script.languages.length > 1;
}

// Statistics.

/**
 * Language codes that differ in the detectors. The n-gram tables do not distinguish Malay from Indonesian,
 * and Serbian and Bosnian in Latin script cannot be distinguished from Croatian, so such texts get a common
 * code.
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

/** Languages missing from the n-gram tables. */
const withoutNgrams: ReadonlySet<LanguageTag> = new Set(
  'ceb cy eo ga gl ha ht ig jv la lb mg mi mt st su sw uz xh zu mk kk ky mn tg ps ne yi'.split(' '),
);

/** Compiling the network on a slow or busy machine takes longer than the 3 s its loader allows by default. */
const LOADING_TIMEOUT_MS = 60_000;

/**
 * Loads both detectors, some 25 MB in the bundle, in an eighth of a second; they stay loaded until the
 * process ends.
 */
async function loadStatistics(): Promise<Statistics> {
  const { eld } = await import('eld/small');
  const { loadModule } = createRequire(import.meta.url)('cld3-asm') as typeof Cld3;
  const factory = await loadModule({ timeout: LOADING_TIMEOUT_MS });
  // No minimum length, and a maximum that fits the text cut before: 3 bytes per character.
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
