/** Speech with the voices of sherpa-onnx that people bring: Piper and other VITS, Matcha, Kokoro. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import { ServiceError } from '../../../shared/errors.ts';
import type { LocalModel, ModelVoice } from '../../models/local-model.ts';
import type { Logger } from '../../process/log.ts';
import { sherpaSettings } from '../recognition/sherpa-config.ts';
import { declareEngine } from '../declaration.ts';
import type { SynthesisEngine, SynthesisOptions, Unavailable } from '../engine.ts';
import { SherpaVoice, type SherpaVoiceOptions } from './sherpa-voice.ts';

export interface SherpaVoicesOptions {
  /** Models of any kind; those for synthesis become voices. */
  models: readonly LocalModel[];
  log: Logger;
  /** Threads for one sentence; 1 if left out. */
  threads?: number;
  hangTimeoutMs?: number;
  /** A voice that has had nothing to say for so long is unloaded, in ms. */
  idleMs?: number;
}

interface Voice extends ModelVoice {
  language: LanguageTag;
  model: SherpaVoice;
}

/** A long sentence on a slow machine; the next one is another sign of life. */
const HANG_TIMEOUT_MS = 60_000;
const IDLE_MS = 600_000;

/** Voices that people have installed. */
export const sherpaVoices = declareEngine({
  settings: sherpaSettings,
  start: ({ log, models, settings: { SHERPA_THREADS: threads } }) =>
    createSherpaVoices({ log, models, threads }),
});

/** One engine for all voices, if there are any, and what is wrong with models that cannot be used. */
export async function createSherpaVoices({
  models,
  log,
  threads = 1,
  hangTimeoutMs = HANG_TIMEOUT_MS,
  idleMs = IDLE_MS,
}: SherpaVoicesOptions): Promise<(SynthesisEngine | Unavailable)[]> {
  const speaking = models.filter(({ kind }) => kind === 'synthesis');
  const prepared = await Promise.all(
    speaking.map((model) =>
      prepareVoices(model, {
        ...{ model: { family: model.family, files: model.files, threads } },
        ...{ log, hangTimeoutMs, idleMs },
      }),
    ),
  );
  const unavailable = prepared.filter((one) => 'reason' in one);
  const voices = prepared.flatMap((one) => ('reason' in one ? [] : one));
  return voices.length === 0 ? unavailable : [engineOf(voices), ...unavailable];
}

async function prepareVoices(
  { name, languages, voices: speakers = [{ speaker: 0 }] }: LocalModel,
  options: SherpaVoiceOptions,
): Promise<Voice[] | Unavailable> {
  const model = new SherpaVoice(options);
  try {
    await model.prepare();
  } catch (error) {
    await model.close();
    const reason = error instanceof Error ? error.message : String(error);
    return { name, reason: `The voice ${name} cannot be used: ${reason}` };
  }
  return speakers.flatMap(({ language, ...speaker }: ModelVoice) =>
    (language === undefined ? languages : [language]).map((tag) => ({
      ...{ ...speaker, language: tag, model },
    })),
  );
}

function engineOf(voices: readonly Voice[]): SynthesisEngine {
  return {
    name: 'sherpa-onnx',
    describedAs: 'a voice model on this server',
    languages: [...new Set(voices.map(({ language }) => baseLanguage(language)))],
    speak(text: string, options: SynthesisOptions) {
      const voice = choose(voices, options);
      if (voice === undefined) {
        throw new ServiceError('synthesis_failed', 'There is no voice for this language.');
      }
      return voice.model.speak({ text, speaker: voice.speaker }, options.signal);
    },
    async close() {
      await Promise.all([...new Set(voices.map(({ model }) => model))].map((one) => one.close()));
    },
  };
}

/** The voice that fits best: its language before its gender, a variant before another. */
function choose(
  voices: readonly Voice[],
  { language, gender }: SynthesisOptions,
): Voice | undefined {
  const rank = (voice: Voice): number =>
    (voice.language === language ? 2 : 0) +
    (gender !== undefined && voice.gender === gender ? 1 : 0);
  return voices
    .filter((voice) => baseLanguage(voice.language) === baseLanguage(language))
    .reduce<Voice | undefined>(
      (best, voice) => (best === undefined || rank(voice) > rank(best) ? voice : best),
      undefined,
    );
}
