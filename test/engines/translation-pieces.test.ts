import { describe, expect, test } from 'vitest';
import {
  feedPieces,
  splitSegment,
  splitText,
} from '../../server/engines/translation/segment-pieces.ts';
import { plainText } from '../../server/text/text-segment.ts';
import { expectSteadyTime, processorMs } from '../support/machine/processor-time.ts';
import { plain, textsOf } from './marked-segments.ts';
import { hostileTexts } from './translation-texts.ts';

const cut = (text: string, maxLength = 40) => [...splitText({ text, language: 'en', maxLength })];

describe('pieces of a text', () => {
  test('join to the original text, and no translatable one is too long', () => {
    const texts = hostileTexts(300).map(({ text }) => text);
    for (const text of [...texts, texts.join(' '), texts.join(''), '😀'.repeat(99), '']) {
      const pieces = cut(text);
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      for (const piece of pieces) {
        if (!piece.translatable) expect(piece.text).not.toMatch(/\p{L}/u);
        else {
          expect(piece.text.length).toBeLessThanOrEqual(40);
          expect(piece.text).toBe(piece.text.trim());
        }
      }
    }
  });

  test('end at sentence ends, with as many sentences in one as fit', () => {
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

  test('have a maximum number of words, counting marks as word boundaries', () => {
    const cutting = { language: 'en', maxLength: 400, maxWords: 20 };
    const wordsOf = (text: string) => text.match(/[\p{L}\d]+/gu)?.length ?? 0;
    for (const text of ['a, '.repeat(900), 'a.'.repeat(900), 'é_7 '.repeat(900)]) {
      const pieces = [...splitText({ text, ...cutting })];
      expect(pieces.map((piece) => piece.text).join('')).toBe(text);
      expect(Math.max(...pieces.map((piece) => wordsOf(piece.text)))).toBe(20);
    }
    const lines = Array.from({ length: 200 }, (_, id) => ['a', { mark: 'lone', id } as const]);
    const pieces = [...splitSegment(lines.flat(), cutting)];
    expect(pieces.flatMap(({ content }) => content)).toEqual(lines.flat());
    expect(Math.max(...pieces.map(({ content }) => content.length))).toBe(2 * 20);
  });

  test('never split a character', () => {
    for (const piece of cut(`a${'😀'.repeat(99)}`, 40)) {
      expect(piece.text).not.toMatch(/[\ud800-\udbff]$|^[\udc00-\udfff]/);
    }
  });

  test('of a long line start and end at sentence boundaries', () => {
    const line = Array.from({ length: 400 }, (_, i) => {
      const words = 'very '.repeat((i * 7) % 60);
      return `Mr. Smith paid 3.50 for ${words}old no. ${i}${'.?!'.charAt(i % 3)} `;
    }).join('');
    const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' });
    const ends = new Set([0]);
    for (const { index, segment } of segmenter.segment(line)) ends.add(index + segment.length);
    let at = 0;
    for (const piece of cut(line, 400)) {
      if (piece.translatable) expect(ends).toContain(at);
      at += piece.text.length;
    }
    expect(at).toBe(line.length);
  });
});

describe('the work of cutting', () => {
  const lines = {
    'short sentences': (length: number) => 'a? '.repeat(length / 3),
    'a sentence without end': (length: number) => 'word '.repeat(length / 5),
    'no blanks': (length: number) => 'x'.repeat(length),
    // One sentence ends early in a window, and the next one does not end within it.
    'sentences as long as a window': (length: number) =>
      `No. ${'word '.repeat(190)}end. `.repeat(length / 960),
  };

  test.each(Object.entries(lines))(
    'grows linearly with the length of a line: %s',
    (_name, line) => {
      return expectSteadyTime((length) => cut(line(length), 400), { size: 480_000, littleMs: 20 });
    },
  );

  test('is done lazily, when a piece is taken', async () => {
    const text = 'a? '.repeat(160_000);
    const all = await processorMs(() => cut(text, 400));
    const tries: number[] = [];
    for (let count = 0; count < 5; count++) {
      const some = await processorMs(() => {
        const pieces = splitText({ text, language: 'en', maxLength: 400 });
        for (let i = 0; i < 3; i++) expect(pieces.next().value?.translatable).toBeDefined();
      });
      tries.push(some);
    }
    // Garbage collection of earlier work may fall into one of them.
    expect(Math.min(...tries)).toBeLessThan(all / 4);
  });
});

describe('the feed of pieces', () => {
  const feed = (texts: string[], translateText: (text: string) => Promise<string>) => {
    const call = new AbortController();
    const abandoned: unknown[] = [];
    const done = feedPieces({
      segments: plain(texts),
      language: 'en',
      maxLength: 400,
      translatePiece: (content) =>
        translateText(typeof content === 'string' ? content : plainText(content)),
      signal: call.signal,
      abandon: (reason) => abandoned.push(reason),
    });
    return { call, abandoned, done: done.then(textsOf) };
  };

  test('puts answers in place, in whatever order they arrive', async () => {
    const texts = ['One two. \n Three. '.repeat(200), '', ' 12 ', 'Four.'];
    let count = 0;
    const { done } = feed(texts, async (text) => {
      for (let rounds = (count++ * 5) % 7; rounds > 0; rounds--) await nextRound();
      return text.toUpperCase();
    });
    expect(await done).toEqual(texts.map((text) => text.toUpperCase()));
  });

  test('has only as many pieces in progress as keep an engine busy', async () => {
    let underWay = 0;
    let most = 0;
    const { done } = feed(['A sentence. '.repeat(10_000)], async (text) => {
      most = Math.max(most, ++underWay);
      for (let rounds = 0; rounds < 20; rounds++) await nextRound();
      underWay--;
      return text;
    });
    await done;
    expect(most).toBeGreaterThanOrEqual(16);
    expect(most).toBeLessThanOrEqual(64);
  });

  test('yields to other work, even when nothing needs translation', async () => {
    const texts = ['a? '.repeat(42_000), '1 '.repeat(63_000), 'a\n'.repeat(63_000)];
    for (const text of texts) {
      let rounds = 0;
      const end = new AbortController();
      const calls = Array.from({ length: 4 }, () => feed([text], (each) => Promise.resolve(each)));
      const all = Promise.all(calls.map(({ done }) => done)).finally(() => end.abort());
      for (; !end.signal.aborted; rounds++) await nextRound();
      expect((await all).every(([answer]) => answer === text)).toBe(true);
      // Four calls of 126,000 units, with some thousand units for each round.
      expect(rounds).toBeGreaterThan(100);
    }
  });

  test('ends on abort, also between pieces', async () => {
    const reason = new Error('no longer wanted');
    const { call, done } = feed(['1 '.repeat(63_000)], (each) => Promise.resolve(each));
    call.abort(reason);
    await expect(done).rejects.toBe(reason);
  });

  test('fails with the first failing piece, and aborts the others', async () => {
    const reason = new Error('cannot be translated');
    const { abandoned, done } = feed(['A sentence. '.repeat(100)], async (text) => {
      await nextRound();
      if (text !== '') throw reason;
      return text;
    });
    await expect(done).rejects.toBe(reason);
    expect(abandoned).toEqual([reason]);
  });
});

function nextRound(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
