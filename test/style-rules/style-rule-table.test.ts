import { styleLanguages } from '../../shared/language.ts';
import path from 'node:path';
import { expect, it } from 'vitest';
import { describeStyleRules } from '../../server/style-rules/style-rule-notes.ts';
import { isMechanical, mechanicalRules } from '../../server/style-rules/rules/style-rules.ts';
import {
  styleRuleCatalogue,
  styleRuleCategories,
  type StyleRuleCategory,
} from '../../shared/style-rules/catalogue.ts';

const table = path.resolve(import.meta.dirname, '../../server/docs/style-rule-table.md');

const intro = `# Rules that any engine's translations are put right by

Options that need no understanding, with the languages each is done for, whatever engine translates; below them the
rules that only an engine which follows instructions keeps. How lists work: [style-rules.md](style-rules.md).
`;

/** Returns the documentation of a category. */
function inMarkdown(category: StyleRuleCategory): string {
  const own = mechanicalRules.filter((each) => each.category === category);
  const rules = Object.keys(styleRuleCatalogue[category]);
  const done = rules.filter((rule) => own.some((each) => each.rule === rule));
  const others = rules.filter((rule) => !done.includes(rule)).map((rule) => `\`${rule}\``);
  const lines = done.flatMap((rule) => [
    `- \`${rule}\``,
    ...own
      .filter((each) => each.rule === rule)
      .map(({ option, languages }) => `  - \`${option}\`: ${[...languages].sort().join(', ')}`),
  ]);
  return [
    `## ${category}`,
    ...(lines.length > 0 ? [lines.join('\n')] : []),
    ...(others.length > 0
      ? [`Kept by engines that follow instructions: ${others.join(', ')}.`]
      : []),
  ].join('\n\n');
}

it('the documentation lists the applied rules and their languages (updated by `vitest -u`)', async () => {
  const sections = styleRuleCategories.map(inMarkdown);
  await expect([intro.trim(), ...sections].join('\n\n').concat('\n')).toMatchFileSnapshot(table);
});

it('every applied option is in the catalogue, once', () => {
  const names = mechanicalRules.map(({ category, rule, option }) =>
    [category, rule, option].join(' '),
  );
  for (const { category, rule, option, languages } of mechanicalRules) {
    expect(styleRuleCatalogue[category][rule], rule).toContain(option);
    expect(languages.length).toBeGreaterThan(0);
  }
  expect(new Set(names).size).toBe(names.length);
});

it('the OpenAPI description names the options that require an engine, with their languages', () => {
  const description = describeStyleRules({
    sources: () => [],
    followsInstructions: () => false,
  });
  const [never = [], nowhere = [], without = [], alone = []] = description
    .split('\n\n')
    .filter((paragraph) => paragraph.startsWith('- '))
    .map((list) => list.split('\n'));
  const has = (lines: string[], name: string, item: string): boolean =>
    lines.some((line) => line.startsWith(`- \`${name}\`: `) && line.includes(`\`${item}\``));
  for (const category of styleRuleCategories) {
    for (const [rule, options] of Object.entries(styleRuleCatalogue[category])) {
      const isShared = styleRuleCategories.filter((other) => rule in styleRuleCatalogue[other]);
      const name = isShared.length > 1 ? `${category}.${rule}` : rule;
      for (const option of options) {
        const only = alone
          .filter((line) => line.startsWith(`- \`${name}\`: `))
          .flatMap((line) => line.split('; '))
          .find((part) => part.includes(`\`${option}\``));
        for (const language of styleLanguages) {
          const isNamed =
            has(never, category, rule) ||
            has(nowhere, name, option) ||
            has(without, language, name) ||
            (only !== undefined && !new RegExp(`\\(.*\\b${language}\\b.*\\)`).test(only));
          const isKept = isMechanical({ category, rule, option, language });
          expect(isNamed, `${name} ${option} ${language}`).toBe(!isKept);
        }
      }
    }
  }
  // It is read in a browser, so it must be short.
  expect(description.length).toBeLessThan(25_000);
});
