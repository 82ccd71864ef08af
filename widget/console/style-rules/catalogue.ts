/** The rules there are, as the console's interface tells them. */
import type { StyleRuleCatalogueView } from '../../../shared/schemas/console.ts';
import { api } from '../api.ts';

export type StyleRuleCatalogue = StyleRuleCatalogueView;
export type CatalogueRule = StyleRuleCatalogueView['categories'][number]['rules'][number];
export type CatalogueOption = CatalogueRule['options'][number];

/** @throws ApiFailure */
export function fetchCatalogue(signal: AbortSignal): Promise<StyleRuleCatalogue> {
  return api.get<StyleRuleCatalogue>('style-rule-catalogue', { signal });
}

/** Whether an option is applied to the translations of any engine. */
export function isBuiltIn({ mechanical }: CatalogueOption, language: string): boolean {
  return mechanical.includes(language);
}

/** Whether an engine is running that obeys all rules and instructions in a language. */
export function isObeyed(catalogue: StyleRuleCatalogue, language: string): boolean {
  return catalogue.follows_instructions.includes(language);
}
