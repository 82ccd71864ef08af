/**
 * What of a text is no language: addresses, file names, code, placeholders, numbers. Nobody who
 * improves a text may change it.
 */

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
export function joinedSpans(spans: Span[]): Span[] {
  spans.sort((one, other) => one.start - other.start);
  const joined: Span[] = [];
  for (const span of spans) {
    const last = joined.at(-1);
    if (last !== undefined && span.start <= last.end) last.end = Math.max(last.end, span.end);
    else joined.push(span);
  }
  return joined;
}
