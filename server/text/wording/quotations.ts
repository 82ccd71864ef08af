/**
 * What of a text are the words of somebody else, or no prose: quotations, quoted lines, calls of
 * functions. Its spelling may be mended, but nobody may give it another style. Where it is not sure
 * that a mark ends a quotation, more counts as quoted rather than less.
 */
import type { Span } from './untouchable.ts';

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
