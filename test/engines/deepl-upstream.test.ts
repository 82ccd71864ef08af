import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TranslationEngine } from '../../server/engines/engine.ts';
import {
  createDeeplUpstream,
  type DeeplUpstreamOptions,
} from '../../server/engines/translation/deepl-upstream.ts';
import { repairMarks } from '../../server/text/repair.ts';
import {
  startDeeplCompatibleServer,
  type DeeplCompatibleServer,
} from '../support/services/deepl-compatible-server.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import { marked, written } from './marked-segments.ts';
import { failureCode, running, translateSegments, translateTexts } from './remote-support.ts';
import { describeTranslationConformance } from './translation-conformance.ts';
import { sentences } from './translation-texts.ts';

let server: DeeplCompatibleServer;
beforeAll(async () => (server = await startDeeplCompatibleServer({ key: 'k' })));
afterAll(() => server.close());

async function create(options: Partial<DeeplUpstreamOptions> = {}): Promise<TranslationEngine> {
  const access = { log: recordLog(), url: server.url, key: 'k', firstDelayMs: 5 };
  return running(await createDeeplUpstream({ ...access, ...options }));
}

describeTranslationConformance({
  name: 'the upstream engine keeps its promises',
  create: () => create(),
  pair: { source: 'en', target: 'es' },
  mend: repairMarks,
});

describe('the upstream engine', () => {
  let engine: TranslationEngine;
  beforeEach(async () => {
    engine = await create();
    server.requests.length = 0;
  });
  afterEach(() => engine.close());

  it('offers the languages of its server, with the likeliest variant for a base language', async () => {
    const pairs = engine.pairs.map(({ source, target }) => `${source}>${target}`);
    expect(pairs).toEqual([
      ...['en>es', 'en>zh-Hans', 'en>zh'],
      ...['es>en-GB', 'es>en-US', 'es>zh-Hans', 'es>en', 'es>zh'],
      ...['zh>es', 'zh>en-GB', 'zh>en-US', 'zh>en'],
    ]);
    expect(engine.abilities.formality).toEqual(['es']);
    await translateTexts(engine, ['Casa.'], { source: 'es', target: 'en' });
    expect(server.translations()[0]?.target_lang).toBe('EN-US');
  });

  it('passes on formality, context and the sentence option', async () => {
    await translateTexts(engine, ['Hello.'], { formality: 'more', context: 'A play.' });
    await translateTexts(engine, ['Hello.'], { sentences: 'whole' });
    expect(server.translations()).toEqual([
      {
        text: ['Hello.'],
        source_lang: 'EN',
        target_lang: 'ES',
        formality: 'prefer_more',
        context: 'A play.',
        split_sentences: 'nonewlines',
      },
      { text: ['Hello.'], source_lang: 'EN', target_lang: 'ES', split_sentences: '0' },
    ]);
  });

  it('passes on instructions and style rules, merging several into one where there are many', async () => {
    expect(engine.abilities.followsInstructions).toEqual(['es']);
    const few = { instructions: ['Be brief.'], styleRules: ['Write 5 %.'] };
    await translateTexts(engine, ['Hello.'], few);
    const instructions = Array.from({ length: 40 }, (_, i) => `Wish ${i}: ${'x'.repeat(50)}.`);
    await translateTexts(engine, ['Hello.'], { instructions });
    const styleRules = Array.from({ length: 200 }, (_, i) => `Rule ${i}: ${'x'.repeat(50)}.`);
    await translateTexts(engine, ['Hello.'], { instructions, styleRules });
    const [first, second, third] = server.translations().map((each) => each.custom_instructions);
    expect(first).toEqual(['Be brief.', 'Write 5 %.']);
    expect(second?.join(' ')).toBe(instructions.join(' '));
    expect(third?.join(' ')).toContain(instructions.join(' '));
    expect(third).toHaveLength(10);
  });

  it('refuses more instructions than its server accepts instead of dropping some', async () => {
    const instructions = Array.from({ length: 11 }, () => 'x'.repeat(300));
    expect(await failureCode(translateTexts(engine, ['Hello.'], { instructions }))).toBe(
      'translation_failed',
    );
    expect(server.translations()).toEqual([]);
  });

  it('does not send an old server options that it does not list', async () => {
    const old = await startDeeplCompatibleServer({ key: 'k', isOld: true });
    const plain = await create({ url: old.url });
    expect(plain.abilities.followsInstructions).toEqual([]);
    expect(await translateTexts(plain, ['Hello.'])).toEqual(['Hola.']);
    await plain.close();
    await old.close();
  });

  it('sends marks as XML, and text without marks as text', async () => {
    const segments = ['A <1>house</1> & \0<b><2/>.', 'A house & <b>.'].map(marked);
    const answers = await translateSegments(engine, segments);
    expect(answers.map(written)).toEqual(['A <1>casa</1> & <b><2/>.', 'A casa & <b>.']);
    expect(server.translations()).toMatchObject([
      {
        text: ['A <m1>house</m1> &amp; &lt;b&gt;<m2/>.'],
        tag_handling: 'xml',
        outline_detection: false,
      },
      { text: ['A house & <b>.'] },
    ]);
  });

  it('sends at most 50 texts in a request', async () => {
    const answers = await translateTexts(engine, sentences(120));
    answers.forEach((answer, i) => expect(answer).toContain(`número ${1000 + i}`));
    expect(server.translations().map(({ text }) => text.length)).toEqual([50, 50, 20]);
  });

  it.each([429, 456, 500, 503])('leaves the work to other engines after %i', async (status) => {
    server.next.push({ status }, { status }, { status });
    expect(await failureCode(translateTexts(engine, ['Hello.']))).toBe('engine_unavailable');
    server.next.length = 0;
  });

  it('reports a refused text', async () => {
    server.next.push({ status: 400 });
    expect(await failureCode(translateTexts(engine, ['Hello.']))).toBe('translation_failed');
  });

  describe('language detection', () => {
    const texts = [
      { text: 'a clear text', isClear: true },
      { text: 'casa', isClear: false },
    ];
    const detect = () =>
      engine.detect?.(texts, { target: 'en', signal: new AbortController().signal });
    afterEach(() => (server.detected = undefined));

    it("returns the server's answer", async () => {
      server.detected = 'zh';
      expect(await detect()).toEqual(['zh', 'zh']);
      expect(server.translations()).toEqual([]);
    });

    it('translates unclear texts where the server cannot detect, and does not ask it again', async () => {
      expect(await detect()).toEqual([undefined, 'es']);
      expect(await detect()).toEqual([undefined, 'es']);
      expect(server.translations().map(({ text }) => text)).toEqual([['casa'], ['casa']]);
      const asked = server.requests.filter(({ path }) => path === '/v3/detect/language');
      expect(asked).toHaveLength(1);
    });

    it('leaves the answer to other detectors when the server fails', async () => {
      server.next.push({ status: 503 }, { status: 503 });
      expect(await detect()).toEqual([undefined, undefined]);
      server.next.length = 0;
    });
  });

  it('starts without its server, and offers its languages once the server is up', async () => {
    const gone = await startDeeplCompatibleServer({ key: 'k' });
    await gone.close();
    const waiting = await create({ url: gone.url, languageRetryMs: 20 });
    expect(waiting.pairs).toEqual([]);
    expect(await failureCode(translateTexts(waiting, ['Hello.']))).toBe('engine_unavailable');
    const port = Number(new URL(gone.url).port);
    const back = await startDeeplCompatibleServer({ key: 'k', port });
    await until(() => waiting.pairs.length > 0);
    expect(await translateTexts(waiting, ['Hello.'])).toEqual(['Hola.']);
    await waiting.close();
    await back.close();
  });

  it('requires a key and an address', async () => {
    const log = recordLog();
    const keyless = await createDeeplUpstream({ log, url: server.url, key: undefined });
    expect('reason' in keyless && keyless.reason).toContain('DEEPL_KEY');
    const lost = await createDeeplUpstream({ log, url: 'ftp://x', key: 'k' });
    expect('reason' in lost && lost.reason).toContain('DEEPL_URL');
  });
});
