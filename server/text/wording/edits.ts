/** Changes of a text, and how they are made. */

/** What comes in place of a part of a text. */
export interface Edit extends Span {
  text: string;
}

/**
 * A text with changes made; of changes that overlap, the first one counts, and none that would take a letter
 * from its accent. Takes linear time.
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

/** Whether an accent stands behind, or a word goes on behind one: what was found is but a part of a word. */
function dividesLetter(text: string, start: number, end: number): boolean {
  if (/^\p{M}/u.test(text.slice(end, end + 2))) return true;
  return start > 0 && /^\p{M}\p{L}/u.test(text.slice(start - 1, start + 2));
}

/**
 * A text with the changes that are found for it, but for those that touch something untouchable.
 *
 * @param alsoUntouchable what else of a text stays as it is, in any order
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

// What of a text is no language: addresses, file names, code, placeholders, numbers. Nobody who
// improves a text may change it.

/** From `start` up to but not including `end`, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
}

const TOKEN = /\S+/gu;
const OUTER_SIGNS = /^[("'“”„«»‘’[¿¡]+|[)"'“”«»‘’\].,;:!?…]+$/gu;
/** Signs that words do not have, digits, letters joined by a full stop, capitals inside a word. */
const CODE_LIKE =
  /[@\\_{}=<>|^~#$%*/+\p{N}]|:\/\/|^www\.|\p{L}[.:]\p{L}|\p{Ll}\p{Lu}|^-|\p{L}\(|^\.\p{L}/u;
/** `background-color: gray;`: the name of a property, and its value where that ends like one. */
const DECLARATION =
  /(?<![\p{L}\p{N}-])[a-z]+(?:-[a-z]+)+:(?:[ \t]*[^;\n{}]{1,40}[;}]|[ \t]*[\w.%]+(?:[ \t][\w.%]+)?$)?/gmu;
/** Code in backticks, in fences of them, too, and what is between angle brackets or braces. */
const ENCLOSED =
  /`{3,8}[\s\S]*?(?:`{3,8}|(?![\s\S]))|``[^\n]*?``|`[^`\n]+`|<[^<>\n]*>|\{[^{}\n]*\}/gu;

/** The untouchable parts of a text, in order, none touching another. Takes linear time. */
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

/** Whether a span has a part in common with any of these, which are in order. */
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

/** Spans in order, those that touch as one; the given ones are used up. */
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

// What of a text are the words of somebody else, or no prose: quotations, quoted lines, calls of
// functions. Its spelling may be mended, but nobody may give it another style. Where it is not sure
// that a mark ends a quotation, more counts as quoted rather than less.

const INSIDE_WORD = '[\\p{L}\\p{N}]';
/** Within a paragraph: the next one begins behind an empty line. */
const LINE_BREAK = '\\n(?![ \\t]*\\n)';

function between(open: string, close: string, others = ''): string {
  return `${open}(?:[^${open}${close}${others}\\n]|${LINE_BREAK})*(?:[${close}]|(?=\\n|$))`;
}

/** An apostrophe at the end of a word may end it: it goes on to the last one before another begins. */
function single(open: string, close: string): string {
  const starts = open === close ? '(?<=\\S)' : '';
  const others = open === close ? '' : open;
  return (
    `(?<!${INSIDE_WORD})${open}(?=\\S)` +
    `(?:[^${others}${close}\\n]|${LINE_BREAK}|${starts}${close})*${close}(?!${INSIDE_WORD})`
  );
}

const QUOTED = [
  // Behind a digit it stands for inches.
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

/** The parts of a text that are quoted, in no order; they may overlap. Takes linear time. */
export function quotedSpans(text: string): Span[] {
  return QUOTED.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: part, index }) => ({
      start: index,
      end: index + part.length,
    })),
  );
}
