import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descendantsOf } from '../../support/machine/processes.ts';
import { startServer, until, type TestServer } from '../../support/product/server.ts';
import { speech } from '../../support/audio/speech.ts';
import { connect, stream, type VoiceClient } from '../../support/product/voice-client.ts';
import { wordErrorRate } from '../../support/audio/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';

const PACE = { chunkBytes: 3200, chunkMs: 100, speed: 1.2 };

let server: TestServer;
beforeAll(async () => (server = await startServer()));
afterAll(() => server.stop());

const descendants = (pattern: RegExp) => descendantsOf(server.pid, pattern);

const kill = (pids: number[]) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'));

async function speak(client: VoiceClient, onChunk?: (index: number) => void): Promise<void> {
  const audio = readFileSync(await speech({ text: TEXT })).subarray(44);
  await stream(client, audio, onChunk === undefined ? PACE : { ...PACE, onChunk });
  client.end();
}

it('a stage of the translator killed in mid session costs no sentence', async () => {
  const client = await connect(server, { target_languages: ['es'] });
  const stages = () => descendants(/^(?:\S*\/)?(?:lt-proc|apertium-\w+|lrx-proc|cg-proc)\b/);
  for (const text of ['good morning everybody', 'my friends live in a small house near the sea']) {
    const audio = readFileSync(await speech({ text, padStartS: 0.2, padEndS: 0.3 })).subarray(44);
    const half = Math.floor(audio.length / 6_400) * 3_200;
    await stream(client, audio.subarray(0, half), PACE);
    // It is there from the start of the session, and since it has translated the first sentence.
    await until(() => stages().length > 0);
    kill(stages().slice(0, 1));
    await stream(client, audio.subarray(half), PACE);
    const before = client.text('es');
    client.endUtterance();
    await until(() => client.text('es') !== before);
  }
  client.end();
  expect((await client.closed).code).toBe(1000);
  const sources = client.messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );
  const targets = client.messages.flatMap((message) =>
    message.type === 'target_transcript_update' ? message.concluded : [],
  );
  expect(targets).toHaveLength(sources.length);
  expect(client.text('es')).toMatch(/día.*casa/s);
});

it('a recogniser killed in mid session is replaced, for all who share it', async () => {
  const victims = [await connect(server, { target_languages: ['es'] }), await connect(server)];
  const recognisers = () => descendants(/moonshine-child/);
  let killed: number[] = [];
  const speaking = victims.map((client, number) =>
    speak(client, (index) => {
      if (number > 0 || index !== 20) return;
      killed = recognisers();
      kill(killed);
    }),
  );
  await Promise.all(speaking);
  for (const client of victims) {
    expect((await client.closed).code).toBe(1000);
    expect(wordErrorRate(TEXT, client.text()), client.text()).toBeLessThanOrEqual(0.1);
  }
  expect(killed).not.toEqual([]);
  expect(recognisers().filter((pid) => killed.includes(pid))).toEqual([]);
});
