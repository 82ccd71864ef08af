/**
 * Finds the pictures of a page, both images and drawings of lines and shapes, and renders them with PDFium.
 */
import sharp from 'sharp';
import { boxHeight, boxWidth, areNear, hasCentreIn, union } from './geometry.ts';
import { viewOf } from './page-characters.ts';
import type { Box } from './page-model.ts';
import {
  allObjects,
  boundsOf,
  type OpenPage,
  pageObject,
  type PdfFile,
  pixelSizeOf,
} from './pdfium.ts';
import { listTextObjects } from './text-objects.ts';
import type { DrawnObject, PageGraphics } from './flow-graphics.ts';

/** A picture as a file, and its place. */
export interface PagePicture {
  box: Box;
  kind: 'png' | 'jpg';
  bytes: Uint8Array;
}

/** Four bytes per pixel: blue, green, red, opacity. */
export interface Pixels {
  bgra: Uint8Array;
  width: number;
  height: number;
}

const POINTS_PER_INCH = 72;
/** Resolution of pictures: sharp in print at the size on the page; more only enlarges the file. */
const PICTURE_DPI = 200;
/** Maximum number of pixels of a rendering, which then takes 32 MB. */
const MAX_PIXELS = 8_000_000;
/** Size of the raw pictures held at once. */
const BATCH_BYTES = 40_000_000;
const MAX_FORM_DEPTH = 8;
const BGRA = 4;
const WHITE = 0xffffffff;
const TRANSPARENT = 0;
/** Maximum share of transparent pixels that is only the soft edge of a photograph. */
const MAX_EDGE_SHARE = 0.04;

/**
 * Renders each group of a page separately on a transparent ground, with its masks, rotations and clips.
 * @returns the pictures with visible pixels, in order
 */
export async function drawGroups(
  file: PdfFile,
  pageIndex: number,
  groups: readonly DrawnGroup[],
): Promise<PagePicture[]> {
  const pictures: PagePicture[] = [];
  let next = 0;
  while (next < groups.length) {
    const batch = file.withPage(pageIndex, (page) => drawBatch(page, groups.slice(next))) ?? [];
    if (batch.length === 0) break;
    for (const [index, pixels] of batch.entries()) {
      const group = groups[next + index];
      const picture = group && pixels && (await encoded(group, pixels));
      if (picture) pictures.push(picture);
    }
    next += batch.length;
  }
  return pictures;
}

/**
 * Renders a whole page on white.
 * @param dpi resolution; lowered for pages of more than `mostPixels`
 * @param withText false leaves out the text of the file
 */
export function drawPage(
  page: OpenPage,
  { dpi, withText, mostPixels }: { dpi: number; withText: boolean; mostPixels?: number },
): Pixels | undefined {
  const { width, height } = viewOf(page);
  if (!withText) {
    for (const { handle } of listTextObjects(page)) {
      page.pdfium.FPDFPageObj_SetIsActive(handle, false);
    }
  }
  const box = { left: 0, bottom: 0, right: width, top: height };
  return drawArea({ page, box, dpi, ground: WHITE, ...(mostPixels && { mostPixels }) });
}

/** Returns the resolution of the largest image of a page, in pixels per inch; undefined without one. */
export function imageDpi(page: OpenPage): number | undefined {
  let largest = { area: 0, dpi: 0 };
  for (const { handle, type } of allObjects(page, MAX_FORM_DEPTH)) {
    if (type !== pageObject.image) continue;
    const size = pixelSizeOf(page, handle);
    const box = boundsOf(page, handle);
    if (size === undefined || box === undefined) continue;
    const area = areaOf(box);
    if (area <= largest.area) continue;
    // Computed from areas, so that rotation does not matter.
    largest = { area, dpi: POINTS_PER_INCH * Math.sqrt((size.width * size.height) / area) };
  }
  return largest.area === 0 ? undefined : largest.dpi;
}

/** Renders the first groups, as many as may be held at once. */
function drawBatch(page: OpenPage, groups: readonly DrawnGroup[]): (Pixels | undefined)[] {
  for (const { handle } of allObjects(page, Infinity)) {
    page.pdfium.FPDFPageObj_SetIsActive(handle, false);
  }
  const drawn: (Pixels | undefined)[] = [];
  let sizeBytes = 0;
  for (const group of groups) {
    if (sizeBytes > BATCH_BYTES) break;
    for (const { path } of group.objects) setActive(page, path, true);
    const pixels = drawArea({ page, box: group.box, dpi: PICTURE_DPI, ground: TRANSPARENT });
    for (const { path } of group.objects) setActive(page, path, false);
    sizeBytes += pixels?.bgra.length ?? 0;
    drawn.push(pixels);
  }
  return drawn;
}

/** Shows or hides an object together with the forms that contain it. */
function setActive({ pdfium, handle }: OpenPage, path: readonly number[], isActive: boolean): void {
  let object = 0;
  for (const [depth, index] of path.entries()) {
    object =
      depth === 0
        ? pdfium.FPDFPage_GetObject(handle, index)
        : pdfium.FPDFFormObj_GetObject(object, index);
    if (object === 0) return;
    pdfium.FPDFPageObj_SetIsActive(object, isActive);
  }
}

function drawArea({
  page: { pdfium, handle, scratch },
  box,
  dpi,
  ground,
  mostPixels = MAX_PIXELS,
}: {
  page: OpenPage;
  box: Box;
  dpi: number;
  ground: number;
  mostPixels?: number;
}): Pixels | undefined {
  const wanted = dpi / POINTS_PER_INCH;
  const area = boxWidth(box) * boxHeight(box);
  const scale = Math.min(wanted, Math.sqrt(mostPixels / area));
  const width = Math.max(1, Math.round(boxWidth(box) * scale));
  const height = Math.max(1, Math.round(boxHeight(box) * scale));
  const bitmap = pdfium.FPDFBitmap_CreateEx(width, height, BGRA, 0, 0);
  if (bitmap === 0) return undefined;
  try {
    pdfium.FPDFBitmap_FillRect(bitmap, 0, 0, width, height, ground);
    const top = pdfium.FPDF_GetPageHeightF(handle) - box.top;
    // FS_MATRIX, from points that count downwards, then FS_RECTF: the clipping rectangle.
    const numbers = [scale, 0, 0, scale, -box.left * scale, -top * scale, 0, 0, width, height];
    for (const [index, value] of numbers.entries()) {
      pdfium.pdfium.setValue(scratch + 4 * index, value, 'float');
    }
    pdfium.FPDF_RenderPageBitmapWithMatrix(bitmap, handle, scratch, scratch + 24, 0);
    const at = pdfium.FPDFBitmap_GetBuffer(bitmap);
    return { bgra: pdfium.pdfium.HEAPU8.slice(at, at + width * height * 4), width, height };
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

async function encoded(group: DrawnGroup, pixels: Pixels): Promise<PagePicture | undefined> {
  const { bgra, width, height } = pixels;
  const seen = seenArea(pixels);
  if (seen === undefined) return undefined;
  swapRedAndBlue(bgra);
  const scale = boxWidth(group.box) / width;
  const box = {
    left: group.box.left + seen.left * scale,
    right: group.box.left + (seen.left + seen.width) * scale,
    top: group.box.top - seen.top * scale,
    bottom: group.box.top - (seen.top + seen.height) * scale,
  };
  const picture = sharp(bgra, { raw: { width, height, channels: 4 } }).extract({
    left: seen.left,
    top: seen.top,
    width: seen.width,
    height: seen.height,
  });
  if (group.isPhotograph && seen.transparentShare <= MAX_EDGE_SHARE) {
    const bytes = await picture.flatten({ background: 'white' }).jpeg({ quality: 88 }).toBuffer();
    return { box, kind: 'jpg', bytes };
  }
  const opaque = seen.transparentShare === 0 ? picture.removeAlpha() : picture;
  return { box, kind: 'png', bytes: await opaque.png().toBuffer() };
}

interface SeenArea {
  left: number;
  top: number;
  width: number;
  height: number;
  /** Share of its pixels that are not fully opaque, from 0 to 1. */
  transparentShare: number;
}

/** Returns the part of a picture with visible pixels. */
function seenArea({ bgra, width, height }: Pixels): SeenArea | undefined {
  let [left, right, top, bottom] = [width, -1, height, -1];
  let opaque = 0;
  for (let y = 0; y < height; y += 1) {
    for (let x = 0, at = y * width * 4 + 3; x < width; x += 1, at += 4) {
      const opacity = bgra[at] ?? 0;
      if (opacity === 0) continue;
      if (opacity === 255) opaque += 1;
      if (x < left) left = x;
      if (x > right) right = x;
      if (y < top) top = y;
      bottom = y;
    }
  }
  if (right < left) return undefined;
  const size = { width: right - left + 1, height: bottom - top + 1 };
  return { left, top, ...size, transparentShare: 1 - opaque / (size.width * size.height) };
}

/** PDFium writes blue first, sharp reads red first. */
function swapRedAndBlue(pixels: Uint8Array): void {
  for (let at = 0; at < pixels.length; at += 4) {
    const blue = pixels[at] ?? 0;
    pixels[at] = pixels[at + 2] ?? 0;
    pixels[at + 2] = blue;
  }
}

/** Objects drawn together: an image, or the lines and shapes of one drawing. */
export interface DrawnGroup {
  box: Box;
  objects: readonly DrawnObject[];
  isPhotograph: boolean;
}

/** Smaller ones are dots, bullets and lines that happen to be images. */
const MIN_IMAGE_POINTS = 6;
const MIN_DRAWING_POINTS = 18;
/** Parts of a drawing that are this near to each other belong together. */
const DRAWING_GAP_POINTS = 6;
/** Maximum number of shapes that are compared: a chart has hundreds of parts, a map too many. */
const MAX_PARTS = 2000;
/** A group that covers more of the page is its background, not a picture. */
const MAX_SHARE_OF_PAGE = 0.85;

/** Minimum share of a card's width and area that its text takes; labels of a drawing take less. */
const MIN_TEXT_SHARE = 0.4;
const MIN_TEXT_AREA = 0.1;

/**
 * Returns the images and drawings of a page that are worth showing, from top to bottom.
 * @param graphics without the rules of tables
 * @param textBoxes boxes of the paragraphs: a coloured area behind them is no drawing
 */
export function groupDrawings(
  graphics: PageGraphics,
  page: { width: number; height: number },
  textBoxes: readonly Box[],
): DrawnGroup[] {
  const pageBox = { left: 0, bottom: 0, right: page.width, top: page.height };
  const hasText = textBoxes.length > 0;
  const isPicture = ({ box }: DrawnObject): boolean =>
    boxWidth(box) > 0 && (!hasText || areaOf(box) < MAX_SHARE_OF_PAGE * areaOf(pageBox));
  const images = graphics.images
    .map((image) => ({ ...image, box: intersection(image.box, pageBox) }))
    .filter(({ box }) => Math.min(boxWidth(box), boxHeight(box)) >= MIN_IMAGE_POINTS)
    .map((image) => ({ ...image, objects: [image] }));
  return [...images, ...drawings(graphics, pageBox, textBoxes)]
    .filter((group) => group.objects.every(isPicture))
    .sort((a, b) => b.box.top - a.box.top);
}

function drawings(graphics: PageGraphics, page: Box, textBoxes: readonly Box[]): DrawnGroup[] {
  const isBehindText = ({ box }: DrawnObject): boolean =>
    textBoxes.some((text) => areNear(text, box, -1));
  const shapes = [
    ...graphics.drawings.filter(({ box }) => !isAroundText(box, textBoxes)),
    ...graphics.fills.filter((fill) => !isBehindText(fill)),
  ]
    .map((shape) => ({ ...shape, box: intersection(shape.box, page) }))
    .filter(({ box }) => boxWidth(box) >= 0 && boxHeight(box) >= 0)
    .filter(({ box }) => areaOf(box) < MAX_SHARE_OF_PAGE * areaOf(page));
  const groups: DrawnGroup[] = [];
  for (const cluster of clustersOf(shapes.slice(0, MAX_PARTS))) {
    const around = union(cluster.map(({ box }) => box));
    if (Math.min(boxWidth(around), boxHeight(around)) < MIN_DRAWING_POINTS) continue;
    // The axes and grid of a chart are rules.
    const rules = graphics.rules.filter(({ box }) => areNear(box, around, DRAWING_GAP_POINTS));
    const objects = [...cluster, ...rules];
    const box = intersection(union(objects.map((object) => object.box)), page);
    groups.push({ box, objects, isPhotograph: false });
  }
  return groups;
}

/**
 * Tests whether a shape is the background or frame of text, which would stay empty when the text flows away.
 */
function isAroundText(box: Box, textBoxes: readonly Box[]): boolean {
  const inside = textBoxes.filter((text) => hasCentreIn(text, box));
  if (inside.length === 0) return false;
  const isWide = inside.some((text) => boxWidth(text) > MIN_TEXT_SHARE * boxWidth(box));
  const textArea = inside.reduce((sum, text) => sum + areaOf(text), 0);
  return isWide && textArea > MIN_TEXT_AREA * areaOf(box);
}

function areaOf(box: Box): number {
  return boxWidth(box) * boxHeight(box);
}

function intersection(a: Box, b: Box): Box {
  return {
    left: Math.max(a.left, b.left),
    bottom: Math.max(a.bottom, b.bottom),
    right: Math.min(a.right, b.right),
    top: Math.min(a.top, b.top),
  };
}

/** Groups shapes that touch, directly or through others. */
function clustersOf(shapes: readonly DrawnObject[]): DrawnObject[][] {
  const left = [...shapes].sort((a, b) => a.box.left - b.box.left);
  let clusters: { box: Box; shapes: DrawnObject[] }[] = [];
  for (const shape of left) {
    const touching = clusters.filter(({ box }) => areNear(box, shape.box, DRAWING_GAP_POINTS));
    const joined = {
      box: union([shape.box, ...touching.map(({ box }) => box)]),
      shapes: [...touching.flatMap((cluster) => cluster.shapes), shape],
    };
    clusters = [...clusters.filter((cluster) => !touching.includes(cluster)), joined];
  }
  return clusters.map((cluster) => cluster.shapes);
}
