/** Reads the characters of a page with their places and looks, in file order. */
import {
  apply,
  applyToBox,
  type Matrix,
  multiply,
  type Point,
  turn,
  viewMatrix,
} from './geometry.ts';
import type { Box } from './page-model.ts';
import { type OpenPage, scratchNumber, scratchRectangle } from './pdfium.ts';
import {
  lookOfPrints,
  type SeenPrint,
  seenPrint,
  listTextObjects,
  type ObjectLook,
  type TextObject,
  looksOfTextObjects,
} from './text-objects.ts';

/** A visible or, on request, invisible character of a page. */
export interface PageCharacter {
  /** One letter, or the letters of a ligature. */
  text: string;
  /** Box from its origin to the next character's and over the height of its font, in level coordinates. */
  box: Box;
  baseline: number;
  /** Index of its text object. */
  object: number;
  look: ObjectLook;
  /** Height of the font on the page, in points. */
  sizePoints: number;
  /** The font size along the line, in points: smaller for condensed letters. */
  emPoints: number;
  /** Counterclockwise, in whole degrees from 0 to 359. */
  rotation: number;
}

/** The characters of a page and what was found beside them. */
interface PageCharacters {
  width: number;
  height: number;
  /** Matrix from the coordinates of the file to the page as displayed. */
  view: Matrix;
  characters: PageCharacter[];
  /** Number of invisible characters (render mode 3 and the like); `characters` holds them only on request. */
  invisibleCharacters: number;
  objects: readonly TextObject[];
  /** Text objects that print another one again: the index of each, and the index of the first print. */
  repeats: ReadonlyMap<number, number>;
}

/** Distance, in ems, below which an equal letter is a second print: the letters of `ii` are further apart. */
const MAX_REPEAT_EMS = 0.1;

/** Letters with an outline wider than this, in ems, are bold. */
const THICKENING_EMS = 0.01;

/** Reads the visible characters of a page, except those that are mirrored or have no usable size. */
export function readCharacters(page: OpenPage): PageCharacters {
  const { view, crop, width, height } = viewOf(page);
  const objects = listTextObjects(page);
  const repeats = new Map<number, number>();
  const read = { width, height, view, characters: [] as PageCharacter[], objects, repeats };
  if (page.text === 0) return { ...read, invisibleCharacters: 0 };
  const known = new Map(objects.map((object) => [object.handle, object]));
  const lookOf = looksOfTextObjects(page);
  const states = new Map<number, ObjectState | undefined>();
  const firstPrint = findPrints();
  const handles = textObjectsOf(page);
  const readable = new Set(handles);
  const isReadable = (handle: number): boolean => readable.has(handle);
  let invisibleCharacters = 0;
  for (const [at, handle] of handles.entries()) {
    const object = known.get(handle);
    if (page.pdfium.FPDFText_IsGenerated(page.text, at) === 1) {
      const last = read.characters.at(-1);
      if (last !== undefined && isOblique(last)) read.characters.push({ ...last, text: ' ' });
      continue;
    }
    if (object === undefined) continue;
    if (!states.has(handle)) {
      const print = seenPrint({ page, object, objects, lookOf, isReadable });
      for (const repeat of print.repeats) repeats.set(repeat, object.index);
      states.set(handle, stateOf({ page, at, view, index: object.index, print }));
    }
    const state = states.get(handle);
    if (state === undefined) continue;
    const origin = originOf(page, at);
    if (!isWithin(crop, origin, state.sizePoints)) continue;
    if (!state.look.isVisible) {
      invisibleCharacters += 1;
      continue;
    }
    const character = readCharacter({ page, at, origin, state });
    if (character === undefined) continue;
    const before = read.characters.at(-1);
    const isPart = before !== undefined && isSameGlyph(before, character);
    const first = firstPrint(character);
    if (first !== undefined && !isPart) {
      const [x, y] = [character.box.left - first.box.left, character.baseline - first.baseline];
      const apart = Math.hypot(x, y) / character.sizePoints;
      first.look = lookOfPrints(first.look, character.look, apart).look;
      if (first.object !== character.object) repeats.set(character.object, first.object);
      continue;
    }
    if (isPart) character.box = widened(before.box, looseBox(page, at, state.level));
    else if (isOblique(character) && before !== undefined) closeUp(before, character);
    read.characters.push(character);
  }
  return { ...read, invisibleCharacters };
}

/**
 * Returns the size and crop box of a page; `FPDF_GetPageBoundingBox` is the crop box cut to the media box.
 */
export function viewOf({ pdfium, handle, scratch }: OpenPage): {
  view: Matrix;
  crop: Box;
  width: number;
  height: number;
} {
  pdfium.FPDF_GetPageBoundingBox(handle, scratch);
  const crop = scratchRectangle({ pdfium, scratch });
  const view = viewMatrix({ crop, rotate: pdfium.FPDFPage_GetRotation(handle) * 90 });
  return {
    view,
    crop,
    width: pdfium.FPDF_GetPageWidthF(handle),
    height: pdfium.FPDF_GetPageHeightF(handle),
  };
}

/**
 * Returns a function that finds an earlier print of a letter: programs without a bold font print text twice.
 */
function findPrints(): (character: PageCharacter) => PageCharacter | undefined {
  // Equal letters, by the grid square in which they begin.
  const prints = new Map<string, Map<number, PageCharacter[]>>();
  return (character) => {
    const { text, sizePoints, rotation, box, baseline, look } = character;
    if (text === ' ') return undefined;
    const key = `${text}|${look.fontName}|${sizePoints}|${rotation}`;
    let alike = prints.get(key);
    if (alike === undefined) prints.set(key, (alike = new Map<number, PageCharacter[]>()));
    const most = MAX_REPEAT_EMS * sizePoints;
    const isPrint = (other: PageCharacter): boolean =>
      Math.abs(other.box.left - box.left) < Math.min(most, (box.right - box.left) / 2) &&
      Math.abs(other.baseline - baseline) < most;
    // A square is as large as the greatest distance of a print, so that prints share a square or have
    // adjacent ones.
    const [column, row] = [Math.floor(box.left / most), Math.floor(baseline / most)];
    for (let at = 0; at < 9; at += 1) {
      const near = alike.get(squareAt(column - 1 + (at % 3), row - 1 + Math.floor(at / 3)));
      const first = near?.find(isPrint);
      if (first !== undefined) return first;
    }
    const square = squareAt(column, row);
    const known = alike.get(square);
    if (known === undefined) alike.set(square, [character]);
    else known.push(character);
    return undefined;
  };
}

/** Packs both coordinates into one small integer; squares that collide cost only a comparison more. */
function squareAt(column: number, row: number): number {
  return (column * 2 ** 12 + row) | 0;
}

/** Returns the handle of the text object of each character that PDFium lists. */
function textObjectsOf({ pdfium, text }: OpenPage): number[] {
  const count = Math.max(0, pdfium.FPDFText_CountChars(text));
  return Array.from({ length: count }, (_, at) => pdfium.FPDFText_GetTextObject(text, at));
}

/** Tests for text that is neither level nor upright; PDFium gives no widths for it. */
function isOblique({ rotation }: PageCharacter): boolean {
  return rotation % 90 !== 0;
}

/** Tests for letters of one ligature, which PDFium lists one after the other at the same place. */
function isSameGlyph(before: PageCharacter, { object, box, baseline }: PageCharacter): boolean {
  return before.object === object && before.box.left === box.left && before.baseline === baseline;
}

/** Widens the box of a ligature to that of a further letter; its letters share one box. */
function widened(box: Box, { right }: Box = box): Box {
  box.right = Math.max(box.right, right);
  return box;
}

/** Extends a letter of oblique text to the next one; PDFium itself finds the spaces. */
function closeUp(
  before: PageCharacter,
  { box, baseline, rotation, sizePoints }: PageCharacter,
): void {
  const isLevel = Math.abs(before.baseline - baseline) < 0.1 * sizePoints;
  if (before.rotation !== rotation || !isLevel) return;
  const advance = box.left - before.box.left;
  if (advance > 0 && advance < 1.2 * sizePoints) before.box.right = box.left;
}

/** Returns the origin of a character in the coordinates of the file. */
function originOf({ pdfium, scratch, text }: OpenPage, at: number): Point {
  pdfium.FPDFText_GetCharOrigin(text, at, scratch, scratch + 8);
  const { HEAPF64 } = pdfium.pdfium;
  return { x: HEAPF64[scratch >> 3] ?? 0, y: HEAPF64[(scratch + 8) >> 3] ?? 0 };
}

/** Tests whether a character is inside the crop box, and so can be seen. */
function isWithin(crop: Box, { x, y }: Point, margin: number): boolean {
  const isBeside = x < crop.left - margin || x > crop.right + margin;
  return !isBeside && y > crop.bottom - margin && y < crop.top + margin;
}

/** What all characters of a text object have in common. */
interface ObjectState {
  index: number;
  look: ObjectLook;
  sizePoints: number;
  emPoints: number;
  rotation: number;
  /** Matrix from the coordinates of the file to the level page. */
  level: Matrix;
  /** PDFium's handle of its font. */
  font: number;
}

function stateOf({
  page,
  at,
  view,
  index,
  print: { look, shift },
}: {
  page: OpenPage;
  at: number;
  view: Matrix;
  index: number;
  print: SeenPrint;
}): ObjectState | undefined {
  const { pdfium, scratch } = page;
  if (!pdfium.FPDFText_GetMatrix(page.text, at, scratch)) return undefined;
  const float = (offset: number): number => scratchNumber(page, offset);
  const own: Matrix = [float(0), float(1), float(2), float(3), 0, 0];
  const [a, b, c, d] = multiply(own, view);
  const height = Math.hypot(c, d);
  const sizePoints = Math.round(height * Math.abs(look.fontSize) * 100) / 100;
  const emPoints = Math.hypot(a, b) * Math.abs(look.fontSize);
  const isMirrored = a * d - b * c < 0;
  if (isMirrored || sizePoints < 0.5 || !Number.isFinite(sizePoints)) return undefined;
  const degrees = (Math.atan2(b, a) * 180) / Math.PI + (look.fontSize < 0 ? 180 : 0);
  const rotation = ((Math.round(degrees) % 360) + 360) % 360;
  // Programs without an italic font slant the upright one.
  const isSlanted = Math.abs(a * c + b * d) / (Math.hypot(a, b) * height) > 0.12;
  const isThickened = look.outlineWidth > THICKENING_EMS * sizePoints;
  return {
    index,
    look: { ...look, isItalic: look.isItalic || isSlanted, isBold: look.isBold || isThickened },
    sizePoints,
    emPoints,
    rotation,
    font: pdfium.FPDFTextObj_GetFont(pdfium.FPDFText_GetTextObject(page.text, at)),
    level: multiply([1, 0, 0, 1, shift.x, shift.y], multiply(view, turn(-rotation))),
  };
}

/** Scripts with several glyphs for a letter, of whose widths PDFium would give any. */
const contextual = /[\p{Script=Arabic}\p{Script=Syriac}\p{Script=Nko}\p{Script=Mongolian}]/u;

function readCharacter({
  page,
  at,
  origin: placed,
  state,
}: {
  page: OpenPage;
  at: number;
  origin: Point;
  state: ObjectState;
}): PageCharacter | undefined {
  const codePoint = page.pdfium.FPDFText_GetUnicode(page.text, at);
  const characterText = textOf(codePoint);
  if (characterText === undefined) return undefined;
  const { sizePoints, emPoints, rotation, level, look, index, font } = state;
  const origin = apply(level, placed);
  const isUpright = rotation % 90 === 0;
  const around = isUpright ? looseBox(page, at, level) : undefined;
  const box = {
    left: origin.x,
    right: around?.right ?? origin.x + sizePoints / 2,
    bottom: origin.y - sizePoints * 0.22,
    top: origin.y + sizePoints * 0.78,
  };
  const mayOverhang = around !== undefined && !contextual.test(characterText);
  if (mayOverhang && box.right <= (inkedRight(page, at, level) ?? 0) + 0.01) {
    const advance = advanceOf(page, font, codePoint) * emPoints;
    if (advance > 0) box.right = Math.min(box.right, box.left + advance);
  }
  if (box.right < box.left) box.right = box.left;
  return {
    text: characterText,
    box,
    baseline: origin.y,
    object: index,
    look,
    sizePoints,
    emPoints,
    rotation,
  };
}

/**
 * Returns the right edge of a letter's ink. The loose box of PDFium extends this far for overhanging letters.
 */
function inkedRight(
  { pdfium, scratch, text }: OpenPage,
  at: number,
  level: Matrix,
): number | undefined {
  // Order of the results: left, right, bottom, top.
  if (!pdfium.FPDFText_GetCharBox(text, at, scratch, scratch + 8, scratch + 16, scratch + 24)) {
    return undefined;
  }
  const { HEAPF64 } = pdfium.pdfium;
  const float = (offset: number): number => HEAPF64[(scratch >> 3) + offset] ?? 0;
  const box = { left: float(0), right: float(1), bottom: float(2), top: float(3) };
  return applyToBox(level, box).right;
}

/** Returns a glyph's advance from its font, in ems; 0 if unknown. */
function advanceOf(page: OpenPage, font: number, codePoint: number): number {
  const isKnown = page.pdfium.FPDFFont_GetGlyphWidth(font, codePoint, 1, page.scratch);
  return isKnown ? scratchNumber(page, 0) : 0;
}

function looseBox(page: OpenPage, at: number, level: Matrix): Box | undefined {
  if (!page.pdfium.FPDFText_GetLooseCharBox(page.text, at, page.scratch)) return undefined;
  return applyToBox(level, scratchRectangle(page));
}

/** Code points for a hyphen that divides a word; U+0002 and U+FFFE are PDFium's own. */
const DIVIDING_HYPHENS = new Set([0x0002, 0x00ad, 0xfffe]);

/**
 * Returns the letters of a code point; ligatures and presentation forms become the letters they stand for.
 */
function textOf(codePoint: number): string | undefined {
  if (DIVIDING_HYPHENS.has(codePoint)) return '\u00AD';
  if (codePoint < 0x20 || codePoint === 0xfffd || codePoint > 0x10ffff) return undefined;
  if (codePoint >= 0xd800 && codePoint <= 0xdfff) return undefined;
  const character = String.fromCodePoint(codePoint);
  const isPresentationForm =
    (codePoint >= 0xfb00 && codePoint <= 0xfdff) || (codePoint >= 0xfe70 && codePoint <= 0xfeff);
  return isPresentationForm ? character.normalize('NFKC') : character;
}
