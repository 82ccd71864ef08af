/** Which languages are heard, and which voice speaks which: the first engine that can, as with everything that is preferred. */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../../shared/language.ts';
import {
  voiceMediaLanguages,
  voiceSourceLanguages,
} from '../../../shared/schemas/voice-session.ts';
import type { RecognitionEngine, SynthesisEngine } from '../../engines/engine.ts';

type Speaker = Pick<SynthesisEngine, 'languages'>;

/** The engine that speaks a language or a variant; undefined when none does. */
export function speakerOf<Engine extends Speaker>(
  language: LanguageTag,
  speakers: readonly Engine[],
): Engine | undefined {
  return speakers.find(({ languages }) => languages.includes(baseLanguage(language)));
}

/** Languages that can be spoken now, as sessions name them. */
export function speakableLanguages(speakers: readonly Speaker[]): string[] {
  return voiceMediaLanguages.filter((language) => speakerOf(language, speakers) !== undefined);
}

/** Each engine with the languages it is asked for, as sessions name them: no other comes before it. */
export function sharesOfSpeech<Engine extends Speaker>(
  speakers: readonly Engine[],
): { engine: Engine; languages: string[] }[] {
  return speakers.map((engine) => ({
    engine,
    languages: voiceMediaLanguages.filter((each) => speakerOf(each, speakers) === engine),
  }));
}

/** Whether sessions can ask for speech in a language, or in that variant of it. */
export function isSpeakable(language: LanguageTag, speakers: readonly Speaker[]): boolean {
  return speakableLanguages(speakers).some((each) => canonicalLanguage(each) === language);
}

/** Languages that can be heard now. */
export function spokenLanguages(
  recognisers: readonly Pick<RecognitionEngine, 'languages'>[],
): string[] {
  const heard = new Set(recognisers.flatMap(({ languages }) => languages));
  return voiceSourceLanguages.filter((language) => heard.has(language));
}
