import { Translator } from 'deepl-node';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { Caller } from '../../../server/http/door.ts';
import type { UsageKind } from '../../../server/accounts/usage/usage-counters-store.ts';
import { startDoorServer, type DoorServer } from '../../support/product/door-server.ts';

const NO_LIMIT = 1_000_000_000_000;
const dataFolder = mkdtempSync(path.join(os.tmpdir(), 'dragoman-usage-'));
let server: DoorServer;
beforeAll(async () => (server = await startDoorServer({ dataFolder })));
afterAll(async () => {
  await server.close();
  rmSync(dataFolder, { recursive: true });
});

async function usageOf(secret: string): Promise<unknown> {
  const headers = { Authorization: `DeepL-Auth-Key ${secret}` };
  const response = await fetch(`${server.url}/v2/usage?ignored=1`, { headers });
  expect(response.status).toBe(200);
  return response.json();
}

/** Charges as if the caller's requests had come now, or at another time. */
function use({ account, key }: Caller, kind: UsageKind, amount: number, atMs = Date.now()) {
  const { accountId } = account;
  return server.storage.usage.charge({
    accountId,
    keyId: key.keyId,
    kind,
    amount,
    atMs,
    tag: null,
  });
}

it('reports only characters on the free plan', async () => {
  const caller = await server.newcomer({ plan: 'free', limits: { characters: 500_000 } });
  await use(caller, 'text', 1_200);
  await use(caller, 'document', 300);
  expect(await usageOf(caller.secret)).toEqual({
    character_count: 1_500,
    character_limit: 500_000,
  });
});

it('reports products, key, speech in both units and the month on the pro plan', async () => {
  const limits = { characters: 1_000_000, speechMs: 90 * 60_000 + 1 };
  const account = await server.newcomer({ limits });
  const second = await server.apiKeys.create(account.account, { limits: { characters: 10_000 } });
  const caller = { account: account.account, key: second.key };
  await use(account, 'text', 1_000);
  await use(caller, 'text', 20);
  await use(caller, 'document', 300);
  await use(caller, 'write', 4_000);
  await use(account, 'speech', 60_000);
  await use(caller, 'speech', 61_000);
  const lastMonthMs = Date.now() - 40 * 86_400_000;
  await use(caller, 'text', 77, lastMonthMs);

  const now = new Date();
  const month = (later: number) =>
    new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + later, 1)).toISOString();
  const product = (product_type: string, key: number, all: number) => ({
    product_type,
    billing_unit: 'characters',
    api_key_unit_count: key,
    account_unit_count: all,
    api_key_character_count: key,
    character_count: all,
  });
  expect(await usageOf(second.secret)).toEqual({
    character_count: 5_320,
    character_limit: 1_000_000,
    products: [
      product('translate', 320, 1_320),
      product('write', 4_000, 4_000),
      {
        product_type: 'speechToText',
        billing_unit: 'minutes',
        api_key_unit_count: 2,
        account_unit_count: 3,
        api_key_character_count: 0,
        character_count: 0,
      },
    ],
    api_key_character_count: 4_320,
    api_key_character_limit: 10_000,
    speech_to_text_milliseconds_count: 121_000,
    speech_to_text_milliseconds_limit: 5_400_001,
    speech_to_text_minutes_count: 3,
    speech_to_text_minutes_limit: 90,
    start_time: month(0),
    end_time: month(1),
  });
});

it('reports no limit as a large number', async () => {
  const caller = await server.newcomer();
  expect(await usageOf(caller.secret)).toMatchObject({
    character_count: 0,
    character_limit: NO_LIMIT,
    api_key_character_limit: NO_LIMIT,
    speech_to_text_milliseconds_limit: NO_LIMIT,
    speech_to_text_minutes_limit: NO_LIMIT,
  });
});

it('is understood by the official client', async () => {
  const caller = await server.newcomer({ limits: { characters: 10 } });
  await use(caller, 'text', 10);
  const client = new Translator(caller.secret, { serverUrl: server.url });
  const usage = await client.getUsage();
  expect(usage.character).toMatchObject({ count: 10, limit: 10 });
  expect(usage.anyLimitReached()).toBe(true);
  expect(usage.document).toBeUndefined();

  const stranger = new Translator('invalid', { serverUrl: server.url, maxRetries: 0 });
  await expect(stranger.getUsage()).rejects.toThrow(/Authorization failure/);
});
