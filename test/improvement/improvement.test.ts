/**
 * Improvement with real engines: harmful answers of a model are rejected, and an unavailable model delays
 * nobody.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createDetector } from '../../server/engines/detection/detector.ts';
import type { DetectionEngine, ImprovementEngine } from '../../server/engines/engine.ts';
import { createChatImprovement } from '../../server/engines/improvement/chat-improvement.ts';
import { createHunspell } from '../../server/engines/improvement/hunspell.ts';
import { createImprovement, type Improvement } from '../../server/improvement/improvement.ts';
import { runningImprover } from '../engines/improvement-conformance.ts';
import { recordLog } from '../support/product/log-record.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatQuestion,
  type ChatServer,
} from '../support/services/openai-chat-server.ts';

let server: ChatServer;
let detector: DetectionEngine;
let speller: ImprovementEngine;
let chat: ImprovementEngine;
let improvement: Improvement;
const log = recordLog();
beforeAll(async () => {
  server = await startChatServer();
  detector = createDetector({ log });
  await detector.prepare([]);
  speller = runningImprover(await createHunspell({ log }));
});
afterAll(async () => {
  await speller.close();
  await server.close();
});
beforeEach(async () => {
  server.reset();
  const access = { url: server.apiUrl, model: 'pseudo' };
  chat = runningImprover(await createChatImprovement({ log, ...access, retries: 0 }));
  improvement = createImprovement({ engines: [chat, speller], detector, log });
});
afterEach(() => chat.close());

const wrong = 'Wir haben 20 Briefe nciht gelesen, sagte Frau Berg aus Wien.';
const right = 'Wir haben 20 Briefe nicht gelesen, sagte Frau Berg aus Wien.';
const saying = (edit: (text: string) => string) => {
  server.say = ({ items }: ChatQuestion) =>
    JSON.stringify({ items: items.map(({ id, text }) => ({ id, text: edit(text) })) });
};
const improve = (
  task: 'correct' | 'rephrase',
  texts: string[],
  more: { writingStyle?: 'business' } = {},
) =>
  improvement.improve(texts, {
    language: 'de',
    task,
    signal: new AbortController().signal,
    ...more,
  });

describe("a model's answer", () => {
  it('is accepted where it is an improvement', async () => {
    saying(() => 'Frau Berg aus Wien sagte, wir hätten 20 Briefe noch nicht gelesen.');
    expect(await improve('rephrase', [wrong])).toEqual([
      'Frau Berg aus Wien sagte, wir hätten 20 Briefe noch nicht gelesen.',
    ]);
  });

  it.each([
    ['loses a number', () => right.replace('20 ', '')],
    [
      'is in another language',
      () => 'We did not read 20 letters, said Mrs Berg from Vienna, our boss.',
    ],
    ['is endless', (text: string) => `${text} Das ist alles sehr schön und gut gesagt. `.repeat(3)],
    ['is hardly anything', () => '20 Wien'],
  ])('is replaced by a correction where it %s', async (_, edit) => {
    saying(edit);
    expect(await improve('rephrase', [wrong])).toEqual([right]);
    expect(await improve('correct', [wrong])).toEqual([right]);
  });

  it('is replaced by the original text where no other engine knows the language', async () => {
    saying(() => 'Something else altogether, without any of it');
    const polish = 'Dzieci bawią się w ogrodzie, a potem wracają powoli do domu.';
    const options = { language: 'pl', task: 'correct', signal: new AbortController().signal };
    expect(await improvement.improve([polish], options as never)).toEqual([polish]);
  });

  it('is judged for each text separately', async () => {
    saying((text) => (text.includes('nciht') ? 'Nein.' : text.replace('hat', 'besitzt')));
    const other = 'Sie hat ein Haus am Meer und ein Boot.';
    expect(await improve('rephrase', [wrong, other])).toEqual([
      right,
      'Sie besitzt ein Haus am Meer und ein Boot.',
    ]);
    const refusals = log.lines.filter(({ message }) => message === 'improvements refused');
    expect(refusals.at(-1)?.fields).toEqual({ engine: 'chat', texts: 1 });
  });
});

describe('an unavailable model', () => {
  it('is replaced by the corrector, and not asked again for a while', async () => {
    server.always = { status: 500 };
    expect(await improve('rephrase', [wrong])).toEqual([right]);
    expect(improvement.outages().map(({ name }) => name)).toEqual(['chat']);
    const asked = chatQuestions(server).length;
    expect(await improve('correct', [wrong])).toEqual([right]);
    expect(chatQuestions(server)).toHaveLength(asked);
  });

  it('is an error for a request with a style', async () => {
    server.always = { status: 500 };
    await expect(improve('rephrase', [wrong], { writingStyle: 'business' })).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
    await expect(improve('rephrase', [wrong], { writingStyle: 'business' })).rejects.toMatchObject({
      code: 'engine_unavailable',
    });
  });
});

describe('the languages of improvement', () => {
  it('are those of the engines, with variants by their base language', () => {
    expect(['de', 'pt-BR', 'en-GB', 'ja', 'de-CH'].map((tag) => improvement.serves(tag))).toEqual(
      Array(5).fill(true),
    );
    const offline = createImprovement({ engines: [speller], detector, log });
    expect(['de', 'pt-BR', 'ja', 'en'].map((tag) => offline.serves(tag))).toEqual([
      ...[true, true, false, false],
    ]);
    const forms = [improvement, offline].map((each) => each.forms('de').has('business'));
    expect(forms).toEqual([true, false]);
  });
});
