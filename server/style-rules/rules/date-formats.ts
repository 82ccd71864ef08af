/** Rules for the format of dates. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  withPieces,
  EVERY_LANGUAGE,
  rulesOf,
  type ChosenStyle,
  type MechanicalRule,
  type StyleStep,
} from './mechanical-rule.ts';
import { readDates, type ReadDate, germanShortMonths, monthNames } from './date-reading.ts';

type Write = (date: ReadDate, style: ChosenStyle) => string;
interface DateForm {
  languages: readonly StyleRuleLanguage[];
  write: Write;
}

const padded = (value: number): string => String(value).padStart(2, '0');

/** Returns day and month in digits: as written if they were in digits, unless the rule prescribes zeros. */
function figuresOf({ day, month, figures }: ReadDate, zeros: 'with' | 'without' | 'as written') {
  if (zeros === 'with') return { day: padded(day), month: padded(month) };
  if (zeros === 'as written' && figures !== undefined) return figures;
  return { day: String(day), month: String(month) };
}

type Zeros = 'with' | 'without' | 'as written';

const dayFirst =
  (separator: string, zeros: Zeros): Write =>
  (date) => {
    const { day, month } = figuresOf(date, zeros);
    return [day, month, date.year].join(separator);
  };
const yearFirst =
  (separator: string, zeros: Zeros, end = ''): Write =>
  (date) => {
    const { day, month } = figuresOf(date, zeros);
    return [date.year, month, day].join(separator) + end;
  };

const nameOf = ({ month }: ReadDate, names: readonly string[] | undefined): string =>
  names?.[month - 1] ?? '';

const dayMonthYear: Write = (date, { language }) => {
  const month = nameOf(date, monthNames[language]);
  if (language === 'es') return `${date.day} de ${month} de ${date.year}`;
  if (language === 'de') return `${date.day}. ${month} ${date.year}`;
  const day = language === 'fr' && date.day === 1 ? '1er' : String(date.day);
  return `${day} ${month} ${date.year}`;
};
const setiembre: Write = (date, style) =>
  dayMonthYear(date, style).replace('septiembre', 'setiembre');
const monthFirst: Write = (date, { language }) =>
  `${nameOf(date, monthNames[language])} ${date.day}, ${date.year}`;
const germanShort =
  (names: readonly string[]): Write =>
  (date) =>
    `${date.day}. ${nameOf(date, names)} ${date.year}`;

const DIGITS = '〇一二三四五六七八九';
const chineseFigure = (figure: string): string => DIGITS.charAt(Number(figure));
function chineseNumber(value: number): string {
  const tens = Math.floor(value / 10);
  const ones = value % 10 === 0 ? '' : chineseFigure(String(value % 10));
  if (tens === 0) return ones;
  return `${tens === 1 ? '' : chineseFigure(String(tens))}十${ones}`;
}

/** Returns the last two digits of a year; years that they do not tell, by the convention of POSIX, stay. */
const shortYear = (year: string): string =>
  /^(?:19[7-9]|20[0-6])/.test(year) ? year.slice(2) : year;

const DAY_FIRST = ['es', 'fr', 'it', 'en'] as const;

const forms: Readonly<Record<string, DateForm>> = {
  use_dd_period_mm_period_yy_with_leading_zeros_for_single_digit_days_and_months: {
    languages: ['de', 'it'],
    write: ({ day, month, year }) => `${padded(day)}.${padded(month)}.${shortYear(year)}`,
  },
  use_dd_period_mm_period_yyyy: { languages: ['de', 'it'], write: dayFirst('.', 'as written') },
  use_dd_period_mm_period_yyyy_with_leading_zeros_for_single_digit_days_and_months: {
    languages: ['de', 'it'],
    write: dayFirst('.', 'with'),
  },
  use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_feb_period_mrz_period_apr_period_mai_jun_period_jul_period_aug_period_sep_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
    { languages: ['de'], write: germanShort(germanShortMonths.threeLetters) },
  use_dd_period_space_abbreviated_month_yyyy_with_abbreviations_jan_period_febr_period_maerz_apr_period_mai_juni_juli_aug_period_sept_period_okt_period_nov_period_dez_period_without_leading_zeros_for_single_digit_days:
    { languages: ['de'], write: germanShort(germanShortMonths.customary) },
  use_dd_period_space_month_yyyy_without_leading_zeros_for_single_digit_days: {
    languages: ['de'],
    write: dayMonthYear,
  },
  use_dd_slash_mm_slash_yyyy: { languages: DAY_FIRST, write: dayFirst('/', 'as written') },
  use_dd_slash_mm_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months: {
    languages: DAY_FIRST,
    write: dayFirst('/', 'with'),
  },
  use_dd_space_spelled_out_month_space_yyyy: { languages: DAY_FIRST, write: dayMonthYear },
  use_dd_space_spelled_out_month_space_yyyy_without_leading_zeros_for_single_digit_days: {
    languages: DAY_FIRST,
    write: dayMonthYear,
  },
  use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month: {
    languages: ['es'],
    write: dayMonthYear,
  },
  use_dd_space_spelled_out_month_space_yyyy_and_use_spanish_word_setiembre_for_ninth_month: {
    languages: ['es'],
    write: setiembre,
  },
  use_mm_slash_dd_slash_yyyy_with_leading_zeros_for_single_digit_days_and_months: {
    languages: ['en'],
    write: ({ day, month, year }) => `${padded(month)}/${padded(day)}/${year}`,
  },
  use_spelled_out_month_space_dd_comma_space_yyyy_and_use_spanish_word_septiembre_for_ninth_month: {
    languages: ['es'],
    write: monthFirst,
  },
  use_spelled_out_month_space_dd_comma_space_yyyy_without_leading_zeros_for_single_digit_days: {
    languages: ['en'],
    write: monthFirst,
  },
  use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_with_chinese_numbers: {
    languages: ['zh'],
    write: ({ day, month, year }) =>
      `${year.replace(/\d/g, chineseFigure)}年${chineseNumber(month)}月${chineseNumber(day)}日`,
  },
  use_yyyy_chinese_word_年_mm_chinese_word_月_dd_chinese_word_日_without_leading_zero_for_single_digit_months_and_days:
    { languages: ['ja', 'zh'], write: ({ day, month, year }) => `${year}年${month}月${day}日` },
  use_yyyy_hyphen_mm_hyphen_dd_with_leading_zero_for_single_digit_days_and_months: {
    languages: EVERY_LANGUAGE,
    write: yearFirst('-', 'with'),
  },
  use_yyyy_hyphen_mm_hyphen_dd_with_leading_zeros_for_single_digit_days_and_months: {
    languages: EVERY_LANGUAGE,
    write: yearFirst('-', 'with'),
  },
  'use_yyyy_korean word_년_space_mm_korean word_월_space_dd_korean word_일_without_leading_zero_for_single_digit_days_and_months':
    { languages: ['ko'], write: ({ day, month, year }) => `${year}년 ${month}월 ${day}일` },
  use_yyyy_period_mm_period_dd: {
    languages: ['ja', 'ko', 'zh'],
    write: yearFirst('.', 'as written'),
  },
  use_yyyy_period_space_mm_period_space_dd_period_space_without_leading_zero_for_single_digit_days_and_months:
    { languages: ['ko'], write: yearFirst('. ', 'without', '.') },
  use_yyyy_slash_mm_slash_dd: {
    languages: ['ja', 'ko', 'zh'],
    write: yearFirst('/', 'as written'),
  },
  use_yyyy_slash_mm_slash_dd_with_leading_zero_for_single_digit_days_and_months: {
    languages: ['ja', 'ko', 'zh'],
    write: yearFirst('/', 'with'),
  },
};

const spelledOrNot: Readonly<Record<string, DateForm>> = {
  use_dd_space_spelled_out_month_space_yyyy: { languages: DAY_FIRST, write: dayMonthYear },
  use_numerals: { languages: ['es', 'fr', 'it'], write: dayFirst('/', 'as written') },
};

/** Separators for dates already in digits; the order of day and month never changes here. */
const numericForms: Readonly<Record<string, string>> = {
  use_dd_hyphen_mm_hyphen_yyyy: '-',
  use_dd_period_mm_period_yyyy: '.',
  use_dd_slash_mm_slash_yyyy: '/',
};
const NUMERIC_LANGUAGES = ['de', 'es', 'fr', 'it'] as const;

function rulesFor(rule: string, table: Readonly<Record<string, DateForm>>): MechanicalRule[] {
  return Object.entries(table).flatMap(([option, { languages }]) =>
    rulesOf('dates_and_times', rule, languages, [option]),
  );
}

/** All date rules act in one step; the most specific rule decides. */
export const dateStep: StyleStep = {
  rules: [
    ...rulesFor('date_format', forms),
    ...rulesFor('writing_dates', spelledOrNot),
    ...rulesOf(
      ...(['dates_and_times', 'dates_in_numerical_form', NUMERIC_LANGUAGES] as const),
      Object.keys(numericForms),
    ),
    ...rulesOf('dates_and_times', 'single_digit_days_and_months', EVERY_LANGUAGE, [
      'do_not_use_leading_zero',
      'use_leading_zero',
    ]),
  ],
  apply(text, style) {
    const option = (rule: string): string => style.option('dates_and_times', rule) ?? '';
    const form = forms[option('date_format')] ?? spelledOrNot[option('writing_dates')];
    const separator = numericForms[option('dates_in_numerical_form')];
    const zeros = option('single_digit_days_and_months');
    const pieces = readDates(text, style.language).map((date) => {
      const { start, end } = date;
      const sized =
        form === undefined || !hasOwnZeros(option('date_format')) ? withZeros(date, zeros) : date;
      const write = form?.write ?? numericWriter(sized, separator) ?? spelledWriter(sized, text);
      return { start, end, text: write(sized, style) };
    });
    return withPieces(text, pieces);
  },
};

const hasOwnZeros = (option: string): boolean => /leading_zero/.test(option);

function withZeros(date: ReadDate, option: string): ReadDate {
  const { day, month, figures } = date;
  if (option === '') return date;
  const isBare = option === 'do_not_use_leading_zero';
  const writtenDay = isBare ? String(day) : date.writtenDay;
  if (figures === undefined) return { ...date, writtenDay };
  // 2024-05-03 is a standard format with fixed zeros.
  if (figures.order === 'ymd' && figures.separator === '-') return date;
  const write = isBare ? String : padded;
  return { ...date, writtenDay, figures: { ...figures, day: write(day), month: write(month) } };
}

/** Returns a writer for a date in digits that keeps its order, with the wanted separator if any. */
function numericWriter({ figures }: ReadDate, wanted: string | undefined): Write | undefined {
  if (figures === undefined) return undefined;
  const { order, day, month } = figures;
  const separator = order === 'dmy' ? (wanted ?? figures.separator) : figures.separator;
  const end = separator === '. ' ? '.' : '';
  return ({ year }) => {
    if (order === 'ymd') return [year, month, day].join(separator) + end;
    return (order === 'dmy' ? [day, month, year] : [month, day, year]).join(separator);
  };
}

/** Returns a writer that keeps a spelled-out date, except for the leading zero of its day. */
function spelledWriter({ start, end, writtenDay }: ReadDate, text: string): Write {
  return () =>
    text
      .slice(start, end)
      .replace(/(?<!\d)0(\d)(?!\d)/, (found, figure: string) =>
        writtenDay === figure ? figure : found,
      );
}
