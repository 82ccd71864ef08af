/** How many streams of speech one core hears in real time, with the recogniser that is always there. */
import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type * as PocketSphinx from '../../server/engines/recognition/pocketsphinx.ts';
import type { RecognitionEngine, SpeechPiece } from '../../server/engines/engine.ts';
import type * as Listen from '../../server/voice/listen.ts';
import { speech } from '../support/speech.ts';
import { importBuilt, quietLog } from './built.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { descendantsCpuS, descendantsMemory } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'recogniser';
export const description = 'real-time PocketSphinx sessions that one core carries';

const SAMPLE_RATE_HZ = 16_000;
const BYTES_PER_SECOND = SAMPLE_RATE_HZ * 2;
const CHUNK_MS = 100;
const WAV_HEADER_BYTES = 44;
const SESSIONS = 2;
/** Until then processes are started, models loaded and the first words heard. */
const SETTLE_MS = 6_000;
const WINDOW_MS = 4_000;
const WINDOWS = 5;
const WARM_STARTS = 3;
const START_WITHIN_MS = 30_000;
/** As a session has it that asks for nothing else. */
const ENDPOINTING = { silenceMs: 600, longestMs: 15_000 };

export async function run(print: Print): Promise<void> {
  const source = 'server/engines/recognition/pocketsphinx.ts';
  const { createPocketSphinx } = await importBuilt<typeof PocketSphinx>(source);
  const startedAt = performance.now();
  const engine = await createPocketSphinx({ log: quietLog });
  const coldMs = performance.now() - startedAt;
  if ('reason' in engine) throw new Error(engine.reason);
  try {
    const audio = await spokenAudio();
    const warmMs = await startTimes(engine);
    const load = await measureLoad(engine, audio);
    print(
      `${SESSIONS} sessions of speech in real time, ${WINDOWS} windows of ${WINDOW_MS / 1000} s`,
    );
    const rows = [
      ['', 'least … median … most', ''],
      ['processor time', spread(load.cpuPerAudio), 's per second of audio'],
      ['sessions a core', spread(load.cpuPerAudio.map((share) => 1 / share)), ''],
      ['audio heard', spread(load.audioPerSecond), 's a second and session; 1 keeps pace'],
      ['memory a session', figure(load.residentMb), 'MB resident'],
      ['', figure(load.proportionalMb), 'MB with the shared pages divided'],
      ['cold start', figure(coldMs), 'ms until the first process has loaded the model'],
      ['warm start', spread(warmMs), 'ms until 100 ms of silence are heard'],
    ];
    printTable(print, rows);
  } finally {
    await engine.close();
  }
}

/** Speech without end, as bytes of s16le. */
async function spokenAudio(): Promise<Uint8Array> {
  const file = await speech({ text: sentences.join(' '), padStartS: 0.5, padEndS: 0.5 });
  return (await readFile(file)).subarray(WAV_HEADER_BYTES);
}

/** How long a session takes that hears next to nothing, a process with the model being ready; in ms. */
async function startTimes(engine: RecognitionEngine): Promise<number[]> {
  const timesMs: number[] = [];
  for (let count = 0; count < WARM_STARTS; count += 1) {
    await spareIsReady();
    const startedAt = performance.now();
    await hear(engine, oneChunkOfSilence(), AbortSignal.timeout(START_WITHIN_MS));
    timesMs.push(performance.now() - startedAt);
  }
  return timesMs;
}

async function* oneChunkOfSilence(): AsyncGenerator<SpeechPiece> {
  const samples = new Uint8Array((BYTES_PER_SECOND * CHUNK_MS) / 1000);
  yield { kind: 'samples', samples, startMs: 0 };
  yield { kind: 'endpoint', atMs: CHUNK_MS };
}

/** Waits until the processes below this one have nothing more to do. */
async function spareIsReady(): Promise<void> {
  let before = -1;
  for (let now = descendantsCpuS(); now !== before; now = descendantsCpuS()) {
    before = now;
    await delay(500);
  }
}

interface Load {
  /** Seconds of processor time per second of audio heard, one per window. */
  cpuPerAudio: number[];
  /** Seconds of audio heard per second and session, one per window. */
  audioPerSecond: number[];
  residentMb: number;
  proportionalMb: number;
}

async function measureLoad(engine: RecognitionEngine, audio: Uint8Array): Promise<Load> {
  const { listen } = await importBuilt<typeof Listen>('server/voice/listen.ts');
  const over = new AbortController();
  const { signal } = over;
  let heardS = 0;
  async function* spoken(offsetBytes: number): AsyncGenerator<Uint8Array> {
    for await (const chunk of inRealTime(audio, offsetBytes)) {
      yield chunk;
      heardS += chunk.length / BYTES_PER_SECOND;
    }
  }
  async function* utterances(offsetBytes: number): AsyncGenerator<SpeechPiece> {
    for await (const piece of listen(spoken(offsetBytes), { ...ENDPOINTING, signal })) {
      if (piece.kind !== 'silence') yield piece;
    }
  }
  const sessions = Array.from({ length: SESSIONS }, (_, index) =>
    hear(engine, utterances(index * 7 * BYTES_PER_SECOND), signal).catch((error: unknown) => {
      if (!signal.aborted) throw error;
    }),
  );
  const measured = measureWindows(() => heardS);
  // A session that fails ends the measurement, one that succeeds would run on for ever.
  const result = await Promise.race([measured, ...sessions]).finally(() => over.abort());
  await Promise.all(sessions);
  if (result === undefined) throw new Error('A session ended before its audio did.');
  return result;
}

async function measureWindows(heardS: () => number): Promise<Load> {
  await delay(SETTLE_MS);
  const load = { cpuPerAudio: [] as number[], audioPerSecond: [] as number[] };
  for (let count = 0; count < WINDOWS; count += 1) {
    const before = { cpuS: descendantsCpuS(), heardS: heardS(), atMs: performance.now() };
    await delay(WINDOW_MS);
    const audioS = heardS() - before.heardS;
    const elapsedS = (performance.now() - before.atMs) / 1000;
    load.cpuPerAudio.push((descendantsCpuS() - before.cpuS) / audioS);
    load.audioPerSecond.push(audioS / elapsedS / SESSIONS);
  }
  const memory = descendantsMemory();
  const megabytes = (bytes: number[]) => median(bytes) / 2 ** 20;
  return {
    ...load,
    residentMb: megabytes(memory.map(({ residentBytes }) => residentBytes)),
    proportionalMb: megabytes(memory.map(({ proportionalBytes }) => proportionalBytes)),
  };
}

/** The same audio over and over at the pace at which it plays. */
async function* inRealTime(audio: Uint8Array, offsetBytes: number): AsyncGenerator<Uint8Array> {
  const chunkBytes = (BYTES_PER_SECOND * CHUNK_MS) / 1000;
  const startedAt = performance.now();
  let at = offsetBytes % audio.length;
  for (let count = 0; ; count += 1) {
    await delay(Math.max(0, startedAt + count * CHUNK_MS - performance.now()));
    yield audio.subarray(at, at + chunkBytes);
    at = at + chunkBytes < audio.length ? at + chunkBytes : 0;
  }
}

/** Hears a stream to its end; what is recognised does not matter here. */
async function hear(
  engine: RecognitionEngine,
  speech: AsyncIterable<SpeechPiece>,
  signal: AbortSignal,
): Promise<undefined> {
  const options = { language: 'en', languageMode: 'fixed', spokenTerms: [], signal } as const;
  const recognitions = engine.recognise(speech, options)[Symbol.asyncIterator]();
  while ((await recognitions.next()).done !== true);
  return undefined;
}
