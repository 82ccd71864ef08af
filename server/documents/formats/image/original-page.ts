/**
 * A scanned page as it was scanned: drawn in another resolution, or turned back, now and then a letter of
 * it is read for another. What was read on it is brought to where it is on the page that is worked on.
 */
import { around, type OcrWord, type PixelBox, type RawPixels } from './ocr.ts';
import type { PlacedLine } from './table-cells.ts';

/** A page in the resolution it was scanned in, and as it lies. */
export interface OriginalPage {
  picture: RawPixels;
  /** How far its lines fall to the right. */
  skewDegrees: number;
}

/**
 * A page's pixels, in one channel where none has a colour: Tesseract takes less time for them, and parts
 * dark from bright as it does in the scan itself.
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

/** A box that stands askew is higher than what is in it, at most so many times. */
const MOST_ASKEW = 2;

/** Lines of an original page, where they are on one of another size that was turned back. */
export function onLevelPage<Line extends PlacedLine>(
  lines: readonly Line[],
  { picture, skewDegrees }: OriginalPage,
  { width, height }: { width: number; height: number },
): Line[] {
  const [scaleX, scaleY] = [width / picture.width, height / picture.height];
  const angle = (skewDegrees * Math.PI) / 180;
  const [cos, sin, slope] = [Math.cos(angle), Math.sin(angle), Math.tan(angle)];
  const place = (atX: number, atY: number): { x: number; y: number } => {
    const [x, y] = [atX * scaleX - width / 2, atY * scaleY - height / 2];
    return { x: width / 2 + cos * x + sin * y, y: height / 2 - sin * x + cos * y };
  };
  const moved = ({ left, right, top, bottom }: PixelBox, isLevel: boolean): PixelBox => {
    const { x, y } = place((left + right) / 2, (top + bottom) / 2);
    const [w, h] = [(right - left) * scaleX, (bottom - top) * scaleY];
    const across = (one: number, other: number): number =>
      Math.max(one / MOST_ASKEW, one - Math.abs(slope) * other);
    const [ownWidth, ownHeight] = isLevel ? [w, across(h, w)] : [across(w, h), h];
    return {
      left: Math.round(x - ownWidth / 2),
      right: Math.round(x + ownWidth / 2),
      top: Math.round(y - ownHeight / 2),
      bottom: Math.round(y + ownHeight / 2),
    };
  };
  return lines.map((line) => {
    const isLevel = line.angle === 0;
    const words = line.words.map((word): OcrWord => {
      const letters = word.letters?.map(({ text, box }) => ({ text, box: moved(box, isLevel) }));
      return { ...word, box: moved(word.box, isLevel), ...(letters && { letters }) };
    });
    const box = around(words.map((word) => word.box));
    const foot = place(line.box.left, line.baseline.leftPx);
    const fall = line.baseline.slope - slope;
    return {
      ...line,
      words,
      box,
      baseline: { leftPx: foot.y + fall * (box.left - foot.x), slope: fall },
      letterHeightPx: line.letterHeightPx * scaleY,
    };
  });
}
