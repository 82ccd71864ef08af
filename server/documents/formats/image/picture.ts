/** The pixels of a picture: decoded in display orientation, encoded as they were stored. */
import sharp, { type Sharp } from 'sharp';
import { DocumentError } from '../format.ts';
import { MOST_PIXELS, withKeptMetadata, type PictureFile } from './picture-file.ts';
import type { OcrLine, OcrWord, PixelBox } from './ocr.ts';

/** Pixels row by row from the top: red, green, blue, and alpha if there are four channels. */
export interface Picture {
  readonly data: Uint8Array;
  readonly width: number;
  readonly height: number;
  readonly channels: 3 | 4;
}

// One picture at a time: libvips would keep results in its cache that are never used again.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Decodes a picture and applies its orientation. Colours stay in the profile of the file, which is kept; only
 * CMYK becomes sRGB.
 * @throws DocumentError for a damaged file
 */
export async function decodePicture(file: Uint8Array, header: PictureFile): Promise<Picture> {
  try {
    const { data, info } = await opened(file, header)
      .autoOrient()
      .toColourspace('srgb')
      .raw({ depth: 'uchar' })
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    if (channels === 3 || channels === 4) return { data, width, height, channels };
    return { data: widened(data, channels), width, height, channels: channels === 1 ? 3 : 4 };
  } catch (cause) {
    throw new DocumentError('The picture is damaged. Please save it anew and send it again.', {
      cause,
    });
  }
}

function opened(file: Uint8Array, header: PictureFile): Sharp {
  return sharp(file, {
    limitInputPixels: MOST_PIXELS,
    failOn: 'error',
    ignoreIcc: !isCmyk(header),
    // The first picture of an animated PNG.
    pages: 1,
  });
}

function isCmyk({ jpeg }: PictureFile): boolean {
  return jpeg?.components === 4;
}

/** Converts grey, with or without alpha, to three colours. */
function widened(gray: Uint8Array, channels: number): Uint8Array {
  const to = channels === 1 ? 3 : 4;
  const wide = new Uint8Array((gray.length / channels) * to);
  for (let from = 0, at = 0; from < gray.length; from += channels, at += to) {
    wide.fill(gray[from] ?? 0, at, at + 3);
    if (to === 4) wide[at + 3] = gray[from + 1] ?? 255;
  }
  return wide;
}

/** Largest picture with optimised coding, which saves a few percent but needs up to 6 bytes per pixel. */
const MOST_OPTIMISED_PIXELS = 10_000_000;

/** Encodes a picture like its file: same format, size, orientation and quality. */
export async function encodePicture(picture: Picture, header: PictureFile): Promise<Uint8Array> {
  const { data, width, height, channels } = picture;
  const pixels = stored(sharp(data, { raw: { width, height, channels } }), header.orientation);
  const encoded =
    header.jpeg === undefined
      ? await pixels.png({ compressionLevel: 8 }).toBuffer()
      : await jpegOf(pixels, header.jpeg, width * height <= MOST_OPTIMISED_PIXELS);
  const kept = isCmyk(header) ? [] : header.kept;
  return withKeptMetadata(encoded, { ...header, kept });
}

function jpegOf(
  pixels: Sharp,
  { quality, isSubsampled, components }: NonNullable<PictureFile['jpeg']>,
  isSmall: boolean,
): Promise<Buffer> {
  return pixels
    .toColourspace(components === 1 ? 'b-w' : 'srgb')
    .jpeg({
      quality,
      chromaSubsampling: isSubsampled ? '4:2:0' : '4:4:4',
      optimiseCoding: isSmall,
    })
    .toBuffer();
}

/** Turns pixels back to the order in which the file stores them. EXIF 2.3, 4.6.4 "Orientation". */
function stored(pixels: Sharp, orientation: number): Sharp {
  // Mirroring precedes rotation, whatever the order of the calls.
  if (orientation === 2 || orientation === 7) pixels.flop();
  if (orientation === 4 || orientation === 5) pixels.flip();
  if (orientation === 3) pixels.rotate(180);
  if (orientation === 6) pixels.rotate(270);
  if (orientation === 5 || orientation === 7 || orientation === 8) pixels.rotate(90);
  return pixels;
}

/** Rotation of text, counterclockwise in degrees: at 90 it reads from the bottom to the top. */
export type QuarterTurn = 0 | 90 | 180 | 270;

interface Size {
  width: number;
  height: number;
}

/** Returns the quarter turn nearest to an angle in degrees. */
export function quarterTurn(angle: number): QuarterTurn {
  const turns = ((Math.round(angle / 90) % 4) + 4) % 4;
  return turns === 1 ? 90 : turns === 2 ? 180 : turns === 3 ? 270 : 0;
}

/** Rotates a picture until text at an angle lies level. */
export async function turnedPicture(picture: Picture, angle: QuarterTurn): Promise<Picture> {
  const { data, width, height, channels } = picture;
  if (angle === 0) return picture;
  const turned = await sharp(data, { raw: { width, height, channels } })
    .rotate(angle)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return {
    data: turned.data,
    width: turned.info.width,
    height: turned.info.height,
    channels,
  };
}

/** Returns a box as it is in a picture that was rotated until text at an angle lies level. */
function turnedBox(
  { left, right, top, bottom }: PixelBox,
  angle: QuarterTurn,
  { width, height }: Size,
): PixelBox {
  switch (angle) {
    case 0:
      return { left, right, top, bottom };
    case 90:
      return { left: height - bottom, right: height - top, top: left, bottom: right };
    case 180:
      return {
        left: width - right,
        right: width - left,
        top: height - bottom,
        bottom: height - top,
      };
    case 270:
      return { left: top, right: bottom, top: width - right, bottom: width - left };
  }
}

/** Returns a line as it is in the rotated picture. Its original baseline cannot be used there. */
export function turnedLine<Line extends OcrLine>(line: Line, size: Size): Line {
  const angle = quarterTurn(line.angle);
  if (angle === 0) return line;
  const turned = (box: PixelBox): PixelBox => turnedBox(box, angle, size);
  const words = line.words.map((word): OcrWord => {
    const letters = word.letters?.map(({ text, box }) => ({ text, box: turned(box) }));
    return { ...word, box: turned(word.box), ...(letters && { letters }) };
  });
  const box = turned(line.box);
  return { ...line, words, box, baseline: { leftPx: box.bottom, slope: 0 } };
}
