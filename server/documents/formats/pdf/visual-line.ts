/** The parts of a line in the order in which they are seen, from left to right. */
import type { OpenFont, ShapedGlyph } from '../fonts/shaped-text.ts';
import { type LaidOutLine, type MeasuredUnit, spaceWidth, type TextPart } from './laid-out-text.ts';
import type { Box, TextStyle } from './page-model.ts';

/** Text of one font, size and colour at its place; level coordinates. */
export interface LinePart {
  font: OpenFont;
  glyphs: readonly ShapedGlyph[];
  /** What the glyphs say where it does not follow from their order. */
  actualText: string | undefined;
  sizePoints: number;
  style: TextStyle;
  /** Up to the next part: blanks may have been widened. */
  widthPoints: number;
  link: number | undefined;
  x: number;
  y: number;
  box: Box;
}

/** Blanks are not stretched to more than this share of the size: better a ragged line. */
const MAX_STRETCH = 1.5;
/** Between ideographs, which have no blanks, it is less. */
const MAX_LETTER_STRETCH = 0.25;

/** How far raised and lowered signs stand from the baseline, as shares of the size. */
const RISE = { normal: 0, superscript: 0.33, subscript: -0.14 } as const;

interface Piece {
  part: TextPart;
  /** Room after it that justification may widen. */
  isGap: boolean;
}

/** Places a line's parts; `stretch` points are shared by its blanks. */
export function visualParts({
  line,
  size,
  stretch,
  isRightToLeft,
  x,
  y,
}: {
  line: LaidOutLine;
  size: number;
  stretch: number;
  isRightToLeft: boolean;
  x: number;
  y: number;
}): LinePart[] {
  const pieces = reordered(piecesOf(line.units), isRightToLeft);
  const gaps = pieces.filter(({ isGap }) => isGap).length;
  const most = line.units.some(({ space }) => space !== undefined)
    ? MAX_STRETCH
    : MAX_LETTER_STRETCH;
  const isStretched = gaps > 0 && stretch / gaps <= most * size;
  const extra = isStretched ? stretch / gaps : 0;
  // What is not shared out stays at the end of the line.
  let at = isRightToLeft && !isStretched ? x + stretch : x;
  return pieces.map(({ part, isGap }) => {
    const partSize = part.share * size;
    const width = (part.shaped.advance * partSize) / 1000;
    const { style, link } = part.look;
    const baseline = y + RISE[style.position] * size;
    const placed: LinePart = {
      font: part.font,
      glyphs: part.shaped.glyphs,
      actualText: actualText(part),
      sizePoints: partSize,
      style,
      widthPoints: width + (isGap ? extra : 0),
      link,
      x: at,
      y: baseline,
      box: { left: at, right: at + width, bottom: y - size * 0.22, top: y + size * 0.78 },
    };
    at += width + (isGap ? extra : 0);
    return placed;
  });
}

/**
 * Indic vowel signs are drawn before the letter after which they are read, and readers take marks
 * without a width of their own for letters of the next syllable.
 */
function actualText({ text, shaped, level }: TextPart): string | undefined {
  if (level % 2 === 1) return undefined;
  let shown = '';
  let hasMarks = false;
  for (const { codePoints, advance } of shaped.glyphs) {
    shown += String.fromCodePoint(...codePoints);
    if (advance === 0) hasMarks = true;
  }
  return shown === text && !hasMarks ? undefined : text;
}

function piecesOf(units: readonly MeasuredUnit[]): Piece[] {
  const hasSpaces = units.some((unit) => spaceWidth(unit) > 0);
  const pieces: Piece[] = [];
  for (const [at, { parts, space }] of units.entries()) {
    const isLast = at === units.length - 1;
    for (const [index, part] of parts.entries()) {
      const isUnitEnd = index === parts.length - 1;
      pieces.push({ part, isGap: !hasSpaces && isUnitEnd && !isLast });
    }
    if (space !== undefined && !isLast) pieces.push({ part: space, isGap: true });
  }
  return pieces;
}

/** Rule L2 of the bidirectional algorithm (UAX #9): from the highest level down, runs turn round. */
function reordered(pieces: Piece[], isRightToLeft: boolean): Piece[] {
  const base = isRightToLeft ? 1 : 0;
  const highest = Math.max(base, ...pieces.map(({ part }) => part.level));
  for (let level = highest; level > 0; level -= 1) {
    let from = 0;
    while (from < pieces.length) {
      let to = from;
      while (to < pieces.length && (pieces[to]?.part.level ?? 0) >= level) to += 1;
      if (to > from + 1) pieces.splice(from, to - from, ...pieces.slice(from, to).reverse());
      from = to + 1;
    }
  }
  return pieces;
}
