/** Models that can be installed here, as the console has them; not part of the public interface. */
import Type, { type Static, type TSchema } from 'typebox';

const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()]);

/** How far an installation is. */
export const ModelInstallation = Type.Object({
  /** One after the other: the others wait. A failed one stays until it is tried again or dismissed. */
  state: Type.Union([Type.Literal('waiting'), Type.Literal('running'), Type.Literal('failed')]),
  step: Nullable(
    Type.Union([
      Type.Literal('wait'),
      Type.Literal('download'),
      Type.Literal('check'),
      Type.Literal('unpack'),
    ]),
  ),
  /** Of what is downloaded, 0 to 1; null where nobody knows. */
  share: Nullable(Type.Number()),
  /** What went wrong, and what to do. */
  message: Nullable(Type.String()),
});

export const ConsoleModel = Type.Object({
  name: Type.String(),
  kind: Type.Union([
    Type.Literal('recognition'),
    Type.Literal('translation'),
    Type.Literal('synthesis'),
    Type.Literal('punctuation'),
    /** Unknown: it cannot be read. */
    Type.Literal('other'),
  ]),
  about: Type.String(),
  languages: Type.Array(Type.String()),
  /** Directions it translates. */
  pairs: Type.Array(Type.Object({ source: Type.String(), target: Type.String() })),
  /** About how much is downloaded, or for a package installed; null where we do not know. */
  size_mb: Nullable(Type.Integer()),
  licence: Type.String(),
  source: Nullable(Type.String()),
  /** What its licence asks beyond the usual, to be accepted. */
  terms: Nullable(Type.String()),
  is_installed: Type.Boolean(),
  /** Whether the server that runs has it: it takes models up when it starts. */
  is_in_use: Type.Boolean(),
  /** Why one that is installed cannot be used. */
  problem: Nullable(Type.String()),
  /** Does better what rules do here alone at the moment. */
  is_better: Type.Boolean(),
  /** What to type where the server itself may not install it; null where it may. */
  command: Nullable(Type.String()),
  installation: Nullable(ModelInstallation),
});

export const ConsoleModels = Type.Object({
  /** Where they are. */
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
