/** `POST /v2/translate`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';

/** Maximum number of texts in a request. */
const MAX_TEXTS = 50;
/** Maximum number of instructions in a request, and maximum length of each in characters. */
const MAX_INSTRUCTIONS = 10;
const MAX_INSTRUCTION_LENGTH = 300;
/** At most five glossaries in a request; the official Node client sends them as one text. */
export const SEVERAL_GLOSSARIES = { maxItems: 5, 'x-comma-separated': true };

/** A text with a fixed set of values; an enum gives better error messages than a union of literals. */
function choice<const Choices extends readonly string[]>(choices: Choices, description: string) {
  return Type.Unsafe<Choices[number]>(Type.String({ enum: [...choices], description }));
}

/** Names of elements: a list, or one comma-separated text. */
function tagNames(description: string) {
  return Type.Array(Type.String(), { 'x-comma-separated': true, description });
}

/** Sent by clients that date from the time when some languages were in beta. */
export const EnableBetaLanguages = Type.Optional(
  Type.Boolean({
    deprecated: true,
    description: 'Has no effect: every language is always available.',
  }),
);

export const TextTranslationRequest = Type.Object({
  text: Type.Array(Type.String(), {
    minItems: 1,
    maxItems: MAX_TEXTS,
    description: 'Texts to translate, each independently of the others.',
    examples: [['Good morning.']],
  }),
  target_lang: Type.String({ examples: ['ES'] }),
  source_lang: Type.Optional(
    Type.String({
      examples: ['EN'],
      description:
        'When omitted, detected for each text as by /v3/detect/language. A ' +
        'text in an unsupported language is refused; an ambiguous text is ' +
        'taken to be in its most likely supported language.',
    }),
  ),
  context: Type.Optional(
    Type.String({
      description: 'Additional text that helps to translate; neither translated nor billed itself.',
    }),
  ),
  model_type: Type.Optional(
    choice(
      ['latency_optimized', 'quality_optimized', 'prefer_quality_optimized'],
      'latency_optimized uses the fastest engine of the language pair; ' +
        'the others use the one that the settings prefer.',
    ),
  ),
  split_sentences: Type.Optional(
    choice(
      ['0', '1', 'nonewlines'],
      '0: no splitting; 1: at punctuation and line breaks; nonewlines: at punctuation ' +
        'only. The default is 1, or nonewlines with tag_handling html.',
    ),
  ),
  preserve_formatting: Type.Optional(
    Type.Boolean({
      description: 'Keeps the punctuation around the text and the case of its first letter.',
    }),
  ),
  formality: Type.Optional(
    choice(
      ['default', 'more', 'less', 'prefer_more', 'prefer_less'],
      'The prefer_ values fall back to default where the formality cannot be chosen.',
    ),
  ),
  glossary_id: Type.Optional(
    Type.String({
      description:
        'Requires source_lang; the glossary must have a dictionary for the language pair.',
    }),
  ),
  glossary_ids: Type.Optional(
    Type.Array(Type.String(), {
      ...SEVERAL_GLOSSARIES,
      description:
        'Several glossaries, earlier ones taking precedence; cannot be combined with glossary_id.',
    }),
  ),
  style_id: Type.Optional(Type.String()),
  custom_instructions: Type.Optional(
    Type.Array(
      Type.String({
        maxLength: MAX_INSTRUCTION_LENGTH,
      }),
      {
        maxItems: MAX_INSTRUCTIONS,
        description: 'Instructions in natural language, for engines that can follow them.',
      },
    ),
  ),
  translation_memory_id: Type.Optional(Type.String()),
  translation_memory_threshold: Type.Optional(
    // Accepts any value, because the service has better messages for invalid ones.
    Type.Unknown({ description: 'Minimum match in percent, 0 to 100; default 75.' }),
  ),
  show_billed_characters: Type.Optional(Type.Boolean()),
  tag_handling: Type.Optional(choice(['xml', 'html'], 'Kind of markup in the texts.')),
  tag_handling_version: Type.Optional(choice(['v1', 'v2'], 'v2 refuses malformed markup.')),
  outline_detection: Type.Optional(
    Type.Boolean({ description: 'When false, only splitting_tags divide XML into sentences.' }),
  ),
  splitting_tags: Type.Optional(tagNames('Elements that always divide sentences.')),
  non_splitting_tags: Type.Optional(tagNames('Elements that never divide sentences.')),
  ignore_tags: Type.Optional(tagNames('Elements whose content is not translated.')),
  enable_beta_languages: EnableBetaLanguages,
});

export const TextTranslationResponse = Type.Object({
  translations: Type.Array(
    Type.Object({
      detected_source_language: Type.String({
        description:
          'Base language in upper case. A text without words takes the ' +
          'language of the first text with words, or else EN.',
      }),
      text: Type.String(),
      billed_characters: Type.Optional(
        Type.Integer({
          description:
            'Unicode code points of the source text; present with show_billed_characters.',
        }),
      ),
      model_type_used: Type.Optional(
        choice(['latency_optimized', 'quality_optimized'], 'Present with model_type.'),
      ),
      tag_handling_version: Type.Optional(choice(['v1', 'v2'], 'Present with tag_handling.')),
    }),
  ),
});

export type TextTranslationRequest = Static<typeof TextTranslationRequest>;
export type TextTranslationResponse = Static<typeof TextTranslationResponse>;
