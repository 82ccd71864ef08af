/** Processes of the voice path that are killed or fall behind, without any loss. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { encodedBy, spokenSamples } from '../../support/audio/encoded-speech.ts';
import { descendantsOf } from '../../support/machine/processes.ts';
import { startServer, until, type TestServer } from '../../support/product/server.ts';
import { speech } from '../../support/audio/speech.ts';
import { connect, stream, type VoiceClient } from '../../support/product/voice-client.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';

const SENTENCE = 'my friends live in a small house near the sea';

const PACE = { chunkBytes: 3200, chunkMs: 100, speed: 1.2 };

const MAX_LAG_MS = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    VOICE_MAX_LAG_SECONDS: String(MAX_LAG_MS / 1000),
    // A client that is held back sends nothing for long.
    VOICE_IDLE_SECONDS: '300',
  });
});
afterAll(() => server.stop());

const descendants = (pattern: RegExp) => descendantsOf(server.pid, pattern);

const kill = (pids: number[]) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'));

const lags = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'source_lag_update' ? [message.lag_ms] : []));
it('loses no word when the processes of recognition and translation are killed during a sentence', async () => {
  const client = await connect(server, { target_languages: ['es'] });
  const stages = () => descendants(/^(?:\S*\/)?(?:lt-proc|apertium-\w+|lrx-proc|cg-proc)\b/);
  const recognisers = () => descendants(/moonshine-child/);
  const killed = recognisers();
  const audio = readFileSync(await speech({ text: SENTENCE, padStartS: 0.2, padEndS: 0.3 }));
  const half = Math.floor(audio.length / 6_400) * 3_200;
  await stream(client, audio.subarray(44, half), PACE);
  // The process exists from the start of the session.
  await until(() => stages().length > 0);
  kill([...stages().slice(0, 1), ...killed]);
  await stream(client, audio.subarray(half), PACE);
  client.end();
  expect((await client.closed).code).toBe(1000);
  const sources = client.messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );
  const targets = client.messages.flatMap((message) =>
    message.type === 'target_transcript_update' ? message.concluded : [],
  );
  expect(targets).toHaveLength(sources.length);
  expect(client.text('es')).toMatch(/casa/);
  expect(wordErrorRate(SENTENCE, client.text()), client.text()).toBeLessThanOrEqual(0.2);
  expect(killed).not.toEqual([]);
  expect(recognisers().filter((pid) => killed.includes(pid))).toEqual([]);
  // It did not ask for them.
  expect(lags(client)).toEqual([]);
});

const signalRecognisers = (signal: NodeJS.Signals) => {
  for (const pid of descendants(/moonshine-child/)) process.kill(pid, signal);
};

it('reports the lag to a client that asked, holds it back, and loses nothing', async () => {
  const samples = await spokenSamples([TEXT, TEXT]);
  const ogg = encodedBy(['-c:a', 'libopus', '-b:a', '16k', '-f', 'ogg'], samples);
  const client = await connect(server, {
    ...{ lag_updates: true, source_media_content_type: 'audio/ogg;codecs=opus' },
  });
  const pace = { chunkBytes: Math.ceil(ogg.length / (samples.length / 3200)), chunkMs: 100 };
  const before = 15;
  await stream(client, ogg.subarray(0, before * pace.chunkBytes), pace);
  // Its process may be new.
  await until(() => client.messages.some(({ type }) => type === 'source_transcript_update'));
  signalRecognisers('SIGSTOP');
  const streaming = stream(client, ogg.subarray(before * pace.chunkBytes), pace);
  // The lag is reported at one second and at every second one; at two seconds the client is held back.
  await until(() => Math.max(0, ...lags(client)) >= 1_000);
  expect(lags(client)[0]).toBeGreaterThanOrEqual(1_000);
  await streaming;
  // What the client sent before it was held back adds to the lag, but not all of the speech does.
  const mostLagMs = Math.max(MAX_LAG_MS, (samples.length / 32 - before * pace.chunkMs) * 0.75);
  expect(Math.max(...lags(client))).toBeLessThan(mostLagMs);
  signalRecognisers('SIGCONT');
  await until(() => lags(client).at(-1) === 0);
  client.end();
  expect((await client.closed).code).toBe(1000);
  expect(Math.max(...lags(client))).toBeLessThan(mostLagMs);
  const said = [TEXT, TEXT].join(' ');
  expect(wordErrorRate(said, client.text()), client.text()).toBeLessThanOrEqual(0.25);
});
