/** Groups characters into lines: those on one baseline without a gap or ruling in between. */
import {
  type ReadLine,
  type LineCharacter,
  WORD_GAP_EMS,
  isListMarker,
  isDropCap,
  joinDropCaps,
  joinsWithoutBlanks,
  textOfLine,
  hasRightToLeft,
  inReadingOrder,
  isLineRightToLeft,
  rightToLeftShare,
} from './read-line.ts';
import { horizontalOverlap, union } from './geometry.ts';
import type { PageCharacter } from './page-characters.ts';
import type { Box, Ruling, TextStyle } from './page-model.ts';
import { cellGapsIn, guttersBetween } from './gutters.ts';

/** Minimum gap between columns and cells, in ems; spaces of justified text are narrower. */
const COLUMN_GAP_EMS = 1.5;
/** The same between pieces that are not adjacent in the file. */
const PIECE_GAP_EMS = 0.9;
/** Maximum gap between a list marker and its text, in ems. */
const MARKER_GAP_EMS = 4;
/** Maximum gap between the words of a justified line in a narrow column, in ems. */
const MAX_STRETCHED_EMS = 4;
/**
 * Maximum difference of such gaps, in ems, to which a share of the widest gap is added since letters are
 * kerned across spaces.
 */
const SAME_STRETCHED_EMS = 0.06;
const SAME_STRETCHED_SHARE = 0.05;
/**
 * Maximum difference of edges between such a line and the line right above or below, and their maximum
 * leading, in ems.
 */
const SAME_EDGE_EMS = 0.25;
const MAX_STRETCHED_LEADING_EMS = 2;
/** Rows above and below that are searched: one or two of each column. */
const MAX_ROWS_NEARBY = 8;
/** Maximum number of pieces of a row of text. */
const MAX_ROW_PIECES = 100;
/** Minimum median gap of letter-spaced text, in ems. */
const SPACED_GAP_EMS = 0.12;
/** Minimum number of gaps by which letter-spacing is recognised. */
const MIN_SPACED_GAPS = 4;

const blank = /^[\s\u200b]$/u;
/** Figures with the sign that ends a sentence, which a file may have first. Telephone numbers and times have none. */
const SENTENCE_END = /^(?:[.!?…][^\p{L}]+|[^\p{L}]+[.!?…])$/u;

/** Returns the lines of characters of one rotation; rulings apply only to level text. */
export function linesOf(
  characters: readonly PageCharacter[],
  rulings: readonly Ruling[],
): ReadLine[] {
  const drawn = rulings.filter(({ isHorizontal }) => !isHorizontal);
  const joinedBy = (upright: readonly Ruling[]): ReadLine[] =>
    joinStretched(joinPieces(piecesOf(characters, upright), upright), upright);
  const whole = joinedBy(drawn);
  const gutters = guttersBetween(rowsOf(whole));
  const parted = gutters.length === 0 ? whole : joinedBy([...drawn, ...gutters]);
  // Beside lines of other columns, the spaces of a stretched line look like gaps between cells.
  const cellGaps = cellGapsIn(rowsOf(parted));
  const isPageRightToLeft = rightToLeftShare(characters.map(({ text }) => text)) > 0.5;
  const lines = (cellGaps.length === 0 ? parted : joinedBy([...drawn, ...gutters, ...cellGaps]))
    .filter(({ characters: { length } }) => length > 0)
    .map((line) => withDirection(line, isPageRightToLeft))
    .map(withSpacing);
  return joinDropCaps(lines);
}

/** Groups characters that are adjacent in the file and have no gap between them. */
function piecesOf(characters: readonly PageCharacter[], upright: readonly Ruling[]): ReadLine[] {
  const pieces: ReadLine[] = [];
  let piece: ReadLine | undefined;
  let hasSpace = false;
  for (const [order, character] of characters.entries()) {
    if (blank.test(character.text)) {
      hasSpace = true;
      continue;
    }
    const place = piece === undefined ? undefined : placeIn(piece, character, upright);
    if (piece === undefined || place === undefined) {
      piece = startPiece(character, order);
      pieces.push(piece);
    } else {
      addCharacter({ piece, character, position: place, hasSpace });
    }
    hasSpace = false;
  }
  return pieces;
}

function startPiece(character: PageCharacter, order: number): ReadLine {
  return {
    characters: [{ character, hasSpaceBefore: false, hasBlankBefore: false, position: 'normal' }],
    box: { ...character.box },
    baseline: character.baseline,
    sizePoints: character.sizePoints,
    rotation: character.rotation,
    isRightToLeft: false,
    order,
  };
}

/** Returns the position of a character in a line; undefined if it does not belong to the line. */
function placeIn(
  piece: ReadLine,
  character: PageCharacter,
  upright: readonly Ruling[],
): TextStyle['position'] | undefined {
  const last = piece.characters.at(-1)?.character ?? character;
  const size = Math.max(piece.sizePoints, character.sizePoints);
  const gap = -horizontalOverlap(last.box, character.box);
  const rise = character.baseline - piece.baseline;
  if (isDropCap(piece, character.sizePoints)) return undefined;
  if (gap > COLUMN_GAP_EMS * size || isParted(last.box, character.box, piece, upright)) {
    return undefined;
  }
  // A step back over existing text: another line, or the second print of bold text.
  const isBack = character.box.left < last.box.left - 0.5 * size && gap < -0.5 * size;
  if (isBack && !hasRightToLeft(character.text)) return undefined;
  const isSmaller = character.sizePoints < 0.85 * piece.sizePoints;
  if (isSmaller && gap < 0.5 * size && rise > 0.1 * size && rise < 0.7 * size) return 'superscript';
  if (isSmaller && gap < 0.5 * size && rise < -0.08 * size && rise > -0.5 * size) {
    return 'subscript';
  }
  const isLarger = character.sizePoints > piece.sizePoints / 0.85;
  const isAfterMark = isLarger && gap < 0.5 * size && rise < 0 && rise > -0.7 * size;
  if (isAfterMark && piece.characters.length <= 3) {
    for (const member of piece.characters) member.position = 'superscript';
    piece.baseline = character.baseline;
    piece.sizePoints = character.sizePoints;
    return 'normal';
  }
  return Math.abs(rise) < 0.2 * size ? 'normal' : undefined;
}

/** Tests for a ruling between two boxes on one line. */
function isParted(
  a: Box,
  b: Box,
  { baseline, sizePoints }: ReadLine,
  upright: readonly Ruling[],
): boolean {
  if (upright.length === 0) return false;
  const [from, to] = a.left < b.left ? [a.right, b.left] : [b.right, a.left];
  if (to - from < 0.5) return false;
  const y = baseline + 1;
  return upright.some(
    (ruling) =>
      // The background of a word within a line is hardly higher than the line.
      ruling.to - ruling.from > 1.35 * sizePoints &&
      ruling.at > from - 0.5 &&
      ruling.at < to + 0.5 &&
      ruling.from <= y &&
      ruling.to >= y,
  );
}

function addCharacter({
  piece,
  character,
  position,
  hasSpace,
}: {
  piece: ReadLine;
  character: PageCharacter;
  position: TextStyle['position'];
  hasSpace: boolean;
}): void {
  const last = piece.characters.at(-1)?.character ?? character;
  const gap = -horizontalOverlap(last.box, character.box);
  const em = Math.min(last.emPoints, character.emPoints);
  const areJoined = joinsWithoutBlanks(last.text) && joinsWithoutBlanks(character.text);
  const hasGap = gap > WORD_GAP_EMS * em * (areJoined ? 3 : 1);
  piece.characters.push({
    character,
    hasSpaceBefore: hasSpace || hasGap,
    hasBlankBefore: hasSpace,
    position,
  });
  grow(piece.box, character.box);
}

function grow(box: Box, by: Box): void {
  box.left = Math.min(box.left, by.left);
  box.right = Math.max(box.right, by.right);
  box.bottom = Math.min(box.bottom, by.bottom);
  box.top = Math.max(box.top, by.top);
}

/** Joins pieces that are apart in the file but stand side by side. */
function joinPieces(pieces: readonly ReadLine[], upright: readonly Ruling[]): ReadLine[] {
  const lines: ReadLine[] = [];
  for (const pieceRow of rowsOf(pieces)) {
    const row = interleaved(pieceRow).sort((a, b) => a.box.left - b.box.left);
    let group: ReadLine[] = [];
    for (const piece of row) {
      const last = group.at(-1);
      if (last !== undefined && !standTogether(last, piece, upright)) {
        lines.push(joined(group));
        group = [];
      }
      group.push(piece);
    }
    if (group.length > 0) lines.push(joined(group));
  }
  return lines.sort((a, b) => a.order - b.order);
}

/**
 * Splits the pieces of a row where other text stands in their gaps: where a font lacks the letters, programs
 * write its digits and signs together, and the letters of another font after them.
 */
function interleaved(row: readonly ReadLine[]): ReadLine[] {
  const ordered = [...row].sort((a, b) => a.box.left - b.box.left);
  const areApart = ordered.every(
    ({ box }, at) => box.right <= (ordered[at + 1]?.box.left ?? Infinity),
  );
  if (areApart) return ordered;
  const centers = Float64Array.from(
    row.flatMap(({ characters }) =>
      characters.map(({ character: { box } }) => (box.left + box.right) / 2),
    ),
  ).sort();
  return row.flatMap((piece) => {
    const { characters } = piece;
    const starts = characters.flatMap(({ character: { box } }, at) => {
      const last = characters[at - 1]?.character.box ?? box;
      const [from, to] = last.left < box.left ? [last.right, box.left] : [box.right, last.left];
      return to > from && hasValueBetween(centers, from, to) ? [at] : [];
    });
    if (starts.length === 0) return [piece];
    return [0, ...starts].map((start, part) => {
      const [first, ...others] = characters.slice(start, starts[part]);
      const members = first === undefined ? [] : [{ ...first, hasSpaceBefore: false }, ...others];
      return {
        ...piece,
        characters: members,
        box: union(members.map((each) => each.character.box)),
      };
    });
  });
}

/** Tests for a value between two bounds in a sorted array. */
function hasValueBetween(sorted: Float64Array, from: number, to: number): boolean {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? 0) > from) high = middle;
    else low = middle + 1;
  }
  return (sorted[low] ?? Infinity) < to;
}

/** Groups pieces by baseline, top first. */
function rowsOf(pieces: readonly ReadLine[]): ReadLine[][] {
  const rows: ReadLine[][] = [];
  let row: ReadLine[] | undefined;
  let baseline = 0;
  for (const piece of [...pieces].sort((a, b) => b.baseline - a.baseline)) {
    if (row === undefined || baseline - piece.baseline > 0.2 * piece.sizePoints) {
      row = [];
      rows.push(row);
      baseline = piece.baseline;
    }
    row.push(piece);
  }
  return rows;
}

function standTogether(left: ReadLine, right: ReadLine, upright: readonly Ruling[]): boolean {
  const size = Math.max(left.sizePoints, right.sizePoints);
  const gap = right.box.left - left.box.right;
  if (gap < -0.6 * size || isDropCap(left, right.sizePoints)) return false;
  if (isParted(left.box, right.box, left, upright)) return false;
  if (gap <= PIECE_GAP_EMS * size) return true;
  return gap <= MARKER_GAP_EMS * size && isListMarker(textOfLine(left));
}

function joined(group: ReadLine[]): ReadLine {
  const [first] = group;
  if (group.length === 1 && first !== undefined) return first;
  const characters: LineCharacter[] = [];
  for (const [at, piece] of group.entries()) {
    const previous = group[at - 1];
    const gap = previous === undefined ? 0 : -horizontalOverlap(previous.box, piece.box);
    for (const [index, member] of piece.characters.entries()) {
      const isWord = index === 0 && gap > WORD_GAP_EMS * member.character.emPoints;
      characters.push(isWord ? { ...member, hasSpaceBefore: true } : member);
    }
  }
  const largest = group.reduce((a, b) => (b.characters.length > a.characters.length ? b : a));
  return {
    characters,
    box: union(group.map(({ box }) => box)),
    baseline: largest.baseline,
    sizePoints: largest.sizePoints,
    rotation: largest.rotation,
    isRightToLeft: false,
    order: Math.min(...group.map(({ order }) => order)),
  };
}

/** Joins the words of justified lines with gaps as wide as column gaps, from top to bottom. */
function joinStretched(lines: readonly ReadLine[], upright: readonly Ruling[]): ReadLine[] {
  const rows = rowsOf(lines);
  for (const [at, row] of rows.entries()) {
    if (row.length < 2 || row.length > MAX_ROW_PIECES) continue;
    const nearby = rowsAround(rows, at).flatMap((others) => others.slice(0, MAX_ROW_PIECES));
    for (const line of nearby) {
      const words = row
        .filter((piece) => isWithin(piece, line))
        .sort((a, b) => a.box.left - b.box.left);
      if (!areStretched(words, upright)) continue;
      const full = nearby.filter((other) => isAsWide(words, other));
      // Two words have a single gap, which could be a column gap, so full lines must stand both above and
      // below.
      const isAbove = full.some(({ baseline }) => baseline > (words[0]?.baseline ?? 0));
      const isBelow = full.some(({ baseline }) => baseline < (words[0]?.baseline ?? 0));
      if (hasBlanks(words) ? !isAbove && !isBelow : !isAbove || !isBelow) continue;
      row.splice(0, row.length, ...row.filter((piece) => !words.includes(piece)), joined(words));
    }
  }
  return rows.flat().sort((a, b) => a.order - b.order);
}

/**
 * Returns the rows close enough above and below to hold a line of the same column; rows of other columns may
 * lie between.
 */
function rowsAround(rows: readonly ReadLine[][], at: number): ReadLine[][] {
  const [line] = rows[at] ?? [];
  if (line === undefined) return [];
  const isNear = (row: readonly ReadLine[]): boolean => {
    const apart = Math.abs((row[0]?.baseline ?? line.baseline) - line.baseline);
    return apart < MAX_STRETCHED_LEADING_EMS * line.sizePoints;
  };
  const above = rows.slice(Math.max(0, at - MAX_ROWS_NEARBY), at).filter(isNear);
  return [...above, ...rows.slice(at + 1, at + 1 + MAX_ROWS_NEARBY).filter(isNear)];
}

function isWithin({ box, sizePoints }: ReadLine, line: ReadLine): boolean {
  const most = SAME_EDGE_EMS * sizePoints;
  return box.left > line.box.left - most && box.right < line.box.right + most;
}

/** Tests whether pieces, from left to right, are words of one size with equal gaps. */
function areStretched(words: readonly ReadLine[], upright: readonly Ruling[]): boolean {
  const [first] = words;
  if (first === undefined || words.length < 2) return false;
  const size = first.sizePoints;
  const gaps = words.flatMap(({ box, characters }, at) => {
    const before = words[at - 1];
    const inside = characters.flatMap((member, index) => {
      const last = characters[index - 1];
      return last !== undefined && member.hasSpaceBefore ? [gapBetween(last, member)] : [];
    });
    return before === undefined ? inside : [box.left - before.box.right, ...inside];
  });
  const widest = Math.max(...gaps);
  return (
    gaps.every((gap) => gap > 0 && gap < MAX_STRETCHED_EMS * size) &&
    widest - Math.min(...gaps) < SAME_STRETCHED_EMS * size + SAME_STRETCHED_SHARE * widest &&
    words.every(({ sizePoints }) => Math.abs(sizePoints - size) < 0.1 * size) &&
    words.slice(1).every(({ box }, at) => !isParted((words[at] ?? first).box, box, first, upright))
  );
}

function gapBetween(a: LineCharacter, b: LineCharacter): number {
  return -horizontalOverlap(a.character.box, b.character.box);
}

/** Tests whether pieces have more gaps than the one between two single words. */
function hasBlanks(words: readonly ReadLine[]): boolean {
  return (
    words.length > 2 ||
    words.some(({ characters }) =>
      characters.some(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore),
    )
  );
}

/**
 * Tests whether a line of several words stands right above or below some words and is as wide as they are.
 */
function isAsWide(words: readonly ReadLine[], line: ReadLine): boolean {
  const [first, last] = [words[0], words.at(-1)];
  if (first === undefined || last === undefined) return false;
  const size = first.sizePoints;
  const leading = Math.abs(first.baseline - line.baseline);
  const indent = first.box.left - line.box.left;
  const isFirst = line.baseline < first.baseline && indent > 0 && indent < MAX_STRETCHED_EMS * size;
  return (
    leading < MAX_STRETCHED_LEADING_EMS * size &&
    Math.abs(line.sizePoints - size) < 0.1 * size &&
    (isFirst || Math.abs(indent) < SAME_EDGE_EMS * size) &&
    Math.abs(last.box.right - line.box.right) < SAME_EDGE_EMS * size &&
    line.characters.some(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore)
  );
}

/** Puts a line with right-to-left words, or with the figures that end their sentence, in reading order. */
function withDirection(line: ReadLine, isPageRightToLeft: boolean): ReadLine {
  const texts = line.characters.map(({ character }) => character.text);
  const share = rightToLeftShare(texts);
  const isEnd = isPageRightToLeft && SENTENCE_END.test(texts.join(''));
  if (share === 0 && !isEnd) return line;
  const isRightToLeft = isEnd || isLineRightToLeft(share, isPageRightToLeft);
  const { sizePoints } = line;
  const characters = inReadingOrder(line.characters, { isRightToLeft, sizePoints });
  return { ...line, isRightToLeft, characters };
}

/** In letter-spaced text, only wider gaps separate words. */
function withSpacing(line: ReadLine): ReadLine {
  const { characters, sizePoints } = line;
  const gaps = characters
    .slice(1)
    .map((member, at) => gapBetween(characters[at] ?? member, member) / sizePoints);
  const median = [...gaps].sort((a, b) => a - b)[Math.floor(gaps.length / 2)] ?? 0;
  if (gaps.length < MIN_SPACED_GAPS || median < SPACED_GAP_EMS) return line;
  const spaced = characters.map((member, at): LineCharacter => {
    const isWord = (gaps[at - 1] ?? 0) > median + WORD_GAP_EMS / 2;
    return { ...member, hasSpaceBefore: member.hasBlankBefore || isWord };
  });
  return { ...line, characters: spaced };
}
