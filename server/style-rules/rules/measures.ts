/** Rules for units of measure, dimensions, equations and temperatures. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  BLANK,
  HAN,
  NO_BREAK,
  ONE_BLANK,
  oneOf,
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type ChosenStyle,
  type StyleStep,
} from './mechanical-rule.ts';
import { CURRENCY_CODE, CURRENCY_SYMBOL, isAmount, UNIT, UNIT_END, unitWords } from './units.ts';

/** The number of a measurement. Excludes money, whose `m` means millions, and codes that contain digits. */
const FIGURES =
  `(?<![\\p{L}\\d_$€£¥₩₹.,]|(?:${CURRENCY_SYMBOL}|${CURRENCY_CODE})${ONE_BLANK})` +
  '(\\d[\\d.,\\u00A0\\u202F]{0,20}(?<=\\d))';
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
      // In French, numbers below two are singular: 1,5 litre.
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

/** Dimensions: measures joined by x or ×, with a final unit, or visibly separated already. */
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

/**
 * Equations: sums of numbers with an equals sign. Elsewhere a plus sign or a dash may mean something else.
 */
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
        // Calibres, versions and names may also begin with a point: .45, .22 rifle.
        text.replace(
          /(?<![\p{L}\p{N}_.)\]\uFDD1])\.(\d{1,15})(?![\d_]|\.\d)/gu,
          (found: string, figures: string, at: number) =>
            isAmount(text, at, at + found.length) ? `0.${figures}` : found,
        ),
    },
  },
});

// Temperatures written in digits.

const WORDS = 'degrees?|Grad|degrés?|grados?|gradi|grado';
const TEMPERATURE = new RegExp(
  `(?<![\\d.,])(\\d[\\d.,\\u00A0\\u202F]{0,20})?(?<=\\d)(${BLANK})` +
    `(?:°${BLANK}([CF])|(℃|℉)|(?:${WORDS}) (Celsius|Fahrenheit|centígrados?))(?!\\p{Script=Latin})`,
  'gu',
);

interface Temperature {
  figures: string;
  blank: string;
  isCelsius: boolean;
}

const writes =
  (write: (temperature: Temperature, style: ChosenStyle) => string | undefined) =>
  (text: string, style: ChosenStyle): string =>
    text.replace(
      TEMPERATURE,
      (
        found: string,
        figures: string | undefined,
        blank: string,
        letter: string | undefined,
        sign: string | undefined,
        name: string | undefined,
      ) => {
        const isCelsius = letter === 'C' || sign === '℃' || /^[Cc]/.test(name ?? '');
        return write({ figures: figures ?? '', blank, isCelsius }, style) ?? found;
      },
    );

const spaced = ({ blank }: Temperature): string => (blank === '' ? NO_BREAK : blank);
const symbolOf = ({ isCelsius }: Temperature): string => (isCelsius ? '°C' : '°F');

const degrees: Partial<Record<StyleRuleLanguage, readonly [one: string, many: string]>> = {
  de: ['Grad', 'Grad'],
  en: ['degree', 'degrees'],
  es: ['grado', 'grados'],
  fr: ['degré', 'degrés'],
  it: ['grado', 'gradi'],
};

function degreeWord({ figures }: Temperature, language: StyleRuleLanguage): string {
  const [one, many] = degrees[language] ?? ['', ''];
  return figures === '1' ? one : many;
}

const spelledTemperature = writes((temperature, { language }) => {
  const scale = temperature.isCelsius ? 'Celsius' : 'Fahrenheit';
  const { figures } = temperature;
  const gap = temperature.blank === '' ? ' ' : temperature.blank;
  return `${figures}${gap}${degreeWord(temperature, language)} ${scale}`;
});
const withoutScale = writes((temperature, { language }) =>
  temperature.isCelsius
    ? `${temperature.figures}${temperature.blank || ' '}${degreeWord(temperature, language)}`
    : undefined,
);
const withWord = (word: string) =>
  writes(({ figures, isCelsius }) => (isCelsius ? figures + word : undefined));
const unspaced = writes((temperature) => temperature.figures + symbolOf(temperature));

export const temperatureStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'temperature_format',
  options: {
    spell_out_unit: { languages: LATIN_LANGUAGES, apply: spelledTemperature },
    use_arabic_numerals_followed_by_space_then_spell_out_unit: {
      languages: LATIN_LANGUAGES,
      apply: spelledTemperature,
    },
    use_numerals_followed_by_space_then_spell_out_unit: {
      languages: LATIN_LANGUAGES,
      apply: spelledTemperature,
    },
    use_arabic_numerals_followed_by_unit_symbol_without_space: {
      languages: EVERY_LANGUAGE,
      apply: unspaced,
    },
    use_numerals_followed_by_unit_symbol_without_space: {
      languages: EVERY_LANGUAGE,
      apply: unspaced,
    },
    use_numerals_followed_by_space_then_unit_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes(
        (temperature) => temperature.figures + spaced(temperature) + symbolOf(temperature),
      ),
    },
    use_numerals_followed_by_japanese_word_度_without_space: {
      languages: ['ja'],
      apply: withWord('度'),
    },
    use_numerals_followed_by_korean_word_도: { languages: ['ko'], apply: withWord('도') },
    use_italian_word_grado_and_do_not_specify_temperature_scale: {
      languages: ['it'],
      apply: withoutScale,
    },
    use_spanish_word_grado_and_do_not_specify_temperature_scale: {
      languages: ['es'],
      apply: withoutScale,
    },
  },
});
