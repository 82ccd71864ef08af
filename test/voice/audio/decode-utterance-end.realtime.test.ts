/** The position of an utterance end that the sender signals amid audio that FFmpeg decodes. */
import { readFileSync } from 'node:fs';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import { createAudioDecoders, type AudioDecoders } from '../../../server/voice/audio/decode.ts';
import {
  createFfmpegPool,
  findFfmpeg,
  findFfmpegProgram,
  type FfmpegProgram,
} from '../../../server/voice/audio/ffmpeg.ts';
import { UTTERANCE_END, type MediaPiece } from '../../../server/voice/audio/media.ts';
import { cut } from '../../support/audio/audio-files.ts';
import { encodedBy } from '../../support/audio/encoded-speech.ts';
import { mediaOf } from '../../support/audio/heard.ts';
import { speech } from '../../support/audio/speech.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { liveSource, program } from './decoding.ts';

let ffmpeg: FfmpegProgram | undefined;
beforeAll(async () => (ffmpeg = await findFfmpeg()));

const made: AudioDecoders[] = [];
afterEach(async () => {
  await Promise.all(made.splice(0).map((decoders) => decoders.close()));
});

function decodersOf(from: FfmpegProgram | undefined): AudioDecoders {
  const decoders = createAudioDecoders({ log: recordLog(), ffmpeg: from });
  made.push(decoders);
  return decoders;
}

const words = ['she bought a new house near the river', 'we will meet again'];
/** Sentences as MP3 without silence around them, and the duration of each. */
async function said() {
  const samples = await Promise.all(
    words.map(async (text) => {
      const wav = readFileSync(await speech({ text, padStartS: 0, padEndS: 0 }));
      return wav.subarray(44);
    }),
  );
  const options = ['-c:a', 'libmp3lame', '-b:a', '64k', '-f', 'mp3'];
  const files = samples.map((each) => encodedBy(options, each));
  return { files, lengthsMs: samples.map(({ length }) => length / 32) };
}

/** Yields the position of each utterance end, in ms. */
async function* endsIn(decoders: AudioDecoders, media: AsyncIterable<MediaPiece>) {
  const format = parseSourceMediaType('audio/mpeg')!;
  const { signal } = new AbortController();
  const options = { format, sampleRateHz: 16_000, signal };
  for await (const piece of decoders.decode(mediaOf(media), options)) {
    if (piece.kind === 'endpoint') yield piece.atMs;
  }
}

it('places an utterance end after all speech sent before it, however long FFmpeg takes to start', async () => {
  const slow = program('/bin/sleep 1\nexec ffmpeg "$@"');
  const decoders = decodersOf(await findFfmpegProgram(slow));
  const { files, lengthsMs } = await said();
  const source = liveSource();
  const ends = endsIn(decoders, source.media);
  for (const piece of [...cut(files[0]!, 800), UTTERANCE_END]) source.give(piece);
  // Nothing else is sent.
  const { value: endMs } = await ends.next();
  expect(endMs).toBeGreaterThan(0.85 * lengthsMs[0]!);
  source.end();
  await ends.return();
});

it('waits only briefly for an utterance end when FFmpeg never emits the remaining sound', async () => {
  const { files, lengthsMs } = await said();
  // FFmpeg drops the last 400 ms: less than it may owe, and more than it buffers.
  const sounding = `aselect=lt(t\\\\,${(lengthsMs[0]! - 400) / 1000})`;
  const lossy = program(
    `for each do shift; set -- "$@" "$each"; test "$each" != s16le || set -- "$@" -af "${sounding}"; done
    exec ffmpeg "$@"`,
  );
  const decoders = decodersOf(await findFfmpegProgram(lossy));
  const source = liveSource();
  const ends = endsIn(decoders, source.media);
  for (const piece of [...cut(files[0]!, 800), UTTERANCE_END]) source.give(piece);
  const { value: endMs } = await ends.next();
  expect(endMs).toBeGreaterThan(0.6 * lengthsMs[0]!);
  await ends.return();
});

it('finds an utterance end even when speech continues at once', async () => {
  const { files, lengthsMs } = await said();
  const source = liveSource();
  const [first, second] = files.map((file) => cut(file, 800));
  for (const piece of [...first!, UTTERANCE_END, ...second!]) source.give(piece);
  source.end();
  const found: number[] = [];
  for await (const endMs of endsIn(decodersOf(ffmpeg), source.media)) found.push(endMs);
  expect(found).toHaveLength(1);
  // An encoder adds some tens of ms before and after its sound.
  expect(Math.abs(found[0]! - lengthsMs[0]!)).toBeLessThan(200);
});

it('does not wait for an utterance end after FFmpeg was killed', async () => {
  const { files } = await said();
  const pool = createFfmpegPool({ program: ffmpeg, maxProcesses: 1, watchdogMs: 5_000 });
  const ignored = () => undefined;
  const events = { samples: ignored, marked: ignored, failed: ignored };
  const stream = pool.start({ coding: 'mp3', sampleRateHz: 16_000, events });
  stream.hold(true);
  await stream.write(files[0]!.subarray(0, 4000), { soundBytes: 4000, playsMs: 600 });
  stream.kill();
  vi.useFakeTimers();
  try {
    stream.mark();
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
  await stream.gone;
});
