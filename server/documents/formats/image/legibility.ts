/**
 * Prepares grey pictures for text recognition: one of the brightness, and one in which every background is
 * white, whatever its colour. Tesseract separates dark and bright at one level for the whole picture, and so
 * loses white letters on orange if there is black on white as well. Skewed pages are deskewed first.
 */
import sharp from 'sharp';
import type { RawPixels } from './ocr.ts';
import type { Picture } from './picture.ts';

/** A grey picture, and its size relative to the original along one side. */
export interface ReadablePicture {
  gray: RawPixels;
  scale: number;
}

/** Enlargement of small pictures: letters of a screenshot are 7 pixels high, and are read well at 20. */
const enlargements = [
  { maxPixels: 1_000_000, scale: 3 },
  { maxPixels: 3_000_000, scale: 2 },
];
/** Maximum number of pixels that are read. An A4 page at 300 DPI has 8.7 million; more only takes longer. */
const MOST_READ_PIXELS = 9_000_000;

/** A picture of at most `MOST_READ_PIXELS`, and its size relative to the original. */
interface SuitedPicture {
  picture: Picture;
  scale: number;
}

/** Reduces a large picture, once for all later steps. */
export async function readable(picture: Picture): Promise<SuitedPicture> {
  const { data, channels, ...size } = picture;
  const pixels = size.width * size.height;
  if (pixels <= MOST_READ_PIXELS) return { picture, scale: 1 };
  const wanted = Math.sqrt(MOST_READ_PIXELS / pixels);
  const width = Math.max(1, Math.round(size.width * wanted));
  const height = Math.max(1, Math.round(size.height * wanted));
  const reduced = await sharp(data, { raw: { ...size, channels } })
    .resize(width, height, { fit: 'fill' })
    .raw()
    .toBuffer();
  return { picture: { data: reduced, width, height, channels }, scale: width / size.width };
}

/** Returns the brightness of a picture, at a size that suits recognition. */
export async function brightness(suited: SuitedPicture): Promise<ReadablePicture> {
  return enlarged(grayOf(suited.picture), suited.scale);
}

/** Returns the distance of each pixel from the surrounding background colour, as black on white. */
export async function contrast({ picture, scale }: SuitedPicture): Promise<ReadablePicture> {
  const ground = groundColours(picture);
  return enlarged(distances(picture, ground), scale);
}

async function enlarged(gray: RawPixels, scale: number): Promise<ReadablePicture> {
  const pixels = gray.width * gray.height;
  const wanted = enlargements.find(({ maxPixels }) => pixels <= maxPixels)?.scale;
  if (wanted === undefined) return { gray, scale };
  const width = gray.width * wanted;
  const height = gray.height * wanted;
  const data = await sharp(gray.data, {
    raw: { width: gray.width, height: gray.height, channels: 1 },
  })
    .resize(width, height, { fit: 'fill', kernel: 'lanczos3' })
    .toColourspace('b-w')
    .raw()
    .toBuffer();
  return { gray: { data, width, height, channels: 1 }, scale: wanted };
}

/** Returns the brightness of a picture, pixel by pixel. */
export function grayOf({ data, width, height, channels }: Picture): RawPixels {
  const gray = new Uint8Array(width * height);
  if (channels === 3) {
    for (let at = 0, from = 0; at < gray.length; at++, from += 3) gray[at] = lumaAt(data, from);
    return { data: gray, width, height, channels: 1 };
  }
  const paper = paperFor(data);
  for (let at = 0, from = 0; at < gray.length; at++, from += channels) {
    const luma = lumaAt(data, from);
    const alpha = data[from + 3] ?? 255;
    gray[at] = alpha === 255 ? luma : paper + ((luma - paper) * alpha) / 255;
  }
  return { data: gray, width, height, channels: 1 };
}

/** Luma according to ITU-R BT.601. */
function lumaAt(data: Uint8Array, at: number): number {
  return 0.299 * (data[at] ?? 0) + 0.587 * (data[at + 1] ?? 0) + 0.114 * (data[at + 2] ?? 0);
}

/** Returns the background of a transparent picture: black if its content is bright, otherwise white. */
function paperFor(rgba: Uint8Array): number {
  let sum = 0;
  let weight = 0;
  for (let at = 0; at < rgba.length; at += 4) {
    const alpha = rgba[at + 3] ?? 0;
    sum += lumaAt(rgba, at) * alpha;
    weight += alpha;
  }
  return weight > 0 && sum / weight > 140 ? 0 : 255;
}

/** Side of the squares whose median colour is determined, in pixels. */
const CELL = 8;
/**
 * Number of cells on each side that determine a cell's background, so that letters of up to 60 pixels do not.
 */
const REACH = 3;

interface Ground {
  colours: Uint8Array;
  columns: number;
}

/** Returns the background colour of each cell: the median of the medians around it. */
function groundColours(picture: Picture): Ground {
  const columns = Math.ceil(picture.width / CELL);
  const rows = Math.ceil(picture.height / CELL);
  const medians = new Uint8Array(columns * rows * 3);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      cellMedian(picture, column * CELL, row * CELL, medians, (row * columns + column) * 3);
    }
  }
  const colours = new Uint8Array(medians.length);
  const near = new Uint8Array((2 * REACH + 1) ** 2);
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let channel = 0; channel < 3; channel++) {
        let count = 0;
        for (let y = Math.max(0, row - REACH); y <= Math.min(rows - 1, row + REACH); y++) {
          for (
            let x = Math.max(0, column - REACH);
            x <= Math.min(columns - 1, column + REACH);
            x++
          ) {
            near[count++] = medians[(y * columns + x) * 3 + channel] ?? 0;
          }
        }
        colours[(row * columns + column) * 3 + channel] = median(near, count);
      }
    }
  }
  return { colours, columns };
}

const cell = new Uint8Array(CELL * CELL);

function cellMedian(picture: Picture, left: number, top: number, to: Uint8Array, at: number): void {
  const { data, width, height, channels } = picture;
  const right = Math.min(width, left + CELL);
  const bottom = Math.min(height, top + CELL);
  for (let channel = 0; channel < 3; channel++) {
    let count = 0;
    for (let y = top; y < bottom; y++) {
      for (let x = left; x < right; x++) {
        cell[count++] = data[(y * width + x) * channels + channel] ?? 0;
      }
    }
    to[at + channel] = median(cell, count);
  }
}

/** Returns the median of the first `count` numbers, which may be sorted in place. */
function median(numbers: Uint8Array, count: number): number {
  const [first = 0] = numbers;
  let alike = 1;
  while (alike < count && numbers[alike] === first) alike++;
  // Most of a picture is plain.
  if (alike >= count) return count > 0 ? first : 0;
  return numbers.subarray(0, count).sort()[count >> 1] ?? 0;
}

/** Factor of the distance: letters with half of the greatest contrast become black. */
const STRENGTH = 2;

function distances({ data, width, height, channels }: Picture, ground: Ground): RawPixels {
  const gray = new Uint8Array(width * height);
  for (let y = 0; y < height; y++) {
    const row = Math.floor(y / CELL) * ground.columns;
    for (let x = 0; x < width; x++) {
      const from = (y * width + x) * channels;
      const cellAt = (row + Math.floor(x / CELL)) * 3;
      let most = 0;
      for (let channel = 0; channel < 3; channel++) {
        const distance = (data[from + channel] ?? 0) - (ground.colours[cellAt + channel] ?? 0);
        most = Math.max(most, Math.abs(distance));
      }
      gray[y * width + x] = Math.max(0, 255 - STRENGTH * most);
    }
  }
  return { data: gray, width, height, channels: 1 };
}

/** Maximum skew that is corrected, in degrees; nobody feeds a page in more askew. */
const MOST_DEGREES = 5;
const COARSE_DEGREES = 0.1;
const FINE_DEGREES = 0.02;
/** Smaller skew is invisible, and rotating costs some sharpness. */
const LEVEL_DEGREES = 0.1;
/** Width to which a page is reduced for measuring, in pixels, at which lines of text are still distinct. */
const MEASURED_WIDTH = 900;
/** Minimum difference of ink from the median brightness of a page. */
const LEAST_DIFFERENCE = 60;
/** Factor by which rows of ink stand out more once they are level; those of a photo hardly do. */
const CLEARLY_LEVEL = 1.1;

/** Returns how far the lines of a page fall to the right, in degrees; 0 if they are nearly level. */
export async function skewOf(picture: Picture): Promise<number> {
  const ink = inkOf(await reduced(grayOf(picture)));
  const best = (from: number, to: number, step: number): number => {
    let found = { degrees: 0, score: 0 };
    for (let at = 0; at <= Math.round((to - from) / step); at++) {
      const degrees = from + at * step;
      const score = levelness(ink, degrees);
      if (score > found.score) found = { degrees, score };
    }
    return found.degrees;
  };
  const coarse = best(-MOST_DEGREES, MOST_DEGREES, COARSE_DEGREES);
  const degrees = best(coarse - COARSE_DEGREES, coarse + COARSE_DEGREES, FINE_DEGREES);
  const isClear = levelness(ink, degrees) > CLEARLY_LEVEL * levelness(ink, 0);
  return isClear && Math.abs(degrees) > LEVEL_DEGREES ? degrees : 0;
}

async function reduced({ data, width, height }: RawPixels): Promise<RawPixels> {
  const raw = { width, height, channels: 1 as const };
  const { data: small, info } = await sharp(data, { raw })
    .resize({ width: Math.min(width, MEASURED_WIDTH) })
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data: small, width: info.width, height: info.height, channels: 1 };
}

interface Ink {
  xs: Int32Array;
  ys: Int32Array;
  width: number;
  height: number;
}

function inkOf({ data, width, height }: RawPixels): Ink {
  const usual = Uint8Array.from(data).sort()[data.length >> 1] ?? 255;
  const [xs, ys]: [number[], number[]] = [[], []];
  for (const [at, value] of data.entries()) {
    if (Math.abs(value - usual) < LEAST_DIFFERENCE) continue;
    xs.push(at % width);
    ys.push(Math.floor(at / width));
  }
  return { xs: Int32Array.from(xs), ys: Int32Array.from(ys), width, height };
}

/** Returns how much adjacent rows differ in ink after the page is rotated back by an angle. */
function levelness({ xs, ys, width, height }: Ink, degrees: number): number {
  const slope = Math.tan((degrees * Math.PI) / 180);
  const margin = Math.ceil(Math.abs(slope) * width) + 1;
  const rows = new Float64Array(height + 2 * margin);
  for (let at = 0; at < xs.length; at++) {
    const row = Math.round((ys[at] ?? 0) - slope * (xs[at] ?? 0)) + margin;
    rows[row] = (rows[row] ?? 0) + 1;
  }
  let sum = 0;
  for (let row = 1; row < rows.length; row++) sum += ((rows[row] ?? 0) - (rows[row - 1] ?? 0)) ** 2;
  return sum;
}

/** Rotates a page back by its skew, in degrees, around its centre; new areas are white. */
export async function turnedBack(picture: Picture, degrees: number): Promise<Picture> {
  const { data, width, height, channels } = picture;
  const turned = await sharp(data, { raw: { width, height, channels } })
    .rotate(-degrees, { background: 'white' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { info } = turned;
  // Rotation enlarges the picture.
  const back = await sharp(turned.data, { raw: info })
    .extract({
      left: Math.max(0, (info.width - width) >> 1),
      top: Math.max(0, (info.height - height) >> 1),
      width,
      height,
    })
    .raw()
    .toBuffer();
  return { data: back, width, height, channels };
}

/**
 * Reduces a page without colours to one channel: Tesseract reads it faster, and separates dark from bright as
 * it does in the scan itself.
 */
export function withoutNeedlessChannels(picture: RawPixels): RawPixels {
  const { data, width, height, channels } = picture;
  if (channels !== 3) return picture;
  const gray = new Uint8Array(width * height);
  for (let at = 0, from = 0; at < gray.length; at += 1, from += 3) {
    const value = data[from] ?? 0;
    if (value !== data[from + 1] || value !== data[from + 2]) return picture;
    gray[at] = value;
  }
  return { data: gray, width, height, channels: 1 };
}
