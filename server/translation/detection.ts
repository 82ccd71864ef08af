/** Finds out the language of texts: for those who ask, and for translations without a source language. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import type { Detection, DetectionEngine } from '../engines/engine.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';
import type { UsualLanguages } from './account-texts.ts';
import { detectionLanguages } from './language-table.ts';
import type { Translation } from './translation.ts';

/** Enough of a text to tell its language, in UTF-16 units: the detector looks at no more. */
const CONSIDERED_LENGTH = 4096;

/** What is sure of a text no longer than this may still be another language's words, in UTF-16 units. */
const OPEN_LENGTH = 64;

/** A text of this length counts fully for what its account writes in, in UTF-16 units. */
const TELLING_LENGTH = 20;

/** What is known of the language of a text. */
interface Finding {
  text: string;
  found: Detection;
  /** Languages it may be in, the likeliest first. */
  ranked: LanguageTag[];
}

/** Whose texts they are, and how to stop. */
export interface DetectionOrigin {
  /** Its usual languages decide between those that a short text may be in. */
  accountId: string;
  /** What stands around the texts, in their language: decides before what is usual. */
  context?: string | undefined;
  /** Ends the wait for an answer from elsewhere. */
  signal: AbortSignal;
}

export interface LanguageDetection {
  /** @throws ServiceError invalid_request when there is no text */
  detect(request: DetectionRequest, origin: DetectionOrigin): Promise<DetectionResponse>;
}

export interface SourceDetection {
  /**
   * The languages to translate texts from, order kept. What {@link LanguageDetection} is sure of is
   * taken, even if nobody translates it; of a text that may be in several languages, the likeliest of
   * those that can be translated. The target itself for texts without a word, which stay as they are.
   *
   * @param texts the segments of each, in order
   */
  detectSources(
    texts: readonly (readonly TextSegment[])[],
    options: DetectionOrigin & { target: LanguageTag },
  ): Promise<LanguageTag[]>;
}

/**
 * Makes the service over the detector that runs, and what engines elsewhere know better.
 *
 * @param usualLanguages what is known of the accounts, and grows
 */
export function createDetection(
  engine: DetectionEngine,
  translation: Pick<Translation, 'serves' | 'detect'>,
  usualLanguages: UsualLanguages,
): LanguageDetection & SourceDetection {
  /** The one decision that all go by. */
  async function findOut(
    texts: readonly string[],
    options: DetectionOrigin & { target: LanguageTag | undefined },
  ): Promise<Finding[]> {
    await engine.prepare(texts);
    const words = texts.map((text) => {
      return { text, found: engine.detect(text), ranked: engine.rank(text) };
    });
    const own = decideBySurroundings(words, options, { engine, usualLanguages });
    const asked = own.map(({ text, found, ranked: likely }) => {
      return { text, isClear: found.status === 'success', likely };
    });
    const elsewhere = await translation.detect(asked, options);
    return own.map((each, index) => {
      const language = elsewhere[index];
      return language === undefined ? each : { ...each, found: { status: 'success', language } };
    });
  }

  return {
    async detect({ text = [] }, origin) {
      if (text.length === 0) {
        throw new ServiceError('invalid_request', 'Missing parameter text.');
      }
      const findings = await findOut(text, { ...origin, target: undefined });
      return { results: findings.map(({ found }) => resultOf(found)) };
    },
    async detectSources(texts, options) {
      const { target } = options;
      const findings = await findOut(texts.map(beginningOf), options);
      return findings.map(({ found, ranked }) => {
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

/** Where several languages have the words of a text, what surrounds it may tell which. */
function decideBySurroundings(
  findings: readonly Finding[],
  { accountId, context }: DetectionOrigin,
  { engine, usualLanguages }: { engine: DetectionEngine; usualLanguages: UsualLanguages },
): readonly Finding[] {
  const around = context === undefined ? undefined : engine.detect(context);
  const surroundings = () =>
    around?.status === 'success' ? new Map([[around.language, 1]]) : usualLanguages.of(accountId);
  const decided = ({ text, found }: Finding, usual: ReadonlyMap<LanguageTag, number> | undefined) =>
    usual === undefined || !isOpen(text, found) ? found : engine.detect(text, { usual });
  const decideAll = (usual: ReadonlyMap<LanguageTag, number> | undefined) =>
    findings.map((each) => ({ ...each, found: decided(each, usual) }));
  const first = decideAll(surroundings());
  for (const [index, { text, found }] of first.entries()) {
    // What is taken for another language here says nothing of what is written.
    const wasSure = findings[index]?.found.status === 'success';
    if (wasSure && found.status === 'success') {
      usualLanguages.note(accountId, found.language, weightOf(text));
    }
  }
  // Texts of one request tell of each other.
  return findings.length === 1 ? first : decideAll(surroundings());
}

/** How much a text says of what an account writes in: single words are the likeliest to mislead. */
function weightOf(text: string): number {
  return Math.min(1, text.trim().length / TELLING_LENGTH) ** 2;
}

/** Whether surroundings may decide: of long texts they need not be asked. */
function isOpen(text: string, found: Detection): boolean {
  return found.status === 'insufficient_confidence' || text.length <= OPEN_LENGTH;
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
