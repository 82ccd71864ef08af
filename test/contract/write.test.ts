/** Text improvement through the unmodified npm package of the public API's Node client. */
import * as client from 'deepl-node';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startContractServer, type ContractServer } from './contract-server.ts';

let contract: ContractServer;
let writer: client.DeepLClient;
beforeAll(async () => {
  contract = await startContractServer();
  writer = new client.DeepLClient(contract.server.apiKey, {
    serverUrl: contract.proxy.url,
    maxRetries: 0,
    // Harper may have to start first on a busy machine.
    minTimeout: 60_000,
  });
});
afterAll(() => contract.stop());

describe('rephraseText', () => {
  it('improves one text and several', async () => {
    const one = await writer.rephraseText('I could of told you that.', 'en-GB');
    expect(one).toMatchObject({
      text: 'I could have told you that.',
      targetLang: 'en-GB',
      detectedSourceLang: 'en',
    });
    const several = await writer.rephraseText(['Das ist nciht gut.', 'Danke.'], 'de');
    expect(several.map(({ text }) => text)).toEqual(['Das ist nicht gut.', 'Danke.']);
  });

  it('returns text of another language unchanged, and reports the language variant', async () => {
    const german = 'Das ist ein Satz, den hier niemand auf Englisch verbessert.';
    const { text, targetLang, detectedSourceLang } = await writer.rephraseText(german, 'en');
    expect([text, targetLang, detectedSourceLang]).toEqual([german, 'en-US', 'de']);
  });

  it('works without a target language', async () => {
    const { targetLang, detectedSourceLang } = await writer.rephraseText(
      'Wir haben den Brief gestern Abend gelesen.',
    );
    expect([targetLang, detectedSourceLang]).toEqual(['de', 'de']);
  });

  it('accepts optional styles and tones', async () => {
    const { PREFER_BUSINESS, DEFAULT } = client.WritingStyle;
    await writer.rephraseText('Guten Tag', 'de', PREFER_BUSINESS, client.WritingTone.DEFAULT);
    await writer.rephraseText('Guten Tag', 'de', DEFAULT, client.WritingTone.PREFER_FRIENDLY);
    await writer.rephraseText('Guten Tag', 'de', undefined, client.WritingTone.PREFER_CONFIDENT);
  });

  it('reports errors as the client expects them', async () => {
    const { BUSINESS } = client.WritingStyle;
    const { FRIENDLY } = client.WritingTone;
    await expect(writer.rephraseText('こんにちは', 'ja', BUSINESS)).rejects.toThrow(
      'Language ja does not support setting a writing style.',
    );
    await expect(writer.rephraseText('こんにちは', 'ja', undefined, FRIENDLY)).rejects.toThrow(
      'Language ja does not support setting a tone.',
    );
    await expect(writer.rephraseText('Hello', 'en-US', BUSINESS, FRIENDLY)).rejects.toThrow(
      'Both writing_style and tone defined',
    );
    await expect(writer.rephraseText('Hello', 'xx')).rejects.toThrow(
      /Value for '?target_lang'? not supported/,
    );
  });
});
