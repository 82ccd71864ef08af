/** What voice sessions cost: audio once, to the millisecond, within the limits of key and account. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NewApiKey } from '../../../server/accounts/api-keys.ts';
import type { Storage } from '../../../server/stores.ts';
import { silence } from '../../support/audio/speech.ts';
import { openEmbedded, platformOver } from '../../support/product/platform.ts';
import { until, type RunningServer } from '../../support/product/server.ts';
import { sharedServer } from '../../support/product/shared-server.ts';
import { connectWith, requestSession, stream } from '../../support/product/voice-client.ts';

let server: RunningServer;
let storage: Storage;
let platform: ReturnType<typeof platformOver>;
beforeAll(async () => {
  server = await sharedServer('hearing');
  storage = await openEmbedded(server.dataFolder);
  platform = platformOver(storage);
});
afterAll(() => storage.close());

const pace = { chunkBytes: 3200, chunkMs: 100 };

const headersOf = (secret: string) => ({ Authorization: `DeepL-Auth-Key ${secret}` });

/** A key of a new account, whose usage is separate from all others. */
async function makeKey(wishes: NewApiKey = {}) {
  const { account, key, secret } = await platform.newcomer({ features: ['admin'] }, wishes);
  return { account, key_id: key.keyId, headers: headersOf(secret) };
}
const newKey = async (wishes?: NewApiKey) => (await makeKey(wishes)).headers;
const speechLimit = (speechMs: number) => ({ limits: { speechMs } });

interface Report {
  speech_to_text_milliseconds_count: number;
  speech_to_text_minutes_count: number;
  products: { product_type: string; api_key_unit_count: number }[];
}

async function report(headers: Record<string, string>): Promise<Report> {
  return (await (await server.get('/v2/usage', headers)).json()) as Report;
}

it.concurrent('charges audio as it comes, to the millisecond, and reports it in started minutes', async () => {
  const headers = await newKey();
  const before = (await report(headers)).speech_to_text_milliseconds_count;
  for (const ms of [2_400, 1_234]) {
    const client = await connectWith(await requestSession(server, {}, headers), 'json');
    await stream(client, silence(ms), pace);
    client.end();
    await client.closed;
  }
  await until(
    async () => (await report(headers)).speech_to_text_milliseconds_count - before === 3_634,
  );
  const { products, speech_to_text_minutes_count } = await report(headers);
  const [product] = products.filter(({ product_type }) => product_type === 'speechToText');
  expect(product?.api_key_unit_count).toBe(1);
  expect(speech_to_text_minutes_count).toBe(1);
});

it.concurrent('charges audio once that is sent again after a reconnection', async () => {
  const headers = await newKey();
  const before = (await report(headers)).speech_to_text_milliseconds_count;
  const session = await requestSession(server, { acknowledgements: true }, headers);
  const first = await connectWith(session, 'json');
  await stream(first, silence(1_500), pace);
  first.socket.terminate();
  const answer = await server.get(`/v3/voice/realtime?token=${session.token}`, headers);
  const next = (await answer.json()) as Awaited<ReturnType<typeof requestSession>> & {
    received_audio_bytes: number;
  };
  const second = await connectWith(next, 'json');
  await stream(second, silence(2_500).subarray(next.received_audio_bytes), pace);
  second.end();
  await second.closed;
  await until(
    async () => (await report(headers)).speech_to_text_milliseconds_count - before === 2_500,
  );
});

it.concurrent('counts sessions shorter than one charge towards the limit', async () => {
  const headers = await newKey(speechLimit(1_500));
  const short = async () => {
    const client = await connectWith(await requestSession(server, {}, headers), 'json');
    await stream(client, silence(900), pace);
    client.end();
    await client.closed;
  };
  const keyUse = async () => (await report(headers)).products[2]?.api_key_unit_count;
  await short();
  await until(async () => (await keyUse()) === 1);
  await short();
  await until(() =>
    requestSession(server, {}, headers).then(
      () => false,
      (error: unknown) => (error as Error).message.startsWith('456'),
    ),
  );
});

it.concurrent('ends a session with 456 at the limit of its key, and refuses the next one', async () => {
  const headers = await newKey(speechLimit(2_050));
  const client = await connectWith(await requestSession(server, {}, headers), 'json');
  const timer = setInterval(() => client.sendAudio(silence(100)), 60);
  expect((await client.closed).code).toBe(4456);
  clearInterval(timer);
  expect(client.error()).toMatchObject({ error_code: 456, reason_code: 4560001 });
  const refused = await server.post(
    '/v3/voice/realtime',
    { source_media_content_type: 'audio/webm', source_language: 'en' },
    headers,
  );
  expect(refused.status).toBe(456);
  expect(await refused.json()).toMatchObject({ message: expect.stringMatching(/\w/) as string });
});

describe.concurrent('a session whose key is deactivated', () => {
  const ended = { error_code: 403, reason_code: 4030005 };

  it('ends at once where the key is deactivated, whether it sends audio or not', async () => {
    const { account, key_id, headers } = await makeKey();
    const keyBeside = async (wishes?: NewApiKey) =>
      headersOf((await platform.apiKeys.create(account, wishes ?? {})).secret);
    const [admin, others] = [await keyBeside({ kind: 'admin' }), await keyBeside()];
    const client = await connectWith(await requestSession(server, {}, headers), 'json');
    const other = await connectWith(await requestSession(server, {}, others), 'json');
    const answer = await server.send('/v2/admin/developer-keys/deactivate', {
      method: 'PUT',
      headers: { ...admin, 'Content-Type': 'application/json' },
      body: JSON.stringify({ key_id }),
    });
    expect(answer.status).toBe(200);
    expect((await client.closed).code).toBe(4403);
    expect(client.error()).toMatchObject(ended);
    expect(client.error()?.error_message).toMatch(/API key has been deactivated/);
    other.end();
    expect((await other.closed).code).toBe(1000);
  });

  it('ends with its next second of audio when another process deactivates the key', async () => {
    const { account, key_id, headers } = await makeKey();
    const client = await connectWith(await requestSession(server, {}, headers), 'json');
    await stream(client, silence(1_500), pace);
    await platform.apiKeys.deactivate(account.accountId, key_id);
    const timer = setInterval(() => client.sendAudio(silence(100)), 100);
    expect((await client.closed).code).toBe(4403);
    clearInterval(timer);
    expect(client.error()).toMatchObject(ended);
  });
});

it.concurrent('refuses a session for a key without a speech allowance', async () => {
  const headers = await newKey(speechLimit(0));
  await expect(requestSession(server, {}, headers)).rejects.toThrow('456');
});
