import { randomBytes } from 'node:crypto';
import sharp from 'sharp';
import { describe, expect, it } from 'vitest';
import {
  DocumentError,
  type DocumentFormat,
  type OpenOptions,
} from '../../../server/documents/formats/format.ts';
import { jpeg, png } from '../../../server/documents/formats/image/image.ts';
import { readPictureFile } from '../../../server/documents/formats/image/picture-file.ts';
import { decodePicture, encodePicture } from '../../../server/documents/formats/image/picture.ts';
import { recogniseTexts } from '../../../server/documents/formats/image/ocr.ts';
import { plainText } from '../../../server/text/text-segment.ts';
import { drawing, rectangle, text } from '../../support/documents/pictures.ts';

const english: Omit<OpenOptions, 'target'> = {
  source: 'en',
  output: 'png',
  maxCharacters: 1_000_000,
};

/** Translates by a list; unlisted text stays. */
async function translated(
  format: DocumentFormat,
  file: Uint8Array,
  { target = 'es', list }: { target?: string; list: Record<string, string> },
): Promise<{ texts: string[]; file: Uint8Array }> {
  const document = await format.open(file, { ...english, target });
  const texts = document.blocks.map(({ segment }) => plainText(segment));
  const segments = texts.map((one) => [list[one] ?? one]);
  return { texts, file: await document.write(segments, { source: 'en', target }) };
}

/** Recognises the text of areas of a picture. */
async function readBack(file: Uint8Array, areas: readonly (Area | undefined)[]): Promise<string> {
  const pictures = areas.map(async (area) => {
    const whole = sharp(file).autoOrient().flatten({ background: '#fff' });
    const part = await (area === undefined ? whole : whole.extract(area)).toBuffer();
    const { width } = await sharp(part).metadata();
    const { data, info } = await sharp(part)
      .resize(2 * width)
      .toColourspace('b-w')
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { data, width: info.width, height: info.height, channels: 1 as const };
  });
  const read = await recogniseTexts(await Promise.all(pictures), { language: 'es' });
  return read
    .flatMap((lines) => lines.flatMap(({ words }) => words.map(({ text }) => text)))
    .join(' ');
}

interface Area {
  left: number;
  top: number;
  width: number;
  height: number;
}

async function pixels(file: Uint8Array, area?: Area): Promise<Buffer> {
  const image = sharp(file).autoOrient().ensureAlpha();
  return (area === undefined ? image : image.extract(area)).raw().toBuffer();
}

/** Returns whether an area has equal pixels in both files; comparing them one by one takes a second. */
async function isAlike(file: Uint8Array, other: Uint8Array, area: Area): Promise<boolean> {
  return (await pixels(file, area)).equals(await pixels(other, area));
}

/** Returns the colour farthest from the background, the commonest colour. */
async function inkIn(file: Uint8Array, area: Area): Promise<{ ink: number[]; share: number }> {
  const data = await pixels(file, area);
  const colours = Array.from({ length: data.length / 4 }, (_, at) => [
    ...data.subarray(4 * at, 4 * at + 3),
  ]);
  const counts = new Map<string, number>();
  for (const one of colours) counts.set(one.join(), (counts.get(one.join()) ?? 0) + 1);
  const [ground] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const base = ground.split(',').map(Number);
  const distance = (one: number[]): number =>
    Math.max(...one.map((value, channel) => Math.abs(value - (base[channel] ?? 0))));
  const ink = colours.reduce((a, b) => (distance(b) > distance(a) ? b : a));
  const share = colours.filter((one) => distance(one) > distance(ink) / 2).length / colours.length;
  return { ink, share };
}

const near = (actual: readonly number[], wanted: readonly number[], by: number): boolean =>
  actual.every((value, index) => Math.abs(value - (wanted[index] ?? 0)) <= by);

const button = { left: 300, top: 220, width: 260, height: 70 };
const SCREEN = drawing({ width: 800, height: 400, paper: '#f6f7f9' }, [
  rectangle({ left: 0, top: 0, width: 220, height: 400 }, '#1f2937'),
  text('Orders', { x: 24, y: 60, size: 18, color: '#e5e7eb' }),
  text('Customers', { x: 24, y: 100, size: 18, color: '#e5e7eb' }),
  text('Account settings', { x: 300, y: 80, size: 32, weight: 'bold' }),
  text('We send you a message when somebody', { x: 300, y: 130, size: 18, color: '#b91c1c' }),
  text('has answered your question.', { x: 300, y: 156, size: 18, color: '#b91c1c' }),
  rectangle(button, '#2563eb'),
  text('Save changes', { x: 430, y: 262, size: 22, color: '#ffffff', anchor: 'middle' }),
]);
const SCREEN_TEXTS = {
  Orders: 'Pedidos',
  Customers: 'Clientes',
  'Account settings': 'Ajustes de la cuenta',
  'We send you a message when somebody has answered your question.':
    'Le enviamos un mensaje cuando alguien ha contestado su pregunta.',
  'Save changes': 'Guardar todos los cambios ahora',
};

describe('a picture with text', () => {
  it('has its text replaced in place, colour and size, and stays otherwise unchanged', async () => {
    const original = await SCREEN;
    const { texts, file } = await translated(png, original, { list: SCREEN_TEXTS });
    expect(texts.toSorted()).toEqual(Object.keys(SCREEN_TEXTS).toSorted());
    const read = await readBack(file, [undefined, button]);
    for (const words of Object.values(SCREEN_TEXTS)) expect(read).toContain(words.split(' ')[0]);
    for (const word of ['Orders', 'Customers', 'Account', 'message', 'Save']) {
      expect(read).not.toContain(word);
    }
    const places: [Area, number[]][] = [
      [{ left: 20, top: 40, width: 180, height: 70 }, [229, 231, 235]],
      [{ left: 296, top: 50, width: 400, height: 40 }, [17, 17, 17]],
      [{ left: 296, top: 110, width: 400, height: 56 }, [185, 28, 28]],
      [{ ...button, top: 230, height: 50 }, [255, 255, 255]],
    ];
    for (const [area, colour] of places) {
      const before = await inkIn(original, area);
      const after = await inkIn(file, area);
      expect(near(after.ink, colour, 24), `ink ${after.ink.join()} in ${area.top}`).toBe(true);
      // As bold and as large: the languages differ in length, not in blackness.
      expect(after.share).toBeGreaterThan(before.share * 0.6);
      expect(after.share).toBeLessThan(before.share * 2.2);
    }
    // Only the texts change: not the edges of the button and the side bar, nor the area below.
    for (const area of [
      { left: 205, top: 0, width: 80, height: 400 },
      { left: 220, top: 300, width: 580, height: 100 },
      { left: 290, top: 200, width: 280, height: 24 },
      { left: 290, top: 220, width: 12, height: 70 },
      { left: 556, top: 220, width: 60, height: 70 },
    ]) {
      expect(await isAlike(file, original, area), JSON.stringify(area)).toBe(true);
    }
  });

  it('has no trace of the old text on a gradient, keeps things close to it, rules and bullets, and has cells and items apart', async () => {
    const gradient = `<defs><linearGradient id="g" x1="0" y1="0" x2="1" y2="0"><stop offset="0" stop-color="#204080"/><stop offset="1" stop-color="#803060"/></linearGradient></defs><rect width="700" height="200" fill="url(#g)"/>`;
    const underline = rectangle({ left: 60, top: 122, width: 300, height: 4 }, '#f5b82e');
    const title = 'Our plan for next year';
    const [lefts, tops] = [
      [20, 130, 340, 480],
      [220, 257, 294, 330],
    ];
    const rules = [
      ...lefts.map((left) => ({ left, top: 220, width: 1, height: 111 })),
      ...tops.map((top) => ({ left: 20, top, width: 461, height: 1 })),
    ];
    const rows = [
      ['Day', 'Event', 'Place'],
      ['Monday', 'Opening ceremony', 'Main square'],
      ['Tuesday', 'Free concert', 'Town hall'],
    ];
    const cells = rows.flatMap((row, y) =>
      row.map((cell, x) =>
        text(cell, {
          x: (lefts[x] ?? 0) + 8,
          y: 245 + 37 * y,
          size: 18,
          family: 'Liberation Serif',
        }),
      ),
    );
    const panel = rectangle({ left: 0, top: 350, width: 700, height: 170 }, '#12305f');
    const items = ['Revenue increased by 12 percent', 'Three new customers', 'Costs are stable'];
    const bullets = items.map(
      (_, at) => `<circle cx="40" cy="${401 + 39 * at}" r="4" fill="#ffffff"/>`,
    );
    const labels = items.map((item, at) =>
      text(item, { x: 60, y: 410 + 39 * at, size: 26, color: '#ffffff' }),
    );
    const size = { width: 700, height: 520 };
    const things = [
      ...[gradient, underline, panel, ...bullets],
      ...rules.map((rule) => rectangle(rule, '#000000')),
    ];
    const bare = await drawing(size, things);
    const heading = text(title, { x: 60, y: 110, size: 44, color: '#ffffff' });
    const picture = await drawing(size, [...things, heading, ...cells, ...labels]);
    const some = [...(rows[1] ?? []), items[0] ?? ''];
    const list = Object.fromEntries(some.map((each) => [each, 'Uno']));
    const { texts, file } = await translated(png, picture, { list: { ...list, [title]: '…' } });
    expect(texts.toSorted()).toEqual([title, ...rows.flat(), ...items].toSorted());
    // The three dots are within the first 70 pixels.
    const area = { left: 130, top: 0, width: 570, height: 200 };
    const [erased, wanted] = [await pixels(file, area), await pixels(bare, area)];
    let most = 0;
    for (const [at, value] of erased.entries()) {
      most = Math.max(most, Math.abs(value - (wanted[at] ?? 0)));
    }
    expect(most).toBeLessThanOrEqual(6);
    for (const kept of [...rules, { left: 0, top: 350, width: 54, height: 170 }]) {
      expect(await isAlike(file, bare, kept), JSON.stringify(kept)).toBe(true);
    }
  });

  it('has text written within its frame, in any script, and keeps transparent areas and what is visible through them', async () => {
    const translations = [
      ['ar', 'مرحبا بكم في متحف المدينة'],
      ['th', 'ยินดีต้อนรับสู่พิพิธภัณฑ์ของเมือง'],
      ['de', 'Herzlich willkommen im städtischen Museum für angewandte Kunst'],
    ] as const;
    const frame = [
      rectangle({ left: 40, top: 40, width: 520, height: 120 }, '#0b5d2a'),
      rectangle({ left: 50, top: 50, width: 500, height: 100 }, '#ffffff'),
      rectangle({ left: 54, top: 54, width: 492, height: 92 }, '#0b5d2a'),
    ];
    const label = 'Welcome to the museum';
    const style = { x: 300, y: 112, size: 36, color: '#ffffff', anchor: 'middle' } as const;
    const logo = 'Our company';
    const lettering = { x: 30, y: 280, size: 48, color: '#1d4ed8', weight: 'bold' } as const;
    const size = { width: 600, height: 320, paper: 'none' };
    const picture = await drawing(size, [...frame, text(label, style), text(logo, lettering)]);
    const document = await png.open(picture, { ...english, target: 'es' });
    expect(document.blocks.map(({ segment }) => plainText(segment))).toEqual([label, logo]);
    const [upper, lower] = [
      { left: 0, top: 0, width: 600, height: 200 },
      { left: 0, top: 200, width: 600, height: 120 },
    ];
    const bare = await pixels(await drawing(size, frame), upper);
    for (const [target, words] of translations) {
      const other = target === 'de' ? 'Firma' : logo;
      const file = await document.write([[words], [other]], { source: 'en', target });
      if (other !== logo) {
        const alphas = (await pixels(file, lower)).filter((_, at) => at % 4 === 3);
        expect(alphas.filter((alpha) => alpha === 0).length).toBeGreaterThan(0.8 * alphas.length);
        expect(alphas.filter((alpha) => alpha >= 250).length).toBeGreaterThan(0.01 * alphas.length);
        expect(near((await inkIn(file, lower)).ink, [29, 78, 216], 8)).toBe(true);
      }
      const drawn = await pixels(file, upper);
      let [left, right, top, bottom] = [600, 0, 200, 0];
      for (let at = 0; at < drawn.length; at += 4) {
        if (Math.abs((drawn[at] ?? 0) - (bare[at] ?? 0)) < 40) continue;
        const [x, y] = [(at / 4) % 600, Math.floor(at / 4 / 600)];
        [left, right] = [Math.min(left, x), Math.max(right, x)];
        [top, bottom] = [Math.min(top, y), Math.max(bottom, y)];
      }
      expect(left, target).toBeGreaterThan(54);
      expect(right, target).toBeLessThan(546);
      expect(top, target).toBeGreaterThan(54);
      expect(bottom, target).toBeLessThan(146);
      // Centred and legible.
      expect(Math.abs((left + right) / 2 - 300), target).toBeLessThan(12);
      expect(bottom - top, target).toBeGreaterThan(14);
      expect(right - left, target).toBeGreaterThan(150);
    }
  });

  it('is returned byte for byte without text', async () => {
    const noise = await sharp({
      create: {
        width: 120,
        height: 80,
        channels: 3,
        background: '#888',
        noise: { type: 'gaussian', mean: 128, sigma: 30 },
      },
    })
      .jpeg()
      .toBuffer();
    const empty = await jpeg.open(noise, { ...english, target: 'es' });
    expect(empty.blocks).toEqual([]);
    expect(noise.equals(await empty.write([], { source: 'en', target: 'es' }))).toBe(true);
  });
});

describe('the file of a picture', () => {
  const label = 'Open on Sundays';
  const upright = (): Promise<Buffer> =>
    drawing({ width: 480, height: 160 }, [text(label, { x: 40, y: 100, size: 48 })]);

  it('keeps orientation, size and profile, and every byte when nothing is translated; descriptions are dropped', async () => {
    // The opposite orientation undoes a quarter turn.
    const [orientation, inverse] = [6, 8];
    const turned = await sharp(
      await sharp(await upright())
        .withMetadata({ orientation: inverse })
        .toBuffer(),
    )
      .autoOrient()
      .toBuffer();
    const photo = await sharp(turned)
      .withIccProfile('p3')
      .withExifMerge({ IFD0: { ImageDescription: 'A SECRET PLACE' } })
      .withMetadata({ orientation })
      .jpeg({ quality: 80 })
      .toBuffer();
    const document = await jpeg.open(photo, { ...english, target: 'es' });
    expect(document.blocks.map(({ segment }) => plainText(segment))).toEqual([label]);
    const languages = { source: 'en', target: 'es' };
    expect(photo.equals(await document.write([[label]], languages))).toBe(true);
    const file = await document.write([['Cerrado hoy']], languages);
    const [before, after] = [await sharp(photo).metadata(), await sharp(file).metadata()];
    expect(after).toMatchObject({
      format: 'jpeg',
      width: before.width,
      height: before.height,
      icc: before.icc,
      chromaSubsampling: before.chromaSubsampling,
    });
    expect(after.orientation ?? 1).toBe(orientation);
    expect(photo.includes('SECRET')).toBe(true);
    expect(Buffer.from(file).includes('SECRET')).toBe(false);
    expect(file.length).toBeLessThan(photo.length * 1.5);
    // One line of letters begins where the former did.
    const drawn = await sharp(await sharp(file).autoOrient().toBuffer())
      .greyscale()
      .threshold()
      .trim()
      .toBuffer({ resolveWithObject: true });
    const { trimOffsetLeft = 0, trimOffsetTop = 0, width, height } = drawn.info;
    expect(-trimOffsetLeft).toBeGreaterThan(35);
    expect(-trimOffsetLeft).toBeLessThan(50);
    expect(-trimOffsetTop).toBeGreaterThan(55);
    expect(-trimOffsetTop).toBeLessThan(75);
    expect(width).toBeGreaterThan(200);
    expect(height).toBeLessThan(60);
  });

  it('may be grey, CMYK, 16-bit or have a palette', async () => {
    const original = await upright();
    const plain = sharp(original);
    const files: ['jpeg' | 'png', Buffer][] = [
      ['jpeg', await plain.clone().toColourspace('b-w').jpeg({ progressive: true }).toBuffer()],
      ['jpeg', await plain.clone().toColourspace('cmyk').jpeg().toBuffer()],
      ['png', await plain.clone().toColourspace('rgb16').png().toBuffer()],
      ['png', await plain.clone().png({ palette: true, colours: 8 }).toBuffer()],
    ];
    const wanted = await pixels(original);
    for (const [at, [format, file]] of files.entries()) {
      const header = readPictureFile(format, file);
      const picture = await decodePicture(file, header);
      expect(picture).toMatchObject({ width: 480, height: 160, channels: 3 });
      const encoded = await sharp(await encodePicture(picture, header))
        .toColourspace('srgb')
        .toBuffer();
      const found = await pixels(encoded);
      expect(found).toHaveLength(wanted.length);
      const differing = found.filter((value, index) => Math.abs(value - (wanted[index] ?? 0)) > 48);
      expect(differing.length / found.length, `file ${at}`).toBeLessThan(0.002);
    }
  });

  it('is refused with a reason if it is too large (before decoding), damaged or of another kind', async () => {
    const small = await upright();
    const photo = await sharp(small).jpeg().toBuffer();
    const options = { ...english, target: 'es' };
    const bomb = Buffer.from(small);
    bomb.writeUInt32BE(10_000, 16);
    bomb.writeUInt32BE(10_000, 20);
    const jpegBomb = Buffer.from(photo);
    const frame = jpegBomb.indexOf(Buffer.from('ffc0', 'hex'));
    jpegBomb.writeUInt16BE(10_000, frame + 5);
    jpegBomb.writeUInt16BE(10_000, frame + 7);
    const refused: [DocumentFormat, Uint8Array, RegExp][] = [
      [png, bomb, /100 megapixels/],
      [jpeg, jpegBomb, /megapixels/],
      [png, photo, /not a PNG/],
      [jpeg, small, /not a JPEG/],
      [png, small.subarray(0, 30), /damaged/],
      [png, small.subarray(0, small.length / 2), /damaged/],
      [jpeg, photo.subarray(0, photo.length / 2), /damaged/],
      [jpeg, photo.subarray(0, 20), /damaged/],
      [jpeg, Buffer.concat([Buffer.from('ffd8', 'hex'), randomBytes(2000)]), /damaged/],
      [png, new Uint8Array(), /PNG/],
    ];
    for (const [format, file, message] of refused) {
      const before = process.memoryUsage().rss;
      const failure = await format.open(file, options).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DocumentError);
      expect((failure as Error).message).toMatch(message);
      // A hundred million pixels would take four times this.
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
    }
  });
});
