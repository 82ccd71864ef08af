/** Every mechanical rule in each of its languages, by example. */
import { expect, it } from 'vitest';
import {
  applyStyleRules,
  isMechanical,
  mechanicalRules,
} from '../../../server/style-rules/rules/style-rules.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import {
  styleRuleCatalogue,
  type StyleRuleCategory,
  type StyleRuleLanguage,
} from '../../../shared/style-rules/catalogue.ts';
import { dateRows } from './date-rows.ts';
import { numberRows } from './number-rows.ts';
import { otherRows } from './other-rows.ts';
import { punctuationRows } from './punctuation-rows.ts';
import { languagesOf, type RuleRows } from './row.ts';

const tables: readonly (readonly [StyleRuleCategory, RuleRows])[] = [
  ['dates_and_times', dateRows],
  ['formatting', otherRows.formatting],
  ['numbers', numberRows],
  ['punctuation', punctuationRows],
  ['spelling_and_grammar', otherRows.spelling],
];

/** An option of a rule, with its effect on texts. */
interface Option {
  category: StyleRuleCategory;
  rule: string;
  option: string;
  cases: { language: StyleRuleLanguage; before: string; after: string }[];
}

const options = tables.flatMap(([category, table]) =>
  Object.entries(table).flatMap(([rule, all]) =>
    Object.entries(all).map(([option, rows]): Option => {
      const cases = rows.flatMap((row) =>
        languagesOf(row).map((language) => ({ language, before: row[1], after: row[2] })),
      );
      return { category, rule, option, cases };
    }),
  ),
);

/** Replaces no-break and narrow spaces by ordinary ones: their kind has its own tests. */
const legible = (text: string): string => text.replace(/[\u00A0\u202F]/g, ' ');

it.each(options)('$rule: $option', ({ category, rule, option, cases }) => {
  const rules = { [category]: { [rule]: option } };
  const styled = cases.map(({ language, before }) => {
    const after = legible(plainText(applyStyleRules([before], { language, rules })));
    return { language, before, after };
  });
  expect(styled).toEqual(cases);
  for (const { language } of cases) {
    expect(isMechanical({ category, rule, option, language })).toBe(true);
  }
});

it('every mechanical option has examples in each of its languages', () => {
  const shown = new Set(
    options.flatMap(({ category, rule, option, cases }) =>
      cases.map(({ language }) => `${category} ${rule} ${option} ${language}`),
    ),
  );
  const missing = mechanicalRules.flatMap(({ category, rule, option, languages }) =>
    languages
      .map((language) => `${category} ${rule} ${option} ${language}`)
      .filter((key) => !shown.has(key)),
  );
  expect(missing).toEqual([]);
});

it('every mechanical option is in the catalogue, and none is repeated', () => {
  const keys = mechanicalRules.map(({ category, rule, option }) => `${category} ${rule} ${option}`);
  for (const { category, rule, option, languages } of mechanicalRules) {
    expect(styleRuleCatalogue[category][rule]).toContain(option);
    expect(languages).not.toEqual([]);
  }
  expect(new Set(keys).size).toBe(keys.length);
});
