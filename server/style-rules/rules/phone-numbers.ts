/** Rules for international telephone numbers; national formats are not interpreted. */
import { oneOf, EVERY_LANGUAGE, rulesOf, singleRule, type StyleStep } from './mechanical-rule.ts';

/** Two-digit country codes; the one-digit codes are 1 and 7, and all others have three digits. */
const TWO_FIGURES = (
  '20 27 30 31 32 33 34 36 39 40 41 43 44 45 46 47 48 49 51 52 53 54 55 56 57 58 60 61 62 63 64 65 66 ' +
  '81 82 84 86 90 91 92 93 94 95 98'
).split(' ');
const CODE = `(?:1|7|${oneOf(TWO_FIGURES)}|[2-9]\\d{2})`;
const REST = '(?:[ \\u00A0./-]?\\(?\\d{1,14}\\)?){1,8}';
const NUMBER_END = '(?![\\p{L}\\d_]|[.,:]\\d)';

const WITH_PLUS = new RegExp(`(?<![\\p{L}\\d_.+(])\\+(${CODE})(${REST})${NUMBER_END}`, 'gu');
/** After 00, a separator must follow the country code, or it may be part of another number. */
const WITH_ZEROS = new RegExp(
  `(?<![\\p{L}\\d_.,:+/-])00(${CODE})((?=[ \\u00A0./-])${REST})${NUMBER_END}`,
  'gu',
);

const figuresIn = (text: string): string => text.replace(/\D/g, '');
/**
 * Whether this is a valid number: 8 to 15 digits with its country code (E.164), and ten after the code in
 * North America, Russia and Kazakhstan. A national part begins with zero only in Italy, or in brackets.
 */
function isNumber(code: string, rest: string): boolean {
  const national = figuresIn(rest);
  if (code === '1') return /^[2-9]\d{9}$/.test(national);
  if (code === '7') return national.length === 10;
  if (national.startsWith('0') && code !== '39' && !rest.includes('(')) return false;
  // Nine digits in groups of three may be one large number.
  if (/^\d{3}(?:[ \u00A0]\d{3}){2}$/.test(code + rest)) return false;
  const size = code.length + national.length;
  return size >= 8 && size <= 15;
}

/**
 * Returns the digits of a national part. A zero in brackets is dialled only within the country, and would be
 * part of the number without them; only Italian numbers keep it.
 */
function nationalFigures(code: string, rest: string): string {
  return figuresIn(code === '39' ? rest : rest.replace(/\(0/, '('));
}

export const countryCodeStep: StyleStep = singleRule({
  category: 'formatting',
  rule: 'phone_number_country_code_format',
  options: {
    use_00_before_country_code: {
      languages: EVERY_LANGUAGE,
      apply: (text) =>
        text.replace(WITH_PLUS, (found: string, code: string, rest: string) => {
          // Without a separator, the result would not be recognisable as a telephone number.
          const gap = /^[ \u00A0./-]/.test(rest) ? '' : ' ';
          return isNumber(code, rest) ? `00${code}${gap}${rest}` : found;
        }),
    },
    use_plus_sign_before_country_code: {
      languages: EVERY_LANGUAGE,
      apply: (text) =>
        text.replace(WITH_ZEROS, (found: string, code: string, rest: string) =>
          isNumber(code, rest) ? `+${code}${rest}` : found,
        ),
    },
  },
});

const rewritten =
  (write: (code: string, rest: string) => string | undefined) =>
  (text: string): string =>
    text.replace(WITH_PLUS, (found: string, code: string, rest: string) =>
      isNumber(code, rest) ? (write(code, rest) ?? found) : found,
    );

/** North American numbers have a uniform structure: area code, three-digit prefix, last four digits. */
const northAmerican = (separator: string) =>
  rewritten((code, rest) => {
    const match = /^(\d{3})(\d{3})(\d{4})$/.exec(figuresIn(rest));
    if (code !== '1' || match === null) return undefined;
    return `+1${separator}${match.slice(1).join(separator)}`;
  });

const separate = 'separate_country_code_area_code_local_prefix_and_last_four_digits_with_';

export const phoneNumberStep: StyleStep = singleRule({
  category: 'formatting',
  rule: 'phone_number_format',
  options: {
    do_not_use_spaces: {
      languages: EVERY_LANGUAGE,
      apply: rewritten((code, rest) => `+${code}${rest.replace(/[ \u00A0]/g, '')}`),
    },
    do_not_use_spaces_or_special_characters_between_digits_of_phone_number: {
      languages: EVERY_LANGUAGE,
      apply: rewritten((code, rest) => `+${code}${nationalFigures(code, rest)}`),
    },
    keep_original_format: { languages: EVERY_LANGUAGE, apply: (text) => text },
    [`${separate}hyphens`]: { languages: ['en'], apply: northAmerican('-') },
    [`${separate}periods`]: { languages: ['en'], apply: northAmerican('.') },
    [`${separate}spaces`]: { languages: ['en'], apply: northAmerican(' ') },
    use_space_after_country_code: {
      languages: EVERY_LANGUAGE,
      apply: rewritten((code, rest) => `+${code} ${rest.replace(/^[ \u00A0./-]/, '')}`),
    },
  },
});

/** Addresses are never changed, so their standard format is the one they have. */
export const mailAddressStep: StyleStep = {
  rules: rulesOf('formatting', 'email_address_format', EVERY_LANGUAGE, ['use_standard_format']),
  apply: (text) => text,
};
