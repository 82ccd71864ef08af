/** The unmodified npm package of the public API's Node client, against a running server. */
import * as client from 'deepl-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let server: ContractServer['server'];
let proxy: ContractServer['proxy'];
let translator: client.DeepLClient;
beforeAll(async () => {
  contract = await startContractServer();
  ({ server, proxy } = contract);
  translator = new client.DeepLClient(server.apiKey, {
    serverUrl: proxy.url,
    maxRetries: 0,
    // The language detector starts with its first request, which takes time on a busy machine.
    minTimeout: 60_000,
  });
});
afterAll(() => contract.stop());

describe('texts', () => {
  it('are translated one or several at a time, with their characters counted', async () => {
    const one = await translator.translateText('The red car.', 'en', 'es');
    expect(one.text).toBe('El coche rojo.');
    expect(one.detectedSourceLang).toBe('en');
    expect(one.billedCharacters).toBe(12);
    const several = await translator.translateText(['The house', 'The car'], 'en', 'es');
    expect(several.map(({ text }) => text.toLowerCase())).toEqual(['la casa', 'el coche']);
  });

  it('have their language detected when none is given', async () => {
    const result = await translator.translateText(
      'The children are playing in the garden.',
      null,
      'es',
    );
    expect(result.detectedSourceLang).toBe('en');
    expect(result.text).toMatch(/niños/);
  });

  it('accept every option of a text request', async () => {
    const result = await translator.translateText('<p>The <b>red</b> car</p>', 'en', 'es', {
      tagHandling: 'xml',
      tagHandlingVersion: 'v2',
      outlineDetection: false,
      splittingTags: ['p', 'div'],
      nonSplittingTags: 'i,u',
      ignoreTags: ['code'],
      splitSentences: 'nonewlines',
      preserveFormatting: true,
      formality: 'prefer_more',
      context: 'A page about cars.',
      modelType: 'prefer_quality_optimized',
      extraRequestParameters: { something_new: '1' },
    });
    expect(result.text).toBe('<p>El coche <b>rojo</b></p>');
    expect(result.modelTypeUsed).toBe('quality_optimized');
    expect(result.billedCharacters).toBe(11);
  });

  it.each(['quality_optimized', 'latency_optimized'] as const)(
    'report the model used for %s',
    async (modelType) => {
      const { modelTypeUsed } = await translator.translateText('Hello', 'en', 'es', { modelType });
      expect(modelTypeUsed).toBe(modelType);
    },
  );

  it('in HTML stay well-formed, and marked parts stay untranslated', async () => {
    const html =
      '<div><h1>The house</h1><p>I like the <a href="/cars?a=1&amp;b=2">red car</a>.<br></p>' +
      '<p translate="no">The house</p></div>';
    const { text } = await translator.translateText(html, 'en', 'es', { tagHandling: 'html' });
    expect(text).toMatch(/<a href="\/cars\?a=1&amp;b=2">coche rojo<\/a>/);
    expect(text).toContain('<p translate="no">The house</p>');
    expect(text).toContain('<br>');
  });

  it("report errors by the client's exceptions", async () => {
    const to = (target: string) =>
      translator.translateText('a', 'en', target as client.TargetLanguageCode);
    await expect(to('xx')).rejects.toThrow(/target_lang.*not supported/);
    await expect(
      translator.translateText('a', 'xx' as client.SourceLanguageCode, 'es'),
    ).rejects.toThrow(/source_lang.*not supported/);
    const formality = 'invalid' as client.Formality;
    await expect(translator.translateText('a', 'en', 'es', { formality })).rejects.toThrow(
      /formality/,
    );
    await expect(translator.translateText('a', 'en', 'es', { formality: 'more' })).rejects.toThrow(
      /Target language.*formality/,
    );
    await expect(
      translator.translateText('a', 'en', 'es', {
        splitSentences: 'sometimes' as client.SentenceSplittingMode,
      }),
    ).rejects.toThrow(/split_sentences/);
    await expect(
      translator.translateText('<a>b', 'en', 'es', { tagHandling: 'xml' }),
    ).rejects.toThrow(/Tag handling parsing failed, please check input/);
    const stranger = new client.DeepLClient('invalid', {
      serverUrl: proxy.url,
      maxRetries: 0,
      minTimeout: 60_000,
    });
    await expect(stranger.translateText('a', 'en', 'es')).rejects.toBeInstanceOf(
      client.AuthorizationError,
    );
  });
});

describe('usage and languages', () => {
  it('report the usage', async () => {
    const before = await translator.getUsage();
    await translator.translateText('The house', 'en', 'es');
    const after = await translator.getUsage();
    expect((after.character?.count ?? 0) - (before.character?.count ?? 0)).toBe(9);
    expect(after.anyLimitReached()).toBe(false);
    expect(after.toString()).toMatch(/Characters: \d+ of 1000000000000/);
  });

  it('list what the running engines serve', async () => {
    const sources = await translator.getSourceLanguages();
    expect(sources).toContainEqual(expect.objectContaining({ code: 'en', name: 'English' }));
    const targets = await translator.getTargetLanguages();
    expect(targets.map(({ code }) => code)).toEqual(
      expect.arrayContaining(['en-GB', 'en-US', 'es', 'fr', 'pt-BR', 'pt-PT']),
    );
    expect(targets.find(({ code }) => code === 'es')?.supportsFormality).toBe(false);
    const pairs = await translator.getGlossaryLanguagePairs();
    expect(pairs).toContainEqual({ sourceLang: 'en', targetLang: 'es' });
  });
});

describe('glossaries', () => {
  const entries = new client.GlossaryEntries({ entries: { house: 'hogar', 'red car': 'bólido' } });

  it('are created, listed, read, used and deleted', async () => {
    const made = await translator.createGlossary('Cars', 'en', 'es', entries);
    expect(made).toMatchObject({ name: 'Cars', sourceLang: 'en', entryCount: 2, ready: true });
    expect(made.creationTime.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await translator.getGlossary(made.glossaryId)).toEqual(made);
    expect(await translator.listGlossaries()).toContainEqual(made);
    expect((await translator.getGlossaryEntries(made)).entries()).toEqual(entries.entries());
    const { text } = await translator.translateText('The red car.', 'en', 'es', { glossary: made });
    expect(text).toBe('El bólido.');
    await translator.deleteGlossary(made);
    await expect(translator.getGlossary(made.glossaryId)).rejects.toBeInstanceOf(
      client.GlossaryNotFoundError,
    );
    await expect(
      translator.translateText('The house', 'en', 'es', { glossary: made.glossaryId }),
    ).rejects.toThrow(/Not found.*glossary/);
  });

  it('are created from CSV', async () => {
    const csv = Buffer.from('house,hogar,en,es\n"car, red","bólido"\n');
    const made = await translator.createGlossaryWithCsv('Table', 'en', 'es', csv);
    const read = await translator.getGlossaryEntries(made.glossaryId);
    expect(read.entries()).toEqual({ house: 'hogar', 'car, red': 'bólido' });
    await translator.deleteGlossary(made.glossaryId);
  });

  it('hold several languages', async () => {
    const dictionary = (targetLangCode: string, target: string) => ({
      sourceLangCode: 'en' as const,
      targetLangCode: targetLangCode as client.LanguageCode,
      entries: new client.GlossaryEntries({ entries: { house: target } }),
    });
    const made = await translator.createMultilingualGlossary('Homes', [
      dictionary('es', 'hogar'),
      dictionary('fr', 'domicile'),
    ]);
    const id = made.glossaryId;
    expect(made.dictionaries).toHaveLength(2);
    expect(await translator.getMultilingualGlossary(id)).toEqual(made);
    expect(await translator.listMultilingualGlossaries()).toContainEqual(made);
    const read = await translator.getMultilingualGlossaryDictionaryEntries(id, 'en', 'fr');
    expect(read.entries.entries()).toEqual({ house: 'domicile' });

    const replaced = await translator.replaceMultilingualGlossaryDictionary(
      id,
      dictionary('es', 'casona'),
    );
    expect(replaced.entryCount).toBe(1);
    await translator.replaceMultilingualGlossaryDictionaryWithCsv(id, 'en', 'it', 'house,dimora');
    const renamed = await translator.updateMultilingualGlossaryName(id, 'Houses');
    expect(renamed.name).toBe('Houses');
    const merged = await translator.updateMultilingualGlossaryDictionary(id, {
      ...dictionary('es', 'mansión'),
      entries: new client.GlossaryEntries({ entries: { garden: 'vergel' } }),
    });
    expect(merged.dictionaries.find(({ targetLangCode }) => targetLangCode === 'es')).toMatchObject(
      {
        entryCount: 2,
      },
    );
    await translator.updateMultilingualGlossaryDictionaryWithCsv(id, 'en', 'es', 'door,portón');
    const used = await translator.translateText('The house and the garden.', 'en', 'es', {
      glossary: id,
    });
    expect(used.text).toMatch(/casona.*vergel/i);

    await translator.deleteMultilingualGlossaryDictionary(id, 'en', 'fr');
    await expect(
      translator.getMultilingualGlossaryDictionaryEntries(id, 'en', 'fr'),
    ).rejects.toThrow();
    await expect(
      translator.translateText('The house', 'en', 'fr', { glossary: id }),
    ).rejects.toThrow(/No dictionary found for language pair/);
    await translator.deleteMultilingualGlossary(id);
    await expect(translator.getMultilingualGlossary(id)).rejects.toThrow(
      client.GlossaryNotFoundError,
    );
  });
});

it('answers always as its OpenAPI document says', () => {
  expect(proxy.checkedAnswers()).toBeGreaterThan(40);
  expect(proxy.violations()).toEqual([]);
});
