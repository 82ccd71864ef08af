/**
 * Which Apertium mode translates which pair, and through which language a pair without a mode of
 * its own may go. Mode names are no rule to follow (`eng-spa` but `es-fr`), hence a table. What is
 * offered is what is installed: a line whose mode file is absent does not count.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LanguagePair } from '../engine.ts';
import { englishToSpanish } from './english/spanish-grammars.ts';
import type { GrammarTexts } from './grammars.ts';
import { spanishToEnglish } from './spanish/english-grammars.ts';

/** One translation step and the Debian package that brings it. */
export interface Mode {
  source: LanguageTag;
  target: LanguageTag;
  /** Name of the file in the modes folder, without `.mode`. */
  name: string;
  debianPackage: string;
  /** Its statistical tagger crashes on ordinary text: the constraint grammar before it decides alone. */
  taggerCrashes?: boolean;
  /** Its source has no articles of their own: the word-bound blank of a noun ends up on `the`. */
  marksArticles?: boolean;
  /** Its rules glue words around a comma that has no blank before it: `a tall, thin man`. */
  gluesAtCommas?: boolean;
  /** It knows better with grammars of our own. */
  grammars?: () => GrammarTexts;
}

/** Languages that may be joined by two steps, source to `through` to target. */
interface Pivot {
  through: LanguageTag;
  among: readonly LanguageTag[];
}

type Quirks = Pick<Mode, 'taggerCrashes' | 'marksArticles' | 'gluesAtCommas' | 'grammars'>;

function pair(debianPackage: string, ...modes: [LanguageTag, LanguageTag, string, Quirks?][]) {
  return modes.map(([source, target, name, quirks]): Mode => ({
    source,
    target,
    name,
    debianPackage,
    ...quirks,
  }));
}

const taggerCrashes = { taggerCrashes: true };
const marksArticles = { marksArticles: true };

/**
 * Modes that run and say something. Those from Croatian, Bosnian and Basque, and between Icelandic and
 * Swedish, are rough: nobody has them who did not install them on purpose. Left out: eng-hbs_* and
 * mkd-hbs_* (most words stay untranslated), hbs-mkd (hangs), nob-dan (writes unknown words twice),
 * hbs-slv and slv-hbs_* (endings do not agree), ita-cat (worse than over Spanish), ca-eo and es-eo
 * (packaged without their data).
 */
export const modes: readonly Mode[] = [
  ...pair(
    'apertium-eng-spa',
    ['en', 'es', 'eng-spa', { gluesAtCommas: true, grammars: englishToSpanish }],
    ['es', 'en', 'spa-eng', { grammars: spanishToEnglish }],
    ['es', 'en-US', 'spa-eng_US', { grammars: spanishToEnglish }],
  ),
  ...pair(
    'apertium-eng-cat',
    ['en', 'ca', 'eng-cat'],
    ['ca', 'en', 'cat-eng'],
    ['ca', 'en-US', 'cat-eng_US'],
  ),
  ...pair('apertium-fr-es', ['es', 'fr', 'es-fr'], ['fr', 'es', 'fr-es']),
  ...pair(
    'apertium-es-pt',
    ['es', 'pt', 'es-pt'],
    ['es', 'pt-BR', 'es-pt_BR'],
    ['pt', 'es', 'pt-es'],
  ),
  ...pair('apertium-spa-ita', ['es', 'it', 'spa-ita'], ['it', 'es', 'ita-spa']),
  ...pair('apertium-spa-cat', ['es', 'ca', 'spa-cat'], ['ca', 'es', 'cat-spa']),
  ...pair('apertium-fra-cat', ['fr', 'ca', 'fra-cat'], ['ca', 'fr', 'cat-fra']),
  ...pair('apertium-cat-ita', ['ca', 'it', 'cat-ita']),
  ...pair(
    'apertium-por-cat',
    ['pt', 'ca', 'por-cat'],
    ['ca', 'pt', 'cat-por'],
    ['ca', 'pt-BR', 'cat-por_BR'],
  ),
  ...pair('apertium-pt-gl', ['pt', 'gl', 'pt-gl'], ['gl', 'pt', 'gl-pt']),
  ...pair('apertium-es-ro', ['ro', 'es', 'ro-es']),
  ...pair('apertium-es-gl', ['es', 'gl', 'es-gl'], ['gl', 'es', 'gl-es']),
  ...pair('apertium-en-gl', ['en', 'gl', 'en-gl'], ['gl', 'en', 'gl-en']),
  ...pair('apertium-eo-en', ['en', 'eo', 'en-eo'], ['eo', 'en', 'eo-en']),
  ...pair('apertium-swe-dan', ['sv', 'da', 'swe-dan'], ['da', 'sv', 'dan-swe']),
  ...pair('apertium-swe-nor', ['sv', 'nb', 'swe-nob'], ['nb', 'sv', 'nob-swe']),
  ...pair('apertium-dan-nor', ['da', 'nb', 'dan-nob']),
  ...pair(
    'apertium-rus-ukr',
    ['ru', 'uk', 'rus-ukr', taggerCrashes],
    ['uk', 'ru', 'ukr-rus', taggerCrashes],
  ),
  ...pair('apertium-bel-rus', ['be', 'ru', 'bel-rus'], ['ru', 'be', 'rus-bel', taggerCrashes]),
  ...pair('apertium-mkd-bul', ['mk', 'bg', 'mkd-bul'], ['bg', 'mk', 'bul-mkd']),
  ...pair('apertium-isl-eng', ['is', 'en', 'isl-eng']),
  ...pair('apertium-oci-fra', ['oc', 'fr', 'oci-fra'], ['fr', 'oc', 'fra-oci']),
  ...pair('apertium-mkd-eng', ['mk', 'en', 'mkd-eng', marksArticles]),
  // In Latin letters alone.
  ...pair('apertium-hbs-eng', ['hr', 'en', 'hbs-eng'], ['bs', 'en', 'hbs-eng']),
  ...pair('apertium-eu-en', ['eu', 'en', 'eu-en']),
  ...pair('apertium-afr-nld', ['af', 'nl', 'afr-nld'], ['nl', 'af', 'nld-afr']),
  ...pair('apertium-isl-swe', ['is', 'sv', 'isl-swe'], ['sv', 'is', 'swe-isl']),
  ...pair('apertium-ind-zlm', ['id', 'ms', 'ind-zlm'], ['ms', 'id', 'zlm-ind']),
  ...pair('apertium-urd-hin', ['ur', 'hi', 'urd-hin'], ['hi', 'ur', 'hin-urd']),
];

/**
 * Tried in order when a pair has no mode of its own. Spanish comes first: Apertium is at its best
 * between Romance languages, and English to Spanish is its best step out of English.
 */
export const pivots: readonly Pivot[] = [
  { through: 'es', among: ['en', 'en-US', 'ca', 'fr', 'pt', 'pt-BR', 'it', 'ro', 'gl'] },
  // Rough, but captions between Spanish and Catalan exist even where apertium-spa-cat does not.
  { through: 'en', among: ['es', 'ca'] },
  { through: 'da', among: ['sv', 'nb'] },
  { through: 'sv', among: ['da', 'nb'] },
];

/** What to install for the languages this engine is best at. */
export const recommendedPackages = [
  'apertium',
  'apertium-eng-spa',
  'apertium-eng-cat',
  'apertium-spa-cat',
  'apertium-fr-es',
  'apertium-es-pt',
  'apertium-spa-ita',
] as const;

// From the modes that are installed to the pairs that can be translated.

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
