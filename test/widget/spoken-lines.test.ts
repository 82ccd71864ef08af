import { expect, it } from 'vitest';
import { findSpokenLines, type SpokenLines } from '../../widget/spoken-lines.ts';
import { emptyTranscript, findTrack, receiveMessage } from '../../widget/transcript-state.ts';

/** Returns the lines that the element makes of segments. */
function linesOf(segments: readonly string[]) {
  let transcript = emptyTranscript({ sourceLanguage: 'en', targetLanguages: ['es'] });
  for (const text of segments) {
    const concluded = [{ text, start_time: 0, end_time: 1 }];
    const update = { language: 'es', concluded, tentative: [] };
    ({ transcript } = receiveMessage(transcript, { type: 'target_transcript_update', ...update }));
  }
  return findTrack(transcript, 'es')!.lines;
}

/** Returns the texts of the lines in which each segment is found. */
function follow(segments: readonly string[], spoken = segments): string[][] {
  const lines = linesOf(segments);
  let place: SpokenLines | undefined;
  return spoken.map((text) => {
    place = findSpokenLines(lines, text, place);
    const { first, last } = place ?? { first: 0, last: -1 };
    return lines.slice(first, last + 1).map(({ concluded }) => concluded.trim());
  });
}

it('a segment is found in its line, in several lines, and in a part of one', () => {
  expect(follow(['Uno. Dos.', ' Tres y', ' cuatro.', ' Cinco.'])).toEqual([
    ['Uno.', 'Dos.'],
    ['Tres y cuatro.'],
    ['Tres y cuatro.'],
    ['Cinco.'],
  ]);
});

it('a repeated segment is found at its next occurrence', () => {
  const lines = linesOf(['Sí.', ' Sí.', ' No.', ' Sí.']);
  const first = findSpokenLines(lines, 'Sí.');
  const second = findSpokenLines(lines, ' Sí.', first);
  const third = findSpokenLines(lines, ' Sí.', second);
  expect([first, second, third].map((place) => place?.first)).toEqual([0, 1, 3]);
});

it('unspoken segments are skipped, and missing text is not found', () => {
  expect(follow(['Uno.', ' …', ' Dos.'], ['Uno.', ' Dos.'])).toEqual([['Uno.'], ['Dos.']]);
  expect(findSpokenLines(linesOf(['Uno.']), 'Dos.')).toBeUndefined();
  expect(findSpokenLines([], 'Uno.')).toBeUndefined();
});
