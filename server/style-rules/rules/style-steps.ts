/** All mechanical rules, in the order in which they act. */
import { clockStep, secondsStep } from './clock-formats.ts';
import { currencyStep, italianSumStep, largeSumStep } from './currencies.ts';
import * as dashes from './dashes.ts';
import { dateStep } from './date-formats.ts';
import * as eastAsian from './east-asian.ts';
import * as eras from './eras.ts';
import * as letters from './european-letters.ts';
import * as measures from './measures.ts';
import type { StyleStep } from './mechanical-rule.ts';
import { numberFormatStep } from './number-format.ts';
import { percentageStep } from './percentages.ts';
import { countryCodeStep, mailAddressStep, phoneNumberStep } from './phone-numbers.ts';
import * as punctuation from './punctuation.ts';
import { quotationStep } from './quotation.ts';
import * as shortForms from './short-forms.ts';
import { temperatureStep } from './temperatures.ts';

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
