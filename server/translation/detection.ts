/** Language detection, for callers who request it and for translations without a source language. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { DetectionRequest, DetectionResponse } from '../../shared/schemas/detection.ts';
import type { Detection, DetectionEngine } from '../engines/engine.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';
import type { UsualLanguages } from './account-texts.ts';
import { detectionLanguages } from './language-table.ts';
import type { Translation } from './translation.ts';

/** Length of text examined, in UTF-16 units: the detector uses no more. */
const CONSIDERED_LENGTH = 4096;

/**
 * Up to this length, even a confident detection may be wrong, because other languages share the
 * words; in UTF-16 units.
 */
const OPEN_LENGTH = 64;

/** Length from which a text counts fully as evidence of its account's usual languages, in UTF-16 units. */
const TELLING_LENGTH = 20;

/** What detection found for a text. */
interface Finding {
  text: string;
  found: Detection;
  /** Possible languages, likeliest first. */
  ranked: LanguageTag[];
}

/** The account of the texts, what is known of them, and an abort signal. */
export interface DetectionOrigin {
  /** The account whose usual languages decide between the candidates for a short text. */
  accountId: string;
  /** Text around the texts, in the same language; takes precedence over the usual languages. */
  context?: string | undefined;
  /** Language that the file of the texts declares; decides between those that fit a short text about equally. */
  declared?: LanguageTag | undefined;
  /** Aborts waiting for detection by remote engines. */
  signal: AbortSignal;
}

export interface LanguageDetection {
  /** @throws ServiceError invalid_request when there is no text */
  detect(request: DetectionRequest, origin: DetectionOrigin): Promise<DetectionResponse>;
}

export interface SourceDetection {
  /**
   * Returns the source language of each text, in order. A confident detection is used even if no
   * engine translates that language; for an ambiguous text, the likeliest candidate that can be
   * translated is. Texts without a word get the target language and stay as they are.
   *
   * @param texts the segments of each text, in order
   */
  detectSources(
    texts: readonly (readonly TextSegment[])[],
    options: DetectionOrigin & { target: LanguageTag },
  ): Promise<LanguageTag[]>;
}

/**
 * Makes the service from the local detector and from translation engines that detect languages
 * themselves.
 *
 * @param usualLanguages record of the accounts' languages; updated by detections
 */
export function createDetection(
  engine: DetectionEngine,
  translation: Pick<Translation, 'serves' | 'detect'>,
  usualLanguages: UsualLanguages,
): LanguageDetection & SourceDetection {
  /** The one decision behind both methods. */
  async function findOut(
    texts: readonly string[],
    options: DetectionOrigin & { target: LanguageTag | undefined },
  ): Promise<Finding[]> {
    await engine.prepare(texts);
    const words = texts.map((text) => {
      return { text, found: engine.detect(text, claimOf(options)), ranked: engine.rank(text) };
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

/** Lets the context, or else the account's usual languages, decide where a text fits several languages. */
function decideBySurroundings(
  findings: readonly Finding[],
  origin: DetectionOrigin,
  { engine, usualLanguages }: { engine: DetectionEngine; usualLanguages: UsualLanguages },
): readonly Finding[] {
  const { accountId, context } = origin;
  const around = context === undefined ? undefined : engine.detect(context);
  const surroundings = () =>
    around?.status === 'success' ? new Map([[around.language, 1]]) : usualLanguages.of(accountId);
  const decided = ({ text, found }: Finding, usual: ReadonlyMap<LanguageTag, number> | undefined) =>
    usual === undefined || !isOpen(text, found)
      ? found
      : engine.detect(text, { ...claimOf(origin), usual });
  const decideAll = (usual: ReadonlyMap<LanguageTag, number> | undefined) =>
    findings.map((each) => ({ ...each, found: decided(each, usual) }));
  const first = decideAll(surroundings());
  for (const [index, { text, found }] of first.entries()) {
    // A detection changed by the usual languages is no new evidence of them.
    const wasSure = findings[index]?.found.status === 'success';
    if (wasSure && found.status === 'success') {
      usualLanguages.note(accountId, found.language, weightOf(text));
    }
  }
  // The texts of one request are evidence for each other.
  return findings.length === 1 ? first : decideAll(surroundings());
}

function claimOf({ declared }: DetectionOrigin): { expected?: LanguageTag } {
  return declared === undefined ? {} : { expected: baseLanguage(declared) };
}

/**
 * Returns how much a text says about its account's usual languages; single words are the most
 * misleading.
 */
function weightOf(text: string): number {
  return Math.min(1, text.trim().length / TELLING_LENGTH) ** 2;
}

/** Whether context may decide; long texts do not need it. */
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
