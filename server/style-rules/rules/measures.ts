/** Units of measure, dimensions and sums beside their figures. */
import { BLANK, HAN, NO_BREAK, ONE_BLANK, oneOf } from './characters.ts';
import {
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type ChosenStyle,
  type StyleStep,
} from './mechanical-rule.ts';
import { isAmount, UNIT, UNIT_END, unitWords } from './units.ts';

/** The figures of an amount: not a sum of money, whose `m` are millions, nor a sign with figures. */
const FIGURES = '(?<![\\p{L}\\d_$€£¥₩₹.,])(\\d[\\d.,\\u00A0\\u202F]{0,20}(?<=\\d))';
const JOINED = new RegExp(`${FIGURES}(${UNIT})${UNIT_END}`, 'gu');
const SPACED = new RegExp(`${FIGURES}${ONE_BLANK}(${UNIT})${UNIT_END}`, 'gu');

const HAN_UNIT = '公里|千米|厘米|毫米|英里|公斤|千克|毫克|毫升|公顷|平方米|立方米|米|克|吨|升|度';
const SPACED_HAN = new RegExp(`(?<=\\d)${ONE_BLANK}(?=(?:${HAN_UNIT})(?![${HAN}]))`, 'gu');

export const unitSpacingStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'units_of_measure_spacing',
  options: {
    do_not_use_space_between_numeral_and_unit_of_measure: {
      languages: EVERY_LANGUAGE,
      apply: (text) => text.replace(SPACED, '$1$2'),
    },
    use_space_between_numeral_and_unit_of_measure: {
      languages: EVERY_LANGUAGE,
      apply: (text) => text.replace(JOINED, `$1${NO_BREAK}$2`),
    },
  },
});

export const chineseUnitSpacingStep: StyleStep = singleRule({
  category: 'formatting',
  rule: 'space_between_arabic_numerals_and_unit',
  options: {
    do_not_use: {
      languages: ['ja', 'ko', 'zh'],
      apply: (text) => text.replace(SPACED, '$1$2').replace(SPACED_HAN, ''),
    },
  },
});

type UnitWords = (typeof unitWords)[number]['words'];
const wordsFor = (words: UnitWords, { language, tag }: ChosenStyle): readonly [string, string] =>
  (tag.startsWith('en-gb') ? words['en-gb'] : words[language]) ?? ['', ''];

const symbolByWord = new Map(
  unitWords.flatMap(({ symbol, words }) =>
    Object.values(words).flatMap((forms) => forms.map((word) => [word, symbol] as const)),
  ),
);
const SPELLED = new RegExp(
  `${FIGURES}(${ONE_BLANK})(${oneOf(symbolByWord.keys())})(?![\\p{L}\\p{M}\\p{N}_²³-])`,
  'gu',
);
const rowBySymbol = new Map(unitWords.map((row) => [row.symbol, row]));
const ABBREVIATED = new RegExp(
  `${FIGURES}(${BLANK})(${oneOf(rowBySymbol.keys())})${UNIT_END}`,
  'gu',
);

function abbreviated(text: string): string {
  return text.replace(
    SPELLED,
    (found: string, figures: string, blank: string, word: string) =>
      `${figures}${blank}${symbolByWord.get(word) ?? found}`,
  );
}

function spelledOut(text: string, style: ChosenStyle): string {
  return text.replace(
    ABBREVIATED,
    (found: string, figures: string, blank: string, symbol: string) => {
      const row = rowBySymbol.get(symbol);
      if (row === undefined) return found;
      const [one, many] = wordsFor(row.words, style);
      // French has the singular up to two: 1,5 litre.
      const isOne = figures === '1' || (style.language === 'fr' && /^[01](?:,\d+)?$/.test(figures));
      return `${figures}${blank === '' ? NO_BREAK : blank}${isOne ? one : many}`;
    },
  );
}

export const unitSpellingStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'spelling_out_units',
  options: {
    abbreviate_units_of_measure_when_used_with_numeral_but_spell_out_when_used_without_numeral: {
      languages: LATIN_LANGUAGES,
      apply: abbreviated,
    },
    spell_out_units_of_measure_when_used_with_spelled_out_numbers_but_abbreviate_when_used_with_numeral:
      { languages: LATIN_LANGUAGES, apply: abbreviated },
    always_abbreviate_units_of_measure: { languages: LATIN_LANGUAGES, apply: abbreviated },
    always_spell_out_units_of_measure: { languages: LATIN_LANGUAGES, apply: spelledOut },
  },
});

/** Measures by measures with a unit at their end, or figures that are set apart already. */
const DIMENSIONS = new RegExp(
  `(?<![\\p{L}\\d_.,])\\d{1,9}(?:[.,]\\d{1,6})?(?:${BLANK}(?:${UNIT}))?` +
    `(?:${BLANK}[x×]${BLANK}\\d{1,9}(?:[.,]\\d{1,6})?(?:${BLANK}(?:${UNIT})(?![\\p{L}\\d]))?){1,3}(?![\\p{L}\\d_]|[.,]\\d)`,
  'gu',
);
const BETWEEN = new RegExp(`${BLANK}[x×]${BLANK}(?=\\d)`, 'gu');
const HAS_UNIT = new RegExp(`(?:${UNIT})$`, 'u');

const between =
  (sign: string) =>
  (text: string): string =>
    text.replace(DIMENSIONS, (found) => {
      const isDimension = HAS_UNIT.test(found) || /\d\d[x×]\d\d|\d [x×] \d|×/.test(found);
      return isDimension ? found.replace(BETWEEN, sign) : found;
    });

export const dimensionStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'dimensions_separator',
  options: {
    use_multiplication_sign_between_dimensions_with_space_on_either_side: {
      languages: EVERY_LANGUAGE,
      apply: between(' × '),
    },
    use_multiplication_sign_between_dimensions_without_space_on_either_side: {
      languages: EVERY_LANGUAGE,
      apply: between('×'),
    },
    use_x_between_dimensions_with_space_on_either_side: {
      languages: EVERY_LANGUAGE,
      apply: between(' x '),
    },
    use_x_between_dimensions_without_space_on_either_side: {
      languages: EVERY_LANGUAGE,
      apply: between('x'),
    },
  },
});

/** Sums of figures with an equals sign: elsewhere a plus or a stroke means other things, too. */
const EQUATION = new RegExp(
  `(?<![\\p{L}\\d_.,=+])\\d[\\d.,]{0,15}(?<=\\d)(?:${BLANK}[+×÷·=]${BLANK}\\d[\\d.,]{0,15}(?<=\\d)){1,20}(?![\\p{L}\\d_=+])`,
  'gu',
);

export const equationStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'mathematical_expression_spacing',
  options: {
    use_space_between_elements_of_mathematical_expression_or_equation: {
      languages: EVERY_LANGUAGE,
      apply: (text) =>
        text.replace(EQUATION, (found) =>
          found.includes('=')
            ? found.replace(new RegExp(`${BLANK}([+×÷·=])${BLANK}`, 'gu'), ' $1 ')
            : found,
        ),
    },
  },
});

export const leadingZeroStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'decimal_numbers_less_than_one',
  options: {
    always_use_0_before_decimal_separator: {
      languages: ['en', 'ja', 'ko', 'zh'],
      apply: (text) =>
        // A calibre, a version and a name begin with a point as well: .45, .22 rifle.
        text.replace(
          /(?<![\p{L}\p{N}_.)\]\uFDD1])\.(\d{1,15})(?![\d_]|\.\d)/gu,
          (found: string, figures: string, at: number) =>
            isAmount(text, at, at + found.length) ? `0.${figures}` : found,
        ),
    },
  },
});
