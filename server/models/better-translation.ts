/** Which of Firefox's models would translate better what rules alone translate here. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { TRANSLATION_PREFIX } from './translation-list.ts';

/** About what a model weighs while nobody has asked for the list, in MB. */
const USUAL_MODEL_MB = 20;

/** A model that would serve pairs that rules serve. */
export interface BetterModel {
  name: string;
  source: LanguageTag;
  target: LanguageTag;
  /** About what it weighs. */
  sizeMb: number;
}

interface Translator {
  name: string;
  pairs: readonly { source: LanguageTag; target: LanguageTag }[];
}

/** Languages of Firefox, from and into English, among those that Apertium knows. */
const languages = new Set('bg ca da es fr hi hr id is it ms nl pt ro ru sv uk'.split(' '));
const RULES = 'apertium';

/**
 * The models by the pairs they would serve: one from or into English, two for a pair without it. Pairs
 * that another engine serves, or that there is no model for, are left out.
 *
 * @returns by `source target`, base languages
 */
export function betterModels(translators: readonly Translator[]): Map<string, BetterModel[]> {
  const by = (isRules: boolean) =>
    translators
      .filter(({ name }) => (name === RULES) === isRules)
      .flatMap(({ pairs }) => pairs)
      .map(({ source, target }) => `${baseLanguage(source)} ${baseLanguage(target)}`);
  const served = new Set(by(false));
  const better = new Map<string, BetterModel[]>();
  for (const pair of by(true)) {
    if (served.has(pair) || better.has(pair)) continue;
    const [source = '', target = ''] = pair.split(' ');
    const models = modelsFor(source, target, served);
    if (models.length > 0) better.set(pair, models);
  }
  return better;
}

/** What is missing of the way over English. */
function modelsFor(
  source: LanguageTag,
  target: LanguageTag,
  served: ReadonlySet<string>,
): BetterModel[] {
  const known = [source, target].every((each) => each === 'en' || languages.has(each));
  if (!known) return [];
  const steps = [source, 'en', target].filter((each, i, all) => each !== all[i - 1]);
  return steps.slice(1).flatMap((to, i) => {
    const from = steps[i] ?? '';
    if (served.has(`${from} ${to}`)) return [];
    return [
      {
        name: `${TRANSLATION_PREFIX}${from}-${to}`,
        source: from,
        target: to,
        sizeMb: USUAL_MODEL_MB,
      },
    ];
  });
}
