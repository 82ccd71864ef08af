/** As many live streams of Opus at once as one process is asked to serve. */
import { readFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { mediaOf, samplesIn } from '../../support/audio/heard.ts';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import type * as Decode from '../../../server/voice/audio/decode.ts';
import { cut } from '../../support/audio/audio-files.ts';
import { speech } from '../../support/audio/speech.ts';
import type { Print } from '../benchmarks.ts';
import { importBuilt, quietLog } from '../built.ts';
import { figure, printTable, quantile } from '../figures.ts';
import { sentences } from '../sentences.ts';
import { cpuSeconds } from './cpu.ts';

const STREAMS = 1000;
const AUDIO_S = 8;
const CHUNK_MS = 100;
const RATE_HZ = 16_000;
const contentType = 'audio/webm;codecs=opus';

export async function runLiveStreams(print: Print): Promise<void> {
  const { createAudioDecoders } = await importBuilt<typeof Decode>('server/voice/audio/decode.ts');
  const decoders = createAudioDecoders({ log: quietLog });
  try {
    const media = await recording();
    // Starts the workers.
    await decodeAll(decoders, media, { streams: STREAMS, chunksEach: 2 });
    const memoryBefore = process.memoryUsage().rss;
    const result = await decodeAll(decoders, media, {
      streams: STREAMS,
      chunksEach: (AUDIO_S * 1000) / CHUNK_MS,
    });
    print('');
    print(
      `${STREAMS} live streams of Opus at once, a chunk of ${CHUNK_MS} ms each ten times a second`,
    );
    printTable(print, [
      [
        'times real time',
        'cpu ms per second of audio',
        'streams a core',
        'late ms, p50 / p99',
        'memory MB, more MB',
      ],
      [
        figure(result.audioS / STREAMS / result.elapsedS),
        figure((result.cpuS / result.audioS) * 1000),
        figure(result.audioS / result.cpuS),
        [0.5, 0.99].map((share) => figure(quantile(result.latenessMs, share))).join(' / '),
        [process.memoryUsage().rss, process.memoryUsage().rss - memoryBefore]
          .map((bytes) => figure(bytes / 2 ** 20))
          .join(', '),
      ],
    ]);
  } finally {
    await decoders.close();
  }
}

async function recording(): Promise<Uint8Array> {
  const folder = await mkdtemp(path.join(tmpdir(), 'dragoman-bench-'));
  try {
    const source = await speech({ text: sentences.join(' '), sampleRateHz: 48_000 });
    const file = path.join(folder, 'speech.webm');
    const args = [
      '-t',
      `${AUDIO_S}`,
      '-c:a',
      'libopus',
      '-b:a',
      '32k',
      '-cluster_time_limit',
      '100',
    ];
    execFileSync('ffmpeg', ['-v', 'error', '-i', source, ...args, file]);
    return await readFile(file);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function decodeAll(
  decoders: Decode.AudioDecoders,
  media: Uint8Array,
  { streams, chunksEach }: { streams: number; chunksEach: number },
) {
  const format = parseSourceMediaType(contentType);
  if (format === undefined) throw new Error(`${contentType} is no media type.`);
  const chunkBytes = Math.ceil(media.length / ((AUDIO_S * 1000) / CHUNK_MS));
  const chunks = [...cut(media, chunkBytes)].slice(0, chunksEach);
  const latenessMs: number[] = [];
  let samplesBytes = 0;
  const [startedAt, cpuBefore] = [performance.now(), cpuSeconds()];

  async function listen(index: number): Promise<void> {
    // Spread over the time of a chunk, as real senders are.
    const beginsAt = startedAt + (index / streams) * CHUNK_MS;
    async function* live(): AsyncGenerator<Uint8Array> {
      for (const [count, chunk] of chunks.entries()) {
        const waitMs = beginsAt + count * CHUNK_MS - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        yield chunk;
      }
    }
    const { signal } = new AbortController();
    let heardBytes = 0;
    const options = { format: format!, sampleRateHz: RATE_HZ, signal };
    for await (const piece of samplesIn(decoders.decode(mediaOf(live()), options))) {
      heardBytes += piece.length;
      // A chunk that ends at n ms could be decoded at n - CHUNK_MS at the earliest: it comes whole.
      const heardMs = (heardBytes / 2 / RATE_HZ) * 1000;
      latenessMs.push(performance.now() - beginsAt - Math.max(0, heardMs - CHUNK_MS));
    }
    samplesBytes += heardBytes;
  }

  await Promise.all(Array.from({ length: streams }, (_, index) => listen(index)));
  return {
    audioS: samplesBytes / 2 / RATE_HZ,
    elapsedS: (performance.now() - startedAt) / 1000,
    cpuS: cpuSeconds() - cpuBefore,
    latenessMs,
  };
}
