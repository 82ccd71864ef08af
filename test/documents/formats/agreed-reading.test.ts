/** Agreement of two readings: pages on which both together account for all ink. */
import { describe, expect, it } from 'vitest';
import { isSettled } from '../../../server/documents/formats/image/agreed-reading.ts';
import {
  type OcrWord,
  type PixelBox,
  type RawPixels,
} from '../../../server/documents/formats/image/ocr.ts';
import type { Rule } from '../../../server/documents/formats/image/rules.ts';
import type { PlacedLine } from '../../../server/documents/formats/image/table-cells.ts';
import { line } from './placed-line.ts';

const HEIGHT = 20;
const LETTER = 10;

function word(text: string, left: number, confidence = 96): OcrWord {
  const box = { left, right: left + text.length * LETTER, top: 20, bottom: 20 + HEIGHT };
  return { text, box, confidence };
}

const width = 400;
const letters = [
  { left: 20, right: 60, top: 22, bottom: 38 },
  { left: 70, right: 120, top: 22, bottom: 38 },
];

/** Creates a white page with black areas. */
function page(...inked: PixelBox[]): RawPixels {
  const height = 120;
  const data = new Uint8Array(width * height).fill(255);
  for (const { left, right, top, bottom } of [...letters, ...inked]) {
    for (let y = top; y < bottom; y++) data.fill(0, y * width + left, y * width + right);
  }
  return { data, width, height, channels: 1 };
}

interface Seen {
  first?: PlacedLine;
  second?: PlacedLine;
  gray?: RawPixels;
  rules?: readonly Rule[];
}

const sure = line(word('Open', 20), word('until', 70));

function settled({ first = sure, second = sure, gray = page(), rules = [] }: Seen): boolean {
  return isSettled([first], [second], { gray, rules, unitPx: 2 });
}

describe('a page with two readings', () => {
  it('is settled where both readings have the same words for all of its ink', () => {
    expect(settled({})).toBe(true);
    const bare = line(word('Open', 20), word('until.', 70));
    expect(settled({ first: bare })).toBe(true);
  });

  it('is not settled where a word is missing from one reading or differs', () => {
    const less = line(word('Open', 20));
    expect(settled({ first: less })).toBe(false);
    expect(settled({ second: less })).toBe(false);
    expect(settled({ second: line(word('Open', 20), word('unlil', 70)) })).toBe(false);
  });

  it('is not settled where a word is unsure', () => {
    expect(settled({ first: line(word('Open', 20), word('until', 70, 80)) })).toBe(false);
  });

  it('is not settled where ink remains unread, unless it is only a rule', () => {
    const gray = page({ left: 20, right: 380, top: 80, bottom: 84 });
    const box = { left: 20, right: 380, top: 80, bottom: 84 };
    expect(settled({ gray })).toBe(false);
    expect(settled({ gray, rules: [{ box, isUpright: false, isDashed: false }] })).toBe(true);
    expect(settled({ gray: page({ left: 200, right: 206, top: 22, bottom: 38 }) })).toBe(false);
    // Positions of letters are rough: ink between two words counts as theirs.
    expect(settled({ gray: page({ left: 60, right: 70, top: 22, bottom: 38 }) })).toBe(true);
    // A speck is not a letter.
    expect(settled({ gray: page({ left: 200, right: 202, top: 22, bottom: 24 }) })).toBe(true);
  });

  it('is not settled where text is upright', () => {
    expect(settled({ second: { ...sure, angle: 90 } })).toBe(false);
  });
});
