/** Asks one engine after the other until one has an answer; those out of order are passed over. */
import { ServiceError } from '../../shared/errors.ts';
import type {
  LanguagePair,
  TranslationEngine,
  Term,
  TranslationExample,
  TranslationOptions,
} from '../engines/engine.ts';
import type { Logger } from '../process/log.ts';
import { type TextSegment, isPlain, plainText } from '../text/text-segment.ts';
import type { CircuitBreakers, Pass } from '../process/index.ts';
import type { EngineRoute } from './engine-routes.ts';
import { bindTerms, settleTerms } from '../glossaries/terms/bound-terms.ts';
import type { TermIndex } from '../glossaries/terms/term-index.ts';
import { repairMarks } from '../text/repair.ts';

export interface EngineFallback {
  /**
   * Translates with the first of the routes that can.
   *
   * @throws ServiceError engine_unavailable when nobody can be reached; what the first engine threw
   *   when all have failed; what is the caller's own fault; the signal's reason when aborted
   */
  translate(
    routes: readonly EngineRoute[],
    segments: readonly TextSegment[],
    wishes: LanguagePair & TranslationWishes,
  ): Promise<{ translated: TextSegment[]; engine: TranslationEngine }>;
}

export function createEngineFallback({
  breakers,
  log,
}: {
  breakers: CircuitBreakers;
  log: Logger;
}): EngineFallback {
  /** Leave to try each route when it is its turn; those that have refused texts come last. */
  function* attempts(
    routes: readonly EngineRoute[],
  ): Generator<{ route: EngineRoute; pass: Pass }> {
    const doubtful: EngineRoute[] = [];
    for (const route of routes) {
      const pass = breakers.enter(breakerName(route));
      if (pass !== undefined) yield { route, pass };
      else if (breakers.isDoubtful(breakerName(route))) doubtful.push(route);
    }
    for (const route of doubtful) {
      yield { route, pass: breakers.enterDoubtful(breakerName(route)) };
    }
  }

  function logFailure({ engine, pair }: EngineRoute, error: unknown): void {
    const fields = { engine: engine.name, ...pair };
    if (error instanceof ServiceError)
      log.warn({ ...fields, code: error.code }, 'translator failed');
    else log.error({ ...fields, err: error }, 'translator failed unexpectedly');
  }

  return {
    async translate(routes, segments, wishes) {
      let failure: ServiceError | undefined;
      for (const { route, pass } of attempts(routes)) {
        try {
          const translated = await translateWith(route, segments, wishes);
          pass.succeed();
          return { translated, engine: route.engine };
        } catch (error) {
          if (wishes.signal.aborted || isCallersFault(error)) {
            pass.abandon();
            throw error;
          }
          pass.fail(isOutage(error) ? 'outage' : 'refusal');
          logFailure(route, error);
          failure ??= asServiceError(error);
        }
      }
      throw failure ?? outOfOrder(wishes);
    },
  };
}

function breakerName({ engine, pair }: EngineRoute): string {
  return engine.outage === 'engine' ? engine.name : `${engine.name} ${pair.source} ${pair.target}`;
}

function isOutage(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'engine_unavailable';
}

/** Another engine would say the same. */
function isCallersFault(error: unknown): boolean {
  return error instanceof ServiceError && error.status < 500;
}

function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const message = 'The translator failed. Please try again.';
  return new ServiceError('translation_failed', message, { cause: error });
}

function outOfOrder({ source, target }: LanguagePair): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    `The translators for ${source} to ${target} are out of order at the moment. ` +
      'Please try again in a few seconds.',
  );
}

// One engine's translation of segments: each gets what it understands, and its marks are mended.

/** What callers may wish for; engines do of it what they can. */
export interface TranslationWishes {
  signal: AbortSignal;
  /** Whose texts these are. */
  account?: string | undefined;
  /** Text around the segments. */
  context?: string | undefined;
  formality?: 'more' | 'less' | undefined;
  glossary?: TermIndex | undefined;
  /** Wishes in plain words; with them only engines that follow them are asked. */
  instructions?: readonly string[];
  /** Rules of style in plain words; engines that follow instructions get them. */
  styleRules?: readonly string[];
  /** Earlier translations that are alike; engines that use them are asked first, others go without. */
  examples?: readonly TranslationExample[];
  /** `whole` takes a segment as one sentence. */
  sentences?: 'split' | 'whole';
}

/**
 * Translates segments with one engine. Every segment of the answer has the marks of its source.
 *
 * @throws ServiceError translation_failed, also for an answer with too few segments; what the engine
 *   throws; the signal's reason
 */
export async function translateWith(
  route: EngineRoute,
  segments: readonly TextSegment[],
  wishes: TranslationWishes,
): Promise<TextSegment[]> {
  const { glossary } = wishes;
  if (glossary === undefined) {
    return translateMarked(route, segments, optionsFor(route, wishes, []));
  }
  if (!route.engine.abilities.usesTerms) return translateBound(route, segments, wishes, glossary);
  const matches = segments.map((segment) => glossary.find(plainText(segment)));
  const terms = distinct(matches.flat());
  const translated = await translateMarked(route, segments, optionsFor(route, wishes, terms));
  const isMissed = translated.map((segment, index) => missesTerm(segment, matches[index] ?? []));
  if (!isMissed.includes(true)) return translated;
  // A model may overlook a term: such segments get theirs in the way that cannot fail.
  const missed = segments.filter((_, index) => isMissed[index]);
  const again = (await translateBound(route, missed, wishes, glossary)).values();
  return translated.map((segment, index) =>
    isMissed[index] === true ? (again.next().value ?? segment) : segment,
  );
}

/** Translates with the terms bound as marks, and puts their targets in afterwards. */
async function translateBound(
  route: EngineRoute,
  segments: readonly TextSegment[],
  wishes: TranslationWishes,
  glossary: TermIndex,
): Promise<TextSegment[]> {
  const bound = segments.map((segment) => bindTerms(segment, glossary));
  const translated = await translateMarked(
    route,
    bound.map(({ segment }) => segment),
    optionsFor(route, wishes, []),
  );
  return translated.map((segment, index) => {
    const terms = bound[index]?.terms;
    return terms === undefined || terms.size === 0 ? segment : settleTerms(segment, terms);
  });
}

/** Whether a translation lacks the beginning of a target; its end may be inflected. */
function missesTerm(translated: TextSegment, terms: readonly Term[]): boolean {
  if (terms.length === 0) return false;
  const text = plainText(translated).toLowerCase();
  return terms.some(({ target }) => {
    const stemLength = Math.ceil(target.length * 0.7);
    return !text.includes(target.toLowerCase().slice(0, stemLength));
  });
}

async function translateMarked(
  { engine }: EngineRoute,
  segments: readonly TextSegment[],
  options: TranslationOptions,
): Promise<TextSegment[]> {
  const translated = await engine.translate(segments, options);
  if (translated.length !== segments.length) {
    throw new ServiceError(
      'translation_failed',
      `The translator ${engine.name} lost a text. Please try again.`,
    );
  }
  return translated.map((segment, index) => {
    const source = segments[index] ?? [];
    return isPlain(source) && isPlain(segment) ? segment : repairMarks(source, segment);
  });
}

function optionsFor(
  { engine, pair }: EngineRoute,
  {
    signal,
    account,
    context,
    formality,
    instructions = [],
    styleRules = [],
    examples = [],
    sentences,
  }: TranslationWishes,
  terms: readonly Term[],
): TranslationOptions {
  const { abilities } = engine;
  const choosesFormality = formality !== undefined && canChooseFormality({ engine, pair });
  const follows = canFollow({ engine, pair });
  return {
    ...pair,
    signal,
    account,
    ...(context !== undefined && context !== '' && abilities.usesContext && { context }),
    ...(choosesFormality && { formality }),
    ...(terms.length > 0 && { terms }),
    ...(instructions.length > 0 && follows && { instructions }),
    ...(styleRules.length > 0 && follows && { styleRules }),
    ...(examples.length > 0 && abilities.usesExamples && { examples }),
    ...(sentences !== undefined && { sentences }),
  };
}

/** Whether an engine can choose the formality in the language it writes. */
export function canChooseFormality({ engine, pair }: EngineRoute): boolean {
  return engine.abilities.formality.includes(pair.target);
}

/** Whether an engine follows wishes in plain words in the language it writes. */
export function canFollow({ engine, pair }: EngineRoute): boolean {
  const { followsInstructions: follows } = engine.abilities;
  return typeof follows === 'boolean' ? follows : follows.includes(pair.target);
}

/** Each entry once. */
function distinct(matches: readonly Term[]): Term[] {
  const terms = new Map<string, Term>();
  for (const { source, target } of matches) terms.set(`${source}\0${target}`, { source, target });
  return [...terms.values()];
}
