/** What networks and machines do to servers that share sessions, and that nobody loses a word of it. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { canDelay, whyNoNetworks } from '../../support/machine/network.ts';
import {
  damageOf,
  NO_DAMAGE,
  type Noticed,
  whileSpeaking,
} from '../../support/product/disturbance.ts';
import {
  type ClusterNode,
  type NetworkCluster,
  startNetworkCluster,
} from '../../support/product/network-cluster.ts';
import type { Heard } from '../../support/product/outside.ts';

const SENTENCES = [
  'alpha bravo charlie',
  'delta echo foxtrot golf',
  'hotel india juliett',
  'kilo lima mike november',
];
const AUDIO = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
/** Enough for each server to have some; `npm run bench -- soak-cluster` has thirty. */
const SPEAKERS = 2;
/** 100 ms, at a speed the gateway takes for long. */
const PACE = { chunkBytes: 3_200, everyMs: 60 };
/** How much has been said when something happens. */
const SHARE = 0.3;

/** Longer than a lease is good for, in ms. */
const CUT_MS = 6_000;
const SLOW_MS = 4_000;
const FULL_MS = 4_000;

const reason = whyNoNetworks();

let cluster: NetworkCluster;
let undisturbed: Heard;

const speak = () =>
  cluster.speak({
    ...{ count: SPEAKERS, audio: AUDIO, ...PACE },
    request: { source_language: 'de', target_languages: ['es'] },
  });

beforeAll(async () => {
  if (reason !== undefined) return;
  cluster = await startNetworkCluster(2);
  const heard = await speak().done;
  undisturbed = heard[0]!;
  // Or nothing could be compared with them.
  expect(damageOf(heard, undisturbed)).toEqual(NO_DAMAGE);
});
beforeEach((context) => {
  if (reason !== undefined) context.skip(reason);
});
afterAll(async () => {
  if (reason === undefined) await cluster.stop();
});

/** Nobody loses a word, whatever happens to the cluster. */
async function expectUnhurt(happen: (victim: ClusterNode) => void | Promise<void>): Promise<void> {
  const noticed = await whileSpeaking(speak(), {
    share: SHARE,
    // Half of them are there.
    happen: () => happen(cluster.nodes[0]!),
  });
  tellGaps(noticed);
  expect(damageOf(noticed.heard, undisturbed)).toEqual(NO_DAMAGE);
}

it('an undisturbed session says every word', () => {
  const { source, sequences, connections } = undisturbed;
  expect(source.toLowerCase().replace(/[.]/g, '')).toBe(SENTENCES.join(' '));
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect(connections).toBe(1);
});

it('a server loses its cables for a while', async () => {
  await expectUnhurt(async ({ machine }) => {
    machine.cut('front', 'back');
    await delay(CUT_MS);
    machine.mend('front', 'back');
  });
});

it('a server is cut off from Redis and PostgreSQL, and not from its clients', async () => {
  await expectUnhurt(async ({ machine }) => {
    machine.cut('back');
    await delay(CUT_MS);
    machine.mend('back');
  });
});

it('the way to Redis is slow, and PostgreSQL is killed meanwhile, and comes back', async () => {
  await expectUnhurt(async () => {
    const { machine } = cluster.redis;
    machine.slow('back', { kbits: 4_000 });
    const slow = delay(SLOW_MS);
    await cluster.postgresql.crash();
    await cluster.postgresql.restart();
    await slow;
    machine.hasten('back');
  });
});

it('the way to Redis is long, and loses packets', async (context) => {
  if (!canDelay()) context.skip('this kernel has no netem');
  await expectUnhurt(async () => {
    const { machine } = cluster.redis;
    machine.slow('back', { kbits: 100_000, delayMs: 100, lossPercent: 2 });
    await delay(SLOW_MS);
    machine.hasten('back');
  });
});

it('Redis is full, and has room again', async () => {
  await expectUnhurt(async () => {
    await cluster.redis.ask('CONFIG', 'SET', 'maxmemory', '1');
    await delay(FULL_MS);
    await cluster.redis.ask('CONFIG', 'SET', 'maxmemory', '0');
  });
});

function tellGaps({ gapsMs: { cameBack, stayed } }: Noticed): void {
  const told = (gaps: readonly number[]) =>
    gaps.length === 0
      ? 'nobody'
      : `${gaps.length} after ${Math.min(...gaps)} to ${Math.max(...gaps)} ms`;
  console.log(`The next caption: came back ${told(cameBack)}, stayed ${told(stayed)}.`);
}
