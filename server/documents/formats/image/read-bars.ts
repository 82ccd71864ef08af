/** Upright bars that recognition reads: letters like `I`, gaps without any ink, or bars indeed. */
import type { OcrLetter, OcrLine, OcrWord, PixelBox, RawPixels } from './ocr.ts';
import type { Rule } from './rules.ts';

/** A bar by itself, or with what English adds to the letter: `|'m`, `|'ll`. */
const BAR = /^\|(?=['’]\p{L}|$)/u;
/** What gaps are read for. */
const MARKS = /^[-–—_~=|.·]+$/;
/** Their feet stand on the line. */
export const WITHOUT_DESCENDERS =
  /^[^gjpqyQ,;|()[\]{}/_@$§]*[\p{L}\p{N}][^gjpqyQ,;|()[\]{}/_@$§]*$/u;
const SURE_OF_WORD = 60;

/** In heights of a line's letters. */
const TOLERANCE = 0.08;
/** Capitals are at least as high as this. */
const SHORTEST_CAPITAL = 0.5;
/** How far from its place a mark may be, and how far letters go beyond theirs. */
const ASTRAY = 0.4;
const EDGE = 0.03;
/** Words of one text are closer. */
const NEAREST_APART = 1;

/**
 * The line with `I` for each bar that stands on the line as a capital does, and without marks where
 * there is no ink; such a gap, when wide, is between two texts.
 *
 * @param gray what was recognised
 */
export function withBarsRead(line: OcrLine, gray: RawPixels): OcrLine[] {
  if (line.angle !== 0 || !line.words.some(({ text }) => BAR.test(text) || MARKS.test(text))) {
    return [line];
  }
  const paper = paperOf(gray, line.box);
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

/** What an upright rule is read for. */
const RULE_SIGN = /[|¦!/\\{}[\]_]/u;
/** In heights of a line's letters: what stands nearer to a rule may be read for it. */
const NEAR_RULE = 0.3;
/** How far from its place a rule may be read, in heights of letters: places of letters are rough. */
const MISPLACED = 0.4;
/** A word that goes on so far on both sides of a rule, in heights of letters, is of two texts. */
const ACROSS = 0.15;

/** The line with its words clear of upright rules: those read over one are two, signs read for one go. */
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

/** Before which letter a rule goes through a word: where the others lie least on the wrong side. */
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

/** Pixels between two words of a line, negative where they overlap; from right to left the next is on the left. */
export function gapBetween(a: PixelBox, b: PixelBox): number {
  return Math.max(b.left - a.right, a.left - b.right);
}

/** Where the ink of a word may be: recognition gives some places half a letter beside it. */
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
  /** How much the strongest ink differs from the ground, of 255. */
  contrast: number;
}

/** Ink is nearer to the level farthest from the ground, which is the commonest. */
export function paperOf({ data, width, height }: RawPixels, box: PixelBox): Paper | undefined {
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

/** The stroke in a box, if it goes from the line to the height of tall letters: bars go below it. */
function capitalIn(
  box: PixelBox,
  { line, paper }: { line: OcrLine; paper: Paper },
): PixelBox | undefined {
  const { letterHeightPx, words, baseline } = line;
  const sure = words.filter(
    ({ text, confidence }) => confidence >= SURE_OF_WORD && /\p{L}/u.test(text),
  );
  /** As if the line were level. */
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

/** Whether it is a word of a text: what parts texts has more room on both sides. */
function isWithin(stroke: PixelBox, { words, letterHeightPx }: OcrLine): boolean {
  return words.some((word) => {
    const gap = gapBetween(word.box, stroke);
    return gap >= 0 && gap < NEAREST_APART * letterHeightPx && /\p{L}/u.test(word.text);
  });
}

/** The longest upright stroke that crosses a height. */
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
