/**
 * The order in which engines are asked, from a setting such as `en/de: chat; *: apertium, chat`: for
 * each direction its engines, the preferred one first. A direction that a rule applies to is served by
 * the engines of that rule alone.
 */
import { baseLanguage, canonicalLanguage, type LanguageTag } from '../../shared/language.ts';
import type { LanguagePair } from '../engines/engine.ts';

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
