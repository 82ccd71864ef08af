/**
 * Makes sure that a scan's text is no worse than a reading of the unchanged page. Erasing rules, reading
 * cells separately and doubting text all cost a word now and then; words that were read with certainty on the
 * plain page replace them.
 */
import {
  confirmations,
  isReadIn,
  shareWithin,
  widthWithin,
  WORD,
  wordsAt,
} from './agreed-reading.ts';
import {
  haveBars,
  isAllOf,
  isBetter,
  isInBits,
  lettersAlone,
  lettersOf,
  SURE,
  SURER,
} from './better-reading.ts';
import { meanConfidence } from './doubtful-cells.ts';
import { around, type OcrLetter, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import { median, range, type Rule } from './rules.ts';
import type { PlacedLine } from './table-cells.ts';

/** Minimum mean confidence and number of letters of words that are added where they belong to no line. */
const SURE_ALONE = 85;
const SHORTEST_ALONE = 3;
/** Share of a line's words that are known, above which the rest is likely to be text too. */
const MOST_KNOWN = 0.6;
/** Letters of a word that is believed at any confidence if the page and the scan agree on it. */
const FEWEST_CONFIRMED = 4;
/** Lead in confidence that a replacement needs. */
const CLEARLY_SURER = 5;
/** Confidence below which a word is doubtful and almost any lead suffices. */
const DOUBTFUL = 60;
/**
 * The same for struck words, which are read with less confidence, with or without the strike-through line.
 */
const DOUBTFUL_STRUCK = 75;
/** Minimum share of a doubtful word that lies within its replacement. */
const MOST_OF_WORD = 0.6;
/** Share of a word on a rule above which it is no word. */
const ALL_OF_WORD = 0.9;
/**
 * Tolerance for misplaced words, in heights of a word: recognition places some beside their actual position.
 */
const ASTRAY = 0.5;
/** Maximum height of a word in a line, in heights of the line's letters. */
const HIGHEST = 1.5;
/**
 * Distance searched beside a word, in letter heights, which is less than the gap between words; and the
 * minimum number of inked pixel columns, which specks do not reach.
 */
const BESIDE = 0.2;
const LEAST_COLUMNS = 2;
/** Minimum share of inked columns of a word, and minimum contrast of ink, in grey levels. */
const INKED_COLUMNS = 0.5;
const LEAST_CONTRAST = 64;
const BEGUN = /\p{Ll}[-‐¬]$/u;
const SMALL = /^\p{Ll}/u;
const HYPHEN = /^[-–—]$/u;
/** Characters that bars and leader dots are misread as. */
const RULE_SIGN = /[|¦_=~<>\\]|(.)\1{3}/u;

/**
 * Adds the words that lines lack, and replaces doubtful ones, by those read on the plain page.
 * @param plain lines of the unchanged page, with everything that was read in them, in reading order
 * @param strikes rules that struck through words
 * @param bare the page without any of these rules
 */
export function withPlainWords<Line extends PlacedLine>(
  lines: readonly Line[],
  {
    plain: asRead,
    rules,
    strikes = [],
    bare,
    worded = new Set(),
    page = [],
    original = [],
  }: {
    plain: readonly Line[];
    rules: readonly Rule[];
    strikes?: readonly PixelBox[];
    bare: RawPixels;
    /** Words of lines that count as text at any confidence. */
    worded?: ReadonlySet<OcrWord>;
    /** Readings of the page in different ways. */
    page?: readonly (readonly PlacedLine[])[];
    /** Reading of the original scan. */
    original?: readonly PlacedLine[];
  },
): Line[] {
  const plain = asRead.map((line) => withoutStruckBlanks(line, strikes));
  const dashed = rules
    .filter(({ isDashed }) => isDashed)
    .map(({ box }) => ({ box, isAbove: (word: PixelBox) => isInked(word, bare) }));
  const { isAgreed, isConfirmed, isLongOfText } = confirmations(page, original);
  const surer = withSurerWords(lines, { plain, dashed, strikes, isConfirmed });
  const sure = new Set(
    plain.flatMap((line) => {
      // A word may be in none of the lines, and be certain by itself.
      const known = line.words.filter(
        (word) =>
          isReadIn(surer, word) || (word.confidence >= SURE && isWord(word, { line, dashed })),
      );
      const isKnown = known.length > MOST_KNOWN * line.words.length;
      const least = isKnown ? DOUBTFUL : SURE;
      const words = line.words.filter(
        (word) =>
          isWord(word, { line, dashed }) &&
          (word.confidence >= least ||
            worded.has(word) ||
            isLongOfText(word) ||
            (lettersOf([word]).length >= FEWEST_CONFIRMED && isConfirmed(word))),
      );
      // Words that the lines have too need no check, nor do lines known to be text.
      const others = words.filter((word) => !worded.has(word) && !isReadIn(surer, word));
      // Boxes are now and then too narrow; a word that was read alike twice is whole.
      const cut = new Set(
        others.filter((word) => !isAgreed(word) && isCutOff(word, { line, words, bare })),
      );
      return words.filter((word) => !cut.has(word));
    }),
  );
  const continued = new Set(plain.flatMap((line, at) => continuation(plain[at - 1], line)));
  const leastAlone = (words: readonly OcrWord[]): number => {
    if (words.every((word) => worded.has(word) || isLongOfText(word))) return 0;
    if (words.every((word) => isStruck(word.box, strikes) && isConfirmed(word))) return DOUBTFUL;
    return words.every((word) => isAgreed(word) || continued.has(word)) ? SURE : SURE_ALONE;
  };
  return withMissingWords(surer, { plain, sure, leastAlone });
}

/** Returns the rest of a word that began in the line before. */
function continuation(before: PlacedLine | undefined, { words: [first] }: PlacedLine): OcrWord[] {
  const isBegun = BEGUN.test(before?.words.at(-1)?.text ?? '');
  return isBegun && first !== undefined && SMALL.test(first.text) ? [first] : [];
}

/** A rule of dots or dashes, and whether a word's place has other ink as well. */
interface DashedRule {
  box: PixelBox;
  isAbove: (word: PixelBox) => boolean;
}

/** Tests whether a result is a word, and no rule. */
function isWord(
  { text, box }: OcrWord,
  { line, dashed }: { line: PlacedLine; dashed: readonly DashedRule[] },
): boolean {
  return (
    line.angle === 0 &&
    WORD.test(text) &&
    !RULE_SIGN.test(text) &&
    box.bottom - box.top <= HIGHEST * line.letterHeightPx &&
    !dashed.some((rule) => isAlong(box, rule.box) && !rule.isAbove(box))
  );
}

/**
 * Tests whether a horizontal rule passes through all of a word: recognition may read leader dots as letters
 * of the word before them.
 */
function isAlong(box: PixelBox, rule: PixelBox): boolean {
  const middle = (rule.top + rule.bottom) / 2;
  const shared = Math.min(box.right, rule.right) - Math.max(box.left, rule.left);
  return middle > box.top && middle < box.bottom && shared > ALL_OF_WORD * (box.right - box.left);
}

/** Tests for ink in most columns of a box. */
function isInked({ left, right, top, bottom }: PixelBox, bare: RawPixels): boolean {
  const columns = range(Math.max(0, left), Math.min(bare.width, right));
  const rows = range(Math.max(0, top), Math.min(bare.height, bottom));
  const levelAt = (x: number, y: number): number => bare.data[y * bare.width + x] ?? 0;
  const levels = columns.flatMap((x) => rows.map((y) => levelAt(x, y)));
  const ground = median(levels);
  const contrast = levels.reduce((most, level) => Math.max(most, Math.abs(level - ground)), 0);
  if (contrast < LEAST_CONTRAST) return false;
  const inked = columns.filter((x) =>
    rows.some((y) => Math.abs(levelAt(x, y) - ground) > contrast / 2),
  );
  return inked.length >= INKED_COLUMNS * columns.length;
}

/** Tests for unread letters close beside a word: a part of a word is no word. */
function isCutOff(
  { box }: OcrWord,
  { line, words, bare }: { line: PlacedLine; words: readonly OcrWord[]; bare: RawPixels },
): boolean {
  const reach = Math.round(BESIDE * line.letterHeightPx);
  const ends = words.filter((word) => word.box.right <= box.left).map((word) => word.box.right);
  const begins = words.filter((word) => word.box.left >= box.right).map((word) => word.box.left);
  const columns = [
    ...range(Math.max(0, box.left - reach, ...ends), box.left),
    ...range(box.right, Math.min(bare.width, box.right + reach, ...begins)),
  ];
  const levelAt = (x: number, y: number): number => bare.data[y * bare.width + x] ?? 0;
  const rows = range(Math.max(0, box.top), Math.min(bare.height, box.bottom));
  const ground = median(columns.flatMap((x) => rows.map((y) => levelAt(x, y))));
  let contrast = 0;
  for (const y of rows) {
    for (let x = box.left; x < box.right; x += 1) {
      contrast = Math.max(contrast, Math.abs(levelAt(x, y) - ground));
    }
  }
  // Ink from top to bottom is a rule.
  const inked = columns.filter((x) => {
    const isInk = (y: number): boolean => Math.abs(levelAt(x, y) - ground) > contrast / 2;
    return rows.some(isInk) && !rows.every(isInk);
  });
  return inked.length >= LEAST_COLUMNS;
}

/** Replaces words by those of the plain page that are read with more confidence. */
function withSurerWords<Line extends PlacedLine>(
  lines: readonly Line[],
  {
    plain,
    dashed,
    strikes,
    isConfirmed,
  }: {
    plain: readonly Line[];
    dashed: readonly DashedRule[];
    strikes: readonly PixelBox[];
    isConfirmed: (word: OcrWord) => boolean;
  },
): Line[] {
  const all = [...lines];
  for (const line of plain) {
    const words = line.words.filter((word) => isWord(word, { line, dashed }));
    const rivals = words.flatMap(({ box }) => wordsAt(all, box));
    const parts = [...new Set(rivals.map(({ word }) => word))]
      .map(({ box }) => words.filter((word) => shareWithin(word.box, box) >= MOST_OF_WORD))
      .filter(({ length }) => length > 1);
    for (const group of [...words.map((word) => [word]), ...parts])
      replaceDoubtful(all, group, { strikes, isConfirmed });
  }
  return all;
}

function isStruck(box: PixelBox, strikes: readonly PixelBox[]): boolean {
  return strikes.some((strike) => shareWithin(strike, box) > 0);
}

/** Splits a line's words that a strike-through line made recognition join. */
function withoutStruckBlanks<Line extends PlacedLine>(
  line: Line,
  strikes: readonly PixelBox[],
): Line {
  if (!isStruck(line.box, strikes)) return line;
  const words = line.words.flatMap((word) =>
    isStruck(word.box, strikes) ? partsAtStrike(word, strikes) : [word],
  );
  return { ...line, words };
}

/**
 * Splits a word at hyphens, which recognition reads where the strike-through line crosses the spaces between
 * and beside words.
 */
function partsAtStrike(word: OcrWord, strikes: readonly PixelBox[]): OcrWord[] {
  const parts: OcrLetter[][] = [[]];
  for (const letter of word.letters ?? []) {
    if (HYPHEN.test(letter.text) && isStruck(letter.box, strikes)) parts.push([]);
    else parts.at(-1)?.push(letter);
  }
  const filled = parts.filter(({ length }) => length > 0);
  if (parts.length < 2 || filled.length === 0) return [word];
  return filled.map((letters) => ({
    text: letters.map(({ text }) => text).join(''),
    box: around(letters.map(({ box }) => box)),
    confidence: word.confidence,
    letters,
  }));
}

/** Replaces what was read at a place with less confidence by words, of which there is at least one. */
function replaceDoubtful(
  lines: PlacedLine[],
  words: readonly OcrWord[],
  {
    strikes,
    isConfirmed,
  }: { strikes: readonly PixelBox[]; isConfirmed: (word: OcrWord) => boolean },
): void {
  const place = around(words.map(({ box }) => box));
  const rivals = wordsAt(lines, place);
  // Fragments may be lines of their own.
  const [own, ...bits] = [...new Set(rivals.map(({ line }) => line))].toSorted(
    (a, b) => b.words.length - a.words.length,
  );
  if (own === undefined) return;
  const replaced = rivals.map(({ word }) => word);
  const areStruck = isStruck(place, strikes);
  const doubtful = areStruck ? DOUBTFUL_STRUCK : DOUBTFUL;
  // Readings that agree may all lack a full stop.
  const areOther = words.map(lettersAlone).join('') !== replaced.map(lettersAlone).join('');
  const lead = areOther && words.every(isConfirmed) ? SURER : CLEARLY_SURER;
  const areWithin = replaced.every(({ box }) => shareWithin(box, place) >= MOST_OF_WORD);
  const isFound =
    areWithin &&
    bits.length === 0 &&
    ((areStruck && haveBars(words, replaced)) || isBetter(words, replaced, { doubtful, lead }));
  const isWhole = bits.every((line) =>
    line.words.every((word) => replaced.includes(word) && !isConfirmed(word)),
  );
  if (!isFound && !(isWhole && isWholeWord(words, replaced, isConfirmed))) return;
  const others = own.words.filter((word) => !replaced.includes(word));
  lines[lines.indexOf(own)] = withWords({ ...own, words: others }, words);
  for (const line of bits) lines.splice(lines.indexOf(line), 1);
}

/** Tests whether a single confirmed word was read, of which the words at its place are parts. */
function isWholeWord(
  [word, ...others]: readonly OcrWord[],
  parts: readonly OcrWord[],
  isConfirmed: (word: OcrWord) => boolean,
): boolean {
  const [part] = parts;
  if (word === undefined || part === undefined || others.length > 0) return false;
  // Recognition places fragments too high.
  const areWithin = parts.every(({ box }) => {
    const heights = [box, word.box].map(({ top, bottom }) => bottom - top);
    const height = Math.min(box.bottom, word.box.bottom) - Math.max(box.top, word.box.top);
    const isBeside = height >= MOST_OF_WORD * Math.min(...heights);
    return isBeside && widthWithin(box, word.box) >= MOST_OF_WORD;
  });
  if (!areWithin) return false;
  if (!isConfirmed(word) || parts.every(isConfirmed)) return false;
  return parts.length > 1 ? isInBits(word, parts) : isAllOf(word, part);
}

/** Adds what the plain page has where the lines have nothing: words of a line, or a whole line. */
function withMissingWords<Line extends PlacedLine>(
  lines: readonly Line[],
  {
    plain,
    sure,
    leastAlone,
  }: {
    plain: readonly Line[];
    sure: ReadonlySet<OcrWord>;
    /** Returns the minimum confidence of words beside which no line has any. */
    leastAlone: (words: readonly OcrWord[]) => number;
  },
): Line[] {
  const all = [...lines];
  const highest = Math.max(0, ...lines.map(({ paragraph }) => paragraph));
  const paragraphs = new Map<number, number>();
  let last = -1;
  for (const line of plain) {
    for (const words of missingRuns(line, { lines: all, sure })) {
      const own = lineBeside(all, { line, words });
      if (own !== undefined) all[all.indexOf(own)] = withWords(own, words);
      else if (mayStandAlone(words, leastAlone(words))) {
        const paragraph = paragraphs.get(line.paragraph) ?? highest + line.paragraph;
        all.splice(last + 1, 0, withWords({ ...line, paragraph, words: [] }, words));
      }
    }
    const own = lineBeside(all, { line, words: [] });
    if (own === undefined) continue;
    last = all.indexOf(own);
    paragraphs.set(line.paragraph, own.paragraph);
  }
  return all;
}

/** A minimum is needed because letters are recognised in pictures, too. */
function mayStandAlone(words: readonly OcrWord[], least: number): boolean {
  return lettersOf(words).length >= SHORTEST_ALONE && meanConfidence(words) >= least;
}

/** Returns runs of consecutive missing words; those at both ends are certain. */
function missingRuns(
  { words }: PlacedLine,
  { lines, sure }: { lines: readonly PlacedLine[]; sure: ReadonlySet<OcrWord> },
): OcrWord[][] {
  const isMissing = words.map((word) => isMissingIn(lines, word));
  const runs: OcrWord[][] = [];
  for (let from = 0; from < words.length; from++) {
    if (isMissing[from] !== true) continue;
    const end = isMissing.indexOf(false, from);
    const run = words.slice(from, end < 0 ? undefined : end);
    const [first, last] = [
      run.findIndex((word) => sure.has(word)),
      run.findLastIndex((word) => sure.has(word)),
    ];
    if (first >= 0) runs.push(run.slice(first, last + 1));
    from += run.length;
  }
  return runs;
}

/** Tests whether nothing was read at a word's place, nor the same word close by. */
function isMissingIn(lines: readonly PlacedLine[], { text, box }: OcrWord): boolean {
  if (wordsAt(lines, box).length > 0) return false;
  const astray = ASTRAY * (box.bottom - box.top);
  const close = {
    left: box.left - astray,
    right: box.right + astray,
    top: box.top - astray,
    bottom: box.bottom + astray,
  };
  return !wordsAt(lines, close, 0).some(({ word }) => word.text.includes(text));
}

/** Returns the line that contains the nearest of the other words of a plain line. */
function lineBeside<Line extends PlacedLine>(
  lines: readonly Line[],
  { line, words }: { line: PlacedLine; words: readonly OcrWord[] },
): Line | undefined {
  const from = line.words.findIndex((word) => words.includes(word));
  const beside = [
    ...line.words.slice(0, Math.max(0, from)).toReversed(),
    ...line.words.slice(Math.max(0, from) + words.length),
  ];
  const added = around((words.length > 0 ? words : line.words).map(({ box }) => box));
  const middle = (added.top + added.bottom) / 2;
  return beside
    .flatMap(({ box }) => wordsAt(lines, box))
    .find(({ line: { box } }) => middle > box.top && middle < box.bottom)?.line;
}

/** Adds words to a line, each at its place. */
function withWords<Line extends PlacedLine>(line: Line, added: readonly OcrWord[]): Line {
  const direction = line.isRightToLeft ? -1 : 1;
  const words = [...line.words, ...added].toSorted((a, b) => direction * (a.box.left - b.box.left));
  const box = around(words.map((word) => word.box));
  const { leftPx, slope } = line.baseline;
  return {
    ...line,
    words,
    box,
    baseline: { slope, leftPx: leftPx + slope * (box.left - line.box.left) },
  };
}
