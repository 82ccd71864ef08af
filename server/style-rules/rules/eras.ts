/** Rules for eras, centuries, decades and Japanese years. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  oneOf,
  JOINT,
  JOINT_ONWARD,
  textAfter,
  textBefore,
  singleRule,
  type ChosenStyle,
  type StyleStep,
  withoutStop,
} from './mechanical-rule.ts';

const YEAR = '\\d{1,4}(?:s)?';
const GAP = '[ \\u00A0]';
const CENTURY_EN = `centur(?:y|ies)${GAP}`;

const COUNTED = `(?<=\\d${GAP}?|\\ds${GAP}?|${CENTURY_EN})`;
/**
 * Words that may follow an era: before any other word, the letters are part of a name, as in `300 AD users`.
 */
const AFTER_YEAR =
  'a|an|and|as|at|but|by|for|from|he|his|in|is|it|or|she|the|they|to|until|was|were|when|which|while|who|with';
/** Pattern of the end of an era's letters. */
const ERA_END = `(?![\\p{L}\\d]|[- \\u00A0](?!(?:${AFTER_YEAR})(?!\\p{L}))[\\p{L}\\uFDD1])`;
const BCE = new RegExp(`${COUNTED}(?:BCE${ERA_END}|B\\.C\\.E\\.)`, 'gu');
const BC = new RegExp(`${COUNTED}(?:BC${ERA_END}|B\\.C\\.(?!E))`, 'gu');
const YEAR_CE = new RegExp(`(?<![\\p{L}\\d.,])(${YEAR})${GAP}CE${ERA_END}`, 'gu');
const CENTURY_CE = new RegExp(`(?<=${CENTURY_EN})CE(?![\\p{L}\\d])`, 'gu');
const AD_YEAR = new RegExp(
  `(?<![\\p{L}\\d])(?:AD|A\\.D\\.)(${GAP})(${YEAR})(?![\\p{L}\\d]|[.,]\\d)`,
  'gu',
);
const AD = new RegExp(`${COUNTED}(?:AD${ERA_END}|A\\.D\\.)`, 'gu');
/** Years that share one era: `50 to 100 CE`, `AD 79–85`. */
const YEAR_BEFORE = new RegExp(`[\\d\\uFDD1](?:${JOINT})$`, 'iu');
const YEAR_AFTER = new RegExp(
  `^(?:${JOINT})(?:\\d{1,4}(?!\\d|s?${GAP}?(?:BC|AD|CE|B\\.C\\.|A\\.D\\.))|\\uFDD1)`,
  'iu',
);

const toChristian = (text: string): string =>
  text
    .replace(BCE, (found: string, at: number) => withoutStop(found, 'BC', text, at))
    .replace(YEAR_CE, (found: string, year: string, at: number, whole: string) =>
      YEAR_BEFORE.test(textBefore(whole, at)) ? found : `AD ${year}`,
    )
    .replace(CENTURY_CE, 'AD');

function toCommon(text: string): string {
  const moved = text.replace(AD_YEAR, (found: string, gap: string, year: string, at: number) =>
    YEAR_AFTER.test(textAfter(text, at + found.length)) ? found : `${year}${gap}CE`,
  );
  const named = moved.replace(AD, (found: string, at: number) =>
    withoutStop(found, 'CE', moved, at),
  );
  return named.replace(BC, (found: string, at: number) => withoutStop(found, 'BCE', named, at));
}

export const eraStep: StyleStep = singleRule({
  category: 'dates_and_times',
  rule: 'calendar_era',
  options: {
    use_bc_and_ad: { languages: ['en'], apply: toChristian },
    use_bce_and_ce: { languages: ['en'], apply: toCommon },
  },
});

const ORDINALS = (
  'first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth ' +
  'fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth twenty-first'
).split(' ');
const suffix = (value: number): string => {
  if (value >= 11 && value <= 13) return 'th';
  return ['th', 'st', 'nd', 'rd'][value % 10] ?? 'th';
};
const AS_CENTURY = '(?=[- \\u00A0]centur(?:y|ies)(?!\\p{L}))';
const FIGURES_EN = new RegExp(`(?<![\\p{L}\\d.,])(\\d{1,2})(?:st|nd|rd|th)${AS_CENTURY}`, 'gu');
const WORDS_EN = new RegExp(`(?<![\\p{L}-])(${oneOf(ORDINALS)})${AS_CENTURY}`, 'giu');

const ROMAN = ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'];
const roman = (value: number): string =>
  'X'.repeat(Math.floor(value / 10)) + (ROMAN[value % 10] ?? '');
const arabicByRoman = new Map(
  Array.from({ length: 21 }, (_, index) => [roman(index + 1), index + 1]),
);
const ROMAN_NUMBER = '[IVX]{1,5}';

/** Arabic and Roman numerals before or after the word for a century. */
const centuries: Partial<
  Record<
    StyleRuleLanguage,
    {
      roman: RegExp;
      arabic: RegExp;
      writeArabic: (value: number) => string;
      writeRoman: (value: string) => string;
    }
  >
> = {
  es: {
    roman: new RegExp(`(?<=(?<!\\p{L})siglos?${GAP})(${ROMAN_NUMBER})(?!\\p{L})`, 'giu'),
    arabic: new RegExp(`(?<=(?<!\\p{L})siglos?${GAP})(\\d{1,2})(?![\\d.,]*\\d)`, 'giu'),
    writeArabic: String,
    writeRoman: (value) => value,
  },
  fr: {
    roman: new RegExp(
      `(?<!\\p{L})(${ROMAN_NUMBER})(?:er|ème|e|ᵉ)(?=${GAP}siècles?(?!\\p{L}))`,
      'gu',
    ),
    arabic: new RegExp(
      `(?<![\\p{L}\\d.,])(\\d{1,2})(?:er|ème|e|ᵉ)(?=${GAP}siècles?(?!\\p{L}))`,
      'gu',
    ),
    writeArabic: (value) => `${value}${value === 1 ? 'er' : 'e'}`,
    writeRoman: (value) => `${value}${value === 'I' ? 'er' : 'e'}`,
  },
  it: {
    // `I secoli` are the centuries.
    roman: new RegExp(`(?<!\\p{L})(${ROMAN_NUMBER})(?=${GAP}secolo(?!\\p{L}))`, 'gu'),
    arabic: new RegExp(`(?<![\\p{L}\\d.,])(\\d{1,2})[º°](?=${GAP}secol[oi](?!\\p{L}))`, 'gu'),
    writeArabic: (value) => `${value}º`,
    writeRoman: (value) => value,
  },
};

const NUMERAL = '(?:[IVX]|\\d|\\uFDD1)(?:er|ème|e|ᵉ|[º°]|st|nd|rd|th)?';
const COUNTED_BEFORE = new RegExp(
  `(?<!\\p{L}{2})(?:${NUMERAL}|(?<!\\p{L})(?:${oneOf(ORDINALS)}))-?` +
    `(?:${JOINT}|${JOINT_ONWARD}(?:\\p{L}{1,12}${GAP}){0,2})$`,
  'iu',
);
const COUNTED_AFTER = new RegExp(`^(?:${JOINT})(?:[IVX]+(?!\\p{L})|\\d|\\uFDD1)`, 'u');

/**
 * Whether a century stands alone. Centuries that share one word stay unchanged, or they would end up in
 * different numerals.
 */
const isAlone = (text: string, at: number, found: string): boolean =>
  !COUNTED_BEFORE.test(textBefore(text, at)) &&
  !COUNTED_AFTER.test(textAfter(text, at + found.length));

function inRoman(text: string, { language }: ChosenStyle): string {
  const form = centuries[language];
  if (form === undefined) return text;
  return text.replace(form.arabic, (found: string, figures: string, at: number) => {
    const value = Number(figures);
    if (!isAlone(text, at, found)) return found;
    return value >= 1 && value <= 21 ? form.writeRoman(roman(value)) : found;
  });
}

function inArabic(text: string, { language }: ChosenStyle): string {
  const form = centuries[language];
  if (form === undefined) return text;
  return text.replace(form.roman, (found: string, numeral: string, at: number) => {
    const value = arabicByRoman.get(numeral);
    return value === undefined || !isAlone(text, at, found) ? found : form.writeArabic(value);
  });
}

const inEnglishFigures = (text: string): string =>
  text.replace(WORDS_EN, (word: string, _ordinal: string, at: number) => {
    if (!isAlone(text, at, word)) return word;
    const value = ORDINALS.indexOf(word.toLowerCase()) + 1;
    return `${value}${suffix(value)}`;
  });

const inEnglishWords = (text: string): string =>
  text.replace(FIGURES_EN, (found: string, figures: string, at: number) => {
    const word = ORDINALS[Number(figures) - 1];
    if (word === undefined || !isAlone(text, at, found)) return found;
    return at === 0 ? word.charAt(0).toUpperCase() + word.slice(1) : word;
  });

export const centuryStep: StyleStep = singleRule({
  category: 'dates_and_times',
  rule: 'centuries',
  options: {
    spell_out: { languages: ['en'], apply: inEnglishWords },
    use_numerals: { languages: ['en'], apply: inEnglishFigures },
    use_arabic_numerals: { languages: ['es', 'fr', 'it'], apply: inArabic },
    use_roman_numerals: { languages: ['es', 'fr', 'it'], apply: inRoman },
  },
});

/**
 * Only decades of the 20th century can be shortened, from the twenties on: `the 1890s`, `the 1900s` and `the
 * 1910s` would become ambiguous.
 */
const DECADE = /(?<![\p{L}\d.,'’–—-])19([2-9])0s(?![\p{L}\d])/gu;
const SHORT_DECADE = /(?<![\p{L}\d.,])['’](\d)0s(?![\p{L}\d])/gu;

export const decadeStep: StyleStep = singleRule({
  category: 'dates_and_times',
  rule: 'decades',
  options: {
    use_apostrophe_yy: { languages: ['en'], apply: (text) => text.replace(DECADE, '’$10s') },
    use_yy_for_20th_century_but_yyyy_for_other_centuries: {
      languages: ['en'],
      apply: (text) => text.replace(DECADE, '$10s'),
    },
    use_yy_without_apostrophe: {
      languages: ['en'],
      apply: (text) => text.replace(DECADE, '$10s').replace(SHORT_DECADE, '$10s'),
    },
  },
});

/** First and last years of the Japanese eras; the year in which one ended belongs to two. */
const ERAS = [
  { name: '明治', first: 1868, last: 1912 },
  { name: '大正', first: 1912, last: 1926 },
  { name: '昭和', first: 1926, last: 1989 },
  { name: '平成', first: 1989, last: 2019 },
  { name: '令和', first: 2019, last: 2099 },
];
/** Not a duration, a fiscal year or a decade: 2000年前, 2000年以上, 1990年代. */
const OF_YEARS = '(?![間度代前後余ぶ]|以上|もの)';
const IMPERIAL = new RegExp(
  `(${oneOf(ERAS.map(({ name }) => name))})(元|\\d{1,2})年${OF_YEARS}`,
  'gu',
);
/** A single year: years joined to others that lack the word 年 stay unchanged. */
const COMMON = new RegExp(
  `(?<![\\d.,年]|\\d[〜～~・、,–-])(?:西暦)?((?:18|19|20)\\d{2})年${OF_YEARS}(?!(?:[〜～~・、,–-]|から|と)\\d{1,2}年)`,
  'gu',
);

export const japaneseYearStep: StyleStep = singleRule({
  category: 'dates_and_times',
  rule: 'years',
  options: {
    use_common_era: {
      languages: ['ja'],
      apply: (text) =>
        text.replace(IMPERIAL, (found: string, name: string, figures: string) => {
          const era = ERAS.find((known) => known.name === name);
          const year = (era?.first ?? 0) + (figures === '元' ? 1 : Number(figures)) - 1;
          return era === undefined || year > era.last ? found : `${year}年`;
        }),
    },
    use_japanese_imperial_era: {
      languages: ['ja'],
      apply: (text) =>
        text.replace(COMMON, (found: string, figures: string) => {
          const year = Number(figures);
          const era = ERAS.find(({ first, last }) => year > first && year < last);
          return era === undefined ? found : `${era.name}${year - era.first + 1}年`;
        }),
    },
  },
});
