/** Notices from what was heard that another language is spoken than thought. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { Detection, RecognitionEngine } from '../../engines/engine.ts';

/** Shorter texts are not judged: languages share too many short words. */
const LEAST_WORDS = 5;
/** In scripts without blanks, letters stand for words. */
const LEAST_LETTERS = 24;
const LETTER = /\p{L}/gu;

export interface LanguageWatch {
  /**
   * Takes the text of a final.
   *
   * @returns the base language it is in, as far as is known, and whether that is sure enough to
   *   listen for it from now on: two finals that can be judged, one after the other, agree
   */
  judge(text: string): { language: LanguageTag; isConfirmed: boolean };
}

/**
 * @param options.language that is thought to be spoken
 * @param options.believable base languages that may turn out to be spoken: those somebody hears
 * @param options.engine that is listening
 * @param options.isRequested whether the client named the language: then one text alone does not
 *   change what it is said to be in
 */
export function createLanguageWatch({
  language,
  believable,
  engine,
  isRequested,
  detectLanguage,
}: {
  language: LanguageTag;
  believable: ReadonlySet<LanguageTag>;
  engine: RecognitionEngine;
  isRequested: boolean;
  detectLanguage: (text: string) => Detection;
}): LanguageWatch {
  let suspected: LanguageTag | undefined;
  return {
    judge(text) {
      const found = detected(text);
      if (found === undefined) return { language, isConfirmed: false };
      const isConfirmed = found !== language && found === suspected;
      suspected = found;
      // What a recogniser cannot hear is more likely a misheard text than another language.
      const isBelieved = isConfirmed || (!isRequested && engine.languages.includes(found));
      return { language: isBelieved ? found : language, isConfirmed };
    },
  };

  function detected(text: string): LanguageTag | undefined {
    const isLong =
      text.split(/\s+/).filter(Boolean).length >= LEAST_WORDS ||
      (text.match(LETTER)?.length ?? 0) >= LEAST_LETTERS;
    if (!isLong) return undefined;
    const detection = detectLanguage(text);
    if (detection.status !== 'success') return undefined;
    const base = baseLanguage(detection.language);
    return believable.has(base) ? base : undefined;
  }
}
