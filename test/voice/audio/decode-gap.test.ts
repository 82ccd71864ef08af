/** Decoding after a sender reconnected: bytes may be missing, and a new file may begin. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  createAudioDecoders,
  findFfmpeg,
  type AudioDecoders,
} from '../../../server/voice/audio/decode.ts';
import { MEDIA_GAP, type MediaPiece } from '../../../server/voice/audio/media.ts';
import {
  correlate,
  cut,
  decodedByFfmpeg,
  encoded,
  encodedFile,
  prepareEncoded,
} from '../../support/audio/audio-files.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { collect, decodeWith, streamed, withUnknownClusterSizes } from './decoding.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const smallClusters = [...opus, '-cluster_time_limit', '200'];
const pagedOpus = [...opus, '-page_duration', '100000'];
/** The same in a stream of another number. */
const otherOpus = [...pagedOpus, '-serial_offset', '7'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];
const aac = ['-c:a', 'aac', '-b:a', '64k'];

/**
 * How each reader finds its place in the same file again, and begins with another one. A container does both
 * alike for every codec.
 */
const interrupted = [
  { contentType: 'audio/webm', extension: 'webm', args: smallClusters, isUnsized: true },
  { contentType: 'audio/ogg;codecs=opus', extension: 'ogg', args: pagedOpus },
  {
    contentType: 'audio/x-matroska;codecs=aac',
    extension: 'mka',
    args: [...aac, '-cluster_time_limit', '200'],
  },
  { contentType: 'audio/flac', extension: 'flac', args: ['-c:a', 'flac'] },
  { contentType: 'audio/mpeg', extension: 'mp3', args: mp3 },
];
const restarted = [
  { contentType: 'audio/webm;codecs=opus', extension: 'webm', args: smallClusters },
  {
    contentType: 'audio/ogg',
    extension: 'ogg',
    args: ['-c:a', 'libvorbis', '-page_duration', '100000'],
  },
  { contentType: 'audio/flac', extension: 'flac', args: ['-c:a', 'flac'] },
  { contentType: 'audio/auto', extension: 'aac', args: [...aac, '-f', 'adts'] },
];

prepareEncoded([...interrupted, ...restarted, { extension: 'ogg', args: otherOpus }], {
  decodedHz: 16_000,
});

let decoders: AudioDecoders;
beforeAll(async () => {
  decoders = createAudioDecoders({ log: recordLog(), ffmpeg: await findFfmpeg() });
});
afterAll(() => decoders.close());

const decoded = (pieces: Iterable<MediaPiece>, contentType: string) =>
  collect(decodeWith(decoders, streamed(pieces), { contentType }));

function* withGap(before: Uint8Array, after: Uint8Array): Generator<MediaPiece> {
  yield* cut(before, 900);
  yield MEDIA_GAP;
  yield* cut(after, 900);
}

const firstSecond = (samples: Int16Array) => samples.subarray(0, 16_000);

it.each(restarted)(
  'continues $contentType with the file that begins after the gap and keeps what came before',
  async ({ contentType, extension, args }) => {
    const bytes = encoded(extension, args);
    const theirs = decodedByFfmpeg(encodedFile(extension, args), 16_000);
    const half = bytes.subarray(0, bytes.length >> 1);
    const ours = await decoded(withGap(half, bytes), contentType);
    expect(correlate(firstSecond(ours), firstSecond(theirs)).correlation).toBeGreaterThan(0.99);
    const second = ours.subarray(ours.length - theirs.length);
    expect(second.length).toBe(theirs.length);
    expect(correlate(second, theirs, 600).correlation).toBeGreaterThan(0.98);
  },
);

it.each(interrupted)(
  'resynchronises $contentType with the same file when bytes of it are missing',
  async ({ contentType, extension, args, isUnsized = false }) => {
    const original = encoded(extension, args);
    const bytes = isUnsized ? withUnknownClusterSizes(original) : original;
    const theirs = decodedByFfmpeg(encodedFile(extension, args), 16_000);
    const [lostFrom, lostTo] = [0.3, 0.36].map((share) => Math.floor(bytes.length * share));
    const ours = await decoded(
      withGap(bytes.subarray(0, lostFrom), bytes.subarray(lostTo)),
      contentType,
    );
    // Only the units that the gap cuts may be lost: pages, clusters and frames of up to 0.3 s.
    expect(ours.length).toBeLessThan(theirs.length - 0.02 * theirs.length);
    expect(ours.length).toBeGreaterThan(theirs.length - 0.06 * theirs.length - 2 * 0.35 * 16_000);
    expect(correlate(firstSecond(ours), firstSecond(theirs)).correlation).toBeGreaterThan(0.99);
    const tail = (samples: Int16Array) => samples.subarray(samples.length - 2 * 16_000);
    expect(correlate(tail(ours), tail(theirs), 600).correlation).toBeGreaterThan(0.95);
  },
);

it('starts with the new file when the gap comes before anything could be decoded', async () => {
  const bytes = encoded('webm', smallClusters);
  const ours = await decoded(withGap(bytes.subarray(0, 60), bytes), 'audio/webm');
  expect(ours.length).toBe(decodedByFfmpeg(encodedFile('webm', smallClusters), 16_000).length);
  const head = encoded('ogg', pagedOpus).subarray(0, 70);
  const second = await decoded(withGap(head, encoded('ogg', otherOpus)), 'audio/ogg');
  expect(second.length).toBe(decodedByFfmpeg(encodedFile('ogg', otherOpus), 16_000).length);
});

it('follows audio/auto into another container, codec and decoder', async () => {
  const [first, second, third] = [
    encoded('webm', smallClusters),
    encoded('mp3', mp3),
    encoded('flac', ['-c:a', 'flac']),
  ];
  function* pieces(): Generator<MediaPiece> {
    yield* withGap(first, second);
    yield MEDIA_GAP;
    yield* cut(third, 900);
  }
  // The MP3 file begins with an ID3 tag, which identifies it reliably.
  const ours = await decoded(pieces(), 'audio/auto');
  const speech = decodedByFfmpeg(encodedFile('flac', ['-c:a', 'flac']), 16_000);
  expect(correlate(ours.subarray(0, speech.length), speech).correlation).toBeGreaterThan(0.9);
  const last = ours.subarray(ours.length - speech.length);
  expect(correlate(last, speech).correlation).toBeGreaterThan(0.99);
  expect(ours.length).toBeGreaterThan(2.99 * speech.length);
  expect(ours.length).toBeLessThan(3.05 * speech.length);
});

it('realigns s16le after a gap', async () => {
  const rateHz = 48_000;
  const pcm = encoded('raw', ['-f', 's16le', '-ar', `${rateHz}`]);
  const odd = ((rateHz / 1000) * 1001) | 1;
  const ours = await decoded(
    withGap(pcm.subarray(0, odd), pcm.subarray(odd + 1)),
    `audio/pcm;encoding=s16le;rate=${rateHz}`,
  );
  const theirs = decodedByFfmpeg(encodedFile('flac', ['-c:a', 'flac']), 16_000);
  expect(correlate(ours, theirs).correlation).toBeGreaterThan(0.98);
});
