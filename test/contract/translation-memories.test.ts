/** Translation memories through the unmodified npm package of the public API's Node client. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import * as client from 'deepl-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { signedIn } from '../support/product/console-client.ts';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import { sharedServer } from '../support/product/shared-server.ts';
import { tmxFile, uploadMemory } from '../support/product/translation-memories.ts';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let translator: client.DeepLClient;
beforeAll(async () => {
  const server = await sharedServer();
  contract = await startContractServer(server);
  const { proxy } = contract;
  translator = new client.DeepLClient(server.apiKey, {
    serverUrl: proxy.url,
    maxRetries: 0,
    minTimeout: 60_000,
  });
  const owner = await signedIn(server, await server.consoleLink());
  const content = tmxFile([
    { en: 'The red car.', es: 'El automóvil rojo.' },
    { en: 'We close the big green door.', es: 'Queda cerrado el portón.' },
  ]);
  await uploadMemory(owner, { name: 'first.tmx', content });
  await uploadMemory(owner, { name: 'second.csv', content: 'en,de\nHouse,Haus\n' });
});
afterAll(() => contract.stop());

const first = async () => {
  const [memory] = await translator.listTranslationMemories();
  if (memory === undefined) throw new Error('There is no memory.');
  return memory;
};

describe('translation memories', () => {
  it('are listed page by page', async () => {
    const all = await translator.listTranslationMemories();
    expect(all).toMatchObject([
      {
        ...{ name: 'first', sourceLanguage: 'en', targetLanguages: ['es'], segmentCount: 2 },
        translationMemoryId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      },
      { name: 'second', targetLanguages: ['de'], segmentCount: 1 },
    ]);
    expect(await translator.listTranslationMemories(1, 1)).toEqual(all.slice(1));
    await expect(translator.listTranslationMemories(0, 26)).rejects.toThrow(/Bad request/);
  });

  it('are used for texts, as objects and by their id', async () => {
    const translationMemory = await first();
    const result = await translator.translateText('The red car.', 'en', 'es', {
      ...{ translationMemory, modelType: 'quality_optimized' },
    });
    expect(result.text).toBe('El automóvil rojo.');
    expect(result.modelTypeUsed).toBe('quality_optimized');
    const similar = (translationMemoryThreshold: number) =>
      translator.translateText('We close the big blue door.', 'en', 'es', {
        ...{ translationMemory: translationMemory.translationMemoryId, translationMemoryThreshold },
      });
    expect((await similar(80)).text).toBe('Queda cerrado el portón.');
    expect((await similar(90)).text).not.toBe('Queda cerrado el portón.');
  });

  it('are used without a source language, and refused for other targets', async () => {
    const translationMemory = await first();
    const detected = await translator.translateText('The red car.', null, 'es', {
      translationMemory,
    });
    expect(detected.text).toBe('El automóvil rojo.');
    const french = translator.translateText('The red car.', 'en', 'fr', { translationMemory });
    await expect(french).rejects.toThrow(/Not found/);
  });

  it('apply to documents', async () => {
    const output = path.join(temporaryFolder(), 'out.txt');
    const translationMemory = await first();
    await translator.translateDocument(Buffer.from('The red car.'), output, 'en', 'es', {
      filename: 'a.txt',
      translationMemory,
    });
    expect(readFileSync(output, 'utf8')).toBe('El automóvil rojo.');
  });
});
