/** Translates with whatever engines are running: the preferred one first, another when it fails. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';
import type { Logger } from '../process/log.ts';
import { plainText, type TextSegment } from '../text/text-segment.ts';
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
  /** `latency` asks classic engines first; `quality`, the default, keeps to the configured order. */
  quality?: 'latency' | 'quality' | undefined;
  /** Engines that follow instructions are asked first. */
  prefersFollower?: boolean;
}

export interface SegmentTranslation {
  /** One for each that was asked for, with its marks exactly once and well nested. */
  segments: readonly TextSegment[];
  /** Name of the engine; undefined where there was nothing to translate. */
  engine: string | undefined;
  generation: 'classic' | 'next';
  /** Set where there were examples and the engine was given them. */
  tookExamples?: boolean;
}

/** A text of which our own detector has said what it can. */
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
  /** Languages that can be reached from one; without one, all that can be reached. */
  targets(source?: LanguageTag): LanguageTag[];
  /** Whether an engine of the direction can choose between formal and informal. */
  choosesFormality(pair: LanguagePair): boolean;
  /** Target languages whose formality some engine can choose. */
  formalityTargets(): LanguageTag[];
  /** Whether an engine of the direction follows wishes in plain words. */
  followsInstructions(pair: LanguagePair): boolean;
  /** Whether an engine of the direction makes use of earlier translations that are alike. */
  usesExamples(pair: LanguagePair): boolean;
  /** Starts what a direction needs, so that its first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  /**
   * Detects the languages of texts, order kept, by the engine that would translate them first, where that
   * one detects; undefined where it does not. Never rejects.
   *
   * @param texts with the languages each may be in, the likeliest first
   * @param target without one, any that is reached
   */
  detect(
    texts: readonly UnsureText[],
    options: { target: LanguageTag | undefined; signal: AbortSignal },
  ): Promise<(LanguageTag | undefined)[]>;
  /** Engines that are not asked at the moment: by name, or by name and direction, `apertium en es`. */
  outages(): Outage[];
  /**
   * Translates texts, each on its own, order kept.
   *
   * @throws ServiceError as {@link translateSegments}
   */
  translate(
    texts: readonly string[],
    options: LanguagePair & { signal: AbortSignal; quality?: 'latency' | 'quality' },
  ): Promise<string[]>;
  /**
   * Translates segments, each on its own, order kept, all with one engine.
   *
   * @throws ServiceError engine_unavailable for a direction nobody serves or when nobody can be
   *   reached; translation_failed when no engine could do it; the signal's reason when aborted
   */
  translateSegments(
    segments: readonly TextSegment[],
    options: SegmentTranslationOptions,
  ): Promise<SegmentTranslation>;
}

export interface TranslationServiceOptions {
  /** The preferred ones first. */
  engines: readonly TranslationEngine[];
  /** Other orders for some directions, see {@link preferredEngines}. */
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

  function candidates(pair: LanguagePair): EngineRoute[] {
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
    async translate(texts, asked) {
      const { segments } = await translateSegments(
        texts.map((text) => [text]),
        asked,
      );
      return segments.map(plainText);
    },
    translateSegments,
  };
}

/** Detection by the engines that would be the first to translate. */
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

/** Where the engine of a route comes first. */
function firstOf(routes: readonly (EngineRoute | undefined)[], route: EngineRoute | undefined) {
  return routes.findIndex((each) => each?.engine === route?.engine);
}

/** Leaves out what cannot do what is asked, and puts first what can do more of it. */
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

function isSameLanguage({ source, target }: LanguagePair): boolean {
  return baseLanguage(source) === baseLanguage(target);
}
