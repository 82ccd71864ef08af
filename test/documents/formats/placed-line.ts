/** Recognised lines for tests of readings. */
import { around, type OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import type { PlacedLine } from '../../../server/documents/formats/image/table-cells.ts';

/** Returns a level line of words as high as its letters. */
export function line(...words: OcrWord[]): PlacedLine {
  const box = around(words.map((one) => one.box));
  return {
    words,
    box,
    baseline: { leftPx: box.bottom, slope: 0 },
    letterHeightPx: box.bottom - box.top,
    angle: 0,
    isRightToLeft: false,
    block: 1,
    paragraph: 1,
  };
}
