/** What PDFium knows of the text objects of a page: their order and how their characters look. */
import type { OpenPage } from './pdfium.ts';

/** `FPDF_PAGEOBJ_*` in `fpdf_edit.h`. */
const TEXT_OBJECT = 1;
const FORM_OBJECT = 5;

/** Text render modes (ISO 32000-1, table 106); from 4 on they clip as well. */
const FIRST_CLIPPING = 4;
const STROKED = 1;
const FILLED_AND_STROKED = 2;
const INVISIBLE = 3;

/** Bits of a font descriptor (ISO 32000-1, table 123). */
const FIXED_PITCH = 1 << 0;
const SERIF = 1 << 1;
const ITALIC = 1 << 6;
const FORCE_BOLD = 1 << 18;

/** Forms within forms are followed this deep: PDFium stops there as well. */
const MAX_FORM_DEPTH = 28;

/** A text object: what one text-showing operator draws. */
export interface TextObject {
  handle: number;
  /** Among the page's text objects. */
  index: number;
  /** The form object it is in, 0 on the page itself. */
  parent: number;
}

/** How the characters of a text object look, but for their size. */
export interface ObjectLook {
  fontName: string;
  /** In units of its own matrix. */
  fontSize: number;
  isBold: boolean;
  isItalic: boolean;
  isSerif: boolean;
  isMonospaced: boolean;
  color: readonly [number, number, number];
  isVisible: boolean;
  /** From 0 to 1; undefined for opaque ones. */
  opacity: number | undefined;
  /** Whether only the outlines of its letters are drawn. */
  isOutlined: boolean;
  /** How wide its letters are outlined in their own colour, in units of the page; 0 for most. */
  outlineWidth: number;
  /** A line under or through the letters, drawn as a path. */
  decoration?: 'underline' | 'strike';
}

/*
 * What is known from the names of fonts: those of Windows, macOS and the web, the 35 of PostScript under the
 * names of Adobe, URW and TeX Gyre, and TeX's own (Computer Modern, its `SF` copies, Latin Modern).
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

/** The text objects of a page in the order they are drawn; those of forms where the form is. */
export function listTextObjects(page: OpenPage): TextObject[] {
  const { pdfium } = page;
  const objects: TextObject[] = [];
  const visit = (handle: number, parent: number, depth: number): void => {
    const type = pdfium.FPDFPageObj_GetType(handle);
    if (type === TEXT_OBJECT) objects.push({ handle, index: objects.length, parent });
    if (type !== FORM_OBJECT || depth >= MAX_FORM_DEPTH) return;
    const count = pdfium.FPDFFormObj_CountObjects(handle);
    for (let at = 0; at < count; at += 1) {
      visit(pdfium.FPDFFormObj_GetObject(handle, at), handle, depth + 1);
    }
  };
  const count = pdfium.FPDFPage_CountObjects(page.handle);
  for (let at = 0; at < count; at += 1) visit(pdfium.FPDFPage_GetObject(page.handle, at), 0, 0);
  return objects;
}

/** Looks up how text objects look; fonts are asked about once for a page. */
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
    const fontSize = hasSize ? (pdfium.pdfium.HEAPF32[scratch >> 2] ?? 0) : 0;
    const mode = pdfium.FPDFTextObj_GetTextRenderMode(handle) % FIRST_CLIPPING;
    const isOutlined = mode === STROKED;
    const { color, alpha } = colorOf(page, handle, isOutlined);
    const isVisible = mode !== INVISIBLE && alpha > 0;
    const outlineWidth = mode === FILLED_AND_STROKED ? ownOutlineWidth(page, handle, color) : 0;
    // Text of a group is opaque by itself, the form it is in has the transparency.
    const shown = alpha === 255 && parent !== 0 ? colorOf(page, parent, false).alpha : alpha;
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
  // PDFium guesses weights from the width of stems, which takes many a regular font for a bold one:
  // it is asked only about fonts whose name is no name.
  const name = fontName.replace(/^[A-Z]{6}\+/, '');
  const hasName = /[a-z]{3}/i.test(name);
  // Names say more than flags, which many writers set for every font alike, and TeX for none.
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

/** Outlines of another colour are an ornament, they make no letter bolder. */
function ownOutlineWidth(
  page: OpenPage,
  handle: number,
  fill: readonly [number, number, number],
): number {
  const { pdfium, scratch } = page;
  const { color, alpha } = colorOf(page, handle, true);
  const isOwn = alpha > 0 && color.every((channel, at) => channel === fill[at]);
  if (!isOwn || !pdfium.FPDFPageObj_GetStrokeWidth(handle, scratch)) return 0;
  return pdfium.pdfium.HEAPF32[scratch >> 2] ?? 0;
}

function colorOf(
  { pdfium, scratch }: OpenPage,
  handle: number,
  isStroked: boolean,
): { color: readonly [number, number, number]; alpha: number } {
  const read = isStroked ? pdfium.FPDFPageObj_GetStrokeColor : pdfium.FPDFPageObj_GetFillColor;
  if (!read(handle, scratch, scratch + 4, scratch + 8, scratch + 12)) {
    return { color: [0, 0, 0], alpha: 255 };
  }
  const at = scratch >> 2;
  const { HEAPU32 } = pdfium.pdfium;
  const channel = (index: number): number => HEAPU32[at + index] ?? 0;
  return { color: [channel(0), channel(1), channel(2)], alpha: channel(3) };
}
