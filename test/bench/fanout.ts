/** One caption to thousands of readers: ours ÷ a bare ws broadcast loop, and Socket.IO beside them. */
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, quantile, spread } from './figures.ts';
import { createProbe, type LoopDelay, type Probe } from './gateway/probe.ts';

export const name = 'fanout';
export const description =
  'a caption to 5,000 readers over real sockets: sends a second and processor time, a bare ws broadcast loop ÷ ours, and Socket.IO; the last reader; memory';

const READERS = 5_000;
/** Processes that read: one would be the bottleneck. */
const READER_PROCESSES = 2;
const WARM_UP = 20;
const GROUPS = 4;
const ROUNDS = 40;
/** A long sentence. */
const TEXT =
  'The harbour was quiet that morning, and the boats that had gone out before dawn came back one by one.';

/** A server with its readers. */
interface Stage {
  probe: Probe;
  /** How much memory a reader takes, in bytes. */
  bytesPerReader: number;
  /** Sends one caption; resolves when the last reader has it, with the ms that took. */
  say(): Promise<number>;
  stop(): Promise<void>;
}

export async function run(print: Print): Promise<void> {
  const stages: Stage[] = [];
  try {
    const ours = await ourStage();
    stages.push(ours);
    const bare = await otherStage('bare-server.mjs');
    stages.push(bare);
    const socketIo = await otherStage('socket-io-server.mjs', {
      path: '/socket.io/?EIO=4&transport=websocket',
      hello: '40',
    });
    stages.push(socketIo);
    await compare({ ours, bare, socketIo }, print);
  } finally {
    await Promise.all(stages.map((stage) => stage.stop()));
  }
}

async function compare(
  { ours, bare, socketIo }: Record<'ours' | 'bare' | 'socketIo', Stage>,
  print: Print,
) {
  const stages = [ours, bare, socketIo];
  const results = new Map(stages.map((stage) => [stage, emptyResult()]));
  for (const stage of stages) await round(stage, WARM_UP);
  for (let group = 0; group < GROUPS; group += 1) {
    const turns = group % 2 === 0 ? stages : [...stages].reverse();
    for (const stage of turns) {
      const { cpuUsPerSend, sendsPerSecond, lastMs } = await round(stage, ROUNDS);
      const result = results.get(stage);
      result?.cpuUs.push(cpuUsPerSend);
      result?.rates.push(sendsPerSecond);
      result?.lastMs.push(...lastMs);
    }
  }
  for (const stage of stages) {
    const result = results.get(stage);
    if (result === undefined) continue;
    result.loop = await stage.probe.loopDelayDuring(() => repeat(stage, ROUNDS));
    result.turnsMs = await stage.probe.longestTurnsMs(() => repeat(stage, ROUNDS));
  }
  const [mine, theirs, socketIos] = stages.map((stage) => results.get(stage) ?? emptyResult());
  if (mine === undefined || theirs === undefined || socketIos === undefined) return;
  printTable(print, [
    ['', 'ours', 'bare ws', 'Socket.IO', 'bare ws ÷ ours'],
    [
      'µs of processor a send',
      spread(mine.cpuUs),
      spread(theirs.cpuUs),
      spread(socketIos.cpuUs),
      `${figure(median(theirs.cpuUs) / median(mine.cpuUs))} (≥ 0.85)`,
    ],
    [
      'sends a second',
      spread(mine.rates),
      spread(theirs.rates),
      spread(socketIos.rates),
      `${figure(median(mine.rates) / median(theirs.rates))} ours ÷ bare (≥ 0.85)`,
    ],
    [
      'caption to last reader, p50, ms',
      ...[mine, theirs, socketIos].map(({ lastMs }) => figure(median(lastMs))),
    ],
    [
      'caption to last reader, p99, ms',
      ...[mine, theirs, socketIos].map(({ lastMs }) => figure(quantile(lastMs, 0.99))),
    ],
    [
      'event loop late, p99 and most, ms',
      ...[mine, theirs, socketIos].map(({ loop }) => loopText(loop)),
    ],
    [
      'a turn of the event loop, most, 10th and 100th, ms of processor',
      `${turnText(mine.turnsMs)} (10th ≤ 5)`,
      turnText(theirs.turnsMs),
      turnText(socketIos.turnsMs),
    ],
    [
      'memory a reader, kB',
      `${figure(ours.bytesPerReader / 1000)} (≤ 15)`,
      figure(bare.bytesPerReader / 1000),
      figure(socketIo.bytesPerReader / 1000),
    ],
  ]);
}

interface Result {
  cpuUs: number[];
  rates: number[];
  lastMs: number[];
  loop: LoopDelay | undefined;
  /** The longest turns. */
  turnsMs: readonly number[];
}

function emptyResult(): Result {
  return { cpuUs: [], rates: [], lastMs: [], loop: undefined, turnsMs: [] };
}

function loopText(loop: LoopDelay | undefined): string {
  return loop === undefined ? '' : `${figure(loop.p99Ms)}, ${figure(loop.longestMs)}`;
}

/** The longest few are writes with which the kernel receives for others, as readers are on this machine too. */
function turnText(turnsMs: readonly number[]): string {
  return [0, 9, 99].map((index) => figure(turnsMs[index] ?? 0)).join(', ');
}

async function repeat(stage: Stage, rounds: number): Promise<number[]> {
  const lastMs: number[] = [];
  for (let count = 0; count < rounds; count += 1) lastMs.push(await stage.say());
  return lastMs;
}

async function round(stage: Stage, rounds: number) {
  const startedAtMs = performance.now();
  const before = await stage.probe.cpuUs();
  const lastMs = await repeat(stage, rounds);
  const cpuUs = (await stage.probe.cpuUs()) - before;
  const elapsedMs = performance.now() - startedAtMs;
  const sends = rounds * READERS;
  return { lastMs, cpuUsPerSend: cpuUs / sends, sendsPerSecond: (sends / elapsedMs) * 1000 };
}

/** Our server, with a room that everybody reads. */
async function ourStage(): Promise<Stage> {
  const probe = createProbe();
  const limit = `${READERS * 2}`;
  const server = await startServer({
    RECOGNISER: 'silent',
    LOG_LEVEL: 'warn',
    EVENTS_MAX_VIEWERS: limit,
    EVENTS_MAX_VIEWERS_PER_ROOM: limit,
    EVENTS_MAX_VIEWERS_PER_ADDRESS: limit,
    ...probe.environment,
  });
  const made = await server.post('/v1/rooms', { name: 'The hall' });
  const { room_id: roomId } = (await made.json()) as { room_id: string };
  return prepare({
    probe,
    host: new URL(server.url).host,
    path: `/v1/rooms/${roomId}/live`,
    say: () => server.post(`/v1/rooms/${roomId}/captions`, { text: TEXT }),
    stop: () => server.stop(),
  });
}

/** A server of another kind, which sends what is posted to everybody. */
async function otherStage(
  file: string,
  way: Pick<Started, 'path' | 'hello'> = { path: '/' },
): Promise<Stage> {
  const probe = createProbe();
  const program = path.join(import.meta.dirname, 'fanout', file);
  const child = spawn(process.execPath, [program], {
    env: { PATH: process.env['PATH'], ...probe.environment },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const host = line.trim();
  // As long as the message of a room.
  const body = JSON.stringify({ captions: { sequence: Date.now(), text: TEXT } }).padEnd(290);
  return prepare({
    probe,
    host,
    ...way,
    say: () => fetch(`http://${host}/`, { method: 'POST', body }),
    async stop() {
      child.kill();
      await once(child, 'exit');
    },
  });
}

interface Started {
  probe: Probe;
  host: string;
  path: string;
  /** What a reader says first, if anything. */
  hello?: string;
  say: () => Promise<Response>;
  stop: () => Promise<void>;
}

async function prepare({
  probe,
  host,
  path: address,
  hello = '',
  say,
  stop,
}: Started): Promise<Stage> {
  await (await say()).arrayBuffer();
  const before = await probe.memoryBytes();
  const processes = Array.from({ length: READER_PROCESSES }, () =>
    fork(path.join(import.meta.dirname, 'fanout/readers.mjs')),
  );
  const [hostname = '', port = ''] = host.split(':');
  const count = READERS / READER_PROCESSES;
  const join = { host: hostname, port: Number(port), path: address, hello, count };
  await Promise.all(processes.map((each) => ask(each, { join })));
  // What is on its way to those who have just come.
  await delay(2_000);
  const bytesPerReader = ((await probe.memoryBytes()) - before) / READERS;
  return {
    probe,
    bytesPerReader,
    async say() {
      await Promise.all(processes.map((each) => ask(each, { expect: true })));
      const all = processes.map((each) => once(each, 'message') as Promise<[{ all: number }]>);
      const startedAtMs = performance.timeOrigin + performance.now();
      const [received] = await Promise.all([Promise.all(all), say().then(drained)]);
      return Math.max(...received.map(([{ all: atMs }]) => atMs)) - startedAtMs;
    },
    async stop() {
      for (const each of processes) each.send({ leave: true });
      await Promise.all(processes.map((each) => once(each, 'exit')));
      await stop();
      probe.close();
    },
  };
}

async function drained(response: Response): Promise<void> {
  await response.arrayBuffer();
  if (!response.ok) throw new Error(`A caption was refused with ${response.status}.`);
}

async function ask(child: ChildProcess, question: object): Promise<void> {
  child.send(question);
  await once(child, 'message');
}
