/** How far a scanned page is turned, as lines of text and rules show, and the page turned back. */
import sharp from 'sharp';
import { grayOf } from './legibility.ts';
import type { RawPixels } from './ocr.ts';
import type { Picture } from './picture.ts';

/** Nobody feeds a page in more crooked than this, in degrees. */
const MOST_DEGREES = 5;
const COARSE_DEGREES = 0.1;
const FINE_DEGREES = 0.02;
/** Less cannot be seen, and turning costs some sharpness. */
const LEVEL_DEGREES = 0.1;
/** Lines of text are distinguished where a page is so wide, in pixels. */
const MEASURED_WIDTH = 900;
/** What differs less from the usual brightness of a page is no ink. */
const LEAST_DIFFERENCE = 60;
/** Rows of ink stand out so much more when they are level; in a photo they hardly do. */
const CLEARLY_LEVEL = 1.1;

/** How far the lines of a page fall to the right, in degrees; 0 when they are as good as level. */
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

/** How much rows of ink differ from the next ones when a page is turned back by an angle. */
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

/** Turns a page back by its skew, in degrees, around its middle; what comes in from outside is white. */
export async function turnedBack(picture: Picture, degrees: number): Promise<Picture> {
  const { data, width, height, channels } = picture;
  const turned = await sharp(data, { raw: { width, height, channels } })
    .rotate(-degrees, { background: 'white' })
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { info } = turned;
  // A turned picture is larger.
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
