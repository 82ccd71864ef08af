/**
 * Applies the mechanical rules of a style list, whichever engine translated. Rules act only on text with a
 * single possible reading and leave the rest: no style is worth a wrong number.
 */
import { type LanguageTag, baseLanguage } from '../../../shared/language.ts';
import type {
  ConfiguredRules,
  StyleRuleCategory,
  StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { maskSegment, standInsOf, unmaskSegment } from './masked-text.ts';
import {
  EVERY_LANGUAGE,
  type ChosenStyle,
  type MechanicalRule,
  type StyleStep,
  singleRule,
  BLANK,
  NO_BREAK,
  ONE_BLANK,
} from './mechanical-rule.ts';
import { clockStep, secondsStep } from './clock-formats.ts';
import { currencyStep, italianSumStep, largeSumStep } from './currencies.ts';
import * as dashes from './dashes.ts';
import { dateStep } from './date-formats.ts';
import * as eastAsian from './east-asian.ts';
import * as eras from './eras.ts';
import * as letters from './european-letters.ts';
import * as measures from './measures.ts';
import { numberFormatStep } from './number-format.ts';
import { countryCodeStep, mailAddressStep, phoneNumberStep } from './phone-numbers.ts';
import * as punctuation from './punctuation.ts';
import { quotationStep } from './quotation.ts';
import * as shortForms from './short-forms.ts';

export type { MechanicalRule } from './mechanical-rule.ts';

// All mechanical rules, in order of application.

// Percentages written in digits.

const PERCENT = new RegExp(
  `(?<=\\d)(${BLANK})(?:[%％](?![%％\\d]|\\p{Script=Latin})|` +
    '(?:percent|per cent|Prozent|pour cent|por ciento|por cien|per cento|percento|パーセント|퍼센트)' +
    '(?!\\p{Script=Latin}))',
  'gu',
);

/** Where a space is wanted, an existing one is kept as it is. */
const writes =
  (sign: string, spacing: 'blank' | 'none') =>
  (text: string): string =>
    text.replace(PERCENT, (_, blank: string) =>
      spacing === 'none' ? sign : (blank === '' ? NO_BREAK : blank) + sign,
    );

/** Not the first of two percentages: 百分之10到20. */
const chinese = new RegExp(
  `百分之${BLANK}(\\d[\\d.,]{0,30}\\d|\\d)(?![\\d.,]*\\d|${ONE_BLANK}\\d|${ONE_BLANK}?[%％]|${BLANK}[到至~～–—-]${BLANK}\\d)`,
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
  measures.temperatureStep,
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

const styleSteps: readonly StyleStep[] = [
  ...dates,
  ...numbers,
  ...words,
  ...signs,
  ...scripts,
  // After rules that distinguish a unit from a version by the numbers beside it.
  numberFormatStep,
  quotationStep,
  // After quotations, which set their own inner spaces.
  punctuation.frenchSpacingStep,
  eastAsian.cornerBracketStep,
  // Last, as other rules do not recognise full-width digits.
  eastAsian.figureWidthStep,
];

// Application of a list's rules.

/** The catalogue options that are applied mechanically, with their languages. */
export const mechanicalRules: readonly MechanicalRule[] = styleSteps.flatMap(({ rules }) => rules);

const keyOf = (category: string, rule: string, option: string): string =>
  `${category}/${rule}/${option}`;

const languagesByRule = new Map(
  mechanicalRules.map((rule) => [keyOf(rule.category, rule.rule, rule.option), rule.languages]),
);

interface RuleOption {
  category: StyleRuleCategory;
  rule: string;
  option: string;
}

/** Whether an option is applied mechanically in a language or variant. */
export function isMechanical({ language, ...option }: RuleOption & { language: LanguageTag }) {
  const base = styleLanguageOf(language);
  return base !== undefined && mechanicalLanguages(option).includes(base);
}

/** Returns the languages in which an option is applied mechanically. */
export function mechanicalLanguages({ category, rule, option }: RuleOption) {
  return languagesByRule.get(keyOf(category, rule, option)) ?? [];
}

/**
 * Applies the mechanical rules to a segment. Marks stay in place, and addresses, code, tags, placeholders and
 * file names stay unchanged. A segment that needs no change is returned as is. Rules for other languages, or
 * for engines, are skipped.
 *
 * @param language of the segment: a language of lists, or a variant of one; segments in others stay unchanged
 */
export function applyStyleRules(
  segment: TextSegment,
  { language, rules }: { language: LanguageTag; rules: ConfiguredRules },
): TextSegment {
  const plan = planOf(language, rules);
  if (plan === undefined || plan.steps.length === 0) return segment;
  const masked = maskSegment(segment);
  const text = settled(masked.text, plan);
  return text === masked.text ? segment : unmaskSegment({ text, hidden: masked.hidden });
}

interface Plan {
  style: ChosenStyle;
  steps: typeof styleSteps;
}

/** One rule's change may concern another, but more than one round is rarely needed. */
const MAX_ROUNDS = 4;

function settled(text: string, { steps, style }: Plan): string {
  const standIns = standInsOf(text);
  let now = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = now;
    for (const step of steps) {
      const changed = step.apply(now, style);
      // A step that loses a mark is discarded.
      if (changed !== now && standInsOf(changed) === standIns) now = changed;
    }
    if (now === before) break;
  }
  return now;
}

/** Cached per rule set, which lives as long as its request and serves many segments. */
const plans = new WeakMap<ConfiguredRules, Map<LanguageTag, Plan>>();

function planOf(language: LanguageTag, rules: ConfiguredRules): Plan | undefined {
  const base = styleLanguageOf(language);
  if (base === undefined) return undefined;
  let byLanguage = plans.get(rules);
  if (byLanguage === undefined) plans.set(rules, (byLanguage = new Map<LanguageTag, Plan>()));
  let plan = byLanguage.get(language);
  if (plan === undefined) byLanguage.set(language, (plan = makePlan(language, base, rules)));
  return plan;
}

function makePlan(language: LanguageTag, base: StyleRuleLanguage, rules: ConfiguredRules): Plan {
  const chosen = new Map<string, string>();
  for (const category of Object.keys(rules) as StyleRuleCategory[]) {
    for (const [rule, option] of Object.entries(rules[category] ?? {})) {
      if (isMechanical({ category, rule, option, language })) {
        chosen.set(`${category}/${rule}`, option);
      }
    }
  }
  return {
    style: {
      language: base,
      tag: language.toLowerCase(),
      option: (category, rule) => chosen.get(`${category}/${rule}`),
    },
    steps: styleSteps.filter((step) =>
      step.rules.some(({ category, rule }) => chosen.has(`${category}/${rule}`)),
    ),
  };
}

function styleLanguageOf(language: LanguageTag): StyleRuleLanguage | undefined {
  const base = baseLanguage(language);
  return EVERY_LANGUAGE.find((known) => known === base);
}
