/** Finds the phrases of dictionaries in a text. */
import type { LanguageTag } from '../../../shared/language.ts';
import type { Term } from '../../engines/engine.ts';
import { buildTermTable, type FoundEntry, type TermTable } from './term-table.ts';
import { createUnitReader, type UnitReader } from './text-units.ts';

/**
 * An occurrence of a term; `start` and `end` are UTF-16 positions in the searched text. `source` is
 * the phrase as the text has it, `target` has its capitals.
 */
export interface TermMatch extends Term {
  start: number;
  end: number;
  /** The target as the dictionary has it, when it got a capital only for the place of its source. */
  settledTarget: string;
}

export interface TermIndex {
  /**
   * Occurrences in reading order, none overlapping another, the longest at every place.
   *
   * A phrase with capitals is found only as it is written. One in small letters is also found with a
   * capital where a sentence begins, and all in capitals if the whole text is or it is too long to be
   * initials (`IT`, `WHO`); of several words, with capitals anywhere. The target gets the same capitals.
   */
  find(text: string): TermMatch[];
}

/**
 * An index over one dictionary.
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

/** An index over dictionaries of one pair; where several have a phrase, the first of them counts. */
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
  /** Whether the dictionary writes the phrase as the text does. */
  isExact: boolean;
}

/** Longer ones first, then those written alike; otherwise the earlier dictionary and entry stay. */
function isBetter(candidate: Candidate, best: Candidate | undefined): boolean {
  if (best === undefined) return true;
  if (candidate.match.end !== best.match.end) return candidate.match.end > best.match.end;
  return candidate.isExact && !best.isExact;
}

/** What becomes of an entry at a place; undefined when the capitals say that it is another word. */
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
  if (source === phrase) {
    const { target } = entry;
    return { isExact: true, match: { ...place, target, settledTarget: target } };
  }
  if (!isSmall(phrase)) return undefined;
  const capitals = capitalsOf(source);
  if (capitals === undefined) return undefined;
  const beginsSentence = isSentenceStart(text, start);
  const isUsual =
    /\p{White_Space}/u.test(phrase) ||
    (capitals === 'initial' ? beginsSentence : isHeading() || isTooLongForInitials(source));
  if (!isUsual) return undefined;
  const target = withCapitals(entry.target, capitals, table.targetLang);
  const keepsCapital = capitals !== 'initial' || !beginsSentence;
  return {
    isExact: false,
    match: { ...place, target, settledTarget: keepsCapital ? target : entry.target },
  };
}

/** Most words of one to three capitals are initials, whatever they spell. */
function isTooLongForInitials(word: string): boolean {
  return word.length > 3;
}

function lazily<Value>(compute: () => Value): () => Value {
  let value: { of: Value } | undefined;
  return () => (value ??= { of: compute() }).of;
}

// How an occurrence is capitalised, and how a target phrase follows it.

/** `plain` as the dictionary has it, `initial` with a capital at its beginning, `capitals` throughout. */
export type Capitals = 'plain' | 'initial' | 'capitals';

/** Words of letters, with the marks that combine with them. */
const LETTERS = /[\p{L}\p{M}]+/gu;
const CAPITALISED = /^\p{Lu}[^\p{Lu}]*$/u;
const UNCAPITALISED = /^\P{Lu}+$/u;

/**
 * How an occurrence of a phrase in small letters is capitalised; undefined when in no usual way
 * (`dATA`), so that it must be a name.
 */
export function capitalsOf(occurrence: string): Capitals | undefined {
  const words = occurrence.match(LETTERS) ?? [];
  const isSmall = (word: string) => UNCAPITALISED.test(word);
  if (words.every(isSmall)) return 'plain';
  if (!words.some((word) => /\p{Ll}/u.test(word)) && words.join('').length > 1) return 'capitals';
  if (!words.every((word) => isSmall(word) || CAPITALISED.test(word))) return undefined;
  return CAPITALISED.test(words[0] ?? '') ? 'initial' : 'plain';
}

/** Whether a phrase has no capital, so that it may be met with one. */
export function isSmall(phrase: string): boolean {
  return UNCAPITALISED.test(phrase);
}

/** Whether all letters of a text are capitals, as in a heading. */
export function isAllCapitals(text: string): boolean {
  return !/\p{Ll}/u.test(text) && /\p{Lu}/u.test(text);
}

/** A phrase with the capitals of what it stands for. */
export function withCapitals(phrase: string, capitals: Capitals, language: LanguageTag): string {
  if (capitals === 'initial') return capitalised(phrase, language);
  return capitals === 'capitals' ? phrase.toLocaleUpperCase(language) : phrase;
}

/** A phrase with a capital at its beginning, unless its first word has one elsewhere (`iPhone`). */
export function capitalised(phrase: string, language: LanguageTag): string {
  const first = /^[^\p{L}\p{N}]*(?<word>\p{Ll}[\p{L}\p{M}]*)/u.exec(phrase)?.groups?.word;
  if (first === undefined || !isSmall(first)) return phrase;
  const at = phrase.indexOf(first);
  const letter = String.fromCodePoint(phrase.codePointAt(at) ?? 0);
  return (
    phrase.slice(0, at) + letter.toLocaleUpperCase(language) + phrase.slice(at + letter.length)
  );
}

/** Signs after which a new sentence, line, item or quotation begins. */
const OPENING = /[.!?…:;。！？；：؟۔।\n\r\u2028\u2029"“„«‹「『¿¡•*]/u;

/** Whether what follows at a position is at the beginning of a sentence, a line or a quotation. */
export function isSentenceStart(text: string, position: number): boolean {
  for (let at = position - 1; at >= 0; at -= 1) {
    const sign = text.charAt(at);
    if (OPENING.test(sign)) return true;
    if (!/[\p{White_Space}\p{P}\p{S}]/u.test(sign)) return false;
  }
  return true;
}
