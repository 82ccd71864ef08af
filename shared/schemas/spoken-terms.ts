/** Lists of spoken terms, `/v3/spoken_terms`: an addition to the API of DeepL clients. */
import Type, { type Static } from 'typebox';

/** Largest request body, in bytes: a thousand terms of a hundred characters, escaped for JSON or a form. */
export const MAX_SPOKEN_TERMS_BODY_BYTES = 256 * 1024;

/** Maximum number of terms in a list. */
export const MAX_SPOKEN_TERMS = 1000;

/** Longest term, in Unicode code points. */
export const MAX_SPOKEN_TERM_CHARACTERS = 100;

const ownAddition =
  'Our own addition: lists are created here, and a voice ' +
  'session refers to one by `spoken_terms_id`.';

const name = Type.String({
  description: 'At most 1,024 bytes of UTF-8.',
  examples: ['Product names'],
});
const language = Type.Optional(
  Type.String({
    description: 'Base language of the terms; when omitted, the terms apply to every language.',
    examples: ['en'],
  }),
);
const terms = Type.Array(Type.String(), {
  description:
    'Words and phrases that the recogniser should expect: at most ' +
    `${MAX_SPOKEN_TERMS}, each of at most ${MAX_SPOKEN_TERM_CHARACTERS} ` +
    'characters. Surrounding spaces and duplicates are removed.',
  examples: [['Dragoman', 'Zembla Quartz']],
});

export const SpokenTermsCreation = Type.Object(
  { name, language, terms },
  { description: ownAddition },
);

const described = {
  spoken_terms_id: Type.String({ format: 'uuid' }),
  name,
  language,
  term_count: Type.Integer({ examples: [2] }),
  creation_time: Type.String({ format: 'date-time', examples: ['2026-11-21T12:00:00.000Z'] }),
};

/** A list without its terms, as in listings. */
export const SpokenTermsInfo = Type.Object(described, { description: ownAddition });

export const SpokenTerms = Type.Object({ ...described, terms }, { description: ownAddition });

export const SpokenTermsList = Type.Object(
  { spoken_terms: Type.Array(SpokenTermsInfo, { description: 'Oldest first, without terms.' }) },
  { description: ownAddition },
);

/** Accepts any text, because the service answers malformed and unknown ids differently. */
export const SpokenTermsPath = Type.Object({ spoken_terms_id: Type.String() });

export type SpokenTermsCreation = Static<typeof SpokenTermsCreation>;
export type SpokenTermsInfo = Static<typeof SpokenTermsInfo>;
export type SpokenTerms = Static<typeof SpokenTerms>;
