/** Detecting tick boxes in pages before recognition. */
import sharp from 'sharp';
import { expect, it } from 'vitest';
import { withoutTickBoxes } from '../../../server/documents/formats/image/tick-boxes.ts';

const DPI = 280;

async function drawn(svg: string) {
  const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="900" height="260"
    viewBox="0 0 ${(900 * 72) / DPI} ${(260 * 72) / DPI}" font-family="Liberation Sans">
    <rect width="900" height="260" fill="white"/>${svg}</svg>`;
  const { data, info } = await sharp(Buffer.from(picture))
    .greyscale()
    .toColourspace('b-w')
    .blur(0.6)
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1 as const };
}

function darkPixels({ data }: { data: Uint8Array }): number {
  return data.filter((value) => value < 128).length;
}

it.each([
  [8.5, 'bold'],
  [9.5, 'bold'],
  [10, 'normal'],
  [12, 'bold'],
  [13, 'normal'],
  [14, 'bold'],
])('no letter of %d pt, %s, is taken for a tick box', async (size, weight) => {
  for (const letters of ['BODO boda', 'o O D B 0', 'Q p q b d', 'DONDO']) {
    const text = `<text x="20" y="40" font-size="${size}" font-weight="${weight}">${letters}</text>`;
    const picture = await drawn(text);
    expect(withoutTickBoxes(picture, DPI / 96)).toBe(picture);
  }
});

it.each([
  [6, 0.6],
  [8, 0.6],
  [9, 1],
  [12, 1.5],
])('a square of %d pt with sides of %d pt is a tick box', async (size, side) => {
  const box = `<rect x="40" y="6" width="${size}" height="${size}" fill="none" stroke="black" stroke-width="${side}"/>`;
  // Enough words to give the page its usual share of ink.
  const lines = [14, 28, 42, 56].map(
    (y) => `<tspan x="70" y="${y}">New here, and not yet known</tspan>`,
  );
  const words = `<text font-size="9">${lines.join('')}</text>`;
  const left = withoutTickBoxes(await drawn(box + words), DPI / 96);
  expect(Math.abs(darkPixels(left) - darkPixels(await drawn(words)))).toBeLessThan(10);
});
