/**
 * Sessions resumed from a server that was killed: in compressed formats and with translated speech. The new
 * server decodes and recognises the same audio again, with the same result.
 */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy } from '../../support/audio/encoded-speech.ts';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster } from '../../support/product/cluster.ts';
import { RoamingClient, type RoamingOptions } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import { PCM_16K } from '../../support/product/voice-client.ts';
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
/** Noise is added because encoders compress silence so much that a chunk would last for seconds. */
const AUDIO = withNoise(Buffer.concat(SENTENCES.map((text) => toneSpeech(text))));
const AUDIO_MS = AUDIO.length / 32;
/** In the middle of the last sentence. */
const KILLED_AT = 0.915;
/**
 * Audio in a container is decoded again from 12 s before the end of this sentence, which is no longer the
 * beginning of the audio.
 */
const LAST_BEFORE = /uniform/i;

function withNoise(audio: Buffer): Buffer {
  let state = 1;
  for (let at = 0; at < audio.length; at += 2) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const sample = audio.readInt16LE(at) + ((state >>> 16) % 61) - 30;
    audio.writeInt16LE(Math.max(-32_768, Math.min(32_767, sample)), at);
  }
  return audio;
}

const words = (client: RoamingClient) => client.text().toLowerCase().replace(/[.]/g, '');
const inOrder = ({ sequences }: RoamingClient) =>
  sequences.every((sequence, index) => sequence === index + 1);

const spokenBytes = ({ messages }: RoamingClient) =>
  messages.flatMap((message) => (message.type === 'target_media_chunk' ? message.data : []));
const spokenTexts = ({ messages }: RoamingClient) =>
  messages.flatMap((message) =>
    message.type === 'target_media_chunk' && message.text !== undefined ? [message.text] : [],
  );

const opus = ['-c:a', 'libopus', '-b:a', '64k', '-vbr', 'off', '-ar', '48000'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '96k', '-write_xing', '0'];
/** Requests for translated speech, as samples and in a container. */
const SPEECH = { target_media_languages: ['en'] };
const SAMPLES = { ...SPEECH, target_media_content_type: PCM_16K };
/** What the clients ask for, and ffmpeg's arguments: in a container, in frames for FFmpeg, and as samples. */
const wishes = {
  webm: {
    request: { ...SPEECH, source_media_content_type: 'audio/auto' },
    args: [...opus, '-f', 'webm', '-cluster_time_limit', '500'],
  },
  mpeg: {
    request: { source_media_content_type: 'audio/mpeg' },
    args: [...mp3, '-f', 'mp3'],
  },
  pcm: {
    request: { ...SAMPLES, source_media_content_type: 'audio/pcm;encoding=s16le;rate=44100' },
    args: ['-ar', '44100', '-f', 's16le'],
  },
};
type Wish = keyof typeof wishes;

/** Limit for each client to finish, in ms. */
const MOST_MS = 120_000;
/** Interval at which the clients are checked, in ms, as each check costs work. */
const LOOK_MS = 100;

let recogniser: VoskServer;
let cluster: Cluster;
/** Clients by what they ask for; each may fail. */
let speaking: Map<Wish, Promise<RoamingClient>>;
/** Receives the same speech without a disturbance. */
let undisturbed: RoamingClient;

beforeAll(async () => {
  recogniser = await startVoskServer();
  cluster = await startCluster(2, {
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url },
    // Nothing is translated.
    APERTIUM_MODES: '/nowhere',
  });
  const [owner, other] = cluster.nodes as [TestServer, TestServer];
  undisturbed = newClient(SAMPLES, AUDIO, { route: () => other });
  const alone = undisturbed.speak(AUDIO);
  speaking = await speakAll(owner, other);
  await alone;
});
afterAll(async () => {
  await cluster.stop();
  await recogniser.close();
});

function newClient(
  request: Record<string, unknown>,
  audio: Uint8Array,
  options: Pick<RoamingOptions, 'route' | 'pause'>,
): RoamingClient {
  // Chunks of 200 ms.
  const chunkBytes = 2 * Math.round((audio.length / AUDIO_MS) * 100);
  return new RoamingClient({
    request: { source_language: 'en', ...request },
    chunkBytes,
    everyMs: 120,
    ...options,
  });
}

/** Runs all clients at one server, which is killed once each of them has reached its position. */
async function speakAll(owner: TestServer, other: TestServer): Promise<typeof speaking> {
  let current = owner;
  let goOn: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (goOn = resolve));
  const clients: RoamingClient[] = [];
  /** Clients that have not reached their position yet, each with its check. */
  const waits = new Map<RoamingClient, () => Promise<boolean>>();
  const all = new Map<Wish, Promise<RoamingClient>>();
  for (const [wish, { request, args }] of Object.entries(wishes)) {
    const audio = encodedBy(args, AUDIO);
    const pause = { atBytes: KILLED_AT * audio.length, until: killed };
    const client = newClient(request, audio, { route: () => current, pause });
    clients.push(client);
    waits.set(client, () => isReady(client, 'target_media_languages' in request));
    const said = client.speak(audio).finally(() => waits.delete(client));
    all.set(
      wish as Wish,
      said.then(() => client),
    );
  }
  for (const each of all.values()) each.catch(() => undefined);
  const areAllThere = async () => {
    for (const [client, isThere] of waits) if (await isThere()) waits.delete(client);
    return waits.size === 0;
  };
  await until(areAllThere, MOST_MS, LOOK_MS);
  current = other;
  owner.process.kill('SIGKILL');
  goOn();
  const late = setTimeout(() => {
    for (const client of clients) {
      client.giveUp();
      client.drop();
    }
  }, MOST_MS);
  await Promise.allSettled(all.values());
  clearTimeout(late);
  return all;
}

/** Whether everything before the kill was received by the client and stored by the server. */
async function isReady(client: RoamingClient, isSpoken: boolean): Promise<boolean> {
  if (!LAST_BEFORE.test(client.text())) return false;
  if (isSpoken && !LAST_BEFORE.test(spokenTexts(client).join(''))) return false;
  const keys = (await cluster.redis.ask('KEYS', `*:stream:*${client.sessionId} told*`)) as string[];
  const kept = await Promise.all(keys.map((key) => cluster.redis.ask('XRANGE', key, '-', '+')));
  return LAST_BEFORE.test(JSON.stringify(kept));
}

it.each(Object.keys(wishes) as Wish[])('no word is lost of %s', async (wish) => {
  const client = await speaking.get(wish)!;
  expect(words(client)).toBe(SENTENCES.join(' '));
  expect(inOrder(client)).toBe(true);
  expect(client.connections).toBe(2);
});

it('resumes translated speech in the middle of a sentence', async () => {
  const client = await speaking.get('pcm')!;
  expect(spokenTexts(client)).toEqual(spokenTexts(undisturbed));
  const [wanted, found] = [undisturbed, client].map((each) => Buffer.concat(spokenBytes(each)));
  expect(Math.abs(found!.length - wanted!.length)).toBeLessThan(64);
});

it('starts a new stream for translated speech in a container', async () => {
  const client = await speaking.get('webm')!;
  const types = client.messages.flatMap((message) => {
    if (message.type === 'end_of_target_media') return ['end'];
    return message.type === 'target_media_chunk' && message.content_type !== undefined
      ? ['begin']
      : [];
  });
  expect(types).toEqual(['begin', 'end', 'begin', 'end']);
  expect(spokenTexts(client).length).toBe(SENTENCES.length);
});
