/** Reads dates with a day, a month and a four-digit year, where only one reading is possible. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import { oneOf, JOINT, JOINT_ONWARD, withoutJoined, type Neighbours } from './mechanical-rule.ts';

export interface ReadDate {
  start: number;
  end: number;
  day: number;
  month: number;
  year: string;
  /** For dates in digits: their order, separator, and digits as written. */
  figures?: { order: 'dmy' | 'mdy' | 'ymd'; separator: string; day: string; month: string };
  /** The day as written, with or without a leading zero. */
  writtenDay: string;
}

const BEFORE = '(?<![A-Za-zÀ-ɏ\\d_./:+\\uFDD1-])';
const AFTER = '(?![A-Za-zÀ-ɏ\\d_/-]|[.:,]\\d)';

const NUMERIC = new RegExp(
  `${BEFORE}(?:(?<y>\\d{4})(?<ys>[-/.]|\\. )(?<ym>\\d{1,2})\\k<ys>(?<yd>\\d{1,2})(?:(?<=\\. \\d{1,2})\\.)?` +
    `|(?<a>\\d{1,2})(?<s>[-/.])(?<b>\\d{1,2})\\k<s>(?<z>\\d{4}))${AFTER}`,
  'gu',
);

/** Languages in which numeric dates begin with the day; English uses both orders. */
const DAY_FIRST = new Set<StyleRuleLanguage>(['de', 'es', 'fr', 'it']);

const wordPatterns = new Map<StyleRuleLanguage, RegExp>();

function wordPattern(language: StyleRuleLanguage): RegExp {
  let pattern = wordPatterns.get(language);
  if (pattern === undefined) {
    pattern = new RegExp(wordSource(language), 'gu');
    wordPatterns.set(language, pattern);
  }
  return pattern;
}

function wordSource(language: StyleRuleLanguage): string {
  const month = `(?<m>${oneOf(monthNumbers(language).keys())})`;
  const gap = '[ \\u00A0]';
  const day = '(?<d>\\d{1,2})';
  const year = '(?<y>\\d{4})(?![\\d_]|[.,:/-]\\d)';
  switch (language) {
    case 'en':
      return (
        `${BEFORE}${day}(?:st|nd|rd|th)?(?:${gap}of)?${gap}${month},?${gap}${year}|` +
        `(?<![\\p{L}\\d])${month.replace('<m>', '<m2>')}${gap}(?<d2>\\d{1,2})(?:st|nd|rd|th)?,?${gap}` +
        year.replace('<y>', '<y2>')
      );
    case 'de':
      return `${BEFORE}${day}\\.${gap}?${month}${gap}${year}`;
    case 'fr':
      return `${BEFORE}${day}(?:er|ᵉʳ)?${gap}${month}${gap}${year}`;
    case 'es':
      return (
        `${BEFORE}${day}${gap}(?:de${gap})?${month}${gap}(?:del?${gap})?${year}|` +
        `(?<!\\p{L})${month.replace('<m>', '<m2>')}${gap}(?<d2>\\d{1,2}),${gap}${year.replace('<y>', '<y2>')}`
      );
    case 'it':
      return `${BEFORE}${day}[º°]?${gap}${month}${gap}${year}`;
    case 'ja':
    case 'zh':
      return '(?<!\\d)(?<y>\\d{4})年(?<m>\\d{1,2})月(?<d>\\d{1,2})日';
    case 'ko':
      return `(?<!\\d)(?<y>\\d{4})년 ?(?<m>\\d{1,2})월 ?(?<d>\\d{1,2})일`;
  }
}

/** Returns the dates of a text, in reading order. */
export function readDates(text: string, language: StyleRuleLanguage): ReadDate[] {
  const dates: ReadDate[] = [];
  for (const match of text.matchAll(NUMERIC)) {
    const date = numericDate(match, language);
    if (date !== undefined) dates.push(date);
  }
  const months = monthNumbers(language);
  for (const match of text.matchAll(wordPattern(language))) {
    const { m = '', m2 = '', d = '', d2 = '', y = '', y2 = '' } = match.groups ?? {};
    const name = m + m2;
    const month = months.get(name) ?? Number(name);
    const place = { start: match.index, end: match.index + match[0].length };
    dates.push({ ...place, day: Number(d + d2), month, year: y + y2, writtenDay: d + d2 });
  }
  let end = 0;
  const apart = dates
    .filter(isPossible)
    .sort((a, b) => a.start - b.start)
    .filter((date) => {
      const isFree = date.start >= end;
      if (isFree) ({ end } = date);
      return isFree;
    });
  return withoutJoined(apart, text, neighboursIn(language));
}

const neighbours = new Map<StyleRuleLanguage, Neighbours>();

/**
 * Returns patterns of a day, or day and month, joined to a date without a year of its own: the 3rd to 5 May
 * 2024.
 */
function neighboursIn(language: StyleRuleLanguage): Neighbours {
  let found = neighbours.get(language);
  if (found === undefined) {
    const names = oneOf(monthNumbers(language).keys());
    // The digits before a date may also be a time: 15:30, 5 May 2024.
    const day = '(?:(?<!:\\d)\\d|\\uFDD1)(?:st|nd|rd|th|er|ᵉʳ|[º°.日일])?';
    const month = `(?:[ \\u00A0](?:of |de |del )?(?:${names === '' ? '-' : names}))?`;
    found = {
      before: new RegExp(
        `${day}${month}(?:${JOINT_ONWARD}(?:\\p{L}{1,12}[.,]?[ \\u00A0]){0,2}|${JOINT})$`,
        'iu',
      ),
      after: new RegExp(
        `^(?:${JOINT_ONWARD}(?:(?:${names === '' ? '-' : names})[ \\u00A0])?[\\d\\uFDD1]` +
          '|[,、] ?(?:(?:19|20)\\d{2}(?!\\d)|\\d{1,2}[日일]))',
        'iu',
      ),
    };
    neighbours.set(language, found);
  }
  return found;
}

function numericDate(match: RegExpExecArray, language: StyleRuleLanguage): ReadDate | undefined {
  const { y, ys = '', ym = '', yd = '', a = '', s = '', b = '', z = '' } = match.groups ?? {};
  const place = { start: match.index, end: match.index + match[0].length };
  if (y !== undefined) {
    const figures = { order: 'ymd' as const, separator: ys, day: yd, month: ym };
    const date = { ...place, day: Number(yd), month: Number(ym), year: y };
    return { ...date, figures, writtenDay: yd };
  }
  const order = orderOf(Number(a), Number(b), language);
  if (order === undefined) return undefined;
  const [day, month] = order === 'dmy' ? [a, b] : [b, a];
  const date = { ...place, day: Number(day), month: Number(month), year: z };
  return { ...date, figures: { order, separator: s, day, month }, writtenDay: day };
}

function orderOf(
  first: number,
  second: number,
  language: StyleRuleLanguage,
): 'dmy' | 'mdy' | undefined {
  if (DAY_FIRST.has(language)) return 'dmy';
  if (language !== 'en') return undefined;
  if (first > 12) return 'dmy';
  return second > 12 ? 'mdy' : undefined;
}

function isPossible({ day, month }: ReadDate): boolean {
  return day >= 1 && day <= 31 && month >= 1 && month <= 12;
}

// Month names as written in dates.

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Full names, from January on. */
export const monthNames: Partial<Record<StyleRuleLanguage, readonly string[]>> = {
  en: words(
    'January February March April May June July August September October November December',
  ),
  de: words('Januar Februar März April Mai Juni Juli August September Oktober November Dezember'),
  fr: words('janvier février mars avril mai juin juillet août septembre octobre novembre décembre'),
  es: words(
    'enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre',
  ),
  it: words(
    'gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre',
  ),
};

/** Two German conventions for abbreviating them. */
export const germanShortMonths = {
  threeLetters: words('Jan. Feb. Mrz. Apr. Mai Jun. Jul. Aug. Sep. Okt. Nov. Dez.'),
  customary: words('Jan. Febr. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
} as const;

/** Further spellings that are recognised. */
const readAlso: Partial<Record<StyleRuleLanguage, Readonly<Record<string, number>>>> = {
  en: {
    'Jan.': 1,
    Jan: 1,
    'Feb.': 2,
    Feb: 2,
    'Mar.': 3,
    Mar: 3,
    'Apr.': 4,
    Apr: 4,
    'Jun.': 6,
    Jun: 6,
    'Jul.': 7,
    Jul: 7,
    'Aug.': 8,
    Aug: 8,
    'Sept.': 9,
    Sept: 9,
    'Sep.': 9,
    Sep: 9,
    'Oct.': 10,
    Oct: 10,
    'Nov.': 11,
    Nov: 11,
    'Dec.': 12,
    Dec: 12,
  },
  de: { Jänner: 1, Jän: 1, 'Jän.': 1, Feber: 2, 'Mär.': 3, Mrz: 3 },
  es: { setiembre: 9 },
};

/** Returns the month numbers, by every recognised spelling of a language. */
function monthNumbers(language: StyleRuleLanguage): ReadonlyMap<string, number> {
  const numbers = new Map(Object.entries(readAlso[language] ?? {}));
  const lists = [monthNames[language] ?? []];
  if (language === 'de') lists.push(germanShortMonths.threeLetters, germanShortMonths.customary);
  for (const list of lists)
    for (const [index, name] of list.entries()) numbers.set(name, index + 1);
  return numbers;
}
