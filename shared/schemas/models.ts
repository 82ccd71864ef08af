/** Models that can be installed here, as the console sees them; not part of the public API. */
import Type, { type Static, type TSchema } from 'typebox';

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** Progress of an installation. */
export const ModelInstallation = Type.Object({
  /** Installations run one at a time. A failed one stays until it is retried or dismissed. */
  state: Type.Union([Type.Literal('waiting'), Type.Literal('running'), Type.Literal('failed')]),
  step: Nullable(
    Type.Union([
      Type.Literal('wait'),
      Type.Literal('download'),
      Type.Literal('check'),
      Type.Literal('unpack'),
    ]),
  ),
  /** Downloaded share, 0 to 1; null where unknown. */
  share: Nullable(Type.Number()),
  /** The error, and its remedy. */
  message: Nullable(Type.String()),
});

export const ConsoleModel = Type.Object({
  name: Type.String(),
  kind: Type.Union([
    Type.Literal('recognition'),
    Type.Literal('translation'),
    Type.Literal('synthesis'),
    Type.Literal('punctuation'),
    /** A model that cannot be read, so that its kind is unknown. */
    Type.Literal('other'),
  ]),
  about: Type.String(),
  languages: Type.Array(Type.String()),
  /** Directions that the model translates. */
  pairs: Type.Array(Type.Object({ source: Type.String(), target: Type.String() })),
  /** Approximate size of the download, or of an installed package; null where unknown. */
  size_mb: Nullable(Type.Integer()),
  licence: Type.String(),
  source: Nullable(Type.String()),
  /** Terms of the licence beyond the usual, which must be accepted. */
  terms: Nullable(Type.String()),
  is_installed: Type.Boolean(),
  /** Whether the running server uses the model: models are loaded at start-up. */
  is_in_use: Type.Boolean(),
  /** Reason why an installed model cannot be used. */
  problem: Nullable(Type.String()),
  /** Whether the model improves on something that only rules do here at the moment. */
  is_better: Type.Boolean(),
  /** Command to type where the server may not install the model itself; null where it may. */
  command: Nullable(Type.String()),
  installation: Nullable(ModelInstallation),
});

export const ConsoleModels = Type.Object({
  /** Folder of the installed models. */
  folder: Type.String(),
  models: Type.Array(ConsoleModel),
});

export const ModelInstallationRequest = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 200 }),
  accept_terms: Type.Optional(Type.Boolean()),
});

export const ModelPath = Type.Object({ name: Type.String() });

export type ModelInstallation = Static<typeof ModelInstallation>;
export type ConsoleModel = Static<typeof ConsoleModel>;
export type ConsoleModels = Static<typeof ConsoleModels>;
