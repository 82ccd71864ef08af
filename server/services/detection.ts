/** Tells the language of texts: for those who ask, and for translations without a source language. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import type { DetectionEngine } from '../engines/engine.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';
import { detectionLanguages } from './language-table.ts';
import type { Translation } from './translation.ts';

/** Enough of a text to tell its language, in UTF-16 units: the detector looks at no more. */
const CONSIDERED_LENGTH = 4096;

export interface LanguageDetection {
  /** @throws ServiceError invalid_request when there is no text */
  detect(request: DetectionRequest): DetectionResponse;
}

export interface SourceDetection {
  /**
   * The language to translate a text from. Always one, however little the text says of it: where it
   * is short or undecided, the likeliest of those that can be translated; the target itself for texts
   * without a word, which stay as they are. A language that is certain is told even if nobody
   * translates it.
   *
   * @param segments the text, in order
   */
  detectSource(
    segments: readonly TextSegment[],
    options: { target: LanguageTag; translation: Pick<Translation, 'serves'> },
  ): LanguageTag;
}

/** A shorter text may look like a language that it is not, in UTF-16 units. */
const TELLING_LENGTH = 24;

/** Makes the service over the detector that runs. */
export function createDetection(engine: DetectionEngine): LanguageDetection & SourceDetection {
  return {
    detect({ text = [] }) {
      if (text.length === 0) {
        throw new ServiceError('invalid_request', 'Missing parameter text.');
      }
      return { results: text.map((each) => resultOf(each, engine)) };
    },
    detectSource(segments, { target, translation }) {
      const text = beginningOf(segments);
      const found = engine.detect(text);
      const [likeliest, ...others] = engine.rank(text);
      if (likeliest === undefined) return baseLanguage(target);
      const isCertain = found.status === 'success' && text.length >= TELLING_LENGTH;
      if (isCertain || translation.serves({ source: likeliest, target })) return likeliest;
      const isTranslated = (source: LanguageTag) =>
        source !== baseLanguage(target) && translation.serves({ source, target });
      return others.find(isTranslated) ?? likeliest;
    },
  };
}

function resultOf(text: string, engine: DetectionEngine): DetectionResponse['results'][number] {
  const found = engine.detect(text);
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
