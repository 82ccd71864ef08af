/** The direction of lines, and their characters in the order in which they are read. */
import { bidi } from '../fonts/shaped-text.ts';
import { union } from './geometry.ts';
import { type LineCharacter, WORD_GAP_EMS } from './read-line.ts';

const BRACKETS = ['()', '[]', '{}'];

/** The characters of a line, seen from left to right in any order, as they are read. */
export function inReadingOrder(
  characters: readonly LineCharacter[],
  { isRightToLeft, sizePoints }: { isRightToLeft: boolean; sizePoints: number },
): LineCharacter[] {
  const seen = withBlanks(clustersOf(characters), sizePoints);
  if (isRightToLeft) seen.reverse();
  // Types of letters do not depend on their order, so the levels of what is seen are those of what
  // is read; turning the runs back gives the text.
  const letters = seen.map((cluster) => cluster?.[0]?.character.text.slice(0, 1) ?? ' ').join('');
  const { levels } = bidi.getEmbeddingLevels(
    isRightToLeft ? withNumbersOfWords(letters) : letters,
    isRightToLeft ? 'rtl' : 'ltr',
  );
  const base = isRightToLeft ? 1 : 0;
  for (let level = Math.max(base, ...levels); level > base; level -= 1) {
    turnRuns(seen, levels, level);
  }
  const read: LineCharacter[] = [];
  let hasSpaceBefore = false;
  for (const cluster of seen) {
    for (const [at, member] of (cluster ?? []).entries()) {
      read.push({ ...member, hasSpaceBefore: at === 0 && hasSpaceBefore });
    }
    hasSpaceBefore = cluster === undefined;
  }
  return read.map((member, at) => withBracket(member, read[at + 1]));
}

type Cluster = LineCharacter[];

const combining = /^\p{M}/u;

/** Letters with their marks, and the parts of one glyph, from left to right. */
function clustersOf(characters: readonly LineCharacter[]): Cluster[] {
  const clusters: Cluster[] = [];
  for (const member of characters) {
    const { box, text } = member.character;
    const last = clusters.at(-1);
    const before = last?.at(-1)?.character.box;
    const isSameGlyph =
      before !== undefined &&
      Math.abs(before.left - box.left) < 0.01 &&
      Math.abs(before.right - box.right) < 0.01;
    if (last !== undefined && (isSameGlyph || combining.test(text))) last.push(member);
    else clusters.push([member]);
  }
  return clusters.sort((a, b) => leftOf(a) - leftOf(b));
}

function leftOf([first]: Cluster): number {
  return first?.character.box.left ?? 0;
}

/** `undefined` stands for a blank. */
function withBlanks(clusters: readonly Cluster[], sizePoints: number): (Cluster | undefined)[] {
  const all: (Cluster | undefined)[] = [];
  let right = Infinity;
  for (const cluster of clusters) {
    const box = union(cluster.map(({ character }) => character.box));
    if (box.left - right > WORD_GAP_EMS * sizePoints) all.push(undefined);
    all.push(cluster);
    right = box.right;
  }
  return all;
}

/** Numbers after words of the other direction belong to these (rule W7): here they come before. */
function withNumbersOfWords(letters: string): string {
  return letters.replaceAll(/\d+(?:[.,]\d+)*(?=[^\p{L}\d]{1,3}\p{Script=Latin})/gu, (number) =>
    'a'.repeat(number.length),
  );
}

/** Turns each run of a level or higher ones; rule L2. */
function turnRuns(items: unknown[], levels: Uint8Array, level: number): void {
  let start = 0;
  while (start < items.length) {
    let end = start;
    while (end < items.length && (levels[end] ?? 0) >= level) end += 1;
    if (end > start + 1) items.splice(start, end - start, ...items.slice(start, end).reverse());
    start = end + 1;
  }
}

/** Files have brackets as they look or as they are meant: which it is, shows by what they touch. */
function withBracket(member: LineCharacter, next: LineCharacter | undefined): LineCharacter {
  const { character, hasSpaceBefore } = member;
  const pair = BRACKETS.find((brackets) => brackets.includes(character.text));
  const isLoose =
    next === undefined || next.hasSpaceBefore || /[.,;:!?،؛]/.test(next.character.text);
  if (pair === undefined || hasSpaceBefore === isLoose) return member;
  const text = pair.slice(isLoose ? 1 : 0, isLoose ? 2 : 1);
  return { ...member, character: { ...character, text } };
}

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const letter = /\p{L}/u;

/** Whether text has letters that are written from right to left. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** The share of letters that are written from right to left; 0 without letters. */
export function rightToLeftShare(texts: Iterable<string>): number {
  let against = 0;
  let all = 0;
  for (const text of texts) {
    if (!letter.test(text)) continue;
    all += 1;
    if (rightToLeft.test(text)) against += 1;
  }
  return all === 0 ? 0 : against / all;
}

/** On pages written from right to left, lines with this share of such letters are as well. */
const MIN_SHARE = 0.4;

/** The direction of a line of which some letters are written from right to left. */
export function isLineRightToLeft(share: number, isPageRightToLeft: boolean): boolean {
  return share > (isPageRightToLeft ? MIN_SHARE : 0.5);
}
