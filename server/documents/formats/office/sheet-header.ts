/**
 * Headers and footers of worksheets: text with codes for sections, fields and fonts, such as
 * `&LDraft&C&"Arial,Bold"&12Report &P of &N` (ISO/IEC 29500-1, 18.3.1.46).
 */
import { type Mark, plainText, type TextSegment } from '../../../text/text-segment.ts';

/** What is left, centred or right of a header. */
export interface HeaderSection {
  /** Codes in front of the text, the section's own first, and behind it. */
  before: string;
  after: string;
  /** The text; a code within it is a lone mark whose id is its place in `codes`, counted from 1. */
  segment: TextSegment;
  codes: readonly string[];
}

/** Excel takes a workbook with a longer header for damaged. */
const MAX_LENGTH = 255;

// An ampersand; a font; a colour; a size; a page number with something added; a single letter.
const CODE = /(&&|&"[^"]*"|&K(?:[0-9A-F]{6}|\d\d[+-]\d{3})|&\d+|&P[+-]\d+|&[^&])/i;
const SECTION_START = /^&[LCR]$/i;

/** Takes a header apart. */
export function readHeader(header: string): HeaderSection[] {
  const sections: string[][] = [[]];
  for (const piece of header.split(CODE)) {
    if (SECTION_START.test(piece)) sections.push([]);
    if (piece !== '') sections.at(-1)?.push(piece);
  }
  return sections.filter(({ length }) => length > 0).map(readSection);
}

const isCode = (piece: string): boolean => piece.startsWith('&') && piece !== '&&';

function readSection(pieces: readonly string[]): HeaderSection {
  const firstText = pieces.findIndex((piece) => !isCode(piece));
  if (firstText < 0) return { before: pieces.join(''), after: '', segment: [], codes: [] };
  const lastText = pieces.findLastIndex((piece) => !isCode(piece));
  const codes: string[] = [];
  const segment: (string | Mark)[] = [];
  for (const piece of pieces.slice(firstText, lastText + 1)) {
    if (isCode(piece)) segment.push({ mark: 'lone', id: codes.push(piece) });
    else segment.push(piece === '&&' ? '&' : piece);
  }
  const parts = joined(segment);
  // Engines do not keep the blanks at the ends.
  const [start, end] = [parts.at(0), parts.at(-1)];
  const lead = typeof start === 'string' ? (/^\s*/.exec(start)?.[0] ?? '') : '';
  const trail = typeof end === 'string' && end.trim() !== '' ? (/\s*$/.exec(end)?.[0] ?? '') : '';
  if (typeof start === 'string') parts[0] = start.slice(lead.length);
  const last = parts.at(-1);
  if (typeof last === 'string') parts[parts.length - 1] = last.slice(0, last.length - trail.length);
  return {
    before: pieces.slice(0, firstText).join('') + lead,
    after: trail + pieces.slice(lastText + 1).join(''),
    segment: parts,
    codes,
  };
}

/** A segment without two texts side by side. */
function joined(segment: TextSegment): (string | Mark)[] {
  const parts: (string | Mark)[] = [];
  for (const part of segment) {
    const last = parts.at(-1);
    if (typeof part === 'string' && typeof last === 'string') parts[parts.length - 1] = last + part;
    else parts.push(part);
  }
  return parts;
}

/**
 * A header with its texts replaced, in the order of its sections. Where it would become longer than a
 * workbook may hold, the longest texts lose their ends.
 */
export function writeHeader(
  sections: readonly HeaderSection[],
  translated: readonly TextSegment[],
): string {
  const texts = translated.map((segment) => [...segment]);
  for (;;) {
    const header = sections
      .map((section, index) => writeSection(section, texts[index] ?? section.segment))
      .join('');
    const excess = header.length - MAX_LENGTH;
    if (excess <= 0) return header;
    if (!shorten(texts, excess)) return header.slice(0, MAX_LENGTH);
  }
}

function writeSection({ before, after, codes }: HeaderSection, segment: TextSegment): string {
  let written = before;
  for (const part of segment) {
    if (typeof part !== 'string') {
      written += codes[part.id - 1] ?? '';
      continue;
    }
    // A size swallows the digits behind it: "&12" and "2027" would be a size of 122027.
    const isTorn = /&\d+$/.test(written) && /^\d/.test(part);
    written += (isTorn ? ' ' : '') + part.replaceAll('&', '&&');
  }
  return written + after;
}

/** Takes characters from the end of the longest text; false when there are no more. */
function shorten(texts: (string | Mark)[][], excess: number): boolean {
  const [longest] = texts.toSorted((a, b) => plainText(b).length - plainText(a).length);
  const index = longest?.findLastIndex((part) => typeof part === 'string' && part !== '') ?? -1;
  const part = longest?.[index];
  if (longest === undefined || typeof part !== 'string') return false;
  const kept = Array.from(part).slice(0, -1);
  longest[index] = excess < kept.length ? kept.slice(0, kept.length + 1 - excess).join('') : '';
  return true;
}
