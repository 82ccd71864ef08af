/** Style rule lists with an engine that follows instructions: it receives everything in a list. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { styleRuleCatalogue } from '../../shared/style-rules/catalogue.ts';
import type { StyleRuleList } from '../../shared/schemas/style-rules.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../support/services/openai-chat-server.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';

let chat: ChatServer;
let server: HostedServer;
beforeAll(async () => {
  chat = await startChatServer();
  server = await startHosted({
    RECOGNISER: 'silent',
    CHAT_URL: chat.apiUrl,
    CHAT_MODEL: 'pseudo',
    TRANSLATION_ENGINES: '*: apertium, chat',
  });
});
afterEach(() => chat.reset());
afterAll(async () => {
  await server.stop();
  await chat.close();
});

const guillemets = { punctuation: { quotation_mark: 'use_guillemets' } };
const formal = { style_and_tone: { formality: 'use_formal_tone' } };

async function newList(content: object): Promise<string> {
  const list = { name: 'House', language: 'es', ...content };
  const response = await server.post('/v3/style_rules', list);
  expect(response.status).toBe(201);
  return ((await response.json()) as StyleRuleList).style_id;
}

async function translate(options: object) {
  const body = { text: ['The "house" is new.'], source_lang: 'EN', target_lang: 'ES' };
  const response = await server.post('/v2/translate', { ...body, ...options });
  const answer = (await response.json()) as {
    translations?: { text: string; model_type_used?: string }[];
    message?: string;
  };
  return { status: response.status, ...answer.translations?.[0], message: answer.message };
}

describe('a style rule list', () => {
  it('is sent with every rule as a sentence and every instruction, and its mechanical rules are applied too', async () => {
    const style_id = await newList({
      configured_rules: { ...guillemets, ...formal },
      custom_instructions: [
        { label: 'A', prompt: 'Be brief.' },
        { label: 'B', prompt: 'Name no streets.', source_language: 'en-GB' },
        { label: 'C', prompt: 'Drop particles.', source_language: 'de' },
      ],
    });
    const answer = await translate({
      style_id,
      custom_instructions: ['Use no jargon.'],
      model_type: 'prefer_quality_optimized',
    });
    expect(answer).toMatchObject({ status: 200, model_type_used: 'quality_optimized' });
    expect(answer.text).toBe('La «casa» es nueva.');
    expect(chatQuestions(chat)).toMatchObject([
      {
        wishes: ['Use no jargon.', 'Be brief.', 'Name no streets.'],
        style_rules: ['Quotation mark: use guillemets.', 'Formality: use formal tone.'],
      },
    ]);
  });

  it('with every rule is sent whole', async () => {
    const configured_rules = Object.fromEntries(
      Object.entries(styleRuleCatalogue).map(([category, rules]) => [
        category,
        Object.fromEntries(Object.entries(rules).map(([rule, options]) => [rule, options[0]])),
      ]),
    );
    const style_id = await newList({ language: 'de', configured_rules });
    expect((await translate({ style_id, target_lang: 'DE' })).status).toBe(200);
    const [question] = chatQuestions(chat);
    expect(question?.style_rules).toHaveLength(159);
  });

  it('selects the engine that follows it, if it has anything that only this engine can do', async () => {
    const mechanical = await newList({ configured_rules: guillemets });
    expect((await translate({ style_id: mechanical })).text).toMatch(/«casa»/);
    expect(chatQuestions(chat)).toEqual([]);
    const style_id = await newList({ configured_rules: formal });
    expect((await translate({ style_id })).status).toBe(200);
    expect(chatQuestions(chat)).toHaveLength(1);
  });
});

it('the listings and the OpenAPI document say that everything is followed', async () => {
  const headers = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
  const languages = async (resource: string) => {
    const response = await server.get(`/v3/languages?resource=${resource}`, headers);
    return (await response.json()) as { lang: string; features: object }[];
  };
  const styled = ['de', 'en', 'es', 'fr', 'it', 'ja', 'ko', 'zh'];
  expect((await languages('style_rules')).map(({ lang }) => lang)).toEqual(styled);
  const able = (await languages('translate_text')).filter(
    ({ features }) => 'style_rules' in features,
  );
  expect(able.map(({ lang }) => lang)).toEqual(
    expect.arrayContaining([...styled, 'en-GB', 'zh-Hans']),
  );
  const document = (await (await server.get('/openapi.json')).json()) as {
    paths: Record<string, { get: { description: string } }>;
  };
  const { description = '' } = document.paths['/v3/style_rules']?.get ?? {};
  expect(description).toMatch(/into de, en, es, fr, it, ja, ko, zh .* every rule and instruction/);
  expect(description).not.toMatch(/nobody/i);
  expect(description).toContain('`email_address_format`');
});

// Last, because the circuit breaker then keeps the engine unused for a while.
it('a list without instructions is served by another engine when that one fails', async () => {
  chat.always = { status: 500 };
  const style_id = await newList({ configured_rules: { ...formal, ...guillemets } });
  expect((await translate({ style_id })).text).toMatch(/«casa»/);
});
