/** Names of months as they are written in dates. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';

const words = (list: string): readonly string[] => list.trim().split(/\s+/);

/** Spelled out, from January on. */
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

/** Two ways of German to shorten them. */
export const germanShortMonths = {
  threeLetters: words('Jan. Feb. Mrz. Apr. Mai Jun. Jul. Aug. Sep. Okt. Nov. Dez.'),
  customary: words('Jan. Febr. März Apr. Mai Juni Juli Aug. Sept. Okt. Nov. Dez.'),
} as const;

/** Other spellings that are read. */
const readAlso: Partial<Record<StyleRuleLanguage, Readonly<Record<string, number>>>> = {
  en: {
    ...{ 'Jan.': 1, Jan: 1, 'Feb.': 2, Feb: 2, 'Mar.': 3, Mar: 3, 'Apr.': 4, Apr: 4, 'Jun.': 6 },
    ...{ Jun: 6, 'Jul.': 7, Jul: 7, 'Aug.': 8, Aug: 8, 'Sept.': 9, Sept: 9, 'Sep.': 9, Sep: 9 },
    ...{ 'Oct.': 10, Oct: 10, 'Nov.': 11, Nov: 11, 'Dec.': 12, Dec: 12 },
  },
  de: { Jänner: 1, Jän: 1, 'Jän.': 1, Feber: 2, 'Mär.': 3, Mrz: 3 },
  es: { setiembre: 9 },
};

/** Number of each month by every spelling that is read in a language. */
export function monthNumbers(language: StyleRuleLanguage): ReadonlyMap<string, number> {
  const numbers = new Map(Object.entries(readAlso[language] ?? {}));
  const lists = [monthNames[language] ?? []];
  if (language === 'de') lists.push(germanShortMonths.threeLetters, germanShortMonths.customary);
  for (const list of lists)
    for (const [index, name] of list.entries()) numbers.set(name, index + 1);
  return numbers;
}
