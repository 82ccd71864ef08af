/**
 * Text that is printed twice at one place to look bold or to throw a shadow is listed once by PDFium.
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
  look: ObjectLook;
  shift: { x: number; y: number };
  /** Indexes of its later prints that PDFium does not list. */
  repeats: readonly number[];
}

/** In heights of the letters: how far apart prints are that make one bold text. */
const LEAST_BOLD_SHIFT = 0.01;
const MOST_BOLD_SHIFT = 0.12;

/**
 * Which of two prints is seen. Two of one colour, a little apart, make bold text; at one place they
 * are a program's oversight.
 *
 * @param apart how far they are apart, in heights of their letters
 */
export function lookOfPrints(
  first: ObjectLook,
  later: ObjectLook,
  apart: number,
): { look: ObjectLook; isLater: boolean } {
  // What is seen through, or hollow, leaves the first print to be seen.
  const isCovering = later.isVisible && !later.isOutlined && later.opacity === undefined;
  const isLater = isCovering || (later.isVisible && !first.isVisible);
  const look = isLater ? later : first;
  const isOneColour = first.color.every((channel, at) => channel === later.color[at]);
  const isShifted = apart > LEAST_BOLD_SHIFT && apart < MOST_BOLD_SHIFT;
  const isBolder =
    first.isVisible && later.isVisible && isOneColour && (isShifted || later.isOutlined);
  const isBold = look.isBold || isBolder || (isOneColour && first.isBold);
  return { look: isBold === look.isBold ? look : { ...look, isBold }, isLater };
}

/**
 * The print of an object that is seen: text stands out by a halo or a shadow that is printed before
 * it, and PDFium takes the text itself for a repetition.
 *
 * @param isReadable whether PDFium lists the characters of an object
 */
export function seenPrint({
  page,
  object,
  objects,
  lookOf,
  isReadable,
}: {
  page: OpenPage;
  object: TextObject;
  objects: readonly TextObject[];
  lookOf: (handle: number, parent: number) => ObjectLook;
  isReadable: (handle: number) => boolean;
}): SeenPrint {
  const { index, handle, parent } = object;
  let look = lookOf(handle, parent);
  let shift = { x: 0, y: 0 };
  const repeats: number[] = [];
  const later = objects
    .slice(index + 1, index + 1 + MAX_SHADOW_DISTANCE)
    .filter((other) => other.parent === parent && !isReadable(other.handle));
  const box = later.length > 0 ? boundsOf(page, handle) : undefined;
  if (box === undefined) return { look, shift, repeats };
  for (const other of later) {
    const otherShift = shiftBetween(box, boundsOf(page, other.handle));
    if (otherShift === undefined) continue;
    repeats.push(other.index);
    const apart = Math.hypot(otherShift.x - shift.x, otherShift.y - shift.y);
    const prints = lookOfPrints(look, lookOf(other.handle, parent), apart / (box.top - box.bottom));
    look = prints.look;
    if (prints.isLater) shift = otherShift;
  }
  return { look, shift, repeats };
}

/** From a text to another that is as large, but for its outlines, and nearly at the same place. */
function shiftBetween(box: Box, other: Box | undefined): { x: number; y: number } | undefined {
  if (other === undefined) return undefined;
  const [width, height] = [box.right - box.left, box.top - box.bottom];
  const wider = other.right - other.left - width;
  const higher = other.top - other.bottom - height;
  const isSameSize = Math.abs(wider) < 0.25 * height && Math.abs(higher) < 0.25 * height;
  const [x, y] = [other.left - box.left + wider / 2, other.bottom - box.bottom + higher / 2];
  // Beside a narrow letter that stands alone is its like, not its print.
  const isNear = Math.abs(x) < Math.min(0.6 * height, 0.5 * width) && Math.abs(y) < 0.6 * height;
  return isSameSize && isNear ? { x, y } : undefined;
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
