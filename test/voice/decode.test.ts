import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseSourceMediaType, sourceMediaTypes } from '../../shared/media-type.ts';
import { createAudioDecoders, type AudioDecoders } from '../../server/voice/decode.ts';
import {
  correlate,
  cut,
  decodedByFfmpeg,
  encoded,
  encodedFile,
  samplesOf,
} from '../support/audio-files.ts';
import { recordLog } from '../support/log-record.ts';
import {
  ebmlHeader,
  element,
  openCluster,
  openSegment,
  opusHead,
  tracks,
} from '../support/matroska-writer.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const pcm = (codec: string, rateHz: number) => ['-f', codec, '-ar', `${rateHz}`];

interface Sample {
  contentType: string;
  extension: string;
  args: string[];
  /** How ffmpeg is told to read it. */
  input?: string[];
}

const linear: Sample[] = [8000, 16_000, 44_100, 48_000].map((rateHz) => ({
  contentType: `audio/pcm;encoding=s16le;rate=${rateHz}`,
  extension: 'raw',
  args: pcm('s16le', rateHz),
  input: pcm('s16le', rateHz),
}));
const samples: Sample[] = [
  ...linear,
  {
    contentType: 'audio/pcm;encoding=alaw;rate=8000',
    extension: 'al',
    args: pcm('alaw', 8000),
    input: pcm('alaw', 8000),
  },
  {
    contentType: 'audio/pcm;encoding=ulaw;rate=8000',
    extension: 'ul',
    args: pcm('mulaw', 8000),
    input: pcm('mulaw', 8000),
  },
  { contentType: 'audio/webm;codecs=opus', extension: 'webm', args: opus },
  { contentType: 'audio/webm', extension: 'webm', args: [...opus, '-f', 'webm', '-live', '1'] },
  { contentType: 'audio/x-matroska;codecs=opus', extension: 'mka', args: opus },
  { contentType: 'audio/x-matroska', extension: 'mka', args: [...opus, '-frame_duration', '60'] },
  { contentType: 'audio/ogg;codecs=opus', extension: 'ogg', args: opus },
  { contentType: 'audio/ogg', extension: 'ogg', args: [...opus, '-frame_duration', '120'] },
];

let decoders: AudioDecoders;
beforeAll(() => {
  decoders = createAudioDecoders({ log: recordLog() });
});
afterAll(() => decoders.close());

function formatOf(contentType: string) {
  return parseSourceMediaType(contentType)!;
}

async function* streamed(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

interface Given {
  contentType: string;
  sampleRateHz?: number;
  signal?: AbortSignal;
  meter?: (durationMs: number) => void;
}

function decode(media: AsyncIterable<Uint8Array>, given: Given): AsyncIterable<Uint8Array> {
  const { contentType, sampleRateHz = 16_000, signal = new AbortController().signal } = given;
  const meter = given.meter === undefined ? {} : { meter: given.meter };
  return decoders.decode(media, {
    format: formatOf(contentType),
    sampleRateHz,
    signal,
    ...meter,
  });
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Int16Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) {
    expect(piece.length % 2).toBe(0);
    pieces.push(Uint8Array.from(piece));
  }
  return samplesOf(Buffer.concat(pieces));
}

const webm: Given = { contentType: 'audio/webm;codecs=opus' };
const webmFile = () => encoded('webm', opus);

it('lists the content types it decodes, all of them of the contract', () => {
  expect(decoders.contentTypes).toEqual(
    sourceMediaTypes.filter((type) => samples.some(({ contentType }) => contentType === type)),
  );
});

describe.each(samples)('$contentType', ({ contentType, extension, args, input = [] }) => {
  it.each([7, 700, 4096])('sounds as ffmpeg decodes it, from chunks of %d bytes', async (n) => {
    const ours = await collect(decode(streamed(cut(encoded(extension, args), n)), { contentType }));
    const theirs = decodedByFfmpeg(encodedFile(extension, args), 16_000, input);
    expect(Math.abs(ours.length - theirs.length)).toBeLessThan(320);
    const { correlation, shift } = correlate(ours, theirs);
    expect(correlation).toBeGreaterThan(0.99);
    expect(Math.abs(shift)).toBeLessThan(16);
  });

  it('gives the same samples byte by byte and in one chunk', async () => {
    const bytes = encoded(extension, args, 1.1);
    const single = await collect(decode(streamed(cut(bytes, 1)), { contentType }));
    expect(await collect(decode(streamed([bytes]), { contentType }))).toEqual(single);
    expect(single.length).toBeGreaterThan(17_000);
  });

  it('has no sound when nothing comes', async () => {
    expect((await collect(decode(streamed([]), { contentType }))).length).toBe(0);
  });
});

it.each([8000, 24_000, 44_100, 48_000])('decodes Opus to %d Hz', async (sampleRateHz) => {
  const ours = await collect(decode(streamed(cut(webmFile(), 500)), { ...webm, sampleRateHz }));
  const theirs = decodedByFfmpeg(encodedFile('webm', opus), sampleRateHz);
  expect(Math.abs(ours.length - theirs.length)).toBeLessThan(sampleRateHz / 50);
  expect(correlate(ours, theirs).correlation).toBeGreaterThan(0.99);
});

it('mixes two channels down to one', async () => {
  const args = [...opus, '-ac', '2'];
  const ours = await collect(decode(streamed(cut(encoded('webm', args), 500)), webm));
  const theirs = decodedByFfmpeg(encodedFile('webm', args), 16_000);
  expect(correlate(ours, theirs).correlation).toBeGreaterThan(0.99);
});

it('hands on samples that are what is wanted without copying them', async () => {
  const chunks = [new Uint8Array(320), Buffer.alloc(64).subarray(3, 33), new Uint8Array(2)];
  const contentType = 'audio/pcm;encoding=s16le;rate=16000';
  const pieces: Uint8Array[] = [];
  for await (const piece of decode(streamed(chunks), { contentType })) pieces.push(piece);
  expect(pieces.length).toBe(3);
  pieces.forEach((piece, index) => expect(piece).toBe(chunks[index]));
});

describe('the meter', () => {
  it('is told how long each chunk plays, before its samples can be read', async () => {
    const durationsMs: number[] = [];
    const chunks = [...cut(encoded('ogg', opus), 400)];
    let heard = 0;
    const given = { contentType: 'audio/ogg', meter: (ms: number) => durationsMs.push(ms) };
    const sumMs = () => durationsMs.reduce((sum, ms) => sum + ms, 0);
    for await (const piece of decode(streamed(chunks), given)) {
      heard += piece.length / 2;
      expect(sumMs()).toBeGreaterThanOrEqual(heard / 16 - 0.001);
    }
    expect(durationsMs.length).toBe(chunks.length);
    // The pre-skip of 6.5 ms and the padding of the last packet count, but are not heard.
    expect(sumMs() - heard / 16).toBeGreaterThan(6);
    expect(sumMs() - heard / 16).toBeLessThan(6.5 + 20);
  });

  it('ends the stream with what it throws', async () => {
    const failure = new Error('too fast');
    const meter = () => {
      throw failure;
    };
    const stream = decode(streamed(cut(webmFile(), 4000)), { ...webm, meter });
    await expect(collect(stream)).rejects.toBe(failure);
  });
});

describe('a stream fails', () => {
  it.each(samples)('when a chunk of $contentType holds more than a second', async (sample) => {
    const { contentType, extension, args } = sample;
    const chunks = [encoded(extension, args)];
    await expect(collect(decode(streamed(chunks), { contentType }))).rejects.toMatchObject({
      code: 'chunk_too_large',
    });
  });

  it('when a chunk of tiny packets would play for an hour', async () => {
    const start = [...ebmlHeader, ...openSegment, ...tracks(), ...openCluster];
    // A SILK packet of 60 ms that is nothing but its first byte, 256 to a block.
    const laced = element(0xa3, [0x81, 0, 0, 4, 255], new Array<number>(256).fill(0x18));
    const hour = Buffer.concat(new Array<Uint8Array>(235).fill(Uint8Array.from(laced)));
    const startedAt = performance.now();
    const stream = decode(streamed([Uint8Array.from(start), hour]), webm);
    await expect(collect(stream)).rejects.toMatchObject({ code: 'chunk_too_large' });
    expect(performance.now() - startedAt).toBeLessThan(1000);
  });

  it('when its sound is cut away again by ever new beginnings', async () => {
    const skipAll = tracks({ codecPrivate: opusHead({ preSkip: 65_535 }) });
    const silk = element(0xa3, [0x81, 0, 0, 4, 19], new Array<number>(20).fill(0x18));
    const document = [...ebmlHeader, ...openSegment, ...skipAll, ...openCluster, ...silk];
    const stream = decode(streamed([Uint8Array.from([...document, ...document])]), webm);
    await expect(collect(stream)).rejects.toMatchObject({ code: 'chunk_too_large' });
  });

  it.each(['audio/auto', 'audio/flac', 'audio/mpeg', 'audio/x-matroska;codecs=aac'])(
    'when its type is %s, and names those that are supported',
    (contentType) => {
      expect(() => decode(streamed([]), { contentType })).toThrow(
        expect.objectContaining({
          code: 'audio_format_unsupported',
          message: expect.stringContaining('audio/webm;codecs=opus') as string,
        }) as Error,
      );
    },
  );

  it.each([
    ['Vorbis in WebM', 'audio/webm', () => encoded('webm', ['-c:a', 'libvorbis'])],
    ['AAC in Matroska', 'audio/x-matroska', () => encoded('mka', ['-c:a', 'aac'])],
    ['FLAC in Ogg', 'audio/ogg', () => encoded('ogg', ['-c:a', 'flac'])],
    ['Ogg as WebM', 'audio/webm;codecs=opus', () => encoded('ogg', opus)],
    ['WebM as Ogg', 'audio/ogg;codecs=opus', () => webmFile()],
  ])('when it is %s', async (_, contentType, bytes) => {
    const stream = decode(streamed(cut(bytes(), 1000)), { contentType });
    await expect(collect(stream)).rejects.toMatchObject({ code: 'audio_format_unsupported' });
  });

  it('when its source does', async () => {
    const failure = new Error('gone');
    async function* broken() {
      yield* cut(webmFile(), 3000);
      throw failure;
    }
    await expect(collect(decode(broken(), webm))).rejects.toBe(failure);
  });
});

describe('letting go', () => {
  const forms: Given[] = [webm, { contentType: 'audio/pcm;encoding=s16le;rate=16000' }];

  /** A source that gives some chunks, then nothing for ever; tells whether it was let go of. */
  function endless(chunks: Uint8Array[]) {
    const source = { isReturned: false, pulled: 0 };
    const media: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const value = chunks[source.pulled++];
          if (value === undefined) return new Promise(() => undefined);
          return { done: false, value };
        },
        async return() {
          source.isReturned = true;
          return { done: true, value: undefined };
        },
      }),
    };
    return { media, source };
  }

  it.each(forms)(
    'ends $contentType with the reason of its signal while it waits',
    async (given) => {
      const chunks =
        given === webm ? [...cut(webmFile(), 2000)].slice(0, 3) : [new Uint8Array(640)];
      const { media, source } = endless(chunks);
      const abort = new AbortController();
      const reason = new Error('session over');
      const stream = decode(media, { ...given, signal: abort.signal });
      const iterator = stream[Symbol.asyncIterator]();
      await iterator.next();
      const pending = (async () => {
        for (;;) if ((await iterator.next()).done === true) return;
      })();
      abort.abort(reason);
      await expect(pending).rejects.toBe(reason);
      expect(source.isReturned).toBe(true);
    },
  );

  it.each(forms)('never starts $contentType with a signal that is aborted', async (given) => {
    const { media, source } = endless([]);
    const reason = new Error('over before it began');
    await expect(
      collect(decode(media, { ...given, signal: AbortSignal.abort(reason) })),
    ).rejects.toBe(reason);
    expect(source.pulled).toBe(0);
  });

  it.each(forms)('returns from $contentType in the middle', async (given) => {
    const chunks = given === webm ? [...cut(webmFile(), 2000)] : [new Uint8Array(640)];
    const { media, source } = endless(chunks);
    for await (const piece of decode(media, given)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
    expect(source.isReturned).toBe(true);
  });
});

it('reads no more than it may while nobody takes what is decoded', async () => {
  let pulled = 0;
  async function* counted() {
    for (; pulled < 5000; pulled += 1) {
      // Lets answers of the worker in between the chunks.
      await new Promise((resolve) => setImmediate(resolve));
      yield new Uint8Array(800);
    }
  }
  const contentType = 'audio/pcm;encoding=alaw;rate=8000';
  const iterator = decode(counted(), { contentType })[Symbol.asyncIterator]();
  await iterator.next();
  // Held back when nothing was read for as long as hundreds of chunks take otherwise.
  let before = -1;
  for (let calm = 0; calm < 20; calm = pulled === before ? calm + 1 : 0) {
    before = pulled;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  expect(pulled).toBeGreaterThan(4);
  expect(pulled).toBeLessThan(150);
  let heard = 0;
  for (let step = await iterator.next(); step.done !== true && heard < 150_000;) {
    heard += step.value.length;
    step = await iterator.next();
  }
  expect(pulled).toBeGreaterThan(45);
  await iterator.return?.();
});

it('decodes 100 streams at once, each as if it were alone', async () => {
  const kinds = samples.slice(4);
  const alone = await Promise.all(
    kinds.map(({ contentType, extension, args }) =>
      collect(decode(streamed(cut(encoded(extension, args), 900)), { contentType })),
    ),
  );
  const started: { count: number; all: () => void } = { count: 0, all: () => undefined };
  const everyoneIsThere = new Promise<void>((resolve) => (started.all = resolve));
  async function* together(bytes: Uint8Array) {
    let isFirst = true;
    for (const chunk of cut(bytes, 900)) {
      yield chunk;
      if (!isFirst) continue;
      isFirst = false;
      started.count += 1;
      if (started.count === 100) started.all();
      await everyoneIsThere;
    }
  }
  await Promise.all(
    Array.from({ length: 100 }, async (_, index) => {
      const { contentType, extension, args } = kinds[index % kinds.length]!;
      const ours = await collect(decode(together(encoded(extension, args)), { contentType }));
      expect(
        Buffer.from(ours.buffer).equals(Buffer.from(alone[index % kinds.length]!.buffer)),
      ).toBe(true);
    }),
  );
});
