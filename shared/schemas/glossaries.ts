/** Glossaries, `/v3/glossaries` and the older `/v2/glossaries`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';

/** Largest request body, in bytes: a dictionary of 10 MiB, escaped for JSON or a form. */
export const MAX_GLOSSARY_BODY_BYTES = 32 * 1024 * 1024;

const language = (description: string) =>
  Type.String({ description, examples: [description.includes('source') ? 'en' : 'es'] });

/** A dictionary with its entries. */
export const DictionaryContent = Type.Object({
  source_lang: language('Base language of the source phrases.'),
  target_lang: language('Base language of the target phrases.'),
  entries: Type.String({
    description:
      'One entry a line: source and target phrase, separated by a tab (tsv) or a comma (csv).',
    examples: ['house\thogar'],
  }),
  entries_format: Type.Optional(
    Type.Unsafe<'tsv' | 'csv'>(Type.String({ enum: ['tsv', 'csv'], default: 'tsv' })),
  ),
});

export const GlossaryCreation = Type.Object({
  name: Type.String({ description: 'At most 1,024 bytes of UTF-8.', examples: ['Product names'] }),
  dictionaries: Type.Optional(
    Type.Array(DictionaryContent, {
      description: 'Dictionaries can also be added later with PUT.',
    }),
  ),
});

export const GlossaryChange = Type.Object({
  name: Type.Optional(Type.String()),
  dictionaries: Type.Optional(
    Type.Array(DictionaryContent, {
      description: 'A single dictionary, whose entries are added to the existing ones.',
    }),
  ),
});

export const DictionaryInfo = Type.Object({
  source_lang: Type.String(),
  target_lang: Type.String(),
  entry_count: Type.Integer(),
});

export const Glossary = Type.Object({
  glossary_id: Type.String({ format: 'uuid' }),
  ready: Type.Boolean(),
  name: Type.String(),
  dictionaries: Type.Array(DictionaryInfo),
  creation_time: Type.String({ format: 'date-time' }),
});

export const GlossaryList = Type.Object({ glossaries: Type.Array(Glossary) });

export const GlossaryEntries = Type.Object({
  dictionaries: Type.Array(
    Type.Object({
      source_lang: Type.String(),
      target_lang: Type.String(),
      entries: Type.String(),
      entries_format: Type.Literal('tsv'),
    }),
  ),
});

/** Accepts any text, because the service answers malformed and unknown ids differently. */
export const GlossaryPath = Type.Object({ glossary_id: Type.String() });

export const DictionaryQuery = Type.Object({
  source_lang: Type.String({ examples: ['en'] }),
  target_lang: Type.String({ examples: ['es'] }),
});

/** A glossary of a single direction, as in API version 2. */
export const MonolingualCreation = Type.Object({
  name: Type.String({ examples: ['Product names'] }),
  ...DictionaryContent.properties,
  entries_format: Type.Unsafe<'tsv' | 'csv'>(Type.String({ enum: ['tsv', 'csv'] })),
});

export const MonolingualGlossary = Type.Object({
  glossary_id: Type.String({ format: 'uuid' }),
  ready: Type.Boolean(),
  name: Type.String(),
  source_lang: Type.String(),
  target_lang: Type.String(),
  creation_time: Type.String({ format: 'date-time' }),
  entry_count: Type.Integer(),
});

export const MonolingualGlossaryList = Type.Object({
  glossaries: Type.Array(MonolingualGlossary),
});

export type DictionaryContent = Static<typeof DictionaryContent>;
export type GlossaryCreation = Static<typeof GlossaryCreation>;
export type GlossaryChange = Static<typeof GlossaryChange>;
export type DictionaryInfo = Static<typeof DictionaryInfo>;
export type Glossary = Static<typeof Glossary>;
export type DictionaryQuery = Static<typeof DictionaryQuery>;
export type MonolingualCreation = Static<typeof MonolingualCreation>;
export type MonolingualGlossary = Static<typeof MonolingualGlossary>;
