import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createAudioDecoders,
  findFfmpeg,
  type AudioDecoders,
} from '../../../server/voice/audio/decode.ts';
import type { MediaPiece } from '../../../server/voice/audio/media.ts';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import {
  correlate,
  cut,
  decodedByFfmpeg,
  encoded,
  encodedFile,
  prepareEncoded,
  seededRandom,
} from '../../support/audio/audio-files.ts';
import { mediaOf } from '../../support/audio/heard.ts';
import { recordLog } from '../../support/product/log-record.ts';
import {
  ebmlHeader,
  element,
  openCluster,
  openSegment,
  opusHead,
  tracks,
} from '../../support/audio/matroska-writer.ts';
import { collect, decodeWith, liveSource, streamed, until, type Given } from './decoding.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const flac = ['-c:a', 'flac'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];
const aac = ['-c:a', 'aac', '-b:a', '64k'];
const vorbis = ['-c:a', 'libvorbis'];
const alaw = ['-f', 'alaw', '-ar', '8000'];

/** Formats that are decoded without FFmpeg. */
const samples = [
  { contentType: 'audio/pcm;encoding=alaw;rate=8000', extension: 'al', args: alaw },
  { contentType: 'audio/webm;codecs=opus', extension: 'webm', args: opus },
  { contentType: 'audio/ogg', extension: 'ogg', args: [...opus, '-frame_duration', '120'] },
  { contentType: 'audio/flac', extension: 'flac', args: flac },
];

let decoders: AudioDecoders;
beforeAll(async () => {
  decoders = createAudioDecoders({ log: recordLog(), ffmpeg: await findFfmpeg() });
});
afterAll(() => decoders.close());

const decode = (media: AsyncIterable<MediaPiece>, given: Given) =>
  decodeWith(decoders, media, given);

const webm: Given = { contentType: 'audio/webm;codecs=opus' };
function noise(sizeBytes: number): Uint8Array {
  const random = seededRandom(7);
  return Uint8Array.from({ length: sizeBytes }, () => random() * 256);
}
const aacTracks = tracks({ codecId: 'A_AAC', codecPrivate: [0x11, 0x88] });
const webmFile = () => encoded('webm', opus);

it.each([8000, 44_100])('decodes Opus to %d Hz', async (sampleRateHz) => {
  const file = encoded('webm', opus, 1.5);
  const ours = await collect(decode(streamed(cut(file, 500)), { ...webm, sampleRateHz }));
  const theirs = decodedByFfmpeg(encodedFile('webm', opus, 1.5), sampleRateHz);
  expect(Math.abs(ours.length - theirs.length)).toBeLessThan(sampleRateHz / 50);
  expect(correlate(ours, theirs).correlation).toBeGreaterThan(0.99);
});

it('decodes a minute that comes at once, in chunks of many seconds', async () => {
  const head = Uint8Array.from([...ebmlHeader, ...openSegment, ...tracks(), ...openCluster]);
  const laced = element(0xa3, [0x81, 0, 0, 4, 249], new Array<number>(250).fill(0x18));
  const chunks = new Array<Uint8Array>(4).fill(Uint8Array.from(laced));
  const durationsMs: number[] = [];
  const given = { ...webm, meter: (ms: number) => durationsMs.push(ms) };
  const samples = await collect(decode(streamed([head, ...chunks]), given));
  expect(samples.length / 16).toBe(60_000);
  expect(durationsMs).toEqual([0, 15_000, 15_000, 15_000, 15_000]);
});

it('keeps listening while nobody has spoken, and reports positions from which to resume', async () => {
  const source = liveSource();
  let heardMs = 0;
  let rests = 0;
  const stream = decoders.decode(mediaOf(source.media), {
    format: parseSourceMediaType('audio/pcm;encoding=s16le;rate=16000')!,
    sampleRateHz: 16_000,
    signal: new AbortController().signal,
    endpointing: { silenceMs: 600, longestMs: 15_000 },
    onHeard: (positionMs) => (heardMs = positionMs),
    onRest: () => (rests += 1),
  });
  const reading = stream[Symbol.asyncIterator]().next();
  // One after the other, as from a microphone.
  for (let sentMs = 500; sentMs <= 12_000; sentMs += 500) {
    source.give(new Uint8Array(16_000));
    await until(() => heardMs === sentMs);
  }
  source.end();
  expect(await reading).toMatchObject({ done: true });
  expect(rests).toBe(2);
});

describe('the meter', () => {
  it('receives the duration of each chunk before its samples can be read', async () => {
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
    // The pre-skip of 6.5 ms and the padding of the last packet are metered but not heard.
    expect(sumMs() - heard / 16).toBeGreaterThan(6);
    expect(sumMs() - heard / 16).toBeLessThan(6.5 + 20);
  });

  it('ends the stream with the error it throws', async () => {
    const failure = new Error('too fast');
    const meter = () => {
      throw failure;
    };
    const stream = decode(streamed(cut(webmFile(), 4000)), { ...webm, meter });
    await expect(collect(stream)).rejects.toBe(failure);
  });
});

describe('a stream fails', () => {
  it('when a chunk holds more sound than may arrive at once', async () => {
    const head = [...ebmlHeader, ...openSegment, ...tracks(), ...openCluster];
    // A 60 ms SILK packet of nothing but its first byte, 250 to a block.
    const laced = element(0xa3, [0x81, 0, 0, 4, 249], new Array<number>(250).fill(0x18));
    const chunks = [Uint8Array.from(head), new Uint8Array([...laced, ...laced])];
    await expect(collect(decode(streamed(chunks), webm))).rejects.toMatchObject({
      code: 'chunk_too_large',
    });
  });

  it('when a chunk of tiny packets would play for an hour', async () => {
    const start = [...ebmlHeader, ...openSegment, ...tracks(), ...openCluster];
    // A 60 ms SILK packet of nothing but its first byte, 256 to a block.
    const laced = element(0xa3, [0x81, 0, 0, 4, 255], new Array<number>(256).fill(0x18));
    const hour = Buffer.concat(new Array<Uint8Array>(235).fill(Uint8Array.from(laced)));
    const startedAt = performance.now();
    const stream = decode(streamed([Uint8Array.from(start), hour]), webm);
    await expect(collect(stream)).rejects.toMatchObject({ code: 'chunk_too_large' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('when repeated headers trim all of its sound', async () => {
    const skipAll = tracks({ codecPrivate: opusHead({ preSkip: 65_535 }) });
    const silk = element(0xa3, [0x81, 0, 0, 4, 19], new Array<number>(20).fill(0x18));
    const document = [...ebmlHeader, ...openSegment, ...skipAll, ...openCluster, ...silk];
    // 21 s in all.
    const documents = Buffer.concat(new Array<Uint8Array>(18).fill(Uint8Array.from(document)));
    const stream = decode(streamed([documents]), webm);
    await expect(collect(stream)).rejects.toMatchObject({ code: 'chunk_too_large' });
  });

  const foreign: [
    what: string,
    contentType: string,
    named: string,
    ending: string,
    of: string[],
  ][] = [
    ['Ogg as WebM', 'audio/webm;codecs=opus', 'Ogg', 'ogg', opus],
    ['WebM as Ogg', 'audio/ogg;codecs=opus', 'WebM or Matroska', 'webm', opus],
    ['MP3 as FLAC', 'audio/flac', 'MP3', 'mp3', mp3],
    ['FLAC as MP3', 'audio/mpeg', 'FLAC', 'flac', flac],
    ['Opus where AAC was declared', 'audio/x-matroska;codecs=aac', 'Opus', 'mka', opus],
    ['Matroska where WebM was declared', 'audio/webm;codecs=opus', 'Matroska', 'mka', opus],
    ['FLAC where Opus was declared', 'audio/ogg;codecs=opus', 'FLAC', 'ogg', flac],
    ['PCM to be detected', 'audio/auto', 'unknown', 'al', alaw],
    ['a WAV file', 'audio/auto', 'WAV', 'wav', []],
    ['an MP4 file', 'audio/auto', 'MP4', 'm4a', aac],
    ['ALAC in Matroska', 'audio/x-matroska', 'A_ALAC', 'mka', ['-c:a', 'alac']],
  ];
  beforeAll(() =>
    prepareEncoded(
      foreign.map(([, , , extension, args]) => ({ extension, args })),
      { lengthS: 1.1 },
    ),
  );

  it.each([
    ...foreign.map(([what, contentType, named, ending, args]) => ({
      ...{ what, contentType, named },
      bytes: () => encoded(ending, args, 1.1),
    })),
    {
      ...{ what: 'AAC in what calls itself WebM', contentType: 'audio/webm', named: 'AAC' },
      bytes: () => Uint8Array.from([...ebmlHeader, ...openSegment, ...aacTracks]),
    },
    {
      ...{ what: 'noise as MP3', contentType: 'audio/mpeg', named: 'MP3' },
      bytes: () => noise(100_000),
    },
  ])('when it is $what, naming the cause', async ({ contentType, named, bytes }) => {
    const stream = decode(streamed(cut(bytes(), 1000)), { contentType });
    await expect(collect(stream)).rejects.toMatchObject({
      code: 'audio_format_unsupported',
      message: expect.stringContaining(named) as string,
    });
  });

  it('when it cannot be detected, with what can be read and the way out', async () => {
    const stream = decode(streamed([Buffer.from('RIFF    WAVEfmt ')]), {
      contentType: 'audio/auto',
    });
    await expect(collect(stream)).rejects.toMatchObject({
      message: expect.stringMatching(
        /Send Ogg, WebM.*"audio\/pcm;encoding=s16le;rate=16000"/,
      ) as string,
    });
  });

  const stereo = (
    [
      ['Opus in WebM', 'audio/webm;codecs=opus', 'webm', opus],
      ['FLAC', 'audio/flac', 'flac', flac],
      ['MP3', 'audio/mpeg', 'mp3', mp3],
      ['MP3 in Matroska', 'audio/x-matroska;codecs=mp3', 'mka', mp3],
      ['AAC in Matroska', 'audio/x-matroska;codecs=aac', 'mka', aac],
      ['AAC in ADTS', 'audio/auto', 'aac', [...aac, '-f', 'adts']],
      ['Vorbis', 'audio/ogg', 'ogg', vorbis],
    ] as const
  ).map(([of, contentType, extension, args]) => ({
    ...{ of, contentType, extension },
    args: [...args, '-ac', '2'],
  }));
  beforeAll(() => prepareEncoded(stereo, { lengthS: 1.1 }));

  it.each(stereo)('when $of has two channels', async ({ contentType, extension, args }) => {
    const bytes = encoded(extension, args, 1.1);
    await expect(collect(decode(streamed(cut(bytes, 500)), { contentType }))).rejects.toMatchObject(
      {
        code: 'audio_not_mono',
        status: 400,
        message: expect.stringContaining('2 channels') as string,
      },
    );
  });
});

describe('a decoding stream', () => {
  const forms: Given[] = [webm, { contentType: 'audio/pcm;encoding=s16le;rate=16000' }];

  /** A source that yields some chunks and then waits for ever. */
  function endless(chunks: Uint8Array[]) {
    const source = { pulled: 0 };
    const media: AsyncIterable<Uint8Array> = {
      [Symbol.asyncIterator]: () => ({
        async next() {
          const value = chunks[source.pulled++];
          if (value === undefined) return new Promise(() => undefined);
          return { done: false, value };
        },
      }),
    };
    return { media, source };
  }

  it.each(forms)(
    'ends $contentType with the reason of its abort signal while it waits',
    async (given) => {
      const chunks =
        given === webm ? [...cut(webmFile(), 2000)].slice(0, 3) : [new Uint8Array(640)];
      const { media } = endless(chunks);
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
    },
  );

  it.each(forms)('never starts $contentType when its signal is already aborted', async (given) => {
    const { media, source } = endless([]);
    const reason = new Error('over before it began');
    await expect(
      collect(decode(media, { ...given, signal: AbortSignal.abort(reason) })),
    ).rejects.toBe(reason);
    expect(source.pulled).toBe(0);
  });

  it.each(forms)('stops decoding $contentType when its reader returns early', async (given) => {
    const chunks = given === webm ? [...cut(webmFile(), 2000)] : [new Uint8Array(640)];
    const { media } = endless(chunks);
    for await (const piece of decode(media, given)) {
      expect(piece.length).toBeGreaterThan(0);
      break;
    }
  });
});

it('stops reading the source while its output is not read', async () => {
  let pulled = 0;
  async function* counted() {
    for (; pulled < 5000; pulled += 1) {
      // Lets the worker's answers in between the chunks.
      await new Promise((resolve) => setImmediate(resolve));
      yield new Uint8Array(800);
    }
  }
  const contentType = 'audio/pcm;encoding=alaw;rate=8000';
  const iterator = decode(counted(), { contentType })[Symbol.asyncIterator]();
  await iterator.next();
  // The source counts as held back once nothing is read for as long as hundreds of chunks normally take.
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

it('decodes 12 streams at once exactly as each one alone', async () => {
  const kinds = samples;
  prepareEncoded(kinds, { lengthS: 1.5 });
  const alone = await Promise.all(
    kinds.map(({ contentType, extension, args }) =>
      collect(decode(streamed(cut(encoded(extension, args, 1.5), 900)), { contentType })),
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
      if (started.count === 12) started.all();
      await everyoneIsThere;
    }
  }
  await Promise.all(
    Array.from({ length: 12 }, async (_, index) => {
      const { contentType, extension, args } = kinds[index % kinds.length]!;
      const ours = await collect(decode(together(encoded(extension, args, 1.5)), { contentType }));
      expect(
        Buffer.from(ours.buffer).equals(Buffer.from(alone[index % kinds.length]!.buffer)),
      ).toBe(true);
    }),
  );
});
