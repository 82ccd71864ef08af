/** `POST /v2/write/rephrase` and `POST /v2/write/correct`, compatible with DeepL API clients. */
import Type, { type Static } from 'typebox';

/** Largest request body, in bytes. */
export const MAX_WRITE_BODY_BYTES = 10 * 1024;

/** Languages in which texts can be improved; `en` stands for `en-US`, `pt` for `pt-PT`. */
export const writeLanguages = [
  ...['de', 'en', 'en-GB', 'en-US', 'es', 'fr', 'it', 'ja', 'ko', 'pt', 'pt-BR', 'pt-PT'],
  ...['zh', 'zh-Hans'],
] as const;

/** Languages in which a style or a tone can be chosen, if an engine supports it. */
export const formLanguages: readonly string[] = [
  'de',
  'en-GB',
  'en-US',
  'es',
  'fr',
  'it',
  'pt-BR',
  'pt-PT',
];

export const writingStyles = ['academic', 'business', 'casual', 'simple'] as const;
export const writingTones = ['confident', 'diplomatic', 'enthusiastic', 'friendly'] as const;

const Texts = Type.Array(Type.String(), {
  minItems: 1,
  description:
    'Texts to improve, each independently of the others. A text may have several sentences.',
  examples: [['I could of told you that their late.']],
});
const TargetLanguage = Type.Optional(
  Type.String({
    description:
      `One of ${writeLanguages.join(', ')}. Texts in that language are improved and take the ` +
      'spelling of the variant; texts in other languages are returned unchanged. When omitted, each ' +
      'text keeps its own language, and the texts may be in different languages.',
    examples: ['en-GB'],
  }),
);
const wish = (values: readonly string[], other: string) =>
  `default, ${values.join(', ')}, or one of these prefixed with prefer_, ` +
  'which falls back to default where it cannot be chosen. Cannot be ' +
  `combined with ${other}. Requires an engine that rephrases.`;

export const CorrectionRequest = Type.Object({ text: Texts, target_lang: TargetLanguage });

export const RephrasingRequest = Type.Object({
  text: Texts,
  target_lang: TargetLanguage,
  writing_style: Type.Optional(
    Type.String({ description: wish(writingStyles, 'tone'), examples: ['prefer_business'] }),
  ),
  tone: Type.Optional(Type.String({ description: wish(writingTones, 'writing_style') })),
});

export const ImprovementResponse = Type.Object({
  improvements: Type.Array(
    Type.Object({
      text: Type.String(),
      target_language: Type.String({ examples: ['en-GB'] }),
      detected_source_language: Type.String({
        description: 'Base language in lower case.',
        examples: ['en'],
      }),
    }),
  ),
});

export type CorrectionRequest = Static<typeof CorrectionRequest>;
export type RephrasingRequest = Static<typeof RephrasingRequest>;
export type ImprovementResponse = Static<typeof ImprovementResponse>;
