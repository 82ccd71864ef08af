/**
 * Reads the graphics of a page that a flowing document needs: rules and coloured areas (which form tables),
 * images, drawings and links.
 */
import {
  boxHeight,
  boxWidth,
  apply,
  applyToBox,
  identityMatrix,
  type Matrix,
  multiply,
  type Point,
} from './geometry.ts';
import { type PageLink, readLinks } from './page-links.ts';
import type { Box } from './page-model.ts';
import { viewOf } from './page-characters.ts';
import {
  boundsOf,
  colorOf,
  drawModeOf,
  matrixOf,
  objectsOf,
  objectsOfForm,
  type OpenPage,
  pageObject,
  pixelSizeOf,
  SCRATCH_BYTES,
  scratchNumber,
  strokeWidthOf,
} from './pdfium.ts';

/** A drawn object; `path` leads to it: its index in the page, then in forms. */
export interface DrawnObject {
  path: readonly number[];
  box: Box;
}

/** A straight line, or a bar so thin that it looks like one. */
export interface Rule extends DrawnObject {
  direction: 'horizontal' | 'vertical';
  /** Position across its direction: the y of a horizontal rule. */
  at: number;
  from: number;
  to: number;
  thickness: number;
  color: Color;
}

export type Color = readonly [number, number, number];

/** A rectangle of one colour. */
export interface Fill extends DrawnObject {
  color: Color;
}

/** A picture made of pixels. */
interface DrawnImage extends DrawnObject {
  /** Whether its file format suggests a photograph. */
  isPhotograph: boolean;
}

export interface PageGraphics {
  rules: readonly Rule[];
  fills: readonly Fill[];
  images: readonly DrawnImage[];
  /** Curves, slanted lines, shapes and shadings. */
  drawings: readonly DrawnObject[];
  links: readonly PageLink[];
}

const LINE_SEGMENT = 0;
const MOVE_SEGMENT = 2;
/** Maximum thickness of a rule: thick table borders have 2¼ points, underlines of headings 3. */
const MAX_RULE_POINTS = 3;
/** Limits of objects, rules and path segments: maps and technical drawings have millions, tables do not. */
const MAX_OBJECTS = 100_000;
const MAX_RULES = 20_000;
const MAX_SEGMENTS = 400;
const MAX_FORM_DEPTH = 8;
const MAX_IMAGE_PIXELS = 40_000_000;

type Mutable<T> = { -readonly [K in keyof T]: T[K] extends readonly (infer U)[] ? U[] : T[K] };

interface Walk {
  page: OpenPage;
  objects: number;
  found: Mutable<PageGraphics>;
}

/** Reads the graphics of a page, in page coordinates as displayed. */
export function readGraphics(page: OpenPage): PageGraphics {
  const { view } = viewOf(page);
  const found = { rules: [], fills: [], images: [], drawings: [], links: readLinks(page, view) };
  const walk: Walk = { page, objects: 0, found };
  visitAll(walk, objectsOf(page), view, []);
  return found;
}

function visitAll(
  walk: Walk,
  objects: Iterable<number>,
  matrix: Matrix,
  path: readonly number[],
): void {
  let index = 0;
  for (const object of objects) visit(walk, object, matrix, [...path, index++]);
}

function visit(walk: Walk, object: number, matrix: Matrix, path: readonly number[]): void {
  walk.objects += 1;
  if (object === 0 || walk.objects > MAX_OBJECTS) return;
  const { page } = walk;
  const type = page.pdfium.FPDFPageObj_GetType(object);
  if (type === pageObject.form) {
    if (path.length > MAX_FORM_DEPTH) return;
    const inner = multiply(matrixOf(page, object) ?? identityMatrix, matrix);
    visitAll(walk, objectsOfForm(page, object), inner, path);
  } else if (type === pageObject.path) {
    visitPath(walk, object, matrix, path);
  } else if (type === pageObject.image || type === pageObject.shading) {
    const bounds = boundsOf(page, object);
    if (bounds === undefined) return;
    const box = applyToBox(matrix, bounds);
    if (type === pageObject.shading) walk.found.drawings.push({ path, box });
    else if (isBounded(page, object)) {
      walk.found.images.push({ path, box, isPhotograph: isPhotograph(page, object) });
    }
  }
}

/** Classifies a path as rules, an area, or a drawing. */
function visitPath(walk: Walk, object: number, matrix: Matrix, path: readonly number[]): void {
  const { page } = walk;
  const bounds = boundsOf(page, object);
  if (bounds === undefined) return;
  const box = applyToBox(matrix, bounds);
  const { isFilled, isStroked } = drawModeOf(page, object);
  if (!isFilled && !isStroked) return;
  const isBar = Math.min(boxWidth(box), boxHeight(box)) <= MAX_RULE_POINTS;
  if (isFilled && isBar) {
    addRule(walk, barRule({ path, box, color: colorOf(page, object, 'fill').color }));
    return;
  }
  const outline = straightOutline(page, object, matrix);
  if (outline === undefined) {
    walk.found.drawings.push({ path, box });
    return;
  }
  if (isFilled) {
    // Several rectangles in one path are bars of a chart or a pattern.
    if (outline.subpaths > 1) walk.found.drawings.push({ path, box });
    else walk.found.fills.push({ path, box, color: colorOf(page, object, 'fill').color });
  }
  if (!isStroked) return;
  const thickness = strokeWidthOf(page, object) ?? 1;
  const { color } = colorOf(page, object, 'stroke');
  for (const line of outline.lines) addRule(walk, { ...lineRule(line), thickness, color, path });
}

function addRule(walk: Walk, rule: Rule): void {
  if (walk.found.rules.length < MAX_RULES && rule.to - rule.from > 1) walk.found.rules.push(rule);
}

function barRule({ path, box, color }: Fill): Rule {
  const { left, right, bottom, top } = box;
  const isLevel = right - left >= top - bottom;
  const place = isLevel
    ? lineRule({ x0: left, x1: right, y0: (bottom + top) / 2, y1: (bottom + top) / 2 })
    : lineRule({ x0: (left + right) / 2, x1: (left + right) / 2, y0: bottom, y1: top });
  return { ...place, thickness: isLevel ? top - bottom : right - left, color, path };
}

interface Line {
  x0: number;
  y0: number;
  x1: number;
  y1: number;
}

function lineRule({ x0, y0, x1, y1 }: Line): Omit<Rule, 'thickness' | 'color' | 'path'> {
  const isHorizontal = Math.abs(x1 - x0) >= Math.abs(y1 - y0);
  const box = {
    left: Math.min(x0, x1),
    right: Math.max(x0, x1),
    bottom: Math.min(y0, y1),
    top: Math.max(y0, y1),
  };
  return {
    direction: isHorizontal ? 'horizontal' : 'vertical',
    at: isHorizontal ? (y0 + y1) / 2 : (x0 + x1) / 2,
    from: isHorizontal ? box.left : box.bottom,
    to: isHorizontal ? box.right : box.top,
    box,
  };
}

/** Returns the lines of a path if all are horizontal or vertical; undefined otherwise. */
function straightOutline(
  page: OpenPage,
  object: number,
  matrix: Matrix,
): { lines: Line[]; subpaths: number } | undefined {
  const { pdfium, scratch } = page;
  const count = pdfium.FPDFPath_CountSegments(object);
  if (count > MAX_SEGMENTS) return undefined;
  const whole = multiply(matrixOf(page, object) ?? identityMatrix, matrix);
  const lines: Line[] = [];
  let subpaths = 0;
  let start = { x: 0, y: 0 };
  let last = start;
  for (let index = 0; index < count; index += 1) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, index);
    const type = pdfium.FPDFPathSegment_GetType(segment);
    if (!pdfium.FPDFPathSegment_GetPoint(segment, scratch, scratch + 4)) return undefined;
    const point = apply(whole, { x: scratchNumber(page, 0), y: scratchNumber(page, 1) });
    if (type === MOVE_SEGMENT) {
      subpaths += 1;
      start = point;
    } else if (type === LINE_SEGMENT) {
      if (!isUpright(last, point)) return undefined;
      lines.push({ x0: last.x, y0: last.y, x1: point.x, y1: point.y });
    } else {
      return undefined;
    }
    last = point;
    if (pdfium.FPDFPathSegment_GetClose(segment)) {
      if (!isUpright(last, start)) return undefined;
      lines.push({ x0: last.x, y0: last.y, x1: start.x, y1: start.y });
      last = start;
    }
  }
  return { lines, subpaths };
}

function isUpright(a: Point, b: Point): boolean {
  return Math.min(Math.abs(a.x - b.x), Math.abs(a.y - b.y)) < 0.5;
}

/** Tests the size of an image; a larger one is never decoded, since 40 million pixels take 160 MB. */
function isBounded(page: OpenPage, image: number): boolean {
  const { width = 0, height = 0 } = pixelSizeOf(page, image) ?? {};
  return width > 0 && height > 0 && width * height <= MAX_IMAGE_PIXELS;
}

function isPhotograph({ pdfium, scratch }: OpenPage, image: number): boolean {
  const count = pdfium.FPDFImageObj_GetImageFilterCount(image);
  if (count <= 0) return false;
  const sizeBytes = pdfium.FPDFImageObj_GetImageFilter(image, count - 1, scratch, SCRATCH_BYTES);
  if (sizeBytes > SCRATCH_BYTES) return false;
  return /^(DCTDecode|JPXDecode)$/.test(pdfium.pdfium.UTF8ToString(scratch));
}
