/** Edits of a text, and the parts of a text that must not be edited. */
import type { Span } from '../placeholders.ts';

/** A replacement for a part of a text. */
export interface Edit extends Span {
  text: string;
}

/**
 * Applies edits to a text. Of overlapping edits the first one counts; an edit that would separate a letter
 * from its accent is skipped. Takes linear time.
 */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let done = 0;
  for (const { start, end, text: replacement } of edits.toSorted(byPlace)) {
    if (start < done || dividesLetter(text, start, end)) continue;
    parts.push(text.slice(done, start), replacement);
    done = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(done);
}

/**
 * Whether a span ends before an accent, or starts after one inside a word: the match is only part of a word.
 */
function dividesLetter(text: string, start: number, end: number): boolean {
  if (/^\p{M}/u.test(text.slice(end, end + 2))) return true;
  return start > 0 && /^\p{M}\p{L}/u.test(text.slice(start - 1, start + 2));
}

/**
 * Applies the edits found for a text, except those that touch an untouchable span.
 *
 * @param alsoUntouchable returns further spans to keep, in any order
 */
export function changed(
  text: string,
  find: (text: string) => Edit[],
  alsoUntouchable?: (text: string) => Span[],
): string {
  const edits = find(text);
  if (edits.length === 0) return text;
  const more = alsoUntouchable?.(text) ?? [];
  const untouchable = joinedSpans([...untouchableSpans(text), ...more]);
  return applyEdits(
    text,
    edits.filter((edit) => !touchesAny(untouchable, edit)),
  );
}

function byPlace(one: Edit, other: Edit): number {
  return one.start - other.start || other.end - one.end;
}

// Parts of a text that are not language and must stay unchanged: addresses, file names, code, placeholders,
// numbers.

const TOKEN = /\S+/gu;
/** Signs around a word. */
export const OUTER_SIGNS = /^[("'“”„«»‘’[¿¡]+|[)"'“”«»‘’\].,;:!?…]+$/gu;
/** Characters that words do not have, digits, letters joined by a full stop, capitals inside a word. */
const CODE_LIKE =
  /[@\\_{}=<>|^~#$%*/+\p{N}]|:\/\/|^www\.|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}|^-|\p{L}\(|^\.\p{L}/u;
/** `background-color: gray;`: the name of a property, and its value where that ends like one. */
const DECLARATION =
  /(?<![\p{L}\p{N}-])[a-z]+(?:-[a-z]+)+:(?:[ \t]*[^;\n{}]{1,40}[;}]|[ \t]*[\w.%]+(?:[ \t][\w.%]+)?$)?/gmu;
/** Code in backticks or fences, and text between angle brackets or braces. */
const ENCLOSED =
  /`{3,8}[\s\S]*?(?:`{3,8}|(?![\s\S]))|``[^\n]*?``|`[^`\n]+`|<[^<>\n]*>|\{[^{}\n]*\}/gu;

/** Returns the untouchable spans of a text, in order and disjoint. Takes linear time. */
export function untouchableSpans(text: string): Span[] {
  const spans: Span[] = [];
  for (const { 0: token, index } of text.matchAll(TOKEN)) {
    if (CODE_LIKE.test(token.replace(OUTER_SIGNS, ''))) {
      spans.push({ start: index, end: index + token.length });
    }
  }
  for (const { 0: part, index } of text.matchAll(ENCLOSED)) {
    spans.push({ start: index, end: index + part.length });
  }
  for (const { 0: part, index } of text.matchAll(DECLARATION)) {
    spans.push({ start: index, end: index + part.length });
  }
  return joinedSpans(spans);
}

/** Whether a span overlaps any of the given spans, which must be in order. */
export function touchesAny(spans: readonly Span[], { start, end }: Span): boolean {
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((spans[middle]?.end ?? 0) <= start) low = middle + 1;
    else high = middle;
  }
  return (spans[low]?.start ?? Infinity) < end;
}

/** Sorts spans and merges those that touch; modifies its argument. */
function joinedSpans(spans: Span[]): Span[] {
  spans.sort((one, other) => one.start - other.start);
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else joined.push(span);
  }
  return joined;
}

// Quoted text and non-prose: quotations, quoted lines, function calls. Spelling may be corrected there, but
// the style must not change. Where the end of a quotation is uncertain, the longer span counts as quoted.

const INSIDE_WORD = '[\\p{L}\\p{N}]';
/** A line break within a paragraph; an empty line begins the next paragraph. */
const LINE_BREAK = '\\n(?![ \\t]*\\n)';

function between(open: string, close: string): string {
  return `${open}(?:[^${open}${close}\\n]|${LINE_BREAK})*(?:[${close}]|(?=\\n|$))`;
}

/**
 * An apostrophe at the end of a word may close the quotation, so it extends to the last one before another
 * begins.
 */
function single(open: string, close: string): string {
  const starts = open === close ? '(?<=\\S)' : '';
  const others = open === close ? '' : open;
  return (
    `(?<!${INSIDE_WORD})${open}(?=\\S)` +
    `(?:[^${others}${close}\\n]|${LINE_BREAK}|${starts}${close})*${close}(?!${INSIDE_WORD})`
  );
}

const QUOTED = [
  // After a digit it means inches.
  `(?<!${INSIDE_WORD})"(?:[^"\\n]|${LINE_BREAK}|"(?=${INSIDE_WORD}))*(?:"|(?=\\n|$))`,
  between('“', '”'),
  between('„', '“”'),
  between('«', '»'),
  `(?<!${INSIDE_WORD})»[^«»\\n]*«`,
  single('‘', '’'),
  single("'", "'"),
  '^[ \\t]{0,3}>[^\\n]*',
  `${INSIDE_WORD}\\([^()\\n]*\\)`,
].map((source) => new RegExp(source, 'gmu'));

/** Returns the quoted parts of a text, unordered and possibly overlapping. Takes linear time. */
export function quotedSpans(text: string): Span[] {
  return QUOTED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: part, index }) => ({
      start: index,
      end: index + part.length,
    })),
  );
}
