/** What a voice session costs the gateway: each codec path by itself, then whole sessions. */
import { setTimeout as delay } from 'node:timers/promises';
import type { MessageFormat } from '../../shared/protocol/messages.ts';
import { cut } from '../support/audio/audio-files.ts';
import { encodedBy, spokenSamples } from '../support/audio/encoded-speech.ts';
import { startServer, type TestServer } from '../support/product/server.ts';
import { connect, PCM_16K, type VoiceClient } from '../support/product/voice-client.ts';
import type { Print } from './benchmarks.ts';
import * as decode from './decode.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { processCpuS, runningChildrenCpuS } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'voice';
export const description =
  'codec paths ÷ their libraries by hand; sessions a core when nothing is recognised';

/** As many as two cores bear: of few, what each turn of an event loop costs would be a large part. */
const SESSIONS = { pcm: 800, opus: 200 } as const;
const CHUNK_MS = 100;
/** Until then V8 compiles. */
const WARM_UP_MS = 20_000;
const ROUND_MS = 5_000;
const ROUNDS = 3;
/** Of speech, so that voice activity has both speech and silence to find; longer than all of that. */
const CLIP_S = 40;

interface Load {
  label: string;
  contentType: string;
  format: MessageFormat;
  chunks: readonly Uint8Array[];
  sessions: number;
}

export async function run(print: Print): Promise<void> {
  await decode.run(print);
  const rows = [
    ['ms of processor a second of audio', 'server', 'decoding processes', 'sessions a core'],
  ];
  for (const load of await loads()) rows.push(await measure(load));
  printTable(print, rows);
  print('The recogniser is the silent one: decoding, voice activity and the socket remain.');
}

async function loads(): Promise<Load[]> {
  const pcm = await clip();
  const webm = encodedBy(['-c:a', 'libopus', '-b:a', '32k', '-f', 'webm'], pcm);
  const pcmChunks = [...cut(pcm, (32_000 * CHUNK_MS) / 1000)];
  const webmChunks = [...cut(webm, Math.ceil((webm.length * CHUNK_MS) / (CLIP_S * 1000)))];
  const opus = {
    contentType: 'audio/webm;codecs=opus',
    chunks: webmChunks,
    sessions: SESSIONS.opus,
  };
  const samples = { contentType: PCM_16K, chunks: pcmChunks, sessions: SESSIONS.pcm };
  return [
    { label: 'PCM 16 kHz, msgpack', format: 'msgpack', ...samples },
    { label: 'PCM 16 kHz, json', format: 'json', ...samples },
    { label: 'WebM/Opus, msgpack', format: 'msgpack', ...opus },
    { label: 'WebM/Opus, json', format: 'json', ...opus },
  ];
}

/** Sentences with pauses, as s16le at 16 kHz. */
async function clip(): Promise<Buffer> {
  const samples = await spokenSamples(sentences.slice(0, 16));
  return samples.subarray(0, 32_000 * CLIP_S);
}

async function measure({ label, contentType, format, chunks, sessions }: Load): Promise<string[]> {
  const server = await startServer({
    ...{ RECOGNISER: 'silent', LOG_LEVEL: 'warn' },
    ...{ VOICE_MAX_SESSIONS: `${sessions}`, VOICE_MAX_SESSIONS_PER_KEY: `${sessions}` },
  });
  try {
    const request = { message_format: format, source_media_content_type: contentType };
    const clients = await Promise.all(
      Array.from({ length: sessions }, () => connect(server, request)),
    );
    const sending = send(clients, chunks);
    await delay(WARM_UP_MS);
    const costs: Cost[] = [];
    for (let round = 0; round < ROUNDS; round += 1) costs.push(await costOf(server));
    sending.stop();
    for (const { socket } of clients) socket.close(1000);
    const perSecond = (cpuS: number) => (cpuS / sessions / (ROUND_MS / 1000)) * 1000;
    const ofServer = costs.map(({ serverS }) => perSecond(serverS));
    const children = costs.map(({ childrenS }) => perSecond(childrenS));
    return [
      label,
      spread(ofServer),
      spread(children),
      figure(1000 / (median(ofServer) + median(children))),
    ];
  } finally {
    await server.stop();
  }
}

/** Processor time in a round, in s. */
interface Cost {
  serverS: number;
  /** Of what decodes. */
  childrenS: number;
}

async function costOf({ pid }: TestServer): Promise<Cost> {
  const before = { serverS: processCpuS(pid), childrenS: runningChildrenCpuS(pid) };
  await delay(ROUND_MS);
  return {
    serverS: processCpuS(pid) - before.serverS,
    childrenS: runningChildrenCpuS(pid) - before.childrenS,
  };
}

/** Sends each client its chunks at real time, spread over the interval; begins again at their end. */
function send(clients: readonly VoiceClient[], chunks: readonly Uint8Array[]) {
  const startedAt = performance.now();
  const sent = clients.map(() => 0);
  const timer = setInterval(() => {
    const dueMs = performance.now() - startedAt;
    for (const [index, client] of clients.entries()) {
      const offsetMs = (index * CHUNK_MS) / clients.length;
      while ((sent[index] ?? 0) * CHUNK_MS + offsetMs <= dueMs) {
        const at = sent[index] ?? 0;
        sent[index] = at + 1;
        const chunk = chunks[at];
        // A container must not begin again: its clients fall silent, which no figure is taken of.
        if (chunk !== undefined) client.sendAudio(chunk);
      }
    }
  }, 10);
  return { stop: () => clearInterval(timer) };
}
