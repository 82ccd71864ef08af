/** Glossary and formality of voice sessions, with the real Apertium and with a chat engine. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TranslationEngine } from '../../../server/engines/engine.ts';
import { createApertium } from '../../../server/engines/translation/apertium.ts';
import { createChat } from '../../../server/engines/translation/chat.ts';
import { createGlossaries, type Glossaries } from '../../../server/glossaries/glossaries.ts';
import {
  createLiveTranslation,
  type LiveTranslation,
  type LiveTranslationRequest,
} from '../../../server/voice/session/live-translation.ts';
import { createTranslation } from '../../../server/translation/translation.ts';
import type { Caller } from '../../../server/http/door.ts';
import { running } from '../../engines/remote-support.ts';
import { recordLog } from '../../support/product/log-record.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../../support/services/openai-chat-server.ts';
import { openPlatform, type Platform } from '../../support/product/platform.ts';

const signal = new AbortController().signal;
let platform: Platform;
let chatServer: ChatServer;
let engines: TranslationEngine[];
let glossaries: Glossaries;
let classic: LiveTranslation;
let modern: LiveTranslation;
let caller: Caller;

beforeAll(async () => {
  const log = recordLog();
  platform = await openPlatform();
  chatServer = await startChatServer();
  engines = [
    running(await createApertium({ log })),
    running(
      await createChat({
        ...{ log, url: chatServer.apiUrl, model: 'pseudo', retries: 0, timeoutMs: 20_000 },
        languages: ['en', 'de', 'es', 'nb', 'zh'],
      }),
    ),
  ];
  glossaries = createGlossaries({
    glossaries: platform.storage.glossaries,
    cacheBytes: 2 ** 20,
  });
  const live = (engine: TranslationEngine) =>
    createLiveTranslation({
      translation: createTranslation({ engines: [engine], log }),
      glossaries,
    });
  [classic, modern] = engines.map(live) as [LiveTranslation, LiveTranslation];
  const { account, key } = await platform.newcomer();
  caller = { account, key };
});
afterAll(async () => {
  await Promise.all(engines.map((engine) => engine.close()));
  await chatServer.close();
  await platform.close();
});
beforeEach(() => chatServer.reset());

const pair = (target: string, source = 'en') => ({ source, target });
const content = (entries: string, target_lang = 'es', source_lang = 'en') => ({
  ...{ source_lang, target_lang, entries, entries_format: 'tsv' as const },
});

async function newGlossary(...dictionaries: ReturnType<typeof content>[]): Promise<string> {
  const made = await glossaries.create(caller.account.accountId, { name: 'Live', dictionaries });
  return made.glossary_id;
}

const prepare = (live: LiveTranslation, given: Partial<LiveTranslationRequest>) =>
  live.prepare({
    ...{ caller, glossaryId: undefined, formality: undefined, pairs: [pair('es')] },
    ...given,
  });

const refusal = (live: LiveTranslation, given: Partial<LiveTranslationRequest>) =>
  prepare(live, given).then(
    () => undefined,
    (error: unknown) => error as { code: string; message: string },
  );

describe('the glossary of a session', () => {
  it('is applied to the output of a classic engine, keeping the surrounding blanks', async () => {
    const glossaryId = await newGlossary(content('house\thogar'));
    const plain = await prepare(classic, {});
    const { translateText } = await prepare(classic, { glossaryId });
    const options = { ...pair('es'), signal };
    expect(await plain.translateText('The house is big.', options)).not.toContain('hogar');
    expect(await translateText(' The house is big. ', options)).toMatch(/^ \S.*hogar.*\. $/);
    expect(await translateText('The houses are here, in my house', options)).toContain('hogar');
  });

  it('passes the terms that occur to an engine that supports terms', async () => {
    const glossaryId = await newGlossary(content('house\tDomizil\ncar\tKarosse', 'de'));
    const { translateText } = await prepare(modern, { glossaryId, pairs: [pair('de')] });
    const text = await translateText('The house is big.', { ...pair('de'), signal });
    expect(text).toContain('Domizil');
    expect(chatQuestions(chatServer)[0]).toMatchObject({
      terms: [{ source: 'house', target: 'Domizil' }],
    });
  });

  it('serves language variants, and does not affect targets without a dictionary', async () => {
    const glossaryId = await newGlossary(content('house\thogar'));
    const pairs = [pair('es-419'), pair('de')];
    const { translateText } = await prepare(modern, { glossaryId, pairs });
    expect(await translateText('The house', { ...pair('es-419'), signal })).toContain('hogar');
    expect(await translateText('The house', { ...pair('de'), signal })).not.toContain('hogar');
  });

  it('is refused when it has no dictionary for any target, naming the language pairs', async () => {
    const glossaryId = await newGlossary(content('a\tb', 'it'));
    const pairs = [pair('es'), pair('fr'), pair('en-US')];
    expect(await refusal(classic, { glossaryId, pairs })).toMatchObject({
      code: 'invalid_request',
      message: expect.stringMatching(
        /No dictionary found for language pair en-es, en-fr in/,
      ) as string,
    });
  });

  it('is ignored when nothing is translated', async () => {
    const glossaryId = await newGlossary(content('a\tb', 'it'));
    for (const pairs of [[], [pair('en-GB')]]) {
      const { translateText } = await prepare(classic, { glossaryId, pairs });
      expect(await translateText(' a b', { ...pair('en'), signal })).toBe(' a b');
    }
  });

  it('must belong to the caller: unknown and foreign ids give 404, malformed ids 400', async () => {
    const glossaryId = await newGlossary(content('a\tb'));
    const stranger = await platform.newcomer();
    const code = async (given: Partial<LiveTranslationRequest>) =>
      (await refusal(classic, given))?.code;
    expect(await code({ glossaryId })).toBeUndefined();
    expect(await code({ glossaryId: randomUUID() })).toBe('not_found');
    expect(await code({ glossaryId, caller: stranger })).toBe('not_found');
    expect(await code({ glossaryId, caller: undefined })).toBe('not_found');
    expect(await code({ glossaryId: 'nonsense' })).toBe('invalid_request');
  });

  it('keeps the state it had when the session began', async () => {
    const glossaryId = await newGlossary(content('house\thogar'));
    const before = await prepare(classic, { glossaryId });
    const { accountId } = caller.account;
    await glossaries.putDictionary(accountId, glossaryId, content('house\tmorada'));
    const after = await prepare(classic, { glossaryId });
    await glossaries.delete(accountId, glossaryId);
    const options = { ...pair('es'), signal };
    expect(await before.translateText('The house', options)).toContain('hogar');
    expect(await after.translateText('The house', options)).toContain('morada');
  });

  it('is read once, before the first sentence', async () => {
    const glossaryId = await newGlossary(content('house\thogar'), content('house\tDomizil', 'de'));
    const reads: string[] = [];
    const counting: Pick<Glossaries, 'get' | 'glossaryFor'> = {
      get: (...args) => glossaries.get(...args),
      glossaryFor(wanted) {
        reads.push(wanted.target);
        return glossaries.glossaryFor(wanted);
      },
    };
    const translation = createTranslation({ engines: engines.slice(1), log: recordLog() });
    const live = createLiveTranslation({ translation, glossaries: counting });
    const { translateText } = await prepare(live, { glossaryId, pairs: [pair('es'), pair('de')] });
    expect(reads.sort()).toEqual(['de', 'es']);
    for (const target of ['es', 'de', 'es'])
      await translateText('The house', { ...pair(target), signal });
    expect(reads).toHaveLength(2);
  });

  it('serves languages that are detected later, and is skipped for new languages once deleted', async () => {
    const sources = ['en', 'de', 'nb', 'zh'];
    const targets = ['es', 'de'];
    const dictionaries = [
      ...['en', 'de', 'nb', 'zh'].map((source) => content('x\ty', 'es', source)),
      ...['en', 'nb', 'zh'].map((source) => content('hus\tDomizil', 'de', source)),
    ];
    const glossaryId = await newGlossary(...dictionaries);
    const pairs = sources.flatMap((source) =>
      targets.filter((target) => target !== source).map((target) => pair(target, source)),
    );
    const { translateText } = await prepare(modern, { glossaryId, pairs });
    expect(await translateText('hus', { ...pair('de', 'nb'), signal })).toContain('Domizil');
    await glossaries.delete(caller.account.accountId, glossaryId);
    expect(await translateText('hus', { ...pair('de', 'nb'), signal })).toContain('Domizil');
    expect(await translateText('hus', { ...pair('de', 'zh'), signal })).not.toContain('Domizil');
  });
});

describe('the formality of a session', () => {
  it.each([
    ['formal', /\bformal/i],
    ['more', /\bformal/i],
    ['informal', /informal/i],
    ['less', /informal/i],
  ])('%s reaches the engine', async (formality, told) => {
    const { translateText } = await prepare(modern, { formality, pairs: [pair('de')] });
    await translateText('How are you?', { ...pair('de'), signal });
    expect(chatQuestions(chatServer)[0]?.formality).toMatch(told);
  });

  it('is not sent to the engine when it is "default"', async () => {
    const { translateText } = await prepare(modern, { formality: 'default', pairs: [pair('de')] });
    await translateText('How are you?', { ...pair('de'), signal });
    expect(chatQuestions(chatServer)[0]).not.toHaveProperty('formality');
  });

  it('is applied to those targets that support it', async () => {
    const pairs = [pair('nb'), pair('de')];
    const { translateText } = await prepare(modern, { formality: 'formal', pairs });
    for (const { target } of pairs)
      await translateText('How are you?', { ...pair(target), signal });
    expect(chatQuestions(chatServer).map(({ formality }) => formality !== undefined)).toEqual([
      false,
      true,
    ]);
  });

  it('is refused when no target supports it, naming the languages that do', async () => {
    const refused = await refusal(modern, { formality: 'formal', pairs: [pair('nb'), pair('zh')] });
    expect(refused).toMatchObject({ code: 'invalid_request' });
    expect(refused?.message).toMatch(/\(nb, zh\).*: de, es\./);
    expect((await refusal(classic, { formality: 'less' }))?.message).toMatch(/No running engine/);
  });

  it('is refused when it is unknown, naming all values', async () => {
    const refused = await refusal(modern, { formality: 'prefer_more' });
    expect(refused).toMatchObject({ code: 'invalid_request' });
    expect(refused?.message).toContain('default, formal, more, informal, less');
  });
});
