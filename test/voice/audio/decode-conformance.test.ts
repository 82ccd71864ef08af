/** Decodes every source content type of the voice protocol from streams that are cut at random places. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { sourceMediaTypes } from '../../../shared/media-type.ts';
import {
  createAudioDecoders,
  findFfmpeg,
  type AudioDecoders,
} from '../../../server/voice/audio/decode.ts';
import {
  correlate,
  cut,
  cutAnywhere,
  decodedByFfmpeg,
  encoded,
  encodedFile,
  prepareEncoded,
  seededRandom,
} from '../../support/audio/audio-files.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { collect, decodeWith, streamed, withUnknownClusterSizes } from './decoding.ts';

interface Row {
  contentType: string;
  /** What the stream holds, where the content type does not say. */
  of?: string;
  extension: string;
  args: string[];
  /** Input options with which ffmpeg reads the file. */
  input?: string[];
  rewritten?: (bytes: Uint8Array) => Uint8Array;
}

/** Length of the speech, in s: enough for several pages and for frames of every kind. */
const LENGTH_S = 1.5;
const SHORT_S = 0.25;
const DECODED_HZ = 16_000;

const id3Tag = Buffer.concat([Buffer.from('ID3\x04\0\0\0\0\x02\0', 'latin1'), Buffer.alloc(256)]);

const pcm = (codec: string, rateHz: number) => ['-f', codec, '-ar', `${rateHz}`];
const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const flac = ['-c:a', 'flac'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];
const aac = ['-c:a', 'aac', '-b:a', '64k'];
const vorbis = ['-c:a', 'libvorbis'];

function pcmRow(contentType: string, args: string[]): Row {
  return { contentType, extension: args[1]!, args, input: args };
}

const rows: Row[] = [
  {
    contentType: 'audio/auto',
    of: 'AAC (ADTS) behind an ID3 tag',
    extension: 'aac',
    args: [...aac, '-metadata', 'title=Speech', '-write_id3v2', '1', '-f', 'adts'],
  },
  { contentType: 'audio/flac', extension: 'flac', args: flac },
  {
    contentType: 'audio/flac',
    of: 'all in one frame, behind an ID3 tag',
    extension: 'flac',
    args: [...flac, '-ar', '8000', '-frame_size', '16384'],
    rewritten: (bytes) => Buffer.concat([id3Tag, bytes]),
  },
  {
    contentType: 'audio/auto',
    of: 'FLAC behind an ID3 tag',
    extension: 'flac',
    args: flac,
    rewritten: (bytes) => Buffer.concat([id3Tag, bytes]),
  },
  { contentType: 'audio/mpeg', extension: 'mp3', args: mp3 },
  {
    contentType: 'audio/mpeg',
    of: 'MPEG 2, VBR',
    extension: 'mp3',
    args: ['-c:a', 'libmp3lame', '-q:a', '4', '-ar', '22050'],
  },
  {
    contentType: 'audio/ogg',
    of: 'Opus',
    extension: 'ogg',
    args: [...opus, '-frame_duration', '120'],
  },
  { contentType: 'audio/ogg', of: 'Vorbis', extension: 'ogg', args: vorbis },
  {
    contentType: 'audio/webm',
    of: 'Opus as recorders write it',
    extension: 'webm',
    args: [...opus, '-frame_duration', '60'],
    rewritten: withUnknownClusterSizes,
  },
  { contentType: 'audio/x-matroska', of: 'Vorbis', extension: 'mka', args: vorbis },
  { contentType: 'audio/ogg;codecs=flac', extension: 'ogg', args: flac },
  { contentType: 'audio/ogg;codecs=opus', extension: 'ogg', args: opus },
  { contentType: 'audio/webm;codecs=opus', extension: 'webm', args: opus },
  { contentType: 'audio/x-matroska;codecs=aac', extension: 'mka', args: aac },
  { contentType: 'audio/x-matroska;codecs=flac', extension: 'mka', args: flac },
  { contentType: 'audio/x-matroska;codecs=mp3', extension: 'mka', args: mp3 },
  {
    contentType: 'audio/x-matroska;codecs=opus',
    of: 'Opus in WebM, which is Matroska',
    extension: 'webm',
    args: opus,
  },
  pcmRow('audio/pcm;encoding=alaw;rate=8000', pcm('alaw', 8000)),
  pcmRow('audio/pcm;encoding=ulaw;rate=8000', pcm('mulaw', 8000)),
  ...[8000, 16_000, 44_100, 48_000].map((rateHz) =>
    pcmRow(`audio/pcm;encoding=s16le;rate=${rateHz}`, pcm('s16le', rateHz)),
  ),
];

/** One behind a tag, one in pages, one that must be aligned. Readers have their own tests byte by byte. */
const files = rows.filter(
  ({ of, contentType }) =>
    of?.startsWith('all in one frame') === true || /ogg;codecs=opus|s16le;rate=8/.test(contentType),
);

let decoders: AudioDecoders;
beforeAll(async () => {
  prepareEncoded(rows, { lengthS: LENGTH_S, decodedHz: DECODED_HZ });
  prepareEncoded(files, { lengthS: SHORT_S });
  decoders = createAudioDecoders({ log: recordLog(), ffmpeg: await findFfmpeg() });
});
afterAll(() => decoders.close());

it('has a row for every content type, and the decoders support all of them', () => {
  const inTable = new Set(rows.map(({ contentType }) => contentType));
  expect([...sourceMediaTypes].filter((contentType) => !inTable.has(contentType))).toEqual([]);
  expect(decoders.contentTypes).toEqual(sourceMediaTypes);
});

function bytesOf({ extension, args, rewritten }: Row, lengthS: number): Uint8Array {
  const file = encoded(extension, args, lengthS);
  return rewritten?.(file) ?? file;
}

it.each(rows)(
  'decodes $contentType $of, cut anywhere, as ffmpeg decodes the whole file',
  async (row) => {
    const { contentType, extension, args, input = [] } = row;
    const random = seededRandom(contentType.length);
    // Chunks well below a second, many of them of only a few bytes.
    const chunks = cutAnywhere(bytesOf(row, LENGTH_S), 2500, () => random() ** 2);
    let heardMs = 0;
    const meter = (durationMs: number) => (heardMs += durationMs);
    const ours = await collect(decodeWith(decoders, streamed(chunks), { contentType, meter }));
    const theirs = decodedByFfmpeg(encodedFile(extension, args, LENGTH_S), DECODED_HZ, input);
    expect(Math.abs(ours.length - theirs.length)).toBeLessThan(500);
    const { correlation, shift } = correlate(ours, theirs);
    expect(correlation).toBeGreaterThan(0.99);
    expect(Math.abs(shift)).toBeLessThan(16);
    // The duration of PCM follows from its size. In other formats the padding is counted as well.
    if (contentType.startsWith('audio/pcm')) return;
    expect(heardMs - ours.length / 16).toBeGreaterThan(-1);
    expect(heardMs - ours.length / 16).toBeLessThan(150);
  },
);

it.each(files)('decodes $contentType $of byte by byte to the same samples', async (row) => {
  const { contentType } = row;
  const file = bytesOf(row, SHORT_S);
  const single = await collect(decodeWith(decoders, streamed(cut(file, 1)), { contentType }));
  const whole = await collect(decodeWith(decoders, streamed([file]), { contentType }));
  expect(single).toEqual(whole);
  expect(single.length).toBeGreaterThan(3_000);
});

it.each(files)('yields no samples for an empty stream of $contentType', async ({ contentType }) => {
  expect((await collect(decodeWith(decoders, streamed([]), { contentType }))).length).toBe(0);
});
