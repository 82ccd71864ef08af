/**
 * Scans: recognises the text of pages that are pictures, and makes the covers that hide the translated text.
 */
import sharp from 'sharp';
import type { LanguageTag } from '../../../../shared/language.ts';
import { DocumentError } from '../format.ts';
import { erase, EraseMask } from '../image/appearance.ts';
import type { Picture, QuarterTurn } from '../image/picture.ts';
import { around, type RawPixels } from '../image/ocr.ts';
import { readText } from '../image/read-text.ts';
import { findTurnedRegions, type TextRegion, type SeenLine } from '../image/regions.ts';
import { skewOf, turnedBack, withoutNeedlessChannels } from '../image/legibility.ts';
import { type Matrix, multiply, turn } from './geometry.ts';
import type { Page, PageParagraph, Box } from './page-model.ts';
import { drawPage, imageDpi, type Pixels } from './page-picture.ts';
import { matrixOf, type OpenPage, pageObject, type PdfFile, pixelSizeOf } from './pdfium.ts';
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

/**
 * Resolution at which pages are drawn for recognition. 10-point text is read best from 200 to 300 DPI; a
 * higher resolution only takes longer.
 */
const SCAN_DPI = 280;
/**
 * Limits for recognising images at their own resolution as well: after resampling, recognition misreads a
 * letter now and then. Finer images take too long.
 */
const LEAST_ORIGINAL_DPI = 70;
const MOST_ORIGINAL_DPI = 320;
const MOST_ORIGINAL_PIXELS = 10_000_000;
const POINTS_PER_INCH = 72;
/**
 * Longest side of an A3 and of an A4 sheet. A larger page with an image of at most `LEAST_KNOWN_DPI` is taken
 * for A4 of unknown resolution: nobody scans larger sheets more coarsely.
 */
const LONGEST_SHEET_POINTS = 1200;
const USUAL_SHEET_POINTS = 842;
const LEAST_KNOWN_DPI = 100;
/**
 * Maximum number of scanned pages of a document. Each takes seconds, so more would exceed the time a document
 * may take.
 */
const MAX_SCANNED_PAGES = 300;

export interface ScanSource {
  file: PdfFile;
  pages: readonly Page[];
  /** Those that are scans. */
  bare: readonly Page[];
  /** Language of the text, if known. */
  language: LanguageTag | undefined;
}

/**
 * Reads the pages that show pictures and next to no text, including those with an invisible text layer.
 * @throws DocumentError when the file has no other text and text recognition is not installed, or when it has
 * too many scanned pages
 */
export async function readScannedPages(source: ScanSource): Promise<ScannedPages> {
  const { pages, bare } = source;
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
      // A document with text can do without the text in its pictures; a document of scans has nothing else.
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

/** Returns the indexes of the invisible text objects. */
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

/** Recognises a page; returns undefined when it shows no text. */
async function readScan(page: Page, { file, language }: ScanSource): Promise<ReadScan | undefined> {
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
  });
  const turned = (await findTurnedRegions(picture, lines)).map(({ regions, ...view }) => ({
    view: scanViewOf(page, view),
    // Text without letters is not translated, so it stays as it is.
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
      // The first paragraph owns the old invisible text, so that it is removed: otherwise a search would find
      // it instead of the translation.
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

/** Returns the width of a page on paper. Programs that know no resolution make each pixel a point. */
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

/** Returns a counterclockwise rotation around the middle of a page. */
function turnAround({ width, height }: Page, degrees: number): Matrix {
  const toMiddle: Matrix = [1, 0, 0, 1, -width / 2, -height / 2];
  return multiply(multiply(toMiddle, turn(degrees)), [1, 0, 0, 1, width / 2, height / 2]);
}

/** Drops the alpha channel: the page is drawn on white, so every pixel is opaque. */
function withoutOpacity({ bgra, width, height }: Pixels): Picture {
  const data = new Uint8Array(width * height * 3);
  for (let from = 0, to = 0; from < bgra.length; from += 4, to += 3) {
    data[to] = bgra[from + 2] ?? 0;
    data[to + 1] = bgra[from + 1] ?? 0;
    data[to + 2] = bgra[from] ?? 0;
  }
  return { data, width, height, channels: 3 };
}

/** Makes the cover of a region: the background colour in the shape of the letters of all its lines. */
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
        // Transparent pixels get their colour too: viewers blend it in at the edges.
        rgba[to] = picture.data[from] ?? 0;
        rgba[to + 1] = picture.data[from + 1] ?? 0;
        rgba[to + 2] = picture.data[from + 2] ?? 0;
        if (stain.mask[x] === EraseMask.ink) rgba[to + 3] = 255;
      }
    }
  }
  const png = await sharp(rgba, { raw: { width, height, channels: 4 } })
    .rotate((360 - view.rotation) % 360)
    .png()
    .toBuffer();
  return { box: onPage(levelBox(box, view), view), png, paragraph };
}

// Table rows and contents lists: lines close below each other, each a text of its own.

/** Leader dots before a page number; recognition reads some of them as other characters. */
const LEADERS = /(?:[.…·_•]\s?){4,}.{0,3}\p{Nd}+$|[.…·]{3,}/u;
/** Maximum number of characters of an entry; lines of prose are longer, even in narrow columns. */
const MAX_ENTRY_CHARACTERS = 26;
/**
 * Minimum distance between two capitalised lines that are entries, in letter heights. The lines of a two-line
 * title are closer.
 */
const MIN_PAIR_PITCH = 1.4;

/** Splits regions that are a table column or contents entries. */
function entriesOf(regions: readonly TextRegion[]): TextRegion[] {
  return regions.flatMap((region) => {
    if (region.lines.length < 2) return [region];
    if (isColumn(region)) return region.lines.map((line) => part(region, [line]));
    return contentsOf(region);
  });
}

/** Tests for short lines that all begin with a capital or digit and do not end like a sentence. */
function isColumn({ lines, pitchPx = 0 }: TextRegion): boolean {
  const isApart = lines.length > 2 || pitchPx > MIN_PAIR_PITCH * lines[0].letterHeightPx;
  return isApart && lines.every(isEntry);
}

function isEntry({ text }: SeenLine): boolean {
  return (
    text.length <= MAX_ENTRY_CHARACTERS && /^[\p{Lu}\p{Nd}]/u.test(text) && !/[.,;:!?-]$/.test(text)
  );
}

/** Splits a list of contents after each line that ends with a page number. */
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

/** A picture drawn over the original text of a scan, beneath the translation. */
export interface PageCover {
  /** Box on the page as displayed, after deskewing. */
  box: Box;
  png: Uint8Array;
  /** The covered paragraph: the cover is drawn only if this paragraph is redrawn. */
  paragraph: PageParagraph;
}

/** The pages of a file, with the recognised text of those that are scans. */
export interface ScannedPages {
  pages: readonly Page[];
  /** Returns the covers of a page; undefined for pages that are not scans. */
  covers(pageIndex: number): readonly PageCover[] | undefined;
  /**
   * Returns the matrix from a page as displayed to the coordinates of its paragraphs and covers: skewed scans
   * are deskewed before recognition. Undefined for pages that are not scans.
   */
  turnedBack(pageIndex: number): Matrix | undefined;
}

// The original pixels of a scan, for a page that consists of one image.

/** Bitmap formats in `fpdfview.h`. */
const GRAY = 1;
const BGR = 2;
const BGRX = 3;
const UPRIGHT = 0;
/** Tolerance for an image that fills the page, as a share of the page's width and height. */
const MARGIN = 0.002;
/**
 * Sample points along each side, and the largest mean difference in levels: drawing changes the edges of
 * letters.
 */
const SAMPLES = 60;
const MOST_APART = 24;

/**
 * Returns the pixels of the image that fills a page upright; undefined for other pages. Drawing would blend
 * adjacent pixels, and recognition would mistake letters.
 * @param drawn the page as PDFium draws it
 */
function pixelsOfScan(
  page: OpenPage,
  { drawn, mostPixels }: { drawn: Pixels; mostPixels: number },
): RawPixels | undefined {
  const { pdfium, handle } = page;
  if (pdfium.FPDFPage_CountObjects(handle) !== 1 || pdfium.FPDFPage_GetRotation(handle) !== UPRIGHT)
    return undefined;
  const image = pdfium.FPDFPage_GetObject(handle, 0);
  if (pdfium.FPDFPageObj_GetType(image) !== pageObject.image) return undefined;
  if (pdfium.FPDFPageObj_HasTransparency(image)) return undefined;
  if (!fillsPage(page, image)) return undefined;
  const size = pixelSizeOf(page, image);
  if (size === undefined || size.width * size.height > mostPixels) return undefined;
  const bitmap = pdfium.FPDFImageObj_GetBitmap(image);
  if (bitmap === 0) return undefined;
  try {
    const pixels = pixelsOf(page, bitmap);
    return pixels !== undefined && isAsDrawn(pixels, drawn) ? pixels : undefined;
  } finally {
    pdfium.FPDFBitmap_Destroy(bitmap);
  }
}

/** Tests whether an image fills the page, upright and from edge to edge. */
function fillsPage(page: OpenPage, image: number): boolean {
  const matrix = matrixOf(page, image);
  if (matrix === undefined) return false;
  const [a, b, c, d, e, f] = matrix;
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

/**
 * Compares an image with the drawn page: masks, and images whose levels are remapped, look different when
 * drawn.
 */
function isAsDrawn({ data, width, height, channels }: RawPixels, drawn: Pixels): boolean {
  let [apart, count] = [0, 0];
  for (let row = 0.5; row < SAMPLES; row += 1) {
    for (let column = 0.5; column < SAMPLES; column += 1) {
      const [x, y] = [column / SAMPLES, row / SAMPLES];
      const own = Math.floor(y * height) * width + Math.floor(x * width);
      const seen = Math.floor(y * drawn.height) * drawn.width + Math.floor(x * drawn.width);
      // Green stands for brightness.
      const value = data[own * channels + (channels === 1 ? 0 : 1)] ?? 0;
      apart += Math.abs(value - (drawn.bgra[seen * 4 + 1] ?? 0));
      count += 1;
    }
  }
  return apart / count < MOST_APART;
}
