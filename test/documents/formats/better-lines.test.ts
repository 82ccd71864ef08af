/** Merging the lines of two readings of a picture. */
import { describe, expect, it } from 'vitest';
import { better, betterInOrder } from '../../../server/documents/formats/image/better-reading.ts';

interface Line {
  words: { text: string; confidence: number; box: Line['box'] }[];
  box: { left: number; right: number; top: number; bottom: number };
  paragraph: number;
}

function line(text: string, top: number, confidence = 95): Line {
  const box = { left: 20, right: 120, top, bottom: top + 20 };
  return { words: [{ text, confidence, box }], box, paragraph: 1 };
}

function texts(lines: readonly Line[]): string[] {
  return lines.map(({ words }) => words.map(({ text }) => text).join(' '));
}

const first = [line('Chairs', 20), line('Bu bs', 50, 60), line('Tiles', 110)];
const second = [line('Chairs', 20), line('Bulbs', 50), line('Handles', 80), line('Tiles', 110)];

describe('two readings of a picture', () => {
  it('yield the lines that only the second has, or has with more confidence', () => {
    const found = texts(better(first, second));
    expect(found.toSorted()).toEqual(['Bulbs', 'Chairs', 'Handles', 'Tiles']);
  });

  it('yield such a line at its position in the second, where order is preserved', () => {
    expect(texts(betterInOrder(first, second))).toEqual(['Chairs', 'Bulbs', 'Handles', 'Tiles']);
    expect(texts(betterInOrder(first.slice(1), second))[0]).toBe('Chairs');
  });

  it('yield the line of the first where the second is hardly better', () => {
    const lines = [line('Chairs', 20, 90)];
    expect(texts(betterInOrder(lines, [line('Chains', 20, 95)]))).toEqual(['Chairs']);
  });
});
