import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { descendantsOf } from '../support/processes.ts';
import { startServer, until, type TestServer } from '../support/server.ts';
import { speech } from '../support/speech.ts';
import { connect, stream, type VoiceClient } from '../support/voice-client.ts';
import { wordErrorRate } from '../support/word-error-rate.ts';

const TEXT = 'and so my fellow americans ask not what your country can do for you';

let server: TestServer;
beforeAll(async () => (server = await startServer({ LOG_LEVEL: 'debug' })));
afterAll(() => server.stop());

const descendants = (pattern: RegExp) => descendantsOf(server.pid, pattern);

interface LogLine {
  pid: number;
  msg: string;
}

const logLines = (): LogLine[] =>
  server
    .logs()
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as LogLine);
const deaths = () => logLines().filter(({ msg }) => msg === 'a recogniser process died');

/** Opens a session and finds the process that hears it. */
async function connectAndFind(request = {}): Promise<{ client: VoiceClient; pid: number }> {
  const linesBefore = logLines().length;
  const client = await connect(server, request);
  client.sendAudio(new Uint8Array(3200));
  const { pid } = await until(() =>
    logLines()
      .slice(linesBefore)
      .find(({ msg }) => msg === 'a recogniser process takes a stream'),
  );
  return { client, pid };
}

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
    'source_transcript_update' in message ? message.source_transcript_update.concluded : [],
  );
  const targets = client.messages.flatMap((message) =>
    'target_transcript_update' in message ? message.target_transcript_update.concluded : [],
  );
  expect(targets).toHaveLength(sources.length);
  expect(client.text('es')).toMatch(/país/);
});

it('a recogniser killed in mid session is replaced, and its neighbour hears on', async () => {
  const { client: victim, pid } = await connectAndFind({ target_languages: ['es'] });
  const { client: neighbour, pid: neighbourPid } = await connectAndFind();
  expect(neighbourPid).not.toBe(pid);
  const speaking = speak(neighbour);
  await speak(victim, (index) => {
    if (index === 20) kill([pid]);
  });
  await speaking;
  await until(() => deaths().some((line) => line.pid === pid));
  expect(deaths().some((line) => line.pid === neighbourPid)).toBe(false);
  expect((await victim.closed).code).toBe(1000);
  expect((await neighbour.closed).code).toBe(1000);
  expect(wordErrorRate(TEXT, victim.text()), victim.text()).toBeLessThanOrEqual(0.4);
  expect(wordErrorRate(TEXT, neighbour.text()), neighbour.text()).toBeLessThanOrEqual(0.25);
});
