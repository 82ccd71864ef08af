/** `POST /v3/detect/language`. */
import Type, { type Static } from 'typebox';

/** Maximum number of texts in a request. */
const MAX_DETECTED_TEXTS = 50;

/** The service checks `text`, because its message is part of the API. */
export const DetectionRequest = Type.Object({
  text: Type.Optional(
    Type.Array(Type.String(), {
      maxItems: MAX_DETECTED_TEXTS,
      description:
        'Required. Texts whose languages to detect, each ' +
        `independently, at most ${MAX_DETECTED_TEXTS}.`,
      examples: [['Guten Morgen']],
    }),
  ),
});

export const DetectionStatus = Type.Union(
  [
    Type.Literal('success'),
    Type.Literal('insufficient_confidence'),
    Type.Literal('unsupported_language'),
    Type.Literal('no_language_detected'),
  ],
  {
    description:
      'Only `success` comes with a language. `insufficient_confidence` ' +
      'means that the text may be in several languages.',
  },
);

export const DetectionResponse = Type.Object({
  results: Type.Array(
    Type.Object({
      detection_status: DetectionStatus,
      detected_language: Type.Optional(Type.String({ examples: ['de'] })),
    }),
  ),
});

export type DetectionRequest = Static<typeof DetectionRequest>;
export type DetectionResponse = Static<typeof DetectionResponse>;
