/** Which of Harper's lints are mistakes for sure, and how each is mended. */
import type { Edit } from '../../text/wording/edits.ts';
import { isAccepted } from '../../text/wording/accepted-words.ts';
import { clearSuggestion } from '../../text/wording/spelling-choice.ts';
import { quotedSpans } from '../../text/wording/quotations.ts';
import { inCaseOf, spellingWords } from '../../text/wording/spelling-words.ts';
import { touchesAny, untouchableSpans, type Span } from '../../text/wording/untouchable.ts';
import type { Lint } from './harper-protocol.ts';

/** Matters of taste. */
const ignoredKinds = new Set([
  ...['Enhancement', 'Formatting', 'Readability', 'Redundancy', 'Regionalism', 'Style'],
]);

const CLAUSE_BEGINNING =
  /(?:^|[^\p{L}\p{M}\p{N}'’\s]\s*|\n\s*|(?<!\p{L})(?:and|as|because|but|guess|if|know|mean|or|said|say|says|since|so|that|think|though|when|where|while)\s+)$/iu;
/** `It's tail is long` */
const VERB_AFTER_NOUN = /^\s+\p{L}+\s+(?:is|was|has|had|will|can|does)(?!\p{L})/iu;

/** The changes that mend a text; names, addresses and code stay as they are. */
export function editsOf(text: string, lints: readonly Lint[]): Edit[] {
  const untouchable = untouchableSpans(text);
  const words = new Map(spellingWords(text, 'en', untouchable).map((word) => [word.start, word]));
  const quoted = quotedSpans(text);
  return lints.flatMap((lint) => {
    const { start, end } = lint;
    const [first] = lint.suggestions;
    if (first === undefined || ignoredKinds.has(lint.kind)) return [];
    // Grammar judges what stands beside code as if that were a word.
    const reach = lint.kind === 'Spelling' ? 0 : 2;
    if (touchesAny(untouchable, { start: start - reach, end: end + reach })) return [];
    if (first.kind === 'insert-after') return [{ start: end, end, text: first.text }];
    const original = text.slice(start, end);
    // Line breaks are not for anyone to move.
    if (/[\r\n]/.test(original)) return [];
    if (isAccepted(original.toLowerCase(), 'en')) return [];
    const isCutShort = hasLetterLeftOut(text, end, quoted);
    if (lint.kind !== 'Spelling') {
      const isArticle = /^an?$/i.test(original);
      // How an abbreviation is spoken, nobody knows.
      if (isArticle && /^\s+\p{Lu}{2}/u.test(text.slice(end, end + 4))) return [];
      if (isCutShort && isArticle) return [];
      if (/^it['’]s$/i.test(original) && mayBeginClause(text, { start, end })) return [];
      return [{ start, end, text: withInitialOf(original, first.text) }];
    }
    const word = words.get(start);
    if (word?.end !== end) return [];
    const suggestions = lint.suggestions.map((suggestion) => suggestion.text);
    if (suggestions.some((each) => isSpelledAlike(word.lookedUp, each))) return [];
    const choice = clearSuggestion(word.lookedUp, suggestions, 'en', { isRanked: true });
    if (choice === undefined) return [];
    const mended = inCaseOf(original, choice);
    // The end of a possessor in the plural.
    if (!isCutShort || /s$/i.test(choice)) return [{ start, end, text: mended }];
    return choice.startsWith(word.lookedUp) ? [{ start, end: end + 1, text: mended }] : [];
  });
}

/** Whether an apostrophe that ends no quotation stands for the end of a word: `walkin'`, `an'`. */
function hasLetterLeftOut(text: string, end: number, quoted: readonly Span[]): boolean {
  if (!/^['’](?![\p{L}\p{N}])/u.test(text.slice(end, end + 3))) return false;
  return !quoted.some((span) => span.end === end + 1);
}

/** Whether `it's` may well be `it is`, whatever comes next: `It's family first`, but not `wagged it's tail`. */
function mayBeginClause(text: string, { start, end }: { start: number; end: number }): boolean {
  return CLAUSE_BEGINNING.test(text.slice(0, start)) && !VERB_AFTER_NOUN.test(text.slice(end));
}

/** A word that had a capital keeps it; one that had none may need it, as `i`. */
function withInitialOf(original: string, replacement: string): string {
  const isCapital = /^\p{Lu}/u.test(original);
  return isCapital ? replacement.charAt(0).toUpperCase() + replacement.slice(1) : replacement;
}

/** `synthesised` and `synthesized`: a word that Harper knows in the spelling of another country alone. */
function isSpelledAlike(word: string, suggestion: string): boolean {
  return word !== suggestion.toLowerCase() && unvoiced(word) === unvoiced(suggestion);
}

function unvoiced(word: string): string {
  return word.toLowerCase().replaceAll('z', 's');
}
