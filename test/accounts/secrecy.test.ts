/** What must never appear in the wrong place: in logs, errors or standard output. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { startServer, type TestServer } from '../support/product/server.ts';
import { documentClient } from '../support/product/document-client.ts';
import { requestSession } from '../support/product/voice-client.ts';

/** Settings with secrets. Nothing listens at these addresses, so that all of them fail. */
const settings = {
  CHAT_URL: 'http://127.0.0.1:9/v1',
  CHAT_MODEL: 'nobody',
  CHAT_KEY: 'chat-secret-6a1f',
  LIBRETRANSLATE_URL: 'http://127.0.0.1:9',
  LIBRETRANSLATE_KEY: 'libre-secret-77c2',
  DEEPL_URL: 'http://127.0.0.1:9',
  DEEPL_KEY: 'upstream-secret-90ab',
  OPENAI_TRANSCRIPTION_URL: 'http://127.0.0.1:9/v1',
  OPENAI_TRANSCRIPTION_MODEL: 'nobody',
  OPENAI_TRANSCRIPTION_KEY: 'hearing-secret-1d3e',
  SPEECH_URL: 'http://127.0.0.1:9/v1',
  SPEECH_KEY: 'voice-secret-c0de',
  SMTP_URL: 'smtp://desk:mail-secret-5e5e@127.0.0.1:9',
  SMTP_FROM: 'dragoman@example.org',
  METRICS_KEY: 'metrics-secret-4b4b',
};
const PASSWORD = 'a password nobody must read 1';
const SENTENCE = 'The harbour master keeps a secret in the red lighthouse.';

let server: TestServer;
/** All error answers of the server. */
const failures: string[] = [];
beforeAll(
  async () =>
    (server = await startServer({
      ...settings,
      RECOGNISER: 'openai-transcription',
      LOG_LEVEL: 'debug',
      // What is heard here need not succeed; into Spanish, texts and documents are translated.
      ...{ FFMPEG: 'none', DOCUMENT_JOBS: '1' },
      TRANSLATION_ENGINES: 'en/es: apertium, chat; *: upstream, libretranslate, chat',
    })),
);
afterAll(() => server.stop());

async function ask(pathname: string, init: RequestInit = {}): Promise<string> {
  const response = await fetch(server.url + pathname, init);
  const text = await response.text();
  if (!response.ok) failures.push(text);
  return text;
}

const json = (body: unknown, headers: Record<string, string>, method = 'POST'): RequestInit => ({
  method,
  headers: { 'Content-Type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Uses everything correctly and incorrectly; resolves to the secrets. */
async function use(): Promise<string[]> {
  const storage = await openEmbedded(server.dataFolder);
  const platform = platformOver(storage);
  const { account, secret } = await platform.newcomer({ features: ['admin', 'detection'] });
  const admin = await platform.apiKeys.create(account, { kind: 'admin' });
  await storage.close();
  const own = { Authorization: `Service-Auth-Key ${secret}` };

  const text = { text: [SENTENCE], source_lang: 'en', target_lang: 'es' };
  expect(await ask('/v2/translate', json(text, own))).toContain('rojo');
  await ask('/v2/translate', json({ ...text, target_lang: 'ja', context: SENTENCE }, own));
  await ask('/v2/translate', json({ ...text, custom_instructions: [SENTENCE] }, own));
  await ask('/v2/translate', json({ ...text, auth_key: secret }, {}));
  await ask(`/v2/usage?auth_key=${secret}`);
  await ask('/v2/translate', { ...json(text, own), body: `{"text":["${SENTENCE}"],` });
  await ask('/v2/write/correct', json({ text: [SENTENCE], target_lang: 'xx' }, own));
  await ask('/v2/write/rephrase', json({ text: [SENTENCE], target_lang: 'de' }, own));
  await ask('/v2/translate', json(text, { Authorization: `DeepL-Auth-Key ${admin.secret}` }));
  await ask('/v2/admin/developer-keys', json({}, { Authorization: `Basic ${admin.secret}` }));
  await ask('/metrics', { headers: { Authorization: 'Bearer metrics-secret-4b4c' } });
  await ask('/v3/glossaries', json({ name: SENTENCE, dictionaries: [{ entries: SENTENCE }] }, own));

  const documents = documentClient(server, own);
  const handle = await documents.submit({ name: 'secret.txt', content: SENTENCE });
  expect(await documents.settled(handle)).toMatchObject({ status: 'done' });
  await ask(`/v2/document/${handle.document_id}/result`, json({ document_key: 'wrong' }, own));

  const { streaming_url, token } = await requestSession(server, {}, own);
  await new Promise<void>((resolve) => {
    const socket = new WebSocket(`${streaming_url}?token=${token}`, {
      origin: 'https://a.example',
    });
    socket.on('error', () => resolve());
    socket.on('close', () => resolve());
  });
  await ask(`/v3/voice/realtime/connect?token=${token}`);
  await ask(`/v3/voice/realtime?token=${token}`, { headers: own });

  const page = { 'X-Dragoman-Console': '1', Origin: server.url };
  const link = /#set-password=(\S+)/.exec(server.output())?.[1] ?? '';
  expect(link).not.toBe('');
  const set = await fetch(
    `${server.url}/console/api/password`,
    json({ token: link, password: PASSWORD }, page),
  );
  expect(set.status).toBe(200);
  const cookie = set.headers.get('set-cookie')?.split(';')[0] ?? '';
  const session = cookie.split('=')[1] ?? '';
  expect(session).not.toBe('');
  await ask('/console/api/password', json({ token: link, password: PASSWORD }, page));
  await ask('/console/api/sign-in', json({ account: 'default', password: `${PASSWORD}!` }, page));
  await ask('/console/api/session', { headers: { Cookie: `${cookie}x` } });
  return [secret, admin.secret, handle.document_key, token, session, link];
}

it('writes no keys, tokens, passwords or texts to logs or errors', async () => {
  const secrets = await use();
  const written = [
    ...[...secrets, PASSWORD, SENTENCE, 'red lighthouse'],
    ...Object.values(settings).filter((value) => value.includes('secret')),
    ...Object.values(settings).flatMap((value) => /[a-z]+-secret-\w+/.exec(value)?.[0] ?? []),
  ];
  expect(server.logs()).toContain('"level"');
  expect(failures.length).toBeGreaterThan(8);
  for (const secret of written) {
    expect(server.logs().includes(secret), `logs: ${secret}`).toBe(false);
    expect(failures.join('\n').includes(secret), `errors: ${secret}`).toBe(false);
  }
  // The output contains only what the operator must see.
  const told = [server.apiKey, /#set-password=(\S+)/.exec(server.output())?.[1]];
  for (const secret of written) {
    expect(told.includes(secret) || !server.output().includes(secret)).toBe(true);
  }
});
