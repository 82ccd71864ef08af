/** Style rule lists through the unmodified npm package of the public API's Node client. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as client from 'deepl-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/product/server.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let translator: client.DeepLClient;
beforeAll(async () => {
  contract = await startContractServer();
  const { server, proxy } = contract;
  translator = new client.DeepLClient(server.apiKey, {
    serverUrl: proxy.url,
    maxRetries: 0,
    minTimeout: 60_000,
  });
});
afterAll(() => contract.stop());

const unknownId = '6f9619ff-8b86-4011-b42d-00cf4fc964ff';

describe('style rule lists', () => {
  it('are created, read, changed, used and deleted', async () => {
    const made = await translator.createStyleRule({
      name: 'House style',
      language: 'es',
      configured_rules: { punctuation: { quotation_mark: 'use_guillemets' } },
      custom_instructions: [{ label: 'Tone', prompt: 'Sound friendly.', source_language: 'de' }],
    });
    expect(made).toMatchObject({
      ...{ name: 'House style', language: 'es', version: 1 },
      configuredRules: { punctuation: { quotation_mark: 'use_guillemets' } },
      customInstructions: [{ label: 'Tone', prompt: 'Sound friendly.', sourceLanguage: 'de' }],
    });
    expect(made.creationTime.getTime()).toBeGreaterThan(Date.now() - 60_000);
    expect(await translator.getStyleRule(made.styleId)).toEqual(made);
    const used = await translator.translateText('He says "hello".', 'en', 'es', {
      styleRule: made,
      modelType: 'quality_optimized',
    });
    expect(used.text).toMatch(/«.+»/);
    expect(used.modelTypeUsed).toBe('quality_optimized');

    const renamed = await translator.updateStyleRuleName(made.styleId, 'New style');
    expect(renamed).toMatchObject({ name: 'New style', version: 2 });
    const curly = { punctuation: { quotation_mark: 'use_curly_quotation_marks' } };
    const ruled = await translator.updateStyleRuleConfiguredRules(made.styleId, curly);
    expect(ruled).toMatchObject({ version: 3, configuredRules: curly });
    const byId = await translator.translateText('He says "hello".', 'en', 'es', {
      styleRule: made.styleId,
    });
    expect(byId.text).toMatch(/“.+”/);
    await translator.deleteStyleRule(made.styleId);
    await expect(translator.getStyleRule(made.styleId)).rejects.toThrow(/Not found/);
  });

  it('apply to documents', async () => {
    const made = await translator.createStyleRule({
      ...{ name: 'Documents', language: 'es' },
      configured_rules: { punctuation: { quotation_mark: 'use_guillemets' } },
    });
    const file = Buffer.from('He says "hello".');
    const handle = await translator.uploadDocument(file, 'en', 'es', {
      ...{ filename: 'a.txt', styleRule: made },
    });
    await until(async () => (await translator.getDocumentStatus(handle)).done());
    const output = path.join(temporaryFolder(), 'b.txt');
    await translator.downloadDocument(handle, output);
    expect(readFileSync(output, 'utf8')).toMatch(/«.+»/);
  });

  it('have custom instructions', async () => {
    const { styleId } = await translator.createStyleRule({ name: 'A', language: 'en' });
    const given = { label: 'Tone', prompt: 'Sound friendly.' };
    const added = await translator.createStyleRuleCustomInstruction(styleId, given);
    expect(added).toMatchObject(given);
    const id = added.id ?? '';
    expect(await translator.getStyleRuleCustomInstruction(styleId, id)).toEqual(added);
    const other = { label: 'Length', prompt: 'Be brief.' };
    const changed = await translator.updateStyleRuleCustomInstruction(styleId, id, other);
    expect(changed).toMatchObject(other);
    const { version, customInstructions } = await translator.getStyleRule(styleId);
    expect({ version, customInstructions }).toEqual({ version: 3, customInstructions: [changed] });
    await translator.deleteStyleRuleCustomInstruction(styleId, id);
    await expect(translator.deleteStyleRuleCustomInstruction(styleId, id)).rejects.toThrow();
  });

  it('are listed page by page', async () => {
    const names = ['L0', 'L1', 'L2'];
    const before = (await translator.getAllStyleRules(0, 25)).length;
    for (const name of names) await translator.createStyleRule({ name, language: 'fr' });
    const all = await translator.getAllStyleRules(0, 25, true);
    expect(all.slice(before).map(({ name }) => name)).toEqual(names);
    expect(all.at(-1)).toMatchObject({ configuredRules: {}, customInstructions: [] });
    const [first] = await translator.getAllStyleRules(before, 1, false);
    expect(first).toMatchObject({ name: 'L0', version: 1 });
    await expect(translator.getAllStyleRules(0, 26)).rejects.toThrow(/page_size/);
  });

  it("that do not fit are refused by the client's exceptions", async () => {
    const translate = (styleRule: string) =>
      translator.translateText('The house', 'en', 'es', { styleRule });
    await expect(translate(unknownId)).rejects.toThrow(/Not found/);
    await expect(translate('nonsense')).rejects.toThrow(/Bad request.*style_id/);
    const { styleId } = await translator.createStyleRule({ name: 'French', language: 'fr' });
    await expect(translate(styleId)).rejects.toThrow(
      /Style rule language does not match the translate request target language/,
    );
    const instructed = await translator.createStyleRule({
      ...{ name: 'Spanish', language: 'es' },
      custom_instructions: [{ label: 'Tone', prompt: 'Sound friendly.' }],
    });
    await expect(translate(instructed.styleId)).rejects.toThrow(/no running engine can follow/);
    const unknown = { name: 'A', language: 'en', configured_rules: { punctuation: { a: 'b' } } };
    await expect(translator.createStyleRule(unknown)).rejects.toThrow(/Bad request.*'a'/);
  });
});

it('answers always as its OpenAPI document says', () => {
  expect(contract.proxy.checkedAnswers()).toBeGreaterThan(25);
  expect(contract.proxy.violations()).toEqual([]);
});
