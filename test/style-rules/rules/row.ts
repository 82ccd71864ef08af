/** Examples of rules: handwritten sentences before and after. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';

/** Languages (`de en`), a text, and the expected result. */
export type Row = readonly [languages: string, before: string, after: string];

/** Rows of each option, by rule. */
export type RuleRows = Readonly<Record<string, Readonly<Record<string, readonly Row[]>>>>;

export const languagesOf = ([languages]: Row): StyleRuleLanguage[] =>
  languages.split(' ') as StyleRuleLanguage[];

export const EVERY = 'de en es fr it ja ko zh';
export const LATIN = 'de en es fr it';
