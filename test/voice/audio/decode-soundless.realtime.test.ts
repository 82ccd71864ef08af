/** Endless streams without sound. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  createAudioDecoders,
  findFfmpeg,
  type AudioDecoders,
} from '../../../server/voice/audio/decode.ts';
import { cut, encoded } from '../../support/audio/audio-files.ts';
import { recordLog } from '../../support/product/log-record.ts';
import {
  ebmlHeader,
  element,
  openSegment,
  opusHead,
  tracks,
} from '../../support/audio/matroska-writer.ts';
import { collect, decodeWith, streamed } from './decoding.ts';

const CHUNK_BYTES = 95_000;
/** Bytes the decoders may take before they reject a stream: 2 MiB and what is in transit. */
const MOST_BYTES = 3_000_000;
const MOST_PICTURE_BYTES = 40_000_000;

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];
const video = ['-f', 'lavfi', '-i', 'testsrc=size=320x240:rate=25', '-shortest', '-b:v', '1M'];

let decoders: AudioDecoders;
beforeAll(async () => {
  decoders = createAudioDecoders({ log: recordLog(), ffmpeg: await findFfmpeg() });
});
afterAll(() => decoders.close());

/** A page of Ogg. Its checksum is zero, as the reader does not verify it. */
function page(serial: number, flags: number, body: Uint8Array): Buffer {
  const header = Buffer.alloc(27);
  header.write('OggS');
  header[5] = flags;
  header.writeUInt32LE(serial, 14);
  const sizes: number[] = [];
  for (let left = body.length; left >= 0; left -= 255) sizes.push(Math.min(left, 255));
  header[26] = sizes.length;
  return Buffer.concat([header, Buffer.from(sizes), body]);
}

const BEGINS = 2;
const opusPage = page(1, BEGINS, Uint8Array.from(opusHead()));
const ascii = (text: string) => Buffer.from(text, 'latin1');
const webmHead = Uint8Array.from([...ebmlHeader, ...openSegment]);
const webmTracks = Uint8Array.from([...webmHead, ...tracks()]);
const flacHead = encoded('flac', ['-c:a', 'flac']).subarray(0, 42);
flacHead[4] = 0;
const vorbisHead = Buffer.concat([
  ascii('\x01vorbis'),
  Buffer.from([0, 0, 0, 0, 1, 0x80, 0xbb, 0, 0, ...new Array<number>(12).fill(0), 0xb8, 1]),
]);

const otherTrack = (sizeBytes: number) =>
  Uint8Array.from(element(0xa3, [0x82, 0, 0, 0], new Uint8Array(sizeBytes)));
/** A packet of 20 ms of Opus. */
const silk = Uint8Array.from(element(0xa3, [0x81, 0, 0, 0, 8], new Uint8Array(20).fill(0x18)));

/** A stream that repeats one part endlessly. */
interface Endless {
  what: string;
  contentType: string;
  head: Uint8Array;
  part: Uint8Array;
  mostBytes?: number;
  /** What the error says, if not that there is no sound. */
  says?: string;
}

const id3 = (sizeBytes: number) => {
  const size = [21, 14, 7, 0].map((shift) => (sizeBytes >> shift) & 127);
  return Buffer.concat([ascii('ID3'), Buffer.from([4, 0, 0, ...size]), Buffer.alloc(sizeBytes)]);
};
const flacBlock = (type: number, sizeBytes: number) => {
  const header = Buffer.alloc(4 + sizeBytes);
  header.writeUInt32BE(sizeBytes);
  header[0] = type;
  return header;
};

const webm = { contentType: 'audio/webm;codecs=opus', head: webmHead };
const ogg = { contentType: 'audio/ogg', head: opusPage };
const streams: Endless[] = [
  { what: 'documents one after the other', ...webm, part: webmTracks },
  {
    what: 'large Voids in WebM',
    ...webm,
    part: Uint8Array.from(element(0xec, new Array<number>(60_000).fill(0))),
    mostBytes: MOST_PICTURE_BYTES,
  },
  {
    what: 'Voids after some sound',
    ...{ contentType: webm.contentType, head: encoded('webm', opus) },
    part: Uint8Array.of(0xec, 0x80),
  },
  {
    what: 'a little sound among the packets of another track',
    ...{ contentType: webm.contentType, head: webmTracks },
    part: Buffer.concat([otherTrack(60_000), silk]),
    mostBytes: 5_000_000,
  },
  {
    what: 'heads of Vorbis in Ogg, each for an FFmpeg of its own',
    ...{ contentType: 'audio/ogg', head: page(1, BEGINS, vorbisHead) },
    part: Buffer.concat([page(1, 0, ascii('\x03vorbis')), page(1, BEGINS, vorbisHead)]),
  },
  { what: 'comments of Opus', ...ogg, part: page(1, 0, ascii('OpusTags')), says: 'in a row' },
  { what: 'pages of other streams', ...ogg, part: page(7, 0, ascii('something else')) },
  { what: 'heads of Opus', ...ogg, part: opusPage },
  {
    what: 'ID3 tags',
    ...{ contentType: 'audio/mpeg', head: id3(10), part: id3(0) },
  },
  {
    what: 'metadata of FLAC',
    ...{ contentType: 'audio/flac', head: flacHead, part: flacBlock(1, 0) },
  },
];

async function* endless({ head, part }: Endless, taken: { bytes: number }) {
  yield* cut(head, 2000);
  const repeated = Buffer.alloc(Math.max(CHUNK_BYTES, part.length), part);
  const whole = repeated.subarray(0, repeated.length - (repeated.length % part.length));
  for (;;) {
    for (const chunk of cut(whole, CHUNK_BYTES)) {
      taken.bytes += chunk.length;
      yield chunk;
    }
  }
}

describe('a stream without sound is rejected', () => {
  it.each(streams)('when it consists of $what', async (stream) => {
    const taken = { bytes: 0 };
    const decoded = decodeWith(decoders, endless(stream, taken), stream);
    await expect(collect(decoded)).rejects.toMatchObject({
      code: 'audio_format_unsupported',
      message: expect.stringContaining(stream.says ?? 'no sound') as string,
    });
    expect(taken.bytes).toBeLessThan(stream.mostBytes ?? MOST_BYTES);
  });
});

describe('a stream with a long silent part is accepted', () => {
  const flacFile = () => encoded('flac', ['-c:a', 'flac']);
  it.each([
    {
      what: 'a picture of 16 MB before MP3',
      contentType: 'audio/mpeg',
      before: () => id3(16 * 1024 * 1024),
      bytes: () => encoded('mp3', mp3),
    },
    {
      what: 'a picture of 15 MB before FLAC',
      contentType: 'audio/flac',
      before: () => Buffer.concat([flacHead, flacBlock(6, 15_000_000)]),
      bytes: () => flacFile().subarray(42),
    },
    {
      what: 'a video beside Opus',
      contentType: 'audio/x-matroska;codecs=opus',
      before: () => Buffer.alloc(0),
      bytes: () => encoded('mkv', [...video, '-c:v', 'mpeg4', ...opus]),
    },
  ])('with $what', async ({ contentType, before, bytes }) => {
    const media = streamed([...cut(before(), CHUNK_BYTES), ...cut(bytes(), 4000)]);
    const samples = await collect(decodeWith(decoders, media, { contentType }));
    expect(samples.length).toBeGreaterThan(3 * 16_000);
  });
});
