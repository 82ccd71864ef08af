/** Rules for abbreviations, acronyms, degrees and titles. */
import {
  oneOf,
  LATIN_LANGUAGES,
  singleRule,
  type StyleStep,
  withoutStop,
} from './mechanical-rule.ts';

const DEGREES = new Map([
  ...(
    [
      'PhD',
      'EdD',
      'PsyD',
      'BSc',
      'MSc',
      'BEd',
      'MEd',
      'MPhil',
      'DPhil',
      'LLB',
      'LLM',
      'LLD',
    ] as const
  ).map((bare): [string, string] => [
    bare,
    bare
      .replace(/^LL/, 'LL.')
      .replace(/^(?!LL)(Ph|Ed|Psy|[BMD])(?=[A-Z])/, '$1.')
      .concat('.'),
  ]),
]);
/** Degrees recognised only with full stops: MD and BA have other meanings. */
const DOTTED_ONLY = new Map([
  ...(['B.A.', 'M.A.', 'M.D.', 'J.D.', 'M.B.A.', 'D.D.S.', 'B.S.', 'M.S.', 'M.F.A.'] as const).map(
    (dotted): [string, string] => [dotted, dotted.replaceAll('.', '')],
  ),
]);
const bareByDotted = new Map([
  ...[...DEGREES].map(([bare, dotted]) => [dotted, bare] as const),
  ...DOTTED_ONLY,
]);
const DOTTED_DEGREE = new RegExp(
  `(?<![\\p{L}\\d.])(?:${oneOf(bareByDotted.keys())})(?![\\p{L}\\d])`,
  'gu',
);
const BARE_DEGREE = new RegExp(
  `(?<![\\p{L}\\d.])(?:${oneOf(DEGREES.keys())})(?![\\p{L}\\d])`,
  'gu',
);

export const degreeStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'periods_in_academic_degrees',
  options: {
    do_not_use: {
      languages: ['en'],
      apply: (text) =>
        text.replace(DOTTED_DEGREE, (found: string, at: number) =>
          withoutStop(found, bareByDotted.get(found) ?? found, text, at),
        ),
    },
    use: {
      languages: ['en'],
      apply: (text) =>
        text.replace(new RegExp(`(?:${BARE_DEGREE.source})\\.?`, 'gu'), (found: string) => {
          const bare = found.replace('.', '');
          return DEGREES.get(bare) ?? found;
        }),
    },
  },
});

/** States and organisations; personal initials look the same and are left alone. */
const ACRONYMS = [
  ...['U.S.', 'U.S.A.', 'U.S.S.R.', 'U.K.', 'U.N.', 'E.U.', 'U.A.E.', 'D.C.', 'F.B.I.', 'C.I.A.'],
  ...[
    'N.S.A.',
    'N.A.T.O.',
    'N.A.S.A.',
    'U.N.E.S.C.O.',
    'U.N.I.C.E.F.',
    'W.H.O.',
    'B.B.C.',
    'O.N.U.',
  ],
  ...['O.T.A.N.', 'U.E.', 'S.N.C.F.', 'R.A.T.P.', 'P.D.F.', 'T.V.', 'D.V.D.', 'C.E.O.', 'A.T.M.'],
];
const ACRONYM = new RegExp(`(?<![\\p{L}\\d.])(?:${oneOf(ACRONYMS)})(?![\\p{L}\\d])`, 'gu');
const withoutPeriods = (text: string): string =>
  text.replace(ACRONYM, (found: string, at: number) =>
    withoutStop(found, found.replaceAll('.', ''), text, at),
  );

export const acronymStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'acronyms',
  options: { do_not_use_periods: { languages: LATIN_LANGUAGES, apply: withoutPeriods } },
});
export const initialismStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'periods_in_uppercase_initialisms_and_acronyms',
  options: { do_not_use: { languages: LATIN_LANGUAGES, apply: withoutPeriods } },
});

/** German abbreviations of several words, each shortened to letters with a full stop. */
const GERMAN = [
  ...['z. B.', 'd. h.', 'u. a.', 'i. d. R.', 'z. T.', 'u. U.', 'o. Ä.', 'u. Ä.', 's. o.', 's. u.'],
  ...[
    'v. a.',
    'm. E.',
    'i. A.',
    'i. V.',
    'i. e. S.',
    'i. w. S.',
    'u. v. m.',
    'z. Zt.',
    'o. g.',
    'v. Chr.',
  ],
  ...['n. Chr.', 'a. D.', 'e. V.', 'i. H. v.'],
];
const GERMAN_FORM = new RegExp(
  `(?<![\\p{L}\\d.])(?:${GERMAN.map((form) => form.replaceAll('. ', '\\.[ \\u00A0\\u202F]?').replace(/\.$/, '\\.')).join('|')})(?!\\p{L})`,
  'gu',
);
const germanJoint = (joint: string) => (text: string) =>
  text.replace(GERMAN_FORM, (found) => found.replace(/\.[ \u00A0\u202F]?(?=\p{L})/gu, joint));

export const abbreviationStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'abbreviations',
  options: {
    separate_each_abbreviated_word_with_period_and_space: {
      languages: ['de'],
      apply: germanJoint('.\u00A0'),
    },
    separate_each_abbreviated_word_with_period_without_space: {
      languages: ['de'],
      apply: germanJoint('.'),
    },
  },
});

const IE_OR_EG = '(?<![\\p{L}\\d.])(?:[Ii]\\.[ \\u00A0]?e\\.|[Ee]\\.[ \\u00A0]?g\\.)';

export const exampleCommaStep: StyleStep = singleRule({
  category: 'punctuation',
  rule: 'comma_after_i_e_and_e_g',
  options: {
    use: {
      languages: ['en'],
      apply: (text) => text.replace(new RegExp(`(${IE_OR_EG})(?=[ \\u00A0])`, 'gu'), '$1,'),
    },
    do_not_use: {
      languages: ['en'],
      apply: (text) => text.replace(new RegExp(`(${IE_OR_EG}),(?=[ \\u00A0])`, 'gu'), '$1'),
    },
  },
});

const LATIN: readonly (readonly [pattern: string, words: string])[] = [
  ['[Ee]\\.[ \\u00A0]?g\\.,?', 'for example,'],
  ['[Ii]\\.[ \\u00A0]?e\\.,?', 'that is,'],
  ['[Ee]tc\\.', 'and so on'],
  ['[Vv]iz\\.', 'namely'],
  ['[Cc]f\\.', 'compare'],
  ['et al\\.', 'and others'],
];

/** Writes Latin abbreviations in English words; a full stop that ends the sentence stays. */
function withoutLatin(text: string): string {
  let now = text;
  for (const [pattern, words] of LATIN) {
    const before = now;
    now = now.replace(
      new RegExp(`(?<![\\p{L}\\d.])(?:${pattern})(?![\\p{L}\\d])`, 'gu'),
      (found: string, at: number) => {
        const isCapital = /^[A-Z]/.test(found);
        const written = isCapital ? words.charAt(0).toUpperCase() + words.slice(1) : words;
        return written.endsWith(',') ? written : withoutStop(found, written, before, at);
      },
    );
  }
  return now;
}

export const latinStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'latin_abbreviations',
  options: { do_not_use_latin_abbreviations: { languages: ['en'], apply: withoutLatin } },
});

const ENGLISH_TITLES = new Map([
  ['Mister', 'Mr.'],
  ['Doctor', 'Dr.'],
  ['Professor', 'Prof.'],
]);
const TITLE_LONG = new RegExp(
  `(?<!\\p{L})(${oneOf(ENGLISH_TITLES.keys())})(?=[ \\u00A0]\\p{Lu}\\p{Ll})`,
  'gu',
);
const TITLE_SHORT = /(?<!\p{L})(Mr|Dr|Prof)\.?(?=[ \u00A0]\p{Lu}\p{Ll})/gu;
/** Capitalised words that are not part of a street name. */
const NO_STREET = new Set(
  'And As Ask But By Call Dear For From Hello Hi If See Thank Thanks The Then To When While With'.split(
    ' ',
  ),
);

/** Whether `Dr` may mean Drive: 12 Mulholland Dr. Los Angeles. */
function mayBeStreet(short: string, text: string, at: number): boolean {
  if (short !== 'Dr') return false;
  const before = /(\p{Lu}[\p{L}’'-]{0,40})[ \u00A0]$/u.exec(text.slice(Math.max(0, at - 42), at));
  return before !== null && !NO_STREET.has(before[1] ?? '');
}

const titleInFull = (text: string): string =>
  text.replace(TITLE_SHORT, (found: string, short: string, at: number) => {
    if (mayBeStreet(short, text, at)) return found;
    return [...ENGLISH_TITLES].find(([, dotted]) => dotted === `${short}.`)?.[0] ?? found;
  });

export const titleStep: StyleStep = singleRule({
  category: 'spelling_and_grammar',
  rule: 'personal_titles',
  options: {
    abbreviate: {
      languages: ['en'],
      apply: (text) =>
        text.replace(TITLE_LONG, (_, title: string) => ENGLISH_TITLES.get(title) ?? title),
    },
    do_not_abbreviate: { languages: ['en'], apply: titleInFull },
  },
});
