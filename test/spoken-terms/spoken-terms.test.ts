import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createSpokenTerms, type SpokenTermLists } from '../../server/spoken-terms/spoken-terms.ts';
import { openPlatform, type Platform } from '../support/product/platform.ts';

let platform: Platform;
let spokenTerms: SpokenTermLists;
beforeAll(async () => {
  platform = await openPlatform();
  spokenTerms = createSpokenTerms({ spokenTerms: platform.storage.spokenTerms });
});
afterAll(() => platform.close());

const failure = (asked: Promise<unknown>) =>
  asked.then(
    () => undefined,
    (error: unknown) => error as { code: string; message: string },
  );

it('a voice session uses the terms of its caller’s list', async () => {
  const caller = await platform.newcomer();
  const { accountId } = caller.account;
  const terms = ['Dragoman', 'Zembla Quartz'];
  const english = await spokenTerms.create(accountId, { name: 'a', language: 'en', terms });
  const any = await spokenTerms.create(accountId, { name: 'b', terms });
  expect(await spokenTerms.find(caller, english.spoken_terms_id)).toEqual({
    language: 'en',
    terms,
  });
  const { language } = await spokenTerms.find(caller, any.spoken_terms_id);
  expect(language).toBeUndefined();
});

it('a voice session with an unknown list is refused with the wrong field', async () => {
  const [caller, stranger] = [await platform.newcomer(), await platform.newcomer()];
  const { spoken_terms_id: id } = await spokenTerms.create(caller.account.accountId, {
    ...{ name: 'a', terms: ['b'] },
  });
  const unknown = {
    code: 'not_found',
    message: expect.stringContaining('spoken_terms_id') as string,
  };
  expect(await failure(spokenTerms.find(caller, randomUUID()))).toMatchObject(unknown);
  expect(await failure(spokenTerms.find(stranger, id))).toMatchObject(unknown);
  expect(await failure(spokenTerms.find(undefined, id))).toMatchObject(unknown);
  expect(await failure(spokenTerms.find(caller, 'x'))).toMatchObject({
    ...{ ...unknown, code: 'invalid_request' },
  });
});

it('an account may have a thousand lists and no more', async () => {
  const { accountId } = (await platform.newcomer()).account;
  const create = () => spokenTerms.create(accountId, { name: 'a', terms: ['b'] });
  await Promise.all(Array.from({ length: 1000 }, create));
  expect(await failure(create())).toMatchObject({
    code: 'invalid_request',
    message: expect.stringContaining('at most 1000 lists') as string,
  });
  const [first] = await spokenTerms.list(accountId);
  await spokenTerms.delete(accountId, first!.spoken_terms_id);
  expect(await failure(create())).toBeUndefined();
});
