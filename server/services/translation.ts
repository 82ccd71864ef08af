/** Translates with whatever engines are running. */
import { ServiceError } from '../../shared/errors.ts';
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';

export interface Translation {
  /** Whether a direction is served; a language into itself always is. */
  serves(pair: LanguagePair): boolean;
  /** Languages that can be translated from. */
  sources(): LanguageTag[];
  /** Languages that can be reached from one; without one, all that can be reached. */
  targets(source?: LanguageTag): LanguageTag[];
  /** Starts what a direction needs, so that its first sentence does not wait. */
  prepare(pair: LanguagePair): void;
  /**
   * Translates texts, each on its own, order kept.
   *
   * @throws ServiceError engine_unavailable for a direction nobody serves; translation_failed
   */
  translate(
    texts: readonly string[],
    options: LanguagePair & { signal: AbortSignal },
  ): Promise<string[]>;
}

export function createTranslation(engines: readonly TranslationEngine[]): Translation {
  const pairs = engines.flatMap((engine) => engine.pairs);

  function route(pair: LanguagePair) {
    for (const wanted of spellings(pair)) {
      const engine = engines.find((each) => each.pairs.some((served) => samePair(served, wanted)));
      if (engine !== undefined) return { engine, pair: wanted };
    }
    return undefined;
  }

  return {
    serves: (pair) => isSameLanguage(pair) || route(pair) !== undefined,
    sources: () => unique(pairs.map(({ source }) => source)).sort(),
    targets: (source) =>
      unique(
        pairs
          .filter((pair) => source === undefined || pair.source === baseLanguage(source))
          .map(({ target }) => target),
      ),
    prepare(pair) {
      const found = isSameLanguage(pair) ? undefined : route(pair);
      found?.engine.prepare(found.pair);
    },
    async translate(texts, { signal, ...pair }) {
      // Between variants of one language a text stays as it is.
      if (isSameLanguage(pair)) return [...texts];
      const found = route(pair);
      if (found === undefined) {
        throw new ServiceError(
          'engine_unavailable',
          `No running engine translates ${pair.source} to ${pair.target}.`,
        );
      }
      return found.engine.translate(texts, { ...found.pair, signal });
    },
  };
}

function isSameLanguage({ source, target }: LanguagePair): boolean {
  return baseLanguage(source) === baseLanguage(target);
}

/** A pair as asked for, then with plain base languages: an engine for `pt` serves `pt-PT`. */
function* spellings({ source, target }: LanguagePair): Generator<LanguagePair> {
  for (const to of withBase(target))
    for (const from of withBase(source)) yield { source: from, target: to };
}

/** Traditional Chinese is another script: an engine for `zh` writes the simplified one. */
function withBase(tag: LanguageTag): LanguageTag[] {
  return tag === 'zh-Hant' ? [tag] : unique([tag, baseLanguage(tag)]);
}

function samePair(a: LanguagePair, b: LanguagePair): boolean {
  return a.source === b.source && a.target === b.target;
}

function unique<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}
