/** Choosing the recognised lines that are certainly text. */
import { expect, it } from 'vitest';
import type { OcrWord } from '../../../server/documents/formats/image/ocr.ts';
import { sureLines } from '../../../server/documents/formats/image/sure-lines.ts';
import { line } from './placed-line.ts';

/** A white page: no ink precedes its lines. */
const page = {
  data: new Uint8Array(800 * 60).fill(255),
  width: 800,
  height: 60,
  channels: 1,
} as const;

/** Returns the accepted text of a line of words with confidences. */
function textOf(read: [text: string, confidence: number][], isWorded = false): string {
  let left = 20;
  const words = read.map(([text, confidence]): OcrWord => {
    const box = { left, right: left + 10 * text.length, top: 20, bottom: 40 };
    left = box.right + 6;
    return { text, box, confidence };
  });
  return sureLines([line(...words)], page, new Set(isWorded ? words : []))
    .flatMap((found) => found.words.map(({ text }) => text))
    .join(' ');
}

it('keeps a sure line, and one that its words prove to be text', () => {
  const words = ['unterhielt', 'eine', 'Werft'];
  const unsure = words.map((text): [string, number] => [text, 45]);
  expect(textOf(words.map((text) => [text, 93]))).toBe(words.join(' '));
  expect(textOf(unsure)).toBe('');
  expect(textOf(unsure, true)).toBe(words.join(' '));
});
