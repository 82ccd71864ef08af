/** Every word of the page for readers that is not a caption, in the languages of those who read. */
import { baseLanguage, type LanguageTag } from '../../shared/language.ts';
import { viewerWords as ar } from './words/ar.ts';
import { viewerWords as de } from './words/de.ts';
import { viewerWords as en, type ViewerWords } from './words/en.ts';
import { viewerWords as es } from './words/es.ts';
import { viewerWords as fr } from './words/fr.ts';
import { viewerWords as it } from './words/it.ts';
import { viewerWords as pt } from './words/pt.ts';

export type { ViewerWords };

const translations: Record<LanguageTag, ViewerWords> = { en, ar, de, es, fr, it, pt };

/** Languages the page itself speaks. */
export const viewerLanguages = Object.keys(translations);

export function viewerWords(language: LanguageTag): ViewerWords {
  return translations[baseLanguage(language)] ?? en;
}
