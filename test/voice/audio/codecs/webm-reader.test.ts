import { createHash } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { WebmReader, type AudioTrack } from '../../../../server/voice/audio/codecs/webm-reader.ts';
import {
  cut,
  encoded,
  encodedFile,
  packetHashes,
  prepareEncoded,
} from '../../../support/audio/audio-files.ts';
import { readDamaged } from '../../../support/audio/damaged-streams.ts';
import {
  block,
  ebmlHeader,
  element,
  openCluster,
  openSegment,
  tracks,
  vint,
} from '../../../support/audio/matroska-writer.ts';
import { expectSteadyTime } from '../../../support/machine/processor-time.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const files = [
  { name: 'a WebM file', extension: 'webm', args: opus },
  { name: 'a live WebM', extension: 'webm', args: [...opus, '-f', 'webm', '-live', '1'] },
  {
    name: 'a WebM of small clusters',
    extension: 'webm',
    args: [...opus, '-cluster_time_limit', '100'],
  },
  { name: 'packets of 60 ms', extension: 'webm', args: [...opus, '-frame_duration', '60'] },
  { name: 'a Matroska file', extension: 'mka', args: opus },
];
beforeAll(() => prepareEncoded(files));

function read(bytes: Uint8Array, chunkBytes = bytes.length) {
  const packets: Uint8Array[] = [];
  const tracksSeen: AudioTrack[] = [];
  const discards: number[] = [];
  const reader = new WebmReader({
    track: (track) => tracksSeen.push(track),
    packet(packet, discardPaddingNs) {
      packets.push(Uint8Array.from(packet));
      if (discardPaddingNs > 0) discards.push(discardPaddingNs);
    },
  });
  let heldBytes = 0;
  for (const chunk of cut(bytes, chunkBytes)) {
    reader.push(chunk);
    heldBytes = Math.max(heldBytes, reader.heldBytes);
  }
  return { packets, tracks: tracksSeen, discards, heldBytes };
}

/** A header, a Segment, an Opus track and an open Cluster, followed by the given elements. */
const inCluster = (...parts: number[][]) =>
  Uint8Array.from([...ebmlHeader, ...openSegment, ...tracks(), ...openCluster, ...parts.flat()]);

const refusal: unknown = expect.objectContaining({ code: 'audio_format_unsupported' });

describe.each(files)('$name', ({ extension, args }) => {
  it.each([1, 700, 1 << 30])('reads the same packets as ffprobe, %d bytes at a time', (n) => {
    const { packets } = read(encoded(extension, args), n);
    const hashes = packets.map((packet) => createHash('sha256').update(packet).digest('hex'));
    expect(hashes).toEqual(packetHashes(encodedFile(extension, args)));
  });

  it('reports the track and the sound to discard at the end', () => {
    const { tracks: seen, discards } = read(encoded(extension, args), 700);
    expect(seen).toMatchObject([{ number: 1, codecId: 'A_OPUS' }]);
    expect(Buffer.from(seen[0]!.codecPrivate.subarray(0, 8)).toString()).toBe('OpusHead');
    expect(discards.length).toBe(1);
  });
});

describe('laced blocks', () => {
  const frames = [[1], new Array<number>(300).fill(2), [3, 3, 3], []] as const;
  const all = frames.flat();

  it('are split by Xiph sizes', () => {
    const { packets } = read(inCluster(element(0xa3, block(1, 3, [1, 255, 45, 3], all))), 1);
    expect(packets.map((packet) => [...packet])).toEqual(frames);
  });

  it('are split by EBML sizes', () => {
    const sizes = [...vint(1, 1), ...vint(299 + 8191, 2), ...vint(-297 + 8191, 2)];
    const { packets } = read(inCluster(element(0xa3, block(3, 3, sizes, all))), 5);
    expect(packets.map((packet) => [...packet])).toEqual(frames);
  });

  it('are split into frames of equal size', () => {
    const { packets } = read(inCluster(element(0xa3, block(2, 2, [1, 1, 2, 2, 3, 3]))));
    expect(packets.map((packet) => [...packet])).toEqual([
      [1, 1],
      [2, 2],
      [3, 3],
    ]);
  });

  it('may be in a BlockGroup, whose discard padding applies to the last frame', () => {
    const group = element(0xa0, element(0xa1, block(2, 1, [1, 2])), element(0x75a2, 0x07, 0xd0));
    expect(read(inCluster(group))).toMatchObject({ discards: [2000] });
  });

  it.each([
    ['Xiph sizes larger than the block', block(1, 1, [255, 255, 9], [1])],
    ['EBML sizes larger than the block', block(3, 1, vint(2 ** 40), [1])],
    ['a negative size', block(3, 2, vint(3, 1), vint(1, 1), [1, 2, 3])],
    ['unequal fixed frames', block(2, 1, [1, 2, 3])],
    ['no frame count', block(1)],
    ['a size that is cut off', block(1, 9, [255])],
  ])('with %s are rejected', (_, content) => {
    expect(() => read(inCluster(element(0xa3, content)))).toThrow(refusal);
  });
});

describe('a WebM stream', () => {
  const simple = element(0xa3, block(0, [7, 7]));

  it('may have blocks of other tracks and unknown elements in between', () => {
    const other = element(0xa3, [0x82, 0, 0, 0, 9]);
    const bytes = inCluster(other, element(0xec, new Array<number>(5000).fill(0)), simple);
    for (const chunkBytes of [1, 700, 1 << 20]) {
      expect(read(bytes, chunkBytes).packets).toEqual([Uint8Array.of(7, 7)]);
    }
  });

  it('may start over, as when a recorder is restarted', () => {
    const { packets, tracks: seen } = read(Buffer.concat([inCluster(simple), inCluster(simple)]));
    expect([packets.length, seen.length]).toEqual([2, 2]);
  });

  it('is read from its first audio track, even after a video track', () => {
    const video = element(0xae, element(0xd7, 2), element(0x83, 1));
    const audio = element(0xae, element(0xd7, 1), element(0x83, 2));
    const both = element(0x1654ae6b, video, audio);
    expect(read(Uint8Array.from([...ebmlHeader, ...openSegment, ...both])).tracks).toMatchObject([
      { number: 1 },
    ]);
  });

  it.each([
    ['14 bytes with a size of nearly 2^56', [0xec, 0x01, 0, 0, 0, 0xff, 0xff, 0xff, 0xf7]],
    ['a kept element of 2^55 bytes', [0xa3, 0x01, 0x80, 0, 0, 0, 0, 0, 0]],
    ['an element to skip of 1 GB', [0xec, ...vint(2 ** 30)]],
    ['a block of unknown size', [0xa3, 0xff]],
    ['an element to skip of unknown size', [0xec, 0xff]],
    ['an id of five bytes', [0x08, 1, 1, 1, 1, 1]],
    ['a size of nine bytes', [0xa3, 0x00, 1, 1, 1, 1, 1, 1, 1, 1]],
    ['a block before its track', simple],
    ['no audio track', tracks({ type: 1 })],
    ['a child larger than its parent', element(0x1654ae6b, [0xae, 0x90, 1])],
    [
      'a second encoding of its audio',
      element(0x1654ae6b, element(0xae, element(0x83, 2), element(0x6d80, 0))),
    ],
  ])('with %s is rejected at once', (_, bytes) => {
    const head = element(0x1a45dfa3, element(0x4282, [...Buffer.from('matroska\0')]));
    for (const chunkBytes of [1, 1 << 20]) {
      const stream = Uint8Array.from([...head, ...bytes]);
      const startedAt = performance.now();
      expect(() => read(stream, chunkBytes)).toThrow(refusal);
      expect(performance.now() - startedAt).toBeLessThan(3_000);
    }
  });

  it.each(['RIFF....WAVEfmt ', 'OggS', '\0\0\0\0', 'ID3 and then some'])(
    'beginning with %j is rejected',
    (text) => {
      expect(() => read(Buffer.from(text))).toThrow(refusal);
    },
  );

  it('of another document type is rejected', () => {
    const header = element(0x1a45dfa3, element(0x4282, [...Buffer.from('other')]));
    expect(() => read(Uint8Array.from(header))).toThrow(refusal);
  });
});

it('reads a large element byte by byte in time proportional to its size', () => {
  const take = (sizeBytes: number) => {
    const bytes = inCluster(element(0xa3, block(0, new Array<number>(sizeBytes).fill(1))));
    expect(read(bytes, 1).packets[0]!.length).toBe(sizeBytes);
  };
  return expectSteadyTime(take, { size: 240_000, littleMs: 40 });
});

it('decodes or rejects each of 200 damaged streams quickly and in little memory', () => {
  const outcome = readDamaged({
    ...{ seed: 1, runs: 200, chunkBytes: [1, 100, 1500, 6000] },
    sources: files.map(({ extension, args }) => ({
      bytes: encoded(extension, args).subarray(0, 6000),
    })),
    read: (bytes, chunkBytes) => expect(read(bytes, chunkBytes).heldBytes).toBeLessThan(300_000),
    refusals: ['audio_format_unsupported'],
  });
  expect(outcome.read).toBeGreaterThan(50);
  expect(outcome.refused).toBeGreaterThan(50);
  expect(outcome.slowestMs).toBeLessThan(4_000);
});
