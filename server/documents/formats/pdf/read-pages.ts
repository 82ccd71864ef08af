/** Reads the text of a PDF file page by page: characters → lines → paragraphs. */
import { alignOf, alignSingleLines, columnPeers } from './alignment.ts';
import { applyToBox, type Matrix, turn, union } from './geometry.ts';
import { type PageCharacter, readCharacters } from './page-characters.ts';
import {
  readObstacles,
  readRulings,
  readSigns,
  type LabelLine,
  withLabels,
} from './page-drawings.ts';
import { readLinkBoxes } from './page-links.ts';
import type { Box, Page, PageParagraph, TextLine, TextRun, TextStyle } from './page-model.ts';
import type { OpenPage, PdfFile } from './pdfium.ts';
import { type LineCharacter, markerLength, type ReadLine } from './read-line.ts';
import { linesOf } from './text-lines.ts';
import { attachShadows } from './text-objects.ts';
import { groupLines } from './text-paragraphs.ts';
import { markDecorated } from './text-rules.ts';
import { straightened } from './wrapped-lines.ts';

/** Size of body text that is assumed until one size has more than `ENOUGH_CHARACTERS` characters. */
const USUAL_SIZE_POINTS = 11;
const ENOUGH_CHARACTERS = 200;

/** Drawings beside rotated text, where none are considered. */
const NOTHING_DRAWN = { rulings: [], signs: [], obstacles: [] };

/** State carried from page to page, to find the size of the body text. */
interface ReadingState {
  /** Number of characters by size in half points. */
  sizes: Map<number, number>;
}

/** Yields all pages, one at a time, since PDFium keeps one page in memory. A damaged page has no paragraphs. */
export function* readPages(file: PdfFile): Generator<Page> {
  const state: ReadingState = { sizes: new Map() };
  for (let index = 0; index < file.pageCount; index += 1) {
    const page = file.withPage(index, (open) => readPage(open, state));
    const none = { paragraphs: [], rulings: [], links: [], invisibleCharacters: 0 };
    yield page ?? { index, width: 0, height: 0, ...none };
  }
}

/** Reads an open page. */
function readPage(open: OpenPage, state: ReadingState): Page {
  const read = readCharacters(open);
  const rulings = readRulings(open, read.view);
  const signs = readSigns(open, read.view);
  const obstacles = readObstacles(open, read);
  const textRules = markDecorated(read.characters, rulings);
  const links = readLinkBoxes(open, read.view);
  const bodyPoints = bodySize(state, read.characters);
  const paragraphs: { order: number; paragraph: PageParagraph }[] = [];
  const styles = new Map<string, TextStyle>();
  for (const [rotation, characters] of byRotation(read.characters)) {
    const back: Matrix = turn(rotation);
    const level = rotation === 0 ? { rulings, signs, obstacles } : NOTHING_DRAWN;
    const lines = linesOf(characters, level.rulings);
    const drawn = { ...level, obstacles: withLabels(level.obstacles, lines.map(labelLineOf)) };
    const groups = groupLines(lines, drawn);
    const peersOf = columnPeers(groups);
    for (const lines of groups) {
      const paragraph = paragraphOf({
        lines,
        peers: peersOf(lines),
        obstacles: drawn.obstacles,
        pageWidth: read.width,
        bodyPoints,
        styles,
        links: rotation === 0 ? links : [],
      });
      if (paragraph === undefined) continue;
      const box = rotation === 0 ? paragraph.box : applyToBox(back, paragraph.box);
      const order = Math.min(...paragraph.textObjects);
      paragraphs.push({ order, paragraph: { ...paragraph, box, rotation } });
    }
  }
  paragraphs.sort((a, b) => a.order - b.order);
  return {
    index: open.index,
    width: read.width,
    height: read.height,
    paragraphs: attachShadows({
      page: open,
      objects: read.objects,
      repeats: read.repeats,
      paragraphs: alignSingleLines(
        paragraphs.map(({ paragraph }) => paragraph),
        rulings,
      ),
    }),
    rulings,
    textRules,
    obstacles,
    links,
    invisibleCharacters: read.invisibleCharacters,
  };
}

function labelLineOf({ box, baseline, sizePoints, characters: [first] }: ReadLine): LabelLine {
  const { isBold = false, isItalic = false } = first?.character.look ?? {};
  return { box, baseline, sizePoints, isBold, isItalic };
}

/** Adds the characters of a page to the counts and returns the most frequent size so far, in points. */
function bodySize({ sizes }: ReadingState, characters: readonly PageCharacter[]): number {
  for (const { sizePoints } of characters) {
    const key = Math.round(sizePoints * 2);
    sizes.set(key, (sizes.get(key) ?? 0) + 1);
  }
  let body = USUAL_SIZE_POINTS * 2;
  let most = ENOUGH_CHARACTERS;
  for (const [size, count] of sizes) {
    if (count <= most) continue;
    most = count;
    body = size;
  }
  return body / 2;
}

function byRotation(characters: readonly PageCharacter[]): Map<number, PageCharacter[]> {
  const groups = new Map<number, PageCharacter[]>();
  for (const character of characters) {
    const group = groups.get(character.rotation);
    if (group === undefined) groups.set(character.rotation, [character]);
    else group.push(character);
  }
  return groups;
}

// Conversion of groups of lines to paragraphs of the page model.

/** Minimum size of headings of level 1, 2 and 3, as multiples of the body text's size. */
const HEADING_RATIOS = [1.65, 1.3, 1.12] as const;
/** Maximum number of characters of a heading. */
const MAX_HEADING_CHARACTERS = 200;

/**
 * Builds a paragraph from lines in level coordinates, top to bottom; undefined without lines.
 * @param peers full lines of other paragraphs in its column
 * @param obstacles pictures and drawings around which its lines may run
 */
function paragraphOf({
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
  let before: LineCharacter | undefined;
  let style: TextStyle | undefined;
  for (const [at, member] of characters.entries()) {
    if (style === undefined || before === undefined || !isAlike(member, before)) {
      style = styleOf(member, line, styles);
    }
    before = member;
    const own = member.character.text.replaceAll('\u00AD', '-');
    const text = member.hasSpaceBefore && at > 0 ? ` ${own}` : own;
    const last = runs.at(-1);
    const link = linkOf(member.character.box, links);
    if (last?.style === style && last.link === link) last.text += text;
    else runs.push({ text, style, link });
  }
  return { runs, box: line.box, baseline: line.baseline, endsInHyphen };
}

/** Returns the index of the link that contains a character's centre. */
function linkOf({ left, right, bottom, top }: Box, links: readonly Box[]): number | undefined {
  if (links.length === 0) return undefined;
  const x = (left + right) / 2;
  const y = (bottom + top) / 2;
  const at = links.findIndex(
    (link) => link.left <= x && x <= link.right && link.bottom <= y && y <= link.top,
  );
  return at < 0 ? undefined : at;
}

/** Tests whether a line ends with a hyphen that divides its last word. */
function isDivided(line: ReadLine, next: ReadLine | undefined): boolean {
  const last = line.characters.at(-1);
  const before = line.characters.at(-2)?.character.text ?? '';
  const after = next?.characters[0]?.character.text ?? '';
  if (last === undefined || last.hasSpaceBefore || next === undefined) return false;
  if (!/^[-\u00AD\u2010]$/.test(last.character.text)) return false;
  if (!/\p{L}$/u.test(before) || !/^\p{Ll}/u.test(after)) return false;
  // A word that has a hyphen already (state-of-the-) was divided at a hyphen of its own.
  const start = line.characters.findLastIndex(({ hasSpaceBefore }) => hasSpaceBefore);
  const word = line.characters.slice(Math.max(0, start), -1);
  return !word.some(({ character }) => character.text === '-');
}

/** Tests cheaply whether adjacent characters of a line look alike, as most do. */
function isAlike(a: LineCharacter, b: LineCharacter): boolean {
  const isOneSize = a.character.sizePoints === b.character.sizePoints;
  return a.character.look === b.character.look && isOneSize && a.position === b.position;
}

/** Returns one shared object for each look, so that runs are compared and stored by reference. */
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
