import { afterEach, beforeEach, expect, it } from 'vitest';
import { createReadiness } from '../../server/services/readiness.ts';
import { openPlatform, type Platform } from '../support/platform.ts';

let platform: Platform;
beforeEach(async () => (platform = await openPlatform()));
afterEach(() => platform.close());

type Options = Parameters<typeof createReadiness>[0];

const readiness = (given: Partial<Options> = {}) =>
  createReadiness({
    accounts: platform.storage.accounts,
    recognisers: [{ languages: ['en'] }],
    translation: { sources: () => ['en'] },
    isStopping: () => false,
    ...given,
  });

it('a server is ready with a database and an engine of either kind', async () => {
  expect(await readiness().missing()).toEqual([]);
  expect(await readiness({ recognisers: [] }).missing()).toEqual([]);
  expect(await readiness({ translation: { sources: () => [] } }).missing()).toEqual([]);
});

it('names everything that is missing', async () => {
  const bare = { recognisers: [{ languages: [] }], translation: { sources: () => [] } };
  const missing = await readiness({ ...bare, isStopping: () => true }).missing();
  expect(missing.join('; ')).toMatch(/stopping; no speech recogniser and no translator/);
});

it('a database that is closed or does not answer in time is missing', async () => {
  const late = { find: () => new Promise<never>(() => undefined) };
  const told = ['the database does not answer'];
  expect(await readiness({ accounts: late, storageDeadlineMs: 20 }).missing()).toEqual(told);
  await platform.storage.close();
  expect(await readiness().missing()).toEqual(told);
});
