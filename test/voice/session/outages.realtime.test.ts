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

const PACE = { chunkBytes: 3200, chunkMs: 100, speed: 1.2 };

const MAX_LAG_MS = 2_000;

let server: TestServer;
beforeAll(async () => {
  server = await startServer({
    VOICE_MAX_LAG_SECONDS: String(MAX_LAG_MS / 1000),
    // Some clients are held back for long, during which they receive nothing.
    VOICE_IDLE_SECONDS: '300',
  });
});
afterAll(() => server.stop());

const descendants = (pattern: RegExp) => descendantsOf(server.pid, pattern);

const kill = (pids: number[]) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'));

it('loses no sentence when recognition and translation processes are killed during sessions', async () => {
  const client = await connect(server, { target_languages: ['es'] });
  const sharer = await connect(server);
  const stages = () => descendants(/^(?:\S*\/)?(?:lt-proc|apertium-\w+|lrx-proc|cg-proc)\b/);
  const recognisers = () => descendants(/moonshine-child/);
  const killed = recognisers();
  const sharing = stream(sharer, readFileSync(await speech({ text: TEXT })).subarray(44), {
    ...PACE,
    // In the middle of both speakers' speech.
    onChunk: (index) => index === 20 && kill(killed),
  });
  for (const text of ['good morning everybody', 'my friends live in a small house near the sea']) {
    const audio = readFileSync(await speech({ text, padStartS: 0.2, padEndS: 0.3 })).subarray(44);
    const half = Math.floor(audio.length / 6_400) * 3_200;
    await stream(client, audio.subarray(0, half), PACE);
    // The process exists from the start of the session, and again after the first sentence was translated.
    await until(() => stages().length > 0);
    kill(stages().slice(0, 1));
    await stream(client, audio.subarray(half), PACE);
    const before = client.text('es');
    client.endUtterance();
    await until(() => client.text('es') !== before);
  }
  await sharing;
  for (const each of [client, sharer]) {
    each.end();
    expect((await each.closed).code).toBe(1000);
  }
  const sources = client.messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );
  const targets = client.messages.flatMap((message) =>
    message.type === 'target_transcript_update' ? message.concluded : [],
  );
  expect(targets).toHaveLength(sources.length);
  expect(client.text('es')).toMatch(/día.*casa/s);
  expect(wordErrorRate(TEXT, sharer.text()), sharer.text()).toBeLessThanOrEqual(0.1);
  expect(killed).not.toEqual([]);
  expect(recognisers().filter((pid) => killed.includes(pid))).toEqual([]);
});

const lags = ({ messages }: VoiceClient) =>
  messages.flatMap((message) => (message.type === 'source_lag_update' ? [message.lag_ms] : []));
const signalRecognisers = (signal: NodeJS.Signals) => {
  for (const pid of descendants(/moonshine-child/)) process.kill(pid, signal);
};

it('reports the lag to clients that asked, holds all clients back, and loses nothing', async () => {
  const samples = await spokenSamples([TEXT, TEXT]);
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
  // The lag is reported at one second and at every second one; at two seconds the client is held back.
  await until(() => [client, compressed].every((each) => Math.max(0, ...lags(each)) >= 1_000));
  expect(lags(client)[0]).toBeGreaterThanOrEqual(1_000);
  await streaming;
  // What the client sent before it was held back adds to the lag, but not all of the speech does.
  const mostLagMs = Math.max(MAX_LAG_MS, (samples.length / 32 - before * pace.chunkMs) * 0.75);
  for (const each of [client, compressed]) {
    expect(Math.max(...lags(each))).toBeLessThan(mostLagMs);
  }
  signalRecognisers('SIGCONT');
  await until(() => [client, compressed].every((each) => lags(each).at(-1) === 0));
  for (const each of [client, compressed, unaware]) each.end();
  for (const each of [client, compressed, unaware]) expect((await each.closed).code).toBe(1000);
  expect(lags(unaware)).toEqual([]);
  expect(Math.max(...lags(client))).toBeLessThan(mostLagMs);
  const said = [TEXT, TEXT].join(' ');
  for (const each of [client, compressed]) {
    expect(wordErrorRate(said, each.text()), each.text()).toBeLessThanOrEqual(0.25);
  }
});
