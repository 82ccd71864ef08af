import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { ImprovementEngine } from '../../server/engines/engine.ts';
import { createDeeplWrite } from '../../server/engines/improvement/deepl-write.ts';
import type { DeeplUpstreamOptions } from '../../server/engines/translation/deepl-upstream.ts';
import {
  startDeeplCompatibleServer,
  type DeeplCompatibleServer,
} from '../support/services/deepl-compatible-server.ts';
import { recordLog } from '../support/product/log-record.ts';
import { correctSentences } from './correct-sentences.ts';
import {
  describeImprovementConformance,
  improveTexts,
  runningImprover,
} from './improvement-conformance.ts';

let server: DeeplCompatibleServer;
beforeAll(async () => (server = await startDeeplCompatibleServer({ key: 'k' })));
afterAll(() => server.close());

const make = (options: Partial<DeeplUpstreamOptions> = {}) =>
  createDeeplWrite({ log: recordLog(), url: server.url, key: 'k', firstDelayMs: 5, ...options });
const create = async (options?: Partial<DeeplUpstreamOptions>) =>
  runningImprover(await make(options));

describeImprovementConformance({
  name: 'the upstream engine as an editor',
  create,
  language: 'en-GB',
  sentences: correctSentences['en'] ?? [],
});

describe('the upstream engine as an editor', () => {
  let engine: ImprovementEngine;
  beforeEach(async () => {
    engine = await create();
    server.requests.length = 0;
  });
  afterEach(() => engine.close());

  it('offers the languages of its server', () => {
    expect(engine.languages).toEqual(['de', 'en', 'en-GB', 'en-US', 'ja']);
    const offered = ['de', 'en', 'en-GB', 'ja', 'fr'].map((tag) => engine.forms(tag).length);
    expect(offered).toEqual([8, 8, 8, 0, 0]);
  });

  it('passes on the task, the language, and the style or tone', async () => {
    const texts = ['This is teh house.\r\n  Teh end? teh end!'];
    const wanted = ['This is the house.\r\n  Teh end? the end!'];
    const style = { task: 'rephrase', writingStyle: 'business' } as const;
    expect(await improveTexts(engine, texts, { language: 'en-GB' })).toEqual(wanted);
    expect(await improveTexts(engine, texts, { language: 'en', ...style })).toEqual(wanted);
    await improveTexts(engine, ['Das.'], { language: 'de', task: 'rephrase', tone: 'friendly' });
    const text = ['This is teh house.', 'Teh end? teh end!'];
    expect(server.improvements()).toEqual([
      { task: 'correct', text, target_lang: 'en-GB' },
      { task: 'rephrase', text, writing_style: 'business' },
      { task: 'rephrase', text: ['Das.'], target_lang: 'de', tone: 'friendly' },
    ]);
  });

  it('keeps requests below the size limit of its server', async () => {
    const texts = Array.from({ length: 20 }, () => '漢字'.repeat(400));
    expect(await improveTexts(engine, texts, { language: 'ja' })).toEqual(texts);
    expect(server.improvements().length).toBeGreaterThan(4);
  });

  it.each([
    [403, 'engine_unavailable'],
    [456, 'engine_unavailable'],
    [400, 'translation_failed'],
  ])('reports after %i whether another engine may try', async (status, code) => {
    server.next.push({ status });
    await expect(improveTexts(engine, ['A b.'], { language: 'de' })).rejects.toMatchObject({
      code,
    });
  });

  it('improves nothing with a free key or on a server without the feature', async () => {
    expect(await make({ key: 'k:fx' })).toHaveProperty('reason');
    const old = await startDeeplCompatibleServer({ key: 'k', isOld: true });
    const plain = await create({ url: old.url });
    expect(plain.languages).toEqual([]);
    await plain.close();
    await old.close();
  });
});
