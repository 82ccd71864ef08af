/** American and British spelling: which of the two a text has, and the other one. */
import { applyEdits, type Edit } from '../wording/edits.ts';
import { inCaseOf } from '../wording/spelling-words.ts';
import { touchesAny, untouchableSpans } from '../wording/untouchable.ts';
import { sentenceEnds } from '../sentences.ts';
import { spelledIn, type EnglishVariant } from './spelling-pairs.ts';

const WORD = /(?<![\p{L}\p{M}\p{N}])[A-Za-z]{3,}(?![\p{L}\p{M}\p{N}])/gu;

/**
 * A text in the spelling of a variant. Names, which have a capital within a sentence, addresses and
 * code stay as they are, as do words of which only the meaning tells how they are spelled.
 */
export function inEnglishVariant(text: string, variant: EnglishVariant): string {
  const edits = spellingsOf(text, variant);
  return edits.length === 0 ? text : applyEdits(text, edits);
}

/** The variant in which a text is spelled; undefined where nothing or as much speaks for either. */
export function englishVariantOf(text: string): EnglishVariant | undefined {
  const british = spellingsOf(text, 'en-US').length;
  const american = spellingsOf(text, 'en-GB').length;
  if (british === american) return undefined;
  return british > american ? 'en-GB' : 'en-US';
}

function spellingsOf(text: string, variant: EnglishVariant): Edit[] {
  const edits: Edit[] = [];
  let context: Context | undefined;
  for (const { 0: word, index: start } of text.matchAll(WORD)) {
    const other = spelledIn(variant, word.toLowerCase());
    if (other === undefined) continue;
    context ??= contextOf(text);
    const end = start + word.length;
    const isUntouchable = touchesAny(context.untouchable, { start, end });
    if (isUntouchable || isName(text, word, start, context)) continue;
    edits.push({ start, end, text: inCaseOf(word, other) });
  }
  return edits;
}

interface Context {
  untouchable: ReturnType<typeof untouchableSpans>;
  /** Where the first words of sentences begin. */
  initials: ReadonlySet<number>;
}

const FIRST_LETTER = /\p{L}/gu;

function contextOf(text: string): Context {
  const initials = new Set<number>();
  for (const start of [0, ...sentenceEnds(text, { language: 'en', atLineBreaks: true })]) {
    FIRST_LETTER.lastIndex = start;
    const first = FIRST_LETTER.exec(text);
    if (first !== null) initials.add(first.index);
  }
  return { untouchable: untouchableSpans(text), initials };
}

/** A capital within a sentence, or before another one: "Pearl Harbor", "Center Parcs". */
function isName(text: string, word: string, start: number, { initials }: Context): boolean {
  if (word === word.toLowerCase() || word === word.toUpperCase()) return false;
  if (!/^[A-Z][a-z]+$/.test(word) || !initials.has(start)) return true;
  const end = start + word.length;
  return /^ \p{Lu}/u.test(text.slice(end, end + 3));
}
