/** Three servers that share rooms, with a translator that records requests, a tone recogniser and a voice. */
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { toneSpeech } from '../../support/audio/tone-speech.ts';
import { type Cluster, startCluster } from '../../support/product/cluster.ts';
import { type TestServer, until } from '../../support/product/server.ts';
import { connect, stream, type VoiceClient } from '../../support/product/voice-client.ts';
import {
  type LibreTranslateServer,
  startLibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import {
  type OpenAiSpeechServer,
  startOpenAiSpeechServer,
} from '../../support/services/openai-speech-server.ts';
import { startVoskServer, type VoskServer } from '../../support/services/vosk-server.ts';
import { type RedisProxy, startRedisProxy } from '../../support/services/redis-proxy.ts';
import { type RoomReader, type, untilItTranslates } from '../room-client.ts';

export interface RoomCluster {
  readonly cluster: Cluster;
  /** The last node can be cut off from the broker. */
  readonly nodes: readonly [TestServer, TestServer, TestServer];
  cutOff(): void;
  joinAgain(): void;
  readonly translator: LibreTranslateServer;
  readonly voices: OpenAiSpeechServer;
}

/** Starts the cluster for the tests of a file. */
export function roomCluster(settings: Record<string, string> = {}): RoomCluster {
  let cluster: Cluster | undefined;
  let translator: LibreTranslateServer | undefined;
  let recogniser: VoskServer | undefined;
  let voices: OpenAiSpeechServer | undefined;
  let proxy: RedisProxy | undefined;
  const socket = () => cluster!.redis.url.replace('unix://', '');
  beforeAll(async () => {
    translator = await startLibreTranslateServer();
    translator.languages = { en: ['es', 'fr'] };
    recogniser = await startVoskServer();
    voices = await startOpenAiSpeechServer();
    cluster = await startCluster(2, {
      ...{ RECOGNISER: 'vosk', VOSK_URL: recogniser.url },
      ...{ LIBRETRANSLATE_URL: translator.url, TRANSLATION_ENGINES: '*: libretranslate' },
      // Looking for engines that are not asked is a third of a start.
      ...{ APERTIUM_MODES: '/nowhere', FFMPEG: 'none' },
      ...{ SPEECH_URL: voices.apiUrl, SPEECH_MODEL: 'tts-1', SPEECH_LANGUAGES: 'en,es,fr' },
      ...settings,
    });
    proxy = await startRedisProxy(socket());
    await cluster.add({ BROKER_URL: proxy.url });
    await Promise.all(cluster.nodes.map(untilItTranslates));
  });
  afterAll(async () => {
    await cluster?.stop();
    await Promise.all([proxy?.close(), translator?.close(), recogniser?.close(), voices?.close()]);
  });
  return {
    get cluster() {
      return cluster!;
    },
    get nodes() {
      return cluster!.nodes.slice(0, 3) as unknown as RoomCluster['nodes'];
    },
    cutOff() {
      proxy!.leadTo('/nowhere');
      proxy!.cut();
    },
    joinAgain: () => proxy!.leadTo(socket()),
    get voices() {
      return voices!;
    },
    get translator() {
      return translator!;
    },
  };
}

/** How often each text was translated into a language. */
export function timesTranslated(translator: LibreTranslateServer, target: string) {
  const counts = new Map<string, number>();
  for (const { q, target: into } of translator.translations()) {
    if (into !== target) continue;
    for (const text of q) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** The captions that arrived, with their sequences. Expects each once, in order of the sequences. */
export function told(reader: RoomReader): string[] {
  const all = reader.messages.flatMap((message) =>
    message.type === 'captions' && message.lines.length > 0 && message.sequence !== undefined
      ? [{ sequence: message.sequence, text: message.lines.map(({ text }) => text).join('|') }]
      : [],
  );
  const sequences = all.map(({ sequence }) => sequence);
  expect(sequences).toEqual([...new Set(sequences)].sort((a, b) => a - b));
  return all.map(({ sequence, text }) => `${sequence} ${text}`);
}

const PACE = { chunkBytes: 6_400, chunkMs: 200, speed: 1.8 };

/** Starts a session that speaks into a room. */
export function speakInto(node: TestServer, roomId: string): Promise<VoiceClient> {
  return connect(node, { room_id: roomId });
}

/** Speaks a sentence and signals its end. */
export async function say(client: VoiceClient, text: string): Promise<void> {
  await stream(client, toneSpeech(text), PACE);
  client.endUtterance();
}

/** Types lines one after the other until it is stopped; `stop` resolves to those that were accepted. */
export function typing(node: TestServer, roomId: string, mark: string) {
  const taken: string[] = [];
  const state = { isOver: false };
  onTestFinished(() => void (state.isOver = true));
  const done = (async () => {
    for (let index = 0; !state.isOver; index += 1) {
      const text = `${mark} house ${index}.`;
      await type(node, roomId, { text });
      taken.push(text);
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  })();
  done.catch(() => undefined);
  return {
    taken,
    async stop() {
      state.isOver = true;
      await done;
      return taken;
    },
  };
}

export const inSpanish = (texts: readonly string[]) =>
  texts.map((text) => text.replaceAll('the house', 'la casa').replaceAll('house', 'casa'));

/** Waits until every reader shows that many lines. */
export async function untilAllShow(readers: readonly RoomReader[], count: number): Promise<void> {
  const counts = () => readers.map((reader) => reader.texts().length);
  await until(() => counts().every((each) => each === count), 40_000).catch(() => {
    const last = readers.map((reader) => reader.texts().slice(-3).join(' '));
    throw new Error(`They show ${counts().join(', ')} lines, not ${count}: ${last.join('; ')}`);
  });
}

export async function expectSame(readers: readonly RoomReader[]): Promise<void> {
  const [first, ...others] = readers.map((reader) => reader.lines());
  for (const other of others) expect(other).toEqual(first);
}
