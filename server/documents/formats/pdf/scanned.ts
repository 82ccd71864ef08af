/** Scans: the text of pages that are pictures is recognised, and covered where it is translated. */
import sharp from 'sharp';
import type { LanguageTag } from '../../../../shared/language.ts';
import { DocumentError } from '../format.ts';
import { erase, Stain } from '../image/appearance.ts';
import type { Picture, QuarterTurn } from '../image/picture.ts';
import { around, type RawPixels } from '../image/ocr.ts';
import { readText } from '../image/read-text.ts';
import { findTurnedRegions, type TextRegion, type SeenLine } from '../image/regions.ts';
import { skewOf, turnedBack, withoutNeedlessChannels } from '../image/legibility.ts';
import { type Matrix, multiply, turn } from './geometry.ts';
import type { Page, PageParagraph, Box } from './page-model.ts';
import { drawPage, imageDpi, type Pixels } from './page-picture.ts';
import { hasPicture } from './page-to-redraw.ts';
import type { OpenPage, PdfFile } from './pdfium.ts';
import {
  lettersOf,
  levelBox,
  onPage,
  type ScanView,
  scannedParagraph,
} from './scanned-paragraph.ts';
import { listTextObjects, looksOfTextObjects } from './text-objects.ts';
import { charactersOf } from './paragraph-segments.ts';
import { viewOf } from './page-characters.ts';

/** Recognition reads 10-point text best from 200 to 300; more only takes longer. */
const SCAN_DPI = 280;
/**
 * Of images that are read as they are, too: drawn in another resolution, now and then a letter becomes
 * another. Finer ones take too long.
 */
const LEAST_ORIGINAL_DPI = 70;
const MOST_ORIGINAL_DPI = 320;
const MOST_ORIGINAL_PIXELS = 10_000_000;
const POINTS_PER_INCH = 72;
/** A3 is as long as this, A4 as the other; nobody scans larger sheets more coarsely. */
const LONGEST_SHEET_POINTS = 1200;
const USUAL_SHEET_POINTS = 842;
const LEAST_KNOWN_DPI = 100;
/** A page with more visible characters is not read as a picture. */
const MIN_PAGE_CHARACTERS = 20;
/** Each takes seconds: more would take longer than a document may. */
const MAX_SCANNED_PAGES = 300;

export interface ScanSource {
  file: PdfFile;
  pages: readonly Page[];
  /** Of the text, where it is known. */
  language: LanguageTag | undefined;
  signal?: AbortSignal;
}

/**
 * Reads the pages that show pictures and next to no text, also when an invisible text lies beneath.
 *
 * @throws DocumentError when the file has no other text and text recognition is not installed, or
 *   when there are too many such pages
 */
export async function readScannedPages(source: ScanSource): Promise<ScannedPages> {
  const { file, pages } = source;
  const bare = pages.filter((page) => isScan(file, page));
  if (bare.length > MAX_SCANNED_PAGES) {
    throw new DocumentError(
      `The PDF file has ${bare.length} scanned pages; ${MAX_SCANNED_PAGES} are the most. Send it in parts.`,
    );
  }
  const isAllScanned = pages.every((page) => bare.includes(page) || charactersOf(page) === 0);
  const scans = new Map<number, ReadScan>();
  for (const page of bare) {
    try {
      const scan = await readScan(page, source);
      if (scan !== undefined) scans.set(page.index, scan);
    } catch (error) {
      // Pictures in a document of text may keep theirs; a document of scans has nothing else.
      if (isAllScanned || !(error instanceof DocumentError)) throw error;
      break;
    }
  }
  return {
    pages: pages.map((page) => scans.get(page.index)?.page ?? page),
    covers: (pageIndex) => scans.get(pageIndex)?.covers,
    turnedBack: (pageIndex) => scans.get(pageIndex)?.turnedBack,
  };
}

/** Whether a page shows pictures and next to no text. */
function isScan(file: PdfFile, page: Page): boolean {
  if (charactersOf(page) >= MIN_PAGE_CHARACTERS) return false;
  return page.invisibleCharacters > 0 || file.withPage(page.index, hasPicture) === true;
}

/** Indexes of the text objects that are not seen. */
function invisibleTextObjects(page: OpenPage): number[] {
  const lookOf = looksOfTextObjects(page);
  return listTextObjects(page)
    .filter(({ handle, parent }) => !lookOf(handle, parent).isVisible)
    .map(({ index }) => index);
}

interface ReadScan {
  page: Page;
  covers: readonly PageCover[];
  turnedBack: Matrix;
}

/** Undefined when the page shows no text. */
async function readScan(
  page: Page,
  { file, language, signal }: ScanSource,
): Promise<ReadScan | undefined> {
  const drawn = file.withPage(page.index, (open) => {
    const hidden = invisibleTextObjects(open);
    const pixels = drawPage(open, { dpi: SCAN_DPI, withText: false });
    if (pixels === undefined) return undefined;
    const dpi = imageDpi(open);
    const hasOriginal = dpi !== undefined && dpi >= LEAST_ORIGINAL_DPI && dpi <= MOST_ORIGINAL_DPI;
    const scan = { drawn: pixels, mostPixels: MOST_ORIGINAL_PIXELS };
    const original = hasOriginal
      ? (pixelsOfScan(open, scan) ?? drawnOriginal(open, dpi))
      : undefined;
    return { hidden, pixels, original, dpi };
  });
  if (drawn === undefined) return undefined;
  const seen = withoutOpacity(drawn.pixels);
  const paperDpi = seen.width / sheetInches(page, drawn.dpi).width;
  const skew = await skewOf(seen);
  const picture = skew === 0 ? seen : await turnedBack(seen, skew);
  const original = drawn.original && {
    picture: withoutNeedlessChannels(drawn.original),
    skewDegrees: skew,
  };
  const lines = await readText(picture, {
    language,
    paperDpi,
    original,
    ...(signal && { signal }),
  });
  const turned = (await findTurnedRegions(picture, lines)).map(({ regions, ...view }) => ({
    view: scanViewOf(page, view),
    // What has no letters is not translated, so it stays as it is.
    regions: entriesOf(regions).filter(({ text }) => /\p{L}/u.test(text)),
  }));
  const all = turned.flatMap(({ regions }) => regions);
  if (all.length === 0) return undefined;
  const letters = await lettersOf(all, language ?? 'en');
  const paragraphs: PageParagraph[] = [];
  const covers: PageCover[] = [];
  for (const { view, regions } of turned) {
    for (const region of regions) {
      const paragraph = scannedParagraph(region, letters, view);
      // The text that was recognised before would be found instead of the translation.
      const own = paragraphs.length === 0 ? { ...paragraph, textObjects: drawn.hidden } : paragraph;
      paragraphs.push(own);
      covers.push(await coverOf(region, own, view));
    }
  }
  return {
    page: { ...page, paragraphs: [...paragraphs, ...page.paragraphs] },
    covers,
    turnedBack: turnAround(page, skew),
  };
}

function drawnOriginal(page: OpenPage, dpi: number): Picture | undefined {
  const pixels = drawPage(page, { dpi, withText: false, mostPixels: MOST_ORIGINAL_PIXELS });
  return pixels && withoutOpacity(pixels);
}

/** How wide a page was on paper: programs that know no resolution give each pixel a point. */
function sheetInches({ width, height }: Page, dpi: number | undefined): { width: number } {
  const longest = Math.max(width, height);
  const isKnown = longest <= LONGEST_SHEET_POINTS || dpi === undefined || dpi > LEAST_KNOWN_DPI;
  const points = isKnown ? width : (width * USUAL_SHEET_POINTS) / longest;
  return { width: points / POINTS_PER_INCH };
}

function scanViewOf(
  { width, height }: Page,
  { picture, angle }: { picture: Picture; angle: QuarterTurn },
): ScanView {
  const isOnSide = angle === 90 || angle === 270;
  const page = isOnSide ? { width: height, height: width } : { width, height };
  return { picture, page, rotation: angle };
}

/** Turns counterclockwise around the middle of a page. */
function turnAround({ width, height }: Page, degrees: number): Matrix {
  const toMiddle: Matrix = [1, 0, 0, 1, -width / 2, -height / 2];
  return multiply(multiply(toMiddle, turn(degrees)), [1, 0, 0, 1, width / 2, height / 2]);
}

/** The page is drawn on white, so nothing shines through. */
function withoutOpacity({ bgra, width, height }: Pixels): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < bgra.length; from += 4, to += 3) {
    data[to] = bgra[from + 2] ?? 0;
    data[to + 1] = bgra[from + 1] ?? 0;
    data[to + 2] = bgra[from] ?? 0;
  }
  return { data, width, height, channels: 3 };
}

/** The ground in the shape of the letters, for all lines of a text. */
async function coverOf(
  region: TextRegion,
  paragraph: PageParagraph,
  view: ScanView,
): Promise<PageCover> {
  const { picture } = view;
  const stains = region.lines.map(({ appearance }) => appearance.stain);
  const box = around(stains.map((stain) => stain.box));
  for (const { appearance } of region.lines) erase(picture, appearance);
  const [width, height] = [box.right - box.left, box.bottom - box.top];
  const rgba = new Uint8Array(width * height * 4);
  for (const stain of stains) {
    const stainWidth = stain.box.right - stain.box.left;
    for (let at = 0; at < stain.mask.length; at += stainWidth) {
      const y = stain.box.top + at / stainWidth;
      let from = (y * picture.width + stain.box.left) * picture.channels;
      let to = ((y - box.top) * width + stain.box.left - box.left) * 4;
      for (let x = at; x < at + stainWidth; x++, from += picture.channels, to += 4) {
        // Where nothing is covered the colour counts as well: readers mix it in at the edges.
        rgba[to] = picture.data[from] ?? 0;
        rgba[to + 1] = picture.data[from + 1] ?? 0;
        rgba[to + 2] = picture.data[from + 2] ?? 0;
        if (stain.mask[x] === Stain.ink) rgba[to + 3] = 255;
      }
    }
  }
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .rotate((360 - view.rotation) % 360)
    .png()
    .toBuffer();
  return { box: onPage(levelBox(box, view), view), png, paragraph };
}

// Rows of tables and lists of contents: lines that stand close below each other and are texts of their own.

/** Dots that lead to the number of a page; recognition reads some of them as other signs. */
const LEADERS = /(?:[.…·_•]\s?){4,}.{0,3}\p{Nd}+$|[.…·]{3,}/u;
/** Lines of prose are longer, in characters, also in narrow columns. */
const MAX_ENTRY_CHARACTERS = 26;
/** Two lines that begin large may be one title: its lines are nearer to each other, in heights. */
const MIN_PAIR_PITCH = 1.4;

/** Takes apart regions that are a column of a table or entries of contents. */
function entriesOf(regions: readonly TextRegion[]): TextRegion[] {
  return regions.flatMap((region) => {
    if (region.lines.length < 2) return [region];
    if (isColumn(region)) return region.lines.map((line) => part(region, [line]));
    return contentsOf(region);
  });
}

/** Short lines that all begin large and none of which ends a sentence. */
function isColumn({ lines, pitchPx = 0 }: TextRegion): boolean {
  const isApart = lines.length > 2 || pitchPx > MIN_PAIR_PITCH * lines[0].letterHeightPx;
  return isApart && lines.every(isEntry);
}

function isEntry({ text }: SeenLine): boolean {
  return (
    text.length <= MAX_ENTRY_CHARACTERS && /^[\p{Lu}\p{Nd}]/u.test(text) && !/[.,;:!?-]$/.test(text)
  );
}

/** An entry ends with the number of its page. */
function contentsOf(region: TextRegion): TextRegion[] {
  const entries: [SeenLine, ...SeenLine[]][] = [];
  let isEnded = true;
  for (const line of region.lines) {
    const last = entries.at(-1);
    if (isEnded || last === undefined) entries.push([line]);
    else last.push(line);
    isEnded = LEADERS.test(line.text);
  }
  return entries.length === 1 ? [region] : entries.map((lines) => part(region, lines));
}

function part(region: TextRegion, lines: readonly [SeenLine, ...SeenLine[]]): TextRegion {
  return {
    ...region,
    lines,
    text: lines.map(({ text }) => text).join(' '),
    box: around(lines.map(({ appearance }) => appearance.inkBox)),
    align: 'left',
    pitchPx: lines.length > 1 ? region.pitchPx : undefined,
  };
}

/** A picture that is drawn over the text of a scan before its translation is. */
export interface PageCover {
  /** On the page as it is looked at, turned back. */
  box: Box;
  png: Uint8Array;
  /** Whose text it covers: it is drawn only when that is written anew. */
  paragraph: PageParagraph;
}

/** The pages of a file, those that were recognised with their text. */
export interface ScannedPages {
  pages: readonly Page[];
  /** What covers the old text of a page; undefined for pages that are no scans. */
  covers(pageIndex: number): readonly PageCover[] | undefined;
  /**
   * From a page as it is looked at to where its paragraphs and covers are: scans that lie askew were
   * turned back to be read. Undefined for pages that are no scans.
   */
  turnedBack(pageIndex: number): Matrix | undefined;
}

// The pixels of a scan as they are in the file, of a page that is one image.

/** `FPDF_PAGEOBJ_IMAGE` in `fpdf_edit.h`, and formats of bitmaps in `fpdfview.h`. */
const IMAGE = 3;
const GRAY = 1;
const BGR = 2;
const BGRX = 3;
const UPRIGHT = 0;
/** Share of a page's width and height that an image may lack or exceed it by. */
const MARGIN = 0.002;
/** Places along each side, and levels: at edges of letters what is drawn differs. */
const SAMPLES = 60;
const MOST_APART = 24;

/**
 * The pixels of the image that fills a page as it lies; undefined for other pages. Drawn, they would be
 * mixed with those beside them, and letters are read for others.
 *
 * @param drawn the page
 */
function pixelsOfScan(
  page: OpenPage,
  { drawn, mostPixels }: { drawn: Pixels; mostPixels: number },
): RawPixels | undefined {
  const { pdfium, handle, scratch } = page;
  if (pdfium.FPDFPage_CountObjects(handle) !== 1 || pdfium.FPDFPage_GetRotation(handle) !== UPRIGHT)
    return undefined;
  const image = pdfium.FPDFPage_GetObject(handle, 0);
  if (pdfium.FPDFPageObj_GetType(image) !== IMAGE) return undefined;
  if (pdfium.FPDFPageObj_HasTransparency(image)) return undefined;
  if (!fillsPage(page, image)) return undefined;
  if (!pdfium.FPDFImageObj_GetImagePixelSize(image, scratch, scratch + 4)) return undefined;
  const [columns = 0, rows = 0] = [0, 4].map((by) => pdfium.pdfium.getValue(scratch + by, 'i32'));
  if (columns * rows > mostPixels) return undefined;
  const bitmap = pdfium.FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return undefined;
  try {
    const pixels = pixelsOf(page, bitmap);
    return pixels !== undefined && isAsDrawn(pixels, drawn) ? pixels : undefined;
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

/** Whether an image lies as the page does, from edge to edge. */
function fillsPage(page: OpenPage, image: number): boolean {
  const { pdfium, scratch } = page;
  if (!pdfium.FPDFPageObj_GetMatrix(image, scratch)) return false;
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = [0, 4, 8, 12, 16, 20].map((by) =>
    pdfium.pdfium.getValue(scratch + by, 'float'),
  );
  const { crop, width, height } = viewOf(page);
  const isNear = (one: number, other: number, whole: number): boolean =>
    Math.abs(one - other) <= MARGIN * whole;
  return (
    isNear(b, 0, height) &&
    isNear(c, 0, width) &&
    isNear(a, width, width) &&
    isNear(d, height, height) &&
    isNear(e, crop.left, width) &&
    isNear(f, Math.min(crop.top, crop.bottom), height)
  );
}

function pixelsOf({ pdfium }: OpenPage, bitmap: number): RawPixels | undefined {
  const format = pdfium.FPDFBitmap_GetFormat(bitmap);
  const [width, height] = [pdfium.FPDFBitmap_GetWidth(bitmap), pdfium.FPDFBitmap_GetHeight(bitmap)];
  const stride = pdfium.FPDFBitmap_GetStride(bitmap);
  const bytes = new Map([
    [GRAY, 1],
    [BGR, 3],
    [BGRX, 4],
  ]).get(format);
  if (bytes === undefined) return undefined;
  const channels = bytes === 1 ? 1 : 3;
  const at = pdfium.FPDFBitmap_GetBuffer(bitmap);
  const source = pdfium.pdfium.HEAPU8.subarray(at, at + stride * height);
  const data = new Uint8Array(width * height * channels);
  for (let y = 0, to = 0; y < height; y += 1) {
    for (let x = 0, from = y * stride; x < width; x += 1, from += bytes, to += channels) {
      for (let channel = 0; channel < channels; channel += 1) {
        data[to + channel] = source[from + channels - 1 - channel] ?? 0;
      }
    }
  }
  return { data, width, height, channels };
}

/** Masks, and images whose levels stand for others, have other pixels than are seen. */
function isAsDrawn({ data, width, height, channels }: RawPixels, drawn: Pixels): boolean {
  let [apart, count] = [0, 0];
  for (let row = 0.5; row < SAMPLES; row += 1) {
    for (let column = 0.5; column < SAMPLES; column += 1) {
      const [x, y] = [column / SAMPLES, row / SAMPLES];
      const own = Math.floor(y * height) * width + Math.floor(x * width);
      const seen = Math.floor(y * drawn.height) * drawn.width + Math.floor(x * drawn.width);
      // Green is between the others.
      const value = data[own * channels + (channels === 1 ? 0 : 1)] ?? 0;
      apart += Math.abs(value - (drawn.bgra[seen * 4 + 1] ?? 0));
      count += 1;
    }
  }
  return apart / count < MOST_APART;
}
