/**
 * Plain text. Each line is a paragraph. In hard-wrapped text, the lines of a paragraph are joined,
 * and its translation is wrapped at the same width.
 */
import { countCodePoints } from '../../../text/code-points.ts';
import { findPlaceholders, type Span } from '../../../text/placeholders.ts';
import { plainText, type TextSegment } from '../../../text/text-segment.ts';
import { checkLength, type DocumentBlock, type DocumentFormat } from '../format.ts';
import { decodeText } from './encoded-text.ts';
import { breaksWithin, joinsUnspaced, displayWidth } from './line-wrapping.ts';

const LETTER = /\p{L}/u;

interface OpenParagraph extends TextParagraph {
  /** The paragraph's lines, joined. */
  joined: string;
}

export const txt: DocumentFormat = {
  async open(file, { source, maxCharacters }) {
    const encoded = decodeText(file, { language: source });
    const { text } = encoded;
    const characters = countCodePoints(text);
    checkLength(characters, maxCharacters);
    const paragraphs = paragraphsOf(text)
      .map((paragraph) => ({ ...paragraph, joined: joinedLines(text, paragraph) }))
      .filter(({ joined }) => LETTER.test(joined));
    return {
      blocks: paragraphs.map(({ joined }): DocumentBlock => ({
        segment: [joined],
        kind: 'paragraph',
      })),
      characters,
      write: async (translated) => encoded.encode(render(text, paragraphs, translated)),
    };
  },
};

function joinedLines(text: string, { lines }: TextParagraph): string {
  let joined = '';
  let at = 0;
  for (const { start, end } of lines) {
    const line = text.slice(start, end);
    if (joined !== '') joined += jointOf(text.slice(at, start), joined, line);
    joined += line;
    at = end;
  }
  return joined;
}

/**
 * Returns the separator for two lines that become one; no-break spaces between them are intentional and stay.
 */
function jointOf(between: string, left: string, right: string): string {
  const [kept = ''] = /^[^\S\r\n]*/.exec(between) ?? [];
  if (/[^ \t]/.test(kept)) return kept;
  return joinsUnspaced(left, right) ? '' : ' ';
}

function render(
  text: string,
  paragraphs: readonly OpenParagraph[],
  translated: readonly TextSegment[],
): string {
  let written = '';
  let at = 0;
  for (const [index, paragraph] of paragraphs.entries()) {
    const start = paragraph.lines[0]?.start ?? at;
    const end = paragraph.lines.at(-1)?.end ?? start;
    const translation = plainText(translated[index] ?? [paragraph.joined]);
    written += text.slice(at, start);
    written +=
      translation === paragraph.joined
        ? text.slice(start, end)
        : broken(text, paragraph, translation.replace(/(?<![ \t])[ \t]*[\r\n][ \t\r\n]*/g, ' '));
    at = end;
  }
  return written + text.slice(at);
}

/**
 * Wraps a translation to the paragraph's width; each further line gets the indentation of the second line.
 */
function broken(text: string, { lines, width }: OpenParagraph, translation: string): string {
  const [first, second] = lines;
  if (width === undefined || first === undefined || second === undefined) return translation;
  const between = text.slice(first.end, second.start);
  const [, lineBreak = '\n', indent = ''] = /(\r\n|\n|\r)([^\r\n]*)$/.exec(between) ?? [];
  const result: string[] = [];
  let at = 0;
  for (const { end, next } of breaksWithin(translation, Math.max(1, width - indent.length))) {
    result.push(translation.slice(at, end));
    at = next;
  }
  result.push(translation.slice(at));
  return result.join(lineBreak + indent);
}

// Detection of paragraphs, including those of hard-wrapped text.

/** Text that is translated as a whole; positions are UTF-16 offsets in the whole text. */
interface TextParagraph {
  /** Ranges of its lines without surrounding blanks, markers and quotation signs, in order. */
  lines: readonly Span[];
  /** Width at which its lines were wrapped, in columns; undefined for a single line. */
  width: number | undefined;
}

/** A line without its line break. */
interface Line {
  start: number;
  end: number;
  /** Quotation signs at its beginning, such as `>`, without blanks. */
  quotation: string;
  /** Number of ideographic spaces before the text: Chinese and Japanese paragraphs begin with one or two. */
  wideBlanks: number;
  /** Whether it begins with a list marker, so that it does not continue the previous line. */
  isItem: boolean;
  /** Offset of its text. */
  textStart: number;
  /** Whether it consists of table cells side by side. */
  isRow: boolean;
}

/** Returns the paragraphs, in order, without the blanks between them, list markers and quotation signs. */
function paragraphsOf(text: string): TextParagraph[] {
  const paragraphs: TextParagraph[] = [];
  let group: Line[] = [];
  // Blocks of code in Markdown are placeholders of several lines.
  const code = /```|~~~/.test(text) ? findPlaceholders(text) : [];
  let next = 0;
  const endGroup = (): void => {
    addGroup(paragraphs, text, group);
    group = [];
  };
  for (const { 0: line, index } of text.matchAll(/[^\r\n\u0085\u2028\u2029\f\v]+/g)) {
    const last = group.at(-1);
    const isNext = last !== undefined && /^(?:\r\n|\n|\r)$/.test(text.slice(last.end, index));
    if (!isNext) endGroup();
    while ((code[next]?.end ?? Infinity) <= index) next += 1;
    const { start = Infinity, end = 0 } = code[next] ?? {};
    const isCode = start <= index && index + line.length <= end;
    const read = isCode ? undefined : readLine(text, index, line);
    if (read === undefined) endGroup();
    else group.push(read);
  }
  endGroup();
  return paragraphs;
}

/**
 * Blanks and `>` of quotations, then a bullet, a number or letter of a list, or a comment sign with a blank.
 */
const BEGINNING = /^([\s>|]*)((?:[-*+•‣◦·–—#/]+|\(?(?:\d{1,3}|[a-z])[.)]|\(?[A-Z]\))[ \t]+)?/;

function readLine(text: string, start: number, line: string): Line | undefined {
  const [beginning, quotation = '', marker] = BEGINNING.exec(line) ?? [''];
  const trimmed = line.trimEnd();
  if (trimmed.length <= beginning.length) return undefined;
  return {
    start,
    end: start + line.length,
    quotation: quotation.replace(/\s/g, ''),
    wideBlanks: quotation.replace(/[^\u3000]/g, '').length,
    isItem: marker !== undefined,
    textStart: start + beginning.length,
    isRow: CELL_GAP.test(text.slice(start + beginning.length, start + trimmed.length)),
  };
}

const CELL_GAP = /\t+| {3,}/;

/** Plausible widths of hard-wrapped text: narrower lines are verses or lists, wider ones whole paragraphs. */
const MIN_WIDTH = 40;
const MAX_WIDTH = 132;

/** Adds the paragraphs of consecutive lines without an empty line between them. */
function addGroup(paragraphs: TextParagraph[], text: string, lines: readonly Line[]): void {
  const width = lines.reduce(
    (widest, { start, end }) => Math.max(widest, displayWidth(text.slice(start, end))),
    0,
  );
  const isBroken = (line: Line, next: Line | undefined): boolean =>
    next !== undefined && isFull(text, line, next, width) && goesOn(line, next);
  const isHardWrapped =
    lines.length > 1 &&
    width >= MIN_WIDTH &&
    width <= MAX_WIDTH &&
    lines.some((line, index) => {
      const next = lines[index + 1];
      return next !== undefined && isBroken(line, next) && showsBreak(text, line, next);
    });
  let begun: Span[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.isRow) {
      for (const cell of cellsOf(text, line)) paragraphs.push(cell);
      continue;
    }
    begun.push({ start: line.textStart, end: trimmedEnd(text, line) });
    if (isHardWrapped && isBroken(line, lines[index + 1])) continue;
    paragraphs.push({ lines: begun, width: begun.length > 1 ? width : undefined });
    begun = [];
  }
}

/** Whether the first word of the next line did not fit into this one. */
function isFull(text: string, line: Line, next: Line, width: number): boolean {
  const [word = ''] = /^\S*/.exec(text.slice(next.textStart, next.end)) ?? [];
  return displayWidth(text.slice(line.start, line.end).trimEnd()) + 1 + displayWidth(word) > width;
}

function goesOn(line: Line, next: Line): boolean {
  const isApart = next.isItem || line.isRow || next.isRow || next.wideBlanks > line.wideBlanks;
  return !isApart && line.quotation === next.quotation;
}

/** Whether a sentence clearly continues in the next line. */
function showsBreak(text: string, line: Line, next: Line): boolean {
  const end = text.slice(line.textStart, trimmedEnd(text, line));
  const start = text.slice(next.textStart, next.end);
  return !/[\p{STerm}…:;]["'”’»)\]]*$/u.test(end) && /^(?:\p{Ll}|\p{Lo})/u.test(start);
}

function trimmedEnd(text: string, { textStart, end }: Line): number {
  return textStart + text.slice(textStart, end).trimEnd().length;
}

function* cellsOf(text: string, line: Line): Generator<TextParagraph> {
  let start = line.textStart;
  const content = text.slice(start, line.end);
  for (const cell of content.split(new RegExp(`(${CELL_GAP.source})`))) {
    const end = start + cell.length;
    if (cell.trim() !== '') {
      const lead = cell.length - cell.trimStart().length;
      const place = { start: start + lead, end: start + cell.trimEnd().length };
      yield { lines: [place], width: undefined };
    }
    start = end;
  }
}
