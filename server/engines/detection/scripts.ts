/** Which script a text is written in, and which languages it is used for. */
import type { LanguageTag } from '../../../shared/language.ts';

export interface Script {
  /** Letters of the script; matches one character. */
  letter: RegExp;
  /** Languages written in it that the detectors tell apart; a single one needs no detector. */
  languages: readonly LanguageTag[];
  /**
   * What one character of it counts. Syllables and words are worth several letters, and other
   * letters twice the Latin ones, for Latin names turn up in texts of all scripts.
   */
  weight: number;
}

function script(letter: RegExp, languages: string, weight = 2): Script {
  return { letter, languages: languages.split(' '), weight };
}

const LATIN =
  'af az ca ceb cs cy da de en eo es et eu fi fr ga gl ha hr ht hu id ig is it jv kmr la lb lt lv mg mi mt nb nl pl pt ro sk sl sq st su sv sw tl tr uz vi xh yo zu';

export const latin = script(/\p{Script=Latin}/u, LATIN, 1);
export const han = script(/\p{Script=Han}/u, 'zh ja', 5);
export const kana = script(/[\p{Script=Hiragana}\p{Script=Katakana}ー]/u, 'ja', 4);

/** Frequent ones first: a letter is looked for in this order. */
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

/** Every language that can be told. */
export const detectableLanguages: readonly LanguageTag[] = [
  ...new Set(scripts.flatMap(({ languages }) => languages)),
];

/** The script most of a text is written in; undefined when it has no letters of a known one. */
export function mainScript(text: string): Script | undefined {
  const weights = new Map<Script, number>();
  let current: Script | undefined;
  for (const character of text) {
    if (character === ' ') continue;
    // Neighbours mostly share a script, so the search seldom starts anew.
    if (current === undefined || !current.letter.test(character)) {
      current = scripts.find(({ letter }) => letter.test(character));
    }
    if (current !== undefined) weights.set(current, (weights.get(current) ?? 0) + current.weight);
  }
  // Japanese is mostly Chinese characters; a few syllables among them say that it is not Chinese.
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
