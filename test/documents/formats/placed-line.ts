/** Lines as they were read, for what looks at readings. */
import { around, type OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import type { PlacedLine } from '../../../server/documents/formats/image/table-cells.ts';

/** A level line of words that are as high as its letters. */
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
