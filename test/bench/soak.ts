/**
 * Twenty sessions for half an hour, each of a minute or so, with clients that drop and come back:
 * memory must not grow, and in the end no file descriptor and no timer may be left.
 */
import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { cut } from '../support/audio/audio-files.ts';
import { encodedBy, spokenSamples } from '../support/audio/encoded-speech.ts';
import { startServer, until, type TestServer } from '../support/product/server.ts';
import {
  connectWith,
  PCM_16K,
  requestSession,
  type SessionAnswer,
} from '../support/product/voice-client.ts';
import type { Print } from './benchmarks.ts';
import { figure, printTable } from './figures.ts';
import { sentences } from './sentences.ts';

export const name = 'soak';
export const description = '20 sessions for SOAK_MINUTES (30): memory, file descriptors and timers';
/** Half an hour is for whoever asks for it. */
export const isOnRequest = true;

const SESSIONS = 20;
/** So many of them are heard and translated, and half of these spoken; the others cost the gateway alone. */
const HEARD = 2;
const CHUNK_MS = 100;
const SESSION_CHUNKS = 600;
const SAMPLE_EVERY_MS = 5_000;
/** Caches fill and the compiler settles in this share of the time. */
const WARM_UP_SHARE = 0.3;

interface Sample {
  minutes: number;
  residentMb: number;
  heapMb: number;
  descriptors: number;
}

export async function run(print: Print): Promise<void> {
  const minutes = Number(process.env['SOAK_MINUTES'] ?? 30);
  const server = await startServer({ RECOGNISER: 'moonshine,silent', LOG_LEVEL: 'warn' });
  try {
    // What is started once and stays: workers, pipelines, spare recognisers.
    await Promise.all(Array.from({ length: SESSIONS }, (_, index) => session(server, index, 50)));
    const before = await atRest(server);
    const counts = { sessions: 0, drops: 0 };
    const samples = await soak(server, minutes, counts);
    const after = await atRest(server);
    const settled = samples.slice(Math.floor(samples.length * WARM_UP_SHARE));
    print(`${minutes} minutes, ${counts.sessions} sessions, ${counts.drops} dropped connections`);
    printTable(print, [
      ['', 'at rest before', 'at rest after', 'slope while at work'],
      ['memory, MB', ...atBoth(before, after, 'residentMb'), slope(settled, 'residentMb')],
      ['heap, MB', ...atBoth(before, after, 'heapMb'), slope(settled, 'heapMb')],
      ['file descriptors', ...atBoth(before, after, 'descriptors'), slope(settled, 'descriptors')],
      ['active resources', before.resources, after.resources, ''],
    ]);
  } finally {
    await server.stop();
  }
}

async function soak(
  server: TestServer,
  minutes: number,
  counts: { sessions: number; drops: number },
): Promise<Sample[]> {
  const endMs = performance.now() + minutes * 60_000;
  const startedMs = performance.now();
  const samples: Sample[] = [];
  const sampling = setInterval(() => {
    void sample(server, (performance.now() - startedMs) / 60_000).then((each) =>
      samples.push(each),
    );
  }, SAMPLE_EVERY_MS);
  await Promise.all(
    Array.from({ length: SESSIONS }, async (_, index) => {
      // Not all at once, as people do not come all at once either.
      await delay(index * 200);
      while (performance.now() < endMs) {
        // In two steps: others count meanwhile.
        const drops = await session(server, index, SESSION_CHUNKS, endMs);
        counts.drops += drops;
        counts.sessions += 1;
      }
    }),
  );
  clearInterval(sampling);
  return samples;
}

/** One session with a dropped connection now and then; answers how many there were. */
async function session(
  server: TestServer,
  index: number,
  chunkCount: number,
  endMs = Infinity,
): Promise<number> {
  const { request, chunks } = await kindOf(index);
  let answer: SessionAnswer = await requestSession(server, { ...request, acknowledgements: true });
  let drops = 0;
  let at = 0;
  let sentBytes = 0;
  for (;;) {
    const client = await connectWith(answer, 'msgpack');
    const dropAt = at + 100 + Math.floor(Math.random() * 500);
    while (at < Math.min(chunkCount, chunks.length, dropAt) && performance.now() < endMs) {
      const chunk = chunks[at];
      if (chunk === undefined || client.socket.readyState !== client.socket.OPEN) break;
      client.sendAudio(chunk);
      sentBytes += chunk.length;
      at += 1;
      await delay(CHUNK_MS);
    }
    if (at < dropAt) {
      client.end();
      const { code } = await client.closed;
      if (code !== 1000) throw new Error(`A session closed with ${code}.`);
      return drops;
    }
    client.socket.terminate();
    drops += 1;
    const response = await server.get(`/v3/voice/realtime?token=${answer.token}`, {
      Authorization: `Service-Auth-Key ${server.apiKey}`,
    });
    const next = (await response.json()) as SessionAnswer & { received_audio_bytes: number };
    answer = next;
    // Chunks are whole again from the first that had not arrived.
    while (sentBytes > next.received_audio_bytes) {
      at -= 1;
      sentBytes -= chunks[at]?.length ?? 0;
    }
  }
}

const kinds = new Map<number, Promise<Awaited<ReturnType<typeof makeKind>>>>();

function kindOf(index: number): ReturnType<typeof makeKind> {
  const kind = index < HEARD ? index : HEARD + (index % 2);
  const made = kinds.get(kind) ?? makeKind(kind);
  kinds.set(kind, made);
  return made;
}

async function makeKind(kind: number) {
  const message_format = 'msgpack' as const;
  const speech = await spokenSamples(sentences.slice(0, 20));
  const samples = speech.subarray(0, 3_200 * SESSION_CHUNKS);
  if (kind === HEARD) {
    const file = encodedBy(['-c:a', 'libopus', '-b:a', '32k', '-f', 'webm'], samples);
    const chunks = [...cut(file, Math.ceil((file.length * 3_200) / samples.length))];
    const source_media_content_type = 'audio/webm;codecs=opus';
    return {
      request: { message_format, source_media_content_type, source_language: 'de' },
      chunks,
    };
  }
  const chunks = [...cut(samples, 3_200)];
  const heard = { source_language: 'en', target_languages: ['es'] };
  const request = {
    ...{ message_format, source_media_content_type: PCM_16K },
    ...(kind < HEARD ? heard : { source_language: 'de' }),
    ...(kind === 0 && { target_media_languages: ['es'] }),
  };
  return { request, chunks };
}

async function metrics(server: TestServer): Promise<string> {
  return (await server.get('/metrics')).text();
}

function metric(text: string, pattern: RegExp): number {
  return Number(pattern.exec(text)?.[1] ?? NaN);
}

async function sample(server: TestServer, minutes: number): Promise<Sample> {
  const text = await metrics(server);
  return {
    minutes,
    residentMb: metric(text, /^process_resident_memory_bytes (\S+)/m) / 1e6,
    heapMb: metric(text, /^nodejs_heap_size_used_bytes (\S+)/m) / 1e6,
    descriptors: readdirSync(`/proc/${server.pid}/fd`).length,
  };
}

/** Once all sessions are over, and what closes late has closed. */
async function atRest(server: TestServer): Promise<Sample & { resources: string }> {
  await until(async () => /^dragoman_voice_sessions 0$/m.test(await metrics(server)), 90_000);
  await delay(8_000);
  const text = await metrics(server);
  const resources = [...text.matchAll(/^nodejs_active_resources\{type="(\w+)"\} (\d+)$/gm)];
  return {
    ...(await sample(server, 0)),
    resources: resources.map(([, type, count]) => `${type} ${count}`).join(', '),
  };
}

type Figure = Exclude<keyof Sample, 'minutes'>;

function atBoth(before: Sample, after: Sample, name: Figure): [string, string] {
  return [figure(before[name]), figure(after[name])];
}

/** Least squares, an hour's worth. */
function slope(samples: readonly Sample[], name: Figure): string {
  const mean = (of: (each: Sample) => number) =>
    samples.reduce((sum, each) => sum + of(each), 0) / samples.length;
  const [x, y] = [mean(({ minutes }) => minutes), mean((each) => each[name])];
  const rise = mean((each) => (each.minutes - x) * (each[name] - y));
  const run = mean((each) => (each.minutes - x) ** 2);
  return `${figure((rise / run) * 60)} an hour`;
}
