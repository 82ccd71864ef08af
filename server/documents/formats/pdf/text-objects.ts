/**
 * The text objects of a page: their order and looks, and the repeated prints that make text bold or shade it.
 */
import {
  allObjects,
  boundsOf,
  colorOf,
  type OpenPage,
  pageObject,
  scratchNumber,
  strokeWidthOf,
} from './pdfium.ts';
import { horizontalOverlap, verticalOverlap } from './geometry.ts';
import type { Box, PageParagraph } from './page-model.ts';

/** A text object: what one text-showing operator draws. */
export interface TextObject {
  handle: number;
  /** Index among the page's text objects. */
  index: number;
  /** Handle of the form object that contains it, 0 on the page itself. */
  parent: number;
}

/** Text render modes (ISO 32000-1, table 106); modes from 4 on also clip. */
const FIRST_CLIPPING = 4;
const STROKED = 1;
const FILLED_AND_STROKED = 2;
const INVISIBLE = 3;
/** Bits of a font descriptor (ISO 32000-1, table 123). */
const FIXED_PITCH = 1 << 0;
const SERIF = 1 << 1;
const ITALIC = 1 << 6;
const FORCE_BOLD = 1 << 18;
/** Depth to which nested forms are followed; PDFium has the same limit. */
const MAX_FORM_DEPTH = 28;

/** The look of the characters of a text object, except their size on the page. */
export interface ObjectLook {
  fontName: string;
  /** Font size in units of the object's own matrix. */
  fontSize: number;
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
  color: readonly [number, number, number];
  isVisible: boolean;
  /** From 0 to 1; undefined for opaque text. */
  opacity: number | undefined;
  /** Whether only the outlines of the letters are drawn. */
  isOutlined: boolean;
  /** Width of outlines in the letters' own colour, in page units; 0 for most text. */
  outlineWidth: number;
  /** A line under or through the letters, drawn as a path. */
  decoration?: 'underline' | 'strike';
}

/*
 * Looks that follow from font names: the fonts of Windows, macOS and the web, the 35 PostScript fonts under
 * the names of Adobe, URW and TeX Gyre, and TeX's own (Computer Modern, its `SF` copies, Latin Modern).
 */
const SANS_NAME =
  /sans|nimbussan|arial|arimo|liberationnarrow|helvet|heros|swiss|calibri|carlito|verdana|tahoma|trebuc|segoe|roboto(?!slab)|lato\b|ubuntu|inter\b|montserrat|frutiger|univers|futura|avenir|avantgarde|adventor|a010013l|myriad|optima|candara|corbel|biolinum|gothic|grotes[kq]|^(?:cmss|sfss|lmss)/i;
const SERIF_NAME =
  /serif|times|tinos|termes|roman|nimbusrom|stix|xits|garamond|georgia|gelasio|cambria|caladea|palatino|palladio|pagella|p052|bookman|bonum|schoolbook|centuryschl|schola|c059|newcenturysch|century|libertin|minion|caslon|baskerville|bodoni|didot|charter|utopia|fourier|antiqua|sabon|bembo|plantin|constantia|merriweather|lora\b|playfair|crimson|cormorant|mincho|^cm(?!ss|tt)[a-z]{1,5}\d|^sf(?:rm|bx|ti|sl|cc|bi)\d/i;
const MONOSPACED_NAME =
  /mono(?!type)|nimbusmon|courier|cousine|texgyrecursor|consol|menlo|monaco|typewriter|lettergothic|sourcecode|firacode|^(?:cm|sf|lm)(?:tt|sltt|itt|tcsc)/i;
const BOLD_NAME =
  /bold|black|heavy|semib|demi|[-,]medi(?:ital|obli)?$|[-,]bd|^(?:cmb|cmssb|cmssdc|sfbx|sfsx)/i;
const ITALIC_NAME =
  /italic|oblique|slanted|[-,][a-z]*(?:ital|obli)$|[-,](?:bold|semibold|medium)?it$|^cm(?:ti|bxti|mi|mib|sl|bxsl|ssi|sltt|itt)\d|^sf(?:ti|bi|sl|si|it)\d/i;
type FontLook = Pick<ObjectLook, 'fontName' | 'isBold' | 'isItalic' | 'isSerif' | 'isMonospaced'>;

/** Returns the text objects of a page in drawing order; those of a form take the place of the form. */
export function listTextObjects(page: OpenPage): TextObject[] {
  const objects: TextObject[] = [];
  for (const { handle, type, parent } of allObjects(page, MAX_FORM_DEPTH)) {
    if (type === pageObject.text) objects.push({ handle, index: objects.length, parent });
  }
  return objects;
}

/** Returns a function that looks up the look of a text object; each font is queried once per page. */
export function looksOfTextObjects(
  page: OpenPage,
): (handle: number, parent?: number) => ObjectLook {
  const fonts = new Map<number, FontLook>();
  return (handle, parent = 0) => {
    const { pdfium, scratch } = page;
    const fontHandle = pdfium.FPDFTextObj_GetFont(handle);
    let font = fonts.get(fontHandle);
    if (font === undefined) fonts.set(fontHandle, (font = lookOfFont(page, fontHandle)));
    const hasSize = pdfium.FPDFTextObj_GetFontSize(handle, scratch);
    const fontSize = hasSize ? scratchNumber(page, 0) : 0;
    const mode = pdfium.FPDFTextObj_GetTextRenderMode(handle) % FIRST_CLIPPING;
    const isOutlined = mode === STROKED;
    const { color, alpha } = colorOf(page, handle, isOutlined ? 'stroke' : 'fill');
    const isVisible = mode !== INVISIBLE && alpha > 0;
    const outlineWidth = mode === FILLED_AND_STROKED ? ownOutlineWidth(page, handle, color) : 0;
    // Text in a transparency group is opaque itself; the form that contains it carries the transparency.
    const shown = alpha === 255 && parent !== 0 ? colorOf(page, parent, 'fill').alpha : alpha;
    const opacity = shown < 255 ? Math.round((shown / 255) * 100) / 100 : undefined;
    return { ...font, fontSize, color, isVisible, opacity, isOutlined, outlineWidth };
  };
}

function lookOfFont({ pdfium, scratch }: OpenPage, handle: number): FontLook {
  const nameBytes = 256;
  const length = pdfium.FPDFFont_GetBaseFontName(handle, scratch, nameBytes);
  const isNamed = length > 0 && length <= nameBytes;
  const fontName = isNamed ? pdfium.pdfium.UTF8ToString(scratch) : '';
  const flags = pdfium.FPDFFont_GetFlags(handle);
  const isHeavy = pdfium.FPDFFont_GetWeight(handle) >= 600 || (flags & FORCE_BOLD) !== 0;
  // PDFium guesses weights from stem widths and takes many regular fonts for bold ones, so its weight counts
  // only for fonts whose name says nothing.
  const name = fontName.replace(/^[A-Z]{6}\+/, '');
  const hasName = /[a-z]{3}/i.test(name);
  // Names are more reliable than flags: many programs set the same flags for all fonts, and TeX sets none.
  const isMonospaced = MONOSPACED_NAME.test(name);
  const isSans = !isMonospaced && SANS_NAME.test(name);
  const hasSerifName = !isMonospaced && !isSans && SERIF_NAME.test(name);
  return {
    fontName,
    isBold: BOLD_NAME.test(name) || (!hasName && isHeavy),
    isItalic: (flags & ITALIC) !== 0 || ITALIC_NAME.test(name),
    isSerif: hasSerifName || (!isSans && (flags & SERIF) !== 0),
    isMonospaced: isMonospaced || ((flags & FIXED_PITCH) !== 0 && !isSans && !hasSerifName),
  };
}

/**
 * Returns the width of outlines in the fill colour. Outlines of another colour are an ornament that makes no
 * letter bolder.
 */
function ownOutlineWidth(
  page: OpenPage,
  handle: number,
  fill: readonly [number, number, number],
): number {
  const { color, alpha } = colorOf(page, handle, 'stroke');
  const isOwn = alpha > 0 && color.every((channel, at) => channel === fill[at]);
  return isOwn ? (strokeWidthOf(page, handle) ?? 0) : 0;
}

/** Minimum share of a text object's box that another must cover to count as its print. */
const MIN_SHARE = 0.7;
/**
 * Number of objects searched in either direction: pages of single letters have too many to compare all, and a
 * print follows soon after the first.
 */
const MAX_DISTANCE = 200;
/** Number of objects searched for a print: a shadow comes right before the text that casts it. */
const MAX_SHADOW_DISTANCE = 40;

/** The visible look of a text object, and the offset of its visible print in the coordinates of the file. */
export interface SeenPrint {
  look: ObjectLook;
  shift: { x: number; y: number };
  /** Indexes of its later prints that PDFium does not list. */
  repeats: readonly number[];
}

/** Range of distances, in letter heights, between prints that together make bold text. */
const LEAST_BOLD_SHIFT = 0.01;
const MOST_BOLD_SHIFT = 0.12;

/**
 * Decides which of two prints is visible. Two prints of one colour a little apart make bold text; two at the
 * same place are a program's oversight.
 * @param apart distance between the prints, in letter heights
 */
export function lookOfPrints(
  first: ObjectLook,
  later: ObjectLook,
  apart: number,
): { look: ObjectLook; isLater: boolean } {
  // A translucent or hollow later print leaves the first one visible.
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
 * Returns the visible print of a text object. Text may have a halo or shadow printed before it, and PDFium
 * then takes the text itself for a repetition.
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
  const box = later.length > 0 ? visibleBounds(page, handle) : undefined;
  if (box === undefined) return { look, shift, repeats };
  for (const other of later) {
    const otherShift = shiftBetween(box, visibleBounds(page, other.handle));
    if (otherShift === undefined) continue;
    repeats.push(other.index);
    const apart = Math.hypot(otherShift.x - shift.x, otherShift.y - shift.y);
    const prints = lookOfPrints(look, lookOf(other.handle, parent), apart / (box.top - box.bottom));
    look = prints.look;
    if (prints.isLater) shift = otherShift;
  }
  return { look, shift, repeats };
}

/** Returns the offset to a text object of the same size, apart from outlines, at nearly the same place. */
function shiftBetween(box: Box, other: Box | undefined): { x: number; y: number } | undefined {
  if (other === undefined) return undefined;
  const [width, height] = [box.right - box.left, box.top - box.bottom];
  const wider = other.right - other.left - width;
  const higher = other.top - other.bottom - height;
  const isSameSize = Math.abs(wider) < 0.25 * height && Math.abs(higher) < 0.25 * height;
  const [x, y] = [other.left - box.left + wider / 2, other.bottom - box.bottom + higher / 2];
  // An equal narrow letter right beside this one is a letter of its own, not a print.
  const isNear = Math.abs(x) < Math.min(0.6 * height, 0.5 * width) && Math.abs(y) < 0.6 * height;
  return isSameSize && isNear ? { x, y } : undefined;
}

/** Returns the paragraphs extended by the text objects that repeat theirs. */
export function attachShadows({
  page,
  objects,
  repeats,
  paragraphs,
}: {
  page: OpenPage;
  objects: readonly TextObject[];
  /** Second prints that are known already, with the index that each repeats. */
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
    if (!boxes.has(object.index)) boxes.set(object.index, visibleBounds(page, object.handle));
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

function visibleBounds(page: OpenPage, handle: number): Box | undefined {
  const box = boundsOf(page, handle);
  if (box === undefined) return undefined;
  return box.right - box.left > 0.5 && box.top - box.bottom > 0.5 ? box : undefined;
}

/** Returns the share of a box that another covers. */
function cover(a: Box, b: Box): number {
  const width = horizontalOverlap(a, b);
  const height = verticalOverlap(a, b);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / ((a.right - a.left) * (a.top - a.bottom));
}
