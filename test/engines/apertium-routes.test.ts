import { describe, expect, test } from 'vitest';
import {
  findRoute,
  modes,
  pivots,
  planRoutes,
} from '../../server/engines/translation/apertium-modes.ts';

/** Returns the names of the modes from one language to another with these packages installed. */
function route(source: string, target: string, packages?: string[]): string[] | undefined {
  const installed = modes.filter((mode) => packages?.includes(mode.debianPackage) ?? true);
  const routes = planRoutes({ installed, pivots });
  return findRoute(routes, { source, target })?.steps.map((step) => step.name);
}

describe('Apertium routes', () => {
  test('are direct where a mode exists', () => {
    expect(route('en', 'ca')).toEqual(['eng-cat']);
    expect(route('ca', 'es')).toEqual(['cat-spa']);
    expect(route('sv', 'nb')).toEqual(['swe-nob']);
  });

  test('otherwise go through Spanish, with the requested variant', () => {
    expect(route('en', 'fr')).toEqual(['eng-spa', 'es-fr']);
    expect(route('en', 'pt-BR')).toEqual(['eng-spa', 'es-pt_BR']);
    expect(route('ro', 'en-US')).toEqual(['ro-es', 'spa-eng_US']);
  });

  test('depend on the installed packages', () => {
    const installed = ['apertium-eng-spa', 'apertium-eng-cat'];
    expect(route('ca', 'es', installed)).toEqual(['cat-eng', 'eng-spa']);
    expect(route('en', 'fr', installed)).toBeUndefined();
    expect(route('ro', 'es', installed)).toBeUndefined();
  });

  test('fall back from a variant to its base language', () => {
    expect(route('en-GB', 'es-MX')).toEqual(['eng-spa']);
    expect(route('pt-PT', 'en-GB')).toEqual(['pt-es', 'spa-eng']);
  });

  test('never go from a language to itself', () => {
    const routes = [...planRoutes({ installed: modes, pivots }).values()];
    expect(routes.length).toBeGreaterThan(60);
    for (const { source, target, steps } of routes) {
      expect(source.split('-')[0]).not.toBe(target.split('-')[0]);
      expect(steps[0]!.source).toBe(source);
      expect(steps.at(-1)!.target).toBe(target);
      if (steps.length === 2) expect(steps[0]!.target).toBe(steps[1]!.source);
    }
  });
});
