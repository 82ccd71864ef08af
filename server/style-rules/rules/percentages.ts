/** Percentages that are written with figures. */
import { BLANK, NO_BREAK, ONE_BLANK } from './characters.ts';
import { EVERY_LANGUAGE, singleRule, type StyleStep } from './mechanical-rule.ts';

const PERCENT = new RegExp(
  `(?<=\\d)(${BLANK})(?:[%％](?![%％\\d]|\\p{Script=Latin})|` +
    '(?:percent|per cent|Prozent|pour cent|por ciento|por cien|per cento|percento|パーセント|퍼센트)' +
    '(?!\\p{Script=Latin}))',
  'gu',
);

/** Where a blank is wanted, one that is there stays the one it is. */
const writes =
  (sign: string, spacing: 'blank' | 'none') =>
  (text: string): string =>
    text.replace(PERCENT, (_, blank: string) =>
      spacing === 'none' ? sign : (blank === '' ? NO_BREAK : blank) + sign,
    );

const chinese = new RegExp(
  `百分之${BLANK}(\\d[\\d.,]{0,30}\\d|\\d)(?![\\d.,]*\\d|${ONE_BLANK}\\d|${ONE_BLANK}?[%％])`,
  'gu',
);

export const percentageStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'percentage_format',
  options: {
    use_arabic_numerals_followed_by_percent_symbol_without_space: {
      languages: ['zh', 'ja', 'ko'],
      apply: (text) => writes('%', 'none')(text.replace(chinese, '$1%')),
    },
    use_numerals_followed_by_full_width_percent_symbol_without_space: {
      languages: ['ja', 'zh'],
      apply: writes('％', 'none'),
    },
    use_numerals_followed_by_japanese_word_パーセント_without_space: {
      languages: ['ja'],
      apply: writes('パーセント', 'none'),
    },
    use_numerals_followed_by_korean_word_퍼센트: {
      languages: ['ko'],
      apply: writes('퍼센트', 'none'),
    },
    use_numerals_followed_by_percent_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes('%', 'none'),
    },
    use_numerals_followed_by_space_then_german_word_prozent: {
      languages: ['de'],
      apply: writes('Prozent', 'blank'),
    },
    use_numerals_followed_by_space_then_half_width_percent_symbol: {
      languages: ['ja', 'ko', 'zh'],
      apply: writes('%', 'blank'),
    },
    use_numerals_followed_by_space_then_italian_word_per_cento: {
      languages: ['it'],
      apply: writes('per cento', 'blank'),
    },
    use_numerals_followed_by_space_then_italian_word_percento: {
      languages: ['it'],
      apply: writes('percento', 'blank'),
    },
    use_numerals_followed_by_space_then_korean_word_퍼센트: {
      languages: ['ko'],
      apply: writes('퍼센트', 'blank'),
    },
    use_numerals_followed_by_space_then_percent_symbol: {
      languages: EVERY_LANGUAGE,
      apply: writes('%', 'blank'),
    },
    use_numerals_followed_by_space_then_spell_out_per_cent: {
      languages: ['en'],
      apply: writes('per cent', 'blank'),
    },
    use_numerals_followed_by_space_then_spell_out_percent: {
      languages: ['en'],
      apply: writes('percent', 'blank'),
    },
    use_spanish_word_por_cien: { languages: ['es'], apply: writes('por cien', 'blank') },
    use_spanish_word_por_ciento: { languages: ['es'], apply: writes('por ciento', 'blank') },
  },
});
