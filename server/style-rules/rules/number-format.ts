/** Decimal signs and thousands separators: their rules act together, as one sign cannot be both. */
import { NARROW, withPieces } from './characters.ts';
import { LATIN_LANGUAGES, rulesOf, type ChosenStyle, type StyleStep } from './mechanical-rule.ts';
import { readNumbers, type ReadNumber } from './number-reading.ts';

interface NumberFormat {
  decimal?: string;
  /** Empty: figures are not separated. */
  group?: string;
  /** Stations are known by their number with a point: 101.5 MHz. */
  keepsRadioStations?: boolean;
}

const decimals: Readonly<Record<string, NumberFormat>> = {
  use_comma_and_do_not_use_thousands_separator: { decimal: ',', group: '' },
  use_comma_as_decimal_separator: { decimal: ',' },
  use_comma_do_not_use_thousands_separator_and_use_period_only_for_radio_stations: {
    ...{ decimal: ',', group: '', keepsRadioStations: true },
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
    ...{ decimal: ',', group: '.', keepsRadioStations: true },
  },
  use_comma_as_decimal_separator_space_as_thousands_separator_and_period_for_radio_stations: {
    ...{ decimal: ',', group: NARROW, keepsRadioStations: true },
  },
  use_period_as_decimal_separator_and_comma_as_thousands_separator: { decimal: '.', group: ',' },
  use_period_as_decimal_separator_and_space_as_thousands_separator: {
    ...{ decimal: '.', group: NARROW },
  },
};

/** Numbers with separators as the list writes them; none is given to figures that have none. */
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
  // A number without a fraction shows its thousands only; they must not look like a fraction.
  const decimal = format.decimal ?? number.decimalSeparator;
  let group = format.group ?? number.groupSeparator;
  if (group !== '' && group === decimal) group = decimal === ',' ? '.' : ',';
  const whole = number.groups.join(group);
  return number.fraction === '' ? whole : whole + decimal + number.fraction;
}
