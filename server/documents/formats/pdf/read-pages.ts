/** The text of a PDF file, page by page: characters → lines → paragraphs. */
import { applyToBox, type Matrix, turn } from './geometry.ts';
import { type PageCharacter, readCharacters, type Visibility } from './page-characters.ts';
import type { Page, PageParagraph, TextStyle, Box, Ruling } from './page-model.ts';
import { readLinkBoxes } from './page-links.ts';
import { readObstacles, type LabelLine, withLabels } from './page-obstacles.ts';
import { readRulings, readSigns } from './page-rulings.ts';
import { markDecorated } from './text-rules.ts';
import { attachShadows } from './text-objects.ts';
import type { OpenPage, PdfFile } from './pdfium.ts';
import { paragraphOf } from './paragraph.ts';
import { columnPeers } from './line-alignment.ts';
import type { ReadLine } from './read-line.ts';
import { linesOf } from './text-lines.ts';
import { groupLines } from './text-paragraphs.ts';

/** Of body text, until enough was read. */
const USUAL_SIZE_POINTS = 11;
const ENOUGH_CHARACTERS = 200;

/** Of text that is turned. */
const NOTHING_DRAWN = { rulings: [], signs: [], obstacles: [] };

/** What is known from earlier pages: how large the body text is. */
export interface ReadingState {
  /** Size in half points → characters that have it. */
  sizes: Map<number, number>;
}

/**
 * Reads all pages, one at a time, so that no more than one is in memory; a page that is damaged comes
 * without paragraphs.
 *
 * @param visibility `invisible` for the text that was recognised on a scan and put beneath it
 */
export function* readPages(
  file: PdfFile,
  { visibility = 'visible' }: { visibility?: Visibility } = {},
): Generator<Page> {
  const state: ReadingState = { sizes: new Map() };
  for (let index = 0; index < file.pageCount; index += 1) {
    const page = file.withPage(index, (open) => readPage(open, { visibility, state }));
    const none = { paragraphs: [], rulings: [], links: [], invisibleCharacters: 0 };
    yield page ?? { index, width: 0, height: 0, ...none };
  }
}

/** Reads a page that is open. */
export function readPage(
  open: OpenPage,
  { visibility, state }: { visibility: Visibility; state: ReadingState },
): Page {
  const read = readCharacters(open, visibility);
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

/** Of the pages so far and one more, whose characters are added to them. */
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

// How single lines are aligned: it is known from its cell or its neighbours.

/** Edges that differ by less are the same. */
const SAME_POINTS = 1.5;
/** Of lines one below the other that end at one place by chance, few do so exactly … */
const SAME_END_POINTS = 0.5;
/** … and fewer so near, in ems: the other two lines of three that end together. */
const MAX_END_DISTANCE_EMS = 8;
const MIN_ENDS = 2;

/** Paragraphs of one line with the alignment that their cell or what is above and below shows. */
function alignSingleLines(
  paragraphs: readonly PageParagraph[],
  rulings: readonly Ruling[],
): PageParagraph[] {
  const upright = rulings.filter(({ isHorizontal }) => !isHorizontal);
  const lefts = new Map<number, number>();
  const flush = new Map<number, number>();
  const ends = new Map<number, Box[]>();
  for (const { box, lines, align } of paragraphs) {
    const key = Math.round(box.left);
    lefts.set(key, (lefts.get(key) ?? 0) + lines.length);
    if (align !== 'center') flush.set(key, (flush.get(key) ?? 0) + lines.length);
    const end = Math.round(box.right);
    if (lines.length === 1) ends.set(end, [...(ends.get(end) ?? []), box]);
  }
  const broken = paragraphs.filter(({ lines, rotation }) => lines.length > 1 && rotation === 0);
  return paragraphs.map((paragraph) => {
    const isOne = paragraph.lines.length === 1 && paragraph.rotation === 0;
    if (!isOne || paragraph.listMarker !== undefined) return paragraph;
    const { box, align } = paragraph;
    const inCell = alignInCell(box, upright);
    if (inCell !== undefined) return { ...paragraph, align: inCell };
    // What begins where other lines do is not centred though its middle is that of the page.
    const isFlush = (flush.get(Math.round(box.left)) ?? 0) > 1;
    if (align === 'center' && isFlush) return { ...paragraph, align: 'left' };
    if (align !== 'left') return paragraph;
    const sharesLeft = (lefts.get(Math.round(box.left)) ?? 0) > 1;
    const endsWithText = broken.some(
      (other) =>
        Math.abs(other.box.right - box.right) < SAME_POINTS && other.box.left < box.left - 10,
    );
    const isRight = !sharesLeft && (endsWithText || endsWithOthers(box, ends));
    return isRight ? { ...paragraph, align: 'right' } : paragraph;
  });
}

/** Whether single lines right above and below end where a line does, and begin elsewhere. */
function endsWithOthers(box: Box, ends: ReadonlyMap<number, readonly Box[]>): boolean {
  const end = Math.round(box.right);
  const others = [end - 1, end, end + 1].flatMap((at) => ends.get(at) ?? []);
  const near = others.filter(
    (other) =>
      Math.abs(other.right - box.right) < SAME_END_POINTS &&
      Math.abs(other.left - box.left) > SAME_POINTS &&
      Math.abs(other.bottom - box.bottom) < MAX_END_DISTANCE_EMS * (box.top - box.bottom),
  );
  return near.length >= MIN_ENDS;
}

/** The alignment between the rulings left and right of a box; undefined without both. */
function alignInCell(box: Box, upright: readonly Ruling[]): PageParagraph['align'] | undefined {
  const y = (box.bottom + box.top) / 2;
  let left = -Infinity;
  let right = Infinity;
  for (const { at, from, to } of upright) {
    if (from > y || to < y) continue;
    if (at <= box.left + 0.5) left = Math.max(left, at);
    if (at >= box.right - 0.5) right = Math.min(right, at);
  }
  if (!Number.isFinite(left) || !Number.isFinite(right)) return undefined;
  const before = box.left - left;
  const after = right - box.right;
  const size = box.top - box.bottom;
  if (Math.abs(before - after) < SAME_POINTS && before > 0.4 * size) return 'center';
  return after < before - size && after < size ? 'right' : 'left';
}
