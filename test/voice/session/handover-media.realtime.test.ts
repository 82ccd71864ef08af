/** Sessions taken up from a server that was killed: in compressed formats, and with translated speech. */
import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sourceMediaTypes } from '../../../shared/media-type.ts';
import { encodedBy } from '../../support/audio/encoded-speech.ts';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster, withKey } from '../../support/product/cluster.ts';
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
/** Of nothing but silence, encoders would make so little that a chunk lasted for seconds. */
const AUDIO = withNoise(Buffer.concat(SENTENCES.map((text) => toneSpeech(text))));
const AUDIO_MS = AUDIO.length / 32;

function withNoise(audio: Buffer): Buffer {
  let state = 1;
  for (let at = 0; at < audio.length; at += 2) {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    const sample = audio.readInt16LE(at) + ((state >>> 16) % 61) - 30;
    audio.writeInt16LE(Math.max(-32_768, Math.min(32_767, sample)), at);
  }
  return audio;
}

let recogniser: VoskServer;
let cluster: Cluster;
beforeAll(async () => {
  recogniser = await startVoskServer();
  cluster = await startCluster(2, { RECOGNISER: 'vosk', VOSK_URL: recogniser.url });
});
afterAll(async () => {
  await cluster.stop();
  await recogniser.close();
});

async function freshPair(): Promise<[TestServer, TestServer]> {
  const alive = () =>
    cluster.nodes.filter(
      ({ process: { exitCode, signalCode } }) => (exitCode ?? signalCode) === null,
    );
  while (alive().length < 2) await cluster.add();
  const { secret } = await cluster.newcomer();
  const [first, second] = alive().map((node) => withKey(node, secret));
  return [first!, second!];
}

function newClient(
  audio: Uint8Array,
  options: Pick<RoamingOptions, 'request' | 'route'>,
): RoamingClient {
  // 100 ms at a time.
  const chunkBytes = 2 * Math.round((audio.length / AUDIO_MS) * 50);
  return new RoamingClient({ ...options, chunkBytes, everyMs: 60 });
}

/** Says everything; the server is killed when so much of it was said. */
async function speak(
  audio: Uint8Array,
  request: Record<string, unknown>,
  killedAt?: number,
): Promise<RoamingClient> {
  const [owner, other] = await freshPair();
  let current = owner;
  const client = newClient(audio, { request, route: () => current });
  const speaking = client.speak(audio);
  if (killedAt !== undefined) {
    const reached = until(() => client.at > killedAt * audio.length);
    await Promise.race([reached, speaking]);
    current = other;
    owner.process.kill('SIGKILL');
  }
  await speaking;
  return client;
}

const words = (client: RoamingClient) => client.text().toLowerCase().replace(/[.]/g, '');
const inOrder = ({ sequences }: RoamingClient) =>
  sequences.every((sequence, index) => sequence === index + 1);

const opus = ['-c:a', 'libopus', '-b:a', '64k', '-vbr', 'off', '-ar', '48000'];
const flac = ['-c:a', 'flac'];
const mp3 = ['-c:a', 'libmp3lame', '-b:a', '96k'];
const aac = ['-c:a', 'aac', '-b:a', '96k'];
const vorbis = ['-c:a', 'libvorbis'];
const webm = ['-f', 'webm', '-cluster_time_limit', '500'];
const matroska = ['-f', 'matroska', '-cluster_time_limit', '500'];
const ogg = ['-f', 'ogg', '-page_duration', '200000'];
const rawMp3 = ['-write_xing', '0', '-f', 'mp3'];
const pcm = (codec: string, rateHz: number) => ['-ar', `${rateHz}`, '-f', codec];
/** What is said, how FFmpeg writes it, and what that is where the content type does not say it. */
const rows: [contentType: string, args: string[], of?: string][] = [
  ['audio/auto', [...opus, ...webm], 'Opus in WebM'],
  ['audio/auto', [...aac, '-f', 'adts'], 'AAC (ADTS)'],
  ['audio/auto', [...mp3, ...rawMp3], 'MP3'],
  ['audio/flac', [...flac, '-f', 'flac']],
  ['audio/mpeg', [...mp3, ...rawMp3]],
  ['audio/ogg', [...vorbis, ...ogg], 'Vorbis'],
  ['audio/webm', [...vorbis, ...webm], 'Vorbis'],
  ['audio/x-matroska', [...vorbis, ...matroska], 'Vorbis'],
  ['audio/ogg;codecs=flac', [...flac, ...ogg]],
  ['audio/ogg;codecs=opus', [...opus, ...ogg]],
  ['audio/webm;codecs=opus', [...opus, ...webm]],
  ['audio/x-matroska;codecs=aac', [...aac, ...matroska]],
  ['audio/x-matroska;codecs=flac', [...flac, ...matroska]],
  ['audio/x-matroska;codecs=mp3', [...mp3, ...matroska]],
  ['audio/x-matroska;codecs=opus', [...opus, ...matroska]],
  ['audio/pcm;encoding=alaw;rate=8000', pcm('alaw', 8_000)],
  ['audio/pcm;encoding=ulaw;rate=8000', pcm('mulaw', 8_000)],
  ...[8_000, 16_000, 44_100, 48_000].map((rateHz): [contentType: string, args: string[]] => [
    `audio/pcm;encoding=s16le;rate=${rateHz}`,
    pcm('s16le', rateHz),
  ]),
];

const encoders = execFileSync('ffmpeg', ['-v', 'error', '-encoders'], { encoding: 'utf8' });
/** Whether this machine's FFmpeg can write it: samples it always can. */
function isWritable(args: readonly string[]): boolean {
  const encoder = args[args.indexOf('-c:a') + 1];
  return !args.includes('-c:a') || encoders.includes(` ${encoder} `);
}

/** Whoever has not come to an end after so long never will, in ms. */
const MOST_MS = 120_000;

/** All of them at once, at a server that is killed when each of them has said so much. */
async function speakAll(killedAt: number): Promise<Promise<RoamingClient>[]> {
  const [owner, other] = await freshPair();
  let current = owner;
  const clients: RoamingClient[] = [];
  const waits = new Set<RoamingClient>();
  const speaking = rows.map(async ([contentType, args]) => {
    if (!isWritable(args)) throw new Error('FFmpeg cannot write that here.');
    const audio = encodedBy(args, AUDIO);
    const request = { source_media_content_type: contentType };
    const client = newClient(audio, { request, route: () => current });
    clients.push(client);
    waits.add(client);
    const saying = client.speak(audio).finally(() => waits.delete(client));
    const reached = until(() => client.at > killedAt * audio.length || !waits.has(client));
    void reached.then(() => waits.delete(client));
    await saying;
    return client;
  });
  for (const each of speaking) each.catch(() => undefined);
  await until(() => waits.size === 0);
  current = other;
  owner.process.kill('SIGKILL');
  const late = setTimeout(() => {
    for (const client of clients) {
      client.giveUp();
      client.drop();
    }
  }, MOST_MS);
  void Promise.allSettled(speaking).then(() => clearTimeout(late));
  return speaking;
}

describe('when a server is killed', () => {
  let spoken: Promise<Promise<RoamingClient>[]> | undefined;

  it('has a row for every content type', () => {
    const inTable = new Set(rows.map(([contentType]) => contentType));
    expect(sourceMediaTypes.filter((contentType) => !inTable.has(contentType))).toEqual([]);
  });

  for (const [index, [contentType, args, of]] of rows.entries()) {
    const name = of === undefined ? contentType : `${contentType} (${of})`;
    it.skipIf(!isWritable(args))(`no word is lost of ${name}`, async () => {
      spoken ??= speakAll(0.6);
      const client = await (await spoken)[index]!;
      expect(words(client)).toBe(SENTENCES.join(' '));
      expect(inOrder(client)).toBe(true);
      expect(client.connections).toBe(2);
    });
  }
});

const spokenBytes = ({ messages }: RoamingClient) =>
  messages.flatMap((message) => (message.type === 'target_media_chunk' ? message.data : []));
const spokenTexts = ({ messages }: RoamingClient) =>
  messages.flatMap((message) =>
    message.type === 'target_media_chunk' && message.text !== undefined ? [message.text] : [],
  );

it('speech goes on in the middle of a sentence', async () => {
  const request = { target_media_languages: ['en-GB'], target_media_content_type: PCM_16K };
  const undisturbed = await speak(AUDIO, request);
  const client = await speak(AUDIO, request, 0.55);
  expect(spokenTexts(client)).toEqual(spokenTexts(undisturbed));
  const [wanted, found] = [undisturbed, client].map((each) => Buffer.concat(spokenBytes(each)));
  expect(Math.abs(found!.length - wanted!.length)).toBeLessThan(64);
  expect(inOrder(client)).toBe(true);
});

it('speech in a container is another stream from then on', async () => {
  const client = await speak(AUDIO, { target_media_languages: ['en-GB'] }, 0.55);
  const types = client.messages.flatMap((message) => {
    if (message.type === 'end_of_target_media') return ['end'];
    return message.type === 'target_media_chunk' && message.content_type !== undefined
      ? ['begin']
      : [];
  });
  expect(types).toEqual(['begin', 'end', 'begin', 'end']);
  expect(spokenTexts(client).length).toBe(SENTENCES.length);
});
