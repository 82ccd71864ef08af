/** Style rule lists, wired. */
import type { Routes } from '../http/door.ts';
import type { Storage } from '../stores.ts';
import type { Translation } from '../translation/translation.ts';
import { styleRuleRoutes } from './routes.ts';
import { describeStyleRuleCatalogue, describeStyleRules } from './style-rule-notes.ts';
import { createStyleRuleLists } from './style-rules.ts';

export function openStyleRules({
  storage,
  translation,
}: {
  storage: Storage;
  translation: Translation;
}) {
  const styleRules = createStyleRuleLists(storage);
  const styleRuleNotes = describeStyleRules(translation);
  const routes: Routes = async (app, { door }) => {
    await app.register(styleRuleRoutes, { door, styleRules, styleRuleNotes });
  };
  return {
    service: styleRules,
    routes,
    consoleRoutes: routes,
    /** Which rules the engines that run keep, for people. */
    describeCatalogue: () => describeStyleRuleCatalogue(translation),
  };
}
