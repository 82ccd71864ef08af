/**
 * Compares what several readings of a page have at the place of a word, and tests whether two readings settle
 * it: they agree, and leave no ink unread. Another reading would take seconds and change nothing.
 */
import { areNearlyAlike, lettersAlone, SURE } from './better-reading.ts';
import { around, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import type { Rule } from './rules.ts';
import { inkLevel } from './struck-text.ts';
import type { PlacedLine } from './table-cells.ts';

/** Overlap, as a share of the smaller box, above which two words are at one place. */
const SAME_PLACE = 0.25;
/** Minimum share of a word that another reading places there too. */
const MOST_OF_WORD = 0.6;
/**
 * Minimum confidence of a long word in small letters, apart from its first letter. Pictures are hardly ever
 * misread as one, so on a page of text it counts as a word, also if it was read twice in much the same way.
 */
const SURE_LONG = 35;
const LONG_ALONE = /^\p{L}\p{M}*(?:\p{Ll}\p{M}*){4,}$/u;
/** Minimum number of certain words of a page of text, and their minimum share. */
const FEWEST_OF_TEXT = 10;
const MOST_SURE = 0.5;
/** A word: two letters or an ideogram, since rules are misread as single letters and signs. */
export const WORD =
  /^[\p{P}\p{Sc}]*(?:\p{L}{1,2}['’])?[\p{L}\p{N}]*(?:\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}])[\p{L}\p{M}\p{N}\p{P}]*$/u;
/** Confidence, of 100, of a settled word; words of clean print have 95 and more. */
const SETTLED = 90;
/** Confidence below which a result is no text, or would not be believed against another reading. */
const LIKELY = 60;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
/** Ink level, as a share of the way from the darkest level to paper. */
const INK_SHARE = 0.75;
/** How far letters, and blurred edges of rules, extend beyond their boxes, in 1/96 inch. */
const EDGE = 1.5;
/** Maximum gap between words of one text, in letter heights. */
const BLANK = 0.8;
/**
 * Side of the squares in which ink is counted, and of a filled square that may remain unread, in 1/96 inch.
 */
const SQUARE = 12;
const MOST_UNREAD = 1.6;

interface ReadPage {
  gray: RawPixels;
  rules: readonly Rule[];
  /** Pixels per 1/96 inch. */
  unitPx: number;
}

/** Tests whether both readings have the same words, all certain, and cover all ink of a page. */
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
    words.every((word) => isSettledWord(word, others)) &&
    otherWords.every(
      (word) => word.confidence < LIKELY || !WORD.test(word.text) || isReadIn(lines, word),
    ) &&
    !hasInkBeside([...lines, ...others], page)
  );
}

function isSettledWord(word: OcrWord, others: readonly PlacedLine[]): boolean {
  if (!HAS_LETTER_OR_DIGIT.test(word.text)) return true;
  return word.confidence >= SETTLED && isReadIn(others, word);
}

/**
 * Returns the boxes of a line's words and of the spaces between them, since letters may be misplaced into
 * these.
 */
function placesOf({ words, letterHeightPx }: PlacedLine): PixelBox[] {
  const boxes = words.map(({ box }) => box).toSorted((a, b) => a.left - b.left);
  const blanks = boxes.slice(1).flatMap((box, at) => {
    const before = boxes[at] ?? box;
    const isBlank = box.left > before.right && box.left - before.right < BLANK * letterHeightPx;
    return isBlank ? [{ ...around([before, box]), left: before.right, right: box.left }] : [];
  });
  return [...boxes, ...blanks];
}

/** Tests for ink outside of words and rules, as much as a letter has. */
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

/** Returns tests of a word against several readings of a page. */
export function confirmations(
  page: readonly (readonly PlacedLine[])[],
  original: readonly PlacedLine[],
) {
  const readings = [...page, original];
  const isOfText = isMostlySure(original);
  const inBoth = (isRead: (lines: readonly PlacedLine[]) => boolean): boolean =>
    isRead(original) && page.some(isRead);
  return {
    /** The word was read twice. */
    isAgreed: (word: OcrWord): boolean =>
      readings.filter((lines) => isReadIn(lines, word)).length > 1,
    /** The word was read on the page and in the original scan. */
    isConfirmed: (word: OcrWord): boolean => inBoth((lines) => isReadIn(lines, word)),
    /** The word is too long to be a misread picture, on a page of text. */
    isLongOfText: (word: OcrWord): boolean =>
      isOfText &&
      LONG_ALONE.test(lettersAlone(word)) &&
      (word.confidence >= SURE_LONG || inBoth((lines) => isNearlyReadIn(lines, word))),
  };
}

function isMostlySure(lines: readonly PlacedLine[]): boolean {
  const words = lines.flatMap((line) => line.words);
  const sure = words.filter(({ confidence }) => confidence >= SURE);
  return sure.length >= FEWEST_OF_TEXT && sure.length >= MOST_SURE * words.length;
}

/** Tests whether the same word was read at its place. */
export function isReadIn(lines: readonly PlacedLine[], { text, box }: OcrWord): boolean {
  return wordsAt(lines, box, MOST_OF_WORD).some(
    ({ word }) => word.text === text || lettersAlone(word) === lettersAlone({ text }),
  );
}

/** Tests whether a word of nearly the same letters was read at its place. */
function isNearlyReadIn(lines: readonly PlacedLine[], word: OcrWord): boolean {
  return wordsAt(lines, word.box, MOST_OF_WORD).some((read) =>
    areNearlyAlike(lettersAlone(word), lettersAlone(read.word)),
  );
}

/** Returns the words at a place, or at a part of it. */
export function wordsAt<Line extends PlacedLine>(
  lines: readonly Line[],
  place: PixelBox,
  least = SAME_PLACE,
): { line: Line; word: OcrWord }[] {
  const found: { line: Line; word: OcrWord }[] = [];
  // Each word of a page is compared with all of another reading, nearly all of which are elsewhere: the cheap
  // tests come first.
  for (const line of lines) {
    for (const word of line.words) {
      const { box } = word;
      if (box.left >= place.right || box.right <= place.left) continue;
      if (box.top >= place.bottom || box.bottom <= place.top) continue;
      if (Math.max(shareWithin(box, place), shareWithin(place, box)) > least) {
        found.push({ line, word });
      }
    }
  }
  return found;
}

/** Returns the share of a box that lies in another. */
export function shareWithin(inner: PixelBox, outer: PixelBox): number {
  const width = Math.min(inner.right, outer.right) - Math.max(inner.left, outer.left);
  const height = Math.min(inner.bottom, outer.bottom) - Math.max(inner.top, outer.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / ((inner.right - inner.left) * (inner.bottom - inner.top));
}

/** Returns the share of a box's width that another has as well. */
export function widthWithin(inner: PixelBox, outer: PixelBox): number {
  const width = Math.min(inner.right, outer.right) - Math.max(inner.left, outer.left);
  return width / (inner.right - inner.left);
}
