import { EventEmitter } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { Recognition } from '../../server/engines/engine.ts';
import { HearingProcess, ProcessLost } from '../../server/engines/recognition/hearing-process.ts';
import { HearingProcesses } from '../../server/engines/recognition/hearing-processes.ts';
import { fromHearing } from '../../server/engines/recognition/hearing-protocol.ts';
import { RecognitionResults } from '../../server/engines/recognition/utterance-stream.ts';
import {
  encodeFrame,
  FrameReader,
  FrameWriter,
  MAX_PAYLOAD_BYTES,
  type PipedChild,
} from '../../server/process/children.ts';
import { recordLog } from '../support/product/log-record.ts';

describe('frames', () => {
  const sent: [number, string][] = [
    [1, 'one'],
    [2, ''],
    [255, 'x'.repeat(70_000)],
    [3, ''],
  ];

  test.each([1, 4, 5, 7, 4096, 1 << 20])('arrive complete in chunks of %i bytes', (chunkBytes) => {
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

  test('are written one at a time, each after the pipe has accepted the previous one', async () => {
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

  test('above the size limit are refused on both sides', () => {
    expect(() => encodeFrame(1, Buffer.alloc(MAX_PAYLOAD_BYTES + 1))).toThrow(RangeError);
    const reader = new FrameReader(() => {});
    expect(() => reader.push(Buffer.from([255, 255, 255, 255, 1]))).toThrow(RangeError);
  });
});

describe('queued results', () => {
  const partial = (text: string): Recognition => ({ kind: 'partial', text, startMs: 0, endMs: 1 });
  const final = (text: string): Recognition => ({
    kind: 'final',
    text,
    startMs: 0,
    endMs: 1,
    words: [],
  });

  function results(): RecognitionResults {
    return new RecognitionResults({ onDemand: () => {}, onReturn: () => {} });
  }

  test('lose replaced partials, and never finals', async () => {
    const queue = results();
    for (const each of [partial('a'), partial('a b'), final('a b'), final('c'), partial('d')]) {
      queue.push(each);
    }
    queue.end();
    const read: Recognition[] = [];
    for await (const each of queue) read.push(each);
    expect(read).toEqual([final('a b'), final('c'), partial('d')]);
  });

  test('precede the error that ends them, which is reported once', async () => {
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

/** Returns a process that loads its model within a turn, takes everything in and hears nothing. */
function recogniserProcess(news = encodeFrame(fromHearing.ready)): PipedChild {
  const pipes = { stdin: new PassThrough(), stdout: new PassThrough(), stderr: new PassThrough() };
  pipes.stdin.resume();
  const process = Object.assign(new EventEmitter(), pipes, {
    kill: () => setImmediate(() => process.emit('close', null, 'SIGKILL')),
  });
  setImmediate(() => pipes.stdout.write(news));
  return process as unknown as PipedChild;
}

describe('the processes of a recogniser', () => {
  test('make way for other hotwords only when they are loaded and no utterance waits for them', async () => {
    let starts = 0;
    const start = () => {
      starts += 1;
      return recogniserProcess();
    };
    const processes = new HearingProcesses({
      ...{ log: recordLog(), start, linesPerProcess: 8, maxProcesses: 1 },
      ...{ startTimeoutMs: 60_000, hangTimeoutMs: 60_000, idleMs: 60_000 },
    });
    const listener = { onPartial: () => {}, onPart: () => {} };
    const { signal } = new AbortController();
    const hear = async (term: string): Promise<void> => {
      const opening = { language: 'en', spokenTerms: [], hotwords: [term] };
      const line = await processes.open(opening, { signal, listener });
      line.close();
    };
    await Promise.all(['one', 'two', 'three'].map(hear));
    expect(starts).toBe(3);
    await processes.close();
  });

  test('go on when no other one can be started', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let starts = 0;
    const processes = new HearingProcesses({
      ...{ log: recordLog(), linesPerProcess: 64, comfortableLines: 1, maxProcesses: 2 },
      ...{ startTimeoutMs: 60_000, hangTimeoutMs: 60_000, idleMs: 60_000 },
      start: () => {
        starts += 1;
        if (starts === 1) return recogniserProcess();
        const process = recogniserProcess(Buffer.of());
        setImmediate(() => process.emit('close', 1, null));
        return process;
      },
    });
    const listener = { onPartial: () => {}, onPart: () => {} };
    const { signal } = new AbortController();
    const opening = { language: 'en', spokenTerms: [], hotwords: [] };
    for (let utterances = 0; utterances < 12; utterances += 1) {
      await processes.open(opening, { signal, listener });
      // Over all pauses between starts.
      await vi.advanceTimersByTimeAsync(4_000);
      await new Promise(setImmediate);
    }
    expect(starts).toBeGreaterThan(7);
    await processes.close();
  });

  test('that all have died and do not start tell so, and start again by themselves', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    let running: PipedChild | undefined;
    let canStart = true;
    const processes = new HearingProcesses({
      ...{ log: recordLog(), linesPerProcess: 8, maxProcesses: 2 },
      ...{ startTimeoutMs: 60_000, hangTimeoutMs: 60_000, idleMs: 60_000 },
      start: () => {
        running = recogniserProcess(canStart ? undefined : Buffer.of());
        if (!canStart) running.kill();
        return running;
      },
    });
    const pass = async (ms: number): Promise<void> => {
      await vi.advanceTimersByTimeAsync(ms);
      for (let turn = 0; turn < 3; turn += 1) await new Promise(setImmediate);
    };
    await processes.warmUp();
    expect(processes.retryInMs()).toBeUndefined();
    canStart = false;
    running?.kill();
    await pass(0);
    await pass(5_000);
    expect(processes.retryInMs()).toBe(5_000);
    await pass(2_000);
    expect(processes.retryInMs()).toBe(3_000);
    canStart = true;
    await pass(3_000);
    expect(processes.retryInMs()).toBeUndefined();
    await processes.close();
  });

  test('that do not start are logged with the reason they gave', async () => {
    const log = recordLog();
    const start = () => {
      const process = recogniserProcess(encodeFrame(fromHearing.failed, Buffer.from('no tokens')));
      setImmediate(() => process.kill());
      return process;
    };
    const processes = new HearingProcesses({
      ...{ log, start, linesPerProcess: 8, maxProcesses: 1 },
      ...{ startTimeoutMs: 60_000, hangTimeoutMs: 60_000, idleMs: 60_000 },
    });
    await expect(processes.warmUp()).rejects.toThrow('no tokens');
    expect(log.lines.at(-1)).toMatchObject({
      fields: { reason: 'no tokens' },
      message: 'a recogniser process did not start',
    });
    await processes.close();
  });
});

describe('a line of a recogniser process', () => {
  test('that is closed holds no call that still waits for the process', async () => {
    const pipes = {
      stdin: new PassThrough(),
      stdout: new PassThrough(),
      stderr: new PassThrough(),
    };
    const hearing = new HearingProcess({
      process: Object.assign(new EventEmitter(), pipes) as unknown as PipedChild,
      log: recordLog(),
      hangTimeoutMs: 60_000,
      onRoom: () => {},
    });
    const open = () =>
      hearing.open({ language: 'en', spokenTerms: [] }, { onPartial: () => {}, onPart: () => {} });
    const [ending, sending, other] = [open(), open(), open()];
    const concluded = ending.conclude(false);
    // More than may wait: the call lasts until some of it is heard.
    const sent = sending.send(new Uint8Array(64_000));
    let isOtherOver = false;
    const left = other.conclude(false).finally(() => (isOtherOver = true));
    ending.close();
    sending.close();
    await expect(concluded).rejects.toBeInstanceOf(ProcessLost);
    await expect(sent).rejects.toBeInstanceOf(ProcessLost);
    expect(isOtherOver).toBe(false);
    other.close();
    await expect(left).rejects.toBeInstanceOf(ProcessLost);
  });
});
