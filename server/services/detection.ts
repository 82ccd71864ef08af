/** Tells the language of texts: for those who ask, and for translations without a source language. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import type { Detection, DetectionEngine } from '../engines/engine.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';
import { detectionLanguages } from './language-table.ts';
import type { Translation } from './translation.ts';

/** Enough of a text to tell its language, in UTF-16 units: the detector looks at no more. */
const CONSIDERED_LENGTH = 4096;

export interface LanguageDetection {
  /** @throws ServiceError invalid_request when there is no text */
  detect(request: DetectionRequest, signal: AbortSignal): Promise<DetectionResponse>;
}

export interface SourceDetection {
  /**
   * The languages to translate texts from, order kept. What {@link LanguageDetection} is sure of is
   * taken, even if nobody translates it; of a text that may be in several languages, the likeliest of
   * those that can be translated. The target itself for texts without a word, which stay as they are.
   *
   * @param texts the segments of each, in order
   * @param options.signal ends the wait for an answer from elsewhere
   */
  detectSources(
    texts: readonly (readonly TextSegment[])[],
    options: { target: LanguageTag; signal: AbortSignal },
  ): Promise<LanguageTag[]>;
}

/** Makes the service over the detector that runs, and what engines elsewhere know better. */
export function createDetection(
  engine: DetectionEngine,
  translation: Pick<Translation, 'serves' | 'detect'>,
): LanguageDetection & SourceDetection {
  /** The one decision that all go by. */
  async function tell(
    texts: readonly string[],
    options: { target: LanguageTag | undefined; signal: AbortSignal },
  ): Promise<{ found: Detection; ranked: LanguageTag[] }[]> {
    await engine.prepare(texts);
    const own = texts.map((text) => ({ found: engine.detect(text), ranked: engine.rank(text) }));
    const asked = own.map(({ found, ranked: likely }, index) => {
      return { text: texts[index] ?? '', isClear: found.status === 'success', likely };
    });
    const elsewhere = await translation.detect(asked, options);
    return own.map((each, index) => {
      const language = elsewhere[index];
      return language === undefined ? each : { ...each, found: { status: 'success', language } };
    });
  }

  return {
    async detect({ text = [] }, signal) {
      if (text.length === 0) {
        throw new ServiceError('invalid_request', 'Missing parameter text.');
      }
      const told = await tell(text, { target: undefined, signal });
      return { results: told.map(({ found }) => resultOf(found)) };
    },
    async detectSources(texts, { target, signal }) {
      const told = await tell(texts.map(beginningOf), { target, signal });
      return told.map(({ found, ranked }) => {
        if (found.status === 'success') return found.language;
        const candidates = found.status === 'insufficient_confidence' ? found.candidates : ranked;
        const [likeliest, ...others] = candidates;
        if (likeliest === undefined) return baseLanguage(target);
        if (translation.serves({ source: likeliest, target })) return likeliest;
        const isTranslated = (source: LanguageTag) =>
          source !== baseLanguage(target) && translation.serves({ source, target });
        return others.find(isTranslated) ?? likeliest;
      });
    },
  };
}

function resultOf(found: Detection): DetectionResponse['results'][number] {
  if (found.status !== 'success') return { detection_status: found.status };
  return detectionLanguages.has(found.language)
    ? { detection_status: 'success', detected_language: found.language }
    : { detection_status: 'unsupported_language' };
}

function beginningOf(segments: readonly TextSegment[]): string {
  let text = '';
  for (const segment of segments) {
    if (text.length >= CONSIDERED_LENGTH) break;
    text += `${plainText(segment)} `;
  }
  return text;
}
