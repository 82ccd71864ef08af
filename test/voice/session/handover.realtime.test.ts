/** Sessions that go on at another server: requested, connected and reconnected anywhere. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster, withKey } from '../../support/product/cluster.ts';
import { RoamingClient, type RoamingOptions } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import { startVoskServer, type VoskServer } from '../../support/services/vosk-server.ts';

const SENTENCES = [
  'alpha bravo charlie',
  'delta echo foxtrot golf',
  'hotel india juliett',
  'kilo lima mike november',
  'oscar papa quebec',
  'romeo sierra tango uniform',
  'victor whiskey xray',
];
const AUDIO = Buffer.concat(SENTENCES.map((text) => toneSpeech(text)));
const REQUEST = { source_language: 'en', target_languages: ['es'] };
/** 100 ms, at a speed the gateway takes for long. */
const PACE = { chunkBytes: 3_200, everyMs: 60 };

/** Besides what it takes to be noticed. */
const AWAY_MS = 25_000;

/** Longer than an answer is waited for. */
const STILL_MS = 4_000;

const AUDIO_MS = AUDIO.length / 32;
/** What a server that dies may not have charged yet, in ms. */
const MOST_UNCHARGED_MS = 4_000;
/** What is left of a session is kept for no longer than that, in ms. */
const KEPT_MS = 2 * 60_000;

let recogniser: VoskServer;
let translator: LibreTranslateServer;
let cluster: Cluster;
beforeAll(async () => {
  [recogniser, translator] = await Promise.all([startVoskServer(), startLibreTranslateServer()]);
  cluster = await startCluster(3, {
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, VOICE_RESUME_SECONDS: '20' },
    ...{ LIBRETRANSLATE_URL: translator.url, TRANSLATION_ENGINES: 'en/es: libretranslate' },
  });
});
afterAll(async () => {
  await cluster.stop();
  await Promise.all([recogniser.close(), translator.close()]);
});

async function nodesForNewcomer(): Promise<TestServer[]> {
  const { secret } = await cluster.newcomer();
  return cluster.nodes.map((node) => withKey(node, secret));
}

/** Each of these in turn, the last for ever. */
function inTurn(...nodes: TestServer[]): () => TestServer {
  let turn = 0;
  return () => nodes[Math.min(turn++, nodes.length - 1)]!;
}

/** Keys under which something of sessions is kept; others only remember numbers for a while. */
const sessionKeys = async () =>
  ((await cluster.redis.ask('KEYS', '*')) as string[]).filter((key) =>
    /:(?:record|stream|seats):.*(?:session|tokens)/.test(key),
  );

/** All text that is in streams and records. */
async function keptText(): Promise<string> {
  const keys = (await cluster.redis.ask('KEYS', '*')) as string[];
  const values = await Promise.all(
    keys.map(async (key) => {
      if (key.includes(':stream:')) return cluster.redis.ask('XRANGE', key, '-', '+');
      return key.includes(':record:') ? cluster.redis.ask('GET', key) : undefined;
    }),
  );
  return JSON.stringify(values);
}

/** Speech that an account was charged for, in ms. */
async function chargedMs(node: TestServer): Promise<number> {
  const answer = await node.send('/v2/usage', {});
  const usage = (await answer.json()) as { speech_to_text_milliseconds_count?: number };
  return usage.speech_to_text_milliseconds_count ?? 0;
}

/** So many that are alive, as a new account sees them. */
async function freshNodes(count: number): Promise<TestServer[]> {
  const alive = () =>
    cluster.nodes.filter(({ process }) => process.exitCode === null && process.signalCode === null);
  while (alive().length < count) await cluster.add();
  const { secret } = await cluster.newcomer();
  return alive().map((node) => withKey(node, secret));
}

/** Says everything, and does something to the server that has the session when so much was said. */
async function speakThrough(
  [owner, other]: readonly [TestServer, TestServer],
  happen: (owner: TestServer, client: RoamingClient) => void | Promise<void>,
  options: Partial<RoamingOptions> & { place?: number } = {},
): Promise<RoamingClient> {
  const { place = 0.45, ...asked } = options;
  let current = owner;
  const client = new RoamingClient({ request: REQUEST, route: () => current, ...PACE, ...asked });
  const speaking = client.speak(AUDIO);
  await until(() => client.at > place * AUDIO.length);
  current = other;
  await happen(owner, client);
  await speaking;
  return client;
}

function expectUndisturbed(client: RoamingClient): void {
  expectWhole(client);
  expect(client.text('es')).toBe(undisturbed.text('es'));
  expect(client.sequences).toEqual(undisturbed.sequences);
}

/** Whether there are captions on another connection. */
function hasGoneOn({ messages, cameOn }: RoamingClient): boolean {
  return messages.some(
    ({ type }, index) => type === 'source_transcript_update' && (cameOn[index] ?? 0) > 1,
  );
}

function expectWhole(client: RoamingClient): void {
  const words = client.text().toLowerCase().replace(/[.]/g, '');
  expect(words).toBe(SENTENCES.join(' '));
  const last = client.sequences.at(-1) ?? 0;
  expect(client.sequences).toEqual(Array.from({ length: last }, (_, index) => index + 1));
}

let undisturbed: RoamingClient;
beforeAll(async () => {
  const [first] = await nodesForNewcomer();
  undisturbed = new RoamingClient({ request: REQUEST, route: () => first!, ...PACE });
  await undisturbed.speak(AUDIO);
});

it('an undisturbed session says every word', () => {
  expectWhole(undisturbed);
  expect(undisturbed.connections).toBe(1);
});

it('is requested at one, connected at the next, and reconnected anywhere', async () => {
  const [first, second, third] = (await nodesForNewcomer()) as [TestServer, TestServer, TestServer];
  const route = inTurn(first, second, third, first, second, third);
  const client = new RoamingClient({ request: REQUEST, route, ...PACE });
  const speaking = client.speak(AUDIO);
  for (const place of [0.3, 0.7]) {
    await until(() => client.at > place * AUDIO.length);
    client.drop();
    await until(() => client.connections > (place === 0.3 ? 1 : 2));
  }
  await speaking;
  expectUndisturbed(client);
  expect(client.connections).toBe(3);
  await until(async () => (await chargedMs(first)) >= AUDIO_MS);
  expect(await chargedMs(first)).toBe(AUDIO_MS);
});

it('is handed over by a server that is told to stop', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = await speakThrough([third, second], (owner) => {
    owner.process.kill('SIGTERM');
  });
  expectUndisturbed(client);
  expect(client.closeCodes[0]).toBe(1012);
  expect(await third.exited).toBe(0);
});

it('is handed over by a server that is told to stop while the broker stands still', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = await speakThrough([third, second], async (owner) => {
    cluster.redis.pause();
    owner.process.kill('SIGTERM');
    // Longer than it takes to find that out.
    await delay(STILL_MS);
    cluster.redis.resume();
  });
  expectUndisturbed(client);
  expect(client.closeCodes[0]).toBe(1012);
});

it('is told nothing again that its client has, when that is said to one and it connects to the next', async () => {
  const [first, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const route = inTurn(first, first, second, third);
  const client = new RoamingClient({ request: REQUEST, route, ...PACE, confirms: false });
  const speaking = client.speak(AUDIO);
  await until(() => client.text('es') !== '');
  client.drop();
  await speaking;
  expectUndisturbed(client);
  expect(client.connections).toBe(2);
});

it('is taken up when its server is killed', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  for (const place of [0.33, 0.45]) {
    const owner = place === 0.33 ? third : ((await freshNodes(3))[2] as TestServer);
    const pair = [owner, withKey(second, owner.apiKey)] as const;
    const client = await speakThrough(pair, ({ process }) => void process.kill('SIGKILL'), {
      place,
    });
    expectUndisturbed(client);
    const after = withKey(second, owner.apiKey);
    await until(async () => (await chargedMs(after)) > AUDIO_MS - MOST_UNCHARGED_MS);
    expect(await chargedMs(after)).toBeLessThanOrEqual(AUDIO_MS);
  }
});

it('is not spoken for by a server that stood still', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const stale: unknown[] = [];
  const client = await speakThrough([third, second], async (owner, moving) => {
    owner.process.kill('SIGSTOP');
    onTestFinished(() => void owner.process.kill('SIGCONT'));
    moving.leaveBehind((message) => stale.push(message));
    await until(() => moving.connections === 2);
    await until(() => hasGoneOn(moving));
    // What was on its way before.
    stale.length = 0;
    owner.process.kill('SIGCONT');
    await until(() => moving.leftBehind === 'closed');
  });
  expectUndisturbed(client);
  expect(stale).toEqual([]);
});

it('goes on with what was changed meanwhile', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = await speakThrough(
    [third, second],
    ({ process }) => void process.kill('SIGKILL'),
    {
      request: { source_language: 'en' },
      update: { atBytes: 0.2 * AUDIO.length, change: { target_languages: ['es'] } },
      place: 0.6,
    },
  );
  expectWhole(client);
  const translated = client.text('es').trim();
  expect(translated).not.toBe('');
  // From a sentence on it is what a session has that began with it.
  expect(undisturbed.text('es')).toMatch(new RegExp(`${translated}$`));
  const updates = client.messages.filter(({ type }) => type === 'session_updated');
  expect(updates).toHaveLength(1);
});

it('goes on without a glossary that was deleted meanwhile', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const glossary = await third.post('/v3/glossaries', {
    name: 'Letters',
    dictionaries: [
      { source_lang: 'en', target_lang: 'es', entries: 'alpha\talfa', entries_format: 'tsv' },
    ],
  });
  const { glossary_id: id } = (await glossary.json()) as { glossary_id: string };
  const client = await speakThrough(
    [third, second],
    async (owner) => {
      const deleted = await owner.send(`/v3/glossaries/${id}`, { method: 'DELETE' });
      expect(deleted.status).toBe(204);
      owner.process.kill('SIGKILL');
    },
    { request: { ...REQUEST, glossary_id: id } },
  );
  expectWhole(client);
});

it('is forgotten when its server has died and its client does not come back', async () => {
  const [, , third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = new RoamingClient({ request: REQUEST, route: () => third, ...PACE });
  const speaking = client.speak(AUDIO).catch(() => undefined);
  await until(() => client.text('es') !== '');
  // Or nothing could be found later.
  expect(await keptText()).toMatch(/[Aa]lpha bravo/);
  third.process.kill('SIGKILL');
  await third.exited;
  const keys = (await sessionKeys()).filter((key) => key.includes(client.sessionId));
  expect(keys.length).toBeGreaterThan(2);
  for (const key of keys) {
    const leftMs = Number(await cluster.redis.ask('PTTL', key));
    expect(leftMs, key).toBeGreaterThan(0);
    // That a token was used is remembered for longer.
    if (!key.includes('tokens')) expect(leftMs, key).toBeLessThan(KEPT_MS);
    await cluster.redis.ask('DEL', key);
  }
  client.giveUp();
  await speaking;
});

it('goes on while the broker is away for 30 s', async () => {
  const [, second] = (await freshNodes(3)) as [TestServer, TestServer];
  const client = await speakThrough([second, second], async (_owner, speaking) => {
    const before = speaking.messages.length;
    cluster.redis.pause();
    await until(() => speaking.messages.length > before + 20);
    await delay(AWAY_MS);
    cluster.redis.resume();
  });
  expectUndisturbed(client);
  expect(client.connections).toBe(1);
});

it('goes on when the broker has lost everything, and elsewhere after that', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = await speakThrough(
    [third, second],
    async (owner, speaking) => {
      await cluster.redis.kill();
      await cluster.redis.start();
      const { length } = speaking.messages;
      await until(() => speaking.at > 0.8 * AUDIO.length && speaking.messages.length > length);
      owner.process.kill('SIGKILL');
    },
    { place: 0.2 },
  );
  expectUndisturbed(client);
});

it('loses no more than what was on its way, without acknowledgements', async () => {
  const [, second, third] = (await freshNodes(3)) as [TestServer, TestServer, TestServer];
  const client = await speakThrough(
    [third, second],
    ({ process }) => void process.kill('SIGKILL'),
    { acknowledgements: false },
  );
  const words = client.text().toLowerCase().replace(/[.]/g, '').split(' ');
  const wanted = SENTENCES.join(' ').split(' ');
  expect(words.filter((word) => wanted.includes(word)).length).toBeGreaterThan(wanted.length - 4);
  expect(new Set(words).size).toBe(words.length);
});

it('nothing of it stays', async () => {
  const ofSessions = async () => (await sessionKeys()).filter((key) => !key.includes(':seats:'));
  await until(async () => (await ofSessions()).length === 0);
  expect(await keptText()).not.toMatch(/alpha|bravo|charlie|delta|hotel|kilo/i);
});
