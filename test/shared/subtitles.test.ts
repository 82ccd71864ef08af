import fc from '../support/suite/properties.ts';
import { describe, expect, it } from 'vitest';
import {
  CUE_LIMITS,
  subtitleCues,
  toLines,
  toSrt,
  toVtt,
  type Cue,
  type TimedText,
} from '../../shared/subtitles.ts';

const spoken = (text: string, startMs: number, endMs: number): TimedText => ({
  ...{ text, startMs, endMs },
});
const textOf = (cue: Cue): string => cue.lines.join(' ');

describe('subtitle cues', () => {
  it('hold one sentence each, on two lines of similar length', () => {
    const cues = subtitleCues([
      spoken('We talk about the history of our city,', 500, 3_000),
      spoken(' and about its future. Thank you.', 3_000, 5_500),
    ]);
    expect(cues.map(({ lines }) => lines)).toEqual([
      ['We talk about the history of our city,', 'and about its future.'],
      ['Thank you.'],
    ]);
  });

  it('keep titles and initials with the name', () => {
    const text =
      'Our partners in Berlin, Dr. Schneider and J. Garcia, will join us. Thank you all.';
    const lines = subtitleCues([spoken(text, 0, 7_000)]).map(({ lines: each }) => each);
    expect(lines).toEqual([
      ['Our partners in Berlin,', 'Dr. Schneider and J. Garcia, will join us.'],
      ['Thank you all.'],
    ]);
    expect(toLines([spoken(text, 0, 7_000)])).toBe(`${text.replace('us. ', 'us.\n')}\n`);
  });

  it('end at a comma rather than in the middle of a clause', () => {
    const text =
      'When the ship came into the harbour in the early morning, nobody who was standing on the quay knew what it carried.';
    const [first] = subtitleCues([spoken(text, 0, 7_500)]);
    expect(textOf(first!)).toBe('When the ship came into the harbour in the early morning,');
  });

  it('end at a silence', () => {
    const cues = subtitleCues([spoken('One', 0, 900), spoken(' two', 5_000, 6_200)]);
    expect(cues).toEqual([
      { startMs: 0, endMs: 1_000, lines: ['One'] },
      { startMs: 5_000, endMs: 6_200, lines: ['two'] },
    ]);
  });

  it('split text without blanks, but not before a closing mark', () => {
    const text =
      '今天我们来谈谈这座城市的历史以及它的未来还有住在这里的人们的故事和他们的梦想。'.repeat(3);
    const lines = subtitleCues([spoken(text, 0, 20_000)]).flatMap((cue) => cue.lines);
    expect(lines.join('')).toBe(text);
    expect(lines.some((line) => line.startsWith('。'))).toBe(false);
  });

  const segments = fc
    .array(
      fc.record({
        text: fc.oneof(
          fc.string({ unit: 'grapheme', maxLength: 60 }),
          fc
            .array(fc.constantFrom('a', 'word', 'sentences.', 'clauses,', '日本語', '-->', '<i>'))
            .map((words) => ` ${words.join(' ')}`),
        ),
        pauseMs: fc.nat(4_000),
        durationMs: fc.nat(12_000),
      }),
      { maxLength: 12 },
    )
    .map((pieces) => {
      let atMs = 0;
      return pieces.map(({ text, pauseMs, durationMs }) => {
        const startMs = atMs + pauseMs;
        atMs = startMs + durationMs;
        return { text, startMs, endMs: atMs };
      });
    });
  const squeezed = (text: string): string => text.replaceAll(/\s+/gu, '');

  it('keep every character and every limit for any text', () => {
    fc.assert(
      fc.property(segments, (said) => {
        const cues = subtitleCues(said);
        expect(squeezed(cues.flatMap(({ lines }) => lines).join(''))).toBe(
          squeezed(said.map(({ text }) => text).join('')),
        );
        cues.forEach(({ startMs, endMs, lines }, index) => {
          expect(lines.length).toBeGreaterThan(0);
          expect(lines.length).toBeLessThanOrEqual(CUE_LIMITS.lines);
          for (const line of lines) {
            expect(Array.from(line).length).toBeLessThanOrEqual(CUE_LIMITS.lineCharacters);
            expect(line).toBe(line.trim());
          }
          expect(endMs - startMs).toBeGreaterThanOrEqual(CUE_LIMITS.leastMs);
          expect(endMs - startMs).toBeLessThanOrEqual(CUE_LIMITS.mostMs);
          expect(startMs).toBeGreaterThanOrEqual(cues[index - 1]?.endMs ?? 0);
        });
      }),
    );
  });

  it('have one arrow each in both formats, and no empty lines inside', () => {
    fc.assert(
      fc.property(segments, (said) => {
        const cues = subtitleCues(said);
        for (const file of [toSrt(cues), toVtt(cues)]) {
          expect(file.split('-->')).toHaveLength(cues.length + 1);
        }
        expect(toSrt(cues).split('\n\n').filter(Boolean)).toHaveLength(cues.length);
        expect(toVtt(cues).trimEnd().split('\n\n')).toHaveLength(cues.length + 1);
      }),
    );
  });
});

const cues: Cue[] = [
  { startMs: 0, endMs: 1_500, lines: ['Fish & chips', '<b> --> now'] },
  { startMs: 3_661_001, endMs: 3_662_001, lines: ['¡Hola!'] },
];

it('writes SubRip', () => {
  expect(toSrt(cues)).toBe(
    '1\n00:00:00,000 --> 00:00:01,500\nFish & chips\n<\u2060b> → now\n\n' +
      '2\n01:01:01,001 --> 01:01:02,001\n¡Hola!\n',
  );
});

it('writes WebVTT with escaped markup', () => {
  expect(toVtt(cues)).toBe(
    'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nFish &amp; chips\n&lt;b&gt; --&gt; now\n\n' +
      '01:01:01.001 --> 01:01:02.001\n¡Hola!\n',
  );
  expect(toVtt([])).toBe('WEBVTT\n');
});

it('writes plain text with one sentence on each line', () => {
  const said = [spoken(' Good morning. How', 0, 900), spoken(' are you?', 900, 1_500)];
  expect(toLines(said)).toBe('Good morning.\nHow are you?\n');
  expect(toLines([spoken('你好。再见。', 0, 900)])).toBe('你好。\n再见。\n');
  expect(toLines([])).toBe('');
});
