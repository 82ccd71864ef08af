/** Rules for the punctuation and spacing of Chinese, Japanese and Korean. */
import { HAN, HANGUL, KANA, singleRule, type StyleStep } from './mechanical-rule.ts';

const CJ = `[${HAN}${KANA}]`;
const WIDE = `[${HAN}${KANA}${HANGUL}]`;
const ALL = ['ja', 'ko', 'zh'] as const;
const CHINESE_AND_JAPANESE = ['ja', 'zh'] as const;
const GAP = '[ \\u00A0\\u2009\\u202F\\u3000]';

const AFTER_HAN = (what: string): RegExp => new RegExp(`(?<=[${HAN}])${GAP}(?=${what})`, 'gu');
const BEFORE_HAN = (what: string): RegExp => new RegExp(`(?<=${what})${GAP}(?=[${HAN}])`, 'gu');
const closed =
  (what: string) =>
  (text: string): string =>
    text.replace(AFTER_HAN(what), '').replace(BEFORE_HAN(what), '');

export const chineseEnglishStep: StyleStep = singleRule({
  category: 'formatting',
  rule: 'space_between_chinese_and_english',
  options: { do_not_use: { languages: ['zh'], apply: closed('[A-Za-zÀ-ɏ]') } },
});
export const chineseFigureStep: StyleStep = singleRule({
  category: 'formatting',
  rule: 'space_between_chinese_characters_and_arabic_numerals',
  options: { do_not_use: { languages: ['zh'], apply: closed('\\d') } },
});

const FULL_BRACKETS = new RegExp(`\\(([^()（）\\n]{0,200}${WIDE}[^()（）\\n]{0,200})\\)`, 'gu');

export const bracketStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'round_brackets',
  options: {
    use_full_width_round_brackets: {
      languages: ALL,
      apply: (text) => text.replace(FULL_BRACKETS, '（$1）'),
    },
    use_half_width_round_brackets: {
      languages: ALL,
      apply: (text) => text.replaceAll('（', '(').replaceAll('）', ')'),
    },
  },
});

export const colonStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'colon',
  options: {
    use_full_width_colon: {
      languages: ALL,
      apply: (text) => text.replace(new RegExp(`(?<=${WIDE}):[ \\u00A0]?(?![\\d/])`, 'gu'), '：'),
    },
    use_half_width_colon: {
      languages: ALL,
      apply: (text) => text.replace(/：(?=\S)(?!\uFDD0)/gu, ': ').replaceAll('：', ':'),
    },
  },
});

export const ampersandWidthStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'ampersand_usage',
  options: {
    use_full_width_ampersand: {
      languages: ALL,
      apply: (text) => text.replace(new RegExp(`(?<=${WIDE})&(?=${WIDE})`, 'gu'), '＆'),
    },
    use_half_width_ampersand: { languages: ALL, apply: (text) => text.replaceAll('＆', '&') },
  },
});

/** Leaves commas and points within numbers and Latin words, where they have other meanings. */
const stops = (period: string, comma: string) => (text: string) =>
  text
    .replace(
      /(?<![0-9０-９A-Za-z])[、，](?![0-9０-９])|(?<=[0-9０-９A-Za-z])[、，](?![0-9０-９])|(?<![0-9０-９])[、，](?=[0-9０-９])/gu,
      comma,
    )
    .replace(new RegExp(`(?<=[${HAN}${KANA}」』）])[。．]`, 'gu'), period);

export const japaneseStopStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'periods_and_commas',
  options: {
    use_full_width_japanese_periods_and_full_width_japanese_commas: {
      languages: ['ja'],
      apply: stops('。', '、'),
    },
    use_full_width_japanese_periods_and_full_width_non_japanese_commas: {
      languages: ['ja'],
      apply: stops('。', '，'),
    },
    use_full_width_non_japanese_periods_and_full_width_japanese_commas: {
      languages: ['ja'],
      apply: stops('．', '、'),
    },
    use_full_width_non_japanese_periods_and_full_width_non_japanese_commas: {
      languages: ['ja'],
      apply: stops('．', '，'),
    },
  },
});

export const cornerBracketStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'corner_brackets_and_periods',
  options: {
    do_not_add_period_before_closing_corner_bracket_when_sentence_continues: {
      languages: ['ja'],
      apply: (text) => text.replace(new RegExp(`[。．](?=[」』](?:[${KANA}]))`, 'gu'), ''),
    },
  },
});

export const parenthesesStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'parentheses_for_supplementary_information',
  options: {
    use_parentheses_without_space_on_either_side: {
      languages: CHINESE_AND_JAPANESE,
      apply: (text) =>
        text
          .replace(new RegExp(`(?<=${CJ})${GAP}(?=[(（])`, 'gu'), '')
          .replace(new RegExp(`(?<=[)）])${GAP}(?=${CJ})`, 'gu'), ''),
    },
  },
});

export const numberSignStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'number_format',
  options: {
    use_half_width_comma_to_separate_large_numbers_into_units_of_three_except_for_calendar_years_and_use_half_width_period_as_decimal_separator:
      {
        languages: ALL,
        apply: (text) =>
          text
            .replace(/(?<=[0-9])，(?=[0-9]{3}(?![0-9]))/gu, ',')
            .replace(/(?<=[0-9])．(?=[0-9])/gu, '.'),
      },
  },
});

const FULL_FIGURES = /[０-９]/gu;
const BESIDE_FIGURES = `${HAN}${KANA}、。「」『』（）【】・：；！？～〜`;
/** Digits in Latin words and codes, or with their own symbols, stay half-width. */
const HALF_FIGURES = new RegExp(
  `(?<=(?:^|[${BESIDE_FIGURES}])[ \\u3000]?)[0-9]{1,15}(?=$|[${BESIDE_FIGURES}])`,
  'gu',
);
const shifted = (by: number) => (figures: string) =>
  figures.replace(/./gu, (figure) => String.fromCharCode(figure.charCodeAt(0) + by));
const WIDTH = '０'.charCodeAt(0) - '0'.charCodeAt(0);

export const figureWidthStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'writing_numbers',
  options: {
    use_full_width_arabic_numerals_and_only_use_kanji_numbers_where_it_would_otherwise_sound_unnatural:
      { languages: ['ja'], apply: (text) => text.replace(HALF_FIGURES, shifted(WIDTH)) },
    use_half_width_arabic_numerals_and_only_use_kanji_numbers_where_it_would_otherwise_sound_unnatural:
      { languages: ['ja'], apply: (text) => text.replace(FULL_FIGURES, shifted(-WIDTH)) },
  },
});

export const counterStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'use_of_hiragana_and_kanji',
  options: {
    use_hiragana_japanese_word_か所_or_か月_when_using_arabic_numerals_in_horizontal_writing_but_use_kanji_japanese_word_箇所_or_箇月_when_using_kanji_numbers:
      {
        languages: ['ja'],
        apply: (text) =>
          text
            .replace(/(?<=[0-9０-９])[ヶケカヵ箇](?=[所月])/gu, 'か')
            .replace(/(?<=[一二三四五六七八九十百数])[ヶケカヵか](?=[所月])/gu, '箇'),
      },
  },
});

/** Years written digit by digit. */
const YEAR_IN_FIGURES = /(?<![一二三四五六七八九十零〇])[一二][一二三四五六七八九零〇]{3}(?=年)/gu;

export const zeroStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'zero_format',
  options: {
    use_chinese_word_〇_for_numbering: {
      languages: ['zh'],
      apply: (text) => text.replace(YEAR_IN_FIGURES, (year) => year.replaceAll('零', '〇')),
    },
  },
});
