/** Which of the lines that were read are text for certain. */
import { expect, it } from 'vitest';
import type { OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import { sureLines } from '../../../server/documents/formats/image/sure-lines.ts';
import { line } from './placed-line.ts';

/** A white page: nothing stands before its lines. */
const page = {
  data: new Uint8Array(800 * 60).fill(255),
  width: 800,
  height: 60,
  channels: 1,
} as const;

/** What is left of a line of words, each with how sure it is. */
function textOf(...read: [text: string, confidence: number][]): string {
  let left = 20;
  const words = read.map(([text, confidence]): OcrWord => {
    const box = { left, right: left + 10 * text.length, top: 20, bottom: 40 };
    left = box.right + 6;
    return { text, box, confidence };
  });
  return sureLines([line(...words)], page)
    .flatMap((found) => found.words.map(({ text }) => text))
    .join(' ');
}

const hardly = 'Dampischifffahrtsgesellschatt';

it('keeps a line of sure words, however unsure a long one among them is', () => {
  const sure = ['unterhielt', 'am', 'See', 'eine', 'Werft'];
  const words = sure.map((text): [string, number] => [text, 93]);
  expect(textOf(['Die', 93], [hardly, 5], ...words)).toBe(`Die ${hardly} ${sure.join(' ')}`);
});

it('keeps no line of which less is sure', () => {
  const words = ['unterhielt', 'eine', 'Werft'];
  expect(textOf([hardly, 5], ...words.map((text): [string, number] => [text, 93]))).toBe('');
  const doubtful = ['Aie', 'orn', 'tuo', 'hcl', 'irs'].map((text): [string, number] => [text, 20]);
  const few = ['die', 'und', 'der', 'am'].map((text): [string, number] => [text, 93]);
  expect(textOf(['und', 93], [hardly, 5], ...doubtful, ...few.slice(1))).toBe('');
});
