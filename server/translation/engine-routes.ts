/** Which engines serve which direction. Found by index: engines may have thousands of pairs. */
import { baseLanguage, type LanguageTag, canonicalLanguage } from '../../shared/language.ts';
import type { LanguagePair, TranslationEngine } from '../engines/engine.ts';

/** An engine, and a direction in its own spelling. */
export interface EngineRoute {
  engine: TranslationEngine;
  pair: LanguagePair;
}

interface EngineRoutes {
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

// The order in which engines are asked, from a setting such as `en/de: chat; *: apertium, chat`: for
// each direction its engines, the preferred one first. A direction that a rule applies to is served by
// the engines of that rule alone.

/** A rule of the setting; undefined stands for any language. */
export interface PreferenceRule {
  source: LanguageTag | undefined;
  target: LanguageTag | undefined;
  engines: readonly string[];
}

/**
 * Reads the setting.
 *
 * @param engines names that may be used
 * @returns the rules, and for people what is wrong with those that are left out
 */
export function readEnginePreference(
  setting: string,
  engines: readonly string[],
): { rules: PreferenceRule[]; problems: string[] } {
  const rules: PreferenceRule[] = [];
  const problems: string[] = [];
  for (const text of setting.split(';').map((each) => each.trim())) {
    if (text === '') continue;
    const rule = readRule(text, engines);
    if (typeof rule === 'string') problems.push(`TRANSLATION_ENGINES: in "${text}" ${rule}`);
    else rules.push(rule);
  }
  return { rules, problems };
}

function readRule(text: string, known: readonly string[]): PreferenceRule | string {
  const [direction = '', list, ...more] = text.split(':').map((part) => part.trim());
  if (list === undefined || more.length > 0) {
    return 'one colon is expected, as in "en/de: chat, apertium".';
  }
  const ends = direction === '*' ? ['*', '*'] : direction.split('/').map((end) => end.trim());
  const languages = ends.map((end) => (end === '*' ? undefined : (canonicalLanguage(end) ?? end)));
  const wrong = languages.find((tag) => tag !== undefined && canonicalLanguage(tag) === undefined);
  if (languages.length !== 2 || wrong !== undefined) {
    return `"${direction}" is no direction: write "en/de", "en/*", "*/de" or "*".`;
  }
  const [source, target] = languages;
  if (source !== undefined && source === target) return `"${direction}" has one language twice.`;
  const engines = list
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const unknown = engines.filter((name) => !known.includes(name));
  if (engines.length > 0 && unknown.length === 0) return { source, target, engines };
  const problem =
    engines.length === 0 ? 'no engine is named' : `${unknown.join(', ')} is no engine`;
  return `${problem}. Possible: ${known.join(', ')}.`;
}

/**
 * The engines for a direction by name, the preferred first; undefined where no rule applies. The most
 * specific rule applies, and of those the first.
 */
export function preferredEngines(
  rules: readonly PreferenceRule[],
  pair: LanguagePair,
): readonly string[] | undefined {
  let best: PreferenceRule | undefined;
  let bestScore = 0;
  for (const rule of rules) {
    const score = fit(rule.source, pair.source) * fit(rule.target, pair.target);
    if (score <= bestScore) continue;
    best = rule;
    bestScore = score;
  }
  return best?.engines;
}

/** The language itself before its base language before any language; 0 for another one. */
function fit(wanted: LanguageTag | undefined, tag: LanguageTag): number {
  if (wanted === undefined) return 1;
  if (wanted === tag) return 4;
  return wanted === baseLanguage(tag) ? 3 : 0;
}
