import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descendantsOf } from '../../support/processes.ts';
import { startServer, until, type TestServer } from '../../support/server.ts';
import { speech } from '../../support/speech.ts';
import { connect, stream, type VoiceClient } from '../../support/voice-client.ts';
import { wordErrorRate } from '../../support/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';

let server: TestServer;
beforeAll(async () => (server = await startServer()));
afterAll(() => server.stop());

const descendants = (pattern: RegExp) => descendantsOf(server.pid, pattern);

const kill = (pids: number[]) => pids.forEach((pid) => process.kill(pid, 'SIGKILL'));

async function speak(client: VoiceClient, onChunk?: (index: number) => void): Promise<void> {
  const audio = readFileSync(await speech({ text: TEXT })).subarray(44);
  const pace = { chunkBytes: 3200, chunkMs: 100, speed: 1.2 };
  await stream(client, audio, onChunk === undefined ? pace : { ...pace, onChunk });
  client.end();
}

it('a stage of the translator killed in mid session costs no sentence', async () => {
  const client = await connect(server, { target_languages: ['es'] });
  await until(() => descendants(/lt-proc|apertium/).length > 0);
  let killed = 0;
  await speak(client, (index) => {
    if (index % 12 !== 5) return;
    const stages = descendants(/^(?:\S*\/)?(?:lt-proc|apertium-\w+|lrx-proc|cg-proc)\b/);
    kill(stages.slice(0, 1));
    killed += stages.slice(0, 1).length;
  });
  expect((await client.closed).code).toBe(1000);
  expect(killed).toBeGreaterThan(1);
  const sources = client.messages.flatMap((message) =>
    message.type === 'source_transcript_update' ? message.concluded : [],
  );
  const targets = client.messages.flatMap((message) =>
    message.type === 'target_transcript_update' ? message.concluded : [],
  );
  expect(targets).toHaveLength(sources.length);
  expect(client.text('es')).toMatch(/país/);
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
