/** Groups lines into text regions, which are translated and drawn as one, and determines how they are set. */
import { appearanceOf, type Appearance, type Colour } from './appearance.ts';
import { around, type PixelBox } from './ocr.ts';
import { type Picture, turnedPicture, type QuarterTurn } from './picture.ts';
import type { ReadLine } from './read-text.ts';
import { joined } from './sure-lines.ts';

/** A line with its appearance. */
export interface SeenLine extends ReadLine {
  appearance: Appearance;
}

/** A paragraph, heading or label. */
export interface TextRegion {
  text: string;
  lines: readonly [SeenLine, ...SeenLine[]];
  /** Box around the letters of all lines. */
  box: PixelBox;
  /** Box in which there is only background. */
  room: PixelBox;
  align: 'left' | 'center' | 'right';
  /** Distance from line to line; undefined for a single line. */
  pitchPx: number | undefined;
}

/** The regions at one angle, and the picture rotated until they lie level. */
export interface TurnedRegions {
  angle: QuarterTurn;
  picture: Picture;
  regions: TextRegion[];
}

const TURNS: readonly QuarterTurn[] = [0, 90, 180, 270];

/** Finds the regions of recognised lines, in reading order, for each angle that occurs. */
export async function findTurnedRegions(
  picture: Picture,
  lines: readonly ReadLine[],
): Promise<TurnedRegions[]> {
  const found: TurnedRegions[] = [];
  for (const angle of TURNS) {
    const own = lines.filter((line) => line.angle === angle);
    if (own.length === 0) continue;
    const turned = await turnedPicture(picture, angle);
    found.push({ angle, picture: turned, regions: findRegions(turned, own) });
  }
  return found;
}

/** Finds the regions of recognised lines, in reading order. */
export function findRegions(picture: Picture, lines: readonly ReadLine[]): TextRegion[] {
  const seen = lines
    .map((line) => {
      const appearance = appearanceOf(picture, line.box, line);
      return appearance && { ...line, appearance };
    })
    .filter((line) => line !== undefined);
  return withSharedRoom(alignedByColumns(grouped(seen).map((group) => region(picture, group))));
}

type Group = [SeenLine, ...SeenLine[]];

function grouped(lines: readonly SeenLine[]): Group[] {
  const groups: Group[] = [];
  for (const line of lines) {
    const group = groups.find(
      (one) => (isSameParagraph(one, line) || isSameSentence(one, line)) && goesOn(one, line),
    );
    if (group === undefined) groups.push([line]);
    else group.push(line);
  }
  return groups.flatMap(atForcedBreaks);
}

function isSameParagraph(group: Group, line: SeenLine): boolean {
  return group.at(-1)?.paragraph === line.paragraph;
}

/** Recognition separates close lines now and then; a line with a small initial continues the one before. */
function isSameSentence(group: Group, line: SeenLine): boolean {
  const last = group.at(-1) ?? group[0];
  const isAligned = Math.abs(last.box.left - line.box.left) < 0.5 * line.letterHeightPx;
  return isAligned && /[^\p{Sentence_Terminal}:]$/u.test(last.text) && /^\p{Ll}/u.test(line.text);
}

/**
 * Maximum differences between lines of one text: ratio of heights, distance of colours, pitch in letter
 * heights.
 */
const SAME_HEIGHT = 1.35;
const SAME_COLOUR = 70;
const WIDEST_PITCH = 2.1;

function goesOn(group: Group, line: SeenLine): boolean {
  const last = group.at(-1) ?? group[0];
  const [height, lastHeight] = [line.letterHeightPx, last.letterHeightPx];
  const pitch = line.box.bottom - last.box.bottom;
  const isBelow = pitch > 0.5 * Math.max(height, lastHeight);
  const isNear = pitch < WIDEST_PITCH * Math.max(height, lastHeight);
  const isBeside = line.box.left < last.box.right && line.box.right > last.box.left;
  const ratio = Math.max(height, lastHeight) / Math.min(height, lastHeight);
  return (
    !line.isMarked &&
    isInRow(line, last) &&
    isInRow(last, line) &&
    isBelow &&
    isNear &&
    isBeside &&
    ratio < SAME_HEIGHT &&
    colourDistance(line.appearance.ink, last.appearance.ink) < SAME_COLOUR
  );
}

function isInRow({ box }: SeenLine, { row }: SeenLine): boolean {
  const middle = (box.top + box.bottom) / 2;
  return middle > row.top && middle < row.bottom;
}

function colourDistance(a: Colour, b: Colour): number {
  return Math.max(...a.map((value, channel) => Math.abs(value - (b[channel] ?? 0))));
}

/**
 * Splits a group where the next word would have fitted, which shows a deliberate end, as in menus and
 * addresses; never within a divided word.
 */
function atForcedBreaks(group: Group): Group[] {
  const box = around(group.map((line) => line.box));
  const parts: Group[] = [[group[0]]];
  for (const [index, line] of group.slice(1).entries()) {
    const before = group[index] ?? group[0];
    const firstWord = line.words[0]?.box;
    const needed = firstWord === undefined ? 0 : firstWord.right - firstWord.left;
    const blank = 0.35 * line.letterHeightPx;
    const left = box.right - box.left - (before.box.right - before.box.left);
    // Ragged edges vary, so only a word that fits with ease counts.
    if (needed + 2 * blank < left && !isDivided(before.text, line.text)) parts.push([line]);
    else parts.at(-1)?.push(line);
  }
  return parts;
}

function region(picture: Picture, lines: Group): TextRegion {
  const box = around(lines.map(({ appearance }) => appearance.inkBox));
  const room = roomOf(picture, lines);
  const bottoms = lines.map((line) => line.box.bottom);
  const pitch = ((bottoms.at(-1) ?? 0) - (bottoms[0] ?? 0)) / (lines.length - 1);
  return {
    text: withoutHyphens(lines),
    lines,
    box,
    room,
    align: alignment(lines, room),
    pitchPx: lines.length > 1 ? pitch : undefined,
  };
}

function roomOf(picture: Picture, lines: Group): PixelBox {
  const rooms = lines.map(({ appearance, letterHeightPx }) =>
    roomAround(picture, appearance.inkBox, { appearance, heightPx: letterHeightPx }),
  );
  return {
    left: Math.max(...rooms.map(({ left }) => left)),
    right: Math.min(...rooms.map(({ right }) => right)),
    top: rooms[0]?.top ?? 0,
    bottom: rooms.at(-1)?.bottom ?? 0,
  };
}

/** Joins the lines; a divided word loses its hyphen. */
function withoutHyphens(lines: Group): string {
  return lines.reduce(
    (text, line) =>
      isDivided(text, line.text) ? text.slice(0, -1) + line.text : joined([text, line.text]),
    '',
  );
}

/** Tests whether a word begins in one line and ends in the next. */
function isDivided(text: string, next: string): boolean {
  return /\p{Ll}[-‐¬]$/u.test(text) && /^\p{Ll}/u.test(next);
}

function alignment(lines: Group, room: PixelBox): TextRegion['align'] {
  const boxes = lines.map(({ appearance }) => appearance.inkBox);
  const heightPx = lines[0].letterHeightPx;
  if (boxes.length === 1) return alignmentInRoom(boxes[0] ?? room, room, heightPx);
  const lefts = spread(boxes.map(({ left }) => left));
  const rights = spread(boxes.map(({ right }) => right));
  const centers = spread(boxes.map(({ left, right }) => (left + right) / 2));
  // Letters begin with different side bearings.
  if (lefts <= 0.4 * heightPx || (lefts <= rights && lefts <= centers)) {
    const isRightToLeft = lines[0].isRightToLeft && rights <= 0.4 * heightPx;
    return isRightToLeft ? 'right' : 'left';
  }
  return centers <= rights ? 'center' : 'right';
}

function spread(numbers: readonly number[]): number {
  return Math.max(...numbers) - Math.min(...numbers);
}

/** A single line is centred if it has equal room on both sides, as within a button. */
function alignmentInRoom(box: PixelBox, room: PixelBox, heightPx: number): TextRegion['align'] {
  const before = box.left - room.left;
  const after = room.right - box.right;
  if (Math.abs(before - after) <= Math.max(0.12 * (before + after), 0.3 * heightPx))
    return 'center';
  return after < 2 * heightPx && before > 6 * heightPx ? 'right' : 'left';
}

// Room: how far text may grow before it meets something else.

/** Farthest distance searched, in heights of the line; without a limit, 40 MP take a while. */
const FARTHEST = 60;
/** Minimum difference of a channel from the background, so that a pale hairline counts and noise does not. */
const ANOTHER_COLOUR = 16;
const NOISE_FACTOR = 6;
/** Rate at which the known background follows the pixels, so that a gradient is no border. */
const FOLLOW = 0.25;

/**
 * Returns the box around a line of text that holds only its background, searched straight from each side of
 * the line.
 */
function roomAround(
  picture: Picture,
  box: PixelBox,
  { appearance, heightPx }: { appearance: Appearance; heightPx: number },
): PixelBox {
  const difference = Math.max(ANOTHER_COLOUR, NOISE_FACTOR * appearance.unevenness);
  const farthest = Math.round(FARTHEST * heightPx);
  // Shades of letters lie just outside their box, and now and then a full stop that was not recognised.
  const halo = Math.max(3, Math.round(heightPx * 0.3));
  const look = (from: number, limit: number, isColumn: boolean): number =>
    clearUntil(picture, box, { from, limit, isColumn, difference });
  return {
    left: look(box.left - 1 - halo, Math.max(0, box.left - farthest), true) + 1,
    right: look(box.right + halo, Math.min(picture.width - 1, box.right + farthest), true),
    top: look(box.top - 1 - halo, Math.max(0, box.top - farthest), false) + 1,
    bottom: look(box.bottom + halo, Math.min(picture.height - 1, box.bottom + farthest), false),
  };
}

/** Returns the first row or column with something in it, from one position to another. */
function clearUntil(
  picture: Picture,
  box: PixelBox,
  {
    from,
    limit,
    isColumn,
    difference,
  }: { from: number; limit: number; isColumn: boolean; difference: number },
): number {
  const step = limit < from ? -1 : 1;
  const length = isColumn ? box.bottom - box.top : box.right - box.left;
  // Each pixel is compared with those before it, since the background may change along the line.
  const known = new Float32Array(length * picture.channels).fill(Number.NaN);
  for (let at = from; step > 0 ? at <= limit : at >= limit; at += step) {
    if (!isClear(picture, box, { at, isColumn, known, difference })) return at;
  }
  return limit + step;
}

function isClear(
  { data, width, channels }: Picture,
  box: PixelBox,
  {
    at,
    isColumn,
    known,
    difference,
  }: { at: number; isColumn: boolean; known: Float32Array; difference: number },
): boolean {
  const [from, to] = isColumn ? [box.top, box.bottom] : [box.left, box.right];
  // A speck is no border.
  let others = Math.max(1, (to - from) * 0.04);
  for (let along = from, index = 0; along < to; along++) {
    const pixel = (isColumn ? along * width + at : at * width + along) * channels;
    // A transparent pixel has no colour.
    const isSeen = channels === 3 || (data[pixel + 3] ?? 255) > 8;
    let most = 0;
    for (let channel = 0; channel < channels; channel++, index++) {
      const value = channel < 3 && !isSeen ? 0 : (data[pixel + channel] ?? 0);
      const before = known[index] ?? Number.NaN;
      const expected = Number.isNaN(before) ? value : before;
      most = Math.max(most, Math.abs(value - expected));
      known[index] = expected + (value - expected) * FOLLOW;
    }
    if (most > difference && --others < 0) return false;
  }
  return true;
}

/** Returns the regions, with the free space between two that may both grow into it divided in half. */
function withSharedRoom(regions: readonly TextRegion[]): TextRegion[] {
  const byTop = regions.toSorted((a, b) => a.box.top - b.box.top);
  const rooms = new Map(regions.map((one) => [one, { ...one.room }]));
  for (const [at, one] of byTop.entries()) {
    for (const other of byTop.slice(at + 1)) {
      if (other.box.top >= one.box.bottom) break;
      const [left, right] = one.box.left < other.box.left ? [one, other] : [other, one];
      const [leftRoom, rightRoom] = [rooms.get(left), rooms.get(right)];
      const mayMeet = left.align !== 'right' && right.align !== 'left';
      if (!mayMeet || left.box.right > right.box.left || !leftRoom || !rightRoom) continue;
      const middle = Math.round((left.box.right + right.box.left) / 2);
      leftRoom.right = Math.min(leftRoom.right, middle);
      rightRoom.left = Math.max(rightRoom.left, middle);
    }
  }
  return regions.map((one) => ({ ...one, room: rooms.get(one) ?? one.room }));
}

// Table cells and list items: the alignment of a single line shows in the lines above and below it.

type Align = TextRegion['align'];

/**
 * Edges are the same if they differ by less than the first, and different if by more than the second, in
 * letter heights.
 */
const SAME_EDGE = 0.3;
const ANOTHER_EDGE = 0.6;
/** Maximum distance between rows, in letter heights. */
const FARTHEST_ROW = 5;
const ALIKE_HEIGHTS = 1.4;
/**
 * Votes needed to overrule an alignment: equal room on both sides may be a coincidence, room on one side only
 * hardly is.
 */
const LEAST_AGAINST: Readonly<Record<Align, number>> = { center: 1, left: 2, right: 2 };

const SIDES: readonly Align[] = ['left', 'right', 'center'];

/** Returns the regions, with single lines aligned like their column. */
function alignedByColumns(regions: readonly TextRegion[]): TextRegion[] {
  const byTop = regions.toSorted((a, b) => a.box.top - b.box.top);
  const places = new Map(byTop.map((region, at) => [region, at]));
  return regions.map((region) => {
    if (region.lines.length > 1) return region;
    const at = places.get(region) ?? 0;
    const column = neighbours(byTop, at, region);
    const votes = SIDES.map((side) => ({
      side,
      count: column.filter((other) => sharesOnly(side, region, other)).length,
    }));
    const most = votes.reduce((a, b) => (b.count > a.count ? b : a));
    return most.count >= LEAST_AGAINST[region.align] ? { ...region, align: most.side } : region;
  });
}

/** Returns the regions near above and below one, with letters of about the same height. */
function neighbours(byTop: readonly TextRegion[], at: number, region: TextRegion): TextRegion[] {
  const reach = FARTHEST_ROW * heightOf(region);
  const near: TextRegion[] = [];
  const look = (from: number, step: 1 | -1): void => {
    for (let next = from; ; next += step) {
      const other = byTop[next];
      if (other === undefined || Math.abs(other.box.top - region.box.top) > reach) return;
      const ratio = heightOf(other) / heightOf(region);
      const isBeside = other.box.left < region.box.right && other.box.right > region.box.left;
      const isAbove = other.box.bottom <= region.box.top || other.box.top >= region.box.bottom;
      if (isBeside && isAbove && Math.max(ratio, 1 / ratio) < ALIKE_HEIGHTS) near.push(other);
    }
  };
  look(at - 1, -1);
  look(at + 1, 1);
  return near;
}

function heightOf({ lines }: TextRegion): number {
  return lines[0].letterHeightPx;
}

/** Tests whether two texts share one edge, or their middle, and nothing else. */
function sharesOnly(side: Align, region: TextRegion, other: TextRegion): boolean {
  return SIDES.every((one) => {
    const apart = Math.abs(placeOf(one, region.box) - placeOf(one, other.box)) / heightOf(region);
    return one === side ? apart < SAME_EDGE : apart > ANOTHER_EDGE;
  });
}

function placeOf(side: Align, { left, right }: PixelBox): number {
  if (side === 'center') return (left + right) / 2;
  return side === 'left' ? left : right;
}
