/**
 * The catalogue of style rules: what may be configured in a list. It is the union of all languages;
 * a rule that a language has no use for changes nothing in it.
 */
import type { styleLanguages } from '../language.ts';
import { datesAndTimes } from './dates-and-times.ts';
import { formatting } from './formatting.ts';
import { numbers } from './numbers.ts';
import { punctuation } from './punctuation.ts';
import { spellingAndGrammar } from './spelling-and-grammar.ts';
import { styleAndTone } from './style-and-tone.ts';
import { vocabulary } from './vocabulary.ts';

export const styleRuleCategories = [
  'dates_and_times',
  'formatting',
  'numbers',
  'punctuation',
  'spelling_and_grammar',
  'style_and_tone',
  'vocabulary',
] as const;

export type StyleRuleCategory = (typeof styleRuleCategories)[number];

/** The options of each rule, by category and rule. */
export type StyleRuleCatalogue = Readonly<
  Record<StyleRuleCategory, Readonly<Record<string, readonly string[]>>>
>;

/** 159 rules with 518 options. */
export const styleRuleCatalogue: StyleRuleCatalogue = {
  dates_and_times: datesAndTimes,
  formatting,
  numbers,
  punctuation,
  spelling_and_grammar: spellingAndGrammar,
  style_and_tone: styleAndTone,
  vocabulary,
};

/** A language that lists are made for; each serves its variants. */
export type StyleRuleLanguage = (typeof styleLanguages)[number];

/** What a list has chosen: the option of a rule, by category and rule. */
export type ConfiguredRules = Partial<Record<StyleRuleCategory, Record<string, string>>>;
