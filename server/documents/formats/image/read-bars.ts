/**
 * Corrects vertical bars in recognised text: letters such as `I`, gaps without ink, and real bars or rules.
 */
import type { OcrLetter, OcrLine, OcrWord, PixelBox, RawPixels } from './ocr.ts';
import type { Rule } from './rules.ts';

/** A bar alone, or with an English contraction: `|'m`, `|'ll`. */
const BAR = /^\|(?=['’]\p{L}|$)/u;
/** Characters as which gaps are misread. */
const MARKS = /^[-–—_~=|.·]+$/;
/** Words without descenders, whose lower edge is the baseline. */
export const WITHOUT_DESCENDERS =
  /^[^gjpqyQ,;|()[\]{}/_@$§]*[\p{L}\p{N}][^gjpqyQ,;|()[\]{}/_@$§]*$/u;
const SURE_OF_WORD = 60;

/** Tolerance of heights, in letter heights. */
const TOLERANCE = 0.08;
/** Minimum height of capitals, in letter heights. */
const SHORTEST_CAPITAL = 0.5;
/** How far a mark may be from its place, and how far letters extend beyond theirs, in letter heights. */
const ASTRAY = 0.4;
const EDGE = 0.03;
/** Minimum gap between separate texts, in letter heights. */
const NEAREST_APART = 1;

/**
 * Replaces bars that stand on the line like a capital by `I`, and drops marks without ink; a line is split at
 * such a gap if it is wide.
 * @param gray the picture that was recognised
 */
export function withBarsRead(line: OcrLine, gray: RawPixels): OcrLine[] {
  if (line.angle !== 0 || !line.words.some(({ text }) => BAR.test(text) || MARKS.test(text))) {
    return [line];
  }
  const paper = inkClassifier(gray, line.box);
  if (paper === undefined) return [line];
  const parts: OcrWord[][] = [[]];
  let isAfterGap = false;
  for (const [at, word] of line.words.entries()) {
    const box = roomFor(line, at);
    if (MARKS.test(word.text) && !hasInk(paper, box)) {
      isAfterGap = true;
      continue;
    }
    const before = parts.at(-1)?.at(-1);
    const isApart =
      isAfterGap &&
      before !== undefined &&
      gapBetween(before.box, word.box) >= NEAREST_APART * line.letterHeightPx;
    if (isApart) parts.push([]);
    const stroke = BAR.test(word.text) ? capitalIn(box, { line, paper }) : undefined;
    parts.at(-1)?.push(stroke === undefined ? word : letterFor(word, stroke));
    isAfterGap = false;
  }
  return parts.flatMap((words) => (words.length === 0 ? [] : [lineOf(line, words)]));
}

function lineOf(line: OcrLine, words: readonly OcrWord[]): OcrLine {
  if (words.length === line.words.length) return { ...line, words };
  const left = Math.min(...words.map(({ box }) => box.left));
  const right = Math.max(...words.map(({ box }) => box.right));
  const { leftPx, slope } = line.baseline;
  const baseline = { slope, leftPx: leftPx + slope * (left - line.box.left) };
  return { ...line, words, box: { ...line.box, left, right }, baseline };
}

/** Characters as which a vertical rule is misread. */
const RULE_SIGN = /[|¦!/\\{}[\]_]/u;
/** Distance from a rule, in letter heights, within which a character may be a misreading of it. */
const NEAR_RULE = 0.3;
/** Inaccuracy of letter positions: how far from a rule its misreading may be placed, in letter heights. */
const MISPLACED = 0.4;
/** Minimum extent of a word on both sides of a rule, in letter heights, at which it consists of two texts. */
const ACROSS = 0.15;

/**
 * Separates words from vertical rules: splits words read across a rule, and drops characters read for one.
 */
export function withoutRulesRead(line: OcrLine, rules: readonly Rule[]): OcrLine {
  const upright = rules.filter(({ isUpright }) => isUpright).map(({ box }) => box);
  if (line.angle !== 0 || upright.length === 0) return line;
  const words = line.words.flatMap((word) => clearOf(word, upright, line.letterHeightPx));
  return words.length === 0 ? line : { ...line, words };
}

function clearOf(
  word: OcrWord,
  [rule, ...rules]: readonly PixelBox[],
  letterHeightPx: number,
): OcrWord[] {
  if (rule === undefined) return [word];
  const others = (parts: readonly OcrWord[]): OcrWord[] =>
    parts.flatMap((part) => clearOf(part, rules, letterHeightPx));
  const { left, right, top, bottom } = word.box;
  const near = NEAR_RULE * letterHeightPx;
  const isBeside = rule.top < (top + bottom) / 2 && rule.bottom > (top + bottom) / 2;
  if (!isBeside || rule.right < left - near || rule.left > right + near) return others([word]);
  const { letters = [] } = word;
  const middle = middleOf(rule);
  const signs = letters.flatMap(({ text, box }, at) => {
    const apart = Math.abs(middleOf(box) - middle);
    return RULE_SIGN.test(text) && apart < MISPLACED * letterHeightPx ? [at] : [];
  });
  const isAcross = Math.min(rule.left - left, right - rule.right) > ACROSS * letterHeightPx;
  const cut = isAcross ? cutBetween(letters, middle) : undefined;
  const [from = cut] = signs;
  if (from === undefined) return others([word]);
  const to = signs.length > 0 ? from + signs.length : from;
  const parts = [letters.slice(0, from), letters.slice(to)].filter(({ length }) => length > 0);
  return others(
    parts.map((part) => {
      const isBefore = part.reduce((sum, { box }) => sum + middleOf(box) - middle, 0) < 0;
      const box = isBefore
        ? { ...word.box, right: Math.max(left + 1, Math.min(right, rule.left)) }
        : { ...word.box, left: Math.min(right - 1, Math.max(left, rule.right)) };
      return { ...word, text: part.map(({ text }) => text).join(''), letters: part, box };
    }),
  );
}

/**
 * Returns the index of the letter before which a rule passes: the one at which the other letters lie least on
 * the wrong side.
 */
function cutBetween(letters: readonly OcrLetter[], middle: number): number | undefined {
  const [first, last] = [letters[0], letters.at(-1)];
  if (first === undefined || last === undefined || letters.length < 2) return undefined;
  const isLeftFirst = first.box.left <= last.box.left;
  const wrong = (cut: number): number =>
    letters.reduce((sum, { box }, at) => {
      const isLeft = at < cut === isLeftFirst;
      return sum + Math.max(0, isLeft ? box.right - middle : middle - box.left);
    }, 0);
  const cuts = letters.slice(1).map((_, at) => at + 1);
  return cuts.reduce((best, cut) => (wrong(cut) < wrong(best) ? cut : best));
}

function middleOf({ left, right }: PixelBox): number {
  return (left + right) / 2;
}

/** Returns the pixels between two words of a line, negative where they overlap; works for both directions. */
export function gapBetween(a: PixelBox, b: PixelBox): number {
  return Math.max(b.left - a.right, a.left - b.right);
}

/** Returns where the ink of a word may be: recognition misplaces some words by half a letter. */
function roomFor({ words, letterHeightPx }: OcrLine, at: number): PixelBox {
  const { left, right, top, bottom } = words[at]?.box ?? { left: 0, right: 0, top: 0, bottom: 0 };
  const middle = (left + right) / 2;
  const others = words.filter((_, index) => index !== at).map(({ box }) => box);
  const before = others.filter((box) => box.left + box.right <= 2 * middle);
  const after = others.filter((box) => box.left + box.right > 2 * middle);
  const [reach, edge] = [ASTRAY * letterHeightPx, EDGE * letterHeightPx].map(Math.round);
  return {
    left: Math.max(left - (reach ?? 0), ...before.map((box) => box.right + (edge ?? 0))),
    right: Math.min(right + (reach ?? 0), ...after.map((box) => box.left - (edge ?? 0))),
    top,
    bottom,
  };
}

interface Paper {
  isInk: (x: number, y: number) => boolean;
  /** Difference between the strongest ink and the background, of 255. */
  contrast: number;
}

/**
 * Separates ink and paper: the background is the most frequent level, and ink is nearer to the level farthest
 * from it.
 */
export function inkClassifier(
  { data, width, height }: RawPixels,
  box: PixelBox,
): Paper | undefined {
  const counts = new Uint32Array(256);
  for (let y = Math.max(0, box.top); y < Math.min(height, box.bottom); y++) {
    for (let x = Math.max(0, box.left); x < Math.min(width, box.right); x++) {
      const level = data[y * width + x] ?? 0;
      counts[level] = (counts[level] ?? 0) + 1;
    }
  }
  const ground = counts.indexOf(Math.max(...counts));
  const levels = [...counts.keys()].filter((level) => (counts[level] ?? 0) > 0);
  const farthest = Math.max(...levels.map((level) => Math.abs(level - ground)));
  if (ground < 0 || farthest === 0) return undefined;
  const isInk = (x: number, y: number): boolean =>
    x >= 0 &&
    y >= 0 &&
    x < width &&
    y < height &&
    Math.abs((data[y * width + x] ?? ground) - ground) > farthest / 2;
  return { isInk, contrast: farthest };
}

function hasInk({ isInk }: Paper, { left, right, top, bottom }: PixelBox): boolean {
  for (let y = top; y < bottom; y++) {
    for (let x = left; x < right; x++) if (isInk(x, y)) return true;
  }
  return false;
}

function letterFor(word: OcrWord, stroke: PixelBox): OcrWord {
  const isAstray = stroke.left < word.box.left || stroke.right > word.box.right;
  const { box, confidence } = word;
  const text = word.text.replace(BAR, 'I');
  return { text, confidence, box: isAstray && text === 'I' ? stroke : box };
}

/** Returns the stroke in a box if it reaches from the baseline to tall letters' height; bars extend below. */
function capitalIn(
  box: PixelBox,
  { line, paper }: { line: OcrLine; paper: Paper },
): PixelBox | undefined {
  const { letterHeightPx, words, baseline } = line;
  const sure = words.filter(
    ({ text, confidence }) => confidence >= SURE_OF_WORD && /\p{L}/u.test(text),
  );
  /** Corrects the height for the slope of the line. */
  const levelled = (y: number, x: number): number => y - baseline.slope * (x - box.left);
  const feet = sure
    .filter(({ text }) => WITHOUT_DESCENDERS.test(text))
    .map((word) => levelled(word.box.bottom, word.box.left))
    .sort((a, b) => a - b);
  const foot = feet[feet.length >> 1];
  if (foot === undefined) return undefined;
  const head = Math.min(...sure.map((word) => levelled(word.box.top, word.box.left)));
  const stroke = strokeIn(box, { paper, throughPx: Math.round(foot - letterHeightPx / 4) });
  if (stroke === undefined || !isWithin(stroke, line)) return undefined;
  const tolerance = Math.max(2, TOLERANCE * letterHeightPx);
  const isTall =
    Math.abs(stroke.bottom - foot) <= tolerance &&
    stroke.top >= head - tolerance &&
    foot - stroke.top >= SHORTEST_CAPITAL * letterHeightPx;
  return isTall ? stroke : undefined;
}

/** Tests whether a stroke is a word of the text: a separator has more room on both sides. */
function isWithin(stroke: PixelBox, { words, letterHeightPx }: OcrLine): boolean {
  return words.some((word) => {
    const gap = gapBetween(word.box, stroke);
    return gap >= 0 && gap < NEAREST_APART * letterHeightPx && /\p{L}/u.test(word.text);
  });
}

/** Returns the longest vertical stroke that crosses a height. */
function strokeIn(
  { left, right }: PixelBox,
  { paper: { isInk }, throughPx }: { paper: Paper; throughPx: number },
): PixelBox | undefined {
  let longest: PixelBox | undefined;
  for (let x = left; x < right; x++) {
    if (!isInk(x, throughPx)) continue;
    let [top, bottom] = [throughPx, throughPx + 1];
    while (isInk(x, top - 1)) top--;
    while (isInk(x, bottom)) bottom++;
    if (longest === undefined || bottom - top > longest.bottom - longest.top) {
      longest = { left: x, right: x + 1, top, bottom };
    }
  }
  if (longest === undefined) return undefined;
  while (isInk(longest.left - 1, throughPx)) longest.left--;
  while (isInk(longest.right, throughPx)) longest.right++;
  return longest;
}
