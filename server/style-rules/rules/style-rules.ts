/**
 * Keeps the rules of a style list that need no understanding, whatever engine translated. Rules act
 * on what can be read in one way only and leave the rest: a style is never worth a wrong figure.
 */
import type { LanguageTag } from '../../../shared/language.ts';
import { baseLanguage } from '../../../shared/language.ts';
import type {
  ConfiguredRules,
  StyleRuleCategory,
  StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import type { TextSegment } from '../../text/text-segment.ts';
import { maskSegment, standInsOf, unmaskSegment } from './masked-text.ts';
import { EVERY_LANGUAGE, type ChosenStyle, type MechanicalRule } from './mechanical-rule.ts';
import { styleSteps } from './style-steps.ts';

export type { MechanicalRule } from './mechanical-rule.ts';

/** The options of the catalogue that machines keep, each with its languages. */
export const mechanicalRules: readonly MechanicalRule[] = styleSteps.flatMap(({ rules }) => rules);

const keyOf = (category: string, rule: string, option: string): string =>
  `${category}/${rule}/${option}`;

const languagesByRule = new Map(
  mechanicalRules.map((rule) => [keyOf(rule.category, rule.rule, rule.option), rule.languages]),
);

/** Whether an option is kept by a machine in texts of a language, variants included. */
export function isMechanical({
  category,
  rule,
  option,
  language,
}: {
  category: StyleRuleCategory;
  rule: string;
  option: string;
  language: LanguageTag;
}): boolean {
  const base = styleLanguageOf(language);
  if (base === undefined) return false;
  return languagesByRule.get(keyOf(category, rule, option))?.includes(base) ?? false;
}

/**
 * The segment in the style of the rules. Marks stay where they are, and so do addresses, code, tags,
 * placeholders and names of files; a segment that needs no change is returned as it is. What other
 * languages or engines have to see to is passed over.
 *
 * @param language of the segment: one of lists, or a variant of one; of others nothing is changed
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

/** What one rule changes may be another's concern; more than one round is rare. */
const MAX_ROUNDS = 4;

function settled(text: string, { steps, style }: Plan): string {
  const standIns = standInsOf(text);
  let now = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const before = now;
    for (const step of steps) {
      const changed = step.apply(now, style);
      // Losing a mark would be worse than any style.
      if (changed !== now && standInsOf(changed) === standIns) now = changed;
    }
    if (now === before) break;
  }
  return now;
}

/** Lists live as long as a request that uses them, and have many segments. */
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
