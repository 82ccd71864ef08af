/** Speech to captions over a socket: ours and a bare server of sherpa-onnx, with one model and one clip. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { WebSocket } from 'ws';
import { cut } from '../support/audio/audio-files.ts';
import { spokenSamples } from '../support/audio/encoded-speech.ts';
import { startServer } from '../support/product/server.ts';
import { connect, PCM_16K } from '../support/product/voice-client.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, spread } from './figures.ts';
import { moonshineModel } from './moonshine.ts';
import { processCpuS, runningChildrenCpuS } from './process-tree.ts';
import { sentences } from './sentences.ts';

export const name = 'peers';
export const description =
  'captions of one clip by ours and by a bare socket server of sherpa-onnx with the same model: cost and lag';

const SPOKEN = 10;
const CHUNK_MS = 100;
const BYTES_PER_MS = 32;
/** There and back, so that nobody always has the busy machine. */
const ORDER = ['ours', 'sherpa', 'sherpa', 'ours'] as const;
/** What is said ends before the clip: finals are waited for. */
const REST_MS = 3_000;

/** A server that hears, with one speaker. */
interface Listener {
  pid: number;
  send(chunk: Uint8Array): void;
  /** Called with each text, tentative or final. */
  onText: (isFinal: boolean) => void;
  stop(): Promise<void>;
}

interface Sentence {
  startMs: number;
  endMs: number;
}

/** Of one run; lags in ms of the pace at which it was spoken. */
interface Heard {
  /** Seconds of processor, of all processes, for a second of audio. */
  cpuPerAudio: number;
  /** From the beginning of each sentence to the first text of it. */
  firstLagsMs: number[];
  /** From the end of each sentence to the first final after it. */
  finalLagsMs: number[];
}

export async function run(print: Print): Promise<void> {
  const clip = await speak();
  const heard: Record<(typeof ORDER)[number], Heard[]> = { ours: [], sherpa: [] };
  for (const who of ORDER) {
    const listener = await (who === 'ours' ? startOurs() : startSherpa());
    try {
      heard[who].push(await listenTo(listener, clip));
    } finally {
      await listener.stop();
    }
  }
  const row = (label: string, rounds: readonly Heard[]) => [
    label,
    spread(rounds.map((each) => each.cpuPerAudio)),
    figure(median(rounds.flatMap((each) => each.firstLagsMs))),
    figure(median(rounds.flatMap((each) => each.finalLagsMs))),
    figure(Math.max(...rounds.flatMap((each) => each.finalLagsMs))),
  ];
  printTable(print, [
    ['', 'CPU s per s', 'first text, ms', 'end to final, ms', 'most, ms'],
    row('ours', heard.ours),
    row('sherpa-onnx behind a bare socket', heard.sherpa),
  ]);
}

/** Sentences one after the other, and where each of them is. */
async function speak(): Promise<{ audio: Uint8Array; spoken: Sentence[] }> {
  const said = await Promise.all(
    sentences.slice(0, SPOKEN).map(async (sentence) => spokenSamples([sentence])),
  );
  const pause = Buffer.alloc(BYTES_PER_MS * 500);
  const spoken: Sentence[] = [];
  let at = 0;
  for (const audio of said) {
    const [from, to] = soundIn(audio);
    spoken.push({ startMs: (at + from) / BYTES_PER_MS, endMs: (at + to) / BYTES_PER_MS });
    at += audio.length + pause.length;
  }
  return { audio: Buffer.concat(said.flatMap((audio) => [audio, pause])), spoken };
}

/** Samples beyond it are sound. */
const LOUD = 500;

/** Where it is not silent, in bytes. */
function soundIn(audio: Buffer): [from: number, to: number] {
  const isLoud = (at: number) => Math.abs(audio.readInt16LE(at)) > LOUD;
  let [from, to] = [0, audio.length - 2];
  while (from < to && !isLoud(from)) from += 2;
  while (to > from && !isLoud(to)) to -= 2;
  return [from, to];
}

async function listenTo(
  listener: Listener,
  { audio, spoken }: Awaited<ReturnType<typeof speak>>,
): Promise<Heard> {
  const texts: { atMs: number; isFinal: boolean }[] = [];
  const cpuS = () => processCpuS(listener.pid) + runningChildrenCpuS(listener.pid);
  const before = cpuS();
  const startedAtMs = performance.now();
  listener.onText = (isFinal) => texts.push({ atMs: performance.now() - startedAtMs, isFinal });
  let sentMs = 0;
  for (const chunk of cut(audio, CHUNK_MS * BYTES_PER_MS)) {
    // A chunk is there when its last sample has been said.
    sentMs += CHUNK_MS;
    await delay(Math.max(0, startedAtMs + sentMs - performance.now()));
    listener.send(chunk);
  }
  await delay(REST_MS);
  const lagsMs = (fromMs: number, untilMs: number, isWanted: (isFinal: boolean) => boolean) => {
    const first = texts.find(({ atMs, isFinal }) => atMs >= fromMs && isWanted(isFinal));
    return first === undefined || first.atMs >= untilMs ? [] : [first.atMs - fromMs];
  };
  const nextMs = (index: number) => spoken[index + 1]?.startMs ?? Infinity;
  return {
    cpuPerAudio: ((cpuS() - before) / audio.length) * BYTES_PER_MS * 1000,
    firstLagsMs: spoken.flatMap(({ startMs }, index) => lagsMs(startMs, nextMs(index), () => true)),
    finalLagsMs: spoken.flatMap(({ endMs }) => lagsMs(endMs, Infinity, (isFinal) => isFinal)),
  };
}

async function startOurs(): Promise<Listener> {
  const server = await startServer({ RECOGNISER: 'moonshine', LOG_LEVEL: 'warn' });
  const client = await connect(server, { source_media_content_type: PCM_16K });
  const listener: Listener = {
    pid: server.pid,
    send: (chunk) => client.sendAudio(chunk),
    onText: () => undefined,
    stop: () => server.stop(),
  };
  client.socket.on('message', () => {
    const message = client.messages.at(-1);
    if (message?.type !== 'source_transcript_update') return;
    if (message.concluded.length > 0) listener.onText(true);
    else if (message.tentative.length > 0) listener.onText(false);
  });
  return listener;
}

async function startSherpa(): Promise<Listener> {
  const { files } = await moonshineModel();
  const program = path.join(import.meta.dirname, 'peers/sherpa-server.mjs');
  const child = spawn(process.execPath, [program, JSON.stringify(files)], {
    env: { PATH: process.env['PATH'] },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const socket = new WebSocket(line.trim());
  await once(socket, 'open');
  const listener: Listener = {
    pid: child.pid ?? 0,
    send: (chunk) => socket.send(chunk),
    onText: () => undefined,
    async stop() {
      socket.terminate();
      child.kill();
      await exited;
    },
  };
  socket.on('message', (data: Buffer) => {
    const { text, isFinal } = JSON.parse(data.toString()) as { text: string; isFinal: boolean };
    if (text !== '') listener.onText(isFinal);
  });
  return listener;
}
