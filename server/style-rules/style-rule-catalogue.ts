/** The catalogue of style rules as people choose from it: which options need an engine that understands. */
import { styleLanguages } from '../../shared/language.ts';
import { styleRuleCatalogue, styleRuleCategories } from '../../shared/style-rules/catalogue.ts';
import type { StyleRuleCatalogueView } from '../../shared/schemas/console.ts';
import { isMechanical } from './rules/style-rules.ts';
import type { Translation } from '../translation/translation.ts';

/** Describes all rules, and the target languages in which a running engine obeys every one of them. */
export function describeStyleRuleCatalogue(
  translation: Pick<Translation, 'sources' | 'followsInstructions'>,
): StyleRuleCatalogueView {
  const sources = translation.sources();
  return {
    categories,
    languages: [...styleLanguages],
    follows_instructions: styleLanguages.filter((target) =>
      sources.some(
        (source) => source !== target && translation.followsInstructions({ source, target }),
      ),
    ),
  };
}

const categories = styleRuleCategories.map((category) => ({
  name: category,
  rules: Object.entries(styleRuleCatalogue[category]).map(([rule, options]) => ({
    name: rule,
    options: options.map((option) => ({
      name: option,
      mechanical: styleLanguages.filter((language) =>
        isMechanical({ category, rule, option, language }),
      ),
    })),
  })),
}));
