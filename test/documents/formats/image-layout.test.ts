/** Picture layout: which texts of a picture belong together, and where they are placed. */
import sharp, { type Region } from 'sharp';
import { describe, expect, it } from 'vitest';
import { appearanceOf, erase } from '../../../server/documents/formats/image/appearance.ts';
import { png } from '../../../server/documents/formats/image/image.ts';
import type { OcrLine } from '../../../server/documents/formats/image/ocr.ts';
import { withTableCells } from '../../../server/documents/formats/image/table-cells.ts';
import { unitsOf } from '../../../server/documents/formats/image/typesetting.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { drawing, text } from '../../support/documents/pictures.ts';
import { once } from '../../support/suite/made-once.ts';

const options = { source: 'en', target: 'es', output: 'png', maxCharacters: 1_000_000 } as const;

/** Returns the texts of a picture with words at places. */
async function textsOf(
  items: readonly (readonly [string, number, number])[],
  height: number,
): Promise<string[]> {
  const words = items.map(([content, x, y]) => text(content, { x, y, size: 20 }));
  const file = await drawing({ width: 760, height }, words);
  return (await png.open(file, options)).blocks.map(({ segment }) => plainText(segment));
}

describe('a table without rules in a picture', () => {
  it('has its cells separate, even if they are close or have several lines, from lines below that end early', async () => {
    const close = [
      ['Article', 'Colour', 'Delivery'],
      ['Large notebook', 'dark green', 'next week'],
      ['Pencil case', 'red and white', 'on Monday'],
    ];
    const columns = [30, 185, 320];
    const items = close.flatMap((row, y) =>
      row.map((cell, x) => [cell, columns[x] ?? 0, 40 + 34 * y] as const),
    );
    const wrapped = [
      ['Garden', 30, 220],
      ['Cut the old apple tree', 180, 220],
      ['Anna', 420, 220],
      ['behind the house', 180, 244],
      ['Kitchen', 30, 284],
      ['Paint the walls', 180, 284],
      ['Peter', 420, 284],
    ] as const;
    // A line continues in the next one if it ends within a word; otherwise its end is deliberate.
    const [first, last] = ['The clerk read their petition to the end and put it in the', 'month.'];
    const lines = [`${first} regis-`, 'ter for the rest of the', last].map(
      (line, y) => [line, 30, 380 + 27 * y] as const,
    );
    expect(await textsOf([...items, ...wrapped, ...lines], 470)).toEqual([
      ...close.flat(),
      'Garden',
      'Cut the old apple tree behind the house',
      'Anna',
      'Kitchen',
      'Paint the walls',
      'Peter',
      `${first} register for the rest of the`,
      last,
    ]);
  });
});

/** Narrow columns, as in leaflets. */
const leaflet = [
  [
    'The old harbour opens',
    'again in spring after',
    'two years of repairs',
    'to the northern quay.',
  ],
  [
    'Tickets for the boat',
    'trip can be bought at',
    'the office beside the',
    'lighthouse until noon.',
  ],
];

/** Returns the lines of columns with the start of each column. */
const inColumns = (
  columns: readonly (readonly string[])[],
  lefts: readonly number[],
  from: number,
) =>
  columns.flatMap((lines, x) =>
    lines.map((line, y) => [line, lefts[x] ?? 0, from + 27 * y] as const),
  );

/** Returns words of letters 20 pixels high as recognition reports them, each with its start and end. */
function recognised(y: number, words: readonly (readonly [string, number, number])[]): OcrLine {
  const placed = words.map(([word, left, right]) => ({
    text: word,
    box: { left, right, top: y - 16, bottom: y + 4 },
    confidence: 90,
  }));
  return {
    words: placed,
    box: { left: words[0]?.[1] ?? 0, right: words.at(-1)?.[2] ?? 0, top: y - 16, bottom: y + 4 },
    baseline: { leftPx: y, slope: 0 },
    ...{ letterHeightPx: 20, angle: 0, isRightToLeft: false, block: 1, paragraph: 1 },
  };
}

const cellTexts = (lines: readonly OcrLine[]): string[] =>
  withTableCells(lines).map(({ words }) => words.map((word) => word.text).join(' '));

/** Returns lines that recognition reads across two columns. */
function readAcross(columns: readonly (readonly string[])[], lefts: readonly number[]): OcrLine[] {
  return columns[0]!.map((_, row) =>
    recognised(
      50 + 27 * row,
      columns.flatMap((lines, at) =>
        (lines[row] ?? '').split(' ').map((word, place) => {
          // Letters are 9 pixels wide, and blanks 6.
          const before = (lines[row] ?? '').split(' ').slice(0, place).join('').length;
          const left = (lefts[at] ?? 0) + 9 * before + 6 * place;
          return [word, left, left + 9 * word.length] as const;
        }),
      ),
    ),
  );
}

describe('narrow prose columns that are read across', () => {
  it('are read one after the other, however close they are', () => {
    const columns = leaflet.slice(0, 2);
    expect(cellTexts(readAcross(columns, [30, 230]))).toEqual(columns.flat());
  });

  it.each([
    ['begin anew', ['Cold water', 'Green salad', 'Roast chicken', 'Tomato soup with rice.']],
    ['are short', ['to set sail', 'on the left.', 'lighthouse', 'to buy a ticket for it.']],
    [
      'are no sentences',
      ['when the room is', 'for as long as the', 'before the evening', 'at night'],
    ],
  ])('are told from the cells of a table that %s', (_, cells) => {
    const table = [
      ['open the window', 'close the old door', 'light the big fire', 'feed it'],
      cells,
    ];
    const rows = table[0]!.flatMap((cell, row) => [cell, cells[row]]);
    expect(cellTexts(readAcross(table, [30, 280]))).toEqual(rows);
  });
});

describe('the words of a picture table', () => {
  const wide = (y: number, first: string, second: string) =>
    recognised(y, [
      [first, 30, 120],
      [second, 190, 400],
    ]);

  it('are not joined across columns where a gap is read as a sign, below other columns', () => {
    const lines = [
      ...[wide(40, 'Monday', 'Bread'), wide(80, 'Tuesday', 'Water'), wide(120, 'Friday', 'Fish')],
      recognised(180, [
        ['Monday', 30, 100],
        ['Bread', 140, 200],
        ['_', 212, 220],
        ['Market', 232, 300],
      ]),
      recognised(215, [
        ['Tuesday', 30, 105],
        ['Cheese', 140, 205],
        ['Station', 232, 310],
      ]),
    ];
    expect(cellTexts(lines).slice(-6)).toEqual(
      'Monday Bread Market Tuesday Cheese Station'.split(' '),
    );
  });

  it('are separated by a gap as narrow as a blank where cells are aligned', () => {
    const rows = [
      ['Apple', '7.20', 'fresh'],
      ['Pear', '1024.00', 'old'],
      ['Cherry', '31.50', 'ripe'],
    ] as const;
    const ends = [170, 202, 182];
    const table = (shift: number): OcrLine[] =>
      rows.map(([first, second, third], at) =>
        recognised(40 + 30 * at, [
          [first, 30, 95],
          [second, 130, ends[at] ?? 0],
          [third, 210 + shift * at, 260],
        ]),
      );
    expect(cellTexts(table(0))).toEqual(rows.flat());
    // Words that begin anywhere are separated by blanks.
    expect(cellTexts(table(4))).not.toEqual(rows.flat());
  });

  it('exclude those of a monospaced sentence below the table', () => {
    const width = 12;
    const spaced = (y: number, line: string): OcrLine =>
      recognised(
        y,
        [...line.matchAll(/\S+/gu)].map(({ 0: word, index }) => [
          word,
          index * width,
          (index + word.length) * width - 2,
        ]),
      );
    const rows = ['Rope     hook     long', 'Sledge   wall     red'];
    const sentence = 'Whoever takes it all writes that down';
    const lines = [...rows, sentence].map((line, at) => spaced(40 + 30 * at, line));
    expect(cellTexts(lines)).toEqual([...rows.join(' ').split(/ +/u), sentence]);
  });

  it('exclude those of prose that ends above the table', () => {
    const prose = recognised(40, [
      ['trees.', 30, 80],
      ['A', 95, 110],
      ['letter', 120, 170],
    ]);
    const lines = [prose, wide(90, 'Article', 'Limit'), wide(125, 'Pipe', '12 mm')];
    const [first, ...cells] = withTableCells(lines);
    expect(cells).toHaveLength(4);
    expect(first?.row).toBeUndefined();
  });
});

/** Returns where ink begins in each of several rows of a picture. */
async function inkLefts(picture: Uint8Array, rows: readonly number[], from: number) {
  const { data, info } = await sharp(picture)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return rows.map((y) => {
    const band = Array.from({ length: 20 }, (_, by) =>
      data
        .subarray((y - by) * info.width + from, (y - by + 1) * info.width)
        .findIndex((v) => v < 128),
    );
    return Math.min(...band.filter((x) => x >= 0));
  });
}

/** A table, and below it two adjacent texts, of which one may grow to the right and one is centred. */
const arranged = once(async () => {
  const [first, second] = [
    ['Monday', 'Wednesday', 'Friday'],
    ['Bread and cheese', 'Green trees', 'Cold water'],
  ];
  // 'Green trees' has the same room on both sides.
  const pieces = first.flatMap((day, at) => [
    text(day, { x: 30, y: 60 + 48 * at, size: 24 }),
    text(second[at] ?? '', { x: 300, y: 60 + 48 * at, size: 24 }),
    text('The old market', { x: 576, y: 60 + 48 * at, size: 24 }),
  ]);
  const adjacent = [
    text('The harbour', { x: 30, y: 310, size: 24 }),
    text('The lighthouse', { x: 480, y: 310, size: 24, anchor: 'middle' }),
  ];
  const file = await drawing({ width: 800, height: 350 }, [...pieces, ...adjacent]);
  const document = await png.open(file, options);
  const translated = document.blocks.map(({ segment }) => {
    const words = plainText(segment);
    const isAdjacent = words === 'The harbour' || words === 'The lighthouse';
    if (isAdjacent) return ['Esto es bastante más largo que antes'];
    return [second.includes(words) ? `E${words.slice(0, 3)}` : words];
  });
  expect(translated).toHaveLength(11);
  return document.write(translated, { source: 'en', target: 'es' });
});

describe('a table cell of a picture', () => {
  it('is aligned as its column is, however much room it has', async () => {
    const lefts = await inkLefts(await arranged(), [60, 108, 156], 220);
    expect(Math.max(...lefts) - Math.min(...lefts)).toBeLessThan(5);
  });

  it('keeps the rules around it, a little askew, even if recognition includes them', async () => {
    const rules = '<path d="M 0 61 L 400 62 M 30 0 V 120" stroke="black" stroke-width="3"/>';
    const label = text('Article', { x: 44, y: 50, size: 24 });
    const raw = async (pieces: string[]) =>
      sharp(await drawing({ width: 400, height: 120 }, pieces))
        .flatten()
        .raw()
        .toBuffer();
    const [drawn, alone] = await Promise.all([raw([rules, label]), raw([rules])]);
    const picture = {
      data: new Uint8Array(drawn),
      width: 400,
      height: 120,
      channels: 3 as const,
    };
    const box = { left: 38, top: 28, right: 122, bottom: 63 };
    const appearance = appearanceOf(picture, box, { isMarked: false, isRightToLeft: false });
    erase(picture, appearance!);
    const changed = [...alone.entries()].filter(([at, v]) => Math.abs(v - picture.data[at]!) > 24);
    expect(changed).toHaveLength(0);
    expect(appearance?.inkBox.bottom).toBeLessThan(56);
  });
});

/** Returns which columns of pixels have no ink within an area. */
async function clearColumns(picture: Uint8Array, area: Region): Promise<boolean[]> {
  const { data, info } = await sharp(picture)
    .extract(area)
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return Array.from({ length: info.width }, (_, x) =>
    Array.from({ length: info.height }, (__, y) => data[y * info.width + x] ?? 255).every(
      (level) => level > 128,
    ),
  );
}

describe('two adjacent texts of a picture', () => {
  it('share the room between them where one grows to the right and one is centred', async () => {
    const [left, right] = [30 + 130, 480 - 75];
    const area = { left, top: 280, width: right - left, height: 40 };
    const clear = await clearColumns(await arranged(), area);
    // The gap between the texts is wider than between words.
    const gaps = clear.map(
      (_, x) => clear.slice(x, x + 14).length === 14 && clear.slice(x, x + 14).every(Boolean),
    );
    expect(gaps).toContain(true);
  });
});

/** Returns a photo-like picture: waves of colours with grain. */
function photo({ width, height }: { width: number; height: number }, shade: number): Buffer {
  const data = Buffer.alloc(width * height * 3);
  for (const at of data.keys()) {
    const [x, y, channel] = [Math.floor(at / 3) % width, Math.floor(at / 3 / width), at % 3];
    const grain = (((at * 7_919) % 101) % 31) - 15;
    data[at] = shade + 40 * Math.sin(x / (17 + 5 * channel)) * Math.cos(y / 13) - grain;
  }
  return data;
}

describe('a picture with photos', () => {
  it('has texts that touch a dark one or are close to a bright one, which stay unchanged, and narrow columns of different heights below a title and headings', async () => {
    const photos = [
      { shade: 60, y: 181, left: 50 },
      { shade: 200, y: 186, left: 530 },
    ].map(({ shade, y, left }) => ({
      area: { left, top: 40, width: 380, height: 120 },
      label: text('The harbour in the morning', { x: left + 10, y, size: 28 }),
      shade,
    }));
    const title = text('The town and its sea', {
      ...{ x: 400, y: 290, size: 40, anchor: 'middle', weight: 'bold' },
    });
    const headings = ['Harbour', 'Boat trip', 'Good to know'];
    const lefts = [30, 280, 540];
    const columns = [leaflet[0] ?? [], leaflet[1] ?? [], ['Closed on Mondays.']];
    const items = [
      ...headings.map((heading, at) => [heading, lefts[at] ?? 0, 360] as const),
      ...inColumns(columns, lefts, 395),
    ];
    const paper = await drawing({ width: 960, height: 500 }, [
      ...photos.map(({ label }) => label),
      title,
      ...items.map(([line, x, y]) => text(line, { x, y, size: 20 })),
    ]);
    const layers = photos.map(({ area, shade }) => {
      const raw = { width: area.width, height: area.height, channels: 3 as const };
      return { input: photo(area, shade), raw, left: area.left, top: area.top };
    });
    const file = await sharp(paper).composite(layers).png().toBuffer();
    const document = await png.open(file, options);
    const texts = document.blocks.map(({ segment }) => plainText(segment));
    expect(texts.slice(2)).toEqual([
      'The town and its sea',
      ...headings.flatMap((heading, at) => [heading, columns[at]?.join(' ')]),
    ]);
    const translated = texts.map((line, at) => [at < 2 ? 'El puerto' : line]);
    const written = await document.write(translated, { source: 'en', target: 'es' });
    const pixels = (picture: Uint8Array, part: Region) =>
      sharp(picture).extract(part).removeAlpha().raw().toBuffer();
    for (const { area } of photos) {
      const below = { ...area, top: 160, height: 60 };
      expect((await pixels(written, below)).equals(await pixels(file, below))).toBe(false);
      expect((await pixels(written, area)).equals(await pixels(file, area))).toBe(true);
    }
  });
});

it('a text line of a picture does not end at a no-break space', () => {
  const units = unitsOf('à 10\u00a0km\u202f! \u3000Oui', 'fr').map(({ text }) => text);
  expect(units).toEqual(['à', '10\u00a0km\u202f!', 'Oui']);
});
