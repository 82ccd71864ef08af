/** Asks one engine after the other until one has an answer; those out of order are passed over. */
import { ServiceError } from '../../shared/errors.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';
import type { Logger } from '../process/log.ts';
import type { TextSegment } from '../text/text-segment.ts';
import type { CircuitBreakers, Pass } from '../process/circuit-breaker.ts';
import { translateWith, type TranslationWishes } from './engine-call.ts';
import type { EngineRoute } from './engine-routes.ts';

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
