/** Rules for amounts of money: the position of the symbol, and the choice of symbol or code. */
import type { StyleRuleLanguage } from '../../../shared/style-rules/catalogue.ts';
import {
  BLANK,
  NO_BREAK,
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type StyleStep,
} from './mechanical-rule.ts';
import { CURRENCY_CODE, CURRENCY_SYMBOL, isoBySymbol, MAGNITUDE, symbolByIso } from './units.ts';

/** Groups of three digits between no-break spaces, or digits with separators. */
const AMOUNT =
  "(?:\\d{1,3}(?:[\\u00A0\\u2009\\u202F]\\d{3}){1,6}(?:[.,]\\d{1,15})?|\\d{1,15}(?:[.,'’]\\d{1,15}){0,8})";
/** Digits after a separator or space, which may belong to the same amount or be another number. */
const FIGURE_NEAR = `[.,'’ \\u00A0\\u2009\\u202F]\\d`;
const SIGN = `${CURRENCY_SYMBOL}|${CURRENCY_CODE}`;
/**
 * End of an amount. Ranges, amounts in millions or without cents (€5,–), and a symbol between two amounts are ambiguous, so these
 * stay unchanged.
 */
const AMOUNT_END =
  `(?![\\d%]|${FIGURE_NEAR}|${BLANK}[-–—~]${BLANK}\\d|[.,][-–—]|${BLANK}(?:${MAGNITUDE}|[KMBT])(?!\\p{L})` +
  `|${BLANK}(?:${SIGN})(?!\\p{L}))`;
const SIGN_FIRST = `(?<![\\p{L}\\d_$]|\\d${BLANK})(${SIGN})(${BLANK})(${AMOUNT})${AMOUNT_END}`;
const AMOUNT_FIRST =
  `(?<![\\p{L}\\d_.,]|\\d['’ \\u00A0\\u2009\\u202F]|\\d${BLANK}[-–—~]${BLANK}|[$€£¥₩₹]${BLANK})(${AMOUNT})(${BLANK})` +
  `(?:(${CURRENCY_CODE})(?![\\p{L}\\d_-]|${BLANK}\\d)|(${CURRENCY_SYMBOL})(?!${BLANK}\\d))`;
const MONEY = new RegExp(`${SIGN_FIRST}|${AMOUNT_FIRST}`, 'gu');

interface Money {
  amount: string;
  sign: string;
  blank: string;
  isSignFirst: boolean;
}

const isCode = (sign: string): boolean => /^[A-Z]{3}$/.test(sign);
const symbolFor = (sign: string): string | undefined =>
  isCode(sign) ? symbolByIso.get(sign) : sign;
const codeFor = (sign: string): string | undefined => (isCode(sign) ? sign : isoBySymbol.get(sign));

/** Rewrites amounts whose wanted symbol or code is known; others stay, as `$` has no code of its own. */
const writes =
  (write: (money: Money) => string | undefined) =>
  (text: string): string =>
    text.replace(
      MONEY,
      (
        found: string,
        before: string | undefined,
        blankAfterSign: string | undefined,
        amountAfter: string | undefined,
        amount: string | undefined,
        blank: string | undefined,
        code: string | undefined,
        symbol: string | undefined,
      ) =>
        write(
          before === undefined
            ? {
                amount: amount ?? '',
                sign: code ?? symbol ?? '',
                blank: blank ?? '',
                isSignFirst: false,
              }
            : {
                amount: amountAfter ?? '',
                sign: before,
                blank: blankAfterSign ?? '',
                isSignFirst: true,
              },
        ) ?? found,
    );

type SignOf = (sign: string) => string | undefined;

const amountThen = (signOf: SignOf, hasBlank: boolean) =>
  writes(({ amount, sign, blank }) => {
    const wanted = signOf(sign);
    if (wanted === undefined) return undefined;
    return amount + (hasBlank ? blank || NO_BREAK : '') + wanted;
  });
const signThen = (signOf: SignOf, hasBlank: boolean) =>
  writes(({ amount, sign, blank }) => {
    const wanted = signOf(sign);
    if (wanted === undefined) return undefined;
    return wanted + (hasBlank ? blank || NO_BREAK : '') + amount;
  });

/**
 * Keeps the position of the symbol: a leading symbol adjoins its amount, and a code is set off by a space.
 */
const inPlace = (signOf: SignOf) =>
  writes(({ amount, sign, blank, isSignFirst }) => {
    const wanted = signOf(sign);
    if (wanted === undefined || wanted === sign) return undefined;
    const gap = isCode(wanted) ? blank || NO_BREAK : isSignFirst ? '' : blank;
    return isSignFirst ? wanted + gap + amount : amount + gap + wanted;
  });

const wide = new Map([
  ['¥', '￥'],
  ['₩', '￦'],
  ['$', '＄'],
]);
const narrow = new Map([...wide].map(([half, full]) => [full, half] as const));
const wideOf: SignOf = (sign) =>
  wide.has(sign) || narrow.has(sign) ? (wide.get(sign) ?? sign) : undefined;
const narrowOf: SignOf = (sign) => narrow.get(sign) ?? symbolFor(sign);

const EAST_ASIAN: readonly StyleRuleLanguage[] = ['ja', 'ko', 'zh'];

export const currencyStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'currency_format',
  options: {
    use_amount_followed_by_currency_symbol_without_space: {
      languages: LATIN_LANGUAGES,
      apply: amountThen(symbolFor, false),
    },
    use_amount_followed_by_space_then_currency_symbol: {
      languages: LATIN_LANGUAGES,
      apply: amountThen(symbolFor, true),
    },
    use_amount_followed_by_space_then_iso_code: {
      languages: LATIN_LANGUAGES,
      apply: amountThen(codeFor, true),
    },
    use_currency_symbol_but_use_iso_code_if_no_symbol_exists: {
      languages: LATIN_LANGUAGES,
      apply: inPlace(symbolFor),
    },
    use_currency_symbol_followed_by_amount_in_arabic_numerals_without_space: {
      languages: EAST_ASIAN,
      apply: signThen(symbolFor, false),
    },
    use_currency_symbol_followed_by_amount_without_space: {
      languages: EVERY_LANGUAGE,
      apply: signThen(symbolFor, false),
    },
    use_currency_symbol_followed_by_space_then_amount: {
      languages: EVERY_LANGUAGE,
      apply: signThen(symbolFor, true),
    },
    use_currency_symbol_followed_by_space_then_amount_in_arabic_numerals: {
      languages: EAST_ASIAN,
      apply: signThen(symbolFor, true),
    },
    use_full_width_currency_symbol_followed_by_amount_without_space: {
      languages: EAST_ASIAN,
      apply: signThen(wideOf, false),
    },
    use_half_width_currency_symbol_followed_by_amount_without_space: {
      languages: EAST_ASIAN,
      apply: signThen(narrowOf, false),
    },
    use_half_width_currency_symbol_followed_by_space_then_amount: {
      languages: EAST_ASIAN,
      apply: signThen(narrowOf, true),
    },
    use_iso_code: { languages: EVERY_LANGUAGE, apply: inPlace(codeFor) },
    use_iso_code_followed_by_space_then_amount: {
      languages: EVERY_LANGUAGE,
      apply: signThen(codeFor, true),
    },
    use_iso_code_followed_by_space_then_amount_in_arabic_numerals: {
      languages: EAST_ASIAN,
      apply: signThen(codeFor, true),
    },
  },
});

const IN_WORDS: ReadonlyMap<string, string> = new Map([
  ['m', 'million'],
  ['bn', 'billion'],
  ['tn', 'trillion'],
]);
const SHORT = new Map([...IN_WORDS].map(([short, word]) => [word, short] as const));
const LARGE_SUM = new RegExp(
  `(?<![\\p{L}\\d_$])((?:US|A|C|HK)?[$€£¥₩₹]\\d[\\d.,]{0,20}(?<=\\d))(${BLANK})(million|billion|trillion|bn|tn|m)(?![\\p{L}\\p{N}_²³/])`,
  'gu',
);

const largeSums =
  (names: ReadonlyMap<string, string>, hasBlank: boolean) =>
  (text: string): string =>
    text.replace(LARGE_SUM, (_, sum: string, blank: string, name: string) => {
      const gap = blank === '' ? NO_BREAK : blank;
      return sum + (hasBlank ? gap : '') + (names.get(name) ?? name);
    });

export const largeSumStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'large_sums_of_money_format',
  options: {
    use_amount_followed_by_abbreviation_for_million_or_billion_without_space: {
      languages: ['en'],
      apply: largeSums(SHORT, false),
    },
    use_amount_followed_by_space_then_abbreviation_for_million_or_billion: {
      languages: ['en'],
      apply: largeSums(SHORT, true),
    },
    use_amount_followed_by_space_then_english_word_million_or_billion: {
      languages: ['en'],
      apply: largeSums(IN_WORDS, true),
    },
  },
});

const ITALIAN_SHORT =
  /(?<![\d.,])(\d[\d.,]{0,20}(?<=\d))([ \u00A0])(mio|mrd)(?![\p{L}\p{N}_])(?:\.(?= \p{Ll}))?/gu;
const ITALIAN_LONG = /(?<=\d[ \u00A0])(milion[ei]|miliard[oi])(?!\p{L})(?! di(?!\p{L}))/gu;

export const italianSumStep: StyleStep = singleRule({
  category: 'numbers',
  rule: 'large_sums_of_money',
  options: {
    spell_out_italian_words_milione_and_miliardo: {
      languages: ['it'],
      apply: (text) =>
        text.replace(ITALIAN_SHORT, (_, figures: string, blank: string, name: string) => {
          const word = name === 'mio' ? 'milion' : 'miliard';
          const [one, many] = name === 'mio' ? ['e', 'i'] : ['o', 'i'];
          return `${figures}${blank}${word}${figures === '1' ? one : many}`;
        }),
    },
    use_italian_words_mio_and_mrd_instead_of_italian_words_milione_and_miliardo: {
      languages: ['it'],
      apply: (text) =>
        text
          .replace(/(?<=\d[ \u00A0])(milion[ei]|miliard[oi]) di(?= euro| dollari)/gu, '$1')
          .replace(ITALIAN_LONG, (word) => (word.startsWith('milion') ? 'mio' : 'mrd')),
    },
  },
});
