/** Times of day as a list writes them. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  NO_BREAK,
  withPieces,
  rulesOf,
  type ChosenStyle,
  type MechanicalRule,
  type StyleStep,
  endsSentence,
} from './mechanical-rule.ts';
import { readTimes, type ReadTime } from './clock-reading.ts';

type Write = (time: ReadTime, style: ChosenStyle) => string | undefined;
interface TimeForm {
  languages: readonly StyleRuleLanguage[];
  write: Write;
}

const padded = (hour: number): string => String(hour).padStart(2, '0');
/** Hours from 1 to 12. */
const ofTwelve = (hour: number): number => ((hour + 11) % 12) + 1;
const isAfternoon = (hour: number): boolean => hour % 24 >= 12;

interface HalfWords {
  morning: string;
  afternoon: string;
}

/** `3:30 p.m.`; times that may be either half of the day stay. */
const halves =
  (
    { morning, afternoon }: HalfWords,
    {
      separator,
      dropsFullHours = false,
      names = false,
    }: { separator?: string; dropsFullHours?: boolean; names?: boolean } = {},
  ): Write =>
  ({ hour, minute, clock, sign }) => {
    if (clock === 'unclear') return undefined;
    const isFullHour = minute === undefined || minute === '00';
    if (names && isFullHour && hour % 12 === 0) return hour === 12 ? 'noon' : 'midnight';
    const gap = separator ?? (sign === '.' ? '.' : ':');
    const showsMinutes = minute !== undefined && !(dropsFullHours && isFullHour);
    const figures = String(ofTwelve(hour)) + (showsMinutes ? gap + minute : '');
    return `${figures}${NO_BREAK}${isAfternoon(hour) ? afternoon : morning}`;
  };

/** `15:30`; what may be either half of the day is taken as it stands. */
const full =
  (separator: string): Write =>
  ({ hour, minute = '00', clock, writtenHour, sign }, { language }) => {
    if (sign.includes('h') && clock !== 'halves') return undefined;
    const isKept = clock !== 'halves';
    // 3:00 beside a clock of 24 hours leaves no doubt with its zero.
    const converted = language === 'en' || language === 'es' ? padded(hour) : String(hour);
    return `${isKept ? writtenHour : converted}${separator}${minute}`;
  };

const lower: HalfWords = { morning: 'am', afternoon: 'pm' };
const lowerDotted: HalfWords = { morning: 'a.m.', afternoon: 'p.m.' };
const upper: HalfWords = { morning: 'AM', afternoon: 'PM' };
const upperDotted: HalfWords = { morning: 'A.M.', afternoon: 'P.M.' };
const spaced: HalfWords = { morning: `a.${NO_BREAK}m.`, afternoon: `p.${NO_BREAK}m.` };

const uhr =
  (separator: string, zeros: 'with' | 'without', dropsFullHours = false): Write =>
  ({ hour, minute, clock }) => {
    if (clock === 'unclear') return undefined;
    const figures = zeros === 'with' ? padded(hour) : String(hour);
    const isShort = minute === undefined || (dropsFullHours && minute === '00');
    return `${figures}${isShort ? '' : separator + minute}${NO_BREAK}Uhr`;
  };

const chineseHalf = (hour: number): string => (isAfternoon(hour) ? '下午' : '上午');
const koreanHalf = (hour: number): string => (isAfternoon(hour) ? '오후' : '오전');
const minutesIn = (minute: string | undefined, word: string): string =>
  minute === undefined || minute === '00' ? '' : `${Number(minute)}${word}`;

const clear =
  (write: (time: ReadTime) => string): Write =>
  (time) =>
    time.clock === 'unclear' ? undefined : write(time);

const EN = ['en'] as const;
const clock12 = 'use_12_hour_clock_and_';
const noon = '_except_use_noon_and_midnight_instead_of_12_am_and_12_pm';
const plain12 =
  'use_12_hour_clock_without_leading_zero_or_minutes_for_full_hours_use_colon_as_separator_and_';
const chinese12 =
  'use_12_hour_clock_and_write_chinese_word_上午_or_下午_or_chinese_word_早上_or_晚上_followed_by_arabic_numerals';

const timeForms: Readonly<Record<string, TimeForm>> = {
  [`${clock12}lowercase_am_or_pm_with_periods`]: { languages: EN, write: halves(lowerDotted) },
  [`${clock12}lowercase_am_or_pm_with_periods${noon}`]: {
    languages: EN,
    write: halves(lowerDotted, { names: true }),
  },
  [`${clock12}lowercase_am_or_pm_without_periods`]: { languages: EN, write: halves(lower) },
  [`${clock12}lowercase_am_or_pm_without_periods${noon}`]: {
    languages: EN,
    write: halves(lower, { names: true }),
  },
  [`${clock12}uppercase_am_or_pm_with_periods`]: { languages: EN, write: halves(upperDotted) },
  [`${clock12}uppercase_am_or_pm_with_periods${noon}`]: {
    languages: EN,
    write: halves(upperDotted, { names: true }),
  },
  [`${clock12}uppercase_am_or_pm_without_periods`]: { languages: EN, write: halves(upper) },
  [`${clock12}uppercase_am_or_pm_without_periods${noon}`]: {
    languages: EN,
    write: halves(upper, { names: true }),
  },
  [`${plain12}lowercase_am_or_pm_without_periods`]: {
    languages: EN,
    write: halves(lower, { separator: ':', dropsFullHours: true }),
  },
  [`${plain12}uppercase_am_or_pm_without_periods`]: {
    languages: EN,
    write: halves(upper, { separator: ':', dropsFullHours: true }),
  },
  use_12_hour_clock_without_leading_zero_use_period_as_separator_and_lowercase_am_or_pm_with_periods_and_spaces:
    { languages: ['es'], write: halves(spaced, { separator: '.' }) },
  [chinese12]: {
    languages: ['zh'],
    write: clear(({ hour, minute = '00' }) => `${chineseHalf(hour)}${ofTwelve(hour)}:${minute}`),
  },
  [`${chinese12}_with_chinese_word_点_for_hours`]: {
    languages: ['zh'],
    write: clear(
      ({ hour, minute }) => `${chineseHalf(hour)}${ofTwelve(hour)}点${minutesIn(minute, '分')}`,
    ),
  },
  [`${chinese12}_with_chinese_words_时_and_分_for_hours_and_minutes`]: {
    languages: ['zh'],
    write: clear(
      ({ hour, minute }) => `${chineseHalf(hour)}${ofTwelve(hour)}时${minutesIn(minute, '分')}`,
    ),
  },
  use_12_hour_clock_with_korean_words_시_and_분: {
    languages: ['ko'],
    write: clear(({ hour, minute }) => {
      const minutes = minutesIn(minute, '분');
      return `${koreanHalf(hour)} ${ofTwelve(hour)}시${minutes === '' ? '' : ` ${minutes}`}`;
    }),
  },
  use_24_hour_clock_with_korean_words_시_and_분: {
    languages: ['ko'],
    write: ({ hour, minute }) => {
      const minutes = minutesIn(minute, '분');
      return `${hour}시${minutes === '' ? '' : ` ${minutes}`}`;
    },
  },
  use_24_hour_clock: { languages: ['en', 'es', 'ja', 'ko', 'zh'], write: full(':') },
  use_24_hour_clock_with_arabic_numerals_and_colon: {
    languages: ['ja', 'ko', 'zh'],
    write: full(':'),
  },
  use_24_hour_clock_with_colon_as_separator: {
    languages: ['en', 'es', 'it', 'ko'],
    write: full(':'),
  },
  use_24_hour_clock_with_period_as_separator: { languages: ['en', 'es', 'it'], write: full('.') },
  use_hh_colon_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours: {
    languages: ['de'],
    write: uhr(':', 'with'),
  },
  use_hh_colon_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours: {
    languages: ['de'],
    write: uhr(':', 'without'),
  },
  use_hh_period_mm_german_word_uhr_with_leading_zeros_for_single_digit_hours: {
    languages: ['de'],
    write: uhr('.', 'with'),
  },
  use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours: {
    languages: ['de'],
    write: uhr('.', 'without'),
  },
  use_hh_period_mm_german_word_uhr_without_leading_zeros_for_single_digit_hours_and_for_full_hours_state_hour_only:
    { languages: ['de'], write: uhr('.', 'without', true) },
};

const separators: Readonly<Record<string, string>> = {
  use_colon_without_spaces: ':',
  use_letter_h_with_regular_space_on_either_side: ' h ',
  use_letter_h_without_spaces: 'h',
};

/** Hours and minutes with another sign between them, and their hours with or without a zero. */
function figuresOf(time: ReadTime, separator: string | undefined, zeros: string): string {
  const { hour, minute, sign, writtenHour } = time;
  const isPlain = minute !== undefined && time.clock !== 'halves' && /[:.h]/.test(sign);
  const hours = !isPlain
    ? writtenHour
    : zeros === 'use_leading_zero'
      ? padded(hour)
      : zeros === 'do_not_use_leading_zero'
        ? String(hour)
        : writtenHour;
  return `${hours}${isPlain ? (separator ?? sign) : sign}${minute ?? ''}`;
}

const CLOCK_LANGUAGES = ['de', 'en', 'es', 'fr', 'it'] as const;

export const clockStep: StyleStep = {
  rules: [
    ...Object.entries(timeForms).flatMap(([option, { languages }]): MechanicalRule[] =>
      rulesOf('dates_and_times', 'time_format', languages, [option]),
    ),
    ...rulesOf(
      ...(['dates_and_times', 'hours_minutes_separator', ['fr']] as const),
      Object.keys(separators),
    ),
    ...rulesOf('dates_and_times', 'single_digit_hours', CLOCK_LANGUAGES, [
      'do_not_use_leading_zero',
      'use_leading_zero',
    ]),
  ],
  apply(text, style) {
    const option = (rule: string): string => style.option('dates_and_times', rule) ?? '';
    const form = timeForms[option('time_format')];
    const separator = separators[option('hours_minutes_separator')];
    const zeros = option('single_digit_hours');
    const pieces: { start: number; end: number; text: string }[] = [];
    for (const time of readTimes(text, style.language)) {
      const { start, end, figures } = time;
      const whole = form?.write(time, style);
      const wholeEnd = whole === undefined ? undefined : endOf(whole, text, end);
      if (whole !== undefined && wholeEnd !== undefined) {
        pieces.push({ start, end: wholeEnd, text: whole });
      } else if (whole === undefined && time.minute !== undefined && /[:.h]/.test(time.sign)) {
        pieces.push({ ...figures, text: figuresOf(time, separator, zeros) });
      }
    }
    return withPieces(text, pieces);
  },
};

/**
 * A full stop after `p.m` may end the sentence as well: there is one afterwards, and one only.
 * Undefined where nobody knows.
 */
function endOf(whole: string, text: string, end: number): number | undefined {
  const hasStop = text[end - 1] === '.';
  if (whole.endsWith('.')) {
    return !hasStop && text[end] === '.' && text[end + 1] !== '.' ? end + 1 : end;
  }
  if (!hasStop) return end;
  const ends = endsSentence(text, end);
  if (ends === 'unclear') return undefined;
  return ends === 'yes' ? end - 1 : end;
}

const SECONDS =
  /(?<![\p{Script=Latin}\d_.,:/+\uFDD1-])([01]?\d|2[0-4]):([0-5]\d):([0-5]\d)(?![\d_:.,]\d|[\d_:])/gu;
const GERMAN_SECONDS =
  /(?<![\p{L}\d_.,:/+-])([01]?\d|2[0-4])\.([0-5]\d)\.([0-5]\d)(?=[ \u00A0]Uhr(?!\p{L}))/gu;

export const secondsStep: StyleStep = {
  rules: [
    ...rulesOf('dates_and_times', 'hours_minutes_seconds_separator', CLOCK_LANGUAGES, [
      'use_period',
    ]),
    ...rulesOf('dates_and_times', 'hours_minutes_seconds_separator', ['de'], ['use_colon']),
  ],
  apply: (text, style) =>
    style.option('dates_and_times', 'hours_minutes_seconds_separator') === 'use_colon'
      ? text.replace(GERMAN_SECONDS, '$1:$2:$3')
      : text.replace(SECONDS, '$1.$2.$3'),
};
