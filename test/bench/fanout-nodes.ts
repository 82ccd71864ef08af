/** One caption to readers at three servers that share a Redis, beside the same at one server alone. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { openPostgresql } from '../support/machine/postgresql.ts';
import { openRedis } from '../support/machine/redis.ts';
import { startServer, type TestServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { figure, median, printTable, quantile } from './figures.ts';

export const name = 'fanout-nodes';
export const isOnRequest = true;
export const description =
  'a caption to 2,000 readers at each of three servers that share a room: processor time of each and of Redis ÷ one server alone with 2,000; the last reader';

const READERS = 2_000;
const NODES = 3;
const WARM_UP = 10;
const ROUNDS = 60;
/** A caption every so often, in ms: nobody speaks faster, and nothing is handed out together. */
const EVERY_MS = 250;
/** A long sentence. */
const TEXT =
  'The harbour was quiet that morning, and the boats that had gone out before dawn came back one by one.';
const HERTZ = 100;

export async function run(print: Print): Promise<void> {
  const postgresql = await openPostgresql();
  const redis = await openRedis();
  const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-bench-'));
  const limit = `${READERS * NODES * 2}`;
  const settings = {
    ...{ RECOGNISER: 'silent', LOG_LEVEL: 'warn', DATA_DIR: dataFolder },
    ...{ DEMO: 'off', DOCUMENT_WORKER: 'off' },
    EVENTS_MAX_VIEWERS: limit,
    EVENTS_MAX_VIEWERS_PER_ROOM: limit,
    EVENTS_MAX_VIEWERS_PER_ADDRESS: limit,
    STORAGE_URL: await postgresql.createDatabase(),
  };
  try {
    const alone = await startServer(settings);
    const before = await measure([alone], []);
    await alone.stop();
    const shared = { ...settings, BROKER_URL: redis.url };
    const first = await startServer(shared);
    const nodes = [first, await startServer(shared), await startServer(shared)];
    const redisPid = Number(
      /process_id:(\d+)/.exec(String(await redis.ask('INFO', 'server')))?.[1],
    );
    const after = await measure(nodes, [redisPid]);
    await Promise.all(nodes.map((node) => node.stop()));
    report(before, after, print);
  } finally {
    await redis.stop();
    await postgresql.stop();
    rmSync(dataFolder, { recursive: true, force: true });
  }
}

interface Measured {
  /** Processor time for a caption, of each process, in ms. */
  cpuMs: number[];
  lastMs: number[];
}

/** Types captions at the first of some servers, to readers at all of them. */
async function measure(nodes: readonly TestServer[], others: readonly number[]): Promise<Measured> {
  const [home] = nodes;
  if (home === undefined) throw new Error('There is no server.');
  const made = await home.post('/v1/rooms', { name: 'The hall' });
  const { room_id: roomId } = (await made.json()) as { room_id: string };
  const say = async () => {
    const typed = await home.post(`/v1/rooms/${roomId}/captions`, { text: TEXT });
    await typed.arrayBuffer();
    if (!typed.ok) throw new Error(`A caption was refused with ${typed.status}.`);
  };
  await say();
  const readers: ChildProcess[] = [];
  for (const { url } of nodes) {
    const process = fork(path.join(import.meta.dirname, 'fanout/readers.mjs'));
    readers.push(process);
    const { hostname: host, port } = new URL(url);
    const join = { host, port: Number(port), path: `/v1/rooms/${roomId}/live`, count: READERS };
    await ask(process, { join });
  }
  await delay(2_000);
  const pids = [...nodes.map(({ pid }) => pid), ...others];
  await repeat(readers, say, WARM_UP);
  const before = pids.map(processorMs);
  const lastMs = await repeat(readers, say, ROUNDS);
  const cpuMs = pids.map((pid, index) => (processorMs(pid) - (before[index] ?? 0)) / ROUNDS);
  for (const each of readers) each.send({ leave: true });
  await Promise.all(readers.map((each) => once(each, 'exit')));
  return { cpuMs, lastMs };
}

async function repeat(
  readers: readonly ChildProcess[],
  say: () => Promise<void>,
  rounds: number,
): Promise<number[]> {
  const lastMs: number[] = [];
  for (let count = 0; count < rounds; count += 1) {
    await Promise.all(readers.map((each) => ask(each, { expect: true })));
    const all = readers.map((each) => once(each, 'message') as Promise<[{ all: number }]>);
    const startedAtMs = performance.timeOrigin + performance.now();
    const [received] = await Promise.all([Promise.all(all), say()]);
    lastMs.push(Math.max(...received.map(([{ all: atMs }]) => atMs)) - startedAtMs);
    await delay(EVERY_MS);
  }
  return lastMs;
}

function report(alone: Measured, shared: Measured, print: Print): void {
  const [one = 0] = alone.cpuMs;
  const ratio = (cpuMs: number) => `${figure(cpuMs)} (÷ one alone ${figure(cpuMs / one)})`;
  const rows = shared.cpuMs.map((cpuMs, index) => {
    const who = index === NODES ? 'Redis' : index === 0 ? 'the home' : `server ${index + 1}`;
    return [`${who}, ms of processor a caption`, ratio(cpuMs)];
  });
  printTable(print, [
    ['', `${READERS} readers at each`],
    ['one server alone, ms of processor a caption', figure(one)],
    ...rows,
    ['all, ÷ readers, ÷ one alone', figure(shared.cpuMs.reduce((a, b) => a + b, 0) / NODES / one)],
    ['caption to last reader at one alone, p50, p99, ms', lastText(alone)],
    ['caption to last reader at three, p50, p99, ms', lastText(shared)],
  ]);
}

function lastText({ lastMs }: Measured): string {
  return `${figure(median(lastMs))}, ${figure(quantile(lastMs, 0.99))}`;
}

/** What a process has used of the processor, in ms, by the kernel's count. */
function processorMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  return ((Number(fields[11]) + Number(fields[12])) / HERTZ) * 1000;
}

async function ask(child: ChildProcess, question: object): Promise<void> {
  child.send(question);
  await once(child, 'message');
}
