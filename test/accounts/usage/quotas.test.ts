/** What requests cost, and the limits of keys under many concurrent clients. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Storage } from '../../../server/stores.ts';
import { openEmbedded, platformOver, type Platform } from '../../support/product/platform.ts';
import type { RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';

let server: RunningServer;
/** The server's database, opened as by another process. */
let storage: Storage;
let platform: Pick<Platform, 'apiKeys' | 'newcomer'>;
beforeAll(async () => {
  server = await sharedServer();
  storage = await openEmbedded(server.dataFolder);
  platform = platformOver(storage);
});
afterAll(async () => {
  await storage.close();
  await server.stop();
});

const newKey = (characters: number | null = null) =>
  platform.newcomer({}, { limits: { characters } });
const spend = async (secret: string, text: string, headers: Record<string, string> = {}) => {
  const body = { text: [text], source_lang: 'EN', target_lang: 'EN-GB' };
  const authorization = { Authorization: `DeepL-Auth-Key ${secret}`, ...headers };
  const response = await server.post('/v2/translate', body, authorization);
  await response.text();
  return response.status;
};
const used = async (secret: string) => {
  const headers = { Authorization: `DeepL-Auth-Key ${secret}` };
  const response = await server.get('/v2/usage', headers);
  const answer = (await response.json()) as { api_key_character_count: number };
  return answer.api_key_character_count;
};

it('grants 24 clients exactly as much as a sequential run', async () => {
  const { secret } = await newKey(400);
  let granted = 0;
  const client = async () => {
    for (let status = 200; status === 200;) {
      status = await spend(secret, 'seven!!');
      if (status === 200) granted += 7;
      else expect(status).toBe(456);
    }
  };
  await Promise.all(Array.from({ length: 24 }, client));
  expect(granted).toBe(399);
  expect(await used(secret)).toBe(399);
  expect(await spend(secret, 'a')).toBe(200);
  expect(await spend(secret, 'a')).toBe(456);
  expect(await spend(secret, '')).toBe(456);
});

it('applies a limit of 0, and its removal by another process, at once', async () => {
  const { secret, key } = await newKey(0);
  expect(await spend(secret, 'a')).toBe(456);
  await platform.apiKeys.limit(key.accountId, key.keyId, { characters: null });
  expect(await spend(secret, 'a')).toBe(200);
});

it('charges nothing for refused or failed requests', async () => {
  const { secret } = await newKey();
  const authorization = { Authorization: `Service-Auth-Key ${secret}` };
  const broken = { text: ['<a>'], tag_handling: 'xml', source_lang: 'EN', target_lang: 'ES' };
  expect((await server.post('/v2/translate', broken, authorization)).status).toBe(400);
  expect(await spend(secret, 'a', { 'X-DeepL-Reporting-Tag': 'two words' })).toBe(400);
  expect(await used(secret)).toBe(0);
  expect(await spend(secret, 'abc', { 'X-Service-Reporting-Tag': ' Spring-2026 ' })).toBe(200);
  expect(await used(secret)).toBe(3);
});
