/**
 * Rules for the format of times, and the reading of times: digits that a word or a character marks as a time.
 */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import type { Span } from '../../text/placeholders.ts';
import {
  BLANK,
  type ChosenStyle,
  endsSentence,
  JOINT,
  JOINT_ONWARD,
  type MechanicalRule,
  type Neighbours,
  NO_BREAK,
  rulesOf,
  type StyleStep,
  withoutJoined,
  withPieces,
} from './mechanical-rule.ts';

type Write = (time: ReadTime, style: ChosenStyle) => string | undefined;
interface TimeForm {
  languages: readonly StyleRuleLanguage[];
  write: Write;
}

const padded = (hour: number): string => String(hour).padStart(2, '0');
/** Converts an hour to 1 to 12. */
const ofTwelve = (hour: number): number => ((hour + 11) % 12) + 1;
const isAfternoon = (hour: number): boolean => hour % 24 >= 12;

interface HalfWords {
  morning: string;
  afternoon: string;
}

/** Writes `3:30 p.m.`; times whose half of the day is unknown stay. */
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

/** Writes `15:30`; times whose half of the day is unknown keep their hour. */
const full =
  (separator: string): Write =>
  ({ hour, minute = '00', clock, writtenHour, sign }, { language }) => {
    if (sign.includes('h') && clock !== 'halves') return undefined;
    const isKept = clock !== 'halves';
    // The leading zero marks a converted 3:00 as a time of the 24-hour clock.
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

/**
 * Returns the digits with another separator between hours and minutes, and the leading zero added or removed.
 */
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
    const pieces: (Span & { text: string })[] = [];
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
 * Returns the end of the text to replace. The full stop of `p.m.` may also end the sentence, which then keeps
 * exactly one. Undefined if that cannot be determined.
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

// Reading of times: digits marked as a time, as opposed to scores and sections.

interface ReadTime {
  start: number;
  end: number;
  /** From 0 to 24. */
  hour: number;
  /** Two digits; undefined for full hours written without minutes. */
  minute: string | undefined;
  /** `halves`: with a.m. or p.m.; `full`: 24-hour clock; `unclear`: either, so it is not converted. */
  clock: 'halves' | 'full' | 'unclear';
  /** Characters between hours and minutes, or after the hours: `:`, `.`, `h`, `時`. */
  sign: string;
  /** The hour as written. */
  writtenHour: string;
  /** Range of hours, minutes and separator, without words for halves of the day. */
  figures: Span;
}

/** Words before a time that has no marker of its own. */
const wordsBefore: Partial<Record<StyleRuleLanguage, string>> = {
  de: 'um|ab|bis|gegen|seit|von|vor|nach',
  en: 'at|by|until|till|from|before|after|around|since',
  es: 'a las?|las|desde las?|hasta las?',
  fr: "à|dès|vers|depuis|avant|après|jusqu[’']à|de",
  it: "alle|ore|dalle|all[’']|dopo le|prima delle",
};

const HOUR = '(?<h>[01]?\\d|2[0-4])';
const MINUTE = '(?<min>[0-5]\\d)';
const START = '(?<![\\p{Script=Latin}\\d_.,:/+\\uFDD1-])';
const END = '(?![\\p{Script=Latin}\\d_%€$]|[.,:/]\\d)';

/**
 * Not after a word for a part of the day, which tells the half of the clock: 夜の11時, 밤 11시, 傍晚6点30分.
 */
const noPartOfDay = {
  ja: '(?<!(?:[朝昼夜晩方明中]|午[前後])の?)',
  ko: '(?<!(?:아침|저녁|새벽|[낮밤]|오[전후])[ \\u00A0]?)',
  zh: '(?<![晚夜早晨午][上里裡间間后後]?)',
} as const;
/** Five minutes before three: 3時5分前. */
const JA_MINUTES = '(?!\\d{1,2}分前)(?:(?<min>[0-5]?\\d)分|(?<thirty>半))?';
const KO_MINUTES =
  '(?! ?\\d{1,2}분 ?전)(?: ?(?:(?<min>[0-5]?\\d)분|(?<thirty>반)(?=(?:에|부터|까지|쯤|경)?(?!\\p{L}))))?';

/** Times with a marker or a word after them, by language; hour and minute are groups. */
const signedTimes: Readonly<Record<StyleRuleLanguage, readonly string[]>> = {
  de: [`${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>[ \\u00A0]Uhr)(?!\\p{L})`],
  en: [
    `${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>${BLANK}(?<half>[ap])(?:\\.[ \\u00A0]?m\\.(?!\\p{L})|m)|${BLANK}(?<half2>[AP])(?:\\.M\\.|M))(?![\\p{L}\\d])`,
  ],
  es: [
    `${START}${HOUR}(?:(?<s>[:.])${MINUTE})?(?<tail>${BLANK}(?<half>[ap])(?:\\.[ \\u00A0]?m\\.|m)|${BLANK}(?<half2>[AP])(?:\\.M\\.|M))(?![\\p{L}\\d])`,
    `${START}${HOUR}(?<s>[:.])${MINUTE}(?<tail>[ \\u00A0]?h(?:oras)?)(?!\\p{L})`,
  ],
  fr: [`${START}${HOUR}(?<s>[ \\u00A0\\u202F]?h[ \\u00A0\\u202F]?)${MINUTE}${END}`],
  it: [],
  ja: [
    `${noPartOfDay.ja}(?<half>午前|午後)?(?<!\\d)${HOUR}(?<s>時)(?!間)${JA_MINUTES}`,
    `(?<half>午前|午後)(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
  ],
  ko: [
    `${noPartOfDay.ko}(?:(?<half>오전|오후)[ \\u00A0]?)?(?<!\\d)${HOUR}(?<s>시)(?!간)${KO_MINUTES}`,
    `(?<half>오전|오후) ?(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
  ],
  zh: [
    `(?<half>上午|下午|早上|晚上)(?<!\\d)${HOUR}(?<s>[点點时時])(?![间間一三])(?:(?<min>[0-5]?\\d)分|(?<thirty>半))?`,
    `(?<half>上午|下午|早上|晚上)(?<!\\d)${HOUR}(?<s>:)${MINUTE}(?![\\d:])`,
    `${noPartOfDay.zh}(?<!\\d)${HOUR}(?<s>[点點时時])(?<min>[0-5]?\\d)分(?!钟|鐘)`,
  ],
};

const patterns = new Map<StyleRuleLanguage, RegExp[]>();

function patternsOf(language: StyleRuleLanguage): RegExp[] {
  let found = patterns.get(language);
  if (found === undefined) {
    found = signedTimes[language].map((source) => new RegExp(source, 'dgu'));
    const words = wordsBefore[language];
    if (words !== undefined) {
      found.push(
        new RegExp(
          `(?<=(?<!\\p{L})(?:${words})[ \\u00A0]|[’'])${START.replace('-', '')}${HOUR}(?<s>[:])${MINUTE}${END}`,
          'dgui',
        ),
      );
    } else if (language === 'ja' || language === 'ko') {
      found.push(
        new RegExp(
          `${noPartOfDay[language]}(?<![\\p{Script=Latin}\\d_.,:/+-])${HOUR}(?<s>:)${MINUTE}(?=[にかまで에부까])`,
          'dgu',
        ),
      );
    }
    patterns.set(language, found);
  }
  return found;
}

const AFTERNOON = /^(?:p|P|午後|오후|下午|晚上)$/u;

/** Returns the times of a text, in reading order and without overlaps. */
function readTimes(text: string, language: StyleRuleLanguage): ReadTime[] {
  const times: ReadTime[] = [];
  for (const pattern of patternsOf(language)) {
    for (const match of text.matchAll(pattern)) {
      const time = timeOf(match, language);
      if (time !== undefined) times.push(time);
    }
  }
  times.sort((a, b) => a.start - b.start || b.end - a.end);
  let end = 0;
  const apart = times.filter((time) => {
    const isFree = time.start >= end;
    if (isFree) ({ end } = time);
    return isFree;
  });
  return withoutJoined(apart, text, NEIGHBOURS, areOfOneClock);
}

const SIGN = '[:.hH点點时時시]';
/** Numbers that a time is joined to: 9 to 5 p.m., de 9h à 10h30. */
const NEIGHBOURS: Neighbours = {
  before: new RegExp(`[\\d\\uFDD1](?:[ \\u00A0]?${SIGN})?(?:${JOINT})$`, 'iu'),
  after: new RegExp(
    `^(?:${JOINT_ONWARD}(?:오[전후] ?)?[\\d\\uFDD1](?!\\d*(?:時間|시간|小时))|[,、] ?\\d{1,2}(?:${SIGN}\\d{2}|[点點时時시]|${JOINT_ONWARD}\\d))`,
    'iu',
  ),
};

/** In `8:30 to 10 p.m.`, 8:30 may be in the evening; 15:30 and 09:00 would be unambiguous. */
const areOfOneClock = (times: readonly ReadTime[]): boolean =>
  !times.some(({ clock }) => clock === 'halves') ||
  times.every(
    ({ clock, hour, writtenHour }) =>
      clock === 'halves' || hour > 12 || hour === 0 || writtenHour.startsWith('0'),
  );

function timeOf(match: RegExpExecArray, language: StyleRuleLanguage): ReadTime | undefined {
  const { h = '', min, s = '', half, half2, thirty } = match.groups ?? {};
  const half_ = half ?? half2;
  const written = Number(h);
  const hoursAt = match.indices?.groups?.['h']?.[0] ?? match.index;
  const end = match.index + match[0].length;
  const figuresEnd = match.indices?.groups?.['tail']?.[0] ?? end;
  const base = {
    start: match.index,
    end,
    minute: thirty === undefined ? min?.padStart(2, '0') : '30',
    sign: s,
    writtenHour: h,
    figures: { start: hoursAt, end: figuresEnd },
  };
  if (half_ !== undefined) {
    // 下午15点 states the half of the day twice.
    if (written > 12) return undefined;
    const isAfternoon = AFTERNOON.test(half_);
    // Zero is read in the morning only: 0 a.m. is unusual, but 午前0時 is not.
    if (written === 0 && isAfternoon) return undefined;
    const hour = (written % 12) + (isAfternoon ? 12 : 0);
    // 晚上12点 is midnight, 晚上1点 the hour after it, and 上午12点 may be noon.
    if (language === 'zh' && written === 12 && half_ !== '下午') return undefined;
    if (half_ === '晚上' && written < 5) return undefined;
    return { ...base, hour, clock: 'halves' };
  }
  if (written === 24 && Number(min ?? 0) > 0) return undefined;
  const isSigned = language === 'de' || s.includes('h');
  // 10:30 may be in the evening.
  const isFull = written > 12 || written === 0 || h.startsWith('0') || isSigned;
  return { ...base, hour: written, clock: isFull ? 'full' : 'unclear' };
}
