/** Units of measure and currency symbols. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import { BLANK, oneOf } from './mechanical-rule.ts';

/**
 * Units that are unambiguous after a number. `s` (90s), `h` (10 h: a time), `in`, `A`, `K`, `J` and `N` are
 * ambiguous and left out.
 */
const UNIT_SYMBOLS = [
  ...['km', 'm', 'cm', 'mm', 'µm', 'μm', 'nm', 'km²', 'm²', 'cm²', 'mm²', 'm³', 'cm³', 'ha'],
  ...['kg', 'g', 'mg', 'µg', 'μg', 't', 'l', 'L', 'ml', 'mL', 'cl', 'cL', 'dl', 'dL', 'hl'],
  ...['km/h', 'm/s', 'mph', 'rpm', 'min', 'ms', 'kW', 'W', 'mW', 'MW', 'GW', 'Wh', 'kWh', 'MWh'],
  ...['GWh', 'V', 'mV', 'kV', 'mA', 'mAh', 'Hz', 'kHz', 'MHz', 'GHz', 'Pa', 'kPa', 'hPa', 'MPa'],
  ...['bar', 'mbar', 'kJ', 'MJ', 'kN', 'Nm', 'kcal', 'kB', 'KB', 'MB', 'GB', 'TB', 'PB', 'kbit/s'],
  ...[
    'Mbit/s',
    'Gbit/s',
    'Mbps',
    'Gbps',
    'MB/s',
    'GB/s',
    'dB',
    'lb',
    'lbs',
    'oz',
    'ft',
    'yd',
    'px',
  ],
  ...['ppm', 'Ω', 'kΩ', 'lx', 'mol'],
];

/** Pattern of units, the longest first. */
export const UNIT = oneOf(UNIT_SYMBOLS);

/** Pattern of the end of a unit: no letter, digit or apostrophe follows. */
export const UNIT_END = "(?![\\p{L}\\p{M}\\p{N}_'’²³/-])";

/** Currencies with an unambiguous symbol. */
export const isoBySymbol: ReadonlyMap<string, string> = new Map([
  ['€', 'EUR'],
  ['£', 'GBP'],
  ['₩', 'KRW'],
  ['₹', 'INR'],
  ['US$', 'USD'],
  ['A$', 'AUD'],
  ['C$', 'CAD'],
  ['HK$', 'HKD'],
]);

export const symbolByIso: ReadonlyMap<string, string> = new Map(
  [...isoBySymbol].map(([symbol, iso]) => [iso, symbol] as const),
);

/** Pattern of currency symbols. */
export const CURRENCY_SYMBOL = oneOf([
  ...isoBySymbol.keys(),
  '$',
  '¥',
  '￥',
  '￦',
  '＄',
  '₽',
  '₺',
  '₴',
]);

/** Pattern of currency codes. */
export const CURRENCY_CODE = oneOf([
  ...isoBySymbol.values(),
  ...['CHF', 'JPY', 'CNY', 'RMB', 'SEK', 'NOK', 'DKK', 'PLN', 'CZK', 'HUF', 'NZD', 'SGD', 'BRL'],
  ...['MXN', 'ZAR', 'TRY', 'RUB', 'ILS', 'THB', 'TWD', 'UAH'],
]);

/** Pattern of powers of a thousand after an amount. */
export const MAGNITUDE =
  '(?:thousand|million|billion|trillion|bn|mn|tn|k|m|b|tausend|Tsd\\.|Million(?:en)?|Milliarden?|Billionen?|Mio|Mrd|' +
  'mille|millions?|milliards?|mil|millón|millones|millardos?|milione|milioni|miliardo|miliardi|mio|mrd|万|亿|億|兆|천|만|억|조)';

/** The second number of a range or list shares the unit of the first: 1.5–2.5 kg. */
const SECOND_FIGURE = `(?:${BLANK}(?:[-–—~x×,]|and|to|or|und|bis|oder|et|à|ou|y|a|o|e)${BLANK}\\d[\\d.,]{0,15})?`;

/** Context after a number that makes it an amount. */
const AFTER_AMOUNT = new RegExp(
  `^${SECOND_FIGURE}${BLANK}(?:[%‰％°℃℉€£₩₹¥￥$]|(?:${CURRENCY_CODE}|${UNIT}|${MAGNITUDE}|` +
    'percent|per cent|Prozent|pour cent|por ciento|por cien|per cento|percento|' +
    'times|mal|fois|veces|volte|degrees?|Grad|degrés?|grados?|gradi|' +
    `Euro|euros?|dollars?|Dollar|dólares|dollari|pounds?|Pfund)${UNIT_END})`,
  'u',
);
const BEFORE_AMOUNT = new RegExp(
  `(?:${CURRENCY_SYMBOL}|\\b(?:${CURRENCY_CODE})|[=≈±<>≤≥])${BLANK}$`,
  'u',
);

/** Whether the context of a number makes it an amount, rather than a version, a section or a time. */
export function isAmount(text: string, start: number, end: number): boolean {
  return (
    AFTER_AMOUNT.test(text.slice(end, end + 40)) ||
    BEFORE_AMOUNT.test(text.slice(Math.max(0, start - 5), start))
  );
}

interface UnitWord {
  symbol: string;
  /** Singular and plural. */
  words: Partial<Record<StyleRuleLanguage | 'en-gb', readonly [one: string, many: string]>>;
}

const row = (
  symbol: string,
  [en, gb, de, fr, es, it, italians]: readonly [
    ...[en: string, gb: string, de: string, fr: string],
    ...[es: string, it: string, italians: string],
  ],
): UnitWord => ({
  symbol,
  words: {
    en: [en, `${en}s`],
    'en-gb': [gb, `${gb}s`],
    de: [de, de],
    fr: [fr, `${fr}s`],
    es: [es, `${es}s`],
    it: [it, italians],
  },
});

/** Spelled-out units. */
export const unitWords: readonly UnitWord[] = [
  row('km', [
    'kilometer',
    'kilometre',
    'Kilometer',
    'kilomètre',
    'kilómetro',
    'chilometro',
    'chilometri',
  ]),
  row('m', ['meter', 'metre', 'Meter', 'mètre', 'metro', 'metro', 'metri']),
  row('cm', [
    'centimeter',
    'centimetre',
    'Zentimeter',
    'centimètre',
    'centímetro',
    'centimetro',
    'centimetri',
  ]),
  row('mm', [
    'millimeter',
    'millimetre',
    'Millimeter',
    'millimètre',
    'milímetro',
    'millimetro',
    'millimetri',
  ]),
  row('kg', [
    'kilogram',
    'kilogram',
    'Kilogramm',
    'kilogramme',
    'kilogramo',
    'chilogrammo',
    'chilogrammi',
  ]),
  row('g', ['gram', 'gram', 'Gramm', 'gramme', 'gramo', 'grammo', 'grammi']),
  row('mg', [
    'milligram',
    'milligram',
    'Milligramm',
    'milligramme',
    'miligramo',
    'milligrammo',
    'milligrammi',
  ]),
  row('l', ['liter', 'litre', 'Liter', 'litre', 'litro', 'litro', 'litri']),
  row('ml', [
    'milliliter',
    'millilitre',
    'Milliliter',
    'millilitre',
    'mililitro',
    'millilitro',
    'millilitri',
  ]),
];
