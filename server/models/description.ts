/** Reads `dragoman-model.json`. */
import path from 'node:path';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonicalLanguage } from '../../shared/language.ts';
import { modelFamilies } from './families.ts';
import type { ModelDescription } from './local-model.ts';

const Kind = Type.Union(
  (['recognition', 'synthesis', 'punctuation', 'translation'] as const).map((kind) =>
    Type.Literal(kind),
  ),
);
const Gender = Type.Union([Type.Literal('male'), Type.Literal('female')]);

const descriptionSchema = Type.Object({
  kind: Kind,
  family: Type.String(),
  languages: Type.Array(Type.String(), { minItems: 1 }),
  licence: Type.Optional(Type.String()),
  source: Type.Optional(Type.String()),
  files: Type.Optional(Type.Record(Type.String(), Type.String())),
  sums: Type.Optional(Type.Record(Type.String(), Type.String())),
  detectsLanguage: Type.Optional(Type.Boolean()),
  punctuates: Type.Optional(Type.Boolean()),
  modelingUnit: Type.Optional(Type.String()),
  modelType: Type.Optional(Type.String()),
  voices: Type.Optional(
    Type.Array(
      Type.Object({
        speaker: Type.Integer({ minimum: 0 }),
        gender: Type.Optional(Gender),
        language: Type.Optional(Type.String()),
      }),
    ),
  ),
});

const validator = Compile(descriptionSchema);

/** @throws Error with what is wrong, for people */
export function readDescription(text: string): ModelDescription {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('its description is not JSON: mend it, or install the model again.');
  }
  if (!validator.Check(value)) {
    const [problem] = validator.Errors(value);
    throw new Error(`its description is wrong at ${problem?.instancePath || '/'}.`);
  }
  const description = value as ModelDescription;
  const family = modelFamilies[description.family];
  if (family === undefined) {
    const known = Object.keys(modelFamilies).join(', ');
    throw new Error(`there is no family ${description.family}; possible: ${known}.`);
  }
  if (family.kind !== description.kind) {
    throw new Error(`models of the family ${description.family} are for ${family.kind}.`);
  }
  for (const [role, file] of Object.entries(description.files ?? {})) {
    if (!Object.hasOwn(family.roles, role)) throw new Error(`it needs no file ${role}.`);
    if (!isBelow(file)) throw new Error(`its file ${role} is not in its folder.`);
  }
  const languages = description.languages.map((language) => {
    const tag = canonicalLanguage(language);
    if (tag === undefined) throw new Error(`${language} is no language.`);
    return tag;
  });
  if (description.kind === 'translation' && languages.length !== 2) {
    throw new Error('a model that translates has two languages: source and target.');
  }
  return { ...description, languages };
}

function isBelow(file: string): boolean {
  const normal = path.normalize(file);
  return !path.isAbsolute(normal) && normal !== '..' && !normal.startsWith(`..${path.sep}`);
}
