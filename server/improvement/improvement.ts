/**
 * Improves texts with the running engines: in order of preference, with fallback on failure, and never with a
 * result that cannot be an improvement.
 */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type {
  DetectionEngine,
  ImprovementEngine,
  ImprovementOptions,
  WritingForm,
} from '../engines/engine.ts';
import type { Logger } from '../process/log.ts';
import { inRegister, ruledForms } from '../text/wording/register.ts';
import { isSoundImprovement } from '../text/wording/soundness.ts';
import { CircuitBreakers, type CircuitBreakerSettings, type Outage } from '../process/index.ts';

export interface Improvement {
  /** Whether texts in a language or variant can be improved. */
  serves(language: LanguageTag): boolean;
  /** Returns the styles and tones available in a language. */
  forms(language: LanguageTag): ReadonlySet<WritingForm>;
  /** Returns the engines that are not called at the moment. */
  outages(): Outage[];
  /**
   * Improves texts of one language independently, in order. A text that no engine improves is returned as it
   * is.
   *
   * @throws ServiceError engine_unavailable if no engine can be reached; translation_failed if none
   *   succeeded; the signal's reason when aborted
   */
  improve(texts: readonly string[], options: ImprovementOptions): Promise<string[]>;
}

export interface ImprovementServiceOptions {
  /** In order of preference. */
  engines: readonly ImprovementEngine[];
  detector: Pick<DetectionEngine, 'detect'>;
  breaker?: Partial<CircuitBreakerSettings>;
  log: Logger;
}

export function createImprovement(options: ImprovementServiceOptions): Improvement {
  const { engines, detector, log } = options;
  const breakers = new CircuitBreakers(options.breaker);
  const serving = (language: LanguageTag) =>
    engines.filter(({ languages }) => knows(languages, language));

  return {
    serves: (language) => serving(language).length > 0,
    forms: (language) => new Set(serving(language).flatMap((engine) => engine.forms(language))),
    outages: () => breakers.outages(),
    async improve(texts, wishes) {
      const results = [...texts];
      let open = texts.map((_, index) => index);
      let failure: ServiceError | undefined;
      let hasAnswer = false;
      for (const engine of serving(wishes.language)) {
        // An engine without the wished style or tone is asked only after one that has it has answered.
        const isEnough = givesForm(engine, wishes) || hasAnswer;
        if (open.length === 0 || !isEnough) continue;
        const asked = open.map((index) => texts[index] ?? '');
        const answer = await ask(engine, asked, wishes, { breakers, log });
        failure ??= answer instanceof ServiceError ? answer : undefined;
        if (answer === undefined || answer instanceof ServiceError) continue;
        hasAnswer = true;
        const refused = open.filter((index, position) => {
          const improved = answer[position] ?? '';
          const isGood = isImprovement(texts[index] ?? '', improved, wishes, detector);
          if (isGood) results[index] = improved;
          return !isGood;
        });
        if (refused.length > 0) {
          log.info({ engine: engine.name, texts: refused.length }, 'improvements refused');
        }
        open = refused;
      }
      if (!hasAnswer) throw failure ?? outOfOrder(wishes.language);
      return results;
    },
  };
}

/** Asks an engine; returns its results, or why it failed; undefined while its circuit breaker is open. */
async function ask(
  engine: ImprovementEngine,
  texts: readonly string[],
  options: ImprovementOptions,
  { breakers, log }: { breakers: CircuitBreakers; log: Logger },
): Promise<string[] | ServiceError | undefined> {
  const pass = breakers.enter(engine.name);
  if (pass === undefined) return undefined;
  try {
    const improved = await engine.improve(texts, optionsFor(engine, options));
    if (improved.length !== texts.length) throw lost(engine);
    pass.succeed();
    return improved;
  } catch (error) {
    if (options.signal.aborted) {
      pass.abandon();
      throw error;
    }
    const failure = asServiceError(error);
    pass.fail(failure.code === 'engine_unavailable' ? 'outage' : 'refusal');
    log.warn({ engine: engine.name, code: failure.code }, 'improvement failed');
    return failure;
  }
}

function isImprovement(
  original: string,
  improved: string,
  options: ImprovementOptions,
  detector: Pick<DetectionEngine, 'detect'>,
): boolean {
  if (improved === original) return true;
  const isSound =
    isSoundImprovement(original, improved, options) ||
    isSoundImprovement(asRuled(original, options), improved, options);
  const expected = baseLanguage(options.language);
  return isSound && staysInLanguage(original, improved, { expected, detector });
}

/**
 * Applies the rules for a form to a text. Its meaning stays the same, even if a name or a negation
 * disappears: `Dear Sir or Madam` becomes `Hello`, `please do not hesitate to ask` becomes `feel free to
 * ask`.
 */
function asRuled(text: string, { language, writingStyle, tone }: ImprovementOptions): string {
  const form = ruledForms.find((each) => each === (writingStyle ?? tone));
  return form === undefined || baseLanguage(language) !== 'en' ? text : inRegister(text, form);
}

/** An engine serves a variant if it knows the variant or its base language. */
function knows(languages: readonly LanguageTag[], language: LanguageTag): boolean {
  return languages.includes(language) || languages.includes(baseLanguage(language));
}

function optionsFor(engine: ImprovementEngine, options: ImprovementOptions): ImprovementOptions {
  if (givesForm(engine, options)) return options;
  const { language, task, signal, account } = options;
  return { language, task, signal, account };
}

/** Whether an engine supports the wished style or tone, if any. */
function givesForm(
  engine: ImprovementEngine,
  { language, writingStyle, tone }: ImprovementOptions,
): boolean {
  const form = writingStyle ?? tone;
  return form === undefined || engine.forms(language).includes(form);
}

/** If both languages are detected with certainty, they must be the same. */
function staysInLanguage(
  original: string,
  improved: string,
  { expected, detector }: { expected: LanguageTag; detector: Pick<DetectionEngine, 'detect'> },
): boolean {
  const before = detector.detect(original, { expected });
  const after = detector.detect(improved, { expected });
  if (before.status !== 'success' || after.status !== 'success') return true;
  return before.language === after.language;
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = 'The writing engine failed. Please try again.';
  return new ServiceError('translation_failed', message, { cause: error });
}

function lost({ name }: ImprovementEngine): ServiceError {
  return new ServiceError(
    'translation_failed',
    `The writing engine ${name} lost a text. Please try again.`,
  );
}

function outOfOrder(language: LanguageTag): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    `The writing engines for ${language} are out of order at the moment. Please try again in a few seconds.`,
  );
}
