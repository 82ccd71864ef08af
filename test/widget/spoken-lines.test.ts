import { expect, it } from 'vitest';
import { findSpokenLines, type SpokenLines } from '../../widget/spoken-lines.ts';
import { emptyTranscript, findTrack, receiveMessage } from '../../widget/transcript-state.ts';

/** The lines that the element makes of segments. */
function linesOf(segments: readonly string[]) {
  let transcript = emptyTranscript({ sourceLanguage: 'en', targetLanguages: ['es'] });
  for (const text of segments) {
    const concluded = [{ text, start_time: 0, end_time: 1 }];
    const update = { language: 'es', concluded, tentative: [] };
    ({ transcript } = receiveMessage(transcript, { type: 'target_transcript_update', ...update }));
  }
  return findTrack(transcript, 'es')!.lines;
}

/** The texts of the lines that each segment is found in. */
function follow(segments: readonly string[], spoken = segments): string[][] {
  const lines = linesOf(segments);
  let place: SpokenLines | undefined;
  return spoken.map((text) => {
    place = findSpokenLines(lines, text, place);
    const { first, last } = place ?? { first: 0, last: -1 };
    return lines.slice(first, last + 1).map(({ concluded }) => concluded.trim());
  });
}

it('a segment is found in its line, in several of them, and in a part of one', () => {
  expect(follow(['Uno. Dos.', ' Tres y', ' cuatro.', ' Cinco.'])).toEqual([
    ['Uno.', 'Dos.'],
    ['Tres y cuatro.'],
    ['Tres y cuatro.'],
    ['Cinco.'],
  ]);
});

it('what is said twice is found where it is said next', () => {
  const lines = linesOf(['Sí.', ' Sí.', ' No.', ' Sí.']);
  const first = findSpokenLines(lines, 'Sí.');
  const second = findSpokenLines(lines, ' Sí.', first);
  const third = findSpokenLines(lines, ' Sí.', second);
  expect([first, second, third].map((place) => place?.first)).toEqual([0, 1, 3]);
});

it('segments that are not spoken are passed over, and text that is not there is not found', () => {
  expect(follow(['Uno.', ' …', ' Dos.'], ['Uno.', ' Dos.'])).toEqual([['Uno.'], ['Dos.']]);
  expect(findSpokenLines(linesOf(['Uno.']), 'Dos.')).toBeUndefined();
  expect(findSpokenLines([], 'Uno.')).toBeUndefined();
});
