import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SynthesisEngine } from '../../../server/engines/engine.ts';
import { createSpeechEncoders, type SpeechEncoders } from '../../../server/voice/audio/encode.ts';
import { synthesise, type MediaChunk } from '../../../server/voice/path/synthesise.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { targetMediaTypes, type TargetMediaFormat } from '../../../shared/target-media-type.ts';
import { loudness } from '../../engines/synthesis-conformance.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { DECODED_HZ, decodeTogether, probe } from '../../support/machine/media-probe.ts';
import { temporaryFolder } from '../../support/machine/temporary-folder.ts';
import { pieceProblem } from '../audio/piece-check.ts';
import {
  allChunks,
  childProcesses,
  concluded,
  espeakNg,
  formatOf,
  hummingEngine,
  replaying,
  SENTENCES,
} from './synthesise-support.ts';

/** Names as ffprobe reports them. */
const containers: Record<TargetMediaFormat['container'], string> = {
  ...{ ogg: 'ogg', webm: 'matroska,webm', matroska: 'matroska,webm', mpegts: 'mpegts' },
  ...{ flac: 'flac', pcm: 'none' },
};
const codecs: Record<TargetMediaFormat['codec'], string> = {
  ...{ opus: 'opus', flac: 'flac', aac: 'aac' },
  ...{ s16le: 'pcm_s16le', alaw: 'pcm_alaw', ulaw: 'pcm_mulaw' },
};
const TOLERANCE_MS = 50;
const MAX_MESSAGE_BYTES = 2 ** 20;

const log = recordLog();
let encoders: SpeechEncoders;
let engine: SynthesisEngine;
let once: SynthesisEngine;

beforeAll(async () => {
  encoders = await createSpeechEncoders({ log });
  engine = await espeakNg();
  once = replaying(engine);
});
afterAll(async () => {
  await encoders.close();
  await engine.close();
});

const sum = (chunks: readonly MediaChunk[]) =>
  chunks.reduce((total, { durationMs }) => total + durationMs, 0);
const joined = (chunks: readonly MediaChunk[]) =>
  Buffer.concat(chunks.flatMap(({ pieces }) => pieces));

function save(bytes: Uint8Array): string {
  const file = path.join(temporaryFolder(), 'speech');
  writeFileSync(file, bytes);
  return file;
}

/** Distinct formats: some content types are aliases, and WebM is Matroska. */
const formats = new Map(
  targetMediaTypes
    .filter((contentType) => contentType !== 'audio/x-matroska;codecs=opus')
    .map((contentType) => {
      const format = formatOf(contentType);
      return [`${format.container} ${format.codec} ${format.sampleRateHz}`, format];
    }),
);

describe('speech in every format', () => {
  interface Spoken {
    format: TargetMediaFormat;
    chunks: MediaChunk[];
  }
  const SHARE = 0.6;
  let all: Spoken[];
  beforeAll(async () => {
    const [first = '', ...others] = SENTENCES;
    all = [];
    for (const format of formats.values()) {
      const updates = concluded(first, ' …', others);
      const chunks = await allChunks(updates, { engine: once, encoders, format });
      all.push({ format, chunks });
    }
  });

  /** What has arrived of a stream after some time. */
  function begun(chunks: readonly MediaChunk[]): Buffer {
    const headerCount = chunks[0]?.headerCount ?? 0;
    const pieces = chunks.flatMap((chunk) => chunk.pieces);
    const count = Math.round(headerCount + (pieces.length - headerCount) * SHARE);
    return Buffer.concat(pieces.slice(0, count));
  }

  it('decodes to the announced duration, and can be played up to any piece', async () => {
    const files = all.flatMap(({ format, chunks }) => [
      { format, file: save(joined(chunks)) },
      { format, file: save(begun(chunks)) },
    ]);
    const decoded = await decodeTogether(files);
    for (const [index, { format, chunks }] of all.entries()) {
      const [whole, start] = decoded.slice(2 * index) as [Int16Array, Int16Array];
      const lengthMs = (whole.length / DECODED_HZ) * 1000;
      expect(Math.abs(lengthMs - sum(chunks)), format.contentType).toBeLessThan(TOLERANCE_MS);
      expect(loudness(whole), format.contentType).toBeGreaterThan(500);
      const startMs = (start.length / DECODED_HZ) * 1000;
      expect(startMs, format.contentType).toBeGreaterThan(sum(chunks) * (SHARE - 0.2));
    }
  });

  it('comes in indivisible pieces, and in chunks of short duration', () => {
    for (const { format, chunks } of all) {
      const [first, ...others] = chunks;
      expect(first?.headerCount).toBeDefined();
      for (const { headerCount } of others) expect(headerCount).toBeUndefined();
      const headerCount = first?.headerCount ?? 0;
      for (const [index, piece] of chunks.flatMap(({ pieces }) => pieces).entries()) {
        expect(pieceProblem(piece, format, index < headerCount)).toBeUndefined();
      }
      for (const { pieces, durationMs } of chunks) {
        expect(durationMs).toBeLessThanOrEqual(500);
        const sizeBytes = pieces.reduce((total, { length }) => total + length, 0);
        expect(sizeBytes).toBeLessThan(MAX_MESSAGE_BYTES / 2);
      }
    }
  });

  it('has the text of each segment in its first chunk, and omits texts that cannot be spoken', () => {
    for (const { chunks } of all) {
      expect(chunks.flatMap(({ text }) => text ?? [])).toEqual(SENTENCES);
      expect(chunks[0]?.text).toBe(SENTENCES[0]);
    }
  });

  // Raw samples have no structure that ffprobe could verify; times are the container's, whatever is in it.
  const probed = ({ contentType, container }: TargetMediaFormat) =>
    container !== 'pcm' && !/mp2t;codecs=aac|matroska;codecs=flac/.test(contentType);

  it('is a stream that ffprobe accepts, as long as its chunks say', async () => {
    for (const { format, chunks } of all.filter((each) => probed(each.format))) {
      const media = await probe(save(joined(chunks)), format);
      expect(media).toMatchObject({
        container: containers[format.container],
        ...{ codec: codecs[format.codec], sampleRateHz: format.sampleRateHz, channels: 1 },
      });
      expect(Math.abs(media.packetsMs - sum(chunks))).toBeLessThan(TOLERANCE_MS);
      if (media.toldMs !== undefined) {
        expect(Math.abs(media.toldMs - sum(chunks))).toBeLessThan(TOLERANCE_MS);
      }
    }
  });
});

describe('translated speech', () => {
  const format = formatOf('audio/webm;codecs=opus');

  it('is delivered whole for a segment before the next one is concluded', async () => {
    for (const contentType of ['audio/webm', 'video/mp2t;codecs=aac', 'audio/flac']) {
      const humming = hummingEngine();
      let isHeard = 0;
      let goOn: () => void = () => undefined;
      const until = new Promise<void>((resolve) => (goOn = resolve));
      async function* waiting() {
        yield* concluded('one two three four five six seven');
        await until;
        yield* concluded('and more');
      }
      const { signal } = new AbortController();
      const options = { engine: humming, encoders, format: formatOf(contentType), signal };
      const speaking = { ...options, language: 'en', gender: undefined };
      let secondMs = 0;
      for await (const { durationMs, text } of synthesise(waiting(), speaking)) {
        if (text === 'and more') secondMs = isHeard;
        isHeard += durationMs;
        // All of the first segment, before the second is even concluded.
        if (isHeard >= 33 * 4 * 5) goOn();
      }
      expect(secondMs).toBeGreaterThanOrEqual(33 * 4 * 5);
      expect(secondMs).toBeLessThan(33 * 4 * 5 + 150);
    }
  });

  it('keeps the order and loses nothing, even when many segments come at once', async () => {
    const texts = Array.from({ length: 12 }, (_, index) => `segment ${index}`);
    const humming = hummingEngine();
    const chunks = await allChunks(concluded(texts), { engine: humming, encoders, format });
    expect(chunks.flatMap(({ text }) => text ?? [])).toEqual(texts);
    expect(humming.spoken).toEqual(texts);
  });

  it('resumes a sentence that failed once where it broke off', async () => {
    const failing = hummingEngine((text, tries) => {
      if (text === 'two' && tries === 1) throw new ServiceError('synthesis_failed', 'No.');
    });
    const sound = hummingEngine();
    const texts = ['one', 'two', 'six'];
    const once = await allChunks(concluded(texts), { engine: sound, encoders, format });
    const chunks = await allChunks(concluded(texts), { engine: failing, encoders, format });
    expect(failing.spoken).toEqual(['one', 'two', 'two', 'six']);
    expect(chunks.flatMap(({ text }) => text ?? [])).toEqual(texts);
    expect(sum(chunks)).toBe(sum(once));
  });

  it('fails when a sentence fails twice', async () => {
    const failing = hummingEngine((text) => {
      if (text === 'two') throw new ServiceError('synthesis_failed', 'No.');
    });
    const chunks = allChunks(concluded(['one', 'two']), { engine: failing, encoders, format });
    await expect(chunks).rejects.toMatchObject({ code: 'synthesis_failed' });
  });

  it('does not retry after an unexpected error', async () => {
    const broken = hummingEngine(() => {
      throw new TypeError('a fault');
    });
    const chunks = allChunks(concluded('one'), { engine: broken, encoders, format });
    await expect(chunks).rejects.toThrow(TypeError);
    expect(broken.spoken).toEqual(['one']);
  });

  it('fails with the error of its captions', async () => {
    async function* failing() {
      yield* concluded('one');
      throw new RangeError('of the captions');
    }
    const chunks = allChunks(failing(), { engine: hummingEngine(), encoders, format });
    await expect(chunks).rejects.toThrow('of the captions');
  });

  it('is not synthesised much further ahead than its reader has read', async () => {
    const texts = Array.from({ length: 40 }, (_, index) => `${index}`.padEnd(100, ' long'));
    const humming = hummingEngine();
    const { signal } = new AbortController();
    const options = {
      language: 'en',
      gender: undefined,
      engine: humming,
      encoders,
      format,
      signal,
    };
    const reading = synthesise(concluded(texts), options)[Symbol.asyncIterator]();
    await reading.next();
    // Each text lasts two seconds; twenty seconds are synthesised ahead, and a little more is in transit.
    await expect.poll(() => humming.spoken.length).toBeGreaterThan(8);
    for (let turn = 0; turn < 200; turn += 1) await new Promise((done) => setImmediate(done));
    expect(humming.spoken.length).toBeLessThan(14);
    await reading.return(undefined);
  });

  it('ends with the reason of an abort, and leaves no process behind', async () => {
    const controller = new AbortController();
    const { signal } = controller;
    const long = concluded('A long sentence that goes on and on. '.repeat(400));
    const options = { engine, encoders, format: formatOf('video/mp2t;codecs=aac'), signal };
    const speaking = { ...options, language: 'en', gender: undefined };
    const reading = (async () => {
      for await (const { durationMs } of synthesise(long, speaking)) {
        if (durationMs > 0) controller.abort(new Error('enough'));
      }
    })();
    await expect(reading).rejects.toThrow('enough');
    await expect.poll(childProcesses).toEqual([]);
  });

  it('leaves no process behind when its reader leaves', async () => {
    const { signal } = new AbortController();
    const long = concluded('A long sentence that goes on and on. '.repeat(400));
    const options = { engine, encoders, format: formatOf('audio/x-matroska;codecs=aac'), signal };
    const speaking = { ...options, language: 'en', gender: undefined };
    for await (const { durationMs } of synthesise(long, speaking)) if (durationMs > 0) break;
    await expect.poll(childProcesses).toEqual([]);
  });

  it('stays a valid stream for any texts', async () => {
    const texts = [
      ' 😀🎉👩‍👩‍👧',
      '?!',
      'one\u0000two\u0001\u001b[31m three\r\n\tfour',
      "[[h@l'oU]] <speak>&amp;</speak> -v de $(id)",
      '\ud800 broken \udfff',
      'x'.repeat(30),
      'word '.repeat(8),
      '½ ①②③ Ω≈ç√ ﬁ e\u0301\u0323',
    ];
    const chunks = await allChunks(concluded(texts), { engine, encoders, format });
    const media = await probe(save(joined(chunks)), format);
    expect(Math.abs(media.packetsMs - sum(chunks))).toBeLessThan(TOLERANCE_MS);
    expect(media.packetsMs).toBeGreaterThan(5_000);
    expect(chunks.flatMap(({ text }) => text ?? [])).toEqual(
      texts.filter((text) => /[\p{L}\p{N}]/u.test(text)),
    );
  });

  it('is empty when nothing is concluded', async () => {
    const humming = hummingEngine();
    expect(await allChunks(concluded([]), { engine: humming, encoders, format })).toEqual([]);
    expect(await allChunks(concluded('…'), { engine: humming, encoders, format })).toEqual([]);
  });
});
