/**
 * The table of Apertium modes: which mode translates which pair, and through which language a pair without
 * its own mode may go. Mode names follow no rule (`eng-spa` but `es-fr`), hence the table. Only installed
 * modes are offered: an entry without a mode file does not count.
 */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';
import type { LanguagePair } from '../engine.ts';
import { englishToSpanish } from './english/spanish-grammars.ts';
import type { GrammarTexts } from './grammars.ts';
import { spanishToEnglish } from './spanish/english-grammars.ts';
import { englishTowardsFrench, spanishToFrench } from './spanish/french-grammars.ts';
import { spanishToItalian } from './spanish/italian-grammars.ts';
import { spanishToBrazilian, spanishToPortuguese } from './spanish/portuguese-grammars.ts';

/** One translation step, and the Debian package that contains it. */
export interface Mode {
  source: LanguageTag;
  target: LanguageTag;
  /** Name of the file in the modes folder, without `.mode`. */
  name: string;
  debianPackage: string;
  /**
   * The statistical tagger crashes on ordinary text; the constraint grammar before it disambiguates alone.
   */
  taggerCrashes?: boolean;
  /** The source has no articles: the word-bound blank of a noun ends up on `the`. */
  marksArticles?: boolean;
  /** Rules join the words around a comma that has no blank before it: `a tall, thin man`. */
  gluesAtCommas?: boolean;
  /** Additional grammars of this project that improve the mode. */
  grammars?: () => GrammarTexts;
  /** The language that a route must lead to, for a first step with grammars for such routes alone. */
  towards?: LanguageTag;
}

/** Languages that may be connected by two steps, source to `through` to target. */
interface Pivot {
  through: LanguageTag;
  among: readonly LanguageTag[];
}

type Quirks = Pick<
  Mode,
  'taggerCrashes' | 'marksArticles' | 'gluesAtCommas' | 'grammars' | 'towards'
>;

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
 * Modes that run and give usable output. Those from Croatian, Bosnian and Basque, and between Icelandic and
 * Swedish, are rough; they exist only where they were installed on purpose. Excluded: eng-hbs_* and mkd-hbs_*
 * (most words stay untranslated), hbs-mkd (hangs), nob-dan (writes unknown words twice), hbs-slv and
 * slv-hbs_* (endings do not agree), ita-cat (worse than through Spanish), ca-eo and es-eo (packaged without
 * their data).
 */
export const modes: readonly Mode[] = [
  ...pair(
    'apertium-eng-spa',
    ['en', 'es', 'eng-spa', { gluesAtCommas: true, grammars: englishToSpanish }],
    ['en', 'es', 'eng-spa', { gluesAtCommas: true, grammars: englishTowardsFrench, towards: 'fr' }],
    ['es', 'en', 'spa-eng', { grammars: spanishToEnglish }],
    ['es', 'en-US', 'spa-eng_US', { grammars: spanishToEnglish }],
  ),
  ...pair(
    'apertium-eng-cat',
    ['en', 'ca', 'eng-cat'],
    ['ca', 'en', 'cat-eng'],
    ['ca', 'en-US', 'cat-eng_US'],
  ),
  ...pair(
    'apertium-fr-es',
    ['es', 'fr', 'es-fr', { grammars: spanishToFrench }],
    ['fr', 'es', 'fr-es'],
  ),
  ...pair(
    'apertium-es-pt',
    ['es', 'pt', 'es-pt', { grammars: spanishToPortuguese }],
    ['es', 'pt-BR', 'es-pt_BR', { grammars: spanishToBrazilian }],
    ['pt', 'es', 'pt-es'],
  ),
  ...pair(
    'apertium-spa-ita',
    ['es', 'it', 'spa-ita', { grammars: spanishToItalian }],
    ['it', 'es', 'ita-spa'],
  ),
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
  // Latin script only.
  ...pair('apertium-hbs-eng', ['hr', 'en', 'hbs-eng'], ['bs', 'en', 'hbs-eng']),
  ...pair('apertium-eu-en', ['eu', 'en', 'eu-en']),
  ...pair('apertium-afr-nld', ['af', 'nl', 'afr-nld'], ['nl', 'af', 'nld-afr']),
  ...pair('apertium-isl-swe', ['is', 'sv', 'isl-swe'], ['sv', 'is', 'swe-isl']),
  ...pair('apertium-ind-zlm', ['id', 'ms', 'ind-zlm'], ['ms', 'id', 'zlm-ind']),
  ...pair('apertium-urd-hin', ['ur', 'hi', 'urd-hin'], ['hi', 'ur', 'hin-urd']),
];

/**
 * Pivots for pairs without a mode, tried in order. Spanish comes first: Apertium is at its best between
 * Romance languages, and English to Spanish is its best step out of English.
 */
export const pivots: readonly Pivot[] = [
  { through: 'es', among: ['en', 'en-US', 'ca', 'fr', 'pt', 'pt-BR', 'it', 'ro', 'gl'] },
  // Rough, but it provides Spanish–Catalan captions where apertium-spa-cat is not installed.
  { through: 'en', among: ['es', 'ca'] },
  { through: 'da', among: ['sv', 'nb'] },
  { through: 'sv', among: ['da', 'nb'] },
];

/** Packages to install for the languages in which this engine is best. */
export const recommendedPackages = [
  'apertium',
  'apertium-eng-spa',
  'apertium-eng-cat',
  'apertium-spa-cat',
  'apertium-fr-es',
  'apertium-es-pt',
  'apertium-spa-ita',
] as const;

// From installed modes to translatable pairs.

/** The one or two steps from a source language to a target language. */
export interface Route extends LanguagePair {
  steps: readonly Mode[];
}

/** Routes by pair; look up with {@link findRoute}. */
export type Routes = ReadonlyMap<string, Route>;

/** Plans every pair the installed modes serve: directly where a mode exists, otherwise through a pivot. */
export function planRoutes({
  installed,
  pivots,
}: {
  installed: readonly Mode[];
  pivots: readonly Pivot[];
}): Routes {
  const direct = new Map(installed.map((mode) => [key(mode) + (mode.towards ?? ''), mode]));
  const routes = new Map<string, Route>();
  const offer = (pair: LanguagePair, steps: readonly (Mode | undefined)[]) => {
    if (routes.has(key(pair)) || !steps.every((step) => step !== undefined)) return;
    routes.set(key(pair), { ...pair, steps });
  };
  for (const mode of installed) {
    if (mode.towards === undefined) offer({ source: mode.source, target: mode.target }, [mode]);
  }
  for (const { through, among } of pivots) {
    for (const source of among) {
      for (const target of among) {
        // Between variants of one language (pt and pt-BR) there is nothing to translate.
        if (baseLanguage(source) === baseLanguage(target)) continue;
        const toPivot = key({ source, target: through });
        const first = direct.get(toPivot + target) ?? direct.get(toPivot);
        const second = direct.get(key({ source: through, target }));
        offer({ source, target }, [first, second]);
      }
    }
  }
  return routes;
}

/**
 * Returns the route of a pair. A variant without its own route uses that of its base language: `en-GB` is
 * served by `en`.
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
