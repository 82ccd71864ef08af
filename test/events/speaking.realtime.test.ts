/** Voice sessions that speak into a room: with the real recogniser, and with one that knows tones. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { toneSpeech } from '../support/audio/tone-speech.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../support/product/hosted-server.ts';
import { until, type RunningServer } from '../support/product/server.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { speech } from '../support/audio/speech.ts';
import {
  connect,
  connectWith,
  PCM_16K,
  stream,
  type SessionAnswer,
  type VoiceClient,
} from '../support/product/voice-client.ts';
import { startVoskServer, type VoskServer } from '../support/services/vosk-server.ts';
import { wordErrorRate } from '../support/audio/word-error-rate.ts';
import { change, keyOf, makeRoom, readAlong, roomKey } from './room-client.ts';

const PACE = { chunkBytes: 3200, chunkMs: 100 };
const TEXT = 'good morning everybody. my friends live in a small house near the sea.';

let recogniser: VoskServer;
let server: HostedServer;
beforeAll(async () => {
  recogniser = await startVoskServer();
  server = await startHosted({
    ...{ ...WITHOUT_ENGINES, RECOGNISER: 'vosk', VOSK_URL: recogniser.url },
  });
});
afterAll(async () => {
  await server.stop();
  await recogniser.close();
});

const state = async (roomId: string) =>
  (await change(server, 'GET', `/v1/rooms/${roomId}`)).body['state'];
async function speak(client: VoiceClient, samples: Uint8Array): Promise<void> {
  await stream(client, samples, PACE);
  client.end();
  await client.closed;
}

/** Requests a session with a speaker key. */
async function sessionOf(
  roomId: string,
  key: string,
  { on = server, ...body }: { on?: RunningServer; acknowledgements?: boolean } = {},
): Promise<SessionAnswer> {
  const wish = { source_media_content_type: PCM_16K, source_language: 'en', ...body };
  const path = `/v1/rooms/${roomId}/live/session`;
  const response = await on.post(path, wish, roomKey(key));
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return (await response.json()) as SessionAnswer;
}

it('shows speech to all readers in their languages, and keeps the room after the session', async () => {
  const on = await sharedServer('hearing');
  const { room_id: id, ...made } = await makeRoom(on, { languages: ['es', 'fr'] });
  const key = keyOf(made.speaker_url);
  const [spoken, spanish, calm] = [
    await readAlong(on, id),
    await readAlong(on, id, { language: 'es' }),
    await readAlong(on, id, { calmness: 'settled' }),
  ];
  const beganMs = Date.now();
  const first = await connectWith(await sessionOf(id, key, { on }), 'json');
  await until(() => spoken.state() === 'live');
  const speaking = speak(first, readFileSync(await speech({ text: TEXT })).subarray(44));
  await until(() => spoken.messages.some(({ type: name }) => name === 'captions'));
  // A reader that joins in the middle receives everything.
  const late = await readAlong(on, id, { language: 'es' });
  await speaking;
  await until(() => spoken.state() === 'waiting');
  await until(() => spanish.texts().length === spoken.texts().length && spoken.texts().length > 1);
  expect(wordErrorRate(TEXT, spoken.texts().join(' '))).toBeLessThanOrEqual(0.2);
  expect(spanish.texts().join(' ')).toMatch(/casa/);
  await late.shows(...spanish.texts());
  expect(calm.texts()).toEqual(spoken.texts());
  expect(calm.messages.some((each) => each.type === 'captions' && each.tentative !== '')).toBe(
    false,
  );
  const times = spoken.lines().map(({ start_time: at }) => at);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  expect(times[0]).toBeGreaterThanOrEqual(beganMs - 1_000);
  expect(spoken.lines().every(({ by, language }) => by === 'machine' && language === 'en')).toBe(
    true,
  );
  expect(spoken.tentative()).toBe('');
  for (const reader of [spoken, spanish, calm, late]) reader.close();
});

it('gives the floor to a second speaker, drops speech in a pause, and resumes a dropped session', async () => {
  const { room_id: id, ...made } = await makeRoom(server);
  const key = keyOf(made.speaker_url);
  const reader = await readAlong(server, id);
  const first = await connectWith(await sessionOf(id, key, { acknowledgements: true }), 'json');
  await until(() => reader.state() === 'live');
  // Without silence at its end, by which the recogniser would notice that it is over.
  const said = toneSpeech('alpha bravo charlie delta', { padEndMs: 0 });
  // As fast as it is said: what comes sooner was said when the session began, at the earliest.
  await stream(first, said, { ...PACE, speed: 1 });
  await until(() =>
    first.messages.some(
      (message) =>
        message.type === 'source_media_acknowledgement' &&
        message.received_audio_bytes === said.length,
    ),
  );
  const saidMs = Date.now();
  await until(() => Date.now() > saidMs + 2_000);
  first.endUtterance();
  await until(() => reader.lines().length > 0);
  const before = reader.lines();
  expect(before.at(-1)!.end_time).toBeLessThanOrEqual(saidMs);

  const answer = await sessionOf(id, key);
  const second = await connectWith(answer, 'json');
  expect((await first.closed).code).toBe(4403);
  expect(first.error()?.error_message).toMatch(/floor/);

  const pause = (paused: boolean) =>
    server.post(`/v1/rooms/${id}/live/state`, { paused }, roomKey(key));
  expect(await (await pause(true)).json()).toEqual({ paused: true });
  await until(() => reader.state() === 'paused');
  await stream(second, toneSpeech('november oscar'), PACE);
  second.endUtterance();
  await until(() => second.text() !== '');
  expect(reader.lines()).toEqual(before);
  await pause(false);
  await until(() => reader.state() === 'live');

  second.socket.terminate();
  const path = `/v1/rooms/${id}/live/session`;
  const again = await server.post(path, { token: answer.token }, roomKey(key));
  expect(again.status).toBe(200);
  const resumed = await connectWith((await again.json()) as SessionAnswer, 'json');
  await speak(resumed, toneSpeech('kilo lima'));
  await until(() => reader.texts().length > before.length && reader.state() === 'waiting');
  expect(reader.lines().slice(0, before.length)).toEqual(before);
  expect(reader.texts().slice(before.length).join(' ')).toMatch(/lima/i);
  expect(reader.texts().join(' ')).not.toMatch(/november/i);
  reader.close();
});

it('silences a speaker whose link is revoked, and ends the session of a deleted room', async () => {
  const { room_id: id, ...made } = await makeRoom(server);
  const links = (await change(server, 'GET', `/v1/rooms/${id}/links`)).body['links'] as {
    link_id: string;
    role: string;
  }[];
  const { link_id: linkId } = links.find(({ role }) => role === 'speaker')!;
  const key = keyOf(made.speaker_url);
  const speaker = await connectWith(await sessionOf(id, key), 'json');
  await until(async () => (await state(id)) === 'live');
  await change(server, 'DELETE', `/v1/rooms/${id}/links/${linkId}`);
  expect((await speaker.closed).code).toBe(4403);
  await until(async () => (await state(id)) === 'waiting');
  await expect(sessionOf(id, key)).rejects.toThrow('403');

  const owner = await connect(server, { room_id: id });
  await until(async () => (await state(id)) === 'live');
  await change(server, 'DELETE', `/v1/rooms/${id}`);
  expect((await owner.closed).code).toBe(4404);
  await expect(connect(server, { room_id: id })).rejects.toThrow('404');
});
