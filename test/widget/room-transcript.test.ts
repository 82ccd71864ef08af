import { describe, expect, it } from 'vitest';
import type { RoomLine, RoomServerMessage } from '../../shared/protocol/room-messages.ts';
import {
  emptyRoomTranscript,
  paragraphStarts,
  receiveRoomMessage,
  withoutTentative,
  type RoomTranscript,
} from '../../widget/room-transcript.ts';

function lineOf(line: number, text: string, more: Partial<RoomLine> = {}): RoomLine {
  return { line, text, language: 'es', start_time: 0, end_time: 0, by: 'machine', ...more };
}

function captions(lines: RoomLine[], tentative = ''): RoomServerMessage {
  return { type: 'captions', language: 'es', sequence: 1, lines, tentative };
}

function history(lines: RoomLine[], replaces: boolean): RoomServerMessage {
  return { type: 'history', language: 'es', sequence: 1, replaces, lines };
}

function after(messages: RoomServerMessage[], from = emptyRoomTranscript): RoomTranscript {
  return messages.reduce(
    (transcript, message) => receiveRoomMessage(transcript, message).transcript,
    from,
  );
}

function texts({ lines }: RoomTranscript): string[] {
  return lines.map(({ text }) => text);
}

describe('lines of a room transcript', () => {
  it('are in the order of their numbers, in whatever order they arrive', () => {
    const transcript = after([
      captions([lineOf(5, 'fifth')]),
      captions([lineOf(9, 'ninth')]),
      captions([lineOf(7, 'seventh'), lineOf(1, 'first')]),
    ]);
    expect(texts(transcript)).toEqual(['first', 'fifth', 'seventh', 'ninth']);
  });

  it('are replaced by a later line of the same number, and removed by an empty one', () => {
    const before = after([captions([lineOf(1, 'one'), lineOf(2, 'tow'), lineOf(3, 'three')])]);
    const corrected = after([captions([lineOf(2, 'two', { by: 'person' })])], before);
    expect(texts(corrected)).toEqual(['one', 'two', 'three']);
    expect(corrected.lines[1]?.by).toBe('person');
    expect(texts(after([captions([lineOf(2, '')])], corrected))).toEqual(['one', 'three']);
    expect(texts(before)).toEqual(['one', 'tow', 'three']);
  });

  it('are not removed if they never existed', () => {
    const before = after([captions([lineOf(2, 'two')])]);
    expect(texts(after([captions([lineOf(1, ''), lineOf(3, '')])], before))).toEqual(['two']);
  });

  it('are merged with missed ones, and replaced by a complete history', () => {
    const before = after([captions([lineOf(1, 'one'), lineOf(4, 'four')], 'fi')]);
    const merged = after([history([lineOf(2, 'two'), lineOf(4, 'FOUR')], false)], before);
    expect(texts(merged)).toEqual(['one', 'two', 'FOUR']);
    const replaced = after([history([lineOf(8, 'eight')], true)], merged);
    expect(replaced).toEqual({ lines: [lineOf(8, 'eight')], tentative: '' });
  });

  it('are new only when they follow all others, not as corrections, late or in a history', () => {
    const before = after([captions([lineOf(3, 'three')])]);
    const added = (message: RoomServerMessage) =>
      receiveRoomMessage(before, message).added.map(({ text }) => text);
    expect(added(captions([lineOf(1, 'late'), lineOf(3, 'corrected'), lineOf(4, 'new')]))).toEqual([
      'new',
    ]);
    expect(added(history([lineOf(4, 'missed')], false))).toEqual(['missed']);
    expect(added(history([lineOf(9, 'old')], true))).toEqual([]);
  });
});

describe('tentative text of a room', () => {
  it('is replaced by the next tentative text, and removed with the line it becomes', () => {
    const begun = after([captions([], ' And '), captions([], ' And now')]);
    expect(begun.tentative).toBe('And now');
    expect(after([captions([lineOf(1, 'And now we go.')])], begun).tentative).toBe('');
  });

  it('stays during a missed correction, and can be discarded', () => {
    const begun = after([captions([lineOf(1, 'one')], 'two')]);
    expect(after([history([lineOf(1, 'ONE')], false)], begun).tentative).toBe('two');
    expect(withoutTentative(begun)).toEqual({ lines: begun.lines, tentative: '' });
  });

  it('is unaffected by other messages', () => {
    const begun = after([captions([lineOf(1, 'one')], 'two')]);
    expect(after([{ type: 'keep_alive' }], begun)).toBe(begun);
  });
});

describe('paragraphs of a room transcript', () => {
  const said = (line: number, startS: number, endS: number) =>
    lineOf(line, 'x', { start_time: startS * 1000, end_time: endS * 1000 });

  it('begin with the first line, after a silence, and at intervals', () => {
    const lines = [
      said(1, 0, 4),
      said(2, 5, 9),
      said(3, 22, 30),
      said(4, 31, 80),
      said(5, 81, 100),
    ];
    const starts = paragraphStarts(lines, { pauseMs: 12_000, longestMs: 55_000 });
    expect([...starts]).toEqual([1, 3, 5]);
  });
});
