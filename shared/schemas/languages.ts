/** `GET /v3/languages`, `GET /v3/languages/resources` and the deprecated listings of v2. */
import Type, { type Static } from 'typebox';

export const resourceNames = [
  'translate_text',
  'translate_document',
  'glossary',
  'style_rules',
  'voice',
  'write',
  'translation_memory',
] as const;

export type ResourceName = (typeof resourceNames)[number];

/** Which of the two languages must support a feature: the source, the target or both. */
const featureSides = {
  auto_detection: { needs_source_support: true },
  formality: { needs_target_support: true },
  glossary: { needs_source_support: true, needs_target_support: true },
  spoken_terms: { needs_source_support: true },
  style_rules: { needs_target_support: true },
  tag_handling: { needs_source_support: true, needs_target_support: true },
  tone: { needs_target_support: true },
  transcription: { needs_source_support: true },
  translated_speech: { needs_target_support: true },
  translation_memory: { needs_source_support: true, needs_target_support: true },
  writing_style: { needs_target_support: true },
} as const;

export type FeatureName = keyof typeof featureSides;

const featuresByResource: Readonly<Record<ResourceName, readonly FeatureName[]>> = {
  translate_text: [
    ...(['auto_detection', 'formality', 'glossary', 'style_rules', 'tag_handling'] as const),
    'translation_memory',
  ],
  translate_document: ['auto_detection', 'formality', 'glossary'],
  glossary: [],
  style_rules: [],
  voice: [
    ...(['auto_detection', 'formality', 'glossary', 'spoken_terms', 'transcription'] as const),
    'translated_speech',
  ],
  write: ['auto_detection', 'tone', 'writing_style'],
  translation_memory: [],
};

/** The answer of `GET /v3/languages/resources`. */
export const resourceDescriptors: ResourceDescriptor[] = resourceNames.map((name) => ({
  name,
  features: featuresByResource[name].map((feature) => ({
    name: feature,
    ...featureSides[feature],
  })),
}));

/** Values of `include`: languages and features in beta; features provided by a partner. */
export const includes = ['beta', 'external'] as const;

export const ResourceDescriptor = Type.Object({
  name: Type.String({ examples: ['translate_text'] }),
  features: Type.Array(
    Type.Object({
      name: Type.String({ examples: ['glossary'] }),
      needs_source_support: Type.Optional(Type.Boolean()),
      needs_target_support: Type.Optional(Type.Boolean()),
    }),
  ),
});

/** The descriptions list the allowed values; the service checks them, because its messages name them. */
export const LanguagesQuery = Type.Object({
  resource: Type.Optional(
    Type.String({
      description: `Required. One of ${resourceNames.join(', ')}.`,
      examples: ['translate_text'],
    }),
  ),
  include: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Repeated or separated by commas: ' +
        `${includes.join(', ')}. This server offers nothing ` +
        'external.',
    }),
  ),
  product: Type.Optional(Type.String({ description: 'Old name of `resource`; refused.' })),
});

const Status = Type.Union([
  Type.Literal('stable'),
  Type.Literal('beta'),
  Type.Literal('early_access'),
]);

export const Language = Type.Object({
  lang: Type.String({ description: 'BCP 47 code.', examples: ['en-US'] }),
  name: Type.String({ examples: ['English (American)'] }),
  usable_as_source: Type.Boolean(),
  usable_as_target: Type.Boolean(),
  status: Status,
  features: Type.Record(Type.String(), Type.Object({ status: Status })),
});

export const Languages = Type.Array(Language);

/** The deprecated listing: `type` may also come in the body of the GET request. */
export const LegacyLanguagesQuery = Type.Object({
  type: Type.Optional(
    Type.String({ description: 'source (default) or target.', examples: ['target'] }),
  ),
});

export const LegacyLanguages = Type.Array(
  Type.Object({
    language: Type.String({ description: 'Code in upper case.', examples: ['EN-US'] }),
    name: Type.String(),
    supports_formality: Type.Optional(
      Type.Boolean({ description: 'Present in the target listing.' }),
    ),
  }),
);

export const GlossaryLanguagePairs = Type.Object({
  supported_languages: Type.Array(
    Type.Object({ source_lang: Type.String(), target_lang: Type.String() }),
  ),
});

export type ResourceDescriptor = Static<typeof ResourceDescriptor>;
export type LanguagesQuery = Static<typeof LanguagesQuery>;
export type Language = Static<typeof Language>;
export type LegacyLanguages = Static<typeof LegacyLanguages>;
export type GlossaryLanguagePairs = Static<typeof GlossaryLanguagePairs>;
