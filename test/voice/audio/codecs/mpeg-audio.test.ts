import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { MpegReader, type MpegKind } from '../../../../server/voice/audio/codecs/mpeg-audio.ts';
import {
  cut,
  encoded,
  encodedFile,
  packetHashes,
  prepareEncoded,
} from '../../../support/audio/audio-files.ts';
import { readDamaged } from '../../../support/audio/damaged-streams.ts';

const noTags = ['-write_xing', '0', '-id3v2_version', '0'];
const files = [
  {
    name: 'MP3',
    kind: 'mp3',
    extension: 'mp3',
    args: ['-c:a', 'libmp3lame', '-b:a', '64k', ...noTags],
  },
  {
    name: 'MP3 of variable rate',
    kind: 'mp3',
    extension: 'mp3',
    args: ['-c:a', 'libmp3lame', '-q:a', '5', '-ar', '24000', ...noTags],
  },
  {
    name: 'MP3 of MPEG 2.5',
    kind: 'mp3',
    extension: 'mp3',
    args: ['-c:a', 'libmp3lame', '-ar', '8000', ...noTags],
  },
  { name: 'AAC', kind: 'adts', extension: 'aac', args: ['-c:a', 'aac', '-f', 'adts'] },
] as const;
beforeAll(() => prepareEncoded(files, { lengthS: 2 }));

function read(kind: MpegKind | MpegKind[], bytes: Uint8Array, chunkBytes = bytes.length) {
  const frames: Uint8Array[] = [];
  const reader = new MpegReader([kind].flat(), (frame) => frames.push(Uint8Array.from(frame)));
  for (const chunk of cut(bytes, chunkBytes)) reader.push(chunk);
  const seen = frames.length;
  reader.end();
  return { frames, seen };
}

describe.each(files)('$name', ({ kind, extension, args }) => {
  const bytes = () => encoded(extension, [...args], 2);

  it.each([1, 700, 1 << 20])('reads every frame, %d bytes at a time', (chunkBytes) => {
    const { frames } = read(kind, bytes(), chunkBytes);
    expect(Buffer.concat(frames).equals(bytes())).toBe(true);
    if (kind === 'adts') return;
    const hashes = frames.map((frame) => createHash('sha256').update(frame).digest('hex'));
    expect(hashes).toEqual(packetHashes(encodedFile(extension, [...args], 2)));
  });

  it('skips a frame whose beginning or end is missing', () => {
    const all = read(kind, bytes()).frames;
    const { frames } = read(kind, bytes().subarray(30), 50);
    expect(frames.length).toBe(all.length - 1);
    expect(frames[0]).toEqual(all[1]);
    const cutShort = read(kind, bytes().subarray(0, -10));
    expect(cutShort.frames.length).toBe(all.length - 1);
  });

  it('skips tags before, between and after frames without buffering them', () => {
    const id3 = (sizeBytes: number) =>
      Buffer.concat([
        Buffer.from('ID3\x04\0\0'),
        Buffer.from([21, 14, 7, 0].map((shift) => (sizeBytes >> shift) & 127)),
        Buffer.alloc(sizeBytes, 0xff),
      ]);
    // With a picture, as music players write it at the end.
    const ape = Buffer.alloc(32 + 100_000, 0xff);
    ape.write('APETAGEX');
    ape.writeUInt32LE(2_000, 8);
    ape.writeUInt32LE(100_000, 12);
    const tagged = Buffer.concat([
      ...[id3(300_000), bytes(), id3(5000), bytes(), ape],
      ...[Buffer.from('TAG'), Buffer.alloc(125)],
    ]);
    const expected = 2 * read(kind, bytes()).frames.length;
    expect(read(kind, tagged, 1000).frames.length).toBe(expected);
    // The first frames decide between two kinds with the same tags.
    expect(read(['mp3', 'adts'], tagged, 1000).frames.length).toBe(expected);
  });

  it('emits a frame with its last byte once it is synchronised', () => {
    const { frames, seen } = read(kind, bytes());
    expect(seen).toBe(frames.length);
  });
});

it('accepts a single frame that nothing follows', () => {
  const { kind, extension, args } = files[0];
  const [first] = read(kind, encoded(extension, [...args], 2)).frames;
  expect(read(kind, first!)).toMatchObject({ frames: [first], seen: 0 });
});

it('rejects a stream without frames and a tag without end', () => {
  const refused = expect.objectContaining({ code: 'audio_format_unsupported' }) as Error;
  expect(() => read('mp3', new Uint8Array(50_000), 1000)).toThrow(refused);
  expect(() => read('mp3', new Uint8Array(50_000).fill(0xff), 1000)).toThrow(refused);
  const endless = Buffer.concat([
    Buffer.from('ID3\x04\0\0\x7f\x7f\x7f\x7f', 'latin1'),
    new Uint8Array(9),
  ]);
  expect(() => read('mp3', endless, 3)).toThrow(refused);
});

it('decodes or rejects each of 200 damaged streams quickly', () => {
  let framesRead = 0;
  const { slowestMs } = readDamaged({
    ...{ seed: 8, runs: 200, chunkBytes: [1, 100, 1500, 12_000] },
    sources: files.map(({ kind, extension, args }) => ({
      kind,
      bytes: encoded(extension, [...args], 2).subarray(0, 12_000),
    })),
    read(bytes, chunkBytes, { kind }) {
      framesRead += read(kind, bytes, chunkBytes).frames.length;
    },
    refusals: ['audio_format_unsupported'],
  });
  expect(framesRead).toBeGreaterThan(200);
  expect(slowestMs).toBeLessThan(4_000);
});
