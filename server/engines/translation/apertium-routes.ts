/** From the modes that are installed to the pairs that can be translated. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LanguagePair } from '../engine.ts';
import type { Mode, Pivot } from './apertium-modes.ts';

/** The one or two steps that lead from a source language to a target language. */
export interface Route extends LanguagePair {
  steps: readonly Mode[];
}

/** Routes by pair, found with {@link findRoute}. */
export type Routes = ReadonlyMap<string, Route>;

/** Every pair that the installed modes serve: directly where a mode exists, else over a pivot. */
export function planRoutes({
  installed,
  pivots,
}: {
  installed: readonly Mode[];
  pivots: readonly Pivot[];
}): Routes {
  const direct = new Map(installed.map((mode) => [key(mode), mode]));
  const routes = new Map<string, Route>();
  const offer = (pair: LanguagePair, steps: readonly (Mode | undefined)[]) => {
    if (routes.has(key(pair)) || !steps.every((step) => step !== undefined)) return;
    routes.set(key(pair), { ...pair, steps });
  };
  for (const mode of installed) offer({ source: mode.source, target: mode.target }, [mode]);
  for (const { through, among } of pivots) {
    for (const source of among) {
      for (const target of among) {
        // Between variants of one language (pt and pt-BR) there is nothing to translate.
        if (baseLanguage(source) === baseLanguage(target)) continue;
        const first = direct.get(key({ source, target: through }));
        const second = direct.get(key({ source: through, target }));
        offer({ source, target }, [first, second]);
      }
    }
  }
  return routes;
}

/**
 * The route of a pair. A variant without a route of its own takes that of its base language:
 * `en-GB` is served by `en`.
 */
export function findRoute(routes: Routes, { source, target }: LanguagePair): Route | undefined {
  for (const to of withBase(target)) {
    for (const from of withBase(source)) {
      const route = routes.get(key({ source: from, target: to }));
      if (route !== undefined) return route;
    }
  }
  return undefined;
}

function withBase(tag: LanguageTag): LanguageTag[] {
  const base = baseLanguage(tag);
  return base === tag ? [tag] : [tag, base];
}

function key({ source, target }: LanguagePair): string {
  return `${source} ${target}`;
}
