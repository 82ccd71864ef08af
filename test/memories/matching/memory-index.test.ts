import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import { matchScore, readMemoryText } from '../../../server/memories/matching/memory-text.ts';
import {
  bucketOfKey,
  MemoryIndexBuilder,
  textsOfKey,
  FOUND_FROM_SCORE,
  keysOfText,
  keysToFind,
  type MemoryKey,
} from '../../../server/memories/matching/memory-index.ts';

const textOf = (text: string) => readMemoryText([text]);
const rest = async () => undefined;
const written = ({ high, low }: MemoryKey) => `${high} ${low}`;
const shareKey = (stored: string, asked: string) => {
  const keys = new Set(keysOfText(textOf(stored)).map(written));
  return keysToFind(textOf(asked), FOUND_FROM_SCORE).some((key) => keys.has(written(key)));
};

describe('the keys of a text', () => {
  const word = fc.integer({ min: 0, max: 5_000 }).map((number) => `w${number.toString(26)}x`);
  const change = fc.record({
    kind: fc.constantFrom('change', 'add', 'leave out'),
    at: fc.nat(1_000),
    word,
  });

  it('are shared by any two texts of up to 24 words with a score of 75 or more', () => {
    let compared = 0;
    fc.assert(
      fc.property(
        fc.array(word, { minLength: 1, maxLength: 24 }),
        fc.array(change, { maxLength: 6 }),
        (words, changes) => {
          const changed = [...words];
          for (const { kind, at, word: other } of changes) {
            const place = at % (changed.length + 1);
            if (kind === 'add') changed.splice(place, 0, other);
            else if (kind === 'leave out') changed.splice(place, 1);
            else changed.splice(place, 1, other);
          }
          const [one, other] = [words.join(' '), changed.slice(0, 24).join(' ')];
          if (matchScore(textOf(one), textOf(other), FOUND_FROM_SCORE) === 0) return;
          compared += 1;
          expect(shareKey(one, other)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    expect(compared).toBeGreaterThan(100);
  });

  it('number at most some hundreds for a text of any length', () => {
    for (const length of [1, 5, 12, 24, 60, 249, 250, 251, 5_000]) {
      const text = textOf(Array.from({ length }, (_, index) => `w${index}`).join(' '));
      expect(keysOfText(text).length).toBeLessThanOrEqual(12);
      expect(keysToFind(text, 0).length).toBeLessThanOrEqual(2_000);
      expect(keysToFind(text, FOUND_FROM_SCORE).length).toBeLessThanOrEqual(600);
    }
  });

  it('are reduced to one where only the same text is wanted', () => {
    expect(keysToFind(textOf('Close the door.'), 100)).toHaveLength(1);
  });
});

/** Builds an index of texts in memory. */
async function indexOf(texts: readonly string[]) {
  const builder = new MemoryIndexBuilder();
  for (const [number, text] of texts.entries()) builder.add(keysOfText(textOf(text)), number);
  const buckets = new Map<number, Uint8Array>();
  for await (const { bucket, entries } of builder.buckets(rest)) buckets.set(bucket, entries);
  const find = ({ high, low }: MemoryKey) =>
    textsOfKey(buckets.get(bucketOfKey(high, builder.bucketCount)) ?? new Uint8Array(), low);
  return { buckets, find, bucketCount: builder.bucketCount };
}

describe('the memory index', () => {
  it('finds each of many texts by its exact key', async () => {
    const texts = Array.from(
      { length: 2_000 },
      (_, index) => `Sentence number ${index} of w${index}`,
    );
    const { find, buckets, bucketCount } = await indexOf(texts);
    for (const [number, text] of texts.entries()) {
      const [exact] = keysToFind(textOf(text), 100);
      expect(find(exact!)).toEqual([number]);
    }
    expect(buckets.size).toBeLessThanOrEqual(bucketCount);
    // A search reads little, however the keys are distributed.
    expect(Math.max(...[...buckets.values()].map(({ length }) => length))).toBeLessThan(2_048);
  });

  it('keeps only the newest of many equal texts', async () => {
    const { find, buckets } = await indexOf(Array.from({ length: 3_000 }, () => 'Close the door.'));
    const [exact] = keysToFind(textOf('Close the door.'), 100);
    expect(find(exact!)).toEqual(Array.from({ length: 16 }, (_, index) => 2_999 - index));
    const bytes = [...buckets.values()].reduce((sum, { length }) => sum + length, 0);
    expect(bytes).toBeLessThanOrEqual(8 * 16 * keysOfText(textOf('Close the door.')).length);
  });

  it('is empty for no texts', async () => {
    const { bucketCount, buckets } = await indexOf([]);
    expect(bucketCount).toBe(0);
    expect(buckets.size).toBe(0);
  });
});
