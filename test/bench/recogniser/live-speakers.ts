/** Speakers at the pace of speech: how far behind them the recogniser is, and what it costs. */
import { setMaxListeners } from 'node:events';
import { loadavg } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import type { RecognitionEngine } from '../../../server/engines/engine.ts';
import { median } from '../figures.ts';
import { descendantsCpuS, descendantsMemory, descendantsWaitS } from '../process-tree.ts';
import { CHUNK_BYTES, endpointLags, hear, utterancesIn, type Heard } from './hearing.ts';
import { BYTES_PER_MS, type Spoken } from './speech-samples.ts';

/** Until then first words are heard, and processes that are to come are there. */
const SETTLE_MS = 4_000;
const MEASURED_MS = 20_000;
const SAMPLE_EVERY_MS = 1_000;
/** Speakers do not speak in chorus. */
const APART_MS = 2_300;

/** What was measured of some speakers; lags in ms. */
export interface Live {
  speakers: number;
  /** Of each partial, from the end of its last word. */
  partialLagsMs: number[];
  /** From each endpoint to the final. */
  finalLagsMs: number[];
  /** Median of partials in the last third less that in the first. */
  growthMs: number;
  /** Seconds of audio heard per second and speaker. */
  pace: number;
  cpuPerAudio: number;
  /** Share of the time in which the processes could run but another program did. */
  waiting: number;
  load: number;
  processes: number;
  /** The most that was seen of all processes together, in bytes. */
  residentBytes: number;
  proportionalBytes: number;
}

/**
 * Lets so many people speak for half a minute.
 *
 * @param strangers processes whose memory is not that of the recogniser
 */
export async function listenTo(
  engine: RecognitionEngine,
  clips: readonly Spoken[],
  speakers: number,
  strangers: ReadonlySet<number> = new Set(),
): Promise<Live> {
  const over = new AbortController();
  setMaxListeners(0, over.signal);
  const partials: { atMs: number; lagMs: number }[] = [];
  const streams: { heard: Heard | undefined }[] = [];
  let fedBytes = 0;
  const startedAtMs = performance.now();
  const sessions = Array.from({ length: speakers }, async (_, index) => {
    const { audio } = clips[index % clips.length] ?? { audio: new Uint8Array() };
    const stream = speaking(audio, index * APART_MS, over.signal, (bytes) => (fedBytes += bytes));
    const own: { heard: Heard | undefined } = { heard: undefined };
    streams.push(own);
    await hear(engine, utterancesIn(stream.chunks(), over.signal), {
      now: stream.nowMs,
      signal: over.signal,
      onPartial: (endMs) =>
        partials.push({ atMs: performance.now() - startedAtMs, lagMs: stream.nowMs() - endMs }),
      onFinal: (heard) => (own.heard = heard),
    }).catch((error: unknown) => {
      if (!over.signal.aborted) throw error;
    });
  });
  const measured = measure(() => fedBytes / BYTES_PER_MS / 1000, speakers, strangers);
  // A session that fails ends the measurement.
  const figures = await Promise.race([measured, ...sessions]).finally(() => over.abort());
  await Promise.all(sessions);
  if (figures === undefined) throw new Error('A session ended before its audio did.');
  const settled = partials.filter(({ atMs }) => atMs > SETTLE_MS);
  const part = (from: number, to: number) =>
    settled
      .filter(({ atMs }) => atMs >= SETTLE_MS + from * MEASURED_MS)
      .filter(({ atMs }) => atMs < SETTLE_MS + to * MEASURED_MS)
      .map(({ lagMs }) => lagMs);
  const [first, last] = [part(0, 1 / 3), part(2 / 3, 1)];
  return {
    ...{ speakers, ...figures },
    partialLagsMs: settled.map(({ lagMs }) => lagMs),
    finalLagsMs: streams.flatMap(({ heard }) => (heard === undefined ? [] : endpointLags(heard))),
    growthMs: first.length > 0 && last.length > 0 ? median(last) - median(first) : NaN,
  };
}

/** The same audio over and over, each chunk when its last sample has been spoken. */
function speaking(
  audio: Uint8Array,
  offsetMs: number,
  signal: AbortSignal,
  onFed: (bytes: number) => void,
) {
  const startedAtMs = performance.now();
  const nowMs = () => performance.now() - startedAtMs;
  return {
    nowMs,
    async *chunks(): AsyncGenerator<Uint8Array> {
      let at = Math.floor((offsetMs * BYTES_PER_MS) / CHUNK_BYTES) * CHUNK_BYTES;
      for (let count = 1; !signal.aborted; count += 1) {
        if (at + CHUNK_BYTES > audio.length) at = 0;
        await delay(Math.max(0, (count * CHUNK_BYTES) / BYTES_PER_MS - nowMs()));
        yield audio.subarray(at, at + CHUNK_BYTES);
        onFed(CHUNK_BYTES);
        at += CHUNK_BYTES;
      }
    },
  };
}

async function measure(fedS: () => number, speakers: number, strangers: ReadonlySet<number>) {
  await delay(SETTLE_MS);
  const before = { cpuS: descendantsCpuS(), waitS: descendantsWaitS(), fedS: fedS() };
  const startedAtMs = performance.now();
  const most = { residentBytes: 0, proportionalBytes: 0, processes: 0 };
  while (performance.now() - startedAtMs < MEASURED_MS) {
    await delay(SAMPLE_EVERY_MS);
    const all = descendantsMemory().filter(({ pid }) => !strangers.has(pid));
    const sum = (bytes: (each: (typeof all)[number]) => number) =>
      all.reduce((whole, each) => whole + bytes(each), 0);
    most.residentBytes = Math.max(
      most.residentBytes,
      sum((each) => each.residentBytes),
    );
    most.proportionalBytes = Math.max(
      most.proportionalBytes,
      sum((each) => each.proportionalBytes),
    );
    most.processes = Math.max(most.processes, all.length);
  }
  const elapsedS = (performance.now() - startedAtMs) / 1000;
  const audioS = fedS() - before.fedS;
  const cpuS = descendantsCpuS() - before.cpuS;
  const waitS = descendantsWaitS() - before.waitS;
  return {
    ...most,
    pace: audioS / elapsedS / speakers,
    cpuPerAudio: cpuS / audioS,
    waiting: waitS / Math.max(waitS + cpuS, Number.EPSILON),
    load: loadavg()[0] ?? 0,
  };
}
