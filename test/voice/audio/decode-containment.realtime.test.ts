/** How the failure of one stream, one worker or the whole stage affects all other streams. */
import { Worker } from 'node:worker_threads';
import { afterEach, describe, expect, it } from 'vitest';
import { mediaOf, samplesIn } from '../../support/audio/heard.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { parseSourceMediaType } from '../../../shared/media-type.ts';
import type { PoolWorker } from '../../../server/process/worker-pool.ts';
import {
  createAudioDecoders,
  findDecoderContainment,
  startDecodeProcess,
  type AudioDecoders,
  type AudioDecodersOptions,
} from '../../../server/voice/audio/decode.ts';
import { cut, encoded, mutated, samplesOf, seededRandom } from '../../support/audio/audio-files.ts';
import { recordLog } from '../../support/product/log-record.ts';
import { builtModule } from '../../support/suite/built-product.ts';
import { bytesLeft, until } from './decoding.ts';

const opus = ['-c:a', 'libopus', '-b:a', '32k'];
const aLaw = 'audio/pcm;encoding=alaw;rate=8000';

/** Values of a chunk's first byte that make the faulty worker fail. */
const Fault = { hang: 1, exit: 2, memory: 3 } as const;

/** Decoding processes as the server starts them. */
const realProcess = async (): Promise<() => PoolWorker> => {
  const containment = await findDecoderContainment();
  return () => startDecodeProcess({ log: recordLog(), containment });
};
/** A worker thread that can be made to fail. */
const faultyThread = (): PoolWorker =>
  new Worker(new URL('faulty-worker.mjs', import.meta.url), {
    workerData: { service: builtModule('server/voice/audio/decode-service.ts'), fault: Fault },
  });

/** A decoding stage that counts its workers. */
function stage(options: Partial<AudioDecodersOptions> = {}, start = faultyThread) {
  const threads = { started: 0, running: 0 };
  const log = recordLog();
  function startDecodeWorker(): PoolWorker {
    const worker = start();
    threads.started += 1;
    threads.running += 1;
    worker.on('exit', () => (threads.running -= 1));
    return worker;
  }
  const decoders = createAudioDecoders({ log, startDecodeWorker, ...options });
  stages.push(decoders);
  return { decoders, threads, log };
}
const stages: AudioDecoders[] = [];
afterEach(() => Promise.all(stages.splice(0).map((decoders) => decoders.close())));

/** A live source whose chunks are given one by one. */
function liveSource() {
  const chunks: Uint8Array[] = [];
  let wake: () => void = () => undefined;
  let isOver = false;
  async function* media() {
    for (;;) {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) yield chunk;
      if (isOver) return;
      await new Promise<void>((resolve) => (wake = resolve));
    }
  }
  return {
    media: media(),
    give(chunk: Uint8Array) {
      chunks.push(chunk);
      wake();
    },
    end() {
      isOver = true;
      wake();
    },
  };
}

function decode(
  decoders: AudioDecoders,
  contentType: string,
  media: AsyncIterable<Uint8Array>,
  signal = new AbortController().signal,
) {
  const format = parseSourceMediaType(contentType)!;
  return samplesIn(decoders.decode(mediaOf(media), { format, sampleRateHz: 16_000, signal }));
}

/** A stream of A-law that has begun: its worker runs and has answered. */
async function begun(decoders: AudioDecoders, signal?: AbortSignal) {
  const source = liveSource();
  const iterator = decode(decoders, aLaw, source.media, signal)[Symbol.asyncIterator]();
  source.give(new Uint8Array(800).fill(0xd5));
  await iterator.next();
  return { source, drain: () => bytesLeft(iterator) };
}

async function collect(stream: AsyncIterable<Uint8Array>): Promise<Int16Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of stream) pieces.push(piece);
  return samplesOf(Buffer.concat(pieces));
}

async function* streamed(chunks: Iterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield chunk;
}

describe.each([
  { what: 'does not come back', fault: Fault.hang },
  { what: 'exits', fault: Fault.exit },
])('a worker that $what', ({ fault }) => {
  it('is replaced and ends its own streams, while other workers go on', async () => {
    const { decoders, threads, log } = stage({ pcmStreamsPerWorker: 2, watchdogMs: 400 });
    const [culprit, sharer, elsewhere] = [
      await begun(decoders),
      await begun(decoders),
      await begun(decoders),
    ];
    expect(threads).toEqual({ started: 2, running: 2 });
    const ends = [culprit.drain(), sharer.drain()];
    const startedAt = performance.now();
    culprit.source.give(Uint8Array.of(fault));
    for (const end of ends) await expect(end).rejects.toMatchObject({ code: 'decoder_failed' });
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await until(() => threads.running === 1);
    expect(log.lines).toMatchObject([{ level: 'error', fields: { streams: 2 } }]);

    const next = [await begun(decoders), await begun(decoders)];
    expect(threads).toEqual({ started: 3, running: 2 });
    for (const stream of [elsewhere, ...next]) {
      const heard = stream.drain();
      stream.source.give(new Uint8Array(800));
      stream.source.end();
      expect(await heard).toBeGreaterThan(3000);
    }
  });
});

it('keeps a worker whose output is only slow to be read', async () => {
  const { decoders, log } = stage({ watchdogMs: 200 });
  const stream = await begun(decoders);
  stream.source.give(new Uint8Array(800));
  await new Promise((resolve) => setImmediate(resolve));
  const blockedUntil = performance.now() + 600;
  while (performance.now() < blockedUntil);
  stream.source.end();
  expect(await stream.drain()).toBeGreaterThan(3000);
  expect(log.lines).toEqual([]);
});

it('gives no new streams to a worker that ran out of memory, and stops it after its last stream', async () => {
  const { decoders, threads, log } = stage();
  const [culprit, neighbour] = [await begun(decoders), await begun(decoders)];
  culprit.source.give(Uint8Array.of(Fault.memory));
  await expect(culprit.drain()).rejects.toMatchObject({ code: 'decoder_failed' });
  expect(log.lines).toMatchObject([{ level: 'error', fields: { cause: /RangeError/ } }]);

  const next = await begun(decoders);
  expect(threads).toEqual({ started: 2, running: 2 });
  neighbour.source.give(new Uint8Array(800));
  neighbour.source.end();
  expect(await neighbour.drain()).toBeGreaterThan(3000);
  await until(() => threads.running === 1);
  next.source.end();
  await next.drain();
});

it('refuses streams beyond the capacity of its workers and accepts one again when another ends', async () => {
  const { decoders } = stage({ pcmStreamsPerWorker: 1, maxWorkers: 2 });
  const abort = new AbortController();
  const [first] = [await begun(decoders, abort.signal), await begun(decoders)];
  await expect(begun(decoders)).rejects.toMatchObject({ code: 'too_many_sessions' });
  abort.abort(new Error('over'));
  await expect(first.drain()).rejects.toThrow('over');
  await begun(decoders);
});

it('leaves no thread behind when it is closed, and ends all running streams', async () => {
  const { decoders, threads } = stage({ pcmStreamsPerWorker: 1 });
  const streams = [await begun(decoders), await begun(decoders)];
  const ends = streams.map((stream) => stream.drain());
  const closed = decoders.close();
  for (const end of ends) await expect(end).rejects.toMatchObject({ code: 'stopping' });
  await closed;
  await until(() => threads.running === 0);
  await expect(begun(decoders)).rejects.toMatchObject({ code: 'stopping' });
});

it('decodes 30 damaged streams on one worker without affecting its other streams', async () => {
  const { decoders, threads, log } = stage({ maxWorkers: 1 }, await realProcess());
  const kinds = [
    { contentType: 'audio/webm', bytes: encoded('webm', opus, 1.5) },
    { contentType: 'audio/ogg', bytes: encoded('ogg', opus, 1.5) },
    { contentType: 'audio/flac', bytes: encoded('flac', ['-c:a', 'flac', '-ar', '16000'], 1.5) },
  ];
  const healthy = async ({ contentType, bytes }: (typeof kinds)[number]) =>
    Buffer.from((await collect(decode(decoders, contentType, streamed(cut(bytes, 800))))).buffer);
  const undisturbed = await Promise.all(kinds.map(healthy));

  const random = seededRandom(5);
  const outcomes = new Map<string, number>();
  let left = 30;
  async function attack() {
    while (left > 0) {
      const { contentType, bytes } = kinds[left-- % kinds.length]!;
      const chunks = cut(mutated(bytes.subarray(0, 12_000), random), 1 + random() * 3000);
      const outcome = await collect(decode(decoders, contentType, streamed(chunks))).then(
        () => 'decoded',
        (error: unknown) => (error instanceof ServiceError ? error.code : String(error)),
      );
      outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    }
  }
  async function listen() {
    let rounds = 0;
    for (; left > 0; rounds += 1) {
      const kind = rounds % kinds.length;
      expect((await healthy(kinds[kind]!)).equals(undisturbed[kind]!)).toBe(true);
    }
    return rounds;
  }
  const [rounds] = await Promise.all([listen(), ...Array.from({ length: 8 }, attack)]);
  expect(rounds).toBeGreaterThan(0);
  const allowed = ['decoded', 'audio_format_unsupported', 'audio_not_mono', 'chunk_too_large'];
  expect([...outcomes.keys()].filter((outcome) => !allowed.includes(outcome))).toEqual([]);
  expect(outcomes.get('decoded')).toBeGreaterThan(3);
  expect(outcomes.get('audio_format_unsupported')).toBeGreaterThan(3);
  expect(threads).toEqual({ started: 1, running: 1 });
  expect(log.lines).toEqual([]);
});
