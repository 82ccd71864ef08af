/**
 * Detects the language of a text of few words with a generative model: a language is chosen first, and then
 * each word with the frequency it has in that language. Nine tenths of a language's text are its most
 * frequent words, by rank; the rest is shared between dictionary words and words spelled like those of the
 * language. All scores are natural logarithms of probabilities: a lead of 5 means 150 to 1.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Detection } from '../engine.ts';
import { letterEvidence, type Script } from './letters.ts';
import type { WordFrequencies } from './word-frequencies.ts';
import type { WordLists } from './word-lists.ts';

/** Evidence for each language, 0 to 1. */
export type Evidence = ReadonlyMap<LanguageTag, number>;

/** Two statistical detectors with different weaknesses, under a common set of language codes. */
export interface Statistics {
  /** Returns scores by n-gram frequencies, where the likeliest language has 1. Knows some 60 languages. */
  byNgrams(text: string): Evidence;
  /** Returns a neural network's single guess with its probability. Knows some 100 languages. */
  byNetwork(text: string): { language: LanguageTag; probability: number };
}

// Probability of a word in a language.

/**
 * Probability of the lowest-ranked listed word, and its growth towards the first: slower than in running
 * text.
 */
const LISTED = { least: 9e-6, ranks: 10_000, offset: 5, slope: 0.8 } as const;
/**
 * Probability of a word in the built-in lists, which are unordered; for languages without another list they
 * hold the commonest words.
 */
const COMMON = { listed: 3e-4, unlisted: 1e-3 } as const;
/** Factor for a word that the dictionary does not know: lists from subtitles contain names and English. */
const NOT_IN_DICTIONARY = 0.02;
/** Probability of a dictionary word, and of one found only in a large dictionary or as a compound. */
const IN_DICTIONARY = { core: 1e-6, rare: 3e-8 } as const;
/**
 * Probability mass left for unknown words: without a dictionary, with a small one, with a nearly complete
 * one.
 */
const UNKNOWN = { none: 0.2, small: 0.01, nearlyAll: 0.001 } as const;
/** Penalty of a language without a list, whose spelling is taken as the average of the others. */
const UNLIKE_AVERAGE = 1;
/** Score of words that all languages have borrowed. */
const BORROWED_SCORE = -12;
/** Largest loss from one word, since it may be a name, a mistake or a foreign word. */
const MAX_LOSS = { known: 9, unknown: 10 } as const;
/**
 * Languages that share most words with their relatives, so that only their own words identify them; the share
 * of a relative's probability, and the penalty without an own word.
 */
const relatives: Readonly<Record<LanguageTag, readonly LanguageTag[]>> = { gl: ['es', 'pt'] };
const OF_RELATIVES = 0.3;
const WITHOUT_OWN_WORD = 6;

// Other evidence for a language.

const NGRAMS = 1.5;
/** Weight of distinctive letters, for languages whose spelling is unknown. */
const LETTERS = 5;
/**
 * Weight of the network, which alone knows some languages; below `length`, in UTF-16 units, its guesses count
 * less.
 */
const NETWORK = { listed: 1.5, unlisted: 4, length: 24 } as const;

// Leads that make a language certain.

const LEAD = {
  /** Over languages that lack some of the words. */
  any: 2.2,
  /** The same, for a language that has all words. */
  wholeOverAny: 1.5,
  /** Over languages that have all words. */
  whole: 4.5,
  /** Over languages whose dictionary has all words, for a language without a dictionary. */
  dictionary: 6,
  /** Over languages that have the word, for a text of one word. */
  oneWord: 7,
  /** When most letters are in words that the language lacks. */
  unknown: 6,
} as const;
/**
 * Share of letters in known words from which a language counts as knowing the text: for most of it, or for
 * some.
 */
const KNOWN = { most: 0.65, some: 0.3 } as const;
/** Leads below which a text may be in the other language as well. */
const OPEN = {
  /** When neither language knows a word. */
  unknown: 4,
  known: 6,
  /**
   * Over languages whose dictionary has some of the words: when the likeliest lacks some words, and when it
   * has all.
   */
  dictionary: { partly: 12, whole: 9 },
  /** Over languages that have all words; `oneWord` for a text of one word. */
  whole: 7,
  oneWord: 9,
  /** Over languages whose dictionary has all words, when the likeliest has no dictionary. */
  wholeDictionary: 10,
} as const;
/**
 * Largest lead that the likeliest may have over a usual language that has all words, for several words and
 * for one.
 */
const USUAL = { words: 3.5, oneWord: 9 } as const;
/** Factor by which a usual language must exceed the others, and its minimum share, to decide. */
const USUAL_LEAD = 4;
const USUAL_SHARE = 0.25;
/** Average spelling score per letter below which a text is not words of any language. */
const LEAST_SPELLING = -3.6;

/** Evidence of a text's words for one language. */
interface Weighed {
  language: LanguageTag;
  score: number;
  /** Share of the letters that are in known words. */
  known: number;
  /** Whether the language has all words. */
  isWhole: boolean;
  hasDictionary: boolean;
}

export interface FewWords {
  /** The likeliest first; empty when no language has such words. */
  weighed: readonly Weighed[];
  isOneWord: boolean;
  /** Languages with small dictionaries from which the only word may be borrowed. */
  lenders: readonly LanguageTag[];
}

export interface Means {
  statistics: Statistics;
  lists: WordLists;
}

/** Evaluation of a word in one language. */
interface WordScore {
  score: number;
  has: 'surely' | 'rarely' | undefined;
}

/**
 * Weighs few words in each language of their script.
 *
 * @param words words in lower case
 * @param means.prior prior score of a language, before anything is read
 */
export function weighFewWords(
  words: readonly string[],
  means: Means & {
    script: Script;
    frequencies: WordFrequencies;
    prior: (language: LanguageTag) => number;
  },
): FewWords {
  const { script, statistics, frequencies, lists, prior } = means;
  const text = words.join(' ');
  const parts = isCommonPhrase(text) ? [text] : words.flatMap((word) => partsOf(word, frequencies));
  const borrowed = borrowedWordsIn(text);
  const scored = parts.map((part) => scoresOf(part, { ...means, isBorrowed: borrowed.has(part) }));
  const ngrams = statistics.byNgrams(text);
  const letterFit = letterEvidence(text);
  const guess = statistics.byNetwork(text);
  const trust = guess.probability * Math.min(1, text.length / NETWORK.length);
  const listed = new Set(frequencies.languages);
  const letters = parts.join('').length;
  const weighed = script.languages.map((language): Weighed => {
    const own = scored.map((scores) => scores.get(language));
    const isListed = listed.has(language);
    const network = isListed ? NETWORK.listed : NETWORK.unlisted * Math.sqrt(parts.length);
    const score =
      own.reduce((sum, word) => sum + (word?.score ?? 0), prior(language)) +
      NGRAMS * (ngrams.get(language) ?? 0) ** 3 +
      (isListed ? 0 : LETTERS * letterFit.evidence(language)) +
      (guess.language === language ? network * trust : 0) -
      (hasOwnWord(language, parts, scored) ? 0 : WITHOUT_OWN_WORD);
    const knownLetters = parts.filter((_, i) => own[i]?.has !== undefined).join('').length;
    return {
      language,
      score,
      known: knownLetters / letters,
      isWhole: own.every((word) => word?.has !== undefined),
      hasDictionary: lists.languages.has(language),
    };
  });
  weighed.sort((one, other) => other.score - one.score);
  const [best] = weighed;
  const hasTellingLetters = script.languages.some((each) => letterFit.evidence(each) > 0);
  const isWords = (best?.known ?? 0) > 0 || areSpelledAsWords(parts, frequencies);
  return {
    weighed: isWords || hasTellingLetters ? weighed : [],
    isOneWord: words.length === 1,
    lenders: best === undefined || words.length > 1 ? [] : lendersOf(text, best.language, means),
  };
}

/** Returns a word with a hyphen or apostrophe as a whole where a language lists it, otherwise its parts. */
function partsOf(word: string, frequencies: WordFrequencies): string[] {
  const plain = word.replaceAll('’', "'");
  if (frequencies.ranks(plain).size > 0) return [plain];
  return plain.split(/['-]/).filter((part) => part !== '');
}

function scoresOf(
  word: string,
  {
    script,
    frequencies,
    lists,
    isBorrowed,
  }: { script: Script; frequencies: WordFrequencies; lists: WordLists; isBorrowed: boolean },
): ReadonlyMap<LanguageTag, WordScore> {
  const ranks = frequencies.ranks(word);
  const spelling = frequencies.spelling(word);
  const spelled = script.languages
    .map((each) => spelling.get(each))
    .filter((each) => each !== undefined);
  const average = spelled.reduce((sum, each) => sum + Math.exp(each), 0) / spelled.length;
  const unlisted = Math.log(average) - UNLIKE_AVERAGE;
  const probabilities = new Map<LanguageTag, number>();
  const scores = new Map<LanguageTag, WordScore>();
  // Languages without relatives come first: the others depend on their probabilities.
  const languages = script.languages.toSorted(
    (one, other) => Number(one in relatives) - Number(other in relatives),
  );
  for (const language of languages) {
    const share = shareOf(word, language, lists);
    const rank = ranks.get(language);
    const isOurs = isCommon(word, language);
    const isDoubtful = share === 0 && !isOurs;
    const related = (relatives[language] ?? []).map((each) => probabilities.get(each) ?? 0);
    const probability =
      (rank === undefined ? 0 : probabilityOf(rank) * (isDoubtful ? NOT_IN_DICTIONARY : 1)) +
      (isOurs ? COMMON[spelling.has(language) ? 'listed' : 'unlisted'] : 0) +
      (share === 1 ? IN_DICTIONARY.core : (share ?? 0) > 0 ? IN_DICTIONARY.rare : 0) +
      related.reduce((sum, each) => sum + OF_RELATIVES * each, 0) +
      shareOfUnknown(language, lists) * Math.exp(spelling.get(language) ?? unlisted);
    probabilities.set(language, probability);
    const isListed = rank !== undefined && !isDoubtful;
    const has = isListed || isOurs || share === 1 ? 'surely' : share ? 'rarely' : undefined;
    scores.set(language, { score: Math.log(probability), has });
  }
  if (isBorrowed) {
    for (const own of scores.values()) own.score = BORROWED_SCORE;
  }
  const all = [...scores.values()];
  const loss = MAX_LOSS[all.some(({ has }) => has === 'surely') ? 'known' : 'unknown'];
  const least = Math.max(...all.map(({ score }) => score)) - loss;
  for (const own of all) own.score = Math.max(own.score, least);
  return scores;
}

/** Returns the probability of a rank by Zipf's law. */
function probabilityOf(rank: number): number {
  const { least, ranks, offset, slope } = LISTED;
  return least * (ranks / (rank + offset)) ** slope;
}

/** Returns how certainly a dictionary contains a word or all its parts; undefined without a dictionary. */
function shareOf(word: string, language: LanguageTag, lists: WordLists): number | undefined {
  if (!lists.languages.has(language)) return undefined;
  const parts = word.split(/['-]/).filter((part) => part !== '');
  const ofParts = parts.map((part) => (isCommon(part, language) ? 1 : lists.share(language, part)));
  return Math.max(lists.share(language, word), Math.min(1, ...ofParts));
}

function shareOfUnknown(language: LanguageTag, lists: WordLists): number {
  if (!lists.languages.has(language)) return UNKNOWN.none;
  return lists.hasNearlyAll(language) ? UNKNOWN.nearlyAll : UNKNOWN.small;
}

/** Whether a language has a word that its relatives lack; true for languages without relatives. */
function hasOwnWord(
  language: LanguageTag,
  parts: readonly string[],
  scored: readonly ReadonlyMap<LanguageTag, WordScore>[],
): boolean {
  const own = relatives[language];
  if (own === undefined) return true;
  return parts.some(
    (part, i) =>
      isCommon(part, language) && own.every((each) => scored[i]?.get(each)?.has === undefined),
  );
}

/** Whether unknown words are at least spelled like those of some language. */
function areSpelledAsWords(words: readonly string[], frequencies: WordFrequencies): boolean {
  const best = words.map((word) => Math.max(...frequencies.spelling(word).values()));
  const letters = words.join(' ').length + 1;
  return best.reduce((sum, each) => sum + each, 0) / letters > LEAST_SPELLING;
}

/**
 * Returns languages with small dictionaries whose spelling fits a word better than that of its presumed
 * language.
 */
function lendersOf(
  word: string,
  borrower: LanguageTag,
  {
    script,
    frequencies,
    lists,
  }: { script: Script; frequencies: WordFrequencies; lists: WordLists },
): LanguageTag[] {
  if (frequencies.ranks(word).has(borrower)) return [];
  const spelling = frequencies.spelling(word);
  const own = spelling.get(borrower) ?? 0;
  return script.languages.filter(
    (each) =>
      each !== borrower &&
      lists.languages.has(each) &&
      !lists.hasNearlyAll(each) &&
      (spelling.get(each) ?? -Infinity) > own,
  );
}

/**
 * Decides on a language: the account's usual language where it is possible, the likeliest one where its lead
 * suffices, otherwise none.
 *
 * @param own the lower-case words, since names occur in texts of any language
 * @param usual amount of text written in each language where the text comes from
 */
export function concludeFewWords(
  { weighed, isOneWord, lenders }: FewWords,
  { own, usual }: { own: string; usual: Evidence | undefined },
): Detection {
  const [best, ...others] = weighed;
  if (best === undefined) return { status: 'no_language_detected' };
  const letters = letterEvidence(own);
  const leadOver = (other: Weighed) => best.score - other.score;
  const limit = USUAL[isOneWord ? 'oneWord' : 'words'];
  const possible = others.filter((other) => other.isWhole && leadOver(other) <= limit);
  const languages = [best, ...possible].map(({ language }) => language);
  const most = usual && mostUsual(languages, usual);
  if (most !== undefined) return { status: 'success', language: most };
  const { language } = best;
  if (lenders.length === 0 && isSure(best, others, isOneWord))
    return { status: 'success', language };
  const open = others.filter(
    (other) =>
      letters.areAllOf(other.language) &&
      (lenders.includes(other.language) || leadOver(other) < openLead(best, other, isOneWord)),
  );
  return {
    status: 'insufficient_confidence',
    language,
    candidates: [language, ...open.map((other) => other.language)],
  };
}

/** Returns the lead that rules out another language as a candidate. */
function openLead(best: Weighed, other: Weighed, isOneWord: boolean): number {
  const least = best.known === 0 && other.known === 0 ? OPEN.unknown : OPEN.known;
  const known =
    other.known > 0 && other.hasDictionary
      ? OPEN.dictionary[best.isWhole ? 'whole' : 'partly']
      : least;
  if (!other.isWhole) return known;
  if (isOneWord) return Math.max(known, OPEN.oneWord);
  const isLikelier = other.hasDictionary && !best.hasDictionary;
  return Math.max(known, isLikelier ? OPEN.wholeDictionary : OPEN.whole);
}

function isSure(best: Weighed, others: readonly Weighed[], isOneWord: boolean): boolean {
  const leadOver = (other: Weighed) => best.score - other.score;
  const isKnown =
    best.known >= KNOWN.most ||
    (best.known >= KNOWN.some && others.every((other) => leadOver(other) >= LEAD.unknown));
  return (
    isKnown &&
    others.every((other) => {
      if (!other.isWhole)
        return leadOver(other) >= (best.isWhole && !isOneWord ? LEAD.wholeOverAny : LEAD.any);
      if (isOneWord) return leadOver(other) >= LEAD.oneWord;
      const isLikelier = other.hasDictionary && !best.hasDictionary;
      return leadOver(other) >= (isLikelier ? LEAD.dictionary : LEAD.whole);
    })
  );
}

/** Returns the language that is far more usual than the other ones, if any. */
function mostUsual(languages: readonly LanguageTag[], usual: Evidence): LanguageTag | undefined {
  const shareOf = (language: LanguageTag) => usual.get(language) ?? 0;
  const [first, second] = languages.toSorted((one, other) => shareOf(other) - shareOf(one));
  const all = [...usual.values()].reduce((sum, share) => sum + share, 0);
  if (first === undefined || shareOf(first) < USUAL_SHARE * all) return undefined;
  const isClear = second === undefined || shareOf(first) >= USUAL_LEAD * shareOf(second);
  return isClear ? first : undefined;
}

// Common words of languages for which no other list exists. English and French are included because their
// lists come from the web and from newspapers, which lack greetings and requests.

/** Common words by language; a phrase that identifies a language only as a whole is joined with `_`. */
const commonWords: Readonly<Record<LanguageTag, string>> = {
  ar: 'في من على إلى أن هذا هذه التي الذي لا ما هو هي كان مع عن كل أو ثم قد لم مرحبا أهلا شكرا السلام عليكم صباح مساء الخير نعم أنا أنت كيف حالك أين متى لماذا',
  be: 'і ў не на я што гэта як з да ён яна мы вы яны але калі для дзе хто чаму быў была было вельмі добры дзень дзякуй прывітанне ласка так няма можна толькі',
  cy: "y yr yn mae ydy ydw dw rwy rydw rwy'n mae'n wyt chi ti fi nhw bore_da prynhawn nos_da diolch gwelwch sut shwmae helo hwyl beth ble pryd pam pwy ddim neu gyda gan wedi oes nac ie croeso iawn mawr fach heddiw yfory",
  en: "the of and to in is that it for was on are as with his they at be this from i you he she we have not or by one had but what all were when your can said there use an each which do how their if will up other about out many then them these so some her would make like him into time has look two more go see no way could my than been who its now find long down day did get come made may where why please thank thanks hello hi good morning evening night world yes bye goodbye sorry welcome test me us our am here just very much whose any does don't it's i'm you're isn't can't today tomorrow yesterday never always nothing something someone another better best afternoon too again off back soon after before without s t m re ve ll nice a used being hers themselves those such own same both few until while because through between under over during above below against should might must shall doing done going got every everything everyone nobody anybody anything somebody still also even ever well yet already maybe i've i'll we're they're that's what's didn't doesn't won't we'll let's",
  eo: 'la kaj en de al estas ne mi vi li ŝi ĝi ni ili kiu kio kie kiel kiam kial por kun sur sed aŭ ke tio tiu ĉi ĉiu bonan tagon saluton dankon bonvolu estis povas havas mia via unu jes',
  eu: 'eta da ez bat dira zer non noiz zergatik nola nor ni zu gu egun gabon arratsalde kaixo agur eskerrik asko mesedez bai oso ere baina dut duzu dago daude hau hori izan zen',
  fa: 'و در به از که این را با است برای آن تا می سلام ممنون مرسی لطفا خوب من تو شما چه کجا چرا بله نه صبح بخیر هست حال چطوری',
  fr: "ai as a avez avons ont le la les un une des de du et est en à au aux que qui ne pas je tu il elle nous vous ils elles on ce cette ces dans pour par sur avec sont ou où mais plus se son sa ses mon ma mes ton ta votre notre être avoir fait quand comment pourquoi quoi très bien bonjour bonsoir salut merci oui non revoir suis monde tout aussi était si entre quel quelle quels quelles combien ici là maintenant aujourd'hui demain hier toujours jamais rien quelque chose autre autres chaque beaucoup peu moins mieux font fais peux peut peuvent veux veut voudrais va vais allons vont étaient êtes sommes avait nos vos leur leurs lui y après avant pendant contre sans encore déjà alors donc deux trois quatre cinq pardon appelle aime j l d m n s c qu t bon bonne me te mal tard vers sous es eu étais serai sera serait seront ayant fut ni car dont cela ça c'est celui celle ceux celles lequel quelqu'un personne tous toute toutes trop assez ainsi voici voilà ailleurs dehors dedans dessus dessous devant derrière chez depuis jusque jusqu'à parce lorsque puisque dit dis dites faire faites faut pourrait pouvez pouvons voulez voulons allez vas vu mis pris même mêmes seul seule j'ai n'est qu'il qu'elle d'accord tes eux moi toi",
  ga: 'an na agus ar is tá a i le go ní mé tú sé sí muid sibh siad ag do bhí níl cad cá conas cathain cén ach nó seo sin maidin mhaith dia duit slán raibh agat thoil',
  gl: 'o a os as un unha e de do da dos das que non en no na é con por para se como máis pero ou eu ti el ela nós vós onde cando moi ben bos días boas noites ola grazas favor adeus ao á meu miña teu túa está son tamén casa entre sobre todo xa dun dunha nun nunha sen ata hai foi fixo queres quero podo pode aquí alí hoxe mañá onte agora sempre nunca nada ninguén outro outra moito moita pouco mellor súa seu meus isto iso aquel eles elas co coa pola polo xente auga pan viño cervexa leite queixo mazá muller neno nena fillo fillos nai irmán can gato cabalo paxaro árbore flor xardín choiva chuvia neve vento río ano mes semana día hora tempo luns martes mércores xoves venres domingo vermello branco negro amarelo grande pequeno novo nova vello xove frío quente barato aberto pechado cheo baleiro primeiro último próximo seguinte escola traballo diñeiro prezo libro carta palabra páxina nome número estación tenda saúde cabeza man ollo corazón zapatos roupa bolsa ficheiro mensaxe conta contrasinal usuario gardar eliminar enviar engadir cambiar mostrar comer beber durmir mercar vender pagar viaxe falar escribir ler saber ver vivir vida amor axuda pregunta resposta problema esquerda dereita cara facer rúa cidade fiestra porta cadeira mesa',
  hi: 'है में की के का और से को यह वह नहीं हैं मैं आप क्या कैसे कहाँ क्यों पर एक नमस्ते धन्यवाद सुप्रभात',
  hr: 'i u na je se da su za ne od s sa što kako gdje kada zašto ali ili koji koja koje sam si smo ste bio bila bilo nije iz to ovo dobro jutro dobar dan večer bok zdravo hvala molim doviđenja djeca tko vrijeme tjedan samo može laku noć dobra sutra danas jučer sada uvijek nikad ništa nešto netko više manje loše malo puno ovdje tamo dva tri zovem želim mora mogu znam koliko moj moja tvoj naš njegov njihov nas vas mi ti hladno toplo velik mali',
  is: 'og að er í á það sem ekki en um við með til ég þú hann hún þið þeir var hefur hvað hvar hvenær góðan daginn halló takk já nei fyrir þetta frá eða',
  mr: 'आहे आहेत आणि मी तो ती हे नाही काय कसे कुठे एक या नमस्कार धन्यवाद',
  mt: 'u li ta il fil mill għal ma hu jien int hija huwa dan din fejn meta għaliex iżda jew mhux kien għandu bonġu saħħa grazzi jogħġbok iva le kif inti tagħhom',
  sr: 'и у на је се да су за не од са шта како где када зашто али или који која које сам си смо сте био била било није из то ово добро јутро добар дан вече здраво хвала молим довиђења деца ко време недеља само може',
  sw: 'na ya wa kwa ni habari asante sana jambo karibu kwaheri tafadhali ndiyo hapana nini wapi lini nani mimi wewe yeye sisi hii hapa leo kesho jana nzuri',
  tl: 'ang ng sa na mga at ay si ni ko mo siya ako ikaw kami tayo kayo sila ito iyan hindi po opo para may mayroon wala ano saan kailan bakit paano sino magandang umaga gabi hapon araw salamat kumusta paalam lang din rin kung',
  ur: 'اور کے کی کا میں ہے سے کو نے پر یہ وہ نہیں ہیں شکریہ آپ کیا کہاں کیوں ایک',
};

const languagesByWord = new Map<string, LanguageTag[]>();
for (const [language, words] of Object.entries(commonWords)) {
  for (const joined of new Set(words.split(' '))) {
    const word = joined.replace('_', ' ');
    languagesByWord.set(word, [...(languagesByWord.get(word) ?? []), language]);
  }
}

/** Whether lower-case words form a phrase in one of the lists. */
function isCommonPhrase(words: string): boolean {
  return words.includes(' ') && languagesByWord.has(words);
}

/** Whether a lower-case word is in the language's list. */
export function isCommon(word: string, language: LanguageTag): boolean {
  return languagesByWord.get(word)?.includes(language) === true;
}

/**
 * Words that all languages have borrowed. They say nothing about the surrounding language, even though the
 * dictionary of their language of origin contains them.
 */
const borrowed =
  /(?<=^| )(?:a la carte|ad hoc|alter ego|bona fide|de facto|per diem|pro rata|status quo|vice versa|cappuccino|espresso|latte|pizza|sushi|taco)(?= |$)/g;

/** @param text lower-case words, separated by single blanks */
function borrowedWordsIn(text: string): ReadonlySet<string> {
  return new Set([...text.matchAll(borrowed)].flatMap(([phrase]) => phrase.split(' ')));
}
