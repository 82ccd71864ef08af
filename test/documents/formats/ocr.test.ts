import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import sharp from 'sharp';
import { describe, expect, it, onTestFinished } from 'vitest';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import {
  createTextRecogniser,
  recogniseText,
  recogniseTexts,
  type OcrLine,
} from '../../../server/documents/formats/image/ocr.ts';
import { drawing, text } from '../../support/documents/pictures.ts';

const FIRST = [
  'It is open every day',
  'from nine to five, but',
  'not on the first of May',
  'and not in the winter.',
];
const SECOND = [
  'Please leave your bags',
  'at the desk downstairs',
  'and take a map with you',
  'from the old table.',
];
const PAGE = drawing({ width: 700, height: 560 }, [
  text('The museum of the town', { x: 60, y: 70, size: 44 }),
  ...FIRST.map((line, index) => text(line, { x: 60, y: 150 + 35 * index, size: 26 })),
  ...SECOND.map((line, index) => text(line, { x: 60, y: 400 + 35 * index, size: 26 })),
]);

const linesOf = (lines: readonly OcrLine[]): string[] =>
  lines.map(({ words }) => words.map((word) => word.text).join(' '));

/** Returns a folder with some or all of Tesseract's data. */
function dataFolder(...names: string[]): string {
  const listed = execFileSync('tesseract', ['--list-langs'], { encoding: 'utf8' });
  const installed = /"(.*)"/.exec(listed)?.[1] ?? '';
  const folder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-ocr-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const name of [
    'configs',
    'tessconfigs',
    'pdf.ttf',
    ...names.map((one) => `${one}.traineddata`),
  ]) {
    symlinkSync(path.join(installed, name), path.join(folder, name));
  }
  return folder;
}

describe('text recognition', () => {
  it('returns words with their places, by line, block and paragraph', async () => {
    const lines = await recogniseText(await PAGE, { language: 'en' });
    expect(linesOf(lines)).toEqual(['The museum of the town', ...FIRST, ...SECOND]);
    const [title, first, second, , , other] = lines;
    // Letters 44 pixels high on a baseline at 70, where those without descenders end.
    expect(title?.box.left).toBeCloseTo(61, -1);
    expect(title?.baseline.leftPx).toBeCloseTo(70, -1);
    expect(title?.letterHeightPx).toBeGreaterThan(32);
    expect(title?.letterHeightPx).toBeLessThan(48);
    for (const word of title?.words ?? []) {
      expect(word.confidence).toBeGreaterThan(80);
      expect(word.box.right).toBeGreaterThan(word.box.left);
      expect(word.box.bottom).toBeLessThanOrEqual(84);
    }
    expect(first?.paragraph).toBe(second?.paragraph);
    expect(other?.block).not.toBe(first?.block);
  });

  it('reads raw pixels with transparency as well as files', async () => {
    const image = sharp(
      await drawing({ width: 500, height: 90, paper: 'none' }, [
        text('Open on Sundays', { x: 30, y: 60, size: 40 }),
      ]),
    );
    const { width, height } = await image.metadata();
    const data = await image.raw().toBuffer();
    const pixels = { data, width, height, channels: 4 } as const;
    const lines = await recogniseText(pixels, { language: 'en-GB' });
    expect(linesOf(lines)).toEqual(['Open on Sundays']);
  });

  it('returns the lines of each of several grey pictures of any size', async () => {
    const gray = async (width: number, height: number, label: string) => {
      const picture = await drawing({ width, height }, [text(label, { x: 30, y: 60, size: 40 })]);
      const data = await sharp(picture).toColourspace('b-w').raw().toBuffer();
      return { data, width, height, channels: 1 as const };
    };
    const pictures = await Promise.all([
      gray(501, 91, 'Open on Sundays'),
      gray(333, 77, ''),
      gray(480, 120, 'Closed today'),
    ]);
    const read = await recogniseTexts(pictures, { language: 'en' });
    expect(read.map(linesOf)).toEqual([['Open on Sundays'], [], ['Closed today']]);
    expect(read.flat().map(({ block, paragraph }) => [block, paragraph])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it('detects the script of an unknown language, and reads accents', async () => {
    const picture = await drawing({ width: 900, height: 100 }, [
      text('La biblioteca está abierta todos los días', { x: 30, y: 60, size: 36 }),
    ]);
    // Read in all installed languages of the script first: two are enough.
    const reader = createTextRecogniser({ dataFolder: dataFolder('osd', 'eng', 'spa') });
    const lines = await reader(picture, { language: undefined });
    expect(linesOf(lines).join(' ')).toContain('está abierta todos los días');
  });

  it('names the missing Debian package', async () => {
    const picture = await drawing({ width: 300, height: 80 }, [
      text('Closed today', { x: 30, y: 55, size: 36 }),
    ]);
    const onlyEnglish = createTextRecogniser({ dataFolder: dataFolder('eng') });
    const nothing = createTextRecogniser({ dataFolder: dataFolder() });
    const noProgram = createTextRecogniser({ program: 'tesseract-that-is-not-here' });
    for (const [reader, language, name] of [
      [onlyEnglish, 'zh-Hant', 'tesseract-ocr-chi-tra'],
      [nothing, undefined, 'tesseract-ocr-eng'],
      [noProgram, 'en', 'tesseract-ocr'],
      [onlyEnglish, 'xx', 'language xx'],
    ] as const) {
      const failure = await reader(picture, { language }).catch((error: unknown) => error);
      expect(failure).toBeInstanceOf(DocumentError);
      expect((failure as Error).message).toContain(name);
    }
    const unknown = await onlyEnglish(picture, { language: undefined });
    expect(linesOf(unknown)).toEqual(['Closed today']);
  });

  it('refuses a file that is not a picture', async () => {
    await expect(
      recogniseText(Buffer.from('no picture at all'), { language: 'en' }),
    ).rejects.toBeInstanceOf(DocumentError);
  });
});
