/** Two statistical detectors with different weaknesses, under a common set of language codes. */
import { createRequire } from 'node:module';
import type * as Cld3 from 'cld3-asm';
import type { LanguageTag } from '../../../shared/language.ts';

/** Evidence for each language, 0 to 1. */
export type Evidence = ReadonlyMap<LanguageTag, number>;

export interface Statistics {
  /** Returns scores by n-gram frequencies, where the likeliest language has 1. Knows some 60 languages. */
  byNgrams(text: string): Evidence;
  /** Returns a neural network's single guess with its probability. Knows some 100 languages. */
  byNetwork(text: string): { language: LanguageTag; probability: number };
}

/**
 * Language codes that differ in the detectors. The n-gram tables do not distinguish Malay from Indonesian,
 * and Serbian and Bosnian in Latin script cannot be distinguished from Croatian, so such texts get a common
 * code.
 */
const LATIN_CODES: Readonly<Record<string, LanguageTag>> = {
  no: 'nb',
  fil: 'tl',
  bs: 'hr',
  sr: 'hr',
  ms: 'id',
  ku: 'kmr',
};
const OTHER_CODES: Readonly<Record<string, LanguageTag>> = { iw: 'he', ku: 'ckb' };

/** Languages missing from the n-gram tables. */
export const withoutNgrams: ReadonlySet<LanguageTag> = new Set(
  'ceb cy eo ga gl ha ht ig jv la lb mg mi mt st su sw uz xh zu mk kk ky mn tg ps ne yi'.split(' '),
);

/** Compiling the network on a slow or busy machine takes longer than the 3 s its loader allows by default. */
const LOADING_TIMEOUT_MS = 60_000;

/**
 * Loads both detectors, some 25 MB in the bundle, in an eighth of a second; they stay loaded until the
 * process ends.
 */
export async function loadStatistics(): Promise<Statistics> {
  const { eld } = await import('eld/small');
  const { loadModule } = createRequire(import.meta.url)('cld3-asm') as typeof Cld3;
  const factory = await loadModule({ timeout: LOADING_TIMEOUT_MS });
  // No minimum length, and a maximum that fits the text cut before: 3 bytes per character.
  const network = factory.create(0, 1536);
  return {
    byNgrams(text) {
      const scores = Object.entries(eld.detect(text).getScores());
      const best = scores[0]?.[1] ?? 1;
      const codes = codesFor(text);
      const evidence = new Map<LanguageTag, number>();
      for (const [code, score] of scores) evidence.set(codes[code] ?? code, score / best);
      return evidence;
    },
    byNetwork(text) {
      const { language, probability } = network.findLanguage(text);
      return { language: codesFor(text)[language] ?? language, probability };
    },
  };
}

function codesFor(text: string) {
  return /\p{Script=Latin}/u.test(text) ? LATIN_CODES : OTHER_CODES;
}
