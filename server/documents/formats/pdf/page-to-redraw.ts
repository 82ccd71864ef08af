/** Reads what is needed to redraw a page. */
import { applyToBox, identityMatrix, type Matrix } from './geometry.ts';
import { viewOf } from './page-characters.ts';
import { readFieldBoxes } from './page-links.ts';
import type { Box, Page, Ruling } from './page-model.ts';
import { isGround } from './page-drawings.ts';
import {
  allObjects,
  boundsOf,
  matrixOf,
  objectsOf,
  type OpenPage,
  pageObject,
  type PdfFile,
  scratchNumber,
} from './pdfium.ts';
import { listTextObjects } from './text-objects.ts';
import type { TextPlace } from './text-removal.ts';

/** A page with everything needed to redraw it. */
export interface PageToRedraw {
  page: Page;
  view: Matrix;
  /** Places of its text objects, in PDFium's order. */
  places: TextPlace[];
  /** Boxes of its pictures without text printed over them, on the page as displayed. */
  pictures: Box[];
  /** Boxes of everything drawn besides text, including pictures, form fields and comments. */
  drawings: Box[];
  /** The drawings that may contain text (cards, filled boxes); the same objects as in `drawings`. */
  panels: Box[];
}

/** Depth to which forms are searched for pictures; those of scans are not deeper. */
const MAX_FORM_DEPTH = 5;
/** An object that covers this share of the page is its background. */
const BACKGROUND_SHARE = 0.5;

/** Yields the pages with what their redrawing needs; damaged pages are left out. */
export function* readPagesForRedrawing(
  file: PdfFile,
  pages: readonly Page[],
): Generator<PageToRedraw> {
  for (const read of pages) {
    const toRedraw = file.withPage(read.index, (open): PageToRedraw => {
      const { view } = viewOf(open);
      const isBehind = isGround(read.paragraphs, read.obstacles ?? []);
      const obstacles = read.obstacles?.filter((box) => !isBehind(box)) ?? [];
      const page = { ...read, obstacles };
      const boxes = boxesOf(open, view, page).filter(({ box }) => !isBehind(box));
      const pictures = boxes.filter(({ type }) => type === pageObject.image).map(({ box }) => box);
      const { textRules = [] } = page;
      const drawn = boxes.map(({ box }) => box).filter((box) => !textRules.some(isAt(box)));
      const drawings = [...drawn, ...readFieldBoxes(open, view)];
      const paths = boxes.filter(({ type }) => type === pageObject.path).map(({ box }) => box);
      const kept = new Set(drawn);
      const panels = paths.filter((box) => kept.has(box));
      return { page, view, places: placesOf(open), pictures, drawings, panels };
    });
    if (toRedraw !== undefined) yield toRedraw;
  }
}

function placesOf(open: OpenPage): TextPlace[] {
  return listTextObjects(open).map(({ handle }) => {
    const matrix = matrixOf(open, handle) ?? identityMatrix;
    const hasSize = open.pdfium.FPDFTextObj_GetFontSize(handle, open.scratch);
    return { matrix, fontSize: hasSize ? scratchNumber(open, 0) : 0 };
  });
}

/** Returns a predicate for rulings at a box: an underline goes with its text. */
function isAt({ left, right, bottom, top }: Box): (rule: Ruling) => boolean {
  return ({ at, from, to }) =>
    Math.abs((bottom + top) / 2 - at) < 1 && left > from - 1 && right < to + 1;
}

/** Returns the boxes of a page's objects besides text; of a background, only the lower edge. */
function boxesOf(open: OpenPage, view: Matrix, page: Page): { type: number; box: Box }[] {
  const boxes: { type: number; box: Box }[] = [];
  for (const object of objectsOf(open)) {
    const type = open.pdfium.FPDFPageObj_GetType(object);
    if (type === pageObject.text) continue;
    const bounds = boundsOf(open, object);
    if (bounds === undefined) continue;
    const box = applyToBox(view, bounds);
    const share = ((box.right - box.left) * (box.top - box.bottom)) / (page.width * page.height);
    if (share < BACKGROUND_SHARE) boxes.push({ type, box });
    // Text may stand on a large panel; only its lower edge is in the way.
    else boxes.push({ type: 0, box: { ...box, top: box.bottom + 1 } });
  }
  return boxes;
}

/** Tests whether a page has a picture; scanners put theirs into forms. */
export function hasPicture(page: OpenPage): boolean {
  for (const { type } of allObjects(page, MAX_FORM_DEPTH)) {
    if (type === pageObject.image) return true;
  }
  return false;
}
