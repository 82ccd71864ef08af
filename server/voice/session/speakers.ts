/** Which languages can be recognised, and which voice speaks each: the first engine that supports it. */
import { ServiceError } from '../../../shared/errors.ts';
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import {
  voiceMediaLanguages,
  voiceSourceLanguages,
} from '../../../shared/schemas/voice-session.ts';
import type { RecognitionEngine, SynthesisEngine } from '../../engines/engine.ts';

/** A recogniser, as far as its processes are concerned. */
export type StartedRecogniser = Pick<RecognitionEngine, 'retryInMs'>;

/** Whether a recogniser can hear at this moment. */
export function canHear({ retryInMs }: StartedRecogniser): boolean {
  return retryInMs?.() === undefined;
}

/** @throws ServiceError recognition_failed when there are recognisers, and none of them can hear at present */
export function assertHearing(recognisers: readonly StartedRecogniser[]): void {
  if (recognisers.length === 0 || recognisers.some(canHear)) return;
  throw new ServiceError(
    'recognition_failed',
    'The recogniser does not start at present. Try again later.',
  );
}

type Speaker = Pick<SynthesisEngine, 'languages'>;

/** Returns the engine that speaks a language or variant; undefined when none does. */
export function speakerOf<Engine extends Speaker>(
  language: LanguageTag,
  speakers: readonly Engine[],
): Engine | undefined {
  return speakers.find(({ languages }) => languages.includes(baseLanguage(language)));
}

/** Languages that the running engines can speak, as session requests name them. */
export function speakableLanguages(speakers: readonly Speaker[]): string[] {
  return voiceMediaLanguages.filter((language) => speakerOf(language, speakers) !== undefined);
}

/** Assigns each language, as session requests name them, to the first engine that speaks it. */
export function sharesOfSpeech<Engine extends Speaker>(
  speakers: readonly Engine[],
): { engine: Engine; languages: string[] }[] {
  return speakers.map((engine) => ({
    engine,
    languages: voiceMediaLanguages.filter((each) => speakerOf(each, speakers) === engine),
  }));
}

/** Whether sessions can request speech in a language or in this variant of it. */
export function isSpeakable(language: LanguageTag, speakers: readonly Speaker[]): boolean {
  return speakableLanguages(speakers).some((each) => canonicalLanguage(each) === language);
}

/** Languages that the running recognisers can hear. */
export function spokenLanguages(
  recognisers: readonly Pick<RecognitionEngine, 'languages'>[],
): string[] {
  const heard = new Set(recognisers.flatMap(({ languages }) => languages));
  return voiceSourceLanguages.filter((language) => heard.has(language));
}
