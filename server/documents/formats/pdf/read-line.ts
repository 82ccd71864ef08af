/**
 * Lines of text as read from a page: their text, direction and order, and the list markers and drop caps at
 * their start.
 */
import { embeddingLevels } from '../fonts/shaped-text.ts';
import type { PageCharacter } from './page-characters.ts';
import type { Box, TextStyle } from './page-model.ts';
import { union } from './geometry.ts';

/** A character within a line. */
export interface LineCharacter {
  character: PageCharacter;
  hasSpaceBefore: boolean;
  /** Whether the file itself has a space before it. */
  hasBlankBefore: boolean;
  position: TextStyle['position'];
}

/** A line, or the part of a line in one column or cell. */
export interface ReadLine {
  characters: LineCharacter[];
  box: Box;
  baseline: number;
  /** Size of its ordinary characters. */
  sizePoints: number;
  rotation: number;
  isRightToLeft: boolean;
  /** Whether it stands beside the drop cap of the line above. */
  isBesideInitial?: boolean;
  /** Index of its first character among those of the page, in file order. */
  order: number;
}

/**
 * Gap that separates words where the file has no space, in ems: typesetters narrow spaces to a sixth of an
 * em.
 */
export const WORD_GAP_EMS = 0.15;

/** Returns the text of a line. */
export function textOfLine({ characters }: Pick<ReadLine, 'characters'>): string {
  return characters
    .map(({ character, hasSpaceBefore }, at) =>
      hasSpaceBefore && at > 0 ? ` ${character.text}` : character.text,
    )
    .join('');
}

/** Scripts without spaces between words. */
const joining =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}\u3000-\u303f\uff00-\uffef]/u;

/** Tests for a letter of a script without spaces between words. */
export function joinsWithoutBlanks(text: string): boolean {
  return joining.test(text);
}

/** Returns what replaces the line break between two lines of one text. */
export function jointOf(before: string, after: string): '' | ' ' {
  if (/^$|\s$/.test(before) || /^\s/.test(after)) return '';
  if (joinsWithoutBlanks(before.slice(-2)) && joinsWithoutBlanks(after.slice(0, 1))) return '';
  // A compound that was divided at a hyphen of its own.
  return /\p{L}[-\u2010]$/u.test(before) && /^\p{L}/u.test(after) ? '' : ' ';
}

// Line starts: list markers and drop caps.

/** Includes the bullets of word processors' symbol fonts, in the private use area. */
const bullet = /^[•◦▪▫‣⁃●○■□◆◇►▶➢➤✓✔★☆·∙*–—\-\u{F0A7}\u{F0B7}\u{F0D8}\u{F0FC}\u{F076}]$/u;
const number = /^\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]$/;

/** Tests whether a word is a bullet. */
export function isBullet(word: string): boolean {
  return bullet.test(word);
}

/** Tests whether a word is a bullet or the number of an item: `•`, `1.`, `(a)`. */
export function isListMarker(word: string): boolean {
  return bullet.test(word) || number.test(word);
}

/** Returns the length of the list marker at a line's start, in characters; 0 without one. */
export function markerLength({ characters }: ReadLine): number {
  const end = characters.findIndex(({ hasSpaceBefore }, at) => at > 0 && hasSpaceBefore);
  if (end <= 0 || end > 7) return 0;
  return isListMarker(textOfLine({ characters: characters.slice(0, end) })) ? end : 0;
}

/** Minimum size of a drop cap, as a multiple of its text's size. */
const MIN_RATIO = 1.8;

/** Tests whether a line can be the drop cap of text of the given size. */
export function isDropCap({ characters, sizePoints }: ReadLine, textPoints: number): boolean {
  const [first, ...others] = characters;
  if (first === undefined || others.length > 0) return false;
  return /^\p{Lu}$/u.test(first.character.text) && sizePoints > MIN_RATIO * textPoints;
}

/** Merges each drop cap into the line it begins, as a first letter of that line's size. */
export function joinDropCaps(lines: readonly ReadLine[]): ReadLine[] {
  const joined = new Map<ReadLine, ReadLine | undefined>();
  for (const cap of lines) {
    if (!isDropCap(cap, 0)) continue;
    const beside = lines.filter((line) => standsBeside(line, cap));
    const first = beside.reduce<ReadLine | undefined>(
      (top, line) => (top === undefined || line.baseline > top.baseline ? line : top),
      undefined,
    );
    if (first === undefined || beside.length < 2) continue;
    joined.set(cap, undefined);
    // All of these lines start where the paragraph does; the drop cap only takes their room.
    for (const line of beside) {
      const box = union([line.box, edgeOf(cap, line)]);
      joined.set(line, { ...line, box, isBesideInitial: line !== first });
    }
    joined.set(first, withInitial(first, cap));
  }
  return lines.flatMap((line) => (joined.has(line) ? (joined.get(line) ?? []) : line));
}

function standsBeside({ box, baseline, sizePoints }: ReadLine, cap: ReadLine): boolean {
  const gap = box.left - cap.box.right;
  const isBeside = gap > -0.5 * sizePoints && gap < 1.5 * sizePoints;
  const isLevel = baseline > cap.baseline - 0.3 * sizePoints && baseline < cap.box.top;
  return isBeside && isLevel && cap.sizePoints > MIN_RATIO * sizePoints;
}

function edgeOf(cap: ReadLine, { box }: ReadLine): ReadLine['box'] {
  return { ...box, left: cap.box.left };
}

function withInitial(line: ReadLine, cap: ReadLine): ReadLine {
  const box = edgeOf(cap, line);
  const { sizePoints } = line;
  const initial = cap.characters.map((member) => {
    const { look } = line.characters[0]?.character ?? member.character;
    return { ...member, character: { ...member.character, box, look, sizePoints } };
  });
  const rest = line.characters.map((member, at) =>
    at === 0 ? { ...member, hasSpaceBefore: false, position: 'normal' as const } : member,
  );
  return { ...line, characters: [...initial, ...rest], box: union([box, line.box]) };
}

// Direction: puts the characters of a line in reading order.

const rightToLeft =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u;

const letter = /\p{L}/u;

/** Tests for letters of a right-to-left script. */
export function hasRightToLeft(text: string): boolean {
  return rightToLeft.test(text);
}

/** Returns the share of the texts with letters that are right-to-left; 0 without letters. */
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

/** Minimum share of right-to-left letters in a right-to-left line, on a right-to-left page. */
const MIN_LINE_SHARE = 0.4;

/** Decides the direction of a line from its share of right-to-left letters. */
export function isLineRightToLeft(share: number, isPageRightToLeft: boolean): boolean {
  return share > (isPageRightToLeft ? MIN_LINE_SHARE : 0.5);
}

const BRACKETS = ['()', '[]', '{}'];

/** Returns the characters of a line in reading order, given their positions from left to right. */
export function inReadingOrder(
  characters: readonly LineCharacter[],
  { isRightToLeft, sizePoints }: { isRightToLeft: boolean; sizePoints: number },
): LineCharacter[] {
  const seen = withBlanks(clustersOf(characters), sizePoints);
  if (isRightToLeft) seen.reverse();
  // Bidirectional types do not depend on order, so the embedding levels of the visual order apply to the
  // reading order too; reversing the runs again restores the text.
  const letters = seen.map((cluster) => cluster?.[0]?.character.text.slice(0, 1) ?? ' ').join('');
  const { levels } = embeddingLevels(
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

/** Groups letters with their marks, and the parts of one glyph, from left to right. */
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
  return clusters.map(inLigatureOrder).sort((a, b) => leftOf(a) - leftOf(b));
}

/**
 * Puts the letters of a lam-alef ligature in order: PDFium turns them round with the rest of the line where the
 * file gives the ligature as two letters. Alef joins no letter after it, so no ligature begins with it.
 */
function inLigatureOrder(cluster: Cluster): Cluster {
  const [first, second] = cluster;
  const isTurned = /^[اأإآٱ]/.test(first?.character.text ?? '') && second?.character.text === 'ل';
  return isTurned && cluster.length === 2 ? cluster.toReversed() : cluster;
}

function leftOf([first]: Cluster): number {
  return first?.character.box.left ?? 0;
}

/** Inserts `undefined` for spaces. */
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

/**
 * Numbers after left-to-right words take their direction (rule W7). The order is reversed here, so these
 * numbers precede the words and are replaced by Latin letters.
 */
function withNumbersOfWords(letters: string): string {
  return letters.replaceAll(/\d+(?:[.,]\d+)*(?=[^\p{L}\d]{1,3}\p{Script=Latin})/gu, (number) =>
    'a'.repeat(number.length),
  );
}

/** Reverses each run of at least the given level; rule L2. */
function turnRuns(items: unknown[], levels: Uint8Array, level: number): void {
  let start = 0;
  while (start < items.length) {
    let end = start;
    while (end < items.length && (levels[end] ?? 0) >= level) end += 1;
    if (end > start + 1) items.splice(start, end - start, ...items.slice(start, end).reverse());
    start = end + 1;
  }
}

/**
 * Files store brackets either mirrored or not; the neighbouring characters show whether a bracket opens or
 * closes.
 */
function withBracket(member: LineCharacter, next: LineCharacter | undefined): LineCharacter {
  const { character, hasSpaceBefore } = member;
  const pair = BRACKETS.find((brackets) => brackets.includes(character.text));
  const isLoose =
    next === undefined || next.hasSpaceBefore || /[.,;:!?،؛]/.test(next.character.text);
  if (pair === undefined || hasSpaceBefore === isLoose) return member;
  const text = pair.slice(isLoose ? 1 : 0, isLoose ? 2 : 1);
  return { ...member, character: { ...character, text } };
}
