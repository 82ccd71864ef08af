import { afterAll, beforeAll, expect, it } from 'vitest';
import { createAccess, createRequestLimit } from '../../server/accounts/api-keys.ts';
import { openPlatform, type Platform } from '../support/product/platform.ts';

let platform: Platform;
beforeAll(async () => (platform = await openPlatform()));
afterAll(() => platform.close());

it.each([
  [0, []],
  [10, [0, 5]],
  [50, [0, 5, 6, 15, 29]],
  [100, [0, 5, 6, 15, 29, 30, 59]],
])(
  'refuses the first minutes of every hour in a brown-out of %i %%',
  async (refusedPercent, minutes) => {
    let nowMs = 0;
    const access = createAccess({
      apiKeys: platform.storage.apiKeys,
      legacyAuth: { mode: 'brown-out', refusedPercent },
      now: () => nowMs,
    });
    for (const hour of ['2026-02-28T23', '2026-03-01T00']) {
      const refused = [0, 5, 6, 15, 29, 30, 59].filter((minute) => {
        nowMs = Date.parse(`${hour}:${String(minute).padStart(2, '0')}:59.999Z`);
        return !access.takesLegacyKeys();
      });
      expect(refused).toEqual(minutes);
    }
  },
);

it('requires the pro plan for a key in the query or the body', async () => {
  const access = createAccess({ apiKeys: platform.storage.apiKeys });
  const pro = await platform.newcomer();
  const free = await platform.newcomer({ plan: 'free' });
  expect(await access.authenticateLegacy(pro.secret)).toMatchObject({ key: pro.key });
  await expect(access.authenticateLegacy(free.secret)).rejects.toMatchObject({ status: 403 });
  expect(await access.authenticateLegacy('invalid')).toBeUndefined();
});

it('does not wait for a broker that is slow to count requests or away', async () => {
  const slow = createRequestLimit(1, { count: () => new Promise(() => undefined) })!;
  expect(await slow.count('key')).toBeUndefined();
  const away = createRequestLimit(1, { count: () => Promise.reject(new Error('away')) })!;
  expect(await away.count('key')).toBeUndefined();
  const there = createRequestLimit(1, { count: async () => 700 })!;
  expect(await there.count('key')).toBe(700);
});
