/** A group of lines in the terms of the page model. */
import { union } from './geometry.ts';
import { haveStretchedBlanks, isCentered, isRightAligned, spread } from './line-alignment.ts';
import type { LineCharacter, ReadLine } from './read-line.ts';
import type { Box, PageParagraph, TextLine, TextRun, TextStyle } from './page-model.ts';
import { markerLength } from './text-paragraphs.ts';
import { straightened } from './wrapped-lines.ts';

/** How much larger than the body text a heading of level 1, 2, 3 is. */
const HEADING_RATIOS = [1.65, 1.3, 1.12] as const;
/** Headings are short. */
const MAX_HEADING_CHARACTERS = 200;

/**
 * The paragraph of lines from top to bottom, as level as they are; undefined without characters.
 *
 * @param peers full lines of other paragraphs in its column
 * @param obstacles pictures and drawings that its lines may run around
 */
export function paragraphOf({
  lines,
  peers,
  obstacles,
  pageWidth,
  bodyPoints,
  styles,
  links,
}: {
  lines: readonly ReadLine[];
  peers: readonly ReadLine[];
  obstacles: readonly Box[];
  pageWidth: number;
  bodyPoints: number;
  styles: Map<string, TextStyle>;
  links: readonly Box[];
}): PageParagraph | undefined {
  const [first] = lines;
  if (first === undefined) return undefined;
  const marker = markerLength(first);
  const markerLine =
    marker === 0
      ? undefined
      : textLine({ line: part(first, 0, marker), styles, links: [], next: undefined });
  const text = marker === 0 ? lines : [part(first, marker, Infinity), ...lines.slice(1)];
  const textLines = text.map((line, at) => textLine({ line, styles, links, next: text[at + 1] }));
  const single = lines.length === 1;
  const leading = single
    ? first.sizePoints * 1.2
    : (first.baseline - (lines.at(-1)?.baseline ?? 0)) / (lines.length - 1);
  return {
    lines: textLines,
    box: union(textLines.map(({ box }) => box)),
    align: alignOf({ lines: straightened(text, obstacles, 'paragraph'), peers, pageWidth }),
    leading,
    rotation: 0,
    headingLevel: marker > 0 ? undefined : headingLevel(lines, bodyPoints),
    listMarker: markerLine?.runs.map((run) => run.text).join(''),
    markerLine,
    textObjects: objectsOf(text),
    markerObjects: marker === 0 ? [] : objectsOf([part(first, 0, marker)]),
  };
}

function objectsOf(lines: readonly ReadLine[]): number[] {
  const objects = new Set<number>();
  for (const { characters } of lines) {
    for (const { character } of characters) objects.add(character.object);
  }
  return [...objects].sort((a, b) => a - b);
}

function part(line: ReadLine, from: number, to: number): ReadLine {
  const characters = line.characters.slice(from, to);
  return { ...line, characters, box: union(characters.map(({ character }) => character.box)) };
}

function textLine({
  line,
  styles,
  links,
  next,
}: {
  line: ReadLine;
  styles: Map<string, TextStyle>;
  links: readonly Box[];
  next: ReadLine | undefined;
}): TextLine {
  const endsInHyphen = isDivided(line, next);
  const characters = endsInHyphen ? line.characters.slice(0, -1) : line.characters;
  const runs: TextRun[] = [];
  for (const [at, member] of characters.entries()) {
    const style = styleOf(member, line, styles);
    const own = member.character.text.replaceAll('\u00AD', '-');
    const text = member.hasSpaceBefore && at > 0 ? ` ${own}` : own;
    const last = runs.at(-1);
    const link = linkOf(member.character.box, links);
    if (last?.style === style && last.link === link) last.text += text;
    else runs.push({ text, style, link });
  }
  return { runs, box: line.box, baseline: line.baseline, endsInHyphen };
}

/** The link that a character's middle is in. */
function linkOf({ left, right, bottom, top }: Box, links: readonly Box[]): number | undefined {
  if (links.length === 0) return undefined;
  const x = (left + right) / 2;
  const y = (bottom + top) / 2;
  const at = links.findIndex(
    (link) => link.left <= x && x <= link.right && link.bottom <= y && y <= link.top,
  );
  return at < 0 ? undefined : at;
}

/** Whether a line ends with a hyphen at which its last word was divided. */
function isDivided(line: ReadLine, next: ReadLine | undefined): boolean {
  const last = line.characters.at(-1);
  const before = line.characters.at(-2)?.character.text ?? '';
  const after = next?.characters[0]?.character.text ?? '';
  if (last === undefined || last.hasSpaceBefore || next === undefined) return false;
  if (!/^[-\u00AD\u2010]$/.test(last.character.text)) return false;
  if (!/\p{L}$/u.test(before) || !/^\p{Ll}/u.test(after)) return false;
  // A word that has a hyphen already (state-of-the-) was divided at one of its own.
  const start = line.characters.findLastIndex(({ hasSpaceBefore }) => hasSpaceBefore);
  const word = line.characters.slice(Math.max(0, start), -1);
  return !word.some(({ character }) => character.text === '-');
}

/** One object for each look, so that runs are compared and stored by reference. */
function styleOf(
  { character: { look, sizePoints }, position }: LineCharacter,
  line: ReadLine,
  styles: Map<string, TextStyle>,
): TextStyle {
  const size = position === 'normal' ? sizePoints : line.sizePoints;
  const key = `${look.fontName}|${size}|${String(look.isBold)}|${String(look.isItalic)}|${look.color.join()}|${position}|${look.opacity ?? 1}|${look.decoration ?? ''}`;
  let style = styles.get(key);
  if (style === undefined) {
    const { fontName, isBold, isItalic, isSerif, isMonospaced, color, opacity, decoration } = look;
    style = {
      fontName,
      sizePoints: size,
      isBold,
      isItalic,
      isSerif,
      isMonospaced,
      color,
      position,
      ...(opacity !== undefined && { opacity }),
      ...(decoration !== undefined && { decoration }),
    };
    styles.set(key, style);
  }
  return style;
}

function alignOf({
  lines,
  peers,
  pageWidth,
}: {
  lines: readonly ReadLine[];
  peers: readonly ReadLine[];
  pageWidth: number;
}): PageParagraph['align'] {
  const [first] = lines;
  if (first === undefined) return 'left';
  const size = first.sizePoints;
  if (lines.length === 1) {
    const middle = (first.box.left + first.box.right) / 2;
    const isMiddle = Math.abs(middle - pageWidth / 2) < 0.4 * size;
    if (isMiddle && first.box.left > pageWidth * 0.15) return 'center';
    return first.isRightToLeft ? 'right' : 'left';
  }
  if (isCentered(lines)) return 'center';
  // Two lines say little by themselves; lines of a justified column are full on purpose.
  const isColumnJustified =
    peers.length > 0 && haveStretchedBlanks([...lines.slice(0, -1), ...peers]);
  if (isRightAligned(lines) && !(lines.length === 2 && isColumnJustified)) return 'right';
  // The last line of justified text is short, and the first may be indented.
  const isEven = (edges: readonly number[]): boolean => spread(edges) < 0.2 * size;
  const body = lines.slice(0, -1);
  const areFilled =
    isEven(body.map(({ box }) => box.right)) && isEven(lines.slice(1).map(({ box }) => box.left));
  const isJustified = areFilled && (haveStretchedBlanks(lines) || isColumnJustified);
  if (isJustified) return 'justify';
  return first.isRightToLeft ? 'right' : 'left';
}

function headingLevel(lines: readonly ReadLine[], bodyPoints: number): number | undefined {
  const [first] = lines;
  const length = lines.reduce((sum, { characters }) => sum + characters.length, 0);
  if (first === undefined || length > MAX_HEADING_CHARACTERS || lines.length > 3) return undefined;
  const ratio = first.sizePoints / bodyPoints;
  const level = HEADING_RATIOS.findIndex((least) => ratio >= least) + 1;
  if (level > 0) return level;
  const isBold = lines.every((line) =>
    line.characters.every(({ character }) => character.look.isBold),
  );
  const last = lines.at(-1)?.characters.at(-1)?.character.text ?? '';
  const isSentence = /[.,;:!?]/.test(last);
  return isBold && lines.length === 1 && !isSentence && ratio > 0.98 && length < 80 ? 4 : undefined;
}
