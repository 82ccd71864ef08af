/** Speech over a cluster of servers that share sessions, which must not lose a word. */
import { expect } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster, withKey } from '../../support/product/cluster.ts';
import { RoamingClient, type RoamingOptions } from '../../support/product/roaming-client.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import { startLibreTranslateServer } from '../../support/services/libretranslate-server.ts';
import { startVoskServer } from '../../support/services/vosk-server.ts';

export const SENTENCES = ['alpha bravo charlie', 'delta echo foxtrot golf', 'hotel india juliett'];
const PADS = { padStartMs: 200, padEndMs: 800 };
export const AUDIO = Buffer.concat(SENTENCES.map((text) => toneSpeech(text, PADS)));
/**
 * Share of the speech up to the middle of the last sentence; captions of the one before have arrived by then.
 */
export const MID_SENTENCE = 0.785;
export const REQUEST = { source_language: 'en', target_languages: ['es'] };
/** Chunks of 200 ms, each of which costs as much as a shorter one, at a speed that the gateway accepts for long. */
export const PACE = { chunkBytes: 6_400, everyMs: 120 };

/** Starts servers that recognise tones. */
export async function startTalkingCluster(count: number): Promise<Cluster> {
  const [recogniser, translator] = await Promise.all([
    startVoskServer(),
    startLibreTranslateServer(),
  ]);
  const cluster = await startCluster(count, {
    ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url, VOICE_RESUME_SECONDS: '20' },
    // Looking for engines that are not asked is a third of a start, and the audio is PCM.
    ...{ APERTIUM_MODES: '/nowhere', FFMPEG: 'none' },
    ...{ LIBRETRANSLATE_URL: translator.url, TRANSLATION_ENGINES: 'en/es: libretranslate' },
  });
  return {
    ...cluster,
    async stop() {
      await cluster.stop();
      await Promise.all([recogniser.close(), translator.close()]);
    },
  };
}

/** The live nodes of a cluster, with the key of a new account. */
export async function aliveNodes({ nodes, newcomer }: Cluster): Promise<TestServer[]> {
  const { secret } = await newcomer();
  return nodes
    .filter(({ process }) => process.exitCode === null && process.signalCode === null)
    .map((node) => withKey(node, secret));
}

/** Speaks everything, and calls `happen` on the session's owning server at the given position. */
export async function speakThrough(
  [owner, other]: readonly [TestServer, TestServer],
  happen: (owner: TestServer, client: RoamingClient) => void | Promise<void>,
  { place = MID_SENTENCE, ...options }: Partial<RoamingOptions> & { place?: number } = {},
): Promise<RoamingClient> {
  let current = owner;
  const client = new RoamingClient({ request: REQUEST, route: () => current, ...PACE, ...options });
  const speaking = client.speak(AUDIO);
  await until(() => client.at >= place * AUDIO.length);
  current = other;
  await happen(owner, client);
  await speaking;
  return client;
}

export function expectWhole(client: RoamingClient): void {
  const words = client.text().toLowerCase().replace(/[.]/g, '');
  expect(words).toBe(SENTENCES.join(' '));
  const last = client.sequences.at(-1) ?? 0;
  expect(client.sequences).toEqual(Array.from({ length: last }, (_, index) => index + 1));
}

/** @param undisturbed a client that speaks the same without a disturbance */
export function expectSame(client: RoamingClient, undisturbed: RoamingClient): void {
  expectWhole(client);
  expect(client.text('es')).toBe(undisturbed.text('es'));
  expect(client.sequences).toEqual(undisturbed.sequences);
}
