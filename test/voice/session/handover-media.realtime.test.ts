/** Sessions taken up from a server that was killed: in compressed formats, and with translated speech. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy } from '../../support/audio/encoded-speech.ts';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster, withKey } from '../../support/product/cluster.ts';
import { RoamingClient } from '../../support/product/roaming-client.ts';
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

/** Says everything; the server is killed when so much of it was said. */
async function speak(
  audio: Uint8Array,
  request: Record<string, unknown>,
  killedAt?: number,
): Promise<RoamingClient> {
  const [owner, other] = await freshPair();
  let current = owner;
  // 100 ms at a time.
  const chunkBytes = 2 * Math.round((audio.length / AUDIO_MS) * 50);
  const options = { chunkBytes, everyMs: 60 };
  const client = new RoamingClient({ request, route: () => current, ...options });
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
it.each([
  ['audio/webm;codecs=opus', [...opus, '-f', 'webm', '-cluster_time_limit', '500']],
  ['audio/ogg;codecs=opus', [...opus, '-f', 'ogg', '-page_duration', '200000']],
  ['audio/flac', ['-c:a', 'flac', '-f', 'flac']],
  ['audio/mpeg', ['-c:a', 'libmp3lame', '-b:a', '96k', '-write_xing', '0', '-f', 'mp3']],
  ['audio/pcm;encoding=s16le;rate=48000', ['-ar', '48000', '-f', 's16le']],
  ['audio/pcm;encoding=ulaw;rate=8000', ['-ar', '8000', '-f', 'mulaw']],
])('no word is lost of %s', async (contentType, args) => {
  const audio = encodedBy(args, AUDIO);
  const client = await speak(audio, { source_media_content_type: contentType }, 0.6);
  expect(words(client)).toBe(SENTENCES.join(' '));
  expect(inOrder(client)).toBe(true);
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
