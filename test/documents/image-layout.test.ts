/** Which texts of a picture belong together, and where they are set. */
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import { png } from '../../server/documents/image/image.ts';
import { unitsOf } from '../../server/documents/image/typesetting.ts';
import { plainText } from '../../server/text/text-segment.ts';
import { drawing, text } from '../support/pictures.ts';

const options = { source: 'en', target: 'es', output: 'png', maxCharacters: 1_000_000 } as const;

/** The texts that a picture of words at places has. */
async function textsOf(items: readonly (readonly [string, number, number])[]): Promise<string[]> {
  const pieces = items.map(([content, x, y]) => text(content, { x, y, size: 20 }));
  const file = await drawing({ width: 800, height: 260 }, pieces);
  return (await png.open(file, options)).blocks.map(({ segment }) => plainText(segment));
}

describe('a table without rules', () => {
  it('has its cells by themselves, be they close or of several lines', async () => {
    const close = [
      ['Article', 'Colour', 'Delivery'],
      ['Large notebook', 'dark green', 'next week'],
      ['Pencil case', 'red and white', 'on Monday'],
    ];
    const columns = [30, 185, 320];
    const items = close.flatMap((row, y) =>
      row.map((cell, x) => [cell, columns[x] ?? 0, 40 + 34 * y] as const),
    );
    expect(await textsOf(items)).toEqual(close.flat());
    const wrapped = [
      ['Garden', 30, 40],
      ['Cut the old apple tree', 180, 40],
      ['Anna', 420, 40],
      ['behind the house', 180, 64],
      ['Kitchen', 30, 104],
      ['Paint the walls', 180, 104],
      ['Peter', 420, 104],
      ['Please ask at the office of the town when something is not clear to you.', 30, 200],
    ] as const;
    expect(await textsOf(wrapped)).toEqual([
      'Garden',
      'Cut the old apple tree behind the house',
      'Anna',
      'Kitchen',
      'Paint the walls',
      'Peter',
      'Please ask at the office of the town when something is not clear to you.',
    ]);
  });
});

/** Something like a photo: waves of colours with grain. */
function photo({ width, height }: { width: number; height: number }, shade: number): Buffer {
  const data = Buffer.alloc(width * height * 3);
  for (const at of data.keys()) {
    const [x, y, channel] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
    const grain = (((at * 7_919) % 101) % 31) - 15;
    data[at] = shade + 40 * Math.sin(x / (17 + 5 * channel)) * Math.cos(y / 13) - grain;
  }
  return data;
}

describe('a line of a picture', () => {
  it.each([
    ['under a dark photo that it touches', 60, 321],
    ['close under a bright photo', 200, 326],
  ])('%s leaves it as it is', async (_, shade, y) => {
    const area = { left: 100, top: 100, width: 400, height: 200 };
    const label = text('The harbour in the morning', { x: 110, y, size: 28 });
    const paper = await drawing({ width: 600, height: 400 }, [label]);
    const raw = { width: area.width, height: area.height, channels: 3 as const };
    const layer = { input: photo(area, shade), raw, left: area.left, top: area.top };
    const file = await sharp(paper).composite([layer]).png().toBuffer();
    const document = await png.open(file, options);
    expect(document.blocks).toHaveLength(1);
    const written = await document.write([['El puerto']], { source: 'en', target: 'es' });
    const pixels = (picture: Uint8Array, part: typeof area) =>
      sharp(picture).extract(part).removeAlpha().raw().toBuffer();
    expect(written).not.toEqual(file);
    expect((await pixels(written, area)).equals(await pixels(file, area))).toBe(true);
  });

  it('does not end at a space that does not break', () => {
    const units = unitsOf('à 10\u00a0km\u202f! \u3000Oui', 'fr').map(({ text }) => text);
    expect(units).toEqual(['à', '10\u00a0km\u202f!', 'Oui']);
  });
});
