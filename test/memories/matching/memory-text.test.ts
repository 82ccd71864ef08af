import fc from '../../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  matchScore,
  sameNumbers,
  readMemoryText,
} from '../../../server/memories/matching/memory-text.ts';
import type { TextSegment } from '../../../server/text/text-segment.ts';

const textOf = (text: string | TextSegment) =>
  readMemoryText(typeof text === 'string' ? [text] : text);
const score = (one: string | TextSegment, other: string | TextSegment, least = 0) =>
  matchScore(textOf(one), textOf(other), least);

describe('the score of a match', () => {
  it.each([
    [
      'one of eight words is another',
      'The red car stands in front of us',
      'The blue car stands in front of us',
      87,
    ],
    ['one of five words is missing', 'Close the door quietly now', 'Close the door now', 80],
    ['nothing is in common', 'Good morning', 'Close the door', 0],
    ['numbers differ', 'Page 3 of 12', 'Page 4 of 12', 98],
    ['punctuation differs', 'Close the door.', 'Close the door!', 99],
    ['capitals differ', 'Close the door', 'close the Door', 99],
    ['numbers and punctuation differ', 'Page 3.', 'Page 5', 97],
    ['one sign of ten is another', '我们今天一起去海边吧。', '我们明天一起去海边吧。', 90],
    ['words of Korean are words', '오늘 우리는 바다로 갑니다', '내일 우리는 바다로 갑니다', 75],
    ['apostrophes are written in two ways', 'I don’t know', "I don't know", 99],
  ])('when %s', (_case, one, other, expected) => {
    expect(score(one, other)).toBe(expected);
    expect(score(other, one)).toBe(expected);
  });

  it('loses two points for different tags', () => {
    const bold: TextSegment = [
      'Close the ',
      { mark: 'open', id: 1 },
      'door',
      { mark: 'close', id: 1 },
    ];
    expect(score(bold, 'Close the door')).toBe(97 + 1);
    expect(score(bold, ['Close the ', { mark: 'lone', id: 4 }, 'door'])).toBe(98);
  });

  const word = fc.constantFrom('the', 'a', 'red', 'car', 'house', '7', '12', 'is', ',', 'Open');
  const sentence = fc.array(word, { maxLength: 14 }).map((words) => words.join(' '));

  it('is symmetric, at most 99, and 0 below the requested minimum', () => {
    fc.assert(
      fc.property(sentence, sentence, fc.integer({ min: 1, max: 99 }), (one, other, least) => {
        const exact = score(one, other);
        expect(exact).toBeGreaterThanOrEqual(0);
        expect(exact).toBeLessThanOrEqual(99);
        expect(score(other, one)).toBe(exact);
        expect(score(one, other, least)).toBe(exact >= least ? exact : 0);
      }),
    );
  });

  it('agrees with a plain edit distance', () => {
    fc.assert(
      fc.property(sentence, sentence, (one, other) => {
        const [from, to] = [textOf(one).words, textOf(other).words];
        const length = Math.max(from.length, to.length);
        const share = length === 0 ? 100 : Math.floor((100 * (length - edits(from, to))) / length);
        const given = score(one, other);
        expect(given).toBeLessThanOrEqual(share);
        expect(given).toBeGreaterThanOrEqual(Math.min(99, share) - 6);
      }),
    );
  });
});

/** Levenshtein distance by its definition. */
function edits(from: readonly string[], to: readonly string[]): number {
  let before = to.map((_, index) => index + 1);
  for (const [row, word] of from.entries()) {
    const next: number[] = [];
    for (const [column, other] of to.entries()) {
      const diagonal = column === 0 ? row : before[column - 1]!;
      const left = column === 0 ? row + 1 : next[column - 1]!;
      next.push(Math.min(diagonal + (word === other ? 0 : 1), before[column]! + 1, left + 1));
    }
    before = next;
  }
  return to.length === 0 ? from.length : before.at(-1)!;
}

describe('comparing numbers', () => {
  it.each([
    ['1.5 km and 7 m', '1.5 km or 7 m', false],
    ['Run 1.5 km now', 'Walk 1.5 km then', false],
    ['We run 1.5 km on Monday.', 'They run 1.5 km on Friday!', true],
    ['At 9 the door closes', 'at 9 the gate closes', true],
    ['The door closes at 9, they say.', 'The gate closes at 9 they say', false],
    ['7 and 8', '8 and 7', false],
    ['7', 'seven', false],
    ['1,500', '1.500', false],
    ['Gate B13 closes soon', 'Gate B12 closes soon', false],
    ['Set the freezer to 5 degrees', 'Set the freezer to -5 degrees', false],
    ['The ratio must be >5', 'The ratio must be <5', false],
    ['The ratio must be > 5', 'The ratio must be < 5', false],
    ['It costs €5', 'It costs $5', false],
    ['It costs 5%', 'It costs 5 dollars', false],
    ['It costs 5 %', 'It costs 5 ‰', false],
    ['It costs 5 EUR', 'It costs 5 USD', false],
    ['It costs EUR 5', 'It costs USD 5', false],
    ['A plant of 5 MW', 'A plant of 5 mW', false],
    ['Take 5 + 3', 'Take 5 - 3', false],
    ['Take 5, 3', 'Take 5 3', false],
    ['Take 1 2 3', 'Take 12 3', false],
    ['一共5公里', '一共5公斤', false],
    ['我们9点关门，谢谢你们', '我们9点关门，再见朋友', true],
    ['ยาว 5 เซนติเมตร', 'จุ 5 เซนติลิตร', false],
  ])('of %s and of %s yields %s', (one, other, expected) => {
    expect(sameNumbers(textOf(one), textOf(other))).toBe(expected);
    expect(sameNumbers(textOf(other), textOf(one))).toBe(expected);
  });

  const SIGNS = Array.from('-+−–±<>≤≥=≠~€$£¥%‰°#');
  const written = fc.constantFrom(
    ...['5', '13', '1,500', '3.25', '-5', '>5', '> 5', '€5', '5%', '5 %', '5 EUR', '$ 7', '±2°'],
    ...['B13', 'CO2', '4x4', '90°', '3公里', '第3', 'v2.0-7', '10:30', '½', '٣'],
  );
  const plain = fc.constantFrom('the', 'gate', 'Closes', 'at', 'or', '我', 'km', '–', 'now,');
  const text = fc
    .tuple(fc.array(plain, { maxLength: 5 }), written, fc.array(fc.oneof(plain, written)))
    .map((parts) => parts.flat().join(' '));

  it('fails when a digit or a sign of any of them changes', () => {
    fc.assert(
      fc.property(text, fc.nat(), fc.constantFrom(...SIGNS), fc.nat(2), (before, at, sign, way) => {
        const places = [
          ...before.matchAll(/\p{N}+|(?<=\p{N} ?)[^\s\p{L}\p{N},]|[^\s\p{L}\p{N}](?= ?\p{N})/gu),
        ];
        const { 0: found = '', index = 0 } = places[at % places.length] ?? {};
        const isNumber = /\p{N}/u.test(found);
        const changed = isNumber
          ? [`${sign}${found}`, `${found}${sign}`, found === '7' ? '8' : '7'][way]
          : ['', found === sign ? '*' : sign, `${found}${sign}`][way];
        const after = `${before.slice(0, index)}${changed}${before.slice(index + found.length)}`;
        expect([after, sameNumbers(textOf(before), textOf(after))]).toEqual([after, false]);
        expect(sameNumbers(textOf(before), textOf(` ${before.replaceAll(' ', '  ')}`))).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('analysing a text', () => {
  it('takes time proportional to its length, whatever it contains', () => {
    for (const unit of [
      'a',
      '1.',
      '.',
      "'",
      'a’',
      '我',
      'e\u0301',
      ' ',
      '😀',
      '\u0001',
      '1 ',
      '1-a',
      '我1',
    ]) {
      const long = unit.repeat(200_000);
      const startedAtMs = performance.now();
      readMemoryText([long]);
      // Quadratic time would take minutes.
      expect(performance.now() - startedAtMs).toBeLessThan(10_000);
    }
  });
});
