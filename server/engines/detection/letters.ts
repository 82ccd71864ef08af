/**
 * Letters as evidence of language: the words of a text without markup, addresses and codes, the script they
 * are written in, and letters that few languages use.
 */
import type { LanguageTag } from '../../../shared/language.ts';

/** Amount of text considered, in UTF-16 units: enough to skip a page's head of markup. */
const CONSIDERED_LENGTH = 4096;
/** Amount of readable text used, in UTF-16 units: the detectors are certain long before. */
const READABLE_LENGTH = 512;

/** The first half of a surrogate pair, left by cutting. */
const HALF_CHARACTER = /[\ud800-\udbff]$/;

const NOISE = new RegExp(
  [
    /<[^<>]*>/u, // markup
    /&#?[a-z0-9]{1,32};/iu, // entities
    /(?:https?:\/\/|www\.)\S+/iu, // addresses
    /[\w.+-]{1,64}@[\w.-]{1,128}/u,
    /(?<![a-z])[a-z]*[0-9_][a-z0-9_]*/iu, // numbers, codes and names of variables
    // anything but letters; joiners belong to Persian words, and a dot between two l to Catalan ones
    /(?:(?!(?<=l)·l)[^\p{L}\p{M}'’\u200c\u200d-])+/u,
  ]
    .map(({ source }) => `(?:${source})`)
    .join('|'),
  'giu',
);

/**
 * Returns the words at the beginning of a text, separated by single blanks; empty when there are none. Lone
 * surrogates and NULs, which the detectors cannot process, are removed.
 */
export function readableText(text: string): string {
  const composed = text.slice(0, CONSIDERED_LENGTH).normalize('NFC');
  const words = composed.replace(NOISE, ' ').trim();
  return words.slice(0, READABLE_LENGTH).replace(HALF_CHARACTER, '');
}

/**
 * Returns the lower-case words, separated by single blanks, since names occur in texts of any language.
 *
 * @param readable result of {@link readableText}
 */
export function ownWords(readable: string): string {
  return readable
    .split(' ')
    .filter((word) => /^\p{Ll}/u.test(word))
    .join(' ');
}

// Scripts and the languages written in them.

export interface Script {
  /** Letters of the script; matches one character. */
  letter: RegExp;
  /** Languages of the script that can be distinguished; a single one needs no detector. */
  languages: readonly LanguageTag[];
  /**
   * Weight of one character. Syllabic and logographic characters are worth several letters; other letters
   * count twice as much as Latin ones, because Latin names occur in texts of all scripts.
   */
  weight: number;
}

function script(letter: RegExp, languages: string, weight = 2): Script {
  return { letter, languages: languages.split(' '), weight };
}

const LATIN =
  'af az ca ceb cs cy da de en eo es et eu fi fr ga gl ha hr ht hu id ig is it jv kmr la lb lt lv mg mi mt nb nl pl pt ro sk sl sq st su sv sw tl tr uz vi xh yo zu';

const latin = script(/\p{Script=Latin}/u, LATIN, 1);
export const han = script(/\p{Script=Han}/u, 'zh ja', 5);
const kana = script(/[\p{Script=Hiragana}\p{Script=Katakana}ー]/u, 'ja', 4);

/** Frequent scripts first, because letters are looked up in this order. */
const scripts: readonly Script[] = [
  latin,
  script(/\p{Script=Cyrillic}/u, 'ru uk be bg sr mk kk ky mn tg'),
  kana,
  han,
  script(/\p{Script=Hangul}/u, 'ko', 4),
  script(/\p{Script=Arabic}/u, 'ar fa ur ps ckb'),
  script(/\p{Script=Greek}/u, 'el'),
  script(/\p{Script=Hebrew}/u, 'he yi'),
  script(/\p{Script=Thai}/u, 'th'),
  script(/\p{Script=Devanagari}/u, 'hi mr ne'),
  script(/\p{Script=Bengali}/u, 'bn'),
  script(/\p{Script=Gurmukhi}/u, 'pa'),
  script(/\p{Script=Gujarati}/u, 'gu'),
  script(/\p{Script=Tamil}/u, 'ta'),
  script(/\p{Script=Telugu}/u, 'te'),
  script(/\p{Script=Kannada}/u, 'kn'),
  script(/\p{Script=Malayalam}/u, 'ml'),
  script(/\p{Script=Oriya}/u, 'or'),
  script(/\p{Script=Sinhala}/u, 'si'),
  script(/\p{Script=Armenian}/u, 'hy'),
  script(/\p{Script=Georgian}/u, 'ka'),
  script(/\p{Script=Ethiopic}/u, 'am'),
  script(/\p{Script=Khmer}/u, 'km'),
  script(/\p{Script=Lao}/u, 'lo'),
  script(/\p{Script=Myanmar}/u, 'my'),
];

/** All languages that can be detected. */
export const detectableLanguages: readonly LanguageTag[] = [
  ...new Set(scripts.flatMap(({ languages }) => languages)),
];

/** Returns the script of most of the text; undefined when it has no letters of a known script. */
export function mainScript(text: string): Script | undefined {
  const weights = new Map<Script, number>();
  let current: Script | undefined;
  for (const character of text) {
    if (character === ' ') continue;
    // Neighbouring letters mostly share a script, so the search is rarely repeated.
    if (current === undefined || !current.letter.test(character)) {
      current = scripts.find(({ letter }) => letter.test(character));
    }
    if (current !== undefined) weights.set(current, (weights.get(current) ?? 0) + current.weight);
  }
  // Japanese consists mostly of Chinese characters; a few syllables among them distinguish it from Chinese.
  const syllables = weights.get(kana) ?? 0;
  const characters = weights.get(han) ?? 0;
  if (syllables > 0 && syllables * 10 >= characters) {
    weights.delete(han);
    weights.set(kana, syllables + characters);
  }
  let main: Script | undefined;
  for (const [each, weight] of weights) {
    if (main === undefined || weight > (weights.get(main) ?? 0)) main = each;
  }
  return main;
}

// Letters that few languages of a script use: strong evidence in texts too short for statistics.

const groups: readonly [letters: string, languages: string][] = [
  ['ß', 'de'],
  ['ä', 'de sv fi et sk lb'],
  ['ö', 'de sv fi et hu tr az is nl af'],
  ['ü', 'de et hu tr az es ca gl nl af'],
  ['å', 'sv da nb fi'],
  ['á', 'es pt ca gl cs sk hu is ga vi eu tl mi af cy it nb nl'],
  ['é', 'fr es pt ca it gl cs sk hu is ga vi af nl cy ht da nb sv lb su jv eu tl mt en'],
  ['í', 'es pt ca gl cs sk hu is ga vi eu tl af cy it'],
  ['ó', 'es pt ca gl pl cs sk hu is ga vi it eu tl af cy nb nl'],
  ['ú', 'es pt ca gl cs sk hu is ga vi it eu tl af cy'],
  ['æ', 'da nb is'],
  ['ø', 'da nb'],
  ['ðþ', 'is'],
  ['ñ', 'es gl eu tl'],
  ['õ', 'et pt vi'],
  ['ã', 'pt vi'],
  ['ç', 'fr pt ca tr sq az kmr'],
  ['œ', 'fr'],
  ['û', 'fr tr cy kmr af'],
  ['ù', 'fr it vi yo mt'],
  ['è', 'fr it ca vi ht yo mt af'],
  ['à', 'fr it ca pt vi ht yo mt'],
  ['ê', 'fr pt vi cy kmr af'],
  ['â', 'fr pt vi ro tr cy'],
  ['ô', 'fr pt vi sk cy af mg'],
  ['î', 'fr ro tr cy kmr af'],
  ['ë', 'fr nl sq af lb'],
  ['ï', 'fr nl ca gl af cy'],
  ['ò', 'it ca vi ht yo mt'],
  ['ì', 'it vi yo mt'],
  ['·ŀ', 'ca'],
  ['őű', 'hu'],
  ['łńśź', 'pl'],
  ['ąę', 'pl lt'],
  ['ć', 'pl hr'],
  ['ż', 'pl mt'],
  ['řěů', 'cs'],
  ['ďťň', 'cs sk'],
  ['ľĺŕ', 'sk'],
  ['č', 'cs sk sl hr lt lv'],
  ['šž', 'cs sk sl hr lt lv et fi'],
  ['ý', 'cs sk is vi'],
  ['đ', 'hr vi'],
  ['ėųį', 'lt'],
  ['ū', 'lt lv mi'],
  ['āēī', 'lv mi'],
  ['ō', 'mi'],
  ['ķļņģ', 'lv'],
  ['ă', 'ro vi'],
  ['șțţ', 'ro'],
  ['ş', 'ro tr az kmr'],
  ['ğı', 'tr az'],
  ['ə', 'az'],
  ['ġħċ', 'mt'],
  ['ŭŝĉĝĵĥ', 'eo'],
  ['ŵŷ', 'cy'],
  ['ẹọṣ', 'yo'],
  ['ịọụṅ', 'ig'],
  ['ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịĩọỏốồổỗộớờởỡợụủũứừửữựỳỵỷỹ', 'vi'],
  ['їєґ', 'uk'],
  ['і', 'uk be kk'],
  ['ў', 'be'],
  ['ы', 'ru be kk ky mn'],
  ['эё', 'ru be kk ky mn tg'],
  ['щ', 'ru uk bg kk ky mn'],
  ['ъ', 'bg ru tg kk ky mn'],
  ['јљњџ', 'sr mk'],
  ['ђћ', 'sr'],
  ['ѓќѕ', 'mk'],
  ['әұһ', 'kk'],
  ['ғқ', 'kk tg'],
  ['ң', 'kk ky'],
  ['өү', 'mn kk ky'],
  ['ҷӣӯҳ', 'tg'],
  ['پچژگ', 'fa ur ps ckb'],
  ['ةأإ', 'ar'],
  ['ٹڈڑےہ', 'ur'],
  ['ھ', 'ur ckb'],
  ['ڕڵێۆ', 'ckb'],
  ['ټډړښڼځڅږ', 'ps'],
  ['ळ', 'mr'],
];

/** Languages that use a letter, for distinctive letters. */
const languagesOfLetter: ReadonlyMap<string, ReadonlySet<LanguageTag>> = indexLetters();

function indexLetters(): Map<string, Set<LanguageTag>> {
  const index = new Map<string, Set<LanguageTag>>();
  for (const [letters, languages] of groups) {
    for (const letter of letters) {
      const known = index.get(letter) ?? new Set<LanguageTag>();
      for (const language of languages.split(' ')) known.add(language);
      index.set(letter, known);
    }
  }
  return index;
}

/** Evidence from the distinctive letters of a text. */
export interface LetterEvidence {
  /** How well the letters fit the language, -1 to 1. */
  evidence: (language: LanguageTag) => number;
  areAllOf: (language: LanguageTag) => boolean;
}

/** @param text text in lower case */
export function letterEvidence(text: string): LetterEvidence {
  const found = [...new Set(text)].flatMap((letter) => languagesOfLetter.get(letter) ?? []);
  const fitting = (language: LanguageTag) => found.filter((each) => each.has(language)).length;
  return {
    evidence: (language) => (found.length === 0 ? 0 : (2 * fitting(language)) / found.length - 1),
    areAllOf: (language) => fitting(language) === found.length,
  };
}
