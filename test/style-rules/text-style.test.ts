import { describe, expect, it } from 'vitest';
import { rulesInWords } from '../../server/style-rules/text-style.ts';
import { styleRuleCatalogue, styleRuleCategories } from '../../shared/style-rules/catalogue.ts';

const all = styleRuleCategories.flatMap((category) =>
  Object.entries(styleRuleCatalogue[category]).flatMap(([rule, options]) =>
    options.map((option) => ({ category, rule, option })),
  ),
);
const inWords = (category: string, rule: string, option: string) =>
  rulesInWords({ [category]: { [rule]: option } });

describe('the catalogue of style rules', () => {
  it('has 7 categories, 159 rules and 518 options, without repetition', () => {
    const rules = new Set(all.map(({ category, rule }) => `${category} ${rule}`));
    expect([styleRuleCategories.length, rules.size, all.length]).toEqual([7, 159, 518]);
    expect(new Set(all.map((each) => Object.values(each).join(' '))).size).toBe(518);
  });
});

describe('a style rule as an instruction', () => {
  it('is one sentence for every option', () => {
    for (const { category, rule, option } of all) {
      const [sentence, ...more] = inWords(category, rule, option);
      expect(more).toEqual([]);
      expect(sentence, option).toMatch(/^[A-Z][^_:]+: \S[^_\n]*[^ .]\.$/);
      expect(sentence, option).not.toMatch(/ {2}|\b(\w+) \1\b|undefined/);
    }
  });

  it('differs for every option of a rule', () => {
    for (const category of styleRuleCategories) {
      for (const [rule, options] of Object.entries(styleRuleCatalogue[category])) {
        const sentences = options.flatMap((option) => inWords(category, rule, option));
        expect(new Set(sentences).size, rule).toBe(options.length);
      }
    }
  });

  it.each<[category: string, rule: string, option: string, expected: string]>([
    ['punctuation', 'apostrophe', 'use_curly_apostrophes', 'Apostrophe: use curly apostrophes.'],
    ['punctuation', 'serial_comma', 'do_not_use', 'Serial comma: never.'],
    [
      'dates_and_times',
      'date_format',
      'use_dd_slash_mm_slash_yyyy',
      'Date format: use dd/mm/yyyy.',
    ],
    [
      'numbers',
      'percentage_format',
      'use_numerals_followed_by_space_then_german_word_prozent',
      'Percentage format: use numerals followed by space then the German word “Prozent”.',
    ],
    [
      'style_and_tone',
      'addressing_the_reader',
      'use_informal_french_word_tu',
      'Addressing the reader: use the informal French pronoun “tu”.',
    ],
    [
      'numbers',
      'large_sums_of_money',
      'spell_out_italian_words_milione_and_miliardo',
      'Large sums of money: spell out the Italian words “milione” and “miliardo”.',
    ],
  ])('%s, %s, %s', (category, rule, option, expected) => {
    expect(inWords(category, rule, option)).toEqual([expected]);
  });
});
