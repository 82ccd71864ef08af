/**
 * Text that is printed twice at one place to look bold or to throw a shadow is told once by PDFium.
 * The second print has to go with the first.
 */
import { horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';
import type { OpenPage } from './pdfium.ts';
import type { ObjectLook, TextObject } from './text-objects.ts';

/** How much of the smaller of two prints the other covers. */
const MIN_SHARE = 0.7;
/** Pages of single letters have too many objects to compare; a print follows soon after the first. */
const MAX_DISTANCE = 200;

/** A shadow comes right before what throws it. */
const MAX_SHADOW_DISTANCE = 40;

/** What is seen of a text object, and how far from itself, in the coordinates of the file. */
export interface SeenPrint {
  index: number;
  look: ObjectLook;
  shift: { x: number; y: number };
}

/**
 * The second print of an object that is not seen itself: browsers throw shadows by drawing the text
 * once without any colour, and PDFium takes the text itself for a repetition.
 *
 * @param isTold whether PDFium tells the characters of an object
 */
export function seenPrint({
  page,
  object,
  objects,
  lookOf,
  isTold,
}: {
  page: OpenPage;
  object: TextObject;
  objects: readonly TextObject[];
  lookOf: (handle: number, parent: number) => ObjectLook;
  isTold: (handle: number) => boolean;
}): SeenPrint {
  const { index } = object;
  const look = lookOf(object.handle, object.parent);
  const own = { index, look, shift: { x: 0, y: 0 } };
  const box = look.isVisible ? undefined : boundsOf(page, object.handle);
  if (box === undefined) return own;
  const height = box.top - box.bottom;
  const isNear = (a: number, b: number, share: number): boolean => Math.abs(a - b) < share * height;
  for (const other of objects.slice(index + 1, index + 1 + MAX_SHADOW_DISTANCE)) {
    const print = isTold(other.handle) ? undefined : boundsOf(page, other.handle);
    if (print === undefined || other.parent !== object.parent) continue;
    const [x, y] = [print.left - box.left, print.bottom - box.bottom];
    const isSameSize =
      isNear(print.right - x, box.right, 0.05) && isNear(print.top - y, box.top, 0.05);
    if (!isSameSize || !isNear(x, 0, 0.6) || !isNear(y, 0, 0.6)) continue;
    const seen = lookOf(other.handle, other.parent);
    if (seen.isVisible) return { index: other.index, look: seen, shift: { x, y } };
  }
  return own;
}

/** The paragraphs with the text objects that repeat theirs. */
export function attachShadows({
  page,
  objects,
  repeats,
  paragraphs,
}: {
  page: OpenPage;
  objects: readonly TextObject[];
  /** Second prints that are known already, and what each repeats. */
  repeats: ReadonlyMap<number, number>;
  paragraphs: readonly PageParagraph[];
}): PageParagraph[] {
  const owners = new Map<number, number>();
  const known = new Set<number>();
  for (const [at, { textObjects, markerObjects }] of paragraphs.entries()) {
    for (const index of textObjects) owners.set(index, at);
    for (const index of markerObjects) known.add(index);
  }
  const extra = new Map<number, number[]>();
  const boxes = new Map<number, Box | undefined>();
  const boxOf = (object: TextObject): Box | undefined => {
    if (!boxes.has(object.index)) boxes.set(object.index, boundsOf(page, object.handle));
    return boxes.get(object.index);
  };
  for (const object of objects) {
    if (owners.has(object.index) || known.has(object.index)) continue;
    const repeated = owners.get(repeats.get(object.index) ?? -1);
    const box = repeated === undefined ? boxOf(object) : undefined;
    if (repeated !== undefined) extra.set(repeated, [...(extra.get(repeated) ?? []), object.index]);
    if (box === undefined) continue;
    const first = nearby(objects, object.index).find((other) => {
      const otherBox = owners.has(other.index) && other.parent === object.parent && boxOf(other);
      return otherBox !== false && otherBox !== undefined && cover(box, otherBox) > MIN_SHARE;
    });
    const owner = first === undefined ? undefined : owners.get(first.index);
    if (owner !== undefined) extra.set(owner, [...(extra.get(owner) ?? []), object.index]);
  }
  return paragraphs.map((paragraph, at) => {
    const more = extra.get(at);
    if (more === undefined) return paragraph;
    return { ...paragraph, textObjects: [...paragraph.textObjects, ...more] };
  });
}

function nearby(objects: readonly TextObject[], index: number): readonly TextObject[] {
  return objects.slice(Math.max(0, index - MAX_DISTANCE), index + MAX_DISTANCE);
}

function boundsOf({ pdfium, scratch }: OpenPage, handle: number): Box | undefined {
  if (!pdfium.FPDFPageObj_GetBounds(handle, scratch, scratch + 4, scratch + 8, scratch + 12)) {
    return undefined;
  }
  const { HEAPF32 } = pdfium.pdfium;
  const float = (offset: number): number => HEAPF32[(scratch >> 2) + offset] ?? 0;
  const box = { left: float(0), bottom: float(1), right: float(2), top: float(3) };
  return box.right - box.left > 0.5 && box.top - box.bottom > 0.5 ? box : undefined;
}

/** The share of a box that another covers. */
function cover(a: Box, b: Box): number {
  const width = horizontalOverlap(a, b);
  const height = verticalOverlap(a, b);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / ((a.right - a.left) * (a.top - a.bottom));
}
