/** Network and machine failures in a cluster that shares sessions, during which no word may be lost. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { whyNoNetworks } from '../../support/machine/network.ts';
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

const SENTENCES = ['alpha bravo charlie', 'delta echo foxtrot golf', 'hotel india juliett'];
const AUDIO = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
/** Enough for each server to have some; `npm run bench -- soak-cluster` has thirty. */
const SPEAKERS = 2;
/** Chunks of 200 ms, each of which costs as much as a shorter one, at a speed that the gateway accepts for long. */
const PACE = { chunkBytes: 6_400, everyMs: 120 };
/** Share of the speech that is said when the failure happens. */
const SHARE = 0.3;

/** Longer than a lease lasts, in ms. */
const CUT_MS = 6_000;
const SLOW_MS = 4_000;

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
  // Otherwise they could not serve as a reference.
  expect(damageOf(heard, undisturbed)).toEqual(NO_DAMAGE);
});
beforeEach((context) => {
  if (reason !== undefined) context.skip(reason);
});
afterAll(async () => {
  if (reason === undefined) await cluster.stop();
});

/** Expects that no speaker loses a word while `happen` runs. */
async function expectUnhurt(happen: (victim: ClusterNode) => void | Promise<void>): Promise<void> {
  const noticed = await whileSpeaking(speak(), {
    share: SHARE,
    // Half of the speakers are at this node.
    happen: () => happen(cluster.nodes[0]!),
  });
  tellGaps(noticed);
  expect(damageOf(noticed.heard, undisturbed)).toEqual(NO_DAMAGE);
}

it('recognises every word of an undisturbed session', () => {
  const { source, sequences, connections } = undisturbed;
  expect(source.toLowerCase().replace(/[.]/g, '')).toBe(SENTENCES.join(' '));
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect(connections).toBe(1);
});

it('loses no word while a server is cut off from Redis and PostgreSQL, but not from its clients', async () => {
  await expectUnhurt(async ({ machine }) => {
    machine.cut('back');
    await delay(CUT_MS);
    machine.mend('back');
  });
});

it('loses no word while the link to Redis is slow and loses packets, and PostgreSQL crashes and restarts', async () => {
  await expectUnhurt(async () => {
    const { machine } = cluster.redis;
    machine.slow('back', { kbits: 4_000, delayMs: 100, lossPercent: 2 });
    const slow = delay(SLOW_MS);
    await cluster.postgresql.crash();
    await cluster.postgresql.restart();
    await slow;
    machine.restoreSpeed('back');
  });
});

function tellGaps({ gapsMs: { cameBack, stayed } }: Noticed): void {
  const told = (gaps: readonly number[]) =>
    gaps.length === 0
      ? 'nobody'
      : `${gaps.length} after ${Math.min(...gaps)} to ${Math.max(...gaps)} ms`;
  console.log(`The next caption: came back ${told(cameBack)}, stayed ${told(stayed)}.`);
}
