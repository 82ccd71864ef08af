import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TranslationEngine } from '../../server/engines/engine.ts';
import {
  createLibreTranslate,
  type LibreTranslateOptions,
} from '../../server/engines/translation/libretranslate.ts';
import { repairMarks } from '../../server/text/repair.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../support/services/libretranslate-server.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import { marked, written } from './marked-segments.ts';
import { failureCode, running, translateSegments, translateTexts } from './remote-support.ts';
import { describeTranslationConformance } from './translation-conformance.ts';
import { sentences } from './translation-texts.ts';

let server: LibreTranslateServer;
beforeAll(async () => (server = await startLibreTranslateServer({ key: 'k', charLimit: 2000 })));
afterAll(() => server.close());

async function create(options: Partial<LibreTranslateOptions> = {}): Promise<TranslationEngine> {
  const access = { log: recordLog(), url: server.url, key: 'k', firstDelayMs: 5 };
  return running(await createLibreTranslate({ ...access, ...options }));
}

describeTranslationConformance({
  name: 'the LibreTranslate engine keeps its promises',
  create: () => create(),
  pair: { source: 'en', target: 'es' },
  mend: repairMarks,
});

describe('the LibreTranslate engine', () => {
  let engine: TranslationEngine;
  beforeEach(async () => {
    engine = await create();
    server.requests.length = 0;
  });
  afterEach(async () => {
    await engine.close();
    server.languages = { en: ['es', 'zt'], es: ['en'] };
    server.always = undefined;
  });

  it('offers the languages of its server as our tags', () => {
    const pairs = engine.pairs.map(({ source, target }) => `${source}>${target}`);
    expect(pairs).toEqual(['en>es', 'en>zh-Hant', 'es>en']);
  });

  it("sends the key and the server's language codes", async () => {
    await translateTexts(engine, ['Hello.'], { target: 'zh-Hant' });
    expect(server.translations()).toEqual([
      { q: ['Hello.'], source: 'en', target: 'zt', format: 'text', api_key: 'k' },
    ]);
  });

  it('sends marks as HTML, and text without marks as text', async () => {
    const segments = ['A <1>house</1> & <b>.', 'A house & <b>.'].map(marked);
    const answers = await translateSegments(engine, segments);
    expect(answers.map(written)).toEqual(['A <1>casa</1> & <b>.', 'A casa & <b>.']);
    const sent = server.translations().map(({ format, q }) => [format, q]);
    expect(sent).toEqual([
      ['html', ['A <m1>house</m1> &amp; &lt;b&gt;.']],
      ['text', ['A house & <b>.']],
    ]);
  });

  it('splits requests that are too large for the server', async () => {
    const long = sentences(60).map((text) => text.repeat(3));
    const answers = await translateTexts(engine, long);
    answers.forEach((answer, i) => expect(answer).toContain(`número ${1000 + i}`));
    expect(server.translations().length).toBeLessThan(12);
    expect(await failureCode(translateTexts(engine, ['a '.repeat(1500)]))).toBe(
      'translation_failed',
    );
  });

  it.each([
    {},
    { translatedText: ['one', 'two'] },
    { translatedText: 'Hola.' },
    { translatedText: [' '] },
    null,
    [],
  ])('rejects an answer such as %j', async (body) => {
    server.next.push({ status: 200, body });
    expect(await failureCode(translateTexts(engine, ['Hello.']))).toBe('translation_failed');
  });

  it('is unavailable with a wrong key, without logging it', async () => {
    const log = recordLog();
    const stranger = await create({ log, key: 'wrong-key' });
    expect(await failureCode(translateTexts(stranger, ['Hello.']))).toBe('engine_unavailable');
    expect(JSON.stringify(log.lines)).toContain('403');
    expect(JSON.stringify(log.lines)).not.toContain('wrong-key');
    await stranger.close();
  });

  it('follows the server when its languages change', async () => {
    const watching = await create({ languageRefreshMs: 20 });
    const before = watching.pairs;
    server.languages = { en: ['fr'] };
    await until(() => watching.pairs !== before && watching.pairs.length === 1);
    expect(watching.pairs).toEqual([{ source: 'en', target: 'fr' }]);
    server.always = { status: 503 };
    const { length } = server.requests;
    await until(() => server.requests.length > length + 2);
    expect(watching.pairs).toHaveLength(1);
    await watching.close();
  });

  it('starts without its server, and offers its languages once the server is up', async () => {
    const gone = await startLibreTranslateServer();
    await gone.close();
    const waiting = await create({ url: gone.url, key: undefined, languageRetryMs: 20 });
    expect(waiting.pairs).toEqual([]);
    expect(await failureCode(translateTexts(waiting, ['Hello.']))).toBe('engine_unavailable');
    const back = await startLibreTranslateServer({ port: Number(new URL(gone.url).port) });
    await until(() => waiting.pairs.length > 0);
    expect(await translateTexts(waiting, ['Hello.'])).toEqual(['Hola.']);
    await waiting.close();
    await back.close();
  });
});
