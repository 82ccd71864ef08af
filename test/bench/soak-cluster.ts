/**
 * What a cluster in a network of its own goes through while thirty people speak, a hundred times over, and a
 * rolling update under a hundred of them: nobody may lose a word, and nothing may stay behind.
 */
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { toneSpeech } from '../support/audio/tone-speech.ts';
import { whyNoNetworks } from '../support/machine/network.ts';
import { type Damage, damageOf, NO_DAMAGE, whileSpeaking } from '../support/product/disturbance.ts';
import {
  type ClusterNode,
  type NetworkCluster,
  startNetworkCluster,
} from '../support/product/network-cluster.ts';
import type { Heard } from '../support/product/outside.ts';
import type { Print } from './benchmarks.ts';
import { figure, printTable, quantile } from './figures.ts';

export const name = 'soak-cluster';
export const description = 'ROUNDS (100) of what kills and cuts off servers, and a rolling update';
/** Half an hour is for whoever asks for it. */
export const isOnRequest = true;

const SENTENCES = [
  'alpha bravo charlie',
  'delta echo foxtrot golf',
  'hotel india juliett',
  'kilo lima mike november',
  'oscar papa quebec',
  'romeo sierra tango uniform',
];
const REQUEST = { source_language: 'de', target_languages: ['es'] };
const SERVERS = 3;
const SPEAKERS = 30;
/** 100 ms, at a speed the gateway takes for long. */
const PACE = { chunkBytes: 3_200, everyMs: 60 };
/** What has been said when something happens lies between these, of 1. */
const SHARES = { from: 0.15, to: 0.65 };
const STOPPED = 'SIGSTOP for 20 s';
const STOPPED_MS = 20_000;
const CUT_MS = 6_000;

const UPDATE_SPEAKERS = 100;
const UPDATE_PACE = { chunkBytes: 3_200, everyMs: 100 };
/** So often all sentences are said in an update. */
const UPDATE_TIMES = 5;
/** Until what dead servers have left has run out, in ms. */
const REST_MS = 150_000;

/** What happens to a server, which is there again at the end. */
const FAULTS: Record<string, (node: ClusterNode) => Promise<void>> = {
  async 'kill -9'({ server, restart }) {
    server.process.kill('SIGKILL');
    await restart();
  },
  async [STOPPED]({ server }) {
    server.process.kill('SIGSTOP');
    await delay(STOPPED_MS);
    server.process.kill('SIGCONT');
  },
  async SIGTERM({ server, restart }) {
    server.process.kill('SIGTERM');
    await restart();
  },
  async 'cables out for 6 s'({ machine }) {
    machine.cut('front', 'back');
    await delay(CUT_MS);
    machine.mend('front', 'back');
  },
};

export async function run(print: Print): Promise<void> {
  const reason = whyNoNetworks();
  if (reason !== undefined) throw new Error(reason);
  const rounds = Number(process.env['ROUNDS'] ?? 100);
  const cluster = await startNetworkCluster(SERVERS, { LOG_LEVEL: 'warn' });
  try {
    await update(cluster, print);
    await soak(cluster, { rounds, print });
    await printRest(cluster, print);
  } finally {
    await cluster.stop();
  }
}

async function soak(
  cluster: NetworkCluster,
  { rounds, print }: { rounds: number; print: Print },
): Promise<void> {
  const audio = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
  const speak = (hearsOn = false) =>
    cluster.speak({ ...PACE, audio, count: SPEAKERS, request: REQUEST, hearsOn });
  const undisturbed = await withoutDisturbance(speak().done);
  const before = await atRest(cluster);
  const gapsMs = new Map<string, number[]>();
  let damage = NO_DAMAGE;
  for (let round = 0; round < rounds; round += 1) {
    const [kind, fault] = Object.entries(FAULTS)[round % Object.keys(FAULTS).length]!;
    const node = cluster.nodes[round % SERVERS]!;
    const servers = cluster.nodes.map(({ server }) => ({ server, from: server.logs().length }));
    // Each kind at all places, and the same ones in each run.
    const share = SHARES.from + ((round * 0.618) % 1) * (SHARES.to - SHARES.from);
    let happening: Promise<void> = Promise.resolve();
    // What it says for others when it goes on is to be heard.
    const noticed = await whileSpeaking(speak(kind === STOPPED), {
      share,
      happen: () => void (happening = fault(node)),
    });
    await happening;
    gapsMs.set(kind, [...(gapsMs.get(kind) ?? []), ...noticed.gapsMs.cameBack]);
    const added = damageOf(noticed.heard, undisturbed);
    const waits = noticed.gapsMs.cameBack.map((each) => figure(each / 1_000)).join(' ');
    print(`${round} ${kind} at ${figure(share)}: s to the next caption ${waits}`);
    if (!isNone(added)) {
      print(`  ${inWords(added)}`);
      for (const { server, from } of servers)
        print(`  it said: ${saidIn(server.logs().slice(from))}`);
    }
    damage = sumOf(damage, added);
  }
  const after = await atRest(cluster);
  print(`${rounds} rounds of ${SPEAKERS} sessions: ${inWords(damage)}`);
  printTable(print, [
    ['to the next caption, ms', 'sessions that came back', 'p50', 'p95', 'most'],
    ...[...gapsMs].map(([kind, gaps]) => [
      ...[kind, `${gaps.length}`],
      ...[0.5, 0.95, 1].map((each) => (gaps.length === 0 ? '' : figure(quantile(gaps, each)))),
    ]),
  ]);
  printTable(print, [
    ['', 'before', 'after'],
    ['memory of the servers, MB', before.servers, after.servers],
    ['memory of Redis, MB', before.redis, after.redis],
  ]);
}

/** Each of the warnings in a log once, and how often. */
function saidIn(logs: string): string {
  const counts = new Map<string, number>();
  for (const [, error = '', message = ''] of logs.matchAll(
    /(?:"error":"([^"]*)",.*)?"msg":"([^"]*)"/g,
  )) {
    const said = `${message} ${error}`.trim();
    counts.set(said, (counts.get(said) ?? 0) + 1);
  }
  return [...counts].map(([said, count]) => `${count} × ${said}`).join('; ');
}

/** Each server is told to stop, and replaced, in turn. */
async function update(cluster: NetworkCluster, print: Print): Promise<void> {
  const texts = Array.from({ length: UPDATE_TIMES }, () => SENTENCES).flat();
  const audio = Buffer.concat(texts.map((text) => toneSpeech(text)));
  const speak = () =>
    cluster.speak({ ...UPDATE_PACE, audio, count: UPDATE_SPEAKERS, request: REQUEST });
  const quiet = await speak().done;
  const undisturbed = quiet[0]!;
  let happening = Promise.resolve(false);
  const crowd = speak();
  const { heard } = await whileSpeaking(crowd, {
    share: 0.05,
    happen() {
      happening = (async () => {
        for (const node of cluster.nodes) {
          node.server.process.kill('SIGTERM');
          await node.restart();
        }
        return crowd.share < 1;
      })();
    },
  });
  const wasInTime = await happening;
  const longest = (all: readonly Heard[]) => all.map(longestGapMs);
  const moves = heard.map(({ connections }) => connections - 1);
  const spreadOf = (values: readonly number[]) =>
    [0.5, 0.95, 1].map((share) => figure(quantile(values, share)));
  print(
    `a rolling update under ${UPDATE_SPEAKERS} sessions: ${inWords(damageOf(heard, undisturbed))}`,
  );
  if (!wasInTime) print('the last server was replaced after the last word: say more');
  printTable(print, [
    ['of a session', 'p50', 'p95', 'most'],
    ['reconnections', ...spreadOf(moves)],
    ['longest time without a caption, ms', ...spreadOf(longest(heard))],
    ['the same without an update', ...spreadOf(longest(quiet))],
  ]);
}

function longestGapMs({ captions }: Heard): number {
  return Math.max(
    ...captions.slice(1).map(({ atMs }, index) => atMs - (captions[index]?.atMs ?? 0)),
  );
}

/** What is left of sessions in Redis; what only counts is remembered for longer, and says nothing. */
async function printRest({ redis }: NetworkCluster, print: Print): Promise<void> {
  const left = async () =>
    ((await redis.ask('KEYS', '*')) as string[]).filter((key) =>
      /:(?:record|stream|seats):.*(?:session|tokens)/.test(key),
    );
  const untilMs = performance.now() + REST_MS;
  const atOnce = (await left()).length;
  let keys = await left();
  while (keys.length > 0 && performance.now() < untilMs) {
    await delay(1_000);
    keys = await left();
  }
  const seconds = Math.round((performance.now() - untilMs + REST_MS) / 1_000);
  const kinds = [...new Set(keys.map((key) => key.replace(/[\da-f-]{36}/g, '…')))];
  print(
    `keys of sessions in Redis: ${atOnce} at the end, ${keys.length} after ${seconds} s ${kinds.join(', ')}`,
  );
}

async function withoutDisturbance(speaking: Promise<Heard[]>): Promise<Heard> {
  const heard = await speaking;
  const [first] = heard;
  if (first === undefined) throw new Error('Nobody spoke.');
  const damage = damageOf(heard, first);
  if (!isNone(damage)) throw new Error(`There is damage without a cause: ${inWords(damage)}`);
  return first;
}

async function atRest({
  nodes,
  redis,
}: NetworkCluster): Promise<{ servers: string; redis: string }> {
  const memory = nodes.map(({ server: { pid } }) => {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1]) / 1_000;
  });
  const info = (await redis.ask('INFO', 'memory')) as string;
  const used = Number(/^used_memory:(\d+)/m.exec(info)?.[1]) / 1e6;
  return { servers: memory.map((each) => figure(each)).join(', '), redis: figure(used) };
}

function sumOf(one: Damage, other: Damage): Damage {
  return {
    failed: [...one.failed, ...other.failed],
    lostWords: one.lostWords + other.lostWords,
    doubledWords: one.doubledWords + other.doubledWords,
    wrongSequences: one.wrongSequences + other.wrongSequences,
    otherTexts: one.otherTexts + other.otherTexts,
    stale: [...one.stale, ...other.stale],
  };
}

function isNone(damage: Damage): boolean {
  return JSON.stringify(damage) === JSON.stringify(NO_DAMAGE);
}

function inWords({ failed, stale, ...counts }: Damage): string {
  return [
    `${counts.lostWords} words lost, ${counts.doubledWords} doubled`,
    `${counts.wrongSequences} sequences wrong, ${counts.otherTexts} texts otherwise different`,
    `${stale.length} messages from servers that had lost the session`,
    `${failed.length} sessions failed${[...new Set(failed)].map((each) => ` (${each})`).join('')}`,
  ].join(', ');
}
