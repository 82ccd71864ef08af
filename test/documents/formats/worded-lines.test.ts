/** Choosing, by dictionary, the hardly legible lines that are text. */
import { describe, expect, it } from 'vitest';
import type { OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import type { PlacedLine } from '../../../server/documents/formats/image/table-cells.ts';
import { wordedText, withMoreKnown } from '../../../server/documents/formats/image/worded-lines.ts';
import { line } from './placed-line.ts';

const dictionary = new Set('correspondent burgher server before hedge ende rate bane'.split(' '));

/** Returns a line of words with about equal confidence. */
function read(text: string, confidence: number, block = 1): PlacedLine {
  let left = 20;
  const words = text.split(' ').map((word): OcrWord => {
    const box = { left, right: left + 10 * word.length, top: 20, bottom: 40 };
    left = box.right + 6;
    return { text: word, box, confidence };
  });
  return { ...line(...words), block };
}

/** Returns the lines that are text, and the number of dictionary look-ups. */
async function wordedOf(lines: readonly PlacedLine[], isInstalled = true) {
  let asked = 0;
  const worded = await wordedText([lines], () => {
    asked += 1;
    const isKnown = (word: string): boolean => dictionary.has(word.toLowerCase());
    return Promise.resolve(isInstalled ? isKnown : undefined);
  });
  const kept = lines.filter(({ words }) => words.every((word) => worded.has(word)));
  return { texts: kept.map(({ words }) => words.map(({ text }) => text).join(' ')), asked };
}

const textsOf = async (...lines: PlacedLine[]) => (await wordedOf(lines)).texts;

describe('a hardly legible line', () => {
  const text = 'Our Correspondent, af the server hiasik «burgher»';

  it('is text if three of its words are in the dictionary', async () => {
    expect(await textsOf(read(text, 45))).toEqual([text]);
    expect(await textsOf(read('Our Correspondent, af the server hiasik', 45))).toEqual([]);
  });

  it('is not text if most of its words are in no dictionary', async () => {
    const others = 'myitie duborse roudle kbeimn emschii hiasik entes';
    expect(await textsOf(read(`${text} ${others}`, 45))).toEqual([]);
  });

  it('is not text if only short words are in the dictionary, or confidence is minimal', async () => {
    expect(await textsOf(read('the end of the old', 45))).toEqual([]);
    expect(await textsOf(read(text, 15))).toEqual([]);
  });

  it('is text within a block of text, if one of its words is in the dictionary', async () => {
    const [first, second] = [read(`${text} before`, 80), read('iademmity hedge wos', 40)];
    expect(await textsOf(first, second)).toEqual(['iademmity hedge wos']);
    expect(await textsOf(first, { ...second, block: 2 })).toEqual([]);
    expect(await textsOf(first, read('iademmity wos', 40))).toEqual([]);
  });

  it('is not text in a block of lines with occasional words', async () => {
    const pattern = ['Rate', 'er', 'Bane,', 'Ende', 'ee'].map((word) => read(word, 40));
    expect(await textsOf(...pattern)).toEqual([]);
  });

  it('is looked up only if it is doubtful, and only with an installed dictionary', async () => {
    expect(await wordedOf([read(text, 90), read('ee', 40)])).toEqual({ texts: [], asked: 0 });
    expect(await wordedOf([read(text, 45)], false)).toEqual({ texts: [], asked: 1 });
    const upright = { ...read(text, 45), angle: 90 };
    expect(await wordedOf([upright])).toEqual({ texts: [], asked: 0 });
  });
});

describe('two readings of a line', () => {
  const isKnown = (word: string): boolean => dictionary.has(word.toLowerCase());
  const textsOfBoth = (lines: readonly PlacedLine[], original: readonly PlacedLine[]) =>
    withMoreKnown(lines, original, isKnown).map(({ words }) =>
      words.map(({ text }) => text).join(' '),
    );
  const garbled = 'Our Corrcspondcnt, bcforc thc hedge';
  const clear = 'Our Correspondent, before tlie hedge';

  it("yield the scan's if it has more words of the language", () => {
    expect(textsOfBoth([read(garbled, 62)], [read(clear, 41)])).toEqual([clear]);
    expect(textsOfBoth([read(clear, 62)], [read(garbled, 41)])).toEqual([clear]);
    expect(textsOfBoth([], [read(clear, 41)])).toEqual([clear]);
  });

  it('yield the other if both have as many', () => {
    const other = clear.replace('tlie', 'thc');
    expect(textsOfBoth([read(clear, 62)], [read(other, 41)])).toEqual([clear]);
  });
});
