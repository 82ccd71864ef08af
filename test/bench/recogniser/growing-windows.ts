/**
 * The same model as sherpa-onnx runs it: a window that grows is decoded anew, from nothing, each half
 * second. It is what our own way of hearing is compared with.
 */
import type * as Sherpa from '../../../server/engines/recognition/sherpa-library.ts';
import type { SherpaOfflineRecognizer } from '../../../server/engines/recognition/sherpa-library.ts';
import { importBuilt } from '../built.ts';
import type { Sight } from '../captions-measures.ts';
import { moonshineModel } from '../moonshine.ts';
import { chunksOf, utterancesIn } from './hearing.ts';
import { RATE_HZ } from './speech-samples.ts';

const HOP_SAMPLES = RATE_HZ / 2;

/** What growing windows tell of a stream. */
export interface WindowsHeard {
  text: string;
  /** When every hypothesis is shown, and when what two in a row agree on is. */
  everything: Sight[];
  twoAgree: Sight[];
  cpuS: number;
}

export interface GrowingWindows {
  hear(audio: Uint8Array): Promise<WindowsHeard>;
}

/** Loads the model into this process; throws Error when sherpa-onnx does not run here. */
export async function createGrowingWindows(): Promise<GrowingWindows> {
  const { loadSherpa } = await importBuilt<typeof Sherpa>(
    'server/engines/recognition/sherpa-library.ts',
  );
  const { encoder, decoder, tokens } = (await moonshineModel()).files;
  const recogniser = new (loadSherpa().OfflineRecognizer)({
    featConfig: { sampleRate: RATE_HZ, featureDim: 80 },
    modelConfig: {
      moonshine: { encoder, mergedDecoder: decoder },
      ...{ tokens, numThreads: 1, provider: 'cpu', debug: 0 },
    },
  });
  return { hear: (audio) => hearStream(recogniser, audio) };
}

async function hearStream(
  recogniser: SherpaOfflineRecognizer,
  audio: Uint8Array,
): Promise<WindowsHeard> {
  const heard: WindowsHeard = { text: '', everything: [], twoAgree: [], cpuS: 0 };
  const { signal } = new AbortController();
  let utterance: Uint8Array[] = [];
  for await (const piece of utterancesIn(chunksOf(audio), signal)) {
    if (piece.kind === 'samples') utterance.push(piece.samples);
    else {
      const samples = floats(Buffer.concat(utterance));
      utterance = [];
      const before = process.cpuUsage();
      await hearUtterance(recogniser, samples, heard);
      const { user, system } = process.cpuUsage(before);
      heard.cpuS += (user + system) / 1e6;
    }
  }
  return heard;
}

async function hearUtterance(
  recogniser: SherpaOfflineRecognizer,
  samples: Float32Array,
  heard: WindowsHeard,
): Promise<void> {
  let last: string[] = [];
  for (let length = HOP_SAMPLES; length < samples.length; length += HOP_SAMPLES) {
    const hypothesis = await decode(recogniser, samples.subarray(0, length));
    const words = hypothesis.split(' ').filter(Boolean);
    heard.everything.push(tentative(words));
    heard.twoAgree.push(tentative(words.slice(0, agreedCount(last, words))));
    last = words;
  }
  const text = await decode(recogniser, samples);
  heard.text = `${heard.text} ${text}`.trim();
  const sight: Sight = { atMs: 0, concluded: [{ text, startMs: 0, endMs: 0 }], tentative: [] };
  heard.everything.push(sight);
  heard.twoAgree.push(sight);
}

async function decode(recogniser: SherpaOfflineRecognizer, samples: Float32Array): Promise<string> {
  const stream = recogniser.createStream();
  stream.acceptWaveform({ samples: samples.slice(), sampleRate: RATE_HZ });
  return (await recogniser.decodeAsync(stream)).text.trim();
}

function tentative(words: readonly string[]): Sight {
  const shown = words.length === 0 ? [] : [{ text: words.join(' ') }];
  return { atMs: 0, concluded: [], tentative: shown };
}

function agreedCount(one: readonly string[], other: readonly string[]): number {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}

function floats(audio: Buffer): Float32Array {
  const samples = new Float32Array(audio.byteLength >> 1);
  for (let index = 0; index < samples.length; index += 1) {
    samples[index] = audio.readInt16LE(index * 2) / 32_768;
  }
  return samples;
}
