/** Turns a model into what sherpa-onnx wants to be told of it. */
import Type from 'typebox';
import { RECOGNITION_RATE_HZ } from '../engine.ts';

/** Of all that runs on sherpa-onnx, voices as well. */
export const sherpaSettings = {
  SHERPA_THREADS: Type.Integer({
    default: 1,
    minimum: 1,
    maximum: 64,
    description: 'Threads that one decoding of a local model takes.',
  }),
};

/** What a child needs to know of a model. */
export interface SherpaModel {
  family: string;
  /** Absolute paths by role. */
  files: Record<string, string>;
  modelingUnit?: string;
  modelType?: string;
}

/** What a child is told on its command line, as JSON. */
export interface SherpaChildOptions {
  model: SherpaModel;
  /** Adds capitals and punctuation. */
  punctuation: SherpaModel | undefined;
  /** Words and phrases to hear rather than others. */
  hotwords: readonly string[];
  /** Threads for one decoding. */
  threads: number;
}

/** Strength of hotwords: what sherpa-onnx documents as its usual choice. */
const HOTWORDS_SCORE = 1.5;

const onlineSections: Readonly<Record<string, string>> = {
  'streaming-transducer': 'transducer',
  'streaming-paraformer': 'paraformer',
  'streaming-zipformer-ctc': 'zipformer2Ctc',
  'streaming-nemo-ctc': 'nemoCtc',
  'streaming-tone-ctc': 'toneCtc',
};

const offlineSections: Readonly<Record<string, string>> = {
  transducer: 'transducer',
  'nemo-transducer': 'transducer',
  whisper: 'whisper',
  canary: 'canary',
  'fire-red-asr': 'fireRedAsr',
  'moonshine-v1': 'moonshine',
  'sense-voice': 'senseVoice',
  paraformer: 'paraformer',
  'nemo-ctc': 'nemoCtc',
  'zipformer-ctc': 'zipformerCtc',
  dolphin: 'dolphin',
};

/** Whether a family hears while it is said, in contrast to whole recordings. */
export function isStreaming(family: string): boolean {
  return Object.hasOwn(onlineSections, family);
}

/** Configuration of an `OnlineRecognizer`. */
export function onlineConfig(options: SherpaChildOptions, bpeVocab?: string) {
  const { model, hotwords } = options;
  return {
    featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
    modelConfig: {
      ...sectionOf(onlineSections, model),
      ...common(options, bpeVocab),
    },
    // The voice path says where utterances end.
    enableEndpoint: 0,
    ...searchFor(hotwords),
    // Not a file: what people say often is nobody else's business.
    ...(hotwords.length > 0 && hotwordsBuffer(hotwords)),
  };
}

/** Configuration of an `OfflineRecognizer`, for a language where the family has to be told. */
export function offlineConfig(
  options: SherpaChildOptions,
  { language = '', bpeVocab }: { language?: string; bpeVocab?: string | undefined },
) {
  const { model, hotwords } = options;
  const section = sectionOf(offlineSections, model);
  return {
    featConfig: { sampleRate: RECOGNITION_RATE_HZ, featureDim: 80 },
    modelConfig: {
      ...withLanguage(section, model.family, language),
      ...common(options, bpeVocab),
      ...(model.family === 'nemo-transducer' && { modelType: 'nemo_transducer' }),
    },
    ...searchFor(hotwords),
    ...(hotwords.length > 0 && hotwordsBuffer(hotwords)),
  };
}

/** Hotwords are heard by a search that follows several hypotheses; without them the best is enough. */
function searchFor(hotwords: readonly string[]) {
  if (hotwords.length === 0) return { decodingMethod: 'greedy_search' };
  return {
    decodingMethod: 'modified_beam_search',
    maxActivePaths: 4,
    hotwordsScore: HOTWORDS_SCORE,
  };
}

function hotwordsBuffer(hotwords: readonly string[]) {
  const hotwordsBuf = `${hotwords.join('\n')}\n`;
  return { hotwordsBuf, hotwordsBufSize: Buffer.byteLength(hotwordsBuf) };
}

function common(
  { model: { files, modelingUnit, modelType }, hotwords, threads }: SherpaChildOptions,
  bpeVocab: string | undefined,
) {
  return {
    tokens: files['tokens'] ?? '',
    numThreads: threads,
    provider: 'cpu',
    debug: 0,
    ...(modelType !== undefined && { modelType }),
    // Told without hotwords, sherpa-onnx asks for a vocabulary that nobody needs.
    ...(hotwords.length > 0 && {
      ...(modelingUnit !== undefined && { modelingUnit }),
      ...(bpeVocab !== undefined && { bpeVocab }),
    }),
  };
}

function sectionOf(sections: Readonly<Record<string, string>>, { family, files }: SherpaModel) {
  // What is told beside the section.
  const common = ['tokens', 'bpeModel', 'bpeVocab'];
  const own = Object.entries(files).filter(([role]) => !common.includes(role));
  return { [sections[family] ?? family]: Object.fromEntries(own) };
}

function withLanguage(section: Record<string, object>, family: string, language: string) {
  const settings: Readonly<Record<string, object>> = {
    whisper: { language, task: 'transcribe' },
    canary: { srcLang: language || 'en', tgtLang: language || 'en', usePnc: 1 },
    'sense-voice': { language: 'auto', useInverseTextNormalization: 1 },
  };
  const own = settings[family];
  if (own === undefined) return section;
  return Object.fromEntries(
    Object.entries(section).map(([name, files]) => [name, { ...files, ...own }]),
  );
}

/** Configuration of an `OnlinePunctuation` or `OfflinePunctuation`. */
export function punctuationConfig({ family, files }: SherpaModel) {
  const { model, bpeVocab } = files;
  const common = { numThreads: 1, provider: 'cpu', debug: 0 };
  return family === 'online-punctuation'
    ? { model: { cnnBilstm: model, bpeVocab, ...common } }
    : { model: { ctTransformer: model, ...common } };
}
