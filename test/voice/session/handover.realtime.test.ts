/**
 * Sessions that move between servers: requested, connected and reconnected at any of them, also while the
 * broker is away and after it has lost all data.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Cluster, withKey } from '../../support/product/cluster.ts';
import { RoamingClient, type RoamingOptions } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import {
  aliveNodes,
  AUDIO,
  expectSame,
  expectWhole,
  MID_SENTENCE,
  PACE,
  REQUEST,
  SENTENCES,
  speakThrough,
  startTalkingCluster,
} from './handover-support.ts';

const AUDIO_MS = AUDIO.length / 32;
/** Most speech that a killed server may not have charged yet, in ms: a busy one charges later. */
const MOST_UNCHARGED_MS = 4_000;
/** Limit for which the data of an abandoned session is kept, in ms. */
const KEPT_MS = 2 * 60_000;
/** How long the broker stays away after the session has continued without it, in ms: longer than a lease. */
const AWAY_MS = 7_000;
/** Longer than the server waits for an answer of the broker. */
const STILL_MS = 4_000;
/** Most of the speech is still to come. */
const EARLY = { place: 0.2 };

let cluster: Cluster;
let undisturbed: RoamingClient;
/** Resolves when the undisturbed client has said everything. */
let speaking: Promise<void>;
beforeAll(async () => {
  cluster = await startTalkingCluster(3);
  const [first] = await aliveNodes(cluster);
  undisturbed = new RoamingClient({ request: REQUEST, route: () => first!, ...PACE });
  speaking = undisturbed.speak(AUDIO);
});
afterAll(() => cluster.stop());

async function expectUndisturbed(client: RoamingClient): Promise<void> {
  await speaking;
  expectSame(client, undisturbed);
}

/** Returns each node in turn, then the last one for ever. */
function inTurn(...nodes: TestServer[]): () => TestServer {
  let turn = 0;
  return () => nodes[Math.min(turn++, nodes.length - 1)]!;
}

/** Keys that hold session data; other keys only hold counters for a while. */
const sessionKeys = async () =>
  ((await cluster.redis.ask('KEYS', '*')) as string[]).filter((key) =>
    /:(?:record|stream|seats):.*(?:session|tokens)/.test(key),
  );

/** All text in streams and records, of all sessions or of one. */
async function keptText(sessionId = ''): Promise<string> {
  const keys = (await cluster.redis.ask('KEYS', `*${sessionId}*`)) as string[];
  const values = await Promise.all(
    keys.map(async (key) => {
      if (key.includes(':stream:')) return cluster.redis.ask('XRANGE', key, '-', '+');
      return key.includes(':record:') ? cluster.redis.ask('GET', key) : undefined;
    }),
  );
  return JSON.stringify(values);
}

/** Speech charged to the account, in ms. */
async function chargedMs(node: TestServer): Promise<number> {
  const answer = await node.send('/v2/usage', {});
  const usage = (await answer.json()) as { speech_to_text_milliseconds_count?: number };
  return usage.speech_to_text_milliseconds_count ?? 0;
}

/** Whether captions arrived on a later connection. */
function hasGoneOn({ messages, cameOn }: RoamingClient): boolean {
  return messages.some(
    ({ type }, index) => type === 'source_transcript_update' && (cameOn[index] ?? 0) > 1,
  );
}

it.concurrent('recognises every word of an undisturbed session', async () => {
  await speaking;
  expectWhole(undisturbed);
  expect(undisturbed.connections).toBe(1);
});

it.concurrent('requests a session at one server, connects at the next, and reconnects at any, which repeats nothing', async () => {
  const [first, second, third] = (await aliveNodes(cluster)) as [
    TestServer,
    TestServer,
    TestServer,
  ];
  const route = inTurn(first, second, third, first, second, third);
  // Servers learn what the client has only from its requests to reconnect, which others receive.
  const client = new RoamingClient({ request: REQUEST, route, ...PACE, confirmsFrom: 3 });
  const speaking = client.speak(AUDIO);
  for (const place of [0.3, 0.7]) {
    await until(() => client.at > place * AUDIO.length);
    client.drop();
    await until(() => client.connections > (place === 0.3 ? 1 : 2));
  }
  await speaking;
  await expectUndisturbed(client);
  expect(client.connections).toBe(3);
  await until(async () => (await chargedMs(first)) >= AUDIO_MS);
  expect(await chargedMs(first)).toBe(AUDIO_MS);
});

it('sends the client nothing from a server that was suspended', async () => {
  const [second, third] = (await aliveNodes(cluster)) as [TestServer, TestServer];
  const stale: unknown[] = [];
  const client = await speakThrough([third, second], async (owner, moving) => {
    owner.process.kill('SIGSTOP');
    onTestFinished(() => void owner.process.kill('SIGCONT'));
    moving.leaveBehind((message) => stale.push(message));
    await until(() => moving.connections === 2);
    await until(() => hasGoneOn(moving));
    // Discards what was in transit before.
    stale.length = 0;
    owner.process.kill('SIGCONT');
    await until(() => moving.leftBehind === 'closed');
  });
  await expectUndisturbed(client);
  expect(stale).toEqual([]);
});

it('continues a session while the broker is away for longer than a lease and after it has lost all data, and hands it over while the broker is suspended', async () => {
  const [second, third] = (await aliveNodes(cluster)) as [TestServer, TestServer];
  let goOn: () => void = () => undefined;
  // Otherwise the client might have said everything before.
  const pause = {
    atBytes: MID_SENTENCE * AUDIO.length,
    until: new Promise<void>((resolve) => (goOn = resolve)),
  };
  const client = await speakThrough(
    [third, second],
    async (owner, speaking) => {
      const before = speaking.messages.length;
      cluster.redis.pause();
      await until(() => speaking.messages.length > before + 5);
      await delay(AWAY_MS);
      cluster.redis.resume();
      await cluster.redis.kill();
      await cluster.redis.start();
      // What the server still has is written again.
      const parts = [/:record:session/, /:record:tokens/, /:stream:session.*told/];
      await until(async () => {
        const keys = await sessionKeys();
        const kept = keys.filter((key) => key.includes(speaking.sessionId));
        return parts.every((part) => kept.some((key) => part.test(key)));
      });
      expect(speaking.connections).toBe(1);
      cluster.redis.pause();
      owner.process.kill('SIGTERM');
      // Longer than the server takes to notice that the broker is suspended.
      await delay(STILL_MS);
      cluster.redis.resume();
      goOn();
    },
    { ...EARLY, pause },
  );
  await expectUndisturbed(client);
  expect(client.closeCodes[0]).toBe(1012);
  expect(await third.exited).toBe(0);
});

/** Clients whose server was killed and whose sessions another server resumed. */
interface Killing {
  charged: RoamingClient;
  changed: RoamingClient;
  unacknowledged: RoamingClient;
  /** What the account of the first client was charged in the end. */
  chargedMs: () => Promise<number>;
  /** How long each key of an abandoned session would be kept, in ms. */
  leftMs: Map<string, number>;
}

/** Runs all clients at the same server and kills it. */
async function killTheirServer(): Promise<Killing> {
  const [other, owner] = (await aliveNodes(cluster)) as [TestServer, TestServer];
  const { secret } = await cluster.newcomer();
  const glossary = await owner.post('/v3/glossaries', {
    name: 'Letters',
    dictionaries: [
      { source_lang: 'en', target_lang: 'es', entries: 'zulu\tsulu', entries_format: 'tsv' },
    ],
  });
  const { glossary_id: id } = (await glossary.json()) as { glossary_id: string };
  let current = owner;
  let goOn: () => void = () => undefined;
  const atBytes = MID_SENTENCE * AUDIO.length;
  const pause = { atBytes, until: new Promise<void>((resolve) => (goOn = resolve)) };
  const newClient = (options: Partial<RoamingOptions> = { pause }) =>
    new RoamingClient({ request: REQUEST, route: () => current, ...PACE, ...options });
  const clients = {
    charged: newClient({ pause, route: () => withKey(current, secret) }),
    changed: newClient({
      pause,
      request: { source_language: 'en' },
      update: {
        atBytes: 0.2 * AUDIO.length,
        change: { target_languages: ['es'], glossary_id: id },
      },
    }),
    // Some of its messages are in transit.
    unacknowledged: newClient({ acknowledgements: false }),
  };
  const gone = newClient();
  const { unacknowledged, ...pausing } = clients;
  const speaking = Object.values(pausing).map((each) => each.speak(AUDIO));
  const leaving = gone.speak(AUDIO).catch(() => undefined);
  // Makes sure that there is something to be found later.
  await until(async () => /[Aa]lpha bravo/.test(await keptText(gone.sessionId)));
  await until(() => clients.changed.messages.some(({ type }) => type === 'session_updated'));
  const deleted = await owner.send(`/v3/glossaries/${id}`, { method: 'DELETE' });
  expect(deleted.status).toBe(204);
  speaking.push(unacknowledged.speak(AUDIO));
  const all = [gone, ...Object.values(clients)];
  await until(() => all.every(({ at }) => at >= atBytes));
  current = other;
  gone.giveUp();
  owner.process.kill('SIGKILL');
  goOn();
  await leaving;
  const leftMs = await takeAway(gone.sessionId);
  await Promise.all(speaking);
  return { ...clients, leftMs, chargedMs: () => chargedMs(withKey(other, secret)) };
}

/** @returns how long each key of the session would have been kept, in ms */
async function takeAway(sessionId: string): Promise<Map<string, number>> {
  const leftMs = new Map<string, number>();
  for (const key of (await sessionKeys()).filter((each) => each.includes(sessionId))) {
    leftMs.set(key, Number(await cluster.redis.ask('PTTL', key)));
    await cluster.redis.ask('DEL', key);
  }
  return leftMs;
}

describe('a session whose server is killed', () => {
  let killing: Killing;
  beforeAll(async () => (killing = await killTheirServer()));

  it('is resumed and charged once', async () => {
    await expectUndisturbed(killing.charged);
    await until(async () => (await killing.chargedMs()) > AUDIO_MS - MOST_UNCHARGED_MS);
    expect(await killing.chargedMs()).toBeLessThanOrEqual(AUDIO_MS);
  });

  it('continues with changes made before, without a glossary that was deleted meanwhile', () => {
    const { changed } = killing;
    expectWhole(changed);
    const translated = changed.text('es').trim();
    expect(translated).not.toBe('');
    // From some sentence on, its translation equals that of a session with these targets from the start.
    expect(undisturbed.text('es')).toMatch(new RegExp(`${translated}$`));
    const updates = changed.messages.filter(({ type }) => type === 'session_updated');
    expect(updates).toHaveLength(1);
  });

  it('loses no more than what was in transit, without acknowledgements', () => {
    const words = killing.unacknowledged.text().toLowerCase().replace(/[.]/g, '').split(' ');
    const wanted = SENTENCES.join(' ').split(' ');
    expect(words.filter((word) => wanted.includes(word)).length).toBeGreaterThan(wanted.length - 4);
    expect(new Set(words).size).toBe(words.length);
  });

  it('is forgotten when its client does not come back', () => {
    expect(killing.leftMs.size).toBeGreaterThan(2);
    for (const [key, ms] of killing.leftMs) {
      expect(ms, key).toBeGreaterThan(0);
      // Used tokens are remembered for longer.
      if (!key.includes('tokens')) expect(ms, key).toBeLessThan(KEPT_MS);
    }
  });
});

it('leaves no data of a session behind', async () => {
  const ofSessions = async () => (await sessionKeys()).filter((key) => !key.includes(':seats:'));
  await until(async () => (await ofSessions()).length === 0);
  expect(await keptText()).not.toMatch(/alpha|bravo|charlie|delta|hotel|kilo/i);
});
