/** Writes the translated paragraphs of a page in the place of the originals. */
import type { FontChoice } from '../fonts/font-choice.ts';
import type { OpenFont } from '../fonts/shaped-text.ts';
import type { TextSegment } from '../../../text/text-segment.ts';
import type { EmbeddedFont } from './embedded-font.ts';
import {
  applyToBox,
  horizontalOverlap,
  invert,
  type Matrix,
  multiply,
  turn,
  union,
  verticalOverlap,
} from './geometry.ts';
import {
  type Fitting,
  fittingScale,
  lineStart,
  type Room,
  roomOf,
  setText,
  slotOf,
  type Surroundings,
} from './fitted-text.ts';
import { measureText, type OpenFonts } from './laid-out-text.ts';
import { type LinePart, visualParts, writeOperators } from './text-operators.ts';
import type { Box, Page, PageParagraph, Ruling } from './page-model.ts';
import { type ParagraphText, runsOfSegment } from './paragraph-segments.ts';
import { labelLinesOf, withLabels } from './page-drawings.ts';
import { panelFloor, panelOf } from './push-hindrances.ts';
import { pushDown } from './pushed-down.ts';
import { type Wrap, wrapsOf } from './wrapped-lines.ts';

/** A paragraph to be redrawn, with its translation. */
export interface Redrawing {
  paragraph: PageParagraph;
  text: ParagraphText;
  translated: TextSegment;
  /** Whether to draw its list marker as well. */
  withMarker: boolean;
}

/** The settings and fonts shared by all pages of a document. */
export interface Pen {
  language: string;
  isRightToLeft: boolean;
  fonts: FontChoice;
  openFont: OpenFonts;
  embedded: (font: OpenFont) => EmbeddedFont;
}

/** The new text of a page. */
export interface DrawnText {
  operators: string;
  fonts: ReadonlySet<EmbeddedFont>;
  /** Opacity by the name of the graphics state that the operators use. */
  states: ReadonlyMap<string, number>;
  /** Boxes of each link's new text on the page as displayed, by the index of the link. */
  links: ReadonlyMap<number, Box[]>;
}

/** Minimum scale that all text of a size on a page shares. */
const SHARED_SCALE = 0.8;

/** Minimum distance from the edge of the page, as printers leave out what is nearer. */
const MIN_MARGIN_POINTS = 24;

/**
 * A paragraph is compared with all others of its page, up to `MAX_COMPARED` paragraphs, more than real text
 * has; beyond that, with those up to `MAX_DISTANCE` places away.
 */
const MAX_COMPARED = 2_000;
const MAX_DISTANCE = 40;

interface Placed extends Redrawing {
  /** Position in reading order. */
  order: number;
  /** Whether it is in a cell of a ruled table. */
  isCell: boolean;
  fitting: Fitting;
  scale: number;
}

/** Draws paragraphs; `view` is the matrix from the file to the page. */
export function drawParagraphs({
  page,
  view,
  redrawings,
  pictures,
  drawings,
  panels,
  drawsRules,
  pen,
}: {
  page: Page;
  view: Matrix;
  redrawings: readonly Redrawing[];
  /** Boxes of the page's pictures, into which text does not grow. */
  pictures: readonly Box[];
  /** Boxes of everything drawn besides text; undefined for a scanned page. */
  drawings: readonly Box[] | undefined;
  /** The drawings that may contain text; the text stays inside. */
  panels: readonly Box[];
  /** Whether to draw underlines and strike-through lines; otherwise the originals are still on the page. */
  drawsRules: boolean;
  pen: Pen;
}): DrawnText {
  const operators = writeOperators();
  const fonts = new Set<EmbeddedFont>();
  const links = new Map<number, Box[]>();
  const back = invert(view);
  if (back === undefined) return { operators: '', fonts, states: operators.states(), links };
  const area = textArea(page);
  const obstacles = drawings === undefined ? [] : (page.obstacles ?? []);
  const placed = placeAll(redrawings, { page, area, pictures, obstacles, panels, pen });
  let isPushed = false;
  if (drawings !== undefined) {
    const written = new Set(redrawings.map(({ paragraph }) => paragraph));
    const kept = page.paragraphs.filter((paragraph) => !written.has(paragraph)).flatMap(boxesOf);
    isPushed = pushDown(placed, [...kept, ...drawings], {
      panels,
      foot: area.bottom,
      pageHeight: page.height,
      share: (columns) => shareScales(placed, columns),
    });
  }
  if (!isPushed) shareScales(placed);
  for (const one of placed) {
    const upright = turn(one.paragraph.rotation);
    const level = multiply(upright, back);
    const parts = [...partsOf(one), ...markerParts(one, pen)];
    for (const part of parts) {
      const font = pen.embedded(part.font);
      fonts.add(font);
      operators.add(part, { font, level, drawsRules });
      if (part.link === undefined) continue;
      const boxes = links.get(part.link) ?? [];
      boxes.push(applyToBox(upright, part.box));
      links.set(part.link, boxes);
    }
  }
  return { operators: operators.text(), fonts, states: operators.states(), links };
}

function placeAll(
  redrawings: readonly Redrawing[],
  {
    page,
    area,
    pictures,
    obstacles,
    panels,
    pen,
  }: {
    page: Page;
    /** Box around all text of the page. */
    area: Box;
    pictures: readonly Box[];
    obstacles: readonly Box[];
    panels: readonly Box[];
    pen: Pen;
  },
): Placed[] {
  const orders = new Map(page.paragraphs.map((paragraph, at) => [paragraph, at]));
  const figures = withLabels(obstacles, labelLinesOf(page.paragraphs));
  const wraps = wrapsOf(page.paragraphs, figures);
  return redrawings.map((redrawing) => {
    const { paragraph } = redrawing;
    const order = orders.get(paragraph) ?? 0;
    const others = neighboursOf(page, order);
    const back = turn(-paragraph.rotation);
    const level = (box: Box): Box => (paragraph.rotation === 0 ? box : applyToBox(back, box));
    const drawn = [...pictures, ...obstacles].map(level);
    const texts = [
      ...others.flatMap((other) => boxesBeside(paragraph, other)),
      ...floorOf(paragraph, panels),
    ].map(level);
    const surroundings: Surroundings = {
      boxes: [...texts, ...drawn],
      drawings: new Set(drawn),
      rulings: paragraph.rotation === 0 ? page.rulings : [],
      text: level(area),
    };
    const columns = others.filter(({ lines }) => lines.length > 1).map(({ box }) => level(box));
    const wrap = wraps.get(paragraph);
    const isCell = isBetween(surroundings.rulings, paragraph.box);
    return { ...place({ redrawing, surroundings, columns, wrap, pen }), order, isCell };
  });
}

function place({
  redrawing,
  surroundings,
  columns,
  wrap,
  pen,
}: {
  redrawing: Redrawing;
  surroundings: Surroundings;
  columns: readonly Box[];
  wrap: Wrap | undefined;
  pen: Pen;
}): Omit<Placed, 'order' | 'isCell'> {
  const { paragraph, text, translated } = redrawing;
  const sizePoints = text.base.style.sizePoints;
  const measured = measureText({
    runs: runsOfSegment(translated, text),
    sizePoints,
    language: pen.language,
    isTargetRightToLeft: pen.isRightToLeft,
    fonts: pen.fonts,
    openFont: pen.openFont,
  });
  const fittingIn = (room: Room): Fitting => ({
    text: measured,
    sizePoints,
    leading: paragraph.leading,
    lineCount: paragraph.lines.length,
    room: measured.isRightToLeft ? mirrored(room, paragraph) : room,
  });
  const fitting = fittingIn(roomOf({ paragraph, surroundings, columns, wrap }));
  const scale = fittingScale(fitting);
  const count = setText(fitting, scale, false).lines.length;
  const { headingLevel, lines } = paragraph;
  // A single line, which may belong to a column, may widen only to avoid shrinking; a heading also to avoid
  // wrapping.
  const mayBeWide =
    scale < 1
      ? lines.length === 1 || headingLevel !== undefined
      : headingLevel !== undefined && count > lines.length;
  if (!mayBeWide || measured.isRightToLeft) return { ...redrawing, fitting, scale };
  // Text on its own may extend beyond its column.
  const wide = fittingIn(roomOf({ paragraph, surroundings, columns: undefined, wrap }));
  const wideScale = fittingScale(wide);
  const isBetter =
    wideScale > scale || (wideScale === scale && setText(wide, scale, false).lines.length < count);
  return isBetter
    ? { ...redrawing, fitting: wide, scale: wideScale }
    : { ...redrawing, fitting, scale };
}

/** Returns the other paragraphs; on a page of scattered letters, only those near in reading order. */
function neighboursOf({ paragraphs }: Page, at: number): readonly PageParagraph[] {
  const isCrowded = paragraphs.length > MAX_COMPARED;
  const from = isCrowded ? Math.max(0, at - MAX_DISTANCE) : 0;
  const near = isCrowded ? paragraphs.slice(from, at + MAX_DISTANCE) : paragraphs;
  return near.filter((_, index) => from + index !== at);
}

/**
 * Returns the box around all text of a page, extended at the right and the foot to margins like those on the
 * other sides.
 */
function textArea({ paragraphs, width, height }: Page): Box {
  const { left, right, bottom, top } = union(paragraphs.map(({ box }) => box));
  const foot = Math.max(MIN_MARGIN_POINTS, height - top);
  return {
    left,
    top,
    right: Math.max(right, Math.min(width - left, width - MIN_MARGIN_POINTS)),
    bottom: Math.min(bottom, foot),
  };
}

function boxesOf({ box, markerLine, rotation }: PageParagraph): Box[] {
  return markerLine === undefined || rotation !== 0 ? [box] : [box, markerLine.box];
}

/**
 * Returns the boxes that another paragraph occupies: each line by itself where its lines run around this one.
 */
function boxesBeside(paragraph: PageParagraph, other: PageParagraph): Box[] {
  return goesAround(other, paragraph) ? other.lines.map(({ box }) => box) : boxesOf(other);
}

/** Tests whether a paragraph's box contains another one beside some of its lines. */
function goesAround(around: PageParagraph, { box, lines, rotation }: PageParagraph): boolean {
  if (around.lines.length < 2 || around.rotation !== rotation) return false;
  const level = 0.5 * Math.min(box.top - box.bottom, around.box.top - around.box.bottom);
  return (
    horizontalOverlap(box, around.box) > 1 &&
    verticalOverlap(box, around.box) > level &&
    !around.lines.some((line) => lines.some((own) => areOver(line.box, own.box)))
  );
}

function areOver(a: Box, b: Box): boolean {
  return horizontalOverlap(a, b) > 1 && verticalOverlap(a, b) > 1;
}

/** Returns the lower edge of the panel that contains level text. */
function floorOf(paragraph: PageParagraph, panels: readonly Box[]): Box[] {
  const panel = paragraph.rotation === 0 ? panelOf(paragraph, panels) : undefined;
  return panel === undefined ? [] : [panelFloor(paragraph, panel)];
}

/** Aligns right-to-left text and its list marker to the right. */
function mirrored(room: Room, { markerLine, lines, rotation }: PageParagraph): Room {
  if (room.align === 'center') return room;
  // Rotated text has no column with an opposite edge to move to.
  if (rotation !== 0) {
    const { left, right } = union(lines.map(({ box }) => box));
    return { ...room, left, right, align: 'right' };
  }
  const markerWidth =
    markerLine === undefined ? 0 : (lines[0]?.box.left ?? 0) - markerLine.box.left;
  const left = markerWidth > 0 ? room.left - markerWidth : room.left;
  return { ...room, left, right: room.right - Math.max(0, markerWidth), align: 'right' };
}

/** Tests whether vertical rulings stand left and right of a box. */
function isBetween(rulings: readonly Ruling[], { left, right, bottom, top }: Box): boolean {
  const beside = rulings.filter(({ isHorizontal, from, to }) => {
    return !isHorizontal && from < (bottom + top) / 2 && to > (bottom + top) / 2;
  });
  return beside.some(({ at }) => at < left + 1) && beside.some(({ at }) => at > right - 1);
}

/**
 * Gives text of one size and weight in a column, or on a page, the same scale, except text that is far
 * smaller. Text in table cells is grouped apart, so that a narrow cell does not shrink the text around the
 * table.
 */
function shareScales(placed: readonly Placed[], columns?: ReadonlyMap<Placed, number>): void {
  const groups = new Map<string, Placed[]>();
  for (const one of placed) {
    const { sizePoints, isBold } = one.text.base.style;
    const look = `${Math.round(sizePoints * 2)}${isBold ? 'b' : ''}${one.paragraph.rotation}`;
    const key = `${look} ${one.isCell ? 'cell' : ''} ${columns?.get(one) ?? ''}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [one]);
    else group.push(one);
  }
  for (const group of groups.values()) {
    const near = group.map(({ scale }) => scale).filter((scale) => scale >= SHARED_SCALE);
    const shared = Math.min(1, ...near);
    for (const one of group) one.scale = Math.min(one.scale, shared);
  }
}

function partsOf({ fitting, scale, paragraph }: Placed): LinePart[] {
  const { room, sizePoints, text } = fitting;
  const size = sizePoints * scale;
  const { lines, leading } = setText(fitting, scale, scale <= 0.601);
  const isJustified = paragraph.align === 'justify';
  return lines.flatMap((line, at) => {
    const slot = slotOf(fitting, { line: at, scale, leading });
    const spare = slot.right - slot.left - line.width * size;
    const isLast = at === lines.length - 1;
    const stretch = isJustified && !isLast && spare > 0 ? spare : 0;
    const isFromRight = text.isRightToLeft && room.align !== 'center';
    const x = isFromRight
      ? slot.right - line.width * size - stretch
      : lineStart(slot, room.align, line.width * size);
    const y = room.baseline - at * leading;
    return visualParts({ line, size, stretch, isRightToLeft: text.isRightToLeft, x, y });
  });
}

/** Returns the list marker in its original place, or on the opposite side of right-to-left text. */
function markerParts({ paragraph, withMarker, fitting, scale }: Placed, pen: Pen): LinePart[] {
  const { markerLine, lines } = paragraph;
  if (!withMarker || markerLine === undefined) return [];
  // Symbol fonts encode their bullets in the private use area.
  const runs = markerLine.runs.map(({ text, style }) => {
    return { text: text.replaceAll(/\p{Co}/gu, '•'), style, link: undefined };
  });
  const size = fitting.sizePoints * scale;
  const text = measureText({
    runs,
    sizePoints: fitting.sizePoints,
    language: pen.language,
    isTargetRightToLeft: false,
    fonts: pen.fonts,
    openFont: pen.openFont,
  });
  const [line] = text.lines(() => Infinity, false);
  if (line === undefined) return [];
  const gap = (lines[0]?.box.left ?? 0) - markerLine.box.left;
  const isMirrored = fitting.text.isRightToLeft && gap > 0;
  const x = isMirrored ? fitting.room.right + gap - line.width * size : markerLine.box.left;
  const y = fitting.room.baseline;
  return visualParts({ line, size, stretch: 0, isRightToLeft: false, x, y });
}
