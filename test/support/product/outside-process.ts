/** The process behind `outside.ts`: speaks as requested over its IPC channel, until the channel closes. */
import { setTimeout as delay } from 'node:timers/promises';
import { startLibreTranslateServer } from '../services/libretranslate-server.ts';
import { startVoskServer } from '../services/vosk-server.ts';
import type { CrowdWish, Heard, Told } from './outside.ts';
import { RoamingClient } from './roaming-client.ts';
import { requestsTo, type RunningServer } from './server.ts';

/** Delay between the starts of speakers, in ms, so that a disturbance finds them at different places. */
const APART_MS = 40;
const PROGRESS_EVERY_MS = 50;
/** Timeout of a readiness check, in ms, as in a load balancer. */
const READY_MS = 1_000;
/** Silence after which a client leaves a connection, in ms; the same as in the product's own client. */
const PATIENCE_MS = 4_000;

const host = process.argv[2] ?? '127.0.0.1';
const recogniser = await startVoskServer({ host });
const translator = await startLibreTranslateServer({ host });
translator.languages = { de: ['es'], en: ['es'] };

const tell = (told: Told): void => void process.send?.(told);
process.on('message', ({ id, wish }: { id: number; wish: CrowdWish }) => void speak(id, wish));
process.on('disconnect', () => process.exit());
tell({ kind: 'ready', recogniserUrl: recogniser.url, translatorUrl: translator.url });

const known = new Map<string, RunningServer>();

/** Returns a server of the cluster as its clients see it. */
function serverAt({ url, apiKey }: CrowdWish['servers'][number]): RunningServer {
  const found = known.get(url);
  if (found !== undefined) return found;
  const server = {
    ...{ url, apiKey, dataFolder: '', pid: 0, stop: async () => undefined },
    ...requestsTo(url, apiKey),
  };
  known.set(url, server);
  return server;
}

async function isReady(server: RunningServer): Promise<boolean> {
  try {
    const answer = await fetch(`${server.url}/readyz`, { signal: AbortSignal.timeout(READY_MS) });
    await answer.arrayBuffer();
    return answer.ok;
  } catch {
    return false;
  }
}

async function speak(id: number, { count, audio: encoded, ...wish }: CrowdWish): Promise<void> {
  const audio = Buffer.from(encoded, 'base64');
  const { request, chunkBytes, everyMs, hearsOn } = wish;
  const servers = wish.servers.map(serverAt);
  const clients = Array.from({ length: count }, (_, index) => {
    let turn = index;
    const route = async (): Promise<RunningServer> => {
      for (;;) {
        for (let tries = 0; tries < servers.length; tries += 1) {
          const server = servers[turn % servers.length]!;
          if (await isReady(server)) return server;
          turn += 1;
        }
        await delay(PROGRESS_EVERY_MS);
      }
    };
    const pace = { chunkBytes, everyMs, patienceMs: PATIENCE_MS };
    return new RoamingClient({ request, route, ...pace, hearsOn });
  });
  const problems = new Map<RoamingClient, string>();
  const telling = setInterval(() => {
    const least = Math.min(...clients.map((each) => (problems.has(each) ? Infinity : each.at)));
    tell({ kind: 'progress', id, share: Math.min(1, least / audio.length) });
  }, PROGRESS_EVERY_MS);
  await Promise.all(
    clients.map(async (client, index) => {
      await delay(index * APART_MS);
      await client.speak(audio).catch((error: unknown) => problems.set(client, String(error)));
    }),
  );
  clearInterval(telling);
  tell({ kind: 'done', id, heard: clients.map((each) => heardBy(each, problems.get(each))) });
}

function heardBy(client: RoamingClient, problem: string | undefined): Heard {
  const captions = client.messages.flatMap((message, index) => {
    const isCaption =
      message.type === 'source_transcript_update' &&
      message.concluded.length + message.tentative.length > 0;
    const atMs = client.cameAtMs[index] ?? 0;
    return isCaption ? [{ atMs, connection: client.cameOn[index] ?? 0 }] : [];
  });
  const { sequences, connections, closeCodes, refusals, stale } = client;
  return {
    ...{ source: client.text(), target: client.text('es'), captions, sequences, connections },
    ...{ closeCodes, refusals, stale: stale.map((message) => JSON.stringify(message)) },
    ...(problem !== undefined && { problem }),
  };
}
