/** What a rule of style is that needs no understanding: text in, text out. */
import { styleLanguages } from '../../../shared/language.ts';
import type {
  StyleRuleCategory,
  StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';

/** An option of the catalogue that is kept by a machine, and the languages it is kept in. */
export interface MechanicalRule {
  category: StyleRuleCategory;
  rule: string;
  option: string;
  languages: readonly StyleRuleLanguage[];
}

/** What a list has chosen, as far as machines keep it in this language. */
export interface ChosenStyle {
  language: StyleRuleLanguage;
  /** As it was asked for: `en-GB`, in lower case. */
  tag: string;
  option(category: StyleRuleCategory, rule: string): string | undefined;
}

/**
 * One or several rules that act together. `apply` gets a text in which marks and whatever must not
 * change are single stand-ins (`masked-text.ts`); it keeps each of them, in order.
 */
export interface StyleStep {
  readonly rules: readonly MechanicalRule[];
  apply(text: string, style: ChosenStyle): string;
}

type Change = (text: string, style: ChosenStyle) => string;

/** A step for one rule whose options have nothing to do with others. */
export function singleRule({
  category,
  rule,
  options,
}: {
  category: StyleRuleCategory;
  rule: string;
  options: Readonly<
    Record<string, { languages: readonly StyleRuleLanguage[]; apply: Change } | undefined>
  >;
}): StyleStep {
  return {
    rules: Object.entries(options).map(([option, work]) => ({
      ...{ category, rule, option },
      languages: work?.languages ?? [],
    })),
    apply(text, style) {
      const option = style.option(category, rule);
      const work = option === undefined ? undefined : options[option];
      return work === undefined ? text : work.apply(text, style);
    },
  };
}

/** The same languages for several options of a rule. */
export function rulesOf(
  category: StyleRuleCategory,
  rule: string,
  languages: readonly StyleRuleLanguage[],
  options: readonly string[],
): MechanicalRule[] {
  return options.map((option) => ({ category, rule, option, languages }));
}

/** All languages of lists. */
export const EVERY_LANGUAGE = styleLanguages;

/** Languages of lists that are written in Latin letters. */
export const LATIN_LANGUAGES = ['de', 'en', 'es', 'fr', 'it'] as const;
