/** Which engines serve which direction. Found by index: engines may have thousands of pairs. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';

/** An engine, and a direction in its own spelling. */
export interface EngineRoute {
  engine: TranslationEngine;
  pair: LanguagePair;
}

export interface EngineRoutes {
  /** Engines that serve a direction, in the order of the list. */
  find(pair: LanguagePair): EngineRoute[];
  /** Languages of the offered directions that lead from somewhere, in order of the alphabet. */
  sources(): LanguageTag[];
  /** Languages that the offered directions lead to, from one or from any. */
  targets(source?: LanguageTag): LanguageTag[];
}

interface Index {
  /** `pairs` of the engines when this was made. */
  pairs: readonly (readonly LanguagePair[])[];
  /** By engine, `source target`. */
  served: readonly ReadonlySet<string>[];
  targets: ReadonlyMap<LanguageTag, ReadonlySet<LanguageTag>>;
}

/** @param isOffered whether a direction of an engine is to be listed; it is found all the same */
export function createEngineRoutes({
  engines,
  isOffered,
}: {
  engines: readonly TranslationEngine[];
  isOffered: (route: EngineRoute) => boolean;
}): EngineRoutes {
  let index = createIndex(engines, isOffered);
  /** Engines elsewhere may gain and lose languages while they run. */
  const current = () => {
    if (engines.some((engine, i) => engine.pairs !== index.pairs[i]))
      index = createIndex(engines, isOffered);
    return index;
  };
  return {
    find(pair) {
      const { served } = current();
      const spelled = [...spellings(pair)];
      return engines.flatMap((engine, i) => {
        const own = spelled.find(({ source, target }) => served[i]?.has(`${source} ${target}`));
        return own === undefined ? [] : [{ engine, pair: own }];
      });
    },
    sources: () => [...current().targets.keys()].sort(),
    targets(source) {
      const { targets } = current();
      const wanted = source === undefined ? [...targets.keys()] : withBase(source);
      return [...new Set(wanted.flatMap((tag) => [...(targets.get(tag) ?? [])]))];
    },
  };
}

function createIndex(
  engines: readonly TranslationEngine[],
  isOffered: (route: EngineRoute) => boolean,
): Index {
  const pairs = engines.map((engine) => engine.pairs);
  const targets = new Map<LanguageTag, Set<LanguageTag>>();
  for (const [i, engine] of engines.entries()) {
    for (const pair of pairs[i] ?? []) {
      if (!isOffered({ engine, pair })) continue;
      const reached = targets.get(pair.source);
      if (reached === undefined) targets.set(pair.source, new Set([pair.target]));
      else reached.add(pair.target);
    }
  }
  const served = pairs.map(
    (own) => new Set(own.map(({ source, target }) => `${source} ${target}`)),
  );
  return { pairs, served, targets };
}

/** A pair as asked for, then with plain base languages: an engine for `pt` serves `pt-PT`. */
function* spellings({ source, target }: LanguagePair): Generator<LanguagePair> {
  for (const to of withBase(target))
    for (const from of withBase(source)) yield { source: from, target: to };
}

/** Traditional Chinese is another script: an engine for `zh` writes the simplified one. */
function withBase(tag: LanguageTag): LanguageTag[] {
  const base = baseLanguage(tag);
  return tag === 'zh-Hant' || tag === base ? [tag] : [tag, base];
}
