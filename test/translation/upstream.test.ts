/** A server with an upstream server: features that only the upstream server has are passed on. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Language } from '../../shared/schemas/languages.ts';
import type { ImprovementResponse } from '../../shared/schemas/write.ts';
import {
  startDeeplCompatibleServer,
  type DeeplCompatibleServer,
} from '../support/services/deepl-compatible-server.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';

let upstream: DeeplCompatibleServer;
let server: HostedServer;
beforeAll(async () => {
  upstream = await startDeeplCompatibleServer({ key: 'k' });
  const address = { DEEPL_URL: upstream.url, DEEPL_KEY: 'k' };
  server = await startHosted({ RECOGNISER: 'silent', DEMO: 'off', ...address });
});
beforeEach(() => (upstream.requests.length = 0));
afterAll(async () => {
  await server.stop();
  await upstream.close();
});

const question = { text: ['The house.'], source_lang: 'EN', target_lang: 'ES' };

it('custom instructions and those of a style rule list reach the upstream server', async () => {
  const list = await server.post('/v3/style_rules', {
    name: 'House',
    language: 'es',
    configured_rules: { style_and_tone: { formality: 'use_formal_tone' } },
    custom_instructions: [{ label: 'A', prompt: 'Be brief.' }],
  });
  const { style_id } = (await list.json()) as { style_id: string };
  const custom_instructions = ['Use no jargon.'];
  const response = await server.post('/v2/translate', {
    ...question,
    style_id,
    custom_instructions,
  });
  expect(response.status).toBe(200);
  expect(await response.json()).toMatchObject({ translations: [{ text: 'La casa.' }] });
  expect(upstream.translations().map((each) => each.custom_instructions)).toEqual([
    ['Use no jargon.', 'Be brief.', 'Formality: use formal tone.'],
  ]);
});

it('styles and tones reach the upstream server, and are listed where it supports them', async () => {
  const rephrase = async (wishes: object) => {
    const text = ['This is teh house by the sea.'];
    const response = await server.post('/v2/write/rephrase', { text, ...wishes });
    return { status: response.status, ...((await response.json()) as ImprovementResponse) };
  };
  const business = await rephrase({ target_lang: 'en-GB', writing_style: 'business' });
  expect(business.improvements[0]?.text).toBe('This is the house by the sea.');
  const friendly = await rephrase({ target_lang: 'en-US', tone: 'prefer_friendly' });
  expect(friendly.status).toBe(200);
  expect(upstream.improvements()).toMatchObject([
    { task: 'rephrase', target_lang: 'en-GB', writing_style: 'business' },
    { task: 'rephrase', target_lang: 'en-US', tone: 'friendly' },
  ]);
  const headers = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
  const listed = await server.get('/v3/languages?resource=write', headers);
  const german = ((await listed.json()) as Language[]).find(({ lang }) => lang === 'de');
  expect(Object.keys(german?.features ?? {})).toEqual(['auto_detection', 'tone', 'writing_style']);
});

it('instructions for a target without instruction support are refused', async () => {
  const response = await server.post('/v2/translate', {
    text: ['La casa.'],
    source_lang: 'ES',
    target_lang: 'EN-GB',
    custom_instructions: ['Be brief.'],
  });
  expect(response.status).toBe(400);
  expect(upstream.translations()).toEqual([]);
});

it('the language that the upstream server detects is returned, in translations as well', async () => {
  upstream.detected = 'es';
  const text = ['The garden is very large.'];
  const found = await server.post('/v3/detect/language', { text });
  expect(await found.json()).toEqual({
    results: [{ detection_status: 'success', detected_language: 'es' }],
  });
  const translated = await server.post('/v2/translate', { text, target_lang: 'ZH' });
  expect(await translated.json()).toMatchObject({
    translations: [{ detected_source_language: 'ES' }],
  });
});
