/** The registry of engines. A new engine is its own file, settings included, and one line here. */
import type { TProperties } from 'typebox';
import type { EngineDeclaration } from './declaration.ts';
import type {
  ImprovementEngine,
  RecognitionEngine,
  SynthesisEngine,
  TranslationEngine,
} from './engine.ts';
import { chatImprovement } from './improvement/chat-improvement.ts';
import { deeplWrite } from './improvement/deepl-write.ts';
import { harper } from './improvement/harper.ts';
import { hunspell } from './improvement/hunspell.ts';
import { moonshine } from './recognition/moonshine.ts';
import { openAiRealtime } from './recognition/openai-realtime.ts';
import { openAiTranscription } from './recognition/openai-transcription.ts';
import { sherpa } from './recognition/sherpa.ts';
import { silent } from './recognition/silent.ts';
import { vosk } from './recognition/vosk.ts';
import { whisperLive } from './recognition/whisperlive.ts';
import { espeakNg } from './synthesis/espeak-ng.ts';
import { flite } from './synthesis/flite.ts';
import { openAiSpeech } from './synthesis/openai-speech.ts';
import { pico } from './synthesis/pico.ts';
import { sherpaVoices } from './synthesis/sherpa-voices.ts';
import { apertium } from './translation/apertium.ts';
import { chat } from './translation/chat.ts';
import { deeplUpstream } from './translation/deepl-upstream.ts';
import { libreTranslate } from './translation/libretranslate.ts';
import { neural } from './translation/neural.ts';

type Declarations<Engine> = Record<string, EngineDeclaration<TProperties, Engine>>;

/** Recognisers by their name in the setting RECOGNISER, in order of preference. */
const hearing = {
  'sherpa-onnx': sherpa,
  'openai-realtime': openAiRealtime,
  'openai-transcription': openAiTranscription,
  vosk,
  whisperlive: whisperLive,
  moonshine,
} as const satisfies Declarations<RecognitionEngine>;

/** Recognisers that start when RECOGNISER is not set. */
export const defaultRecognisers = Object.keys(hearing);

export const recognisers = { ...hearing, silent };

/** Voices in order of preference: connected or installed ones first, the rest by intelligibility. */
export const speakers = {
  speech: openAiSpeech,
  sherpa: sherpaVoices,
  flite,
  pico,
  espeak: espeakNg,
} as const satisfies Declarations<SynthesisEngine>;

/** Translators by their name in the setting TRANSLATION_ENGINES, in order of preference. */
export const translators = {
  upstream: deeplUpstream,
  chat,
  libretranslate: libreTranslate,
  neural,
  apertium,
} as const satisfies Declarations<TranslationEngine>;

/** Improvement engines in order of preference: those that rephrase before those that only correct. */
export const improvers = {
  upstream: deeplWrite,
  chat: chatImprovement,
  harper,
  hunspell,
} as const satisfies Declarations<ImprovementEngine>;

type Intersection<Union> = (Union extends unknown ? (each: Union) => void : never) extends (
  all: infer All,
) => void
  ? All
  : never;

/** Merges the settings that these engines declare, in their order. */
export function settingsOf<Engines extends Declarations<object>>(
  engines: Engines,
): Intersection<Engines[keyof Engines]['settings']> {
  const settings = Object.values(engines).map((engine) => engine.settings);
  return Object.assign({}, ...settings) as Intersection<Engines[keyof Engines]['settings']>;
}
