/** Finds the font that a line of a picture looks most like, by setting the same text in each. */
import sharp from 'sharp';
import type { LanguageTag } from '../../../../shared/language.ts';
import type { Appearance } from './appearance.ts';
import { type Typeface, drawLines } from './typesetting.ts';
import type { OcrWord } from './ocr.ts';

/** A typeface with the size that gives letters of the height that was seen. */
export interface MatchedTypeface {
  typeface: Typeface;
  sizePx: number;
  /** Below the lower edge of the letters' box: negative when some of them descend. */
  baselineOffsetPx: number;
}

/** In the order of likelihood: a later one has to be clearly better. */
const candidates: readonly Typeface[] = [
  { family: 'sans', isBold: false, isItalic: false },
  { family: 'sans', isBold: true, isItalic: false },
  { family: 'serif', isBold: false, isItalic: false },
  { family: 'serif', isBold: true, isItalic: false },
  { family: 'mono', isBold: false, isItalic: false },
  { family: 'sans', isBold: false, isItalic: true },
  { family: 'serif', isBold: false, isItalic: true },
];

/** Upright and plain unless that is clearly less like it. */
const CLEARLY = 0.02;
const DRAWN_PX = 64;
/** More of a line says nothing new. */
const MOST_CHARACTERS = 60;

/** So many words of a line are compared: the longest. */
const MOST_WORDS = 3;

/**
 * Matches a line's letters. Words are compared one by one where their places are known, as the blanks
 * between them are wider where a text is justified.
 *
 * @returns undefined when no font has the characters, or what was read is not what is seen
 */
export async function matchTypeface(
  text: string,
  appearance: Appearance,
  language: LanguageTag,
  words: readonly OcrWord[] = [],
): Promise<MatchedTypeface | undefined> {
  const pieces = piecesOf(text, appearance, words);
  let best: { score: number; typeface: Typeface } | undefined;
  for (const typeface of candidates) {
    let score = 0;
    for (const piece of pieces) {
      score += (await scoreOf(piece, { typeface, language })) / pieces.length;
    }
    if (Number.isFinite(score) && (best === undefined || score > best.score + CLEARLY)) {
      best = { score, typeface };
    }
  }
  if (best === undefined) return undefined;
  const { typeface } = best;
  const drawing = await drawTrimmed(text, { typeface, language });
  if (drawing === undefined) return undefined;
  const { top, bottom } = appearance.inkBox;
  const scale = (bottom - top) / drawing.height;
  const baselineOffsetPx = -drawing.belowBaseline * scale;
  return { typeface, sizePx: DRAWN_PX * scale, baselineOffsetPx };
}

/** Letters as they are seen, tightly cut. */
interface Piece {
  text: string;
  coverage: Uint8Array;
  width: number;
  height: number;
}

function piecesOf(
  text: string,
  { inkBox, coverage }: Appearance,
  words: readonly OcrWord[],
): Piece[] {
  const width = inkBox.right - inkBox.left;
  const longest = words
    .filter((word) => /\p{L}/u.test(word.text))
    .toSorted((a, b) => b.text.length - a.text.length)
    .slice(0, MOST_WORDS);
  const pieces = longest.flatMap((word) => {
    const left = Math.max(0, word.box.left - inkBox.left);
    const right = Math.min(width, word.box.right - inkBox.left);
    const box = right > left ? inkBoxOf(coverage, width, { left, right }) : undefined;
    return box === undefined
      ? []
      : [{ text: word.text, ...box, coverage: cutOut(coverage, width, box) }];
  });
  if (pieces.length > 0) return pieces;
  return [{ text, coverage, width, height: inkBox.bottom - inkBox.top }];
}

/** How much letters are like those of a font: at most 1, -Infinity when the font has none. */
async function scoreOf(
  piece: Piece,
  lettering: { typeface: Typeface; language: LanguageTag },
): Promise<number> {
  const drawing = await drawTrimmed(piece.text, lettering);
  if (drawing === undefined) return -Infinity;
  const expected = (drawing.width / drawing.height) * piece.height;
  return (await likeness(drawing, piece)) - 2 * Math.abs(Math.log(expected / piece.width));
}

interface Drawing {
  ink: Uint8Array;
  width: number;
  height: number;
  belowBaseline: number;
}

async function drawTrimmed(
  text: string,
  { typeface, language }: { typeface: Typeface; language: LanguageTag },
): Promise<Drawing | undefined> {
  const width = Math.ceil(DRAWN_PX * (Math.min(text.length, MOST_CHARACTERS * 2) + 2));
  const height = 2 * DRAWN_PX;
  const baseline = 1.4 * DRAWN_PX;
  const line = { text, x: width / 2, baseline, anchor: 'center' as const, sizePx: DRAWN_PX };
  const drawing = await drawLines([line], { typeface, language, width, height });
  const box = inkBoxOf(drawing, width);
  if (box === undefined) return undefined;
  const belowBaseline = box.top + box.height - baseline;
  const ink = cutOut(drawing, width, box);
  return { ink, width: box.width, height: box.height, belowBaseline };
}

interface InkBox {
  left: number;
  top: number;
  width: number;
  height: number;
}

function cutOut(
  ink: Uint8Array,
  rowLength: number,
  { left, top, width, height }: InkBox,
): Uint8Array {
  const piece = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const from = (top + y) * rowLength + left;
    piece.set(ink.subarray(from, from + width), y * width);
  }
  return piece;
}

/** Around the ink of a drawing, or of some columns of it. */
function inkBoxOf(
  ink: Uint8Array,
  rowLength: number,
  columns: { left: number; right: number } = { left: 0, right: rowLength },
): InkBox | undefined {
  let [left, right, top, bottom] = [rowLength, -1, -1, -1];
  for (let y = 0; y * rowLength < ink.length; y++) {
    for (let x = columns.left; x < columns.right; x++) {
      if ((ink[y * rowLength + x] ?? 0) < 128) continue;
      bottom = y;
      if (top < 0) top = y;
      left = Math.min(left, x);
      right = Math.max(right, x);
    }
  }
  if (right < 0) return undefined;
  return { left, top, width: right + 1 - left, height: bottom + 1 - top };
}

/** The ink that two drawings have in common as a share of what either has, from 0 to 1. */
async function likeness(drawing: Drawing, { coverage, width, height }: Piece): Promise<number> {
  const raw = { width: drawing.width, height: drawing.height, channels: 1 as const };
  const resized = await sharp(drawing.ink, { raw })
    .resize(width, height, { fit: 'fill' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  let common = 0;
  let either = 0;
  for (const [at, seen] of coverage.entries()) {
    const drawn = resized[at] ?? 0;
    common += Math.min(seen, drawn);
    either += Math.max(seen, drawn);
  }
  return either === 0 ? 0 : common / either;
}
