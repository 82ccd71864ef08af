/** All mechanical rules, in the order in which they act. */
import { clockStep, secondsStep } from './clock-formats.ts';
import { currencyStep, italianSumStep, largeSumStep } from './currencies.ts';
import * as dashes from './dashes.ts';
import { dateStep } from './date-formats.ts';
import * as eastAsian from './east-asian.ts';
import * as eras from './eras.ts';
import * as letters from './european-letters.ts';
import * as measures from './measures.ts';
import { type StyleStep, EVERY_LANGUAGE, singleRule } from './mechanical-rule.ts';
import { numberFormatStep } from './number-format.ts';
import { countryCodeStep, mailAddressStep, phoneNumberStep } from './phone-numbers.ts';
import * as punctuation from './punctuation.ts';
import { quotationStep } from './quotation.ts';
import * as shortForms from './short-forms.ts';
import { temperatureStep } from './temperatures.ts';
import { BLANK, NO_BREAK, ONE_BLANK } from './characters.ts';

// Percentages that are written with figures.

const PERCENT = new RegExp(
  `(?<=\\d)(${BLANK})(?:[%％](?![%％\\d]|\\p{Script=Latin})|` +
    '(?:percent|per cent|Prozent|pour cent|por ciento|por cien|per cento|percento|パーセント|퍼센트)' +
    '(?!\\p{Script=Latin}))',
  'gu',
);

/** Where a blank is wanted, one that is there stays the one it is. */
const writes =
  (sign: string, spacing: 'blank' | 'none') =>
  (text: string): string =>
    text.replace(PERCENT, (_, blank: string) =>
      spacing === 'none' ? sign : (blank === '' ? NO_BREAK : blank) + sign,
    );

const chinese = new RegExp(
  `百分之${BLANK}(\\d[\\d.,]{0,30}\\d|\\d)(?![\\d.,]*\\d|${ONE_BLANK}\\d|${ONE_BLANK}?[%％])`,
  'gu',
);

const percentageStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'percentage_format',
  options: {
    use_arabic_numerals_followed_by_percent_symbol_without_space: {
      languages: ['zh', 'ja', 'ko'],
      apply: (text) => writes('%', 'none')(text.replace(chinese, '$1%')),
    },
    use_numerals_followed_by_full_width_percent_symbol_without_space: {
      languages: ['ja', 'zh'],
      apply: writes('％', 'none'),
    },
    use_numerals_followed_by_japanese_word_パーセント_without_space: {
      languages: ['ja'],
      apply: writes('パーセント', 'none'),
    },
    use_numerals_followed_by_korean_word_퍼센트: {
      languages: ['ko'],
      apply: writes('퍼센트', 'none'),
    },
    use_numerals_followed_by_percent_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes('%', 'none'),
    },
    use_numerals_followed_by_space_then_german_word_prozent: {
      languages: ['de'],
      apply: writes('Prozent', 'blank'),
    },
    use_numerals_followed_by_space_then_half_width_percent_symbol: {
      languages: ['ja', 'ko', 'zh'],
      apply: writes('%', 'blank'),
    },
    use_numerals_followed_by_space_then_italian_word_per_cento: {
      languages: ['it'],
      apply: writes('per cento', 'blank'),
    },
    use_numerals_followed_by_space_then_italian_word_percento: {
      languages: ['it'],
      apply: writes('percento', 'blank'),
    },
    use_numerals_followed_by_space_then_korean_word_퍼센트: {
      languages: ['ko'],
      apply: writes('퍼센트', 'blank'),
    },
    use_numerals_followed_by_space_then_percent_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes('%', 'blank'),
    },
    use_numerals_followed_by_space_then_spell_out_per_cent: {
      languages: ['en'],
      apply: writes('per cent', 'blank'),
    },
    use_numerals_followed_by_space_then_spell_out_percent: {
      languages: ['en'],
      apply: writes('percent', 'blank'),
    },
    use_spanish_word_por_cien: { languages: ['es'], apply: writes('por cien', 'blank') },
    use_spanish_word_por_ciento: { languages: ['es'], apply: writes('por ciento', 'blank') },
  },
});

const dates: readonly StyleStep[] = [
  eastAsian.zeroStep,
  dateStep,
  clockStep,
  secondsStep,
  eras.eraStep,
  eras.centuryStep,
  eras.decadeStep,
  eras.japaneseYearStep,
];

const numbers: readonly StyleStep[] = [
  mailAddressStep,
  phoneNumberStep,
  countryCodeStep,
  eastAsian.numberSignStep,
  largeSumStep,
  italianSumStep,
  currencyStep,
  percentageStep,
  temperatureStep,
  measures.unitSpellingStep,
  measures.unitSpacingStep,
  measures.chineseUnitSpacingStep,
  measures.dimensionStep,
  measures.equationStep,
  measures.leadingZeroStep,
];

const words: readonly StyleStep[] = [
  shortForms.degreeStep,
  shortForms.acronymStep,
  shortForms.initialismStep,
  shortForms.abbreviationStep,
  shortForms.latinStep,
  shortForms.exampleCommaStep,
  shortForms.titleStep,
  letters.numeroStep,
  letters.inversionStep,
  letters.cederStep,
  letters.accentStep,
  letters.umlautStep,
  letters.eszettStep,
  letters.addressStep,
  letters.spanishSoloStep,
];

const signs: readonly StyleStep[] = [
  dashes.rangeStep,
  dashes.sentenceBreakStep,
  dashes.dashStep,
  dashes.doubleDashStep,
  dashes.ellipsisStep,
  dashes.slashStep,
  punctuation.ampersandSpacingStep,
  punctuation.adverbCommaStep,
  punctuation.serialCommaStep,
  punctuation.possessiveStep,
  punctuation.salutationStep,
  punctuation.timeColonStep,
  punctuation.ratioColonStep,
];

const scripts: readonly StyleStep[] = [
  eastAsian.parenthesesStep,
  eastAsian.bracketStep,
  eastAsian.colonStep,
  eastAsian.ampersandWidthStep,
  eastAsian.japaneseStopStep,
  eastAsian.chineseEnglishStep,
  eastAsian.chineseFigureStep,
  eastAsian.counterStep,
];

export const styleSteps: readonly StyleStep[] = [
  ...dates,
  ...numbers,
  ...words,
  ...signs,
  ...scripts,
  // After what needs to know a unit from a version beside its figures.
  numberFormatStep,
  quotationStep,
  // After quotations: their blanks are set with the marks.
  punctuation.frenchSpacingStep,
  eastAsian.cornerBracketStep,
  // Figures in full width are no figures to the others.
  eastAsian.figureWidthStep,
];
