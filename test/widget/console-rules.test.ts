/** The catalogue's texts on the style rule page, without its page. */
import { styleLanguages } from '../../shared/language.ts';
import { describe, expect, it } from 'vitest';
import { styleRuleCatalogue } from '../../shared/style-rules/catalogue.ts';
import {
  isForOthers,
  offeredRules,
  RuleDraft,
  optionWords,
  ruleWords,
} from '../../widget/console/style-rules/rule-choice.ts';

const rules = Object.values(styleRuleCatalogue).flatMap((category) => Object.entries(category));

describe('the texts of the catalogue', () => {
  it('are readable, and distinguish all options of a rule', () => {
    expect(rules.length).toBe(159);
    for (const [rule, options] of rules) {
      const words = options.map(optionWords);
      expect(new Set(words).size, rule).toBe(options.length);
      for (const text of [ruleWords(rule), ...words]) expect(text).toMatch(/^[A-Z][^_]+$/);
    }
  });

  it.each([
    ['use_dd_period_mm_period_yyyy', 'Use DD.MM.YYYY'],
    [
      'use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일',
      'Use YYYY년 MM월 DD일',
    ],
    ['use_yyyy_period_space_mm_period_space_dd_period_space', 'Use YYYY. MM. DD.'],
    ['use_spelled_out_month_space_dd_comma_space_yyyy', 'Use month DD, YYYY'],
    ['use_hh_colon_mm_german_word_uhr', 'Use HH:MM German word Uhr'],
    ['use_24_00', 'Use 24:00'],
    ['comma_after_i_e_and_e_g', 'Comma after i.e. and e.g.'],
    ['use_bce_and_ce', 'Use BCE and CE'],
  ])('%s: %s', (name, words) => expect(optionWords(name)).toBe(words));
});

describe('the offered rules', () => {
  const catalogue = {
    categories: Object.entries(styleRuleCatalogue).map(([name, all]) => ({
      name,
      rules: Object.entries(all).map(([rule, options]) => ({
        name: rule,
        options: options.map((option) => ({
          name: option,
          mechanical: option === 'use_curly_apostrophes' ? ['en'] : [],
        })),
      })),
    })),
    languages: [...styleLanguages],
    follows_instructions: [],
  };
  const offered = (filter: 'fitting' | 'chosen' | 'mechanical' | 'all', draft: RuleDraft) =>
    offeredRules({ catalogue, draft, language: 'en', filter, words: '' }).flatMap((category) =>
      category.rules.map(({ rule, options }) => ({ name: rule.name, count: options.length })),
    );

  it('omit rules for other languages, unless they are chosen', () => {
    expect(isForOthers('use_german_word_bis', 'en')).toBe(true);
    expect(isForOthers('use_german_word_bis', 'de')).toBe(false);
    expect(isForOthers('use_arabic_numerals', 'en')).toBe(false);
    const none = new RuleDraft({});
    expect(offered('all', none).length).toBe(159);
    const names = offered('fitting', none).map(({ name }) => name);
    expect(names).not.toContain('spanish_word_solo');
    expect(names).toContain('quotation_style');
    const odd = new RuleDraft({ spelling_and_grammar: { eszett: 'replace_eszett_with_ss' } });
    expect(offered('fitting', odd)).toContainEqual({ name: 'eszett', count: 1 });
    expect(offered('chosen', odd)).toEqual([{ name: 'eszett', count: 1 }]);
    expect(offered('mechanical', odd).map(({ name }) => name)).toEqual(['apostrophe']);
  });

  it('are sent as chosen', () => {
    const draft = new RuleDraft({ numbers: { thousands_separator: 'use_comma' } });
    draft.choose('punctuation', 'apostrophe', 'use_curly_apostrophes');
    draft.choose('numbers', 'thousands_separator', '');
    expect(draft.changeCount).toBe(2);
    expect(draft.rules).toEqual({ punctuation: { apostrophe: 'use_curly_apostrophes' } });
    draft.discard();
    expect(draft.isChanged).toBe(false);
    expect(draft.rules).toEqual({ numbers: { thousands_separator: 'use_comma' } });
  });
});
