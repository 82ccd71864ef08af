/**
 * A style rule list applied to a translation: rules that engines receive in words, and rules applied to any
 * engine's output.
 */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { styleRuleCategories, type ConfiguredRules } from '../../shared/style-rules/catalogue.ts';
import type { TextSegment } from '../text/text-segment.ts';
import { applyStyleRules, isMechanical } from './rules/style-rules.ts';
import type { StyledInstruction } from './store.ts';

export interface TextStyle {
  /** Every rule as a sentence. */
  readonly rules: readonly string[];
  /** Whether any rule can be followed only by an engine. */
  readonly needsEngine: boolean;
  /** Returns the custom instructions for translations from a language. */
  instructions(source: LanguageTag): string[];
  /** Applies the rules that need no engine; idempotent. */
  apply(segment: TextSegment): TextSegment;
}

/** @param target language of the texts: the list's language, or a variant of it */
export function createTextStyle({
  target,
  rules,
  instructions,
}: {
  target: LanguageTag;
  rules: ConfiguredRules;
  instructions: readonly Pick<StyledInstruction, 'prompt' | 'sourceLanguage'>[];
}): TextStyle {
  return {
    rules: rulesInWords(rules),
    needsEngine: styleRuleCategories.some((category) =>
      Object.entries(rules[category] ?? {}).some(
        ([rule, option]) => !isMechanical({ category, rule, option, language: target }),
      ),
    ),
    instructions: (source) =>
      instructions
        .filter(({ sourceLanguage }) => isFor(sourceLanguage, source))
        .map(({ prompt }) => prompt),
    apply: (segment) => applyStyleRules(segment, { language: target, rules }),
  };
}

/** An instruction for `en` applies to `en-GB` as well. */
function isFor(sourceLanguage: string | null, source: LanguageTag): boolean {
  return sourceLanguage === null || baseLanguage(sourceLanguage) === baseLanguage(source);
}

// Style rules as sentences for language models.

/** Returns every chosen rule as an English sentence: `Apostrophe: use curly apostrophes.` */
export function rulesInWords(rules: ConfiguredRules): string[] {
  return Object.values(rules).flatMap((chosen) =>
    Object.entries(chosen).map(([rule, option]) => sentenceOf(rule, option)),
  );
}

/** Cached sentences; bounded by the number of options in the catalogue. */
const sentences = new Map<string, string>();

function sentenceOf(rule: string, option: string): string {
  const name = `${rule} ${option}`;
  const known = sentences.get(name);
  if (known !== undefined) return known;
  const topic = topicWords[rule] ?? inWords(rule);
  const wish = optionWords[option] ?? inWords(option);
  const sentence = `${topic.charAt(0).toUpperCase()}${topic.slice(1)}: ${wish}.`;
  sentences.set(name, sentence);
  return sentence;
}

/** Date and time patterns in option names: `dd_slash_mm_slash_yyyy`. */
const PATTERN =
  /(?<![a-z])(?:dd|hh|mm|yyyy|yy)(?:_(?:period|slash|hyphen|colon)_(?:dd|mm|yyyy|yy))+/g;

/** Turns a catalogue name into words, which are nearly English. */
function inWords(name: string): string {
  const words = name
    .replace(PATTERN, (pattern) =>
      pattern.replace(/_([a-z]+)_/g, (_, sign: string) => signs[sign] ?? ' '),
    )
    .split(/[_ ]/)
    .map((word) => spellings[word] ?? word)
    .join(' ');
  return phrases.reduce((text, [phrase, better]) => text.replace(phrase, better), words);
}

// Corrections of catalogue names that do not read as English.

/** Separators within patterns such as `dd_slash_mm`. */
const signs: Readonly<Record<string, string>> = {
  period: '.',
  slash: '/',
  hyphen: '-',
  colon: ':',
};

/** Spellings of single words, such as capitals. */
const spellings: Readonly<Record<string, string>> = {
  american: 'American',
  arabic: 'Arabic',
  chinese: 'Chinese',
  english: 'English',
  french: 'French',
  german: 'German',
  italian: 'Italian',
  japanese: 'Japanese',
  korean: 'Korean',
  latin: 'Latin',
  north: 'North',
  roman: 'Roman',
  sino: 'Sino',
  spanish: 'Spanish',
  ad: 'AD',
  bc: 'BC',
  bce: 'BCE',
  ce: 'CE',
  iso: 'ISO',
  si: 'SI',
  prozent: 'Prozent',
  uhr: 'Uhr',
  numero: 'numéro',
  vs: 'versus',
};

const languages = 'Chinese|English|French|German|Italian|Japanese|Korean|Spanish';
const severalWords = 'per cento|por ciento|por cien|da a|de a|부터 까지|만 억 조';
const twoWords = String.raw`(\S+) (and|or) (\S+)(?= (?:followed|for|instead|or Chinese|when|with)|$)`;

/** Replacements on the joined words, applied in order. */
const phrases: readonly (readonly [phrase: RegExp, better: string])[] = [
  [/\b(formal|informal) (French|Italian) word (\S+)/, 'the $1 $2 pronoun “$3”'],
  [/\bhiragana Japanese word\b/, 'Japanese word'],
  [/\bkanji Japanese word\b/, 'Japanese word'],
  [/\bmm German\b/, 'mm with German'],
  [/\bdaily use Chinese or Japanese words\b/, 'everyday Chinese or Japanese'],
  [new RegExp(`\\b(${languages}) (words?) (${severalWords})`, 'g'), 'the $1 $2 “$3”'],
  [new RegExp(`\\b(${languages}) (words?) ${twoWords}`, 'g'), 'the $1 $2 “$3” $4 “$5”'],
  [new RegExp(`\\b(?<!the )(${languages}) (words?) (?!“)(\\S+)`, 'g'), 'the $1 $2 “$3”'],
  [/\b(12|24) hour\b/g, '$1-hour'],
  [/\b(full|half) width\b/g, '$1-width'],
  [/\b(first|second) person\b/g, '$1-person'],
  [/\b(culture) specific\b/g, '$1-specific'],
  [/\b(gender) neutral\b/g, '$1-neutral'],
  [/\b(non|single|Sino) (binary|quoted|Japanese|digit|Korean)\b/g, '$1-$2'],
  [/\bspelled out (numbers|currency)/g, 'spelled-out $1'],
  [/\bdesu masu\b/g, 'desu/masu'],
  [/\bhard to translate\b/, 'hard-to-translate'],
  [/\byou must\b/, '“you must”'],
  [/\bcountry code area code local prefix and\b/, 'country code, area code, local prefix and'],
  [/\btrillions hundred millions\b/, 'trillions, hundred millions'],
  [/\bcomma do not use\b/, 'comma, do not use'],
  [/\bseparator (period|space) as thousands\b/, 'separator, $1 as thousands'],
  [/\bfull hours use colon\b/, 'full hours, use colon'],
  [/\bleading zero use period\b/, 'leading zero, use period'],
  [/\bacronyms initialisms\b/, 'acronyms, initialisms'],
  [
    /\bnames common abbreviations titles software\b/,
    'names, common abbreviations, titles, software',
  ],
  [/\bworks trade names laws\b/, 'works, trade names, laws'],
  [/\bidioms colloquialisms\b/i, 'idioms, colloquialisms'],
  [
    /\bquotations double curly quotation marks for s/,
    'quotations, double curly quotation marks for s',
  ],
  [/\bsentences avoid\b/, 'sentences; avoid'],
  [/\btext specify\b/, 'the text; specify'],
  [/\bsalutation capitalize\b/, 'salutation; capitalize'],
  [/\bform the French\b/, 'form, the French'],
  [/\b([ap]) m\b/g, '$1.m.'],
];

const germanMonths = (abbreviations: string) =>
  `write dd. month yyyy with the month abbreviated as in ${abbreviations}, days without leading zeros`;
const spelledOutMonth = 'with the month spelled out';

/** Sentences for options, whichever rule they belong to. */
const optionWords: Readonly<Record<string, string>> = {
  abbreviate_as_n_then_degree_symbol: 'write n°',
  abbreviate_as_n_then_o_in_superscript: 'write nᵒ',
  abbreviate_as_no: 'write “no”',
  add_apostrophe_only: 'add an apostrophe only',
  add_apostrophe_s: 'add an apostrophe and s',
  do_not_use: 'never',
  do_not_use_on_capital_letters: 'do not write them on capital letters',
  never_use: 'never write them',
  spell_out: 'spell it out in words',
  use: 'always',
  use_00_00: 'write 00:00',
  use_24_00: 'write 24:00',
  use_apostrophe_yy: 'write an apostrophe and the last two digits',
  use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period_mai_jun_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
    germanMonths('Jan. Feb. Mrz. Apr. Mai Jun. Jul. Aug. Sep. Okt. Nov. Dez.'),
  use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period_mai_juni_juli_aug_period_sept_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
    germanMonths('Jan. Febr. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
  use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days: `write dd. month yyyy ${spelledOutMonth}, days without leading zeros`,
  use_dd_space_spelled_out_month_space_yyyy: `write dd month yyyy ${spelledOutMonth}`,
  use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month: `write dd month yyyy ${spelledOutMonth}, the ninth as “septiembre”`,
  use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_setiembre_for_ninth_month: `write dd month yyyy ${spelledOutMonth}, the ninth as “setiembre”`,
  use_dd_space_spelled_out_month_space_yyyy_without_leading_zeros_for_single_digit_days: `write dd month yyyy ${spelledOutMonth}, days without leading zeros`,
  use_even_on_capital_letters: 'write them even on capital letters',
  use_italian_words_da_a: 'use the Italian words “da … a …”',
  use_japanese_word_から: 'use the Japanese word “から”',
  use_korean_words_부터_까지: 'use the Korean words “…부터 …까지”',
  use_spanish_words_de_a: 'use the Spanish words “de … a …”',
  use_spelled_out_month_space_dd_comma_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month: `write month dd, yyyy ${spelledOutMonth}, the ninth as “septiembre”`,
  use_spelled_out_month_space_dd_comma_space_yyyy_without_leading_zeros_for_single_digit_days: `write month dd, yyyy ${spelledOutMonth}, days without leading zeros`,
  use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_with_chinese_numbers:
    'write yyyy年mm月dd日 with Chinese numbers',
  use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_without_leading_zero_for_single_digit_months_and_days:
    'write yyyy年mm月dd日, months and days without leading zeros',
  'use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일_without_leading_zero_for_single_digit_days_and_months':
    'write yyyy년 mm월 dd일, months and days without leading zeros',
  use_yyyy_period_space_mm_period_space_dd_period_space_without_leading_zero_for_single_digit_days_and_months:
    'write yyyy. mm. dd., months and days without leading zeros',
  use_yy_for_20th_century_but_yyyy_for_other_centuries:
    'write two digits for the 20th century and four for others',
  use_yy_without_apostrophe: 'write the last two digits without an apostrophe',
  use_yyyy: 'write all four digits of the year',
};

/** Topics of rules whose names do not serve as topics. */
const topicWords: Readonly<Record<string, string>> = {
  abbreviating_french_word_numero: 'abbreviation of the French word “numéro”',
  accents_with_subject_verb_inversion: 'accents where subject and verb are inverted',
  active_passive_voice: 'active and passive voice',
  all_caps: 'words in capitals',
  chinese_mixed_with_english: 'English words within Chinese',
  colon_between_hours_and_minutes_or_chapters_and_verses:
    'colon between hours and minutes, or chapters and verses',
  colon_to_replace_versus_or_to: 'colon in the place of “versus” or “to”',
  comma_after_i_e_and_e_g: 'comma after i.e. and e.g.',
  equation_formula_reference: 'references to equations and formulas',
  french_verbs_ending_in_eler_and_eter: 'French verbs that end in -eler and -eter',
  gender_neutral_language_readability: 'readability of gender-neutral language',
  gender_unspecified: 'people whose gender is not known',
  gender_unspecified_or_mixed: 'people of unknown or mixed gender',
  hours_minutes_seconds_separator: 'sign between hours, minutes and seconds',
  hours_minutes_separator: 'sign between hours and minutes',
  i_and_u_with_circumflex_accents: 'the letters i and u with a circumflex',
  inflected_words_masculine_noun_agreement: 'words that agree with several nouns',
  numbers_of_5_digits_or_more: 'numbers of five digits or more',
  numbers_up_to_4_digits: 'numbers of up to four digits',
  past_participle_of_french_word_laisser_followed_by_infinitive:
    'past participle of the French word “laisser” before an infinitive',
  possessives_of_proper_names_ending_in_s_style: 'possessives of proper names that end in s',
  proximity_agreement: 'agreement of adjectives with the nearest noun',
  reader_action_required: 'what the reader has to do',
  use_of_hiragana_and_kanji: 'hiragana and kanji',
};
