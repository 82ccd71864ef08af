/**
 * Decides between different readings of a word. Confidence says little there: a word of the language is more
 * likely than a string that is none.
 */
import type { IsKnownWord } from '../../../text/words/dictionaries.ts';
import { areNearlyAlike } from './better-reading.ts';
import type { OcrWord, PixelBox } from './ocr.ts';
import { widthWithin, wordsAt } from './agreed-reading.ts';
import type { PlacedLine } from './table-cells.ts';

/** Confidence, of 100, below which a rival is not believed. */
const LEAST_SURE = 40;
/** Lead in confidence with which a word outside of the dictionary is kept against one of a resampled page. */
const MUCH_SURER = 15;
/** If no reading is in the dictionary, the original scan's counts, unless its confidence is lower by this. */
const SURER_ANEW = 30;
/** Minimum number of letters of a disputed word; shorter words are in dictionaries by coincidence. */
const FEWEST_LETTERS = 4;
/** The same where only diacritics differ, which are often misread or missed. */
const FEWEST_MARKED = 3;
/**
 * Length from which a word is believed at any confidence, since hardly anything is misread as so long a word.
 */
const LONG_WORD = 7;
/** Minimum share of each of two boxes' widths that lies in the other. */
const SAME_PLACE = 0.6;
/** A word with what stands before and after it. */
const WORD =
  /^([^\p{L}\p{M}\p{N}]*)((?:\p{L}\p{M}*)+(?:['’](?:\p{L}\p{M}*)+)*)([^\p{L}\p{M}\p{N}]*)$/u;
const DASH = /[-‐‑–—\u00ad¬]/u;
/** Hyphens that divide a word at the end of a line. */
const PARTED = /^[-‐\u00ad¬]$/u;
const CAPITAL = /\p{Lu}/u;
const STROKE = /[!|l]/gu;
const ONLY_LETTERS = /^\p{L}+$/u;

interface Parts {
  before: string;
  letters: string;
  after: string;
  isParted: boolean;
}

/** A word, or a part of one with the letters of the rest from the lines before and after. */
interface PlacedWord {
  word: OcrWord;
  begin: string;
  end: string;
}

/** A word of a page, and what else was read at its place. */
interface Dispute extends PlacedWord {
  /** Its reading in the original scan. */
  original: OcrWord | undefined;
  others: readonly OcrWord[];
}

/**
 * Replaces words outside of the dictionary by words of the language that other readings have at their place.
 * @param original lines of the original scan
 * @param readings readings of the resampled page
 * @param findKnown called only if a word is in dispute, since reading a dictionary takes time
 */
export async function withKnownWords<Line extends PlacedLine>(
  lines: readonly Line[],
  {
    original,
    readings,
    findKnown,
  }: {
    original: readonly PlacedLine[];
    readings: readonly (readonly PlacedLine[])[];
    findKnown: () => Promise<IsKnownWord | undefined>;
  },
): Promise<Line[]> {
  const disputes = placedWords(lines)
    .map((placed): Dispute => {
      const others = readings.flatMap((read) => rivalOf(placed, read) ?? []);
      return { ...placed, original: rivalOf(placed, original), others };
    })
    .filter(({ original: read, others }) => read !== undefined || others.length > 0);
  const isKnown = disputes.length > 0 ? await findKnown() : undefined;
  if (isKnown === undefined) return [...lines];
  const settled = new Map(disputes.map((dispute) => [dispute.word, knownOf(dispute, isKnown)]));
  return lines.map((line) =>
    line.words.some((word) => settled.has(word))
      ? { ...line, words: line.words.map((word) => settled.get(word) ?? word) }
      : line,
  );
}

/** Returns the words that may be in a dictionary, which excludes numbers. */
function placedWords(lines: readonly PlacedLine[]): PlacedWord[] {
  return lines.flatMap(({ words, angle }, at): PlacedWord[] => {
    const [before, after] = [lines[at - 1]?.words.at(-1), lines[at + 1]?.words[0]].map(
      (word) => word && partsOf(word),
    );
    const begin = before?.isParted === true ? before.letters : '';
    return words.flatMap((word, place): PlacedWord[] => {
      const parts = partsOf(word);
      if (angle !== 0 || parts === undefined || parts.letters.length < FEWEST_MARKED) return [];
      const end = parts.isParted && place === words.length - 1 ? after?.letters : '';
      if (end === undefined || (parts.isParted && end === '')) return [];
      return [{ word, begin: place === 0 ? begin : '', end }];
    });
  });
}

function partsOf({ text }: OcrWord): Parts | undefined {
  const [, before = '', letters = '', after = ''] = WORD.exec(text) ?? [];
  const isParted = PARTED.test(after);
  if (letters === '' || DASH.test(isParted ? before : before + after)) return undefined;
  return { before, letters, after, isParted };
}

/**
 * Returns the word of another reading at a word's place, if it is a single one with nearly the same letters.
 */
function rivalOf({ word, begin }: PlacedWord, lines: readonly PlacedLine[]): OcrWord | undefined {
  const [rival, ...more] = wordsAt(lines, word.box)
    .map((found) => found.word)
    .filter(({ box }) => isInPlace(box, word.box) && isInPlace(word.box, box));
  if (rival === undefined || more.length > 0) return undefined;
  const isOther = areLikelyOne(word, rival) || (begin !== '' && isWithoutCapital(rival, word));
  return isOther ? rival : undefined;
}

/**
 * Tests whether most of a box's width, and its middle, is in another; heights depend on the letters drawn.
 */
function isInPlace(box: PixelBox, other: PixelBox): boolean {
  const middle = (box.top + box.bottom) / 2;
  return widthWithin(box, other) >= SAME_PLACE && middle > other.top && middle < other.bottom;
}

function areLikelyOne(word: OcrWord, rival: OcrWord): boolean {
  if (partsOf(word)?.isParted !== partsOf(rival)?.isParted) return false;
  const [own, other] = [lettersOf(word), lettersOf(rival)];
  if (own === undefined || other === undefined || own === other) return false;
  if (own.length < FEWEST_LETTERS) return withoutMarks(word) === withoutMarks(rival);
  return areNearlyAlike(own, other);
}

function lettersOf(word: OcrWord): string | undefined {
  return partsOf(word)?.letters.normalize('NFC').toLowerCase().replaceAll('’', "'");
}

/**
 * Returns the word, or the word of the language that was read in its place. Without one, the reading of the
 * original scan stands, unless its confidence is much lower.
 */
function knownOf({ word, begin, end, original, others }: Dispute, isKnown: IsKnownWord): OcrWord {
  const isWord = (one: OcrWord): boolean => isKnown(`${begin}${partsOf(one)?.letters}${end}`);
  const small = [original, ...others].find((other) => other && isWithoutCapital(other, word));
  if (small !== undefined && isWord(small)) return withLettersOf(word, small);
  if (isWord(word)) return word;
  const asScanned = original && isLikely(original, word, 0) ? original : undefined;
  const rivals = others
    .filter((other) => isLikely(other, word, word.confidence - MUCH_SURER))
    .toSorted((a, b) => b.confidence - a.confidence);
  const known = [...(asScanned ? [asScanned] : []), ...rivals].find(isWord);
  if (known !== undefined) return withLettersOf(word, known);
  if (original === undefined || isWord(original)) return word;
  if (isOnlyLetters(original, word))
    return { ...withLettersOf(word, original), text: original.text };
  return original.confidence > word.confidence - SURER_ANEW ? withLettersOf(word, original) : word;
}

/** Tests whether one word has the other's letters, but without the capitals. */
function isWithoutCapital(own: OcrWord, other: OcrWord): boolean {
  const [small, large] = [partsOf(own)?.letters ?? '', partsOf(other)?.letters ?? ''];
  return !CAPITAL.test(small) && CAPITAL.test(large) && large.toLowerCase() === small;
}

/** Tests whether one reading has letters where the other has signs, all of which are single strokes. */
function isOnlyLetters(own: OcrWord, other: OcrWord): boolean {
  const stems = [own, other].map(({ text }) => text.replace(STROKE, 'l'));
  return stems[0] === stems[1] && own.text !== other.text && ONLY_LETTERS.test(own.text);
}

/**
 * Tests whether a rival that is in the dictionary is believed against a word that is not. Names are in no
 * dictionary: a word with a capital does not yield to a short rival of lower confidence, unless only
 * diacritics differ, which small print loses first.
 */
function isLikely(rival: OcrWord, word: OcrWord, least: number): boolean {
  const letters = withoutMarks(rival);
  if (letters.length >= LONG_WORD) return true;
  const mayBeName = [rival, word].some(({ text }) => CAPITAL.test(text));
  const isName = mayBeName && letters !== withoutMarks(word);
  return rival.confidence >= Math.max(LEAST_SURE, isName ? word.confidence : least);
}

function withoutMarks(word: OcrWord): string {
  return (lettersOf(word) ?? '').normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ı', 'i');
}

/** Replaces the letters of a word; what stands before and after them was not in dispute. */
function withLettersOf({ letters: _, ...word }: OcrWord, known: OcrWord): OcrWord {
  const { before = '', after = '' } = partsOf({ ...word }) ?? {};
  return { ...word, text: `${before}${partsOf(known)?.letters ?? ''}${after}` };
}
