/** Rules for single punctuation marks: commas, ampersands, colons and salutations. */
import {
  BLANK,
  oneOf,
  EVERY_LANGUAGE,
  LATIN_LANGUAGES,
  singleRule,
  type StyleStep,
} from './mechanical-rule.ts';

const INITIAL_AMPERSAND = /(?<![\p{L}\d&.])(\p{Lu}{1,3}) ?& ?(\p{Lu}{1,3})(?![\p{L}\d&])/gu;

export const ampersandSpacingStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'ampersand_abbreviation_spacing',
  options: {
    do_not_use_spaces_before_and_after_ampersand_as_part_of_abbreviation: {
      languages: LATIN_LANGUAGES,
      apply: (text) => text.replace(INITIAL_AMPERSAND, '$1&$2'),
    },
    use_spaces_before_and_after_ampersand_as_part_of_abbreviation: {
      languages: LATIN_LANGUAGES,
      apply: (text) => text.replace(INITIAL_AMPERSAND, '$1 & $2'),
    },
  },
});

const ADVERBS = oneOf([
  ...['Additionally', 'Consequently', 'Furthermore', 'Moreover', 'Nevertheless', 'Nonetheless'],
  'Therefore',
]);
const SENTENCE_START = '(?<=^[\\uFDD0"“‘\']{0,4}|[.!?] |\\n)';

export const adverbCommaStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'comma_after_conjunctive_adverbs',
  options: {
    use: {
      languages: ['en'],
      apply: (text) =>
        text.replace(new RegExp(`${SENTENCE_START}(${ADVERBS})(?= \\p{L})`, 'gu'), '$1,'),
    },
    do_not_use: {
      languages: ['en'],
      apply: (text) =>
        text.replace(new RegExp(`${SENTENCE_START}(${ADVERBS}),(?= \\p{L})`, 'gu'), '$1'),
    },
  },
});

/** Words that stand between commas without being list items. */
const NO_ITEM = oneOf([
  ...[
    'however',
    'therefore',
    'moreover',
    'too',
    'though',
    'indeed',
    'perhaps',
    'yes',
    'no',
    'well',
  ],
  ...['first', 'finally', 'also', 'instead', 'then', 'thus', 'today', 'here', 'there', 'please'],
  ...['yesterday', 'tomorrow', 'tonight', 'now', 'later', 'still', 'yet', 'so', 'meanwhile'],
]);
const ITEM = `(?!(?:${NO_ITEM}|\\p{L}{2,30}ly)(?!\\p{L}))[\\p{L}’'-]{1,40}`;
/** Lists of one-word items: between clauses, the comma has another purpose. */
const SERIAL = new RegExp(
  `(?<![\\p{L}’'-])(${ITEM}, ${ITEM}), (and|or)(?= [\\p{L}’'-]{1,40}(?:[.;:!?)]|$))`,
  'giu',
);
/**
 * A list of single words, either announced by a colon or the whole text. Otherwise a comma may follow an
 * introductory phrase: "In Paris, Ana and Pedro ate."
 */
const UNSERIAL = new RegExp(
  `(?:(?<=: )((?:${ITEM}, ){1,20}${ITEM})|^((?:${ITEM}, ){2,20}${ITEM})) (and|or) (${ITEM})(?=[.;]|$)`,
  'giu',
);

const withSerialComma = (text: string): string =>
  text.replace(
    UNSERIAL,
    (
      found: string,
      announced: string | undefined,
      alone: string | undefined,
      joint: string,
      last: string,
    ) => {
      const list = announced ?? alone ?? '';
      const items = [...list.split(', '), last];
      // "Ana, eat and drink" addresses a person.
      const capitals = items.filter((item) => /^\p{Lu}/u.test(item)).length;
      const isAlike = capitals === 0 || capitals === items.length || announced === undefined;
      return isAlike ? `${list}, ${joint} ${last}` : found;
    },
  );

export const serialCommaStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'serial_comma',
  options: {
    use: { languages: ['en'], apply: withSerialComma },
    do_not_use: { languages: ['en'], apply: (text) => text.replace(SERIAL, '$1 $2') },
  },
});

/** Possessives such as "James's", but not of a common noun at the start of a sentence. */
const POSSESSIVE =
  /(?<=[^\s.!?:"“‘'(] (?:\p{Lu}[\p{L}.]{0,30} )?)(\p{Lu}[\p{L}]{1,40}s)(['’])s(?!\p{L})/gu;

export const possessiveStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'possessives_of_proper_names_ending_in_s_style',
  options: {
    add_apostrophe_only: { languages: ['en'], apply: (text) => text.replace(POSSESSIVE, '$1$2') },
  },
});

const GREETINGS = oneOf([
  ...[
    'Dear',
    'Hello',
    'Hi',
    'Sehr geehrte',
    'Sehr geehrter',
    'Liebe',
    'Lieber',
    'Hallo',
    'Guten Tag',
  ],
  ...[
    'Estimado',
    'Estimada',
    'Estimados',
    'Estimadas',
    'Querido',
    'Querida',
    'Cher',
    'Chère',
    'Chers',
  ],
  ...['Chères', 'Monsieur', 'Madame', 'Gentile', 'Egregio', 'Caro', 'Cara', 'Spettabile'],
]);
/** A segment that consists of a salutation. */
const SALUTATION = new RegExp(
  `^((?:${GREETINGS})[\\p{L} .'’\\u00A0\\uFDD0\\uFDD1-]{0,80}[\\p{L}\\uFDD0\\uFDD1.])[,:!]$`,
  'u',
);
const salutation = (sign: string) => (text: string) => text.replace(SALUTATION, `$1${sign}`);

export const salutationStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'salutation',
  options: {
    use_colon_after_salutation: { languages: LATIN_LANGUAGES, apply: salutation(':') },
    use_comma_after_salutation: { languages: LATIN_LANGUAGES, apply: salutation(',') },
    use_exclamation_mark_after_salutation: { languages: LATIN_LANGUAGES, apply: salutation('!') },
  },
});

/** Between digits, a colon belongs to a time, a verse, a ratio or a score. */
const COLON = / ?: ?/g;
const BETWEEN_FIGURES = /(?<=(?<![\d:])\d{1,3}) ?: ?(?=\d{1,3}(?!\d))/gu;
const closeColon = (text: string): string =>
  text.replace(BETWEEN_FIGURES, (found) => found.replace(COLON, ':'));

export const timeColonStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'colon_between_hours_and_minutes_or_chapters_and_verses',
  options: {
    do_not_use_space_before_or_after_colon: { languages: EVERY_LANGUAGE, apply: closeColon },
  },
});
export const ratioColonStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'colon_to_replace_versus_or_to',
  options: {
    do_not_use_space_before_or_after_colon: { languages: EVERY_LANGUAGE, apply: closeColon },
  },
});

/** French sets `; : ! ?` off by a space, but not in times. */
const FRENCH_SIGN = new RegExp(
  `(?<=[\\p{L}\\p{M}\\d)\\]»”"%\\uFDD0\\uFDD1])${BLANK}([;!?]{1,3}|:)(?=[\\s\\uFDD0"»”)]|$)`,
  'gu',
);

export const frenchSpacingStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'spacing_and_punctuation',
  options: {
    do_not_use_space: {
      languages: ['fr'],
      apply: (text) =>
        text
          .replace(FRENCH_SIGN, '$1')
          .replace(/«[ \u00A0\u2009\u202F]/gu, '«')
          .replace(/(?<![\s\u00A0])[ \u00A0\u2009\u202F]»/gu, '»'),
    },
    use_regular_space: {
      languages: ['fr'],
      apply: (text) =>
        text
          .replace(FRENCH_SIGN, ' $1')
          .replace(/«[\u00A0\u2009\u202F]?(?=[^\s\uFDD0])/gu, '« ')
          .replace(/(?<=[^\s\uFDD0])[\u00A0\u2009\u202F]?»/gu, ' »'),
    },
  },
});
