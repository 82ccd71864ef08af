/** A recogniser that falls behind: who asked is told, the client is held back, nothing is lost. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy, spokenSamples } from '../../support/encoded-speech.ts';
import { descendantsOf } from '../../support/processes.ts';
import { startServer, until, type TestServer } from '../../support/server.ts';
import { speech } from '../../support/speech.ts';
import { connect, stream, type VoiceClient } from '../../support/voice-client.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';
const MAX_LAG_MS = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ VOICE_MAX_LAG_SECONDS: String(MAX_LAG_MS / 1000) });
});
afterAll(() => server.stop());

const lags = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'source_lag_update' ? [message.lag_ms] : []));
const signalRecognisers = (signal: NodeJS.Signals) => {
  for (const pid of descendantsOf(server.pid, /moonshine-child/)) process.kill(pid, signal);
};

it('compressed audio is held back as well, and its lag told', async () => {
  const samples = await spokenSamples([TEXT, TEXT, TEXT, TEXT]);
  const ogg = encodedBy(['-c:a', 'libopus', '-b:a', '16k', '-f', 'ogg'], samples);
  const client = await connect(server, {
    ...{ lag_updates: true, source_media_content_type: 'audio/ogg;codecs=opus' },
  });
  const chunkBytes = Math.ceil(ogg.length / (samples.length / 3200));
  const pace = { chunkBytes, chunkMs: 100 };
  await stream(client, ogg.subarray(0, 20 * chunkBytes), pace);
  signalRecognisers('SIGSTOP');
  const streaming = stream(client, ogg.subarray(20 * chunkBytes, 160 * chunkBytes), pace);
  // Told at a second and at every other one: at two seconds the client is held back.
  await until(() => Math.max(0, ...lags(client)) >= 1_000);
  await streaming;
  // What the client had sent before it was held back comes on top.
  expect(Math.max(...lags(client))).toBeLessThanOrEqual(MAX_LAG_MS + 1_000);
  signalRecognisers('SIGCONT');
  await until(() => lags(client).at(-1) === 0, 30_000);
  client.socket.close(1000);
}, 60_000);

it('a client that asked is told of the lag, is held back, and in the end nothing is lost', async () => {
  const audio = readFileSync(await speech({ text: `${TEXT}. ${TEXT}` })).subarray(44);
  const client = await connect(server, { lag_updates: true });
  const unaware = await connect(server);
  const pace = { chunkBytes: 3200, chunkMs: 100 };
  await Promise.all([
    stream(client, audio.subarray(0, 48_000), pace),
    stream(unaware, audio.subarray(0, 48_000), pace),
  ]);
  signalRecognisers('SIGSTOP');
  const streaming = stream(client, audio.subarray(48_000), pace);
  await until(() => lags(client).length > 0);
  expect(lags(client)[0]).toBeGreaterThanOrEqual(1_000);
  await streaming;
  signalRecognisers('SIGCONT');
  await until(() => lags(client).at(-1) === 0, 30_000);
  client.end();
  unaware.end();
  expect((await client.closed).code).toBe(1000);
  await unaware.closed;
  expect(lags(unaware)).toEqual([]);
  expect(Math.max(...lags(client))).toBeLessThanOrEqual(MAX_LAG_MS + 1_000);
  expect(wordErrorRate(`${TEXT} ${TEXT}`, client.text())).toBeLessThanOrEqual(0.25);
}, 60_000);
