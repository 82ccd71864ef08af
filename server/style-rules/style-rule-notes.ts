/** Describes for the API documentation how the running engines treat style rules. */
import { styleLanguages } from '../../shared/language.ts';
import {
  styleRuleCatalogue,
  styleRuleCategories,
  type StyleRuleLanguage,
} from '../../shared/style-rules/catalogue.ts';
import type { StyleRuleCatalogueView } from '../../shared/schemas/console.ts';
import { mechanicalLanguages } from './rules/style-rules.ts';
import type { Translation } from '../translation/translation.ts';

/** What is asked about the running engines. */
type Engines = Pick<Translation, 'sources' | 'followsInstructions'>;

/**
 * States which languages have an engine that follows every rule, and which rules are not applied elsewhere.
 */
export function describeStyleRules(translation: Engines): string {
  const followed = followedLanguages(translation);
  const others = styleLanguages.filter((language) => !followed.includes(language));
  return [
    'A list applies to translations that refer to it by `style_id`.',
    followed.length === 0
      ? 'No running engine follows instructions.'
      : `Translations into ${followed.join(', ')} can use an engine ` +
        'that receives every rule and instruction.',
    others.length === 0 ? '' : withoutEngine(others),
    'E-mail addresses are never changed, whatever the value of `email_address_format`.',
  ]
    .filter((paragraph) => paragraph !== '')
    .join('\n\n');
}

/** Returns the target languages for which a running engine follows every rule. */
function followedLanguages(translation: Engines): StyleRuleLanguage[] {
  const sources = translation.sources();
  return styleLanguages.filter((target) =>
    sources.some(
      (source) => source !== target && translation.followsInstructions({ source, target }),
    ),
  );
}

interface RuleNote {
  category: (typeof styleRuleCategories)[number];
  rule: string;
  /** Options, with the languages in which they are applied without an engine. */
  options: readonly { option: string; kept: readonly StyleRuleLanguage[] }[];
}

const quoted = (name: string): string => `\`${name}\``;

function withoutEngine(languages: readonly StyleRuleLanguage[]): string {
  const rules = notesIn(languages);
  const isKept = ({ options }: RuleNote): boolean => options.some(({ kept }) => kept.length > 0);
  const nowhere = rules.filter((rule) => !isKept(rule));
  const somewhere = rules.filter(isKept);
  return [
    `Into ${languages.join(', ')}, purely mechanical rules are applied to the translations of any engine. ` +
      'A translation whose list has custom instructions is refused. ' +
      'No option of these rules is applied:',
    styleRuleCategories
      .map((category) => ({ category, own: nowhere.filter((rule) => rule.category === category) }))
      .filter(({ own }) => own.length > 0)
      .map(({ category, own }) =>
        bullet(
          category,
          own.map(({ rule }) => quoted(rule)),
        ),
      ),
    'These options of other rules are not applied:',
    somewhere
      .filter(({ options }) => options.some(({ kept }) => kept.length === 0))
      .map((rule) => {
        const unkept = rule.options.filter(({ kept }) => kept.length === 0);
        return bullet(
          nameOf(rule),
          unkept.map(({ option }) => quoted(option)),
        );
      }),
    ...(languages.length > 1 ? inSomeLanguages(somewhere, languages) : []),
  ]
    .map((part) => (typeof part === 'string' ? part : part.join('\n')))
    .filter((part) => part !== '')
    .join('\n\n');
}

/**
 * Lists the rules without any applied option in a language, and the options applied in only some languages.
 */
function inSomeLanguages(
  rules: readonly RuleNote[],
  languages: readonly StyleRuleLanguage[],
): (string | string[])[] {
  return [
    'In the named language, no option of these rules is applied either:',
    languages.flatMap((language) => {
      const without = rules.filter(
        ({ options }) => !options.some(({ kept }) => kept.includes(language)),
      );
      return without.length === 0
        ? []
        : [
            bullet(
              language,
              without.map((rule) => quoted(nameOf(rule))),
            ),
          ];
    }),
    'Every other option is applied in all languages except those named for its rule ' +
      'above, but these options only in the languages in parentheses:',
    rules.flatMap((rule) => {
      const own = languages.filter((language) =>
        rule.options.some(({ kept }) => kept.includes(language)),
      );
      const partial = rule.options.filter(
        ({ kept }) => kept.length > 0 && kept.length < own.length,
      );
      if (partial.length === 0) return [];
      const sets = [...new Set(partial.map(({ kept }) => kept.join(', ')))].map((set) => {
        const alike = partial.filter(({ kept }) => kept.join(', ') === set);
        return `${alike.map(({ option }) => quoted(option)).join(', ')} (${set})`;
      });
      return [bullet(nameOf(rule), sets, '; ')];
    }),
  ];
}

/** Returns the name of a rule, with its category if another category has a rule of that name. */
function nameOf({ category, rule }: RuleNote): string {
  const isShared = styleRuleCategories.some(
    (other) => other !== category && rule in styleRuleCatalogue[other],
  );
  return isShared ? `${category}.${rule}` : rule;
}

const bullet = (name: string, items: readonly string[], separator = ', '): string =>
  `- ${quoted(name)}: ${items.join(separator)}.`;

function notesIn(languages: readonly StyleRuleLanguage[]): RuleNote[] {
  return styleRuleCategories.flatMap((category) =>
    Object.entries(styleRuleCatalogue[category]).map(([rule, options]) => ({
      category,
      rule,
      options: options.map((option) => {
        const mechanical = mechanicalLanguages({ category, rule, option });
        return { option, kept: languages.filter((language) => mechanical.includes(language)) };
      }),
    })),
  );
}

// The catalogue of style rules for selection, with the options that only an engine can follow.

/** Describes all rules, and the target languages for which a running engine follows every rule. */
export function describeStyleRuleCatalogue(translation: Engines): StyleRuleCatalogueView {
  return {
    categories: describeCategories(),
    languages: [...styleLanguages],
    follows_instructions: followedLanguages(translation),
  };
}

function describeCategories(): StyleRuleCatalogueView['categories'] {
  return styleRuleCategories.map((category) => ({
    name: category,
    rules: Object.entries(styleRuleCatalogue[category]).map(([rule, options]) => ({
      name: rule,
      options: options.map((option) => {
        const mechanical = mechanicalLanguages({ category, rule, option });
        return {
          name: option,
          mechanical: styleLanguages.filter((language) => mechanical.includes(language)),
        };
      }),
    })),
  }));
}
