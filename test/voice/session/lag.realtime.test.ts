/** A recogniser that falls behind: who asked is told, the client is held back, nothing is lost. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy, spokenSamples } from '../../support/audio/encoded-speech.ts';
import { descendantsOf } from '../../support/machine/processes.ts';
import { startServer, until, type TestServer } from '../../support/product/server.ts';
import { connect, stream, type VoiceClient } from '../../support/product/voice-client.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';
const MAX_LAG_MS = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    VOICE_MAX_LAG_SECONDS: String(MAX_LAG_MS / 1000),
    // One is sent nothing while the others are held back.
    VOICE_IDLE_SECONDS: '300',
  });
});
afterAll(() => server.stop());

const lags = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'source_lag_update' ? [message.lag_ms] : []));
const signalRecognisers = (signal: NodeJS.Signals) => {
  for (const pid of descendantsOf(server.pid, /moonshine-child/)) process.kill(pid, signal);
};

it('who asked is told of the lag, whatever the format; all are held back, and nothing is lost', async () => {
  const samples = await spokenSamples([TEXT, TEXT, TEXT]);
  const ogg = encodedBy(['-c:a', 'libopus', '-b:a', '16k', '-f', 'ogg'], samples);
  const client = await connect(server, { lag_updates: true });
  const compressed = await connect(server, {
    ...{ lag_updates: true, source_media_content_type: 'audio/ogg;codecs=opus' },
  });
  const unaware = await connect(server);
  const oggPace = { chunkBytes: Math.ceil(ogg.length / (samples.length / 3200)), chunkMs: 100 };
  const pace = { chunkBytes: 3200, chunkMs: 100 };
  const before = 15;
  await Promise.all([
    stream(client, samples.subarray(0, before * pace.chunkBytes), pace),
    stream(unaware, samples.subarray(0, before * pace.chunkBytes), pace),
    stream(compressed, ogg.subarray(0, before * oggPace.chunkBytes), oggPace),
  ]);
  signalRecognisers('SIGSTOP');
  const streaming = Promise.all([
    stream(client, samples.subarray(before * pace.chunkBytes), pace),
    stream(compressed, ogg.subarray(before * oggPace.chunkBytes), oggPace),
  ]);
  // Told at a second and at every other one: at two seconds the client is held back.
  await until(() => [client, compressed].every((each) => Math.max(0, ...lags(each)) >= 1_000));
  expect(lags(client)[0]).toBeGreaterThanOrEqual(1_000);
  await streaming;
  for (const each of [client, compressed]) {
    // What the client had sent before it was held back comes on top.
    expect(Math.max(...lags(each))).toBeLessThanOrEqual(MAX_LAG_MS + 1_000);
  }
  signalRecognisers('SIGCONT');
  await until(() => [client, compressed].every((each) => lags(each).at(-1) === 0));
  for (const each of [client, compressed, unaware]) each.end();
  for (const each of [client, compressed, unaware]) expect((await each.closed).code).toBe(1000);
  expect(lags(unaware)).toEqual([]);
  expect(Math.max(...lags(client))).toBeLessThanOrEqual(MAX_LAG_MS + 1_000);
  const said = [TEXT, TEXT, TEXT].join(' ');
  for (const each of [client, compressed]) {
    expect(wordErrorRate(said, each.text()), each.text()).toBeLessThanOrEqual(0.25);
  }
});
