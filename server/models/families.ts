/** The architectures of models that run here, and how releases name their files. */
import type { ModelKind } from './local-model.ts';

/** A file, or a folder, that a model is made of. */
export interface FileRole {
  /** What releases call it, below the folder of the model. */
  pattern: RegExp;
  isOptional?: boolean;
}

export interface ModelFamily {
  kind: ModelKind;
  roles: Readonly<Record<string, FileRole>>;
  /** Sets of optional roles of which one must be whole. */
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

/** Families by the name that descriptions use; `streaming-*` hear while it is said. */
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
  moonshine: hears({
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

  /** Firefox's: a vocabulary for both languages, or one for each. */
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
 * The file for a role. Of two that differ in precision alone the 8-bit one is taken, which CPUs run
 * in half the time; of some that differ in numbers alone (`left-64`, `left-128`) the largest; of
 * others none.
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
