import { describe, expect, test } from 'vitest';
import { splitText } from '../../server/engines/translation/text-pieces.ts';
import { hostileTexts } from './translation-conformance.ts';

const cut = (text: string, maxLength = 40) => splitText({ text, language: 'en', maxLength });

describe('pieces of a text', () => {
  test('are the text again when joined, and no translatable one is too long', () => {
    const texts = hostileTexts(300).map(({ text }) => text);
    for (const text of [...texts, texts.join(' '), texts.join(''), '😀'.repeat(99), '']) {
      const pieces = cut(text);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      for (const piece of pieces) {
        if (!piece.translatable) expect(piece.text).not.toMatch(/\p{L}/u);
        else {
          expect(piece.text.length).toBeLessThanOrEqual(40);
          expect(piece.text).toBe(piece.text.trim());
          expect(piece.text).not.toMatch(/[\n\r\u2028]/u);
        }
      }
    }
  });

  test('end where sentences end, as many sentences in one as fit', () => {
    const pieces = cut('One is here. Two is here. Three is here. Four is here.');
    expect(pieces.filter((piece) => piece.translatable).map((piece) => piece.text)).toEqual([
      'One is here. Two is here.',
      'Three is here. Four is here.',
    ]);
  });

  test('end between words when a sentence is too long', () => {
    const words = Array.from({ length: 30 }, (_, i) => `word${i}`);
    const pieces = cut(words.join(' ')).filter((piece) => piece.translatable);
    expect(pieces.length).toBeGreaterThan(4);
    expect(pieces.flatMap((piece) => piece.text.split(' '))).toEqual(words);
  });

  test('tear no character in two', () => {
    for (const piece of cut(`a${'😀'.repeat(99)}`, 40)) {
      expect(piece.text).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
    }
  });
});
