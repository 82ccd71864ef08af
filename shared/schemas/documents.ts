/** `/v2/document`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';
import { EnableBetaLanguages, SEVERAL_GLOSSARIES } from './text-translation.ts';

/** The fields of an upload besides the file. */
export const DocumentOrder = Type.Object({
  target_lang: Type.String({ examples: ['ES'] }),
  source_lang: Type.Optional(Type.String({ description: 'Detected when omitted.' })),
  filename: Type.Optional(
    Type.String({ description: 'Name of the file, if the file part has none or a different one.' }),
  ),
  formality: Type.Optional(
    Type.Unsafe<'default' | 'more' | 'less' | 'prefer_more' | 'prefer_less'>(
      Type.String({ enum: ['default', 'more', 'less', 'prefer_more', 'prefer_less'] }),
    ),
  ),
  glossary_id: Type.Optional(Type.String({ description: 'Requires source_lang.' })),
  glossary_ids: Type.Optional(Type.Array(Type.String(), SEVERAL_GLOSSARIES)),
  output_format: Type.Optional(
    Type.String({
      description:
        'File extension of the result: `docx` for a PDF, otherwise that of the uploaded file.',
    }),
  ),
  style_id: Type.Optional(Type.String()),
  translation_memory_id: Type.Optional(Type.String()),
  translation_memory_threshold: Type.Optional(Type.Unknown()),
  enable_beta_languages: EnableBetaLanguages,
});

/** Identifies a document in later calls. */
export const DocumentHandle = Type.Object({
  document_id: Type.String({ pattern: '^[0-9A-F]{32}$' }),
  document_key: Type.String({
    pattern: '^[0-9A-F]{64}$',
    description:
      'Returned only once. Together with an API key of the ' +
      'account, it gives access to the document.',
  }),
});

export const DocumentKey = Type.Object({
  document_key: Type.String({ description: 'The `document_key` that the upload returned.' }),
});

/** Accepts any text: an invalid id is answered as not found. */
export const DocumentPath = Type.Object({ document_id: Type.String() });

export const DocumentStatusView = Type.Object({
  document_id: Type.String(),
  status: Type.Unsafe<'queued' | 'translating' | 'done' | 'error'>(
    Type.String({ enum: ['queued', 'translating', 'done', 'error'] }),
  ),
  seconds_remaining: Type.Optional(
    Type.Integer({ minimum: 0, description: 'Estimate; present while translating.' }),
  ),
  billed_characters: Type.Optional(Type.Integer({ description: 'Present once done.' })),
  error_message: Type.Optional(Type.String({ description: 'Reason of the failure.' })),
  message: Type.Optional(Type.String({ description: 'The same as error_message.' })),
});

export type DocumentOrder = Static<typeof DocumentOrder>;
export type DocumentHandle = Static<typeof DocumentHandle>;
export type DocumentStatusView = Static<typeof DocumentStatusView>;
