import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { DeveloperKey } from '../../shared/schemas/admin.ts';
import {
  ANALYTICS,
  KEYS,
  openAdministration,
  TAGS,
  type Administration,
  type Administrator,
} from './admin-support.ts';

let administration: Administration;
let admin: Administrator;
beforeAll(async () => void (administration = await openAdministration()));
beforeEach(async () => void (admin = await administration.newAdmin()));
afterAll(() => administration.close());

describe('developer keys', () => {
  it('are created with a secret that is shown once and works at once', async () => {
    const made = await admin.call<DeveloperKey & { key: string }>('POST', KEYS, {
      label: 'website',
    });
    const secret = made.body.key;
    expect(made).toEqual({
      status: 200,
      body: {
        key_id: expect.stringMatching(/^[0-9a-f-]{36}:[0-9a-f-]{36}$/) as string,
        key: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/) as string,
        label: 'website',
        masked: `${secret.slice(0, 4)}****${secret.slice(-4)}`,
        creation_time: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as string,
        deactivated_time: null,
        is_deactivated: false,
        usage_limits: { characters: null, speech_to_text_milliseconds: null },
      },
    });
    const { key, ...kept } = made.body;
    expect(await administration.spend(key, 'Hello')).toBe(200);
    const listed = await administration.server.get(KEYS, {
      Authorization: `Service-Auth-Key ${admin.secret}`,
    });
    const text = await listed.text();
    expect(JSON.parse(text)).toEqual([kept]);
    expect(text).not.toContain(key);
    expect(await administration.server.written()).not.toContain(key);
  });

  it('require neither a label nor a body', async () => {
    expect((await admin.createKey()).label).toBe('Service API Key');
    expect((await admin.createKey({ label: null })).label).toBe('Service API Key');
    expect(await admin.call('POST', KEYS)).toMatchObject({ status: 200 });
    for (const body of ['', '{}', '{']) {
      const made = await administration.server.send(KEYS, {
        method: 'POST',
        headers: {
          Authorization: `DeepL-Auth-Key ${admin.secret}`,
          'Content-Type': 'application/json',
        },
        body,
      });
      expect([body, made.status]).toEqual([body, body === '{' ? 400 : 200]);
      await made.text();
    }
    for (const label of ['a\nb', 'a\u2028b', 'half \ud83d']) {
      expect(await admin.call('POST', KEYS, { label })).toMatchObject({ status: 400 });
    }
    expect(await admin.call('POST', KEYS, { label: 7 })).toMatchObject({ status: 400 });
  });

  it('are deactivated at once and for ever, and stay in the list', async () => {
    const { key, key_id } = await admin.createKey();
    const ended = await admin.call('PUT', `${KEYS}/deactivate`, { key_id });
    expect(ended).toMatchObject({ status: 200, body: { key_id, is_deactivated: true } });
    expect(Date.parse(ended.body.deactivated_time ?? '')).toBeGreaterThan(Date.now() - 60_000);
    expect(await administration.spend(key, 'a')).toBe(403);
    expect(await admin.call('PUT', `${KEYS}/deactivate`, { key_id })).toEqual(ended);
    const limited = await admin.call('PUT', `${KEYS}/limits`, { key_id, characters: 5 });
    expect(limited.body).toMatchObject({ is_deactivated: true, usage_limits: { characters: 5 } });
    const renamed = await admin.call('PUT', `${KEYS}/label`, { key_id, label: 'old' });
    expect(renamed.body).toMatchObject({ is_deactivated: true, label: 'old' });
    expect(await administration.spend(key, 'a')).toBe(403);
    expect((await admin.call<DeveloperKey[]>('GET', KEYS)).body).toEqual([renamed.body]);
  });

  it('are renamed, even to the label of another', async () => {
    const [{ key_id }, other] = [await admin.createKey(), await admin.createKey({ label: 'desk' })];
    const renamed = await admin.call('PUT', `${KEYS}/label`, { key_id, label: other.label });
    expect(renamed).toMatchObject({ status: 200, body: { key_id, label: 'desk' } });
    for (const label of ['', ' ', 'x'.repeat(257)]) {
      expect(await admin.call('PUT', `${KEYS}/label`, { key_id, label })).toMatchObject({
        status: 400,
      });
    }
    const unnamed = await admin.call('PUT', `${KEYS}/label`, { key_id });
    expect(unnamed.body.message).toContain("'label'");
  });

  it('are limited in characters and speech: 0 blocks, null lifts, a missing field stays', async () => {
    const { key, key_id } = await admin.createKey();
    const limit = async (limits: object) =>
      (await admin.call('PUT', `${KEYS}/limits`, { key_id, ...limits })).body.usage_limits;
    expect(await limit({ characters: 7 })).toEqual({
      characters: 7,
      speech_to_text_milliseconds: null,
    });
    expect(await administration.spend(key, 'seven!!')).toBe(200);
    expect(await administration.spend(key, 'a')).toBe(456);
    expect(await limit({ speech_to_text_milliseconds: '60000' })).toEqual({
      characters: 7,
      speech_to_text_milliseconds: 60_000,
    });
    expect(await limit({ characters: null })).toEqual({
      characters: null,
      speech_to_text_milliseconds: 60_000,
    });
    expect(await administration.spend(key, 'a')).toBe(200);
    expect(await limit({ characters: 0, speech_to_text_milliseconds: null })).toEqual({
      characters: 0,
      speech_to_text_milliseconds: null,
    });
    expect(await administration.spend(key, 'a')).toBe(456);
    expect(await limit({})).toMatchObject({ characters: 0 });
    for (const characters of [-1, 1.5, 'many', true]) {
      const refused = await admin.call('PUT', `${KEYS}/limits`, { key_id, characters });
      expect(refused).toMatchObject({ status: 400 });
      expect(refused.body.message).toContain("'characters'");
    }
  });

  it('are limited to 25 active ones', async () => {
    const made = await Promise.all(Array.from({ length: 26 }, () => admin.call('POST', KEYS, {})));
    const refused = made.filter(({ status }) => status !== 200);
    expect(refused).toMatchObject([
      { status: 400, body: { message: expect.stringContaining('25') as string } },
    ]);
    const { key_id } = made.find(({ status }) => status === 200)!.body;
    await admin.call('PUT', `${KEYS}/deactivate`, { key_id });
    expect((await admin.call('POST', KEYS, {})).status).toBe(200);
    expect((await admin.call<DeveloperKey[]>('GET', KEYS)).body).toHaveLength(26);
  });

  it('of others, and admin keys, are not found', async () => {
    const stranger = await administration.platform.newcomer();
    for (const key_id of ['nobody', '', stranger.key.keyId, admin.adminKey.keyId]) {
      const status = key_id === '' ? 400 : 404;
      for (const [name, body] of Object.entries({
        deactivate: {},
        label: { label: 'x' },
        limits: { characters: 0 },
      })) {
        expect(await admin.call('PUT', `${KEYS}/${name}`, { key_id, ...body })).toMatchObject({
          status,
        });
      }
    }
    expect((await admin.call<DeveloperKey[]>('GET', KEYS)).body).toEqual([]);
    expect(await administration.spend(stranger.secret, 'a')).toBe(200);
  });

  it('are inaccessible once the account has lost the feature', async () => {
    const { key_id } = await admin.createKey();
    const dates = 'start_date=2026-01-01&end_date=2026-01-02';
    const calls: [method: string, path: string, body?: object][] = [
      ['POST', KEYS, {}],
      ['GET', KEYS],
      ['PUT', `${KEYS}/deactivate`, { key_id }],
      ['PUT', `${KEYS}/label`, { key_id, label: 'x' }],
      ['PUT', `${KEYS}/limits`, { key_id }],
      ['GET', `${ANALYTICS}?${dates}`],
      ['GET', `${TAGS}?${dates}`],
    ];
    await administration.platform.accounts.change(admin.account.accountId, {
      removeFeatures: ['admin'],
    });
    for (const call of calls) expect(await admin.call(...call)).toMatchObject({ status: 403 });
    expect(await administration.spend(admin.secret, 'a')).toBe(403);
  });
});
