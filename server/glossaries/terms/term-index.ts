/** Finds the phrases of dictionaries in a text. */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Term } from '../../engines/engine.ts';
import { buildTermTable, type FoundEntry, type TermTable } from './term-table.ts';
import { createUnitReader, type UnitReader } from './text-units.ts';

/**
 * An occurrence of a term; `start` and `end` are UTF-16 positions in the searched text. `source` is the
 * phrase as it occurs in the text, and `target` has matching capitals.
 */
export interface TermMatch extends Term {
  start: number;
  end: number;
  /**
   * The target as in the dictionary, if only the start of a sentence capitalised it; else equal to `target`.
   */
  settledTarget: string;
}

export interface TermIndex {
  /**
   * Returns occurrences in reading order, without overlaps, the longest at each place.
   *
   * A phrase with capitals is found as written, and in all capitals if the whole text is. A phrase in lower
   * case is also found capitalised at the start of a sentence, and in all capitals if the whole text is, or if
   * the word is too long to be an acronym (`IT`, `WHO`); a phrase of several words is found with any usual
   * capitals. The target is capitalised in the same way.
   */
  find(text: string): TermMatch[];
}

/**
 * Builds an index over one dictionary.
 *
 * @param entries checked `source<TAB>target` lines
 */
export async function buildTermIndex(
  entries: string,
  { language, targetLanguage }: { language: LanguageTag; targetLanguage?: LanguageTag },
): Promise<TermIndex> {
  const languages = { sourceLang: language, targetLang: targetLanguage ?? 'en' };
  return createTermIndex([await buildTermTable(entries, languages)]);
}

/** Creates an index over dictionaries of one pair; if several contain a phrase, the first one wins. */
export function createTermIndex(tables: readonly TermTable[]): TermIndex {
  const reader = createUnitReader(tables[0]?.sourceLang ?? 'en');
  return {
    find(text) {
      const units = reader.read(text, 0, text.length);
      const matches: TermMatch[] = [];
      const isHeading = lazily(() => isAllCapitals(text));
      for (let first = 0; first < units.count;) {
        const start = units.starts[first] ?? 0;
        let best: Candidate | undefined;
        for (const table of tables) {
          for (const entry of table.entriesAt({ text, units, first })) {
            const candidate = judge({ entry, text, start, reader, isHeading, table });
            if (candidate !== undefined && isBetter(candidate, best)) best = candidate;
          }
        }
        if (best === undefined) {
          first += 1;
          continue;
        }
        matches.push(best.match);
        while (first < units.count && (units.starts[first] ?? 0) < best.match.end) first += 1;
      }
      return matches;
    },
  };
}

interface Candidate {
  match: TermMatch;
  /**
   * How far the dictionary spells the phrase as the text does: with capitals that the text's hide, in lower
   * case, except for marks such as `’` and `'` and for blanks, or exactly.
   */
  likeness: 0 | 1 | 2 | 3;
}

/** Prefers longer matches, then closer spellings; on a tie, the earlier dictionary and entry stay. */
function isBetter(candidate: Candidate, best: Candidate | undefined): boolean {
  if (best === undefined) return true;
  if (candidate.match.end !== best.match.end) return candidate.match.end > best.match.end;
  return candidate.likeness > best.likeness;
}

/** Judges an entry at a place; returns undefined if the capitals mean that it is another word. */
function judge({
  entry,
  text,
  start,
  reader,
  isHeading,
  table,
}: {
  entry: FoundEntry;
  text: string;
  start: number;
  reader: UnitReader;
  isHeading: () => boolean;
  table: TermTable;
}): Candidate | undefined {
  const source = reader.spelling(text.slice(start, entry.end));
  const place = { start, end: entry.end, source };
  const phrase = reader.spelling(entry.source);
  if (EXTENSION.test(phrase) && NAME_BEFORE.test(text.slice(Math.max(0, start - 2), start))) {
    return undefined;
  }
  if (source === phrase) {
    const { target } = entry;
    const likeness = entry.source === text.slice(start, entry.end) ? 3 : 2;
    return { likeness, match: { ...place, target, settledTarget: target } };
  }
  const capitals = capitalsOf(source);
  if (!isSmall(phrase)) {
    if (capitals !== 'capitals' || !isHeading()) return undefined;
    const target = withCapitals(entry.target, capitals, table.targetLang);
    return { likeness: 0, match: { ...place, target, settledTarget: target } };
  }
  if (capitals === undefined) return undefined;
  const beginsSentence = isSentenceStart(text, start);
  const isUsual =
    /\p{White_Space}/u.test(phrase) ||
    (capitals === 'initial' ? beginsSentence : isHeading() || isTooLongForInitials(source));
  if (!isUsual) return undefined;
  const target = withCapitals(entry.target, capitals, table.targetLang);
  const keepsCapital = capitals !== 'initial' || !beginsSentence;
  return {
    likeness: 1,
    match: { ...place, target, settledTarget: keepsCapital ? target : entry.target },
  };
}

/** `.NET` is no part of `ASP.NET`. */
const EXTENSION = /^\.[\p{L}\p{N}]/u;
const NAME_BEFORE = /[\p{Script=Latin}\p{N}]$/u;

/** Words of one to three capitals are mostly acronyms, whatever they spell. */
function isTooLongForInitials(word: string): boolean {
  return word.length > 3;
}

function lazily<Value>(compute: () => Value): () => Value {
  let value: { of: Value } | undefined;
  return () => (value ??= { of: compute() }).of;
}

// Capitalisation of an occurrence, and of the target phrase that follows it.

/** `plain`: as in the dictionary; `initial`: first letter capitalised; `capitals`: all capitals. */
export type Capitals = 'plain' | 'initial' | 'capitals';

/** Words of letters, with their combining marks. */
const LETTERS = /[\p{L}\p{M}]+/gu;
const CAPITALISED = /^\p{Lu}[^\p{Lu}]*$/u;
const UNCAPITALISED = /^\P{Lu}+$/u;

/**
 * Returns how an occurrence of a lower-case phrase is capitalised; undefined if in no usual way (`dATA`), so
 * that it must be a name.
 */
export function capitalsOf(occurrence: string): Capitals | undefined {
  const words = occurrence.match(LETTERS) ?? [];
  const isSmall = (word: string) => UNCAPITALISED.test(word);
  if (words.every(isSmall)) return 'plain';
  if (!words.some((word) => /\p{Ll}/u.test(word)) && words.join('').length > 1) return 'capitals';
  if (!words.every((word) => isSmall(word) || CAPITALISED.test(word))) return undefined;
  return CAPITALISED.test(words[0] ?? '') ? 'initial' : 'plain';
}

/** Whether a phrase has no capitals, so that it may also occur with some. */
export function isSmall(phrase: string): boolean {
  return UNCAPITALISED.test(phrase);
}

/** Whether all letters of a text are capitals, as in a heading. */
export function isAllCapitals(text: string): boolean {
  return !/\p{Ll}/u.test(text) && /\p{Lu}/u.test(text);
}

/** Returns a phrase with the given capitals. */
export function withCapitals(phrase: string, capitals: Capitals, language: LanguageTag): string {
  if (capitals === 'initial') return capitalised(phrase, language);
  return capitals === 'capitals' ? phrase.toLocaleUpperCase(language) : phrase;
}

/** Capitalises the first letter of a phrase, unless its first word has a capital elsewhere (`iPhone`). */
export function capitalised(phrase: string, language: LanguageTag): string {
  const first = /^[^\p{L}\p{N}]*(?<word>\p{Ll}[\p{L}\p{M}]*)/u.exec(phrase)?.groups?.word;
  if (first === undefined || !isSmall(first)) return phrase;
  const at = phrase.indexOf(first);
  const letter = String.fromCodePoint(phrase.codePointAt(at) ?? 0);
  return (
    phrase.slice(0, at) + letter.toLocaleUpperCase(language) + phrase.slice(at + letter.length)
  );
}

/** Characters after which a new sentence, line, item or quotation begins. */
const OPENING = /[.!?…:;。！？；：؟۔।\n\r\u2028\u2029"“„«‹「『¿¡•*]/u;

/** Whether a position is at the start of a sentence, a line or a quotation. */
export function isSentenceStart(text: string, position: number): boolean {
  for (let at = position - 1; at >= 0; at -= 1) {
    const sign = text.charAt(at);
    if (OPENING.test(sign)) return true;
    if (!/[\p{White_Space}\p{P}\p{S}]/u.test(sign)) return false;
  }
  return true;
}
