/** What decoding costs, format by format, and a thousand live streams at once. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mediaOf, samplesIn } from '../support/audio/heard.ts';
import { parseSourceMediaType } from '../../shared/media-type.ts';
import type * as Decode from '../../server/voice/audio/decode.ts';
import { cut } from '../support/audio/audio-files.ts';
import { speech } from '../support/audio/speech.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { cpuSeconds } from './decode/cpu.ts';
import * as byHand from './decode/by-hand.ts';
import { runLiveStreams } from './decode/live-streams.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { sentences } from './sentences.ts';

export const name = 'decode';
export const description = 'audio of each format to 16 kHz samples; 1,000 live streams at once';

const TARGET_RATE_HZ = 16_000;
const CHUNK_MS = 100;
const ROUNDS = 5;
/** Well below a second of any of the formats. */
const FIRST_CHUNK_BYTES = 1024;
const AIM_FIRST_SAMPLES_MS = 300;

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const flac = ['-c:a', 'flac', '-ar', `${TARGET_RATE_HZ}`];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '48k'];

interface Format {
  contentType: string;
  /** What makes ffmpeg write it. */
  args: string[];
  /** Decodes the whole file with the library that does the work, and nothing else. */
  library?: (file: Uint8Array) => Promise<void>;
}

/** Formats as browsers, programs and telephones send them. */
const formats: Format[] = [
  {
    contentType: 'audio/webm;codecs=opus',
    args: [...opus, '-f', 'webm'],
    library: byHand.opusInWebm,
  },
  { contentType: 'audio/ogg;codecs=opus', args: [...opus, '-f', 'ogg'], library: byHand.opusInOgg },
  { contentType: 'audio/flac', args: [...flac, '-f', 'flac'], library: byHand.flac },
  { contentType: 'audio/ogg;codecs=flac', args: [...flac, '-f', 'ogg'], library: byHand.flac },
  { contentType: 'audio/mpeg', args: [...mp3, '-f', 'mp3'], library: byHand.ffmpeg('mp3') },
  {
    contentType: 'audio/x-matroska;codecs=mp3',
    args: [...mp3, '-f', 'matroska'],
    library: byHand.ffmpeg('matroska'),
  },
  {
    contentType: 'audio/x-matroska;codecs=aac',
    args: ['-c:a', 'aac', '-f', 'matroska'],
    library: byHand.ffmpeg('matroska'),
  },
  {
    contentType: 'audio/ogg',
    args: ['-c:a', 'libvorbis', '-f', 'ogg'],
    library: byHand.ffmpeg('ogg'),
  },
  { contentType: 'audio/pcm;encoding=s16le;rate=48000', args: ['-ar', '48000', '-f', 's16le'] },
  { contentType: 'audio/pcm;encoding=ulaw;rate=8000', args: ['-ar', '8000', '-f', 'mulaw'] },
];

export async function run(print: Print): Promise<void> {
  const { createAudioDecoders, findFfmpeg } = await importBuilt<typeof Decode>(
    'server/voice/audio/decode.ts',
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-bench-'));
  const decoders = createAudioDecoders({ log: quietLog, ffmpeg: await findFfmpeg() });
  try {
    const source = await speech({ text: sentences.join(' '), sampleRateHz: 48_000 });
    const samples: Sample[] = [];
    for (const [index, { args, ...format }] of formats.entries()) {
      const file = path.join(folder, `${index}`);
      execFileSync('ffmpeg', ['-v', 'error', '-i', source, ...args, file]);
      samples.push({ ...format, decoders, media: await readFile(file) });
    }
    print(`chunks of ${CHUNK_MS} ms, ${ROUNDS} rounds each`);
    await printCosts(print, samples);
    await printFirstSamples(print, samples);
  } finally {
    await decoders.close();
    await rm(folder, { recursive: true, force: true });
  }
  await runLiveStreams(print);
}

interface Sample {
  decoders: Decode.AudioDecoders;
  contentType: string;
  media: Uint8Array;
  library?: (file: Uint8Array) => Promise<void>;
}

async function printCosts(print: Print, samples: readonly Sample[]): Promise<void> {
  const rows = [
    [
      '',
      'times real time',
      'streams a core',
      'cpu ms per second of audio',
      '÷ the library by hand',
    ],
  ];
  for (const sample of samples) {
    const rounds = await measure(sample);
    rows.push([
      sample.contentType,
      spread(rounds.map(({ audioS, elapsedS }) => audioS / elapsedS)),
      figure(median(rounds.map(({ audioS, cpuS }) => audioS / cpuS))),
      spread(rounds.map(({ audioS, cpuS }) => (cpuS / audioS) * 1000)),
      sample.library === undefined
        ? 'no library'
        : spread(rounds.map(({ cpuS, libraryS }) => cpuS / libraryS)),
    ]);
  }
  printTable(print, rows);
}

interface Round {
  audioS: number;
  elapsedS: number;
  cpuS: number;
  libraryS: number;
}

async function measure(sample: Sample): Promise<Round[]> {
  // The first decode starts the worker thread and compiles the codec; it also tells the duration.
  const { audioS } = await decodeOnce(sample, FIRST_CHUNK_BYTES);
  const rounds: Round[] = [];
  for (let count = 0; count < ROUNDS; count += 1) {
    const decoded = await decodeOnce(sample, chunkBytes(sample, audioS));
    const before = cpuSeconds();
    await sample.library?.(sample.media);
    rounds.push({ ...decoded, libraryS: cpuSeconds() - before });
  }
  return rounds;
}

/** Bytes of a chunk; an even number, for samples of two. */
function chunkBytes({ media }: Sample, audioS: number): number {
  return Math.max(2, 2 * Math.round((media.length / audioS) * (CHUNK_MS / 2000)));
}

async function decodeOnce(sample: Sample, sizeBytes: number): Promise<Omit<Round, 'libraryS'>> {
  const startedAt = performance.now();
  const before = cpuSeconds();
  let decodedBytes = 0;
  for await (const piece of decode(sample, streamed([...cut(sample.media, sizeBytes)]))) {
    decodedBytes += piece.length;
  }
  return {
    audioS: decodedBytes / 2 / TARGET_RATE_HZ,
    elapsedS: (performance.now() - startedAt) / 1000,
    cpuS: cpuSeconds() - before,
  };
}

function decode({ decoders, contentType }: Sample, media: AsyncIterable<Uint8Array>) {
  const format = parseSourceMediaType(contentType);
  if (format === undefined) throw new Error(`${contentType} is no media type.`);
  const { signal } = new AbortController();
  const heard = decoders.decode(mediaOf(media), { format, sampleRateHz: TARGET_RATE_HZ, signal });
  return samplesIn(heard);
}

/** From the first bytes of a live stream out of which there is any sound to its first samples. */
async function printFirstSamples(print: Print, samples: readonly Sample[]): Promise<void> {
  const rows = [['', 'first samples after, ms', `median ${AIM_FIRST_SAMPLES_MS} ms at most`]];
  for (const sample of samples) {
    const { audioS } = await decodeOnce(sample, FIRST_CHUNK_BYTES);
    const all = [...cut(sample.media, chunkBytes(sample, audioS))];
    const decodable = await decodableChunks(sample, all);
    const latenciesMs: number[] = [];
    for (let count = 0; count < ROUNDS; count += 1) {
      latenciesMs.push(await firstSamplesMs(sample, all, decodable));
    }
    const isMet = median(latenciesMs) <= AIM_FIRST_SAMPLES_MS;
    rows.push([sample.contentType, spread(latenciesMs), isMet ? 'met' : 'not met']);
  }
  printTable(print, rows);
}

/** How many chunks it takes until there is sound in them, were they all that came: headers have none. */
async function decodableChunks(sample: Sample, all: readonly Uint8Array[]): Promise<number> {
  for (let count = 1; count <= all.length; count += 1) {
    for await (const piece of decode(sample, streamed(all.slice(0, count)))) {
      if (piece.length > 0) return count;
    }
  }
  throw new Error(`${sample.contentType} gave no samples.`);
}

async function firstSamplesMs(
  sample: Sample,
  all: readonly Uint8Array[],
  decodable: number,
): Promise<number> {
  let startedAt = 0;
  async function* live(): AsyncGenerator<Uint8Array> {
    for (const [index, chunk] of all.entries()) {
      await new Promise((resolve) => setTimeout(resolve, CHUNK_MS));
      if (index + 1 === decodable) startedAt = performance.now();
      yield chunk;
    }
  }
  for await (const piece of decode(sample, live())) {
    if (piece.length > 0) return performance.now() - startedAt;
  }
  throw new Error(`${sample.contentType} gave no samples.`);
}

async function* streamed(all: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* all;
}
