/** The units in which captions grow: words, or single characters where a script has no blanks. */
import { baseLanguage, type LanguageTag } from '../../../shared/language.ts';

const WRITTEN_WITHOUT_BLANKS = new Set(['ja', 'km', 'lo', 'my', 'th', 'yue', 'zh']);
const WORD = /\s*\S+/gu;
/** A run of Latin letters or figures is a word in any script; marks belong to the letter before. */
const CHARACTER = /\s*(?:[\p{Script=Latin}\p{N}]+|\S\p{M}*)/gu;

export function isWrittenWithoutBlanks(language: LanguageTag): boolean {
  return WRITTEN_WITHOUT_BLANKS.has(baseLanguage(language));
}

/** The units of a text, each with the blank before it: joined, they are the text without its last blanks. */
export function captionUnits(text: string, language: LanguageTag): string[] {
  return text.match(isWrittenWithoutBlanks(language) ? CHARACTER : WORD) ?? [];
}

/** Words and punctuation marks by themselves: a full stop that is added changes no word. */
const TOKEN = /[\p{L}\p{M}\p{N}]+(?:['’-][\p{L}\p{M}\p{N}]+)*|[^\s\p{L}\p{M}\p{N}]/gu;

/** What erasure is counted in: words and punctuation marks, or single characters. */
export function captionTokens(text: string, language: LanguageTag): string[] {
  if (isWrittenWithoutBlanks(language))
    return captionUnits(text, language).map((unit) => unit.trim());
  return text.match(TOKEN) ?? [];
}
