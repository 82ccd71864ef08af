/**
 * How much two texts are alike, in percent. The share of words that need not be changed to turn one
 * into the other (a word is changed, added or left out), rounded down, and less than 100 by what else
 * differs:
 *
 * | differs               | points |
 * | --------------------- | ------ |
 * | some number           | 2      |
 * | tags                  | 2      |
 * | punctuation           | 1      |
 * | capitals              | 1      |
 *
 * 100 is for the same text with the same tags at the same places.
 */
import type { MemoryText } from './memory-text.ts';

const POINTS = { numbers: 2, marks: 2, punctuation: 1, capitals: 1 };

/**
 * @param least what is worth knowing: a lower score may be told as 0, which takes less time
 * @returns a whole number from 0 to 99; equality is for the caller to find out
 */
export function matchScore(one: MemoryText, other: MemoryText, least: number): number {
  const length = Math.max(one.words.length, other.words.length);
  const mostEdits = Math.floor((length * (100 - least)) / 100);
  const edits = length === 0 ? 0 : countEdits(one.words, other.words, mostEdits);
  if (edits > mostEdits) return 0;
  const share = length === 0 ? 100 : Math.floor((100 * (length - edits)) / length);
  const score = share - pointsOff(one, other, edits === 0);
  return score < least ? 0 : Math.min(99, score);
}

/**
 * Whether two texts have the same numbers in the same order, inside words as well, each with the same
 * signs and words beside it: the translation of one then tells the numbers of the other.
 */
export function sameNumbers(one: MemoryText, other: MemoryText): boolean {
  return areEqual(one.figures, other.figures);
}

function areEqual(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((text, index) => text === other[index]);
}

function pointsOff(one: MemoryText, other: MemoryText, hasSameWords: boolean): number {
  const hasSamePunctuation = one.punctuation === other.punctuation;
  const hasEqualNumbers = areEqual(one.numbers, other.numbers);
  // What is left when words, numbers and punctuation are the same.
  const hasOtherCapitals =
    hasSameWords && hasSamePunctuation && hasEqualNumbers && one.text !== other.text;
  return (
    (hasEqualNumbers ? 0 : POINTS.numbers) +
    (one.marks === other.marks ? 0 : POINTS.marks) +
    (hasSamePunctuation ? 0 : POINTS.punctuation) +
    (hasOtherCapitals ? POINTS.capitals : 0)
  );
}

/**
 * Fewest changes from one list of words to another (Levenshtein), looking no further than `most` off
 * the diagonal (Ukkonen).
 *
 * @returns anything above `most` when there are more
 */
function countEdits(from: readonly string[], to: readonly string[], most: number): number {
  if (Math.abs(from.length - to.length) > most) return most + 1;
  let before = new Uint16Array(to.length + 1).fill(most + 1);
  let row = new Uint16Array(to.length + 1).fill(most + 1);
  for (let column = 0; column <= Math.min(to.length, most); column += 1) before[column] = column;
  for (let index = 1; index <= from.length; index += 1) {
    const first = Math.max(1, index - most);
    const last = Math.min(to.length, index + most);
    row[first - 1] = first === 1 ? index : most + 1;
    if (last < to.length) row[last + 1] = most + 1;
    let least = row[first - 1] ?? 0;
    for (let column = first; column <= last; column += 1) {
      const changed = (before[column - 1] ?? 0) + (from[index - 1] === to[column - 1] ? 0 : 1);
      const count = Math.min(changed, (before[column] ?? 0) + 1, (row[column - 1] ?? 0) + 1);
      row[column] = count;
      if (count < least) least = count;
    }
    if (least > most) return most + 1;
    [before, row] = [row, before];
  }
  return before[to.length] ?? most + 1;
}
