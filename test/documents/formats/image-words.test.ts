/** Words of a picture: faint ones are text, and gaps are not. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import type { OcrLine, RawPixels } from '../../../server/documents/formats/image/ocr.ts';
import { withBarsRead } from '../../../server/documents/formats/image/read-bars.ts';
import { readText } from '../../../server/documents/formats/image/read-text.ts';
import { drawing, rectangle, text } from '../../support/documents/pictures.ts';

/** A stroke or letter of a line: its recognised text, and its drawn place. */
interface Drawn {
  text: string;
  left: number;
  right: number;
  top: number;
  bottom: number;
  /** Whether it has no ink, though recognition reports it. */
  isEmpty?: boolean;
  /** The reported place, where it differs from the drawn one. */
  told?: { left: number; right: number };
}

/** Returns words of capitals 30 pixels high on a baseline at 70. */
const word = (text: string, left: number, right: number): Drawn => ({
  ...{ text, left, right, top: 40, bottom: 70 },
});

async function read(drawn: readonly Drawn[], colours = ['#ffffff', '#111111']): Promise<string[]> {
  const [paper = '', ink = ''] = colours;
  const pieces = drawn
    .filter(({ isEmpty }) => isEmpty !== true)
    .map(({ left, right, top, bottom }) =>
      rectangle({ left, top, width: right - left, height: bottom - top }, ink),
    );
  const file = await drawing({ width: 600, height: 120, paper }, pieces);
  const data = await sharp(file).greyscale().raw().toBuffer();
  const gray: RawPixels = { data, width: 600, height: 120, channels: 1 };
  const line: OcrLine = {
    words: drawn.map(({ text, told, left, right, top, bottom }) => ({
      ...{ text, confidence: 90, box: { ...(told ?? { left, right }), top, bottom } },
    })),
    box: { left: 20, right: 580, top: 40, bottom: 78 },
    ...{ baseline: { leftPx: 70, slope: 0 }, letterHeightPx: 40, angle: 0 },
    ...{ isRightToLeft: false, block: 1, paragraph: 1 },
  };
  return withBarsRead(line, gray).map(({ words }) => words.map(({ text }) => text).join(' '));
}

describe('a bar recognised in a line', () => {
  const before = word('Then', 20, 100);
  const bar = { ...word('|', 114, 118), top: 41 };
  const after = word('came', 132, 220);

  it('is read as the letter I if it has the height of a capital, in any colours', async () => {
    expect(await read([before, bar, after])).toEqual(['Then I came']);
    expect(await read([bar, after], ['#202020', '#f4f4f4'])).toEqual(['I came']);
    expect(await read([before, { ...bar, text: '|’m' }])).toEqual(['Then I’m']);
  });

  it('is read as I even if its reported place is beside it', async () => {
    const astray = { ...bar, told: { left: 101, right: 112 } };
    expect(await read([before, astray, after])).toEqual(['Then I came']);
  });

  it('stays a bar where it descends below the line, or is far from words', async () => {
    expect(await read([before, { ...bar, bottom: 78 }, after])).toEqual(['Then | came']);
    const far = { ...bar, left: 160, right: 164 };
    expect(await read([before, far, word('came', 224, 300)])).toEqual(['Then | came']);
  });

  it('is dropped where there is no ink, and separates two texts if that gap is wide', async () => {
    const gap = { ...bar, isEmpty: true };
    expect(await read([before, gap, after])).toEqual(['Then came']);
    const wide = [before, { ...gap, left: 115, right: 130 }, word('came', 148, 220)];
    expect(await read(wide)).toEqual(['Then', 'came']);
  });
});

describe('a scanned line', () => {
  it('keeps its words, including faint ones, and is separate from a text beside it at another height', async () => {
    const lines = [
      'Illness keeps the baker at home until Monday.',
      'I know the old harbour and I like the ships there.',
      'Children must ask before I open the door.',
    ];
    const style = { x: 200, size: 38, family: 'DejaVu Sans' };
    const pieces = lines.map((line, at) => text(line, { ...style, y: 150 + at * 76 }));
    const beside = [
      ['Send it to', 200, 390],
      ['Invoice number', 960, 407],
    ] as const;
    for (const [line, x, y] of beside) pieces.push(text(line, { ...style, x, y }));
    const file = await drawing({ width: 1600, height: 480 }, pieces);
    const { data, info } = await sharp(file)
      .removeAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height } = info;
    const picture = { data: new Uint8Array(data), width, height, channels: 3 as const };
    const found = await readText(picture, { language: 'en', paperDpi: 280 });
    expect(found.map((line) => line.text)).toEqual([...lines, ...beside.map(([line]) => line)]);
    for (const [at, { baselinePx }] of found.slice(-2).entries()) {
      expect(Math.abs(baselinePx - beside[at]![2])).toBeLessThan(4);
    }
  });
});
