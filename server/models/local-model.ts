/** Models on this machine: their description, and how releases of each family name their files. */
import path from 'node:path';
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import { canonicalLanguage, type LanguageTag } from '../../shared/language.ts';

/** Purpose of a model. */
type ModelKind = 'recognition' | 'synthesis' | 'punctuation' | 'translation';

export type VoiceGender = 'male' | 'female';

/** One of the voices of a synthesis model. */
export interface ModelVoice {
  /** Speaker number within the model. */
  speaker: number;
  gender?: VoiceGender;
  /** Language of the voice, if the model speaks several. */
  language?: LanguageTag;
}

/** Description of a model by its author or its catalogue entry, as in `dragoman-model.json`. */
export interface ModelDescription {
  kind: ModelKind;
  /** Architecture: a key of `modelFamilies`. */
  family: string;
  /** Base languages that it recognises, speaks or punctuates; source and target for translation. */
  languages: LanguageTag[];
  licence?: string;
  source?: string;
  /** Paths of files below the folder, by role; omitted ones are found by their names. */
  files?: Record<string, string>;
  /** SHA-256 of files at installation, by path below the folder; a mismatch means damage. */
  sums?: Record<string, string>;
  /** Whether it detects which of its languages is spoken. */
  detectsLanguage?: boolean;
  /** Whether its text has capitals and punctuation. */
  punctuates?: boolean;
  /** How words become tokens, for hotwords: `bpe`, `cjkchar` or `cjkchar+bpe`. */
  modelingUnit?: string;
  /** Architecture within its family, if an engine needs it. */
  modelType?: string;
  voices?: ModelVoice[];
}

/** A complete model, with every file it needs. */
export interface LocalModel extends ModelDescription {
  /** Name of its folder. */
  name: string;
  folder: string;
  /** Absolute paths, by role. */
  files: Record<string, string>;
}

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

/** @throws Error saying what is wrong, for people */
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

/** A file or folder that is part of a model. */
interface FileRole {
  /** Name in releases, below the model's folder. */
  pattern: RegExp;
  isOptional?: boolean;
}

interface ModelFamily {
  kind: ModelKind;
  roles: Readonly<Record<string, FileRole>>;
  /** Sets of optional roles, one of which must be complete. */
  oneOf?: readonly (readonly string[])[];
}

const tokens: FileRole = { pattern: /(?:^|[-_.])tokens\.txt$/ };
const encoder: FileRole = { pattern: /(?:^|[-_.])encoder(?:[-_.].*)?\.onnx$/ };
const decoder: FileRole = { pattern: /(?:^|[-_.])decoder(?:[-_.].*)?\.onnx$/ };
const joiner: FileRole = { pattern: /(?:^|[-_.])joiner(?:[-_.].*)?\.onnx$/ };
const model: FileRole = { pattern: /\.onnx$/ };
const bpeModel: FileRole = { pattern: /^bpe\.model$/, isOptional: true };
const bpeVocab: FileRole = { pattern: /^bpe\.vocab$/, isOptional: true };
const phonemes: FileRole = { pattern: /^espeak-ng-data$/, isOptional: true };
const lexicon: FileRole = { pattern: /^lexicon\.txt$/, isOptional: true };

const transducer = { encoder, decoder, joiner, tokens, bpeModel, bpeVocab };
const attention = { encoder, decoder, tokens };
const single = { model, tokens };

const hears = (roles: Record<string, FileRole>): ModelFamily => ({ kind: 'recognition', roles });
const speaks = (roles: Record<string, FileRole>): ModelFamily => ({ kind: 'synthesis', roles });
const punctuates = (roles: Record<string, FileRole>): ModelFamily => ({
  kind: 'punctuation',
  roles,
});

/** Families by their names in descriptions; `streaming-*` families recognise during speech. */
export const modelFamilies: Readonly<Record<string, ModelFamily>> = {
  'streaming-transducer': hears(transducer),
  'streaming-paraformer': hears(attention),
  'streaming-zipformer-ctc': hears(single),
  'streaming-nemo-ctc': hears(single),
  'streaming-tone-ctc': hears(single),
  transducer: hears(transducer),
  'nemo-transducer': hears(transducer),
  whisper: hears(attention),
  canary: hears(attention),
  'fire-red-asr': hears(attention),
  /** Two files, with a voice activity detector, as the catalogue assembles it. */
  moonshine: hears({
    encoder,
    decoder,
    tokens,
    vad: { pattern: /^silero[-_]vad(?:[-_].*)?\.onnx$/ },
  }),
  /** The four files of sherpa-onnx's first releases. */
  'moonshine-v1': hears({
    preprocessor: { pattern: /^preprocess(?:or)?(?:[-_.].*)?\.onnx$/ },
    encoder: { pattern: /^encode(?:r)?(?:[-_.].*)?\.onnx$/ },
    uncachedDecoder: { pattern: /^uncached_decode(?:r)?(?:[-_.].*)?\.onnx$/ },
    cachedDecoder: { pattern: /^cached_decode(?:r)?(?:[-_.].*)?\.onnx$/ },
    tokens,
  }),
  'sense-voice': hears(single),
  paraformer: hears(single),
  'nemo-ctc': hears(single),
  'zipformer-ctc': hears(single),
  dolphin: hears(single),

  vits: speaks({ ...single, lexicon, dataDir: phonemes }),
  matcha: speaks({
    acousticModel: { pattern: /^model[-_].*\.onnx$/ },
    vocoder: { pattern: /^(?:hifigan|vocos).*\.onnx$/ },
    tokens,
    lexicon,
    dataDir: phonemes,
  }),
  kokoro: speaks({ ...single, voices: { pattern: /^voices\.bin$/ }, lexicon, dataDir: phonemes }),
  kitten: speaks({ ...single, voices: { pattern: /^voices\.bin$/ }, dataDir: phonemes }),

  'online-punctuation': punctuates({ model, bpeVocab: { pattern: /^bpe\.vocab$/ } }),
  punctuation: punctuates({ model }),

  /** Firefox's models: one vocabulary for both languages, or one for each. */
  marian: {
    kind: 'translation',
    roles: {
      model: { pattern: /^model\..*bin$/ },
      shortlist: { pattern: /^(?:lex|shortlist)\..*bin$/, isOptional: true },
      vocab: { pattern: /^vocab\..*spm$/, isOptional: true },
      sourceVocab: { pattern: /^(?:srcvocab|source-vocab)\..*spm$/, isOptional: true },
      targetVocab: { pattern: /^(?:trgvocab|target-vocab)\..*spm$/, isOptional: true },
    },
    oneOf: [['vocab'], ['sourceVocab', 'targetVocab']],
  },
};

/**
 * Returns the likeliest file for a role. Of files that differ only in precision, the 8-bit one is chosen,
 * which CPUs run in half the time; of files that differ only in numbers (`left-64`, `left-128`), the largest;
 * otherwise none.
 */
export function likeliestFile(
  entries: readonly string[],
  { pattern }: FileRole,
): string | undefined {
  const fitting = entries.filter((entry) => pattern.test(entry));
  const small = fitting.filter((entry) => /[-_.]int8[-_.]/.test(entry));
  const candidates = small.length > 0 ? small : fitting;
  const shapes = new Set(candidates.map((entry) => entry.replace(/\d+/g, '0')));
  if (shapes.size !== 1) return undefined;
  return candidates.sort((one, other) => one.localeCompare(other, 'en', { numeric: true })).at(-1);
}
