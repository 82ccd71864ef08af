import { chmodSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { startWorker } from '../../../server/process/index.ts';
import { processTree } from '../../../server/process/supervision.ts';
import { createSpeechEncoders, type SpeechEncoders } from '../../../server/voice/audio/encode.ts';
import { targetMediaTypes } from '../../../shared/target-media-type.ts';
import { builtModule } from '../../support/suite/built-product.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { childProcesses, formatOf, hum } from '../path/synthesise-support.ts';

const log = recordLog();
const { signal } = new AbortController();
const opus = formatOf('audio/webm');
const aac = formatOf('video/mp2t;codecs=aac');
let encoders: SpeechEncoders;

afterEach(() => encoders.close());

/** Writes an executable shell script that takes ffmpeg's place; returns its path. */
function standIn(script: string): string {
  const program = path.join(temporaryFolder(), 'ffmpeg-stand-in');
  writeFileSync(program, `#!/bin/sh\ncase "$2" in -decoders) exit 0;; esac\n${script}\n`);
  chmodSync(program, 0o755);
  return program;
}

/** Speech encoders that need no FFmpeg, whose search takes longer than most tests. */
const withoutFfmpeg = { log, ffmpeg: '/nowhere/ffmpeg' };

describe('speech encoders', () => {
  it('without ffmpeg support all formats but AAC and report the reason, are spread over threads, and accept nothing once closed', async () => {
    encoders = await createSpeechEncoders({ ...withoutFfmpeg, streamsPerWorker: 2, maxWorkers: 2 });
    const without = targetMediaTypes.filter((contentType) => !contentType.includes('aac'));
    expect(encoders.contentTypes).toEqual(without);
    expect(encoders.problem).toContain('ffmpeg');
    const open = () => encoders.open(opus, signal);
    const four = await Promise.all([open(), open(), open(), open()]);
    // All threads are full.
    await expect(open()).rejects.toMatchObject({ code: 'too_many_sessions' });
    four[0].close();
    const fifth = await open();
    await fifth.encode(hum(400));
    expect(await fifth.flush()).not.toEqual([]);
    await encoders.close();
    await expect(fifth.encode(hum(100))).rejects.toMatchObject({ code: 'synthesis_failed' });
    await expect(open()).rejects.toMatchObject({ code: 'stopping' });
  });

  it('survive a crashing thread except for the streams on it', async () => {
    let isFirst = true;
    const module = builtModule('server/voice/audio/encode.ts');
    encoders = await createSpeechEncoders({
      ...withoutFfmpeg,
      startEncodeWorker() {
        if (!isFirst) return startWorker(module, './encode-worker');
        isFirst = false;
        return new Worker(
          `require('node:worker_threads').parentPort.once('message', () => process.exit(3))`,
          { eval: true },
        );
      },
    });
    await expect(encoders.open(opus, signal)).rejects.toMatchObject({ code: 'synthesis_failed' });
    const encoder = await encoders.open(opus, signal);
    expect(await encoder.encode(hum(400))).not.toEqual([]);
  });

  it('fail the stream of a thread that hangs', async () => {
    encoders = await createSpeechEncoders({
      ...withoutFfmpeg,
      watchdogMs: 200,
      startEncodeWorker: () =>
        new Worker(
          `const { parentPort } = require('node:worker_threads');
          parentPort.postMessage({ kind: 'ready' });
          const pieces = { bytes: new ArrayBuffer(0), sizesBytes: [], durationsMs: [] };
          parentPort.once('message', ({ streamId }) => {
            parentPort.postMessage({ streamId, pieces });
            parentPort.on('message', () => { for (;;); });
          });`,
          { eval: true },
        ),
    });
    const encoder = await encoders.open(opus, signal);
    await expect(encoder.encode(hum(400))).rejects.toMatchObject({ code: 'synthesis_failed' });
  });

  it.each([
    ['fails at once', 'exit 1'],
    [
      'says something else',
      'echo "This is not the sound that anybody has asked for."; cat >/dev/null',
    ],
    [
      'ends in the middle of a frame',
      "printf '\\377\\361\\130\\100\\075\\377\\374'; cat >/dev/null",
    ],
  ])('fail when ffmpeg %s', async (_, script) => {
    encoders = await createSpeechEncoders({ log, ffmpeg: standIn(script) });
    const encoder = await encoders.open(aac, signal);
    const speaking = (async () => {
      for (let turn = 0; turn < 20; turn += 1) await encoder.encode(hum(400));
      await encoder.flush();
    })();
    await expect(speaking).rejects.toMatchObject({ code: 'synthesis_failed' });
    encoder.close();
  });

  it('support all formats, reject every operation after an abort, and leave no ffmpeg process behind', async () => {
    encoders = await createSpeechEncoders({ log });
    expect(encoders.contentTypes).toEqual(targetMediaTypes);
    expect(encoders.problem).toBeUndefined();
    for (const format of [opus, aac]) {
      const controller = new AbortController();
      const encoder = await encoders.open(format, controller.signal);
      await encoder.encode(hum(400));
      const flushing = encoder.flush();
      controller.abort(new Error('enough'));
      await expect(flushing).rejects.toThrow('enough');
      await expect(encoder.encode(hum(400))).rejects.toThrow('enough');
      encoder.close();
      encoder.close();
    }
    const aborted = encoders.open(opus, AbortSignal.abort(new Error('before')));
    await expect(aborted).rejects.toThrow('before');
    await expect.poll(childProcesses).toEqual([]);
  });

  it('replace an ffmpeg process that ended before it was needed, and leave none behind', async () => {
    encoders = await createSpeechEncoders({ log });
    const before = processTree(process.pid);
    const started = () => processTree(process.pid).filter((pid) => !before.includes(pid));
    const encoder = await encoders.open(aac, signal);
    await expect.poll(childProcesses).toEqual(['ffmpeg']);
    for (const pid of started()) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It has ended together with the process around it.
      }
    }
    await expect.poll(started).toEqual([]);
    // The end of the process is reported a turn later.
    await setImmediate();
    await encoder.encode(hum(400));
    expect(await encoder.flush()).not.toEqual([]);
    expect(await encoder.flush()).toEqual([]);
    // The process for the next segment has already started.
    await expect.poll(childProcesses).toEqual(['ffmpeg']);
    encoder.close();
    await expect.poll(childProcesses).toEqual([]);
  });
});
