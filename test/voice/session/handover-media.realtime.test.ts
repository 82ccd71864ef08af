/**
 * Sessions resumed from a server that was killed: in compressed formats, with translated speech, and with
 * real speech and a real recogniser. The new server decodes and recognises the same audio again, with the
 * same result.
 */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy, spokenSamples } from '../../support/audio/encoded-speech.ts';
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
  'golf kilo alpha tango',
  'delta whiskey bravo',
];
/** Noise is added because encoders compress silence so much that a chunk would last for seconds. */
const AUDIO = withNoise(Buffer.concat(SENTENCES.map((text) => toneSpeech(text))));
const AUDIO_MS = AUDIO.length / 32;
/** In the middle of the last sentence but one. */
const KILLED_AT = 0.82;
/**
 * Audio in a container is decoded again from 12 s before the end of this sentence, which is no longer the
 * beginning of the audio.
 */
const LAST_BEFORE = /xray/i;

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
const flac = ['-c:a', 'flac'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '96k'];
const vorbis = ['-c:a', 'libvorbis'];
const webm = ['-f', 'webm', '-cluster_time_limit', '500'];
const ogg = ['-f', 'ogg', '-page_duration', '200000'];
/**
 * Content type, ffmpeg's arguments, and what the stream holds where the content type does not say. Each row
 * takes another decoding path.
 */
const rows: [contentType: string, args: string[], of?: string][] = [
  ['audio/auto', [...opus, ...webm], 'Opus in WebM'],
  ['audio/flac', [...flac, '-f', 'flac']],
  ['audio/mpeg', [...mp3, '-write_xing', '0', '-f', 'mp3']],
  ['audio/ogg', [...vorbis, ...ogg], 'Vorbis'],
  ['audio/pcm;encoding=s16le;rate=44100', ['-ar', '44100', '-f', 's16le']],
];
/** The language of tones; English goes to the recogniser of real speech. */
const TONES = { source_language: 'es' };
/** Requests for translated speech, as samples and in a container. */
const SPEECH = { target_media_languages: ['es'] };
const SAMPLES = { ...SPEECH, target_media_content_type: PCM_16K };

const encoders = execFileSync('ffmpeg', ['-v', 'error', '-encoders'], { encoding: 'utf8' });
/** Whether FFmpeg on this machine can write a format; it can always write samples. */
function isWritable(args: readonly string[]): boolean {
  const encoder = args[args.indexOf('-c:a') + 1];
  return !args.includes('-c:a') || encoders.includes(` ${encoder} `);
}

/** Real speech for the bundled recogniser; the constant below is the share of it said before the kill. */
const SPOKEN = [
  'the red house stands on the hill near the sea',
  'we will meet again in the morning',
];
const SPOKEN_AT = 0.75;
const SPOKEN_WISH = {
  request: { source_language: 'en', target_languages: ['es'] },
  ...{ chunkBytes: 3_200, everyMs: 90 },
};

/** Limit for each client to finish, in ms. */
const MOST_MS = 120_000;
/** Interval at which the clients are checked, in ms, as each check costs work. */
const LOOK_MS = 100;

let recogniser: VoskServer;
let cluster: Cluster;
/** Clients by what they test; each may fail. */
let speaking: Map<object, Promise<RoamingClient>>;
/** Receives the same speech without a disturbance. */
let undisturbed: RoamingClient;
/** Speaks the same sentences without a disturbance. */
let heard: RoamingClient;

beforeAll(async () => {
  recogniser = await startVoskServer();
  cluster = await startCluster(2, {
    ...{ RECOGNISER: 'vosk, moonshine', VOSK_URL: `es=${recogniser.url}` },
  });
  const [owner, other] = cluster.nodes as [TestServer, TestServer];
  undisturbed = newClient(SAMPLES, AUDIO, { route: () => other });
  const spoken = await spokenSamples(SPOKEN);
  heard = new RoamingClient({ ...SPOKEN_WISH, route: () => other });
  const alone = [undisturbed.speak(AUDIO), heard.speak(spoken)];
  speaking = await speakAll(owner, other, spoken);
  await Promise.all(alone);
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
  // Chunks of 100 ms.
  const chunkBytes = 2 * Math.round((audio.length / AUDIO_MS) * 50);
  return new RoamingClient({
    request: { ...TONES, ...request },
    chunkBytes,
    everyMs: 60,
    ...options,
  });
}

/** Runs all clients at one server, which is killed once each of them has reached its position. */
async function speakAll(
  owner: TestServer,
  other: TestServer,
  spoken: Buffer,
): Promise<typeof speaking> {
  let current = owner;
  let goOn: () => void = () => undefined;
  const killed = new Promise<void>((resolve) => (goOn = resolve));
  const clients: RoamingClient[] = [];
  /** Clients that have not reached their position yet, each with its check. */
  const waits = new Map<RoamingClient, () => boolean | Promise<boolean>>();
  const say = async (client: RoamingClient, audio: Uint8Array, isThere: () => Promise<boolean>) => {
    clients.push(client);
    waits.set(client, isThere);
    await client.speak(audio).finally(() => waits.delete(client));
    return client;
  };
  const sayTones = (request: Record<string, unknown>, audio: Uint8Array) => {
    const pause = { atBytes: KILLED_AT * audio.length, until: killed };
    const client = newClient(request, audio, { route: () => current, pause });
    return say(client, audio, () => isReady(client, 'target_media_languages' in request));
  };
  const all = new Map<object, Promise<RoamingClient>>();
  for (const row of rows.filter(([, args]) => isWritable(args))) {
    const [contentType, args] = row;
    all.set(row, sayTones({ source_media_content_type: contentType }, encodedBy(args, AUDIO)));
  }
  for (const request of [SAMPLES, SPEECH]) all.set(request, sayTones(request, AUDIO));
  const pause = { atBytes: SPOKEN_AT * spoken.length, until: killed };
  const person = new RoamingClient({ ...SPOKEN_WISH, route: () => current, pause });
  all.set(
    SPOKEN_WISH,
    say(person, spoken, async () => person.at >= pause.atBytes),
  );
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

for (const row of rows) {
  const [contentType, args, of] = row;
  const name = of === undefined ? contentType : `${contentType} (${of})`;
  it.skipIf(!isWritable(args))(`no word is lost of ${name}`, async () => {
    const client = await speaking.get(row)!;
    expect(words(client)).toBe(SENTENCES.join(' '));
    expect(inOrder(client)).toBe(true);
    expect(client.connections).toBe(2);
  });
}

it('resumes translated speech in the middle of a sentence', async () => {
  const client = await speaking.get(SAMPLES)!;
  expect(spokenTexts(client)).toEqual(spokenTexts(undisturbed));
  const [wanted, found] = [undisturbed, client].map((each) => Buffer.concat(spokenBytes(each)));
  expect(Math.abs(found!.length - wanted!.length)).toBeLessThan(64);
  expect(inOrder(client)).toBe(true);
});

it('starts a new stream for translated speech in a container', async () => {
  const client = await speaking.get(SPEECH)!;
  const types = client.messages.flatMap((message) => {
    if (message.type === 'end_of_target_media') return ['end'];
    return message.type === 'target_media_chunk' && message.content_type !== undefined
      ? ['begin']
      : [];
  });
  expect(types).toEqual(['begin', 'end', 'begin', 'end']);
  expect(spokenTexts(client).length).toBe(SENTENCES.length);
});

it('recognises real speech again with the transcript of an undisturbed session', async () => {
  const client = await speaking.get(SPOKEN_WISH)!;
  expect(client.connections).toBe(2);
  expect(client.text()).not.toBe('');
  expect(client.text()).toBe(heard.text());
  expect(client.text('es')).toBe(heard.text('es'));
  expect(client.sequences).toEqual(heard.sequences);
});
