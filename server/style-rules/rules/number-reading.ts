/** Reads numbers with separators, as far as they can be read in one way only. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import { isAmount } from './units.ts';

export interface ReadNumber {
  start: number;
  end: number;
  /** Figures of the whole part, in groups of three where it was written so. */
  groups: readonly string[];
  /** As it was written; empty without groups. */
  groupSeparator: string;
  fraction: string;
  /** As it was written; empty without a fraction. */
  decimalSeparator: string;
}

const SEPARATED =
  /(?<![A-Za-zÀ-ɏ\d_.,:/#+'’\uFDD1])\d{1,15}(?:[.,'’\u00A0\u2009\u202F]\d{1,15}){1,8}(?![\d_/:]|[.,'’\u00A0\u2009\u202F]\d|[A-Za-z]{1,3}\d)/gu;

/** How a language writes numbers, where its way is not what another language means by it. */
const thousands: Readonly<Record<StyleRuleLanguage, string>> = {
  ...{ de: '.', es: '.', it: '.', fr: '' },
  ...{ en: ',', ja: ',', ko: ',', zh: ',' },
};
const COMMA_LANGUAGES = new Set<StyleRuleLanguage>(['de', 'es', 'fr', 'it']);

/**
 * The numbers of a text that have separators. `1.234` is one thousand and more in German and left
 * alone in English, where it may be either; a point between figures may as well be a version, a
 * section or a time, so it is a decimal sign only beside a unit, a currency or a percent sign.
 */
export function readNumbers(text: string, language: StyleRuleLanguage): ReadNumber[] {
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
  place: { start: number; end: number },
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
    ...{ ...place, groups, groupSeparator },
    ...{ fraction: figures.at(-1) ?? '', decimalSeparator: last },
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
