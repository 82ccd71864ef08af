/** Properties that hold for every text, language and choice of rules. */
import fc from '../../support/suite/properties.ts';
import { expect, it } from 'vitest';
import { applyStyleRules } from '../../../server/style-rules/rules/style-rules.ts';
import { plainText, type TextSegment } from '../../../server/text/text-segment.ts';
import { choices, styledSegments, styledTexts, untouchables } from './style-samples.ts';

const RUNS = { numRuns: 200 };

const marksOf = (segment: TextSegment): TextSegment =>
  segment.filter((part) => typeof part !== 'string');

it('applying rules is idempotent', () => {
  fc.assert(
    fc.property(styledTexts, choices(), (text, choice) => {
      const once = plainText(applyStyleRules([text], choice));
      expect(plainText(applyStyleRules([once], choice))).toBe(once);
    }),
    RUNS,
  );
});

it('applying rules keeps the order of all marks', () => {
  fc.assert(
    fc.property(styledSegments, choices(), (segment, choice) => {
      expect(marksOf(applyStyleRules(segment, choice))).toEqual(marksOf(segment));
    }),
    RUNS,
  );
});

it('applying rules does not change addresses, code, file names and placeholders', () => {
  const between = fc.array(fc.tuple(styledTexts, fc.constantFrom(...untouchables)), {
    minLength: 1,
    maxLength: 3,
  });
  fc.assert(
    fc.property(between, choices(), (parts, choice) => {
      // An odd backtick or bracket in the text may include a protected part, which stays protected.
      const text = parts
        .map(
          ([before, untouchable]) =>
            `${before.replace(/[`<>{}()="'\\[\]#@/\uFDD0]/g, '')} ${untouchable} `,
        )
        .join('');
      const styled = plainText(applyStyleRules([text], choice));
      let at = 0;
      for (const [, untouchable] of parts) {
        const found = styled.indexOf(untouchable, at);
        expect(found, `${untouchable} in ${styled}`).toBeGreaterThanOrEqual(at);
        at = found + untouchable.length;
      }
    }),
    RUNS,
  );
});

it('applying rules keeps the digits of a text, in order, unless a rule concerns them', () => {
  const figures = (text: string): string => text.normalize('NFKC').replace(/[^0-9]/g, '');
  const keepsFigures = choices(
    ({ category, rule, option }) =>
      (category === 'numbers' || category === 'punctuation' || category === 'formatting') &&
      rule !== 'decimal_numbers_less_than_one' &&
      rule !== 'phone_number_country_code_format' &&
      !option.startsWith('use_chinese'),
  );
  fc.assert(
    fc.property(styledTexts, keepsFigures, (text, choice) => {
      expect(figures(plainText(applyStyleRules([text], choice)))).toBe(figures(text));
    }),
    RUNS,
  );
});

it('applying rules returns the same segment if there is nothing to change', () => {
  const segment: TextSegment = ['A “quote”', { mark: 'lone', id: 1 }, ' and more.'];
  expect(applyStyleRules(segment, { language: 'en', rules: {} })).toBe(segment);
  const rules = { punctuation: { quotation_mark: 'use_curly_quotation_marks' } };
  expect(applyStyleRules(segment, { language: 'en', rules })).toBe(segment);
  expect(applyStyleRules(['"a"'], { language: 'pl', rules })).toEqual(['"a"']);
});

it('applying rules keeps the grouping of amounts, wherever their currency signs go', () => {
  const grouping = fc.constantFrom('', ' ', '\u00A0', '\u2009', '\u202F', '.', ',', "'", '’');
  const sum = fc
    .tuple(fc.integer({ min: 1, max: 999 }), grouping, fc.constantFrom('', ',50', '.5'))
    .map(([first, sign, end]) => `${first}${sign}${sign === '' ? '' : `000${sign}250`}${end}`);
  const sign = fc.constantFrom('€', 'EUR', '$', 'US$', 'CHF', '¥');
  const blank = fc.constantFrom('', ' ', '\u00A0');
  const money = fc
    .tuple(sum, sign, blank, fc.boolean(), fc.constantFrom(' for ', ' ', ', ', ' 7 '))
    .map(([figures, of, gap, isFirst, after]) => {
      return (isFirst ? of + gap + figures : figures + gap + of) + after;
    });
  const texts = fc.array(money, { minLength: 1, maxLength: 4 }).map((parts) => parts.join(''));
  const sums = (text: string) => text.match(/\d+(?:[.,'’ \u00A0\u2009\u202F]\d+)*/g);
  const ofMoney = choices(({ rule }) => /^currency_format$|^large_sums/.test(rule));
  fc.assert(
    fc.property(texts, ofMoney, (text, choice) => {
      expect(sums(plainText(applyStyleRules([text], choice)))).toEqual(sums(text));
    }),
    RUNS,
  );
});
