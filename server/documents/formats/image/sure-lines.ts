/**
 * What of the lines that were read is text for certain: patterns, and pictures at their ends, are none.
 * Bullets before lines are found by their shape, whatever they were read for.
 */
import { bulletBefore } from './bullets.ts';
import { meanConfidence } from './doubtful-cells.ts';
import { around, type OcrLine, type OcrWord, type RawPixels } from './ocr.ts';
import { gapBetween } from './read-bars.ts';
import type { PlacedLine } from './table-cells.ts';
import { turnedLine } from './turned-text.ts';

/** A line of text for certain. */
export type SureLine = PlacedLine & {
  /** Something stands before it that is no text, a bullet for example. */
  isMarked: boolean;
};

/** Mean confidence below which a line is a pattern rather than text. */
export const LINE_CONFIDENCE = 60;
/** What stands at a line's ends below this and not as a word does is a picture or rule beside it. */
const END_CONFIDENCE = 35;
const LETTERS = /^\p{P}*\p{L}\p{M}*(?:['’-]?\p{L}\p{M}*)+\p{P}*$/u;
/** In heights of letters: pictures beside a line are farther from it than words from each other. */
const WIDEST_BLANK = 0.5;
/** How far a word goes above and below those beside it, in heights of letters. */
const OUTSIDE_LINE = 0.15;
const HAS_WORD = /\p{L}\p{M}*\p{L}|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}]/u;
const HAS_LETTER_OR_DIGIT = /[\p{L}\p{N}]/u;
const NO_LETTERS = /\P{L}/gu;

/** What is read upright is a pattern more often: so sure it is, and has so many letters. */
const TURNED_CONFIDENCE = 80;
const FEWEST_TURNED = 3;

/** The lines that are sure to be text, without what is none at their ends. */
export function sureLines(lines: readonly PlacedLine[], gray: RawPixels): SureLine[] {
  return lines.flatMap((line) => {
    const found = withoutBullet(line, gray);
    if (found.words.length === 0) return [];
    const { from, end } = endsOf(turnedLine(found, gray));
    const words = found.words.slice(from, end);
    const text = joined(words.map((word) => word.text));
    const isTurned = line.angle !== 0;
    const least = isTurned ? TURNED_CONFIDENCE : LINE_CONFIDENCE;
    if (!HAS_WORD.test(text) || meanConfidence(words) < least) return [];
    if (isTurned && text.replace(NO_LETTERS, '').length < FEWEST_TURNED) return [];
    return [
      {
        ...found,
        words,
        box: around(words.map((word) => word.box)),
        letterHeightPx: isTurned ? line.letterHeightPx : letterHeightOf(line, words),
        isMarked: from > 0 || found.isMarked,
      },
    ];
  });
}

/** From descenders to ascenders. */
const HAS_FULL_HEIGHT = /[\p{Lu}bdfhkl].*[gjpqy]|[gjpqy].*[\p{Lu}bdfhkl]/u;

/** Of few letters a height is given that none of them has: those that go up and down show it. */
function letterHeightOf({ letterHeightPx }: PlacedLine, words: readonly OcrWord[]): number {
  const heights = words
    .filter(({ text }) => HAS_FULL_HEIGHT.test(text))
    .map(({ box }) => box.bottom - box.top);
  return heights.length === 0 ? letterHeightPx : Math.min(letterHeightPx, Math.max(...heights));
}

/** Leaves out what was read for a bullet. */
export function withoutBullet(line: PlacedLine, gray: RawPixels): SureLine {
  const bullet = line.angle === 0 ? bulletBefore(gray, line.box, line.isRightToLeft) : undefined;
  if (bullet === undefined) return { ...line, isMarked: false };
  const words = line.words.filter(({ box }) => {
    const middle = (box.left + box.right) / 2;
    return middle < bullet.left || middle > bullet.right;
  });
  return { ...line, words, isMarked: true };
}

/** From where to where the words of a line are: what stands at its ends may be none of it. */
function endsOf({ words: all, letterHeightPx }: OcrLine): { from: number; end: number } {
  const isWord = ({ text, confidence }: OcrWord): boolean =>
    confidence >= END_CONFIDENCE && HAS_LETTER_OR_DIGIT.test(text);
  let from = Math.max(0, all.findIndex(isWord));
  let to = all.findLastIndex(
    (word) => isWord(word) || (word.confidence >= LINE_CONFIDENCE && /\p{P}/u.test(word.text)),
  );
  const core = all.slice(from, to + 1);
  const isNext = (word: OcrWord | undefined, beside: OcrWord | undefined): boolean =>
    word !== undefined && beside !== undefined && goesOn(word, { beside, core, letterHeightPx });
  while (isNext(all[from - 1], all[from])) from--;
  while (isNext(all[to + 1], all[to])) to++;
  if (isBullet(all.slice(from))) from++;
  return { from, end: to + 1 };
}

/** Whether letters that were hard to read stand where the next word of a line does. */
function goesOn(
  { text, box }: OcrWord,
  {
    beside,
    core,
    letterHeightPx,
  }: { beside: OcrWord; core: readonly OcrWord[]; letterHeightPx: number },
): boolean {
  const line = around(core.map((word) => word.box));
  const outside = OUTSIDE_LINE * letterHeightPx;
  const gap = gapBetween(box, beside.box);
  return (
    LETTERS.test(text) &&
    gap >= 0 &&
    gap <= WIDEST_BLANK * letterHeightPx &&
    box.top >= line.top - outside &&
    box.bottom <= line.bottom + outside
  );
}

/** Bullets are read as `e`, `o`, `®`; after them comes more space than between words. */
const READ_FOR_BULLETS = /^[eoOc0©®@*•·»>+-]$/;
const BULLET_GAP = 1.6;

function isBullet([first, second, ...rest]: readonly OcrWord[]): boolean {
  if (first === undefined || second === undefined || !READ_FOR_BULLETS.test(first.text))
    return false;
  const gaps = rest.map(
    (word, index) => word.box.left - ([second, ...rest][index]?.box.right ?? 0),
  );
  const usual = gaps.sort((a, b) => a - b)[gaps.length >> 1];
  const height = second.box.bottom - second.box.top;
  return second.box.left - first.box.right > BULLET_GAP * (usual ?? height / 3);
}

const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}，。、！？：；（）「」]/u;

/** Words or lines as one text, with blanks where the script has them. */
export function joined(parts: readonly string[]): string {
  return parts.reduce((text, part) => {
    const isSpaced = !(UNSPACED.test(text.slice(-1)) && UNSPACED.test(part.slice(0, 1)));
    return text === '' ? part : `${text}${isSpaced ? ' ' : ''}${part}`;
  }, '');
}
