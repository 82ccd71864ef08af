import { describe, expect, it } from 'vitest';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import {
  createSessionMeter,
  MediaQueue,
  RealTimeMeter,
} from '../../../server/voice/session/media-queue.ts';
import { UTTERANCE_END, type MediaPiece } from '../../../server/voice/audio/media.ts';

describe('the waiting time of compressed audio', () => {
  function queueAt() {
    const clock = { ms: 5_000 };
    const queue = new MediaQueue({
      format: parseSourceMediaType('audio/webm;codecs=opus')!,
      maxLagMs: 10_000,
      hold: () => undefined,
      now: () => clock.ms,
    });
    const come = (chunks: number, everyMs: number) => {
      for (let count = 0; count < chunks; count += 1) {
        clock.ms += everyMs;
        queue.push(new Uint8Array(100));
      }
    };
    return { queue, clock, come };
  }

  it('is the time over which the audio arrived, as long as none of it was decoded', () => {
    const { queue, clock, come } = queueAt();
    come(1, 250);
    come(12, 250);
    expect(queue.waitingMs).toBe(3_000);
    clock.ms += 60_000;
    expect(queue.waitingMs).toBe(3_000);
    come(1, 250);
    expect(queue.waitingMs).toBe(4_000);
  });

  it('follows from its bytes, once the byte rate is known', () => {
    const { queue, come } = queueAt();
    come(21, 500);
    for (let taken = 0; taken < 11; taken += 1) queue.take();
    queue.decoded(1_100);
    expect(queue.waitingMs).toBe(1_000);
    for (let taken = 0; taken < 10; taken += 1) queue.take();
    expect(queue.waitingMs).toBe(0);
  });

  it('is zero when everything was taken, with or without sound', () => {
    const { queue, come } = queueAt();
    come(10, 500);
    for (let taken = 0; taken < 10; taken += 1) queue.take();
    expect(queue.waitingMs).toBe(0);
  });
});

it('an utterance ends once, also when the server that had the session may not have kept its end', () => {
  const pieces: MediaPiece[] = [];
  const queue = new MediaQueue({
    format: parseSourceMediaType('audio/pcm;encoding=s16le;rate=16000')!,
    maxLagMs: 10_000,
    hold: () => undefined,
    onPiece: (piece) => pieces.push(piece),
    receivedBytes: 3_200,
  });
  queue.endUtterance();
  queue.endUtterance();
  expect(pieces).toEqual([UTTERANCE_END]);
});

describe('the real-time meter', () => {
  const pcm = parseSourceMediaType('audio/pcm;encoding=s16le;rate=16000')!;

  it('accepts twice real time for ever, and refuses more', () => {
    const meter = new RealTimeMeter('too fast', undefined, 0);
    let nowMs = 0;
    for (; nowMs < 600_000; nowMs += 100) meter.count(200, nowMs);
    expect(() => {
      for (let chunk = 0; chunk < 100; chunk += 1) meter.count(200, nowMs);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });

  it('accepts a burst after a stalled network', () => {
    const meter = new RealTimeMeter('too fast', undefined, 0);
    expect(() => {
      for (let chunk = 0; chunk < 150; chunk += 1) meter.count(100, 15_000);
    }).not.toThrow();
  });

  it('detects ten times real time within half a second', () => {
    const meter = new RealTimeMeter('too fast', undefined, 0);
    expect(() => {
      for (let nowMs = 0; nowMs < 500; nowMs += 10) meter.count(100, nowMs);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });

  it('accepts a burst that a failed server would have taken', () => {
    const before = { elapsedMs: 10_000, receivedMs: 4_000 };
    const meter = createSessionMeter(pcm, before, 0);
    for (let leftMs = 18_000; leftMs > 0; leftMs -= 100) meter.count(100, 0);
    expect(() => meter.count(100, 0)).toThrow('real time');
  });

  it('accepts at another server no more than a stalled network may deliver', () => {
    const before = { elapsedMs: 3_600_000, receivedMs: 4_000 };
    const meter = createSessionMeter(pcm, before, 0);
    for (let leftMs = 30_000; leftMs > 0; leftMs -= 100) meter.count(100, 0);
    expect(() => meter.count(100, 0)).toThrow('real time');
  });

  it('accepts compressed silence that a mean bit rate delivers at once, and samples only in time', () => {
    const opus = createSessionMeter(parseSourceMediaType('audio/ogg')!, undefined, 0);
    for (let leftMs = 30_000; leftMs > 0; leftMs -= 10_000) opus.count(10_000, 0);
    expect(() => opus.count(100, 0)).toThrow('real time');
    const samples = createSessionMeter(pcm, undefined, 0);
    samples.count(2_000, 0);
    expect(() => samples.count(100, 0)).toThrow('real time');
  });
});
