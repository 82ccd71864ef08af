/** Of two readings of a picture, the words and the lines that were read better. */
import { letterDistance } from '../../../text/code-points.ts';
import { meanConfidence, worth } from './doubtful-cells.ts';
import type { OcrWord, PixelBox } from './ocr.ts';
import { range } from './rules.ts';
import type { PlacedLine } from './table-cells.ts';

/** Of 100: words that take the place of such as are read well are as sure as this. */
export const SURE = 75;
/** What replaces others is surer by this. */
export const SURER = 1;
/** All of a word is less sure than a part of it by no more than this. */
const HARDLY_LESS = 3;
/** What replaces others has no fewer letters, as a share. */
const AS_MANY_LETTERS = 0.8;
/** Letters that are one stroke. */
const STEMS = /[Il]/gu;
const CAPITAL_INSIDE = /\p{Ll}\p{Lu}/u;
/** A box before a word is read for a capital. */
const CAPITAL_BEFORE_WORD = /\p{Lu}\p{Lu}\p{M}*\p{Ll}/u;
/** Letters that are other ones in two readings of a word: two where one was read for two, and no more than this share. */
const MOST_OTHER = 2;
const MOST_OTHER_SHARE = 1 / 3;
/** What rules are read for. */
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
  // What is itself in doubt takes the place of what is mostly no text, and of nothing else.
  if (confidence < SURE && least >= doubtful) return false;
  const isSame = own.toLowerCase() === others.toLowerCase() && words.length >= replaced.length;
  return confidence >= least + (isSame || least < doubtful ? SURER : lead);
}

/** Whether words have `e` and `s` where others, of which a strike was erased, have what is left of them. */
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

/** Whether a word was read in bits that do not spell it, however sure each of them is. */
export function isInBits(word: OcrWord, bits: readonly OcrWord[]): boolean {
  return (
    bits.length > 1 &&
    word.confidence >= Math.min(SURE, meanConfidence(bits)) &&
    spelt(bits) !== spelt([word])
  );
}

/** The letters, and the apostrophes between them: where one was read there is no blank. */
function spelt(words: readonly OcrWord[]): string {
  return lettersOf(words)
    .replace(/['’](?=\p{L})/gu, "'")
    .replace(/[^\p{L}\p{M}\p{N}']+|^'+|'+$/gu, '');
}

/** Whether a word, about as sure as another, is all of what the other is a part of. */
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

/** Whether letters are, but for a few, those of another reading. */
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

/** What was read second has to be better by this, as its lines are more often torn or have more in them. */
const CLEARLY_BETTER = 1.15;

/** What lines of both kinds have that are compared. */
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
 * The same with each line where the second reading has it, after the one before it there.
 *
 * @param isBetter whether a line takes the place of those that are there
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
  const theirs = rivals.reduce((sum, rival) => sum + worth(rival.words), 0);
  return worth(words) > CLEARLY_BETTER * theirs;
}

/** The second lines with numbers of paragraphs that none of the first has. */
export function numberedAfter<Line extends Compared>(
  first: readonly Compared[],
  second: readonly Line[],
): Line[] {
  const offset = 1 + Math.max(0, ...first.map(({ paragraph }) => paragraph));
  return second.map((line) => ({ ...line, paragraph: line.paragraph + offset }));
}

/** Share of the smaller box that lies in the other. */
function overlap(a: PixelBox, b: PixelBox): number {
  const width = Math.min(a.right, b.right) - Math.max(a.left, b.left);
  const height = Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / Math.min(area(a), area(b));
}

function area({ left, top, right, bottom }: PixelBox): number {
  return Math.max(1, (right - left) * (bottom - top));
}
