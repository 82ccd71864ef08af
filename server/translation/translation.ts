/** Translation service over all running engines: the preferred engine first, another one when it fails. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';
import type { Logger } from '../process/log.ts';
import type { TextSegment } from '../text/text-segment.ts';
import { CircuitBreakers, type CircuitBreakerSettings, type Outage } from '../process/index.ts';
import {
  canChooseFormality,
  canFollow,
  type TranslationWishes,
  createEngineFallback,
  preferredEngines,
  type PreferenceRule,
  createEngineRoutes,
  type EngineRoute,
} from './engine-routes.ts';

export interface SegmentTranslationOptions extends LanguagePair, TranslationWishes {
  /** `latency` tries classic engines first; `quality`, the default, keeps the configured order. */
  quality?: 'latency' | 'quality' | undefined;
  /** Tries engines that follow instructions first. */
  prefersFollower?: boolean;
}

export interface SegmentTranslation {
  /** One translation for each source segment, with its marks exactly once and well nested. */
  segments: readonly TextSegment[];
  /** Name of the engine; undefined when there was nothing to translate. */
  engine: string | undefined;
  generation: 'classic' | 'next';
  /** Set when the engine received the examples. */
  tookExamples?: boolean;
}

/** A text, and what the local detector found for it. */
export interface UnsureText {
  text: string;
  isClear: boolean;
  likely: readonly LanguageTag[];
}

export interface Translation {
  /** Whether a direction is served; a language into itself always is. */
  serves(pair: LanguagePair): boolean;
  /** Languages that can be translated from. */
  sources(): LanguageTag[];
  /** Languages that can be reached from a source, or from any. */
  targets(source?: LanguageTag): LanguageTag[];
  /** Whether an engine of the direction can choose between formal and informal. */
  choosesFormality(pair: LanguagePair): boolean;
  /** Target languages in which an engine can choose the formality. */
  formalityTargets(): LanguageTag[];
  /** Whether an engine of the direction follows natural-language instructions. */
  followsInstructions(pair: LanguagePair): boolean;
  /** Whether an engine of the direction uses examples of similar translations. */
  usesExamples(pair: LanguagePair): boolean;
  /** Loads what a direction needs, so that its first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  /**
   * Detects the language of each text, in order, through the engine that would translate it first;
   * undefined where that engine does not detect. Never rejects.
   *
   * @param texts with the likely languages of each, likeliest first
   * @param target any reachable language if undefined
   */
  detect(
    texts: readonly UnsureText[],
    options: { target: LanguageTag | undefined; signal: AbortSignal },
  ): Promise<(LanguageTag | undefined)[]>;
  /** Engines with an open circuit breaker: by name, or by name and direction, such as `apertium en es`. */
  outages(): Outage[];
  /**
   * Translates segments independently, order kept, all with one engine.
   *
   * @throws ServiceError engine_unavailable for an unserved direction or when no engine can be
   *   reached; translation_failed when every engine failed; the signal's reason when aborted
   */
  translateSegments(
    segments: readonly TextSegment[],
    options: SegmentTranslationOptions,
  ): Promise<SegmentTranslation>;
}

export interface TranslationServiceOptions {
  /** In order of preference. */
  engines: readonly TranslationEngine[];
  /** Different orders for some directions, see {@link preferredEngines}. */
  preference?: readonly PreferenceRule[];
  breaker?: Partial<CircuitBreakerSettings>;
  log: Logger;
}

export function createTranslation(options: TranslationServiceOptions): Translation {
  const { engines, preference = [], log } = options;
  const routes = createEngineRoutes({
    engines,
    isOffered: ({ engine, pair }) =>
      preferredEngines(preference, pair)?.includes(engine.name) ?? true,
  });
  const breakers = new CircuitBreakers(options.breaker);
  const fallback = createEngineFallback({ breakers, log });

  function candidates(pair: LanguagePair): readonly EngineRoute[] {
    const found = routes.find(pair);
    return (
      preferredEngines(preference, pair)?.flatMap((name) =>
        found.filter(({ engine }) => engine.name === name),
      ) ?? found
    );
  }

  async function translateSegments(
    segments: readonly TextSegment[],
    asked: SegmentTranslationOptions,
  ): Promise<SegmentTranslation> {
    asked.signal.throwIfAborted();
    if (isSameLanguage(asked)) return { segments, engine: undefined, generation: 'classic' };
    const found = candidates(asked);
    const suitable = inOrder(found, asked);
    if (suitable.length === 0) throw notServed(asked, found.length > 0);
    const { translated, engine } = await fallback.translate(suitable, segments, asked);
    const { name, abilities } = engine;
    const { examples = [] } = asked;
    return {
      segments: translated,
      engine: name,
      generation: abilities.generation,
      ...(examples.length > 0 && abilities.usesExamples && { tookExamples: true }),
    };
  }

  return {
    detect: createDetectionElsewhere(candidates, (source) => routes.targets(source)),
    serves: (pair) => isSameLanguage(pair) || candidates(pair).length > 0,
    sources: () => routes.sources(),
    targets: (source) => routes.targets(source),
    choosesFormality: (pair) => candidates(pair).some(canChooseFormality),
    formalityTargets: () => [...new Set(engines.flatMap(({ abilities }) => abilities.formality))],
    followsInstructions: (pair) => candidates(pair).some(canFollow),
    usesExamples: (pair) => candidates(pair).some(canUseExamples),
    outages: () => breakers.outages(),
    prepare(pair) {
      const [preferred] = isSameLanguage(pair) ? [] : candidates(pair);
      preferred?.engine.prepare(preferred.pair);
    },
    translateSegments,
  };
}

/** Detects languages through the engines that would translate first. */
function createDetectionElsewhere(
  candidates: (pair: LanguagePair) => readonly EngineRoute[],
  targets: (source: LanguageTag) => readonly LanguageTag[],
): Translation['detect'] {
  function firstFor({ likely }: UnsureText, asked: LanguageTag | undefined) {
    for (const source of likely) {
      const target = asked ?? targets(source)[0];
      if (target === undefined || isSameLanguage({ source, target })) continue;
      const [first] = candidates({ source, target });
      if (first !== undefined) return first;
    }
    return undefined;
  }
  return async (texts, { target, signal }) => {
    const found = texts.map((): LanguageTag | undefined => undefined);
    const firsts = texts.map((text) => firstFor(text, target));
    for (const route of firsts.filter((each, i) => firstOf(firsts, each) === i)) {
      const own = texts.flatMap((_, i) => (firsts[i]?.engine === route?.engine ? i : []));
      const asked = own.flatMap((index) => texts[index] ?? []);
      const answers = await route?.engine.detect?.(asked, { target: route.pair.target, signal });
      for (const [position, index] of own.entries()) found[index] = answers?.[position];
    }
    return found;
  };
}

/** Index of the first route with the same engine. */
function firstOf(routes: readonly (EngineRoute | undefined)[], route: EngineRoute | undefined) {
  return routes.findIndex((each) => each?.engine === route?.engine);
}

/** Drops engines that cannot satisfy the request and sorts the rest by how much of it they support. */
function inOrder(
  found: readonly EngineRoute[],
  {
    quality,
    formality,
    instructions = [],
    examples = [],
    prefersFollower = false,
  }: SegmentTranslationOptions,
): EngineRoute[] {
  const able = instructions.length === 0 ? [...found] : found.filter(canFollow);
  const rank = (route: EngineRoute) =>
    (prefersFollower && !canFollow(route) ? 4 : 0) +
    (examples.length > 0 && !canUseExamples(route) ? 4 : 0) +
    (formality !== undefined && !canChooseFormality(route) ? 2 : 0) +
    (quality === 'latency' && route.engine.abilities.generation !== 'classic' ? 1 : 0);
  // Sorting is stable: the configured order holds among equals.
  return able.sort((one, other) => rank(one) - rank(other));
}

function canUseExamples({ engine }: EngineRoute): boolean {
  return engine.abilities.usesExamples;
}

function notServed({ source, target }: LanguagePair, isServedWithout: boolean): ServiceError {
  return new ServiceError(
    'engine_unavailable',
    isServedWithout
      ? `No running engine follows instructions from ${source} to ${target}. Connect an engine that does, such as CHAT_URL or DEEPL_URL, or leave them out.`
      : `No running engine translates ${source} to ${target}. Connect one, or install a language pair, and name it in TRANSLATION_ENGINES if that is set.`,
  );
}

/** Whether a direction needs no translation. */
export function isSameLanguage({ source, target }: LanguagePair): boolean {
  return baseLanguage(source) === baseLanguage(target);
}
