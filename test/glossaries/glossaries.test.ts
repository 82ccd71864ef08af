import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createGlossaries, type Glossaries } from '../../server/glossaries/glossaries.ts';
import { openPlatform, type Platform } from '../support/product/platform.ts';

let platform: Platform;
let accountId: string;
let glossaries: Glossaries;

beforeAll(async () => {
  platform = await openPlatform();
  accountId = (await platform.newcomer()).account.accountId;
  glossaries = newService();
});
afterAll(() => platform.close());

/** Creates a service as of another process: over the same database, with its own cache. */
function newService(cacheBytes = 2 ** 20): Glossaries {
  return createGlossaries({ glossaries: platform.storage.glossaries, cacheBytes });
}

const content = (entries: string, target_lang = 'es') => ({
  ...{ source_lang: 'en', target_lang, entries, entries_format: 'tsv' as const },
});

async function newGlossary(...dictionaries: ReturnType<typeof content>[]): Promise<string> {
  const made = await glossaries.create(accountId, { name: 'Terms', dictionaries });
  return made.glossary_id;
}

const entriesOf = async (id: string) =>
  (await glossaries.entries(accountId, id, { source_lang: 'en', target_lang: 'es' })).entries;

const targetsOf = async (service: Glossaries, ids: string[], text: string, target = 'es') => {
  const index = await service.glossaryFor({ accountId, ids, source: 'en', target });
  return index.find(text).map((match) => match.target);
};

describe('merging a glossary dictionary', () => {
  it('replaces known phrases in place and appends new ones', async () => {
    const id = await newGlossary(content('a\t1\nb\t2\nc\t3'));
    await glossaries.change(accountId, id, { dictionaries: [content('d\t4\nb\tzwei')] });
    expect(await entriesOf(id)).toBe('a\t1\nb\tzwei\nc\t3\nd\t4');
  });

  it('loses nothing, however many merges run at once', async () => {
    const id = await newGlossary();
    const services = [newService(), newService()];
    const merges = Array.from({ length: 64 }, (_, index) =>
      services[index % 2]!.change(accountId, id, { dictionaries: [content(`key${index}\tx`)] }),
    );
    await Promise.all(merges);
    const keys = (await entriesOf(id)).split('\n').sort();
    expect(keys).toEqual(Array.from({ length: 64 }, (_, index) => `key${index}\tx`).sort());
  });

  it('that fails leaves the dictionary unchanged', async () => {
    const id = await newGlossary(content('a\t1'));
    await expect(
      glossaries.change(accountId, id, { dictionaries: [content('b\t2\nb\t3')] }),
    ).rejects.toMatchObject({ code: 'invalid_request', detail: expect.any(String) as string });
    expect(await entriesOf(id)).toBe('a\t1');
  });
});

describe('the terms of a translation', () => {
  it('apply to variants of a language', async () => {
    const id = await newGlossary(content('house\tcasa', 'pt'));
    expect(await targetsOf(glossaries, [id], 'a house', 'pt-BR')).toEqual(['casa']);
  });

  it('come from the first glossary that contains a phrase', async () => {
    const first = await newGlossary(content('house\tcasa\ncar\tcoche'));
    const second = await newGlossary(content('house\thogar\ndoor\tportón'));
    const text = 'house car door';
    expect(await targetsOf(glossaries, [first, second], text)).toEqual(['casa', 'coche', 'portón']);
    expect(await targetsOf(glossaries, [second, first], text)).toEqual([
      'hogar',
      'coche',
      'portón',
    ]);
  });

  it('are never outdated, even in a process that did not change them', async () => {
    const id = await newGlossary(content('house\tcasa'));
    const other = newService();
    expect(await targetsOf(other, [id], 'house')).toEqual(['casa']);
    await glossaries.putDictionary(accountId, id, content('house\thogar'));
    expect(await targetsOf(other, [id], 'house')).toEqual(['hogar']);
  });

  it('are correct even if the cache is too small for any dictionary', async () => {
    const service = newService(1);
    const ids = [await newGlossary(content('a\t1')), await newGlossary(content('b\t2'))];
    for (let count = 0; count < 3; count += 1) {
      const found = await Promise.all([
        targetsOf(service, ids, 'a b'),
        targetsOf(service, ids.toReversed(), 'a b'),
      ]);
      expect(found).toEqual([
        ['1', '2'],
        ['1', '2'],
      ]);
    }
  });

  it('are refused for a pair without a dictionary, and for unknown glossaries', async () => {
    const id = await newGlossary(content('house\tcasa'));
    const search = (ids: string[], target: string, caller = accountId) =>
      glossaries.glossaryFor({ accountId: caller, ids, source: 'en', target });
    await expect(search([id], 'en-GB')).rejects.toMatchObject({
      code: 'invalid_request',
      message: 'Bad request. Reason: No dictionary found for language pair en-en-GB in glossary',
    });
    await expect(search([randomUUID()], 'es')).rejects.toMatchObject({ code: 'not_found' });
    await expect(search(['x'], 'es')).rejects.toMatchObject({ code: 'invalid_request' });
    const stranger = (await platform.newcomer()).account.accountId;
    await expect(search([id], 'es', stranger)).rejects.toMatchObject({ code: 'not_found' });
  });
});

describe('a glossary request', () => {
  it.each([
    ['a variant', { ...content('a\tb'), target_lang: 'pt-BR' }, /^Unsupported glossary source/],
    ['a language without glossaries', content('a\tb', 'th'), /^Unsupported glossary source/],
    ['one language twice', content('a\tb', 'EN'), /^Unsupported glossary source/],
    ['no entries', content(''), /^Invalid glossary entries provided/],
  ])('with %s is refused', async (_, dictionary, message) => {
    await expect(newGlossary(dictionary)).rejects.toThrow(message);
  });

  it('with a repeated pair is refused', async () => {
    const making = newGlossary(content('a\tb'), content('c\td', 'ES'));
    await expect(making).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('with upper-case codes is answered in lower case, with milliseconds and time zone', async () => {
    const dictionary = { ...content('a\tb'), source_lang: 'EN', target_lang: 'Es' };
    const made = await glossaries.create(accountId, { name: 'X', dictionaries: [dictionary] });
    expect(made).toMatchObject({
      ready: true,
      dictionaries: [{ source_lang: 'en', target_lang: 'es', entry_count: 1 }],
      creation_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
    });
  });

  it.each([
    ['', false],
    ['x'.repeat(1024), true],
    [`${'ä'.repeat(512)}x`, false],
    ['\0', false],
    ['\ud800', false],
  ])('with the name %j', async (name, isTaken) => {
    const making = glossaries.create(accountId, { name, dictionaries: [] });
    if (isTaken) await expect(making).resolves.toMatchObject({ name });
    else await expect(making).rejects.toMatchObject({ code: 'invalid_request' });
  });

  it('to change two dictionaries at once is refused', async () => {
    const id = await newGlossary();
    const dictionaries = [content('a\tb'), content('a\tb', 'fr')];
    await expect(glossaries.change(accountId, id, { dictionaries })).rejects.toMatchObject({
      code: 'invalid_request',
    });
  });
});
