/**
 * Words that were read in more than one way. How sure recognition is says little there: a word of the
 * language is more likely than one that is none.
 */
import type { IsKnownWord } from '../../../text/words/dictionaries.ts';
import { areNearlyAlike } from './better-reading.ts';
import type { OcrWord, PixelBox } from './ocr.ts';
import { widthWithin, wordsAt } from './agreed-reading.ts';
import type { PlacedLine } from './table-cells.ts';

/** Of 100: what is less sure than this is no text, or one word as likely as another. */
const LEAST_SURE = 40;
/** A word that is none is kept if it is surer by this than one of a page that was drawn anew. */
const MUCH_SURER = 15;
/** As a word that is none it is read in the scan itself, unless that is less sure by this. */
const SURER_ANEW = 30;
/** Shorter ones are in dictionaries by chance, … */
const FEWEST_LETTERS = 4;
/** … but where only marks above letters differ, which are often read for others or for none. */
const FEWEST_MARKED = 3;
/** Hardly anything is misread for a word so long, however unsure. */
const LONG_WORD = 7;
/** So much of each of two boxes' widths is in the other. */
const SAME_PLACE = 0.6;
/** A word with what stands before and after it. */
const WORD =
  /^([^\p{L}\p{M}\p{N}]*)((?:\p{L}\p{M}*)+(?:['’](?:\p{L}\p{M}*)+)*)([^\p{L}\p{M}\p{N}]*)$/u;
const DASH = /[-‐‑–—\u00ad¬]/u;
/** What the end of a line parts goes on in the next one. */
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

/** A word, or a part of one with the letters of the rest in the lines before and after. */
interface PlacedWord {
  word: OcrWord;
  begin: string;
  end: string;
}

/** A word of a page, and what else was read at its place. */
interface Dispute extends PlacedWord {
  /** As it was read in the pixels of the scan. */
  original: OcrWord | undefined;
  others: readonly OcrWord[];
}

/**
 * The lines with words of their language in place of such as are none, where these were read as well.
 *
 * @param original lines of the page as it was scanned
 * @param readings those of the page as it was drawn anew
 * @param findKnown asked only where a word is in dispute: reading a dictionary takes time
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

/** Words that may be in a dictionary, which numbers are not. */
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

/** What another reading has at the place of a word, where that is one word of nearly the same letters. */
function rivalOf({ word, begin }: PlacedWord, lines: readonly PlacedLine[]): OcrWord | undefined {
  const [rival, ...more] = wordsAt(lines, word.box)
    .map((found) => found.word)
    .filter(({ box }) => isInPlace(box, word.box) && isInPlace(word.box, box));
  if (rival === undefined || more.length > 0) return undefined;
  const isOther = areLikelyOne(word, rival) || (begin !== '' && isWithoutCapital(rival, word));
  return isOther ? rival : undefined;
}

/** Whether most of a box's width is in another, and its middle: heights differ with what letters are drawn in. */
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
 * The word, or the one of the language that was read in its place. Where there is none, what was read in the
 * scan itself stands, unless it is much less sure.
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

/** Whether the same letters are small where the other has them large. */
function isWithoutCapital(own: OcrWord, other: OcrWord): boolean {
  const [small, large] = [partsOf(own)?.letters ?? '', partsOf(other)?.letters ?? ''];
  return !CAPITAL.test(small) && CAPITAL.test(large) && large.toLowerCase() === small;
}

/** Whether it has letters where the other has signs, all of which are strokes. */
function isOnlyLetters(own: OcrWord, other: OcrWord): boolean {
  const stems = [own, other].map(({ text }) => text.replace(STROKE, 'l'));
  return stems[0] === stems[1] && own.text !== other.text && ONLY_LETTERS.test(own.text);
}

/**
 * Whether it is believed if it is a word of the language and the other is none. Names are in no dictionary:
 * what has a capital gives way to no short word that is less sure, unless only marks above letters differ,
 * the first that small letters lose.
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

/** What stands before and after a word was not in dispute. */
function withLettersOf({ letters: _, ...word }: OcrWord, known: OcrWord): OcrWord {
  const { before = '', after = '' } = partsOf({ ...word }) ?? {};
  return { ...word, text: `${before}${partsOf(known)?.letters ?? ''}${after}` };
}
