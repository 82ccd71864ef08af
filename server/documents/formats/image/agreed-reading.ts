/**
 * Whether two readings of a page say all there is to say of it: they agree, and leave no ink that neither
 * has read. Reading it once more takes seconds and changes nothing.
 */
import { around, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import { isReadIn, WORD } from './plain-reading.ts';
import type { Rule } from './rules.ts';
import { inkLevel } from './struck-text.ts';
import type { PlacedLine } from './table-cells.ts';

/** Of 100: words of clean print have 95 and more. */
const SURE = 90;
/** What is less sure than this is no text, or no other reading would be believed about it. */
const LIKELY = 60;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Of the way from the darkest to paper: what is paler is paper. */
const INK_SHARE = 0.75;
/** In 1/96 inch: how far letters go beyond their places, and the soft edges of rules beyond theirs. */
const EDGE = 1.5;
/** In heights of letters: between words of one text there is less room. */
const BLANK = 0.8;
/** In 1/96 inch: squares that ink is counted in, and the side of one that is full of what may be unread. */
const SQUARE = 12;
const MOST_UNREAD = 1.6;

interface ReadPage {
  gray: RawPixels;
  rules: readonly Rule[];
  /** Its pixels to 1/96 inch. */
  unitPx: number;
}

/** Whether both readings have the same words, each of them sure, and all ink of a page is in them. */
export function isSettled(
  lines: readonly PlacedLine[],
  others: readonly PlacedLine[],
  page: ReadPage,
): boolean {
  const words = lines.flatMap((line) => line.words);
  const otherWords = others.flatMap((line) => line.words);
  return (
    words.length > 0 &&
    [...lines, ...others].every(({ angle }) => angle === 0) &&
    words.every((word) => isAgreed(word, others)) &&
    otherWords.every(
      (word) => word.confidence < LIKELY || !WORD.test(word.text) || isReadIn(lines, word),
    ) &&
    !hasInkBeside([...lines, ...others], page)
  );
}

function isAgreed(word: OcrWord, others: readonly PlacedLine[]): boolean {
  if (!HAS_LETTER_OR_DIGIT.test(word.text)) return true;
  return word.confidence >= SURE && isReadIn(others, word);
}

/** Where the words of a line are, and the blanks between them: letters are given places beside their own. */
function placesOf({ words, letterHeightPx }: PlacedLine): PixelBox[] {
  const boxes = words.map(({ box }) => box).toSorted((a, b) => a.left - b.left);
  const blanks = boxes.slice(1).flatMap((box, at) => {
    const before = boxes[at] ?? box;
    const isBlank = box.left > before.right && box.left - before.right < BLANK * letterHeightPx;
    return isBlank ? [{ ...around([before, box]), left: before.right, right: box.left }] : [];
  });
  return [...boxes, ...blanks];
}

/** Whether there is ink that belongs to no word and to no rule, as much of it as a letter has. */
function hasInkBeside(lines: readonly PlacedLine[], { gray, rules, unitPx }: ReadPage): boolean {
  const level = inkLevel(gray, INK_SHARE);
  if (level === undefined) return true;
  const { width, height } = gray;
  const edge = Math.ceil(EDGE * unitPx);
  const data = Uint8Array.from(gray.data);
  const covered = [...lines.flatMap(placesOf), ...rules.map(({ box }) => box)];
  for (const { left, right, top, bottom } of covered) {
    const [from, to] = [Math.max(0, left - edge), Math.min(width, right + edge)];
    for (let y = Math.max(0, top - edge); y < Math.min(height, bottom + edge); y += 1) {
      data.fill(255, y * width + from, y * width + to);
    }
  }
  const side = Math.max(1, Math.round(SQUARE * unitPx));
  const columns = Math.ceil(width / side);
  const counts = new Uint32Array(columns * Math.ceil(height / side));
  for (let y = 0, at = 0; y < height; y += 1) {
    const row = Math.floor(y / side) * columns;
    for (let x = 0; x < width; x += 1, at += 1) {
      if ((data[at] ?? 255) >= level) continue;
      const square = row + Math.floor(x / side);
      counts[square] = (counts[square] ?? 0) + 1;
    }
  }
  return counts.some((count) => count > (MOST_UNREAD * unitPx) ** 2);
}
