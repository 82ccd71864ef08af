/** Models that can be installed by name. They are published by the authors of sherpa-onnx. */
import type { ModelDescription } from './local-model.ts';
import { multilingual } from './multilingual.ts';

/** A model that can be downloaded. */
export interface CatalogueEntry extends ModelDescription {
  /** Name of the release, of the folder in it and of the folder it is installed in. */
  name: string;
  /** One line for people. */
  about: string;
  /** Licence of the model, as its authors state it. */
  licence: string;
  /** Page of the model or of its authors. */
  source: string;
  /** Below the address of the releases. */
  path: string;
  /** About how much is downloaded, in MB; undefined where we do not know. */
  downloadMb?: number;
  /**
   * SHA-256 of the archive. Undefined: the sum in `checksum.txt` beside the archive is held against
   * it, and where there is none the sum is shown to be compared by hand.
   */
  sha256?: string;
}

/** Where releases are, unless the setting MODELS_URL names a mirror. */
export const RELEASES_URL = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

const hears = { kind: 'recognition' } as const;
const recognisers = 'asr-models';
const voices = 'tts-models';
const punctuations = 'punctuation-models';

type Entry = Omit<CatalogueEntry, 'path' | 'languages'> & {
  release: string;
  languages: readonly string[];
};

const entries: readonly Entry[] = [
  {
    ...hears,
    name: 'sherpa-onnx-nemotron-3.5-asr-streaming-0.6b-560ms-int8-2026-06-11',
    about: 'streaming, punctuates, detects the language: the one to begin with',
    family: 'streaming-transducer',
    languages: multilingual.nemotron,
    detectsLanguage: true,
    punctuates: true,
    licence: 'OpenMDW-1.1',
    source: 'https://huggingface.co/nvidia/nemotron-3.5-asr-streaming-0.6b',
    release: recognisers,
    downloadMb: 475,
  },
  {
    ...hears,
    name: 'sherpa-onnx-streaming-zipformer-en-2023-06-26',
    about: 'streaming, quick; spoken terms',
    family: 'streaming-transducer',
    languages: ['en'],
    licence: 'Apache-2.0',
    source: 'https://k2-fsa.github.io/sherpa/onnx/pretrained_models/online-transducer/',
    release: recognisers,
  },
  {
    ...hears,
    name: 'sherpa-onnx-streaming-zipformer-bilingual-zh-en-2023-02-20',
    about: 'streaming; Chinese and English in one sentence',
    family: 'streaming-transducer',
    languages: ['zh', 'en'],
    modelingUnit: 'cjkchar+bpe',
    licence: 'Apache-2.0',
    source: 'https://k2-fsa.github.io/sherpa/onnx/pretrained_models/online-transducer/',
    release: recognisers,
  },
  ...(['tiny', 'base', 'small'] as const).map((size) => ({
    ...hears,
    name: `sherpa-onnx-whisper-${size}`,
    about: 'whole utterances, punctuates, detects the language',
    family: 'whisper',
    languages: multilingual.whisper,
    detectsLanguage: true,
    punctuates: true,
    licence: 'MIT',
    source: 'https://github.com/openai/whisper',
    release: recognisers,
    ...(size === 'tiny' && { downloadMb: 111 }),
    ...(size === 'small' && { downloadMb: 610 }),
  })),
  {
    ...hears,
    name: 'sherpa-onnx-sense-voice-zh-en-ja-ko-yue-2024-07-17',
    about: 'whole utterances, quick, punctuates, detects the language',
    family: 'sense-voice',
    languages: ['zh', 'en', 'ja', 'ko', 'yue'],
    detectsLanguage: true,
    punctuates: true,
    licence: 'FunASR Model License',
    source: 'https://github.com/FunAudioLLM/SenseVoice',
    release: recognisers,
  },
  {
    ...hears,
    name: 'sherpa-onnx-nemo-parakeet-tdt-0.6b-v3-int8',
    about: 'whole utterances, punctuates, accurate',
    family: 'nemo-transducer',
    languages: multilingual.european,
    detectsLanguage: true,
    punctuates: true,
    licence: 'CC-BY-4.0',
    source: 'https://huggingface.co/nvidia/parakeet-tdt-0.6b-v3',
    release: recognisers,
  },
  {
    kind: 'punctuation',
    name: 'sherpa-onnx-online-punct-en-2024-08-06',
    about: 'capitals and punctuation for recognisers that have none',
    family: 'online-punctuation',
    languages: ['en'],
    licence: 'see its source',
    source: 'https://github.com/k2-fsa/sherpa-onnx/releases/tag/punctuation-models',
    release: punctuations,
    downloadMb: 31,
  },
  {
    kind: 'synthesis',
    name: 'vits-piper-en_US-amy-low',
    about: 'a voice of Piper',
    family: 'vits',
    languages: ['en'],
    voices: [{ speaker: 0, gender: 'female' }],
    licence: 'see its model card',
    source: 'https://github.com/rhasspy/piper',
    release: voices,
    downloadMb: 67,
  },
  {
    kind: 'synthesis',
    name: 'vits-piper-de_DE-thorsten-medium',
    about: 'a voice of Piper',
    family: 'vits',
    languages: ['de'],
    voices: [{ speaker: 0, gender: 'male' }],
    licence: 'CC0-1.0',
    source: 'https://github.com/rhasspy/piper',
    release: voices,
  },
];

/** The catalogue, the recommended one first. */
export const catalogue: readonly CatalogueEntry[] = entries.map(
  ({ release, languages, ...entry }) => ({
    ...entry,
    languages: [...languages],
    path: `${release}/${entry.name}.tar.bz2`,
  }),
);
