/**
 * Which Apertium mode translates which pair, and through which language a pair without a mode of
 * its own may go. Mode names are no rule to follow (`eng-spa` but `es-fr`), hence a table. What is
 * offered is what is installed: a line whose mode file is absent does not count.
 */
import type { LanguageTag } from '../../../shared/language.ts';

/** One translation step and the Debian package that brings it. */
export interface Mode {
  source: LanguageTag;
  target: LanguageTag;
  /** Name of the file in the modes folder, without `.mode`. */
  name: string;
  debianPackage: string;
}

/** Languages that may be joined by two steps, source to `through` to target. */
export interface Pivot {
  through: LanguageTag;
  among: readonly LanguageTag[];
}

function pair(debianPackage: string, ...modes: [LanguageTag, LanguageTag, string][]): Mode[] {
  return modes.map(([source, target, name]) => ({ source, target, name, debianPackage }));
}

/**
 * Modes of a quality worth offering. Left out on purpose: eng-hbs_HR (BLEU 3), hbs-mkd (broken),
 * rus-ukr and ukr-rus (their tagger crashes on ordinary text).
 */
export const modes: readonly Mode[] = [
  ...pair(
    'apertium-eng-spa',
    ['en', 'es', 'eng-spa'],
    ['es', 'en', 'spa-eng'],
    ['es', 'en-US', 'spa-eng_US'],
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
  ...pair('apertium-es-ro', ['ro', 'es', 'ro-es']),
  ...pair('apertium-es-gl', ['es', 'gl', 'es-gl'], ['gl', 'es', 'gl-es']),
  ...pair('apertium-en-gl', ['en', 'gl', 'en-gl'], ['gl', 'en', 'gl-en']),
  ...pair('apertium-eo-en', ['en', 'eo', 'en-eo'], ['eo', 'en', 'eo-en']),
  ...pair('apertium-swe-dan', ['sv', 'da', 'swe-dan'], ['da', 'sv', 'dan-swe']),
  ...pair('apertium-swe-nor', ['sv', 'nb', 'swe-nob'], ['nb', 'sv', 'nob-swe']),
  ...pair('apertium-dan-nor', ['da', 'nb', 'dan-nob'], ['nb', 'da', 'nob-dan']),
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
];

/** What to install for the languages this engine is best at. */
export const recommendedPackages = [
  'apertium',
  'apertium-eng-spa',
  'apertium-eng-cat',
  'apertium-fr-es',
  'apertium-es-pt',
  'apertium-spa-ita',
] as const;
