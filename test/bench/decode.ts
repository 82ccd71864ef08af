/** What decoding costs, format by format. */
import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseSourceMediaType } from '../../shared/media-type.ts';
import type * as Decode from '../../server/voice/decode.ts';
import { cut } from '../support/audio-files.ts';
import { speech } from '../support/speech.ts';
import type { Print } from './benchmarks.ts';
import { importBuilt, quietLog } from './built.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { sentences } from './sentences.ts';

export const name = 'decode';
export const description = 'audio of each format to 16 kHz samples';

const TARGET_RATE_HZ = 16_000;
const CHUNK_MS = 100;
const ROUNDS = 5;
/** Well below a second of any of the formats. */
const FIRST_CHUNK_BYTES = 1024;

/** Formats as browsers, programs and telephones send them, and what makes ffmpeg write them. */
const formats = [
  { contentType: 'audio/webm;codecs=opus', args: ['-c:a', 'libopus', '-b:a', '32k', '-f', 'webm'] },
  { contentType: 'audio/ogg;codecs=opus', args: ['-c:a', 'libopus', '-b:a', '32k', '-f', 'ogg'] },
  { contentType: 'audio/pcm;encoding=s16le;rate=48000', args: ['-ar', '48000', '-f', 's16le'] },
  { contentType: 'audio/pcm;encoding=ulaw;rate=8000', args: ['-ar', '8000', '-f', 'mulaw'] },
];

export async function run(print: Print): Promise<void> {
  const { createAudioDecoders } = await importBuilt<typeof Decode>('server/voice/decode.ts');
  const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-bench-'));
  const decoders = createAudioDecoders({ log: quietLog });
  try {
    const source = await speech({ text: sentences.join(' '), sampleRateHz: 48_000 });
    const rows = [['', 'times real time', 'streams a core', 'processor ms per second of audio']];
    for (const [index, { contentType, args }] of formats.entries()) {
      const file = path.join(folder, `${index}`);
      execFileSync('ffmpeg', ['-v', 'error', '-i', source, ...args, file]);
      const rounds = await measure({ decoders, contentType, media: await readFile(file) });
      rows.push([
        contentType,
        spread(rounds.map(({ audioS, elapsedS }) => audioS / elapsedS)),
        figure(median(rounds.map(({ audioS, cpuS }) => audioS / cpuS))),
        spread(rounds.map(({ audioS, cpuS }) => (cpuS / audioS) * 1000)),
      ]);
    }
    print(`chunks of ${CHUNK_MS} ms, ${ROUNDS} rounds each`);
    printTable(print, rows);
  } finally {
    await decoders.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Round {
  audioS: number;
  elapsedS: number;
  cpuS: number;
}

interface Sample {
  decoders: Decode.AudioDecoders;
  contentType: string;
  media: Uint8Array;
}

async function measure(sample: Sample): Promise<Round[]> {
  // The first decode starts the worker thread and compiles the codec; it also tells the duration.
  const { audioS } = await decodeOnce(sample, FIRST_CHUNK_BYTES);
  const chunkBytes = Math.max(
    2,
    2 * Math.round((sample.media.length / audioS) * (CHUNK_MS / 2000)),
  );
  const rounds: Round[] = [];
  for (let count = 0; count < ROUNDS; count += 1) {
    rounds.push(await decodeOnce(sample, chunkBytes));
  }
  return rounds;
}

async function decodeOnce(sample: Sample, chunkBytes: number): Promise<Round> {
  const { decoders, contentType, media } = sample;
  const format = parseSourceMediaType(contentType);
  if (format === undefined) throw new Error(`${contentType} is no media type.`);
  const startedAt = performance.now();
  const cpuBefore = process.cpuUsage();
  const samples = decoders.decode(chunks(media, chunkBytes), {
    format,
    sampleRateHz: TARGET_RATE_HZ,
    signal: new AbortController().signal,
  });
  let sizeBytes = 0;
  for await (const piece of samples) sizeBytes += piece.length;
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    audioS: sizeBytes / 2 / TARGET_RATE_HZ,
    elapsedS: (performance.now() - startedAt) / 1000,
    cpuS: (user + system) / 1e6,
  };
}

async function* chunks(media: Uint8Array, chunkBytes: number): AsyncGenerator<Uint8Array> {
  yield* cut(media, chunkBytes);
}
