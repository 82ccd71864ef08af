/** The catalogue of rules, and which of them are shown: it holds those of all languages together. */
import type { StyleRuleCatalogueView } from '../../../shared/schemas/console.ts';
import { api } from '../api.ts';
import type { RuleDraft } from './rule-draft.ts';
import { categoryWords, optionWords, ruleWords } from './rule-wording.ts';

export type StyleRuleCatalogue = StyleRuleCatalogueView;
export type CatalogueRule = StyleRuleCatalogueView['categories'][number]['rules'][number];
export type CatalogueOption = CatalogueRule['options'][number];

/** @throws ApiFailure */
export function fetchCatalogue(signal: AbortSignal): Promise<StyleRuleCatalogue> {
  return api.get<StyleRuleCatalogue>('style-rule-catalogue', { signal });
}

/** Whether an option is applied to the translations of any engine. */
export function isBuiltIn({ mechanical }: CatalogueOption, language: string): boolean {
  return mechanical.includes(language);
}

/** Whether an engine is running that obeys all rules and instructions in a language. */
export function isObeyed(catalogue: StyleRuleCatalogue, language: string): boolean {
  return catalogue.follows_instructions.includes(language);
}

export type RuleFilter = 'fitting' | 'chosen' | 'mechanical' | 'all';

/** Words by which a name shows what language it is for. */
const LANGUAGE_MARKS: Readonly<Record<string, RegExp>> = {
  de: /german|eszett|umlaut/,
  en: /english_word|i_e_and_e_g|ampersand_abbreviation|possessives/,
  es: /spanish/,
  fr: /french|cedilla|circumflex/,
  it: /italian|schwa/,
  ja: /japanese|kanji|hiragana|katakana|lenticular|desu|dearu/,
  ko: /korean|hapsho|haeyo|hae_style|hara_style/,
  zh: /chinese/,
};

/** Whether a name says that it is for other languages than this one. */
export function isForOthers(name: string, language: string): boolean {
  const named = Object.entries(LANGUAGE_MARKS).filter(([, mark]) => mark.test(name));
  return named.length > 0 && !named.some(([tag]) => tag === language);
}

/** A rule as it is offered. */
export interface OfferedRule {
  rule: CatalogueRule;
  options: readonly CatalogueOption[];
  chosen: CatalogueOption | undefined;
}

export interface OfferedCategory {
  name: string;
  rules: readonly OfferedRule[];
  chosenCount: number;
}

/** The rules that fit a filter and words, by category; empty categories are left out. */
export function offeredRules({
  catalogue,
  draft,
  language,
  filter,
  words,
}: {
  catalogue: StyleRuleCatalogue;
  draft: RuleDraft;
  language: string;
  filter: RuleFilter;
  words: string;
}): OfferedCategory[] {
  const wanted = words.trim().toLowerCase();
  return catalogue.categories
    .map(({ name, rules }) => {
      const offered = rules
        .map((rule) => offer(rule, { chosenName: draft.option(name, rule.name), language, filter }))
        .filter(({ options, chosen, rule }) => {
          if (filter === 'chosen' && chosen === undefined) return false;
          if (filter === 'mechanical' && !options.some((each) => isBuiltIn(each, language)))
            return false;
          return options.length > 0 && hasWords({ rule, options }, name, wanted);
        });
      const chosenCount = rules.filter(
        (rule) => draft.option(name, rule.name) !== undefined,
      ).length;
      return { name, rules: offered, chosenCount };
    })
    .filter(({ rules }) => rules.length > 0);
}

/** What is chosen is always shown. */
function offer(
  rule: CatalogueRule,
  {
    chosenName,
    language,
    filter,
  }: { chosenName: string | undefined; language: string; filter: RuleFilter },
): OfferedRule {
  const chosen = rule.options.find(({ name }) => name === chosenName);
  if (filter === 'all') return { rule, options: rule.options, chosen };
  const isFitting = !isForOthers(rule.name, language);
  const options = rule.options.filter(
    (option) => option === chosen || (isFitting && !isForOthers(option.name, language)),
  );
  return { rule, options, chosen };
}

function hasWords(
  { rule, options }: { rule: CatalogueRule; options: readonly CatalogueOption[] },
  category: string,
  wanted: string,
): boolean {
  if (wanted === '') return true;
  const texts = [
    categoryWords(category),
    ruleWords(rule.name),
    ...options.map((option) => optionWords(option.name)),
  ];
  return texts.some((text) => text.toLowerCase().includes(wanted));
}
