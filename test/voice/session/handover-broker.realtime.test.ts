/** Sessions of servers that share them while their broker is away, and after it has lost everything. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Cluster } from '../../support/product/cluster.ts';
import { RoamingClient } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import {
  aliveNodes,
  AUDIO,
  expectSame,
  MID_SENTENCE,
  PACE,
  REQUEST,
  speakThrough,
  startTalkingCluster,
} from './handover-support.ts';

/** Besides what it takes to be noticed. */
const AWAY_MS = 25_000;
/** Longer than an answer is waited for. */
const STILL_MS = 4_000;
/** Most of the speech is still to come. */
const EARLY = { place: 0.2 };

let cluster: Cluster;
let undisturbed: RoamingClient;
beforeAll(async () => {
  cluster = await startTalkingCluster();
  const [first] = await aliveNodes(cluster);
  undisturbed = new RoamingClient({ request: REQUEST, route: () => first!, ...PACE });
  await undisturbed.speak(AUDIO);
});
afterAll(() => cluster.stop());

it('goes on while the broker is away for 30 s', async () => {
  const [second] = (await aliveNodes(cluster)) as [TestServer];
  const client = await speakThrough(
    [second, second],
    async (_owner, speaking) => {
      const before = speaking.messages.length;
      cluster.redis.pause();
      await until(() => speaking.messages.length > before + 20);
      await delay(AWAY_MS);
      cluster.redis.resume();
    },
    EARLY,
  );
  expectSame(client, undisturbed);
  expect(client.connections).toBe(1);
});

it('is handed over by a server that is told to stop while the broker stands still', async () => {
  const [second, third] = (await aliveNodes(cluster)) as [TestServer, TestServer];
  let goOn: () => void = () => undefined;
  // Or it might have said everything before.
  const pause = {
    atBytes: MID_SENTENCE * AUDIO.length,
    until: new Promise<void>((resolve) => (goOn = resolve)),
  };
  const client = await speakThrough(
    [third, second],
    async (owner) => {
      cluster.redis.pause();
      owner.process.kill('SIGTERM');
      // Longer than it takes to find that out.
      await delay(STILL_MS);
      cluster.redis.resume();
      goOn();
    },
    { pause },
  );
  expectSame(client, undisturbed);
  expect(client.closeCodes[0]).toBe(1012);
  expect(await third.exited).toBe(0);
});

it('goes on when the broker has lost everything, and elsewhere after that', async () => {
  const [second, third] = (await aliveNodes(cluster)) as [TestServer, TestServer];
  const client = await speakThrough(
    [third, second],
    async (owner, speaking) => {
      await cluster.redis.kill();
      await cluster.redis.start();
      const { length } = speaking.messages;
      await until(() => speaking.at > 0.8 * AUDIO.length && speaking.messages.length > length);
      owner.process.kill('SIGKILL');
    },
    EARLY,
  );
  expectSame(client, undisturbed);
});
