/** Glossary, formality and spoken terms of a session over a real socket, and the metrics of that session. */
import { captionTokens } from '../../../server/voice/path/captions.ts';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../../support/services/openai-chat-server.ts';
import { startHosted, type HostedServer } from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import { speech } from '../../support/audio/speech.ts';
import { connect, PCM_16K, stream } from '../../support/product/voice-client.ts';

const TEXT = 'ask not what your country can do for you';
let chat: ChatServer;
let server: HostedServer;
beforeAll(async () => {
  chat = await startChatServer();
  server = await startHosted({ CHAT_URL: chat.apiUrl, CHAT_MODEL: 'pseudo' });
});
afterAll(async () => {
  await server.stop();
  await chat.close();
});

async function made(path: string, body: object): Promise<Record<string, string>> {
  const response = await server.post(path, body);
  expect(response.status).toBe(201);
  return (await response.json()) as Record<string, string>;
}

const dictionary = (target_lang: string, entries: string) => ({
  ...{ source_lang: 'en', target_lang, entries, entries_format: 'tsv' },
});

it('applies the requested glossary and formality to captions', async () => {
  const dictionaries = [dictionary('es', 'country\tterruño'), dictionary('de', 'country\tHeimat')];
  const { glossary_id } = await made('/v3/glossaries', { name: 'Live', dictionaries });
  const { spoken_terms_id } = await made('/v3/spoken_terms', { name: 'Live', terms: ['fellow'] });
  const client = await connect(server, {
    ...{ target_languages: ['es', 'de', 'fr'], glossary_id, spoken_terms_id, formality: 'formal' },
  });
  // A session keeps the resources it began with.
  for (const path of [`/v3/glossaries/${glossary_id}`, `/v3/spoken_terms/${spoken_terms_id}`]) {
    const headers = { Authorization: `Service-Auth-Key ${server.apiKey}` };
    expect((await fetch(server.url + path, { method: 'DELETE', headers })).status).toBe(204);
  }
  const audio = readFileSync(await speech({ text: TEXT })).subarray(44);
  await stream(client, audio, { chunkBytes: 3200, chunkMs: 100 });
  client.end();
  expect((await client.closed).code).toBe(1000);
  expect(client.text()).toContain('country');
  expect(client.text('es')).toContain('terruño');
  expect(client.text('de')).toContain('Heimat');
  expect(client.text('fr')).not.toMatch(/terruño|Heimat/);
  const german = chatQuestions(chat).filter(({ target_language }) => /de/i.test(target_language));
  expect(german.length).toBeGreaterThan(0);
  for (const { formality } of german) expect(formality).toMatch(/^formal/i);

  const { text } = await until(async () => {
    const whole = await (await server.get('/metrics')).text();
    return whole.includes('{reason="completed"} 1') && { text: whole };
  });
  const value = (line: string) =>
    Number(new RegExp(`^dragoman_${line.replace(/[{}]/g, '\\$&')} (\\S+)$`, 'm').exec(text)?.[1]);
  expect(value('voice_audio_seconds_total')).toBeCloseTo(audio.length / 32_000, 1);
  expect(value('voice_sessions')).toBe(0);
  expect(value('voice_caption_words_final_total{track="source"}')).toBe(
    captionTokens(client.text(), 'en').length,
  );
  expect(value('voice_caption_words_final_total{track="target"}')).toBeGreaterThan(20);
  expect(value('voice_conclusion_lag_seconds_count{track="source"}')).toBeGreaterThan(0);
  const recognition = '{kind="recognition",engine="moonshine-tiny-en",outcome="ok"}';
  expect(value(`engine_latency_seconds_count${recognition}`)).toBeGreaterThan(0);
  expect(value('translated_characters_total{engine="chat"}')).toBeGreaterThan(50);
  for (const secret of [server.apiKey, client.sessionId, 'country', 'terruño']) {
    expect(text).not.toContain(secret);
  }
});

it.each([
  [{ glossary_id: randomUUID() }, 404, /glossary/],
  [{ glossary_id: 'x' }, 400, /glossary_id.*UUID/],
  [{ spoken_terms_id: randomUUID() }, 404, /spoken_terms_id/],
  [{ spoken_terms_id: 'x' }, 400, /spoken_terms_id.*UUID/],
  [{ formality: 'rude' }, 400, /formality.*informal/],
  [{ formality: 'more', target_languages: ['nb'] }, 400, /formality.*\bde\b/],
])('refuses a session with %j with %i', async (given, status, reason) => {
  const request = { source_media_content_type: PCM_16K, source_language: 'en' };
  const response = await server.post('/v3/voice/realtime', {
    ...{ ...request, target_languages: ['es'] },
    ...given,
  });
  expect(response.status).toBe(status);
  expect(((await response.json()) as { message: string }).message).toMatch(reason);
});
