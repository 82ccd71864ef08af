/**
 * Text that stands upright, or on its head: beside a table, along an axis, on the back of a form. It is
 * handled as if the picture were turned until it lies level.
 */
import sharp from 'sharp';
import type { OcrLine, OcrWord, PixelBox } from './ocr.ts';
import type { Picture } from './picture.ts';

/** How far text is turned, counterclockwise in degrees: at 90 it is read from the foot to the top. */
export type QuarterTurn = 0 | 90 | 180 | 270;

interface Size {
  width: number;
  height: number;
}

/** The nearest quarter turn to an angle in degrees. */
export function quarterTurn(angle: number): QuarterTurn {
  const turns = ((Math.round(angle / 90) % 4) + 4) % 4;
  return turns === 1 ? 90 : turns === 2 ? 180 : turns === 3 ? 270 : 0;
}

/** A picture turned until text of an angle lies level. */
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

/** Where a box is in a picture that was turned until text of an angle lies level. */
export function turnedBox(
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

/** The line where it is in the turned picture. What is given for its baseline is of no use before. */
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
