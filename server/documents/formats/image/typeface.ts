/** Finds the font that most resembles a line of a picture, by setting the same text in each candidate. */
import sharp from 'sharp';
import type { LanguageTag } from '../../../../shared/language.ts';
import type { Appearance } from './appearance.ts';
import { type Typeface, drawLines } from './typesetting.ts';
import type { OcrWord } from './ocr.ts';

/** A typeface with the size that produces the observed letter height. */
export interface MatchedTypeface {
  typeface: Typeface;
  sizePx: number;
  /** Distance from the lower edge of the letters' box to the baseline; negative if some letters descend. */
  baselineOffsetPx: number;
}

/** In order of likelihood: a later candidate has to be clearly better. */
const candidates: readonly Typeface[] = [
  { family: 'sans', isBold: false, isItalic: false },
  { family: 'sans', isBold: true, isItalic: false },
  { family: 'serif', isBold: false, isItalic: false },
  { family: 'serif', isBold: true, isItalic: false },
  { family: 'mono', isBold: false, isItalic: false },
  { family: 'sans', isBold: false, isItalic: true },
  { family: 'serif', isBold: false, isItalic: true },
];

/** Minimum lead in similarity of a later candidate. */
const CLEARLY = 0.02;
const DRAWN_PX = 64;
/** Half the maximum number of characters that a drawing has room for; more of a line says nothing new. */
const MOST_CHARACTERS = 60;

/** Number of a line's longest words that are compared. */
const MOST_WORDS = 3;

/**
 * Matches the letters of a line. If the places of words are known, they are compared one by one, since the
 * spaces between them vary in justified text.
 * @returns undefined if no font has the characters, or if the text does not match what is seen
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

/** The observed letters, tightly cropped. */
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

/** Returns the similarity to a font: at most 1, -Infinity if nothing can be drawn. */
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

/** Returns the box around the ink of a drawing, or of some of its columns. */
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

/** Returns the ink that two drawings share, relative to the ink of either, from 0 to 1. */
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
