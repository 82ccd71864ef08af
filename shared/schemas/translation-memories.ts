/**
 * Translation memories, `/v3/translation_memories`, compatible with DeepL API clients, and their
 * administration.
 */
import Type, { type Static } from 'typebox';

/** Largest file that can be imported, in bytes. */
export const MAX_MEMORY_FILE_BYTES = 512 * 1024 * 1024;

export const TranslationMemory = Type.Object({
  translation_memory_id: Type.String({ format: 'uuid' }),
  name: Type.String(),
  source_language: Type.String({ description: 'In lower case.', examples: ['en'] }),
  target_languages: Type.Array(Type.String(), {
    description: 'In lower case.',
    examples: [['de', 'es-419']],
  }),
  segment_count: Type.Integer({
    description: 'Number of segments; a segment with several targets counts once.',
  }),
});

export const TranslationMemoryList = Type.Object({
  translation_memories: Type.Array(TranslationMemory, { description: 'Oldest first.' }),
  total_count: Type.Integer({ description: 'Number of memories on all pages.' }),
});

/** Limit on page numbers that keeps offsets within what databases can count. */
const LAST_PAGE = 10_000_000;

export const TranslationMemoryPage = Type.Object({
  page: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LAST_PAGE,
      default: 0,
      description: 'Page number, from 0.',
    }),
  ),
  page_size: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 25,
      default: 10,
      description: 'Number of memories on a page.',
    }),
  ),
});

export const TranslationMemoryPath = Type.Object({ translation_memory_id: Type.String() });

export const TranslationMemoryName = Type.Object({ name: Type.String() });

/** Metadata of an imported file; the file itself is the body. */
export const TranslationMemoryUpload = Type.Object({
  name: Type.String(),
  format: Type.Unsafe<'tmx' | 'csv'>(Type.String({ enum: ['tmx', 'csv'] })),
  source_lang: Type.Optional(Type.String()),
  target_lang: Type.Optional(Type.String()),
});

export const ImportedTranslationMemory = Type.Object({
  ...TranslationMemory.properties,
  skipped_count: Type.Integer({ description: 'Segments that could not be used.' }),
});

export type TranslationMemory = Static<typeof TranslationMemory>;
export type TranslationMemoryList = Static<typeof TranslationMemoryList>;
export type ImportedTranslationMemory = Static<typeof ImportedTranslationMemory>;
