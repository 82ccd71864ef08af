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
import { type OpenPage, pageObject, SCRATCH_BYTES } from './pdfium.ts';

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
  const count = page.pdfium.FPDFPage_CountObjects(page.handle);
  for (let index = 0; index < count; index += 1) {
    visit(walk, page.pdfium.FPDFPage_GetObject(page.handle, index), view, [index]);
  }
  return found;
}

function visit(walk: Walk, object: number, matrix: Matrix, path: readonly number[]): void {
  walk.objects += 1;
  if (object === 0 || walk.objects > MAX_OBJECTS) return;
  const { pdfium } = walk.page;
  const type = pdfium.FPDFPageObj_GetType(object);
  if (type === pageObject.form) {
    if (path.length > MAX_FORM_DEPTH) return;
    const inner = multiply(objectMatrix(walk, object), matrix);
    const count = pdfium.FPDFFormObj_CountObjects(object);
    for (let index = 0; index < count; index += 1) {
      visit(walk, pdfium.FPDFFormObj_GetObject(object, index), inner, [...path, index]);
    }
  } else if (type === pageObject.path) {
    visitPath(walk, object, matrix, path);
  } else if (type === pageObject.image || type === pageObject.shading) {
    const box = bounds(walk, object, matrix);
    if (box === undefined) return;
    if (type === pageObject.shading) walk.found.drawings.push({ path, box });
    else if (isBounded(walk, object)) {
      walk.found.images.push({ path, box, isPhotograph: isPhotograph(walk, object) });
    }
  }
}

/** Classifies a path as rules, an area, or a drawing. */
function visitPath(walk: Walk, object: number, matrix: Matrix, path: readonly number[]): void {
  const box = bounds(walk, object, matrix);
  if (box === undefined) return;
  const { isFilled, isStroked } = drawMode(walk, object);
  if (!isFilled && !isStroked) return;
  const isBar = Math.min(boxWidth(box), boxHeight(box)) <= MAX_RULE_POINTS;
  if (isFilled && isBar) {
    addRule(walk, barRule({ path, box, color: color(walk, object, 'fill') }));
    return;
  }
  const outline = straightOutline(walk, object, matrix);
  if (outline === undefined) {
    walk.found.drawings.push({ path, box });
    return;
  }
  if (isFilled) {
    // Several rectangles in one path are bars of a chart or a pattern.
    if (outline.subpaths > 1) walk.found.drawings.push({ path, box });
    else walk.found.fills.push({ path, box, color: color(walk, object, 'fill') });
  }
  if (!isStroked) return;
  const thickness = strokeWidth(walk, object);
  const stroke = color(walk, object, 'stroke');
  for (const line of outline.lines)
    addRule(walk, { ...lineRule(line), thickness, color: stroke, path });
}

function addRule(walk: Walk, rule: Rule): void {
  if (walk.found.rules.length < MAX_RULES && rule.to - rule.from > 1) walk.found.rules.push(rule);
}

function barRule({ path, box, color: barColor }: Fill): Rule {
  const { left, right, bottom, top } = box;
  const isLevel = right - left >= top - bottom;
  const place = isLevel
    ? lineRule({ x0: left, x1: right, y0: (bottom + top) / 2, y1: (bottom + top) / 2 })
    : lineRule({ x0: (left + right) / 2, x1: (left + right) / 2, y0: bottom, y1: top });
  return { ...place, thickness: isLevel ? top - bottom : right - left, color: barColor, path };
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
  walk: Walk,
  object: number,
  matrix: Matrix,
): { lines: Line[]; subpaths: number } | undefined {
  const { pdfium } = walk.page;
  const count = pdfium.FPDFPath_CountSegments(object);
  if (count > MAX_SEGMENTS) return undefined;
  const whole = multiply(objectMatrix(walk, object), matrix);
  const lines: Line[] = [];
  let subpaths = 0;
  let start = { x: 0, y: 0 };
  let last = start;
  for (let index = 0; index < count; index += 1) {
    const segment = pdfium.FPDFPath_GetPathSegment(object, index);
    const type = pdfium.FPDFPathSegment_GetType(segment);
    if (!pdfium.FPDFPathSegment_GetPoint(segment, walk.page.scratch, walk.page.scratch + 4))
      return undefined;
    const point = apply(whole, { x: float(walk, 0), y: float(walk, 1) });
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
function isBounded({ page: { pdfium, scratch } }: Walk, image: number): boolean {
  if (!pdfium.FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4)) return false;
  const side = (index: number): number => pdfium.pdfium.getValue(scratch + 4 * index, 'i32');
  return side(0) > 0 && side(1) > 0 && side(0) * side(1) <= MAX_IMAGE_PIXELS;
}

function isPhotograph({ page: { pdfium, scratch } }: Walk, image: number): boolean {
  const count = pdfium.FPDFImageObj_GetImageFilterCount(image);
  if (count <= 0) return false;
  const sizeBytes = pdfium.FPDFImageObj_GetImageFilter(image, count - 1, scratch, SCRATCH_BYTES);
  if (sizeBytes > SCRATCH_BYTES) return false;
  return /^(DCTDecode|JPXDecode)$/.test(pdfium.pdfium.UTF8ToString(scratch));
}

function objectMatrix({ page: { pdfium, scratch } }: Walk, object: number): Matrix {
  if (!pdfium.FPDFPageObj_GetMatrix(object, scratch)) return identityMatrix;
  const number = (index: number): number => pdfium.pdfium.getValue(scratch + 4 * index, 'float');
  return [number(0), number(1), number(2), number(3), number(4), number(5)];
}

function float({ page: { pdfium, scratch } }: Walk, index: number): number {
  return pdfium.pdfium.getValue(scratch + 4 * index, 'float');
}

function integer({ page: { pdfium, scratch } }: Walk, index: number): number {
  return pdfium.pdfium.getValue(scratch + 4 * index, 'i32');
}

function bounds(walk: Walk, object: number, matrix: Matrix): Box | undefined {
  const { pdfium, scratch: at } = walk.page;
  if (!pdfium.FPDFPageObj_GetBounds(object, at, at + 4, at + 8, at + 12)) return undefined;
  return applyToBox(matrix, {
    left: float(walk, 0),
    bottom: float(walk, 1),
    right: float(walk, 2),
    top: float(walk, 3),
  });
}

function drawMode(walk: Walk, object: number): { isFilled: boolean; isStroked: boolean } {
  const { pdfium, scratch } = walk.page;
  const isKnown = pdfium.FPDFPath_GetDrawMode(object, scratch, scratch + 4);
  return {
    isFilled: isKnown && integer(walk, 0) !== 0,
    isStroked: isKnown && integer(walk, 1) !== 0,
  };
}

function strokeWidth(walk: Walk, object: number): number {
  const { pdfium, scratch } = walk.page;
  return pdfium.FPDFPageObj_GetStrokeWidth(object, scratch) ? float(walk, 0) : 1;
}

function color(walk: Walk, object: number, what: 'fill' | 'stroke'): Color {
  const { pdfium, scratch: at } = walk.page;
  const isKnown =
    what === 'fill'
      ? pdfium.FPDFPageObj_GetFillColor(object, at, at + 4, at + 8, at + 12)
      : pdfium.FPDFPageObj_GetStrokeColor(object, at, at + 4, at + 8, at + 12);
  return isKnown ? [integer(walk, 0), integer(walk, 1), integer(walk, 2)] : [0, 0, 0];
}
