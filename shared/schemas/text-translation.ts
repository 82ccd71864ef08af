/** `POST /v2/translate`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';

/** Most texts of one request. */
export const MAX_TEXTS = 50;

export const TextTranslationRequest = Type.Object({
  text: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_TEXTS,
    description: 'Texts to translate, each on its own.',
    examples: [['Good morning.']],
  }),
  target_lang: Type.String({ examples: ['ES'] }),
  source_lang: Type.Optional(Type.String({ examples: ['EN'] })),
  show_billed_characters: Type.Optional(Type.Boolean()),
});

export const TextTranslationResponse = Type.Object({
  translations: Type.Array(
    Type.Object({
      detected_source_language: Type.String({ description: 'Base language in upper case.' }),
      text: Type.String(),
      billed_characters: Type.Optional(
        Type.Integer({ description: 'Unicode code points of the source text.' }),
      ),
    }),
  ),
});

export type TextTranslationRequest = Static<typeof TextTranslationRequest>;
export type TextTranslationResponse = Static<typeof TextTranslationResponse>;
