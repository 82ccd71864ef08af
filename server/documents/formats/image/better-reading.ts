/** Compares two readings of a picture and selects the words and lines that were read better. */
import { letterDistance } from '../../../text/code-points.ts';
import { meanConfidence, confidenceWeight } from './doubtful-cells.ts';
import type { OcrWord, PixelBox } from './ocr.ts';
import { range } from './rules.ts';
import type { PlacedLine } from './table-cells.ts';

/** Minimum confidence, of 100, of words that replace well-read ones. */
export const SURE = 75;
/** Minimum lead in confidence of a replacement. */
export const SURER = 1;
/** Maximum confidence that a whole word may lack against a part of it. */
const HARDLY_LESS = 3;
/** Minimum number of letters of a replacement, as a share of those replaced. */
const AS_MANY_LETTERS = 0.8;
/** Letters that consist of one stroke. */
const STEMS = /[Il]/gu;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}/u;
/** A box before a word is misread as a capital. */
const CAPITAL_BEFORE_WORD = /\p{Lu}\p{Lu}\p{M}*\p{Ll}/u;
/**
 * Maximum number of letters that differ between two readings of a word, as a number and as a share: two where
 * one letter was read for two.
 */
const MOST_OTHER = 2;
const MOST_OTHER_SHARE = 1 / 3;
/** Characters as which rules are misread. */
const STROKES = /[^\p{L}\p{N}]|[IiíìlJjT1]/gu;

export function isBetter(
  words: readonly OcrWord[],
  replaced: readonly OcrWord[],
  { doubtful, lead }: { doubtful: number; lead: number },
): boolean {
  const [own, others] = [lettersOf(words), lettersOf(replaced)];
  if (own.length < AS_MANY_LETTERS * others.length || arePart(words, replaced)) return false;
  const [confidence, least] = [meanConfidence(words), meanConfidence(replaced)];
  if (own !== others && own.replace(STEMS, 'l') === others.replace(STEMS, 'l')) {
    // Hardly any word has a capital after a small letter.
    const isOdd = CAPITAL_INSIDE.test(others);
    if (isOdd !== CAPITAL_INSIDE.test(own)) return isOdd;
  }
  // A doubtful reading replaces only results that are mostly no text.
  if (confidence < SURE && least >= doubtful) return false;
  const isSame = own.toLowerCase() === others.toLowerCase() && words.length >= replaced.length;
  return confidence >= least + (isSame || least < doubtful ? SURER : lead);
}

/**
 * Tests whether words have `e` or `s` where others have `c`, which is what erasing a strike-through line
 * leaves of these letters.
 */
export function haveBars(words: readonly OcrWord[], replaced: readonly OcrWord[]): boolean {
  const [own, others] = [lettersOf(words), lettersOf(replaced)];
  return (
    own !== others &&
    own.length === others.length &&
    range(0, own.length).every(
      (at) => own[at] === others[at] || (/[es]/.test(own[at] ?? '') && others[at] === 'c'),
    )
  );
}

/** Tests whether a word was read in fragments that do not spell it, however sure each fragment is. */
export function isInBits(word: OcrWord, bits: readonly OcrWord[]): boolean {
  return (
    bits.length > 1 &&
    word.confidence >= Math.min(SURE, meanConfidence(bits)) &&
    spelt(bits) !== spelt([word])
  );
}

/** Returns the letters and the apostrophes between them: an apostrophe shows that there is no space. */
function spelt(words: readonly OcrWord[]): string {
  return lettersOf(words)
    .replace(/['’](?=\p{L})/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+|^'+|'+$/gu, '');
}

/** Tests whether a word, read with about equal confidence, contains the whole of which another is a part. */
export function isAllOf(word: OcrWord, part: OcrWord): boolean {
  const [own, other] = [lettersAlone(word), lettersAlone(part)];
  const [before, ...after] = own.split(other);
  const added = `${before ?? ''}${after.join(other)}`.replace(STROKES, '');
  return (
    other !== '' &&
    after.length > 0 &&
    added !== '' &&
    !CAPITAL_BEFORE_WORD.test(own) &&
    word.confidence >= SURE &&
    word.confidence >= part.confidence - HARDLY_LESS &&
    word.box.right - word.box.left > part.box.right - part.box.left
  );
}

function arePart(
  [part, ...more]: readonly OcrWord[],
  [word, ...others]: readonly OcrWord[],
): boolean {
  if (part === undefined || word === undefined || more.length > 0 || others.length > 0)
    return false;
  return isAllOf(word, part);
}

/** Tests whether two readings differ in only a few letters. */
export function areNearlyAlike(own: string, other: string): boolean {
  const most = Math.min(MOST_OTHER, Math.floor(MOST_OTHER_SHARE * own.length));
  return letterDistance(own, other) <= most;
}

export function lettersOf(words: readonly OcrWord[]): string {
  return words.map(({ text }) => text).join('');
}

export function lettersAlone({ text }: { text: string }): string {
  return text.replace(/[^\p{L}\p{M}\p{N}]+/gu, '');
}

/**
 * Factor by which the second reading has to be better, since its lines are torn or contain extra characters
 * more often.
 */
const CLEARLY_BETTER = 1.15;

/** The properties of lines that are compared. */
type Compared = Pick<PlacedLine, 'words' | 'box' | 'paragraph'>;

export function better<Line extends Compared>(
  first: readonly Line[],
  second: readonly Line[],
): Line[] {
  const kept = new Set(first);
  for (const line of numberedAfter(first, second)) {
    const rivals = [...kept].filter((other) => overlap(line.box, other.box) > 0.3);
    if (!isClearlyBetter(line, rivals)) continue;
    for (const rival of rivals) kept.delete(rival);
    kept.add(line);
  }
  return [...kept];
}

/**
 * Merges two readings like {@link better}, but keeps each line of the second in order, after the line before
 * it there.
 * @param isBetter whether a line replaces its rivals
 */
export function betterInOrder<Line extends Compared>(
  first: readonly Line[],
  second: readonly Line[],
  isBetter: (line: Line, rivals: readonly Line[]) => boolean = isClearlyBetter,
): Line[] {
  const kept = [...first];
  let next = 0;
  for (const line of numberedAfter(first, second)) {
    const rivals = kept.filter((other) => overlap(line.box, other.box) > 0.3);
    const [rival] = rivals;
    const at = rival === undefined ? next : kept.indexOf(rival);
    next = at + 1;
    if (!isBetter(line, rivals)) continue;
    for (const other of rivals) kept.splice(kept.indexOf(other), 1);
    kept.splice(at, 0, line);
  }
  return kept;
}

function isClearlyBetter({ words }: Compared, rivals: readonly Compared[]): boolean {
  const theirs = rivals.reduce((sum, rival) => sum + confidenceWeight(rival.words), 0);
  return confidenceWeight(words) > CLEARLY_BETTER * theirs;
}

/** Returns the second lines with paragraph numbers that none of the first has. */
export function numberedAfter<Line extends Compared>(
  first: readonly Compared[],
  second: readonly Line[],
): Line[] {
  const offset = 1 + Math.max(0, ...first.map(({ paragraph }) => paragraph));
  return second.map((line) => ({ ...line, paragraph: line.paragraph + offset }));
}

/** Returns the share of the smaller box that lies in the other. */
function overlap(a: PixelBox, b: PixelBox): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(area(a), area(b));
}

function area({ left, top, right, bottom }: PixelBox): number {
  return Math.max(1, (right - left) * (bottom - top));
}
