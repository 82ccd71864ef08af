import { expect, it } from 'vitest';
import { graphemesOf } from '../../server/text/code-points.ts';

const segmenter = new Intl.Segmenter('und', { granularity: 'grapheme' });

/** All characters below Unicode's first combining mark. */
const LETTERS = Array.from({ length: 0x300 - 0x20 }, (_, at) => String.fromCharCode(0x20 + at));

/** One of each class of UAX #29 that they have: other, pictographic, control. */
const CLASSES = ['a', ' ', '1', '\u00a9', '\u00ad', '\u007f', '\u02b0'];

it('no character joins with another into one grapheme', () => {
  // Each beside every class, in both orders.
  const joining = LETTERS.filter((letter) => {
    const beside = CLASSES.map((other) => letter + other).join('');
    return Array.from(segmenter.segment(beside)).length !== beside.length;
  });
  expect(joining).toEqual([]);
});

it.each(['', 'Größe, naïve', 'e\u0301te\u0301', '\r\n', '👩‍👧 a', 'नमस्ते', '\ud83d'])(
  'splits %j into the graphemes of Intl.Segmenter',
  (text) => {
    const expected = Array.from(segmenter.segment(text), ({ segment, index }) => [segment, index]);
    const found = Array.from(graphemesOf(text), ({ segment, index }) => [segment, index]);
    expect(found).toEqual(expected);
  },
);
