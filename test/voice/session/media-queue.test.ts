import { describe, expect, it } from 'vitest';
import { createRealTimeMeter } from '../../../server/voice/session/media-queue.ts';

describe('the real-time meter', () => {
  it('lets twice real time pass for ever and refuses more', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    for (; nowMs < 600_000; nowMs += 100) meter(200);
    expect(() => {
      for (let chunk = 0; chunk < 100; chunk += 1) meter(200);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });

  it('lets audio through at once that a stalled network held back', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    nowMs = 15_000;
    expect(() => {
      for (let chunk = 0; chunk < 150; chunk += 1) meter(100);
    }).not.toThrow();
  });

  it('notices ten times real time within half a second', () => {
    let nowMs = 0;
    const meter = createRealTimeMeter('too fast', () => nowMs);
    expect(() => {
      for (; nowMs < 500; nowMs += 10) meter(100);
    }).toThrow(expect.objectContaining({ code: 'audio_too_fast' }) as Error);
  });
});
