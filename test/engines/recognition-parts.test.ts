import { PassThrough } from 'node:stream';
import { describe, expect, test } from 'vitest';
import type { Recognition, Word } from '../../server/engines/engine.ts';
import { AudioHistory } from '../../server/engines/recognition/audio-history.ts';
import { RecognitionResults } from '../../server/engines/recognition/recognition-results.ts';
import { cutPoint, spokenWords } from '../../server/engines/recognition/segments.ts';
import {
  encodeFrame,
  FrameReader,
  FrameWriter,
  MAX_PAYLOAD_BYTES,
} from '../../server/process/frames.ts';

function word(text: string, startMs: number, endMs: number): Word {
  return { text, startMs, endMs };
}

describe('frames', () => {
  const sent: [number, string][] = [
    [1, 'one'],
    [2, ''],
    [255, 'x'.repeat(70_000)],
    [3, ''],
  ];

  test.each([1, 4, 5, 7, 4096, 1 << 20])('arrive whole in chunks of %i bytes', (chunkBytes) => {
    const bytes = Buffer.concat(sent.map(([kind, text]) => encodeFrame(kind, Buffer.from(text))));
    const received: [number, string][] = [];
    const reader = new FrameReader((kind, payload) => {
      received.push([kind, payload.toString()]);
    });
    for (let offset = 0; offset < bytes.byteLength; offset += chunkBytes) {
      reader.push(bytes.subarray(offset, offset + chunkBytes));
    }
    expect(received).toEqual(sent);
  });

  test('are written one at a time, each when the pipe has taken the one before', async () => {
    const pipe = new PassThrough({ highWaterMark: 16 });
    const received: [number, string][] = [];
    const reader = new FrameReader((kind, payload) => {
      received.push([kind, payload.toString()]);
    });
    const writer = new FrameWriter(pipe);
    const first = writer.write(1, Buffer.from('one'));
    expect(() => writer.write(2)).toThrow(/before/);
    pipe.on('data', (chunk: Buffer) => reader.push(chunk));
    await first;
    await writer.write(2);
    await writer.write(3, Buffer.alloc(10_000, 'x'));
    expect(received).toEqual([
      [1, 'one'],
      [2, ''],
      [3, 'x'.repeat(10_000)],
    ]);
  });

  test('that are too long are refused on both sides', () => {
    expect(() => encodeFrame(1, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).toThrow(RangeError);
    const reader = new FrameReader(() => {});
    expect(() => reader.push(Buffer.from([255, 255, 255, 255, 1]))).toThrow(RangeError);
  });
});

describe('the history of a stream', () => {
  test('gives back what it was given, wherever the ring wraps', () => {
    const history = new AudioHistory(10);
    let next = 0;
    for (const length of [4, 5, 7, 1, 9, 3, 10]) {
      const piece = Uint8Array.from({ length }, () => next++ % 251);
      expect(history.append(piece)).toBe(length);
      const start = history.end - length;
      const back = new Uint8Array(length + 5);
      expect(history.read(start, back)).toBe(length);
      expect(back.subarray(0, length)).toEqual(piece);
      history.dropBefore(history.end);
    }
  });

  test('takes in no more than it has room for', () => {
    const history = new AudioHistory(10);
    expect(history.append(new Uint8Array(8))).toBe(8);
    expect(history.append(new Uint8Array(8), 2)).toBe(2);
    expect(history.append(new Uint8Array(8))).toBe(0);
    history.dropBefore(3);
    expect([history.start, history.end]).toEqual([3, 10]);
    expect(history.append(new Uint8Array(8))).toBe(3);
  });
});

describe('the words of a hypothesis', () => {
  test('are without silence, noise and the marks of the dictionary', () => {
    const names = ['<s>', 'read(2)', '<sil>', '[NOISE]', "o'clock", '++um++', '[SPEECH]', '</s>'];
    const words = spokenWords(names.map((name, index) => word(name, index, index + 1)));
    expect(words).toEqual([word('read', 1, 2), word("o'clock", 4, 5)]);
  });

  test('are parted at the widest gap within bounds, the last of equals', () => {
    const words = [
      word('a', 0, 100),
      word('b', 900, 1000),
      word('c', 1100, 1200),
      word('d', 1300, 1400),
      word('e', 3000, 3100),
    ];
    expect(cutPoint(words, { earliestMs: 50, latestMs: 2000 })).toBe(500);
    expect(cutPoint(words, { earliestMs: 500, latestMs: 2000 })).toBe(1250);
    expect(cutPoint(words, { earliestMs: 500, latestMs: 3500 })).toBe(2200);
    expect(cutPoint(words, { earliestMs: 3100, latestMs: 3500 })).toBeUndefined();
    expect(cutPoint([], { earliestMs: 0, latestMs: 1 })).toBeUndefined();
  });
});

describe('results that wait to be read', () => {
  const partial = (text: string): Recognition => ({ kind: 'partial', text, startMs: 0, endMs: 1 });
  const final = (text: string): Recognition => ({
    ...{ kind: 'final', text, startMs: 0, endMs: 1 },
    words: [],
  });

  function results(): RecognitionResults {
    return new RecognitionResults({ onDemand: () => {}, onReturn: () => {} });
  }

  test('lose partials that were replaced, and finals never', async () => {
    const queue = results();
    for (const each of [partial('a'), partial('a b'), final('a b'), final('c'), partial('d')]) {
      queue.push(each);
    }
    queue.end();
    const read: Recognition[] = [];
    for await (const each of queue) read.push(each);
    expect(read).toEqual([final('a b'), final('c'), partial('d')]);
  });

  test('come before the error that ended them, which is told once', async () => {
    const queue = results();
    queue.push(final('a'));
    queue.end({ error: new Error('gone') });
    expect((await queue.next()).value).toEqual(final('a'));
    await expect(queue.next()).rejects.toThrow('gone');
    expect((await queue.next()).done).toBe(true);
  });

  test('are dropped by an abort', async () => {
    const queue = results();
    queue.push(final('a'));
    queue.abort({ error: new Error('enough') });
    await expect(queue.next()).rejects.toThrow('enough');
  });
});
