/** Reads the drawings of a page: rulings, signs as small as bullets, and obstacles around which text runs. */
import {
  apply,
  applyToBox,
  horizontalOverlap,
  type Matrix,
  multiply,
  union,
  verticalOverlap,
} from './geometry.ts';
import type { Box, PageParagraph, Ruling } from './page-model.ts';
import {
  boundsOf,
  matrixOf,
  objectsOf,
  type OpenPage,
  pageObject,
  scratchNumber,
} from './pdfium.ts';

/** `FPDF_SEGMENT_*`. */
const LINE_TO = 0;
const MOVE_TO = 2;

/** Maximum number of path segments that are read: maps have millions, tables do not. */
const MAX_SEGMENTS = 20_000;
/** Maximum side of a bullet, and the maximum number of bullets of a page; pages with more are drawings. */
const MAX_SIGN_POINTS = 16;
const MAX_SIGNS = 400;
/** Shorter lines are parts of signs. */
const MIN_LENGTH_POINTS = 8;
/** Tolerance for horizontal and vertical lines. */
const TOLERANCE_POINTS = 0.6;

/** Reads the horizontal and vertical lines of a page as displayed; the sides of boxes count as lines. */
export function readRulings(page: OpenPage, view: Matrix): Ruling[] {
  const { pdfium } = page;
  const rulings: Ruling[] = [];
  let segmentsLeft = MAX_SEGMENTS;
  for (const object of objectsOf(page)) {
    if (segmentsLeft <= 0) break;
    if (pdfium.FPDFPageObj_GetType(object) !== pageObject.path) continue;
    const segments = Math.min(segmentsLeft, pdfium.FPDFPath_CountSegments(object));
    segmentsLeft -= Math.max(1, segments);
    addPath({ page, object, segments, view, rulings });
  }
  return rulings;
}

function addPath({
  page,
  object,
  segments,
  view,
  rulings,
}: {
  page: OpenPage;
  object: number;
  segments: number;
  view: Matrix;
  rulings: Ruling[];
}): void {
  const { pdfium, scratch } = page;
  const own = matrixOf(page, object);
  if (own === undefined) return;
  const matrix = multiply(own, view);
  let start = { x: 0, y: 0 };
  let last = start;
  for (let at = 0; at < segments; at += 1) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, at);
    if (!pdfium.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4)) continue;
    const point = apply(matrix, { x: scratchNumber(page, 0), y: scratchNumber(page, 1) });
    const type = pdfium.FPDFPathSegment_GetType(segment);
    if (type === LINE_TO) addLine(last, point, rulings);
    if (type === MOVE_TO) start = point;
    last = point;
    if (pdfium.FPDFPathSegment_GetClose(segment)) addLine(last, start, rulings);
  }
}

function addLine(
  a: { x: number; y: number },
  b: { x: number; y: number },
  rulings: Ruling[],
): void {
  const width = Math.abs(a.x - b.x);
  const height = Math.abs(a.y - b.y);
  if (height <= TOLERANCE_POINTS && width >= MIN_LENGTH_POINTS) {
    const [from, to] = a.x < b.x ? [a.x, b.x] : [b.x, a.x];
    rulings.push({ isHorizontal: true, at: (a.y + b.y) / 2, from, to });
  } else if (width <= TOLERANCE_POINTS && height >= MIN_LENGTH_POINTS) {
    const [from, to] = a.y < b.y ? [a.y, b.y] : [b.y, a.y];
    rulings.push({ isHorizontal: false, at: (a.x + b.x) / 2, from, to });
  }
}

/** Reads the drawings and images of a page that are no larger than bullets of large text. */
export function readSigns(page: OpenPage, view: Matrix): Box[] {
  const signs: Box[] = [];
  let objects = 0;
  for (const object of objectsOf(page)) {
    if (objects === MAX_SEGMENTS || signs.length === MAX_SIGNS) break;
    objects += 1;
    const type = page.pdfium.FPDFPageObj_GetType(object);
    if (type !== pageObject.path && type !== pageObject.image) continue;
    const box = boundsOf(page, object);
    if (box === undefined) continue;
    const [width, height] = [box.right - box.left, box.top - box.bottom];
    const isSign = Math.max(width, height) < MAX_SIGN_POINTS && Math.min(width, height) > 1;
    if (isSign) signs.push(applyToBox(view, box));
  }
  return signs;
}

// Obstacles: pictures and drawings around which text runs, with their labels and captions.

/** Maximum number of objects; a page with more is a drawing itself. */
const MAX_OBJECTS = 2_000;
/** Maximum gap between the parts of one drawing, in points. */
const JOINED_POINTS = 2;
/** A drawing that is smaller in either direction is a rule, a sign or the background of a word. */
const MIN_OBSTACLE_POINTS = 24;
/** An object that covers this share of the page is its background. */
const BACKGROUND_SHARE = 0.5;
/** Maximum number of obstacles; a page with more is hostile, or a table of pictures. */
const MAX_OBSTACLES = 200;
/** Minimum length, in points, of a line on both sides of a drawing's edge that it crosses. */
const CROSSING_POINTS = 12;

/** Reads the boxes around pictures and drawings, with the parts of one joined, from top to bottom. */
export function readObstacles(
  page: OpenPage,
  { view, width, height }: { view: Matrix; width: number; height: number },
): Box[] {
  let joined: Box[] = [];
  let objects = 0;
  for (const object of objectsOf(page)) {
    if (page.pdfium.FPDFPageObj_GetType(object) === pageObject.text) continue;
    const bounds = boundsOf(page, object);
    if (bounds === undefined) continue;
    objects += 1;
    if (objects > MAX_OBJECTS) return [];
    const box = applyToBox(view, bounds);
    const share = ((box.right - box.left) * (box.top - box.bottom)) / (width * height);
    if (share < BACKGROUND_SHARE) joined = withPart(joined, box);
  }
  const large = joined.filter(({ left, right, bottom, top }) => {
    return Math.min(right - left, top - bottom) >= MIN_OBSTACLE_POINTS;
  });
  return large.length > MAX_OBSTACLES ? [] : large.sort((a, b) => b.top - a.top);
}

/** Joins a part with all boxes it touches, and with those that the result touches in turn. */
function withPart(known: readonly Box[], part: Box): Box[] {
  let whole = part;
  let rest = [...known];
  for (;;) {
    const touching = rest.filter((box) => areJoined(box, whole));
    if (touching.length === 0) return [...rest, whole];
    rest = rest.filter((box) => !areJoined(box, whole));
    whole = union([whole, ...touching]);
  }
}

function areJoined(a: Box, b: Box): boolean {
  return horizontalOverlap(a, b) > -JOINED_POINTS && verticalOverlap(a, b) > -JOINED_POINTS;
}

/**
 * Returns a predicate for drawings over which text is printed: watermarks, and backgrounds that end within a
 * column. These do not obstruct text. A drawing on such a background obstructs text unless text is printed
 * over it as well.
 */
export function isGround(
  paragraphs: readonly PageParagraph[],
  obstacles: readonly Box[],
): (box: Box) => boolean {
  const texts = paragraphs.filter(({ lines, rotation }) => lines.length > 1 && rotation === 0);
  // Lines, since a paragraph's box contains the pictures around which its lines run.
  const boxes = texts.flatMap(({ lines }) => lines.map(({ box }) => box));
  const grounds = obstacles.filter((obstacle) => boxes.some((box) => crossesEdge(box, obstacle)));
  return (drawing) => {
    return (
      grounds.some((ground) => contains(ground, drawing)) &&
      boxes.some((box) => crossesEdge(box, drawing))
    );
  };
}

function crossesEdge(text: Box, drawing: Box): boolean {
  if (verticalOverlap(text, drawing) <= 1) return false;
  const beyond = Math.max(drawing.left - text.left, text.right - drawing.right);
  return horizontalOverlap(text, drawing) > CROSSING_POINTS && beyond > CROSSING_POINTS;
}

function contains({ left, right, bottom, top }: Box, box: Box): boolean {
  const isWide = box.left > left - 1 && box.right < right + 1;
  return isWide && box.bottom > bottom - 1 && box.top < top + 1;
}

/** Longest label, in ems; lines of running text are longer. */
const MAX_LABEL_EMS = 12;
/** Maximum distance of labels from their drawing, and of captions from their picture, in ems. */
const MAX_GAP_EMS = 1;
/** Maximum distance between lines of one text, in ems. */
const MAX_LEADING_EMS = 1.6;
/** Maximum difference of their sizes, as a share. */
const SAME_SIZE = 0.04;
/** Longer text below a picture is no caption. */
const MAX_CAPTION_LINES = 8;
/** Maximum number of lines compared with one: a page has fewer within two lines' height. */
const MAX_COMPARED = 100;

/** A line of text with its look. */
export interface LabelLine {
  box: Box;
  baseline: number;
  sizePoints: number;
  isBold: boolean;
  isItalic: boolean;
}

/** Returns the lines of level paragraphs. */
export function labelLinesOf(paragraphs: readonly PageParagraph[]): LabelLine[] {
  return paragraphs.flatMap(({ lines, rotation }) => {
    if (rotation !== 0) return [];
    return lines.flatMap(({ box, baseline, runs: [first] }) => {
      if (first === undefined) return [];
      const { sizePoints, isBold, isItalic } = first.style;
      return [{ box, baseline, sizePoints, isBold, isItalic }];
    });
  });
}

/** Extends pictures and drawings by their labels and captions: text runs around all of it. */
export function withLabels(pictures: readonly Box[], lines: readonly LabelLine[]): Box[] {
  if (pictures.length === 0) return [];
  const sorted = [...lines].sort((a, b) => b.baseline - a.baseline);
  return pictures.map((picture) => {
    const isOwn = (line: LabelLine, at: number): boolean => !runsOn(line, { at, sorted, picture });
    const labels = sorted.filter((line, at) => isLabel(line, picture) && isOwn(line, at));
    let whole = union([picture, ...labels.map(({ box }) => box)]);
    let last: LabelLine | undefined;
    let count = 0;
    for (const [at, line] of sorted.entries()) {
      if (count === MAX_CAPTION_LINES || line.box.top < whole.bottom - 2 * line.sizePoints) break;
      if (!isBelow(line, { picture, whole, last }) || !isOwn(line, at)) continue;
      whole = union([whole, line.box]);
      last = line;
      count += 1;
    }
    return whole;
  });
}

function isLabel({ box, sizePoints }: LabelLine, picture: Box): boolean {
  if (box.right - box.left > MAX_LABEL_EMS * sizePoints) return false;
  const level = verticalOverlap(box, picture);
  const beside = horizontalOverlap(box, picture);
  const gap = MAX_GAP_EMS * sizePoints;
  return (level > 0 && beside > -gap) || (beside > 0 && level > -gap);
}

/** Tests whether a line is the next one of a caption: below the picture, and no wider. */
function isBelow(
  { box, baseline, sizePoints }: LabelLine,
  { picture, whole, last }: { picture: Box; whole: Box; last: LabelLine | undefined },
): boolean {
  const isWithin = box.left > picture.left - 1 && box.right < picture.right + 1;
  if (!isWithin || box.top > picture.bottom + 0.5 * sizePoints) return false;
  if (last === undefined) return whole.bottom - box.top < MAX_GAP_EMS * sizePoints;
  const isNext = last.baseline - baseline < MAX_LEADING_EMS * sizePoints;
  return isNext && Math.abs(last.sizePoints / sizePoints - 1) < SAME_SIZE;
}

/**
 * Tests whether a line belongs to the text beside a picture: an adjacent line of its look extends beyond it.
 */
function runsOn(
  line: LabelLine,
  { at, sorted, picture }: { at: number; sorted: readonly LabelLine[]; picture: Box },
): boolean {
  const reach = MAX_LEADING_EMS * line.sizePoints;
  const isText = (other: LabelLine | undefined): boolean => {
    if (other === undefined) return false;
    const { left, right } = other.box;
    const isLong = right - left > MAX_LABEL_EMS * other.sizePoints;
    const isBeyond = left < picture.left - 1 || right > picture.right + 1;
    const isSame = other.isBold === line.isBold && other.isItalic === line.isItalic;
    return (
      isLong && isBeyond && isSame && Math.abs(other.sizePoints / line.sizePoints - 1) < SAME_SIZE
    );
  };
  for (const step of [-1, 1]) {
    for (let next = at + step; Math.abs(next - at) <= MAX_COMPARED; next += step) {
      const other = sorted[next];
      if (other === undefined || Math.abs(other.baseline - line.baseline) > reach) break;
      if (isText(other)) return true;
    }
  }
  return false;
}
