/** Rules for decimal and thousands separators. They act together, as one character cannot serve as both. */
import {
  NARROW,
  withPieces,
  LATIN_LANGUAGES,
  rulesOf,
  type ChosenStyle,
  type StyleStep,
} from './mechanical-rule.ts';
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import type { Span } from '../../text/placeholders.ts';
import { isAmount } from './units.ts';

interface NumberFormat {
  decimal?: string;
  /** Thousands separator; empty: none. */
  group?: string;
  /** Whether radio stations keep the point in their frequency: 101.5 MHz. */
  keepsRadioStations?: boolean;
}

const decimals: Readonly<Record<string, NumberFormat>> = {
  use_comma_and_do_not_use_thousands_separator: { decimal: ',', group: '' },
  use_comma_as_decimal_separator: { decimal: ',' },
  use_comma_do_not_use_thousands_separator_and_use_period_only_for_radio_stations: {
    decimal: ',',
    group: '',
    keepsRadioStations: true,
  },
  use_period_and_do_not_use_thousands_separator: { decimal: '.', group: '' },
  use_period_as_decimal_separator: { decimal: '.' },
};

const groups: Readonly<Record<string, NumberFormat>> = {
  do_not_use: { group: '' },
  do_not_use_thousands_separator: { group: '' },
  use_comma: { group: ',' },
  use_comma_to_separate_large_numbers_into_units_of_three: { group: ',' },
  use_period: { group: '.' },
  use_period_as_thousands_separator: { group: '.' },
  use_space: { group: NARROW },
  use_space_as_thousands_separator: { group: NARROW },
  use_space_to_separate_large_numbers_into_units_of_three: { group: NARROW },
  use_straight_apostrophe_as_thousands_separator: { group: "'" },
};

const pairs: Readonly<Record<string, NumberFormat>> = {
  use_comma_as_decimal_separator_and_period_as_thousands_separator: { decimal: ',', group: '.' },
  use_comma_as_decimal_separator_and_space_as_thousands_separator: { decimal: ',', group: NARROW },
  use_comma_as_decimal_separator_period_as_thousands_separator_and_period_for_radio_stations: {
    decimal: ',',
    group: '.',
    keepsRadioStations: true,
  },
  use_comma_as_decimal_separator_space_as_thousands_separator_and_period_for_radio_stations: {
    decimal: ',',
    group: NARROW,
    keepsRadioStations: true,
  },
  use_period_as_decimal_separator_and_comma_as_thousands_separator: { decimal: '.', group: ',' },
  use_period_as_decimal_separator_and_space_as_thousands_separator: {
    decimal: '.',
    group: NARROW,
  },
};

/** Rewrites the separators of numbers that have some; numbers without separators stay without. */
export const numberFormatStep: StyleStep = {
  rules: [
    ...rulesOf('numbers', 'decimal_separator', LATIN_LANGUAGES, Object.keys(decimals)),
    ...rulesOf('numbers', 'thousands_separator', LATIN_LANGUAGES, Object.keys(groups)),
    ...rulesOf('numbers', 'numbers_up_to_4_digits', LATIN_LANGUAGES, Object.keys(pairs)),
    ...rulesOf('numbers', 'numbers_of_5_digits_or_more', LATIN_LANGUAGES, Object.keys(pairs)),
  ],
  apply(text, style) {
    const pieces = readNumbers(text, style.language).map((number) => {
      const { start, end } = number;
      return { start, end, text: written(number, formatOf(number, style), text) };
    });
    return withPieces(text, pieces);
  },
};

function formatOf({ groups: whole }: ReadNumber, style: ChosenStyle): NumberFormat {
  const figures = whole.reduce((sum, group) => sum + group.length, 0);
  const bySize = figures <= 4 ? 'numbers_up_to_4_digits' : 'numbers_of_5_digits_or_more';
  return {
    ...decimals[style.option('numbers', 'decimal_separator') ?? ''],
    ...groups[style.option('numbers', 'thousands_separator') ?? ''],
    ...pairs[style.option('numbers', bySize) ?? ''],
  };
}

const RADIO_AFTER = /^[ \u00A0\u202F]?(?:[MkG]Hz|FM|AM|UKW)(?!\p{L})/u;
const RADIO_BEFORE = /(?:FM|AM|UKW)[ \u00A0\u202F]?$/u;

function written(number: ReadNumber, format: NumberFormat, text: string): string {
  const asWritten = text.slice(number.start, number.end);
  const isRadio =
    format.keepsRadioStations === true &&
    (RADIO_AFTER.test(text.slice(number.end, number.end + 6)) ||
      RADIO_BEFORE.test(text.slice(Math.max(0, number.start - 5), number.start)));
  if (isRadio) return asWritten;
  // Without a fraction, only the thousands separator shows, and it must not look like a decimal separator.
  const decimal = format.decimal ?? number.decimalSeparator;
  let group = format.group ?? number.groupSeparator;
  if (group !== '' && group === decimal) group = decimal === ',' ? '.' : ',';
  const whole = number.groups.join(group);
  return number.fraction === '' ? whole : whole + decimal + number.fraction;
}

// Reading of numbers with separators, where only one reading is possible.

interface ReadNumber {
  start: number;
  end: number;
  /** Digits of the integer part, in groups of three if written so. */
  groups: readonly string[];
  /** As written; empty without groups. */
  groupSeparator: string;
  fraction: string;
  /** As written; empty without a fraction. */
  decimalSeparator: string;
}

const SEPARATED =
  /(?<![A-Za-zÀ-ɏ\d_.,:/#+'’\uFDD1])\d{1,15}(?:[.,'’\u00A0\u2009\u202F]\d{1,15}){1,8}(?![\d_/:]|[.,'’\u00A0\u2009\u202F]\d|[A-Za-z]{1,3}\d)/gu;

/** Thousands separators of languages whose convention is unambiguous. */
const thousands: Readonly<Record<StyleRuleLanguage, string>> = {
  de: '.',
  es: '.',
  it: '.',
  fr: '',
  en: ',',
  ja: ',',
  ko: ',',
  zh: ',',
};
const COMMA_LANGUAGES = new Set<StyleRuleLanguage>(['de', 'es', 'fr', 'it']);

/**
 * Returns the numbers of a text that have separators. `1.234` is above one thousand in German, and left alone
 * in English, where it is ambiguous. A point between digits may also belong to a version, a section or a
 * time, so it counts as a decimal separator only beside a unit, a currency or a percent sign.
 */
function readNumbers(text: string, language: StyleRuleLanguage): ReadNumber[] {
  const numbers: ReadNumber[] = [];
  for (const { 0: found, index } of text.matchAll(SEPARATED)) {
    const place = { start: index, end: index + found.length };
    const number = parse(found, place, () => isAmount(text, place.start, place.end), language);
    if (number !== undefined) numbers.push(number);
  }
  return numbers;
}

const BLANK_SEPARATOR = /[\u00A0\u2009\u202F]/;
const plain = (separator: string): string =>
  BLANK_SEPARATOR.test(separator) ? ' ' : separator.replace('’', "'");

function parse(
  found: string,
  place: Span,
  hasEvidence: () => boolean,
  language: StyleRuleLanguage,
): ReadNumber | undefined {
  const figures = found.split(/\D/);
  const separators = found.match(/\D/g) ?? [];
  const [first = ''] = separators;
  const last = separators.at(-1) ?? '';
  const isUniform = separators.every((separator) => plain(separator) === plain(first));
  const integer = (): ReadNumber | undefined =>
    isGrouped(figures)
      ? { ...place, groups: figures, groupSeparator: first, fraction: '', decimalSeparator: '' }
      : undefined;
  const fractional = (groups: readonly string[], groupSeparator: string): ReadNumber => ({
    ...place,
    groups,
    groupSeparator,
    fraction: figures.at(-1) ?? '',
    decimalSeparator: last,
  });

  if (isUniform && (separators.length > 1 || !'.,'.includes(first))) return integer();
  if (separators.length === 1) {
    const [whole = '', rest = ''] = figures;
    if (whole.length > 1 && whole.startsWith('0')) return undefined;
    if (rest.length === 3 && whole.length <= 3 && whole !== '0') {
      return first === thousands[language] ? integer() : undefined;
    }
    const isNative = first === ',' && COMMA_LANGUAGES.has(language);
    return isNative || hasEvidence() ? fractional([whole], '') : undefined;
  }
  const groupSeparators = separators.slice(0, -1);
  const isMixed =
    '.,'.includes(last) && groupSeparators.every((separator) => plain(separator) === plain(first));
  const groups = figures.slice(0, -1);
  return isMixed && first !== last && isGrouped(groups) ? fractional(groups, first) : undefined;
}

function isGrouped([first = '', ...rest]: readonly string[]): boolean {
  return first.length <= 3 && !first.startsWith('0') && rest.every((group) => group.length === 3);
}
