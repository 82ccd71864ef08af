/** The list of engines. A new engine is a file of its own and one line here. */
import type { LocalModel } from '../models/local-model.ts';
import type { Logger } from '../process/log.ts';
import { createDetector } from './detection/detector.ts';
import type {
  ImprovementEngine,
  RecognitionEngine,
  SynthesisEngine,
  TranslationEngine,
  Unavailable,
} from './engine.ts';
import { createChatImprovement } from './improvement/chat-improvement.ts';
import { createDeeplWrite } from './improvement/deepl-write.ts';
import { createHarper } from './improvement/harper.ts';
import { createHunspell } from './improvement/hunspell.ts';
import { createMoonshineRecognisers } from './recognition/moonshine.ts';
import { createOpenAiRealtime, type OpenAiRealtimeOptions } from './recognition/openai-realtime.ts';
import {
  createOpenAiTranscription,
  type OpenAiTranscriptionOptions,
} from './recognition/openai-transcription.ts';
import { createSherpaRecognisers } from './recognition/sherpa.ts';
import { createSilentRecogniser } from './recognition/silent.ts';
import { createVosk, type VoskOptions } from './recognition/vosk.ts';
import { createWhisperLive, type WhisperLiveOptions } from './recognition/whisperlive.ts';
import { createEspeakNg } from './synthesis/espeak-ng.ts';
import { createFlite } from './synthesis/flite.ts';
import { createOpenAiSpeech, type OpenAiSpeechOptions } from './synthesis/openai-speech.ts';
import { createPico } from './synthesis/pico.ts';
import { createSherpaVoices } from './synthesis/sherpa-voices.ts';
import { createApertium } from './translation/apertium.ts';
import { createChat, type ChatOptions } from './translation/chat.ts';
import { createDeeplUpstream, type DeeplUpstreamOptions } from './translation/deepl-upstream.ts';
import { createLibreTranslate, type LibreTranslateOptions } from './translation/libretranslate.ts';
import { createNeural } from './translation/neural.ts';

/** What engines are told of the settings. */
export interface EngineSettings {
  log: Logger;
  /** Models that people have installed. */
  models: readonly LocalModel[];
  /** Threads one decoding of theirs takes. */
  sherpaThreads: number;
  /** Silence that ends an utterance, in ms. */
  pauseMs: number;
  /** Models of translation in memory at once, and how long they stay without work, in ms. */
  neural: { maxLoaded: number; idleMs: number };
  /** Folder of the Apertium modes, if not Debian's. */
  apertiumModes: string | undefined;
  /** Servers to ask; undefined where there is none. */
  transcription: Omit<OpenAiTranscriptionOptions, 'log'> | undefined;
  realtime: Omit<OpenAiRealtimeOptions, 'log'> | undefined;
  vosk: Omit<VoskOptions, 'log'> | undefined;
  whisperLive: Omit<WhisperLiveOptions, 'log'> | undefined;
  speech: Omit<OpenAiSpeechOptions, 'log'> | undefined;
  chat: Omit<ChatOptions, 'log'> | undefined;
  libreTranslate: Omit<LibreTranslateOptions, 'log'> | undefined;
  upstream: Omit<DeeplUpstreamOptions, 'log'> | undefined;
}

/** Nothing when an engine was not asked for: it is neither running nor missing. */
type Maker<Engine> = (settings: EngineSettings) => Promise<(Engine | Unavailable)[]>;

/** Recognisers by the name that the setting RECOGNISER uses. */
export const recognisers = {
  'sherpa-onnx': ({ log, models, sherpaThreads: threads }) =>
    createSherpaRecognisers({ log, models: models.filter(isForSherpa), threads }),
  'openai-realtime': ({ log, realtime }) =>
    configured(realtime, (o) => createOpenAiRealtime({ log, ...o })),
  'openai-transcription': ({ log, transcription }) =>
    configured(transcription, (o) => createOpenAiTranscription({ log, ...o })),
  vosk: ({ log, vosk }) => configured(vosk, (o) => createVosk({ log, ...o })),
  whisperlive: ({ log, whisperLive }) =>
    configured(whisperLive, (o) => createWhisperLive({ log, ...o })),
  moonshine: ({ log, models, pauseMs }) => createMoonshineRecognisers({ log, models, pauseMs }),
  silent: async () => [createSilentRecogniser()],
} as const satisfies Record<string, Maker<RecognitionEngine>>;

/** Voices, the preferred ones first: those that people connect or install, then by how well they are understood. */
export const speakers = {
  speech: ({ log, speech }) => configured(speech, (o) => createOpenAiSpeech({ log, ...o })),
  sherpa: ({ log, models, sherpaThreads: threads }) => createSherpaVoices({ log, models, threads }),
  flite: async ({ log }) => [await createFlite({ log })],
  pico: async ({ log }) => [await createPico({ log })].filter((each) => each !== undefined),
  espeak: async ({ log }) => [await createEspeakNg({ log })],
} as const satisfies Record<string, Maker<SynthesisEngine>>;

/** Translators by the name that the setting TRANSLATION_ENGINES uses, the preferred ones first. */
export const translators = {
  upstream: ({ log, upstream }) => configured(upstream, (o) => createDeeplUpstream({ log, ...o })),
  chat: ({ log, chat }) => configured(chat, (o) => createChat({ log, ...o })),
  libretranslate: ({ log, libreTranslate }) =>
    configured(libreTranslate, (o) => createLibreTranslate({ log, ...o })),
  neural: ({ log, models, neural }) => createNeural({ log, models, ...neural }),
  apertium: async ({ log, apertiumModes: modesFolder }) => [
    await createApertium({ log, ...(modesFolder !== undefined && { modesFolder }) }),
  ],
} as const satisfies Record<string, Maker<TranslationEngine>>;

/** What improves texts, the preferred ones first: what rewords, then what only corrects. */
export const improvers = {
  // What is wrong with their settings is told by the translators of these names.
  upstream: async ({ log, upstream }) =>
    (await configured(upstream, (o) => createDeeplWrite({ log, ...o }))).filter(isRunning),
  chat: async ({ log, chat }) =>
    (await configured(chat, (o) => createChatImprovement({ log, ...o }))).filter(isRunning),
  harper: async ({ log }) => [await createHarper({ log })],
  hunspell: async ({ log }) => [await createHunspell({ log })],
} as const satisfies Record<string, Maker<ImprovementEngine>>;

export { createDetector };

/** Moonshine's models have an engine of their own. */
function isForSherpa({ family }: LocalModel): boolean {
  return family !== 'moonshine';
}

async function configured<Options, Engine>(
  options: Options | undefined,
  create: (options: Options) => Promise<Engine | Unavailable>,
): Promise<(Engine | Unavailable)[]> {
  return options === undefined ? [] : [await create(options)];
}

/** Tells engines that run from those that cannot. */
export function isRunning<Engine extends object>(engine: Engine | Unavailable): engine is Engine {
  return !('reason' in engine);
}
