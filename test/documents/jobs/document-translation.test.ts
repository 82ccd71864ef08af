import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { createDetector } from '../../../server/engines/detection/detector.ts';
import type { DetectionEngine, TranslationEngine } from '../../../server/engines/engine.ts';
import { createChat } from '../../../server/engines/translation/chat.ts';
import { createLibreTranslate } from '../../../server/engines/translation/libretranslate.ts';
import { createDetection } from '../../../server/translation/detection.ts';
import type { DocumentWish } from '../../../server/documents/jobs/document-order.ts';
import {
  createDocumentTranslator,
  type DocumentTranslator,
  type DocumentWork,
} from '../../../server/documents/jobs/document-translation.ts';
import {
  createDocumentProcesses,
  type DocumentProcess,
} from '../../../server/documents/jobs/document-process.ts';
import { createTextStyle } from '../../../server/style-rules/text-style.ts';
import { createUsualLanguages } from '../../../server/translation/account-texts.ts';
import { createTranslation } from '../../../server/translation/translation.ts';
import { createWishResolver } from '../../../server/translation/wishes.ts';
import { buildTermIndex } from '../../../server/glossaries/terms/term-index.ts';
import { DocumentError } from '../../../server/documents/formats/format.ts';
import { ServiceError } from '../../../shared/errors.ts';
import { running } from '../../engines/remote-support.ts';
import { startLibreTranslateServer } from '../../support/services/libretranslate-server.ts';
import { recordLog } from '../../support/product/log-record.ts';
import {
  chatQuestions,
  startChatServer,
  type ChatServer,
} from '../../support/services/openai-chat-server.ts';
import { until } from '../../support/product/server.ts';

let server: ChatServer;
let chat: TranslationEngine;
let detector: DetectionEngine;
const log = recordLog();

const processes = createDocumentProcesses({
  limits: { timeMs: 60_000, memoryBytes: 2 ** 30 },
  log,
});
/** Reads and writes the documents of all tests, one after the other: to start takes longer than most of them. */
let process: DocumentProcess;

beforeAll(async () => {
  process = await processes.take(new AbortController().signal);
  server = await startChatServer();
  chat = running(
    await createChat({ log, url: server.apiUrl, model: 'pseudo', languages: ['en', 'es', 'de'] }),
  );
  // Without dictionaries, which take seconds to load.
  const folder = import.meta.dirname;
  detector = createDetector({ log, modesFolder: folder, dictionaryFolder: folder });
});
afterAll(async () => {
  await chat.close();
  await server.close();
  await processes.close();
});
beforeEach(() => server.reset());

const reused = {
  ended: new Promise<never>(() => undefined),
  open: (...asked: Parameters<DocumentProcess['open']>) => process.open(...asked),
  sentences: (...asked: Parameters<DocumentProcess['sentences']>) => process.sentences(...asked),
  write: (...asked: Parameters<DocumentProcess['write']>) => process.write(...asked),
  end: () => undefined,
};

function translatorWith(engine: TranslationEngine, isAlone: boolean): DocumentTranslator {
  const translation = createTranslation({ engines: [engine], log });
  const usualLanguages = createUsualLanguages();
  const wishes = createWishResolver({
    translation,
    detection: createDetection(detector, translation, usualLanguages),
    usualLanguages,
    glossaries: {
      async glossaryFor({ ids, source, target }) {
        expect(ids).toEqual(['g']);
        return buildTermIndex('house\thogar\n', { language: source, targetLanguage: target });
      },
    },
    styleRules: {
      async styleFor({ id, target }) {
        if (id !== 's') throw new ServiceError('not_found', 'There is no style rule list.');
        const rules = { punctuation: { quotation_mark: 'use_guillemets' } };
        return createTextStyle({ target, rules, instructions: [] });
      },
    },
    translationMemories: {
      searchFor: () => Promise.reject(new ServiceError('not_found', 'There is no memory.')),
    },
  });
  return createDocumentTranslator({
    wishes,
    processes: isAlone ? processes : { take: async () => reused },
  });
}

interface Outcome {
  text: string;
  characters: number;
  shares: number[];
  kept: Uint8Array[];
}

/** Translates a plain text from English to Spanish, in a process of its own if it `isAlone`. */
async function translate(
  text: string,
  wish: Partial<DocumentWish> = {},
  work: Partial<DocumentWork> & {
    engine?: TranslationEngine;
    kept?: Uint8Array[];
    isAlone?: boolean;
  } = {},
): Promise<Outcome> {
  const { engine = chat, kept = [], isAlone = false, ...rest } = work;
  const shares: number[] = [];
  const { file, characters } = await translatorWith(engine, isAlone).translate({
    file: Buffer.from(text),
    accountId: 'a',
    wish: {
      input: 'txt',
      output: 'txt',
      source: 'en',
      target: 'es',
      glossaryIds: [],
      maxCharacters: 1_000_000,
      isFree: false,
      ...wish,
    },
    progress: {
      async *parts() {
        yield* kept;
      },
      async keep(part) {
        kept.push(part);
      },
    },
    onShare: (share) => shares.push(share),
    signal: new AbortController().signal,
    ...rest,
  });
  return { text: Buffer.from(file).toString(), characters, shares, kept };
}

const asked = () => chatQuestions(server).flatMap(({ items }) => items.map(({ text }) => text));
const refusal = (code: string, message: unknown) =>
  expect.objectContaining({ constructor: ServiceError, code, message }) as unknown;

/** Returns a text of many different sentences. */
const longText = (count: number) =>
  Array.from({ length: count }, (_, index) => `The book of friend ${index} is good.`).join('\n');

describe('the translation of a document', () => {
  it('requests each different sentence once and keeps the text between', async () => {
    const source =
      'Hello, friend.  The house is new. Hello, friend.\r\n\r\n  - The house is new.\r\n';
    const { text, characters } = await translate(source);
    expect(text).toBe(
      'Hola, amigo.  La casa es nueva. Hola, amigo.\r\n\r\n  - La casa es nueva.\r\n',
    );
    expect(characters).toBe(source.length);
    expect(asked()).toEqual(['Hello, friend.', 'The house is new.']);
  });

  it('applies its style rule list, and fails with a reason when the list is gone', async () => {
    const source = 'The "house" is new.\n';
    expect((await translate(source, { styleId: 's' })).text).toBe('La «casa» es nueva.\n');
    const work = translate(source, { styleId: 'gone' });
    await expect(work).rejects.toEqual(refusal('not_found', expect.stringContaining('style rule')));
  });

  it('keeps numbers, codes and placeholders', async () => {
    const source =
      '12,345.67\nISO-9001\nThe number {count} is good: see https://example.org/the/house.\n';
    const { text } = await translate(source);
    expect(text).toBe(
      '12,345.67\nISO-9001\nLa número {count} es buena: see https://example.org/the/house.\n',
    );
    expect(asked()).toHaveLength(1);
  });

  it('sends bounded surrounding context with each request', async () => {
    await translate(longText(60));
    const questions = chatQuestions(server);
    expect(questions.length).toBeGreaterThan(2);
    const later = questions.find(({ items }) => items[0]?.text.includes('friend 24 '));
    expect(later?.context).toMatch(/^\S+ .*friend 23 is good\. The book of friend 48 is good\./);
    for (const { context = '' } of questions) expect(context.length).toBeLessThanOrEqual(801);
  });

  it('reports increasing progress until the end', async () => {
    const { shares, text } = await translate(longText(120));
    expect(text).toBe(
      longText(120)
        .replaceAll('The book of', 'La libro of')
        .replaceAll('friend', 'amigo')
        .replaceAll(' is good', ' es buena'),
    );
    expect(shares.length).toBeGreaterThan(6);
    expect(shares).toEqual([...shares].sort((a, b) => a - b));
    expect(shares.at(-1)).toBe(1);
  });

  it('resumes where another worker ended', async () => {
    const kept: Uint8Array[] = [];
    const stop = new AbortController();
    server.say = (question) => {
      if (chatQuestions(server).length > 4) stop.abort(new Error('The worker ends.'));
      return JSON.stringify({
        items: question.items.map(({ id, text }) => ({ id, text: `1: ${text}` })),
      });
    };
    const first = translate(longText(240), {}, { kept, signal: stop.signal });
    await expect(first).rejects.toThrow('The worker ends.');
    // A part that is still being kept, or asked for, is too late.
    const inTime = [...kept];
    expect(inTime.length).toBeGreaterThan(0);
    server.reset();
    server.say = ({ items }) =>
      JSON.stringify({ items: items.map(({ id, text }) => ({ id, text: `2: ${text}` })) });
    const { text } = await translate(longText(240), {}, { kept: [...inTime] });
    const lines = text.split('\n');
    expect(lines).toHaveLength(240);
    const doneBefore = lines.filter((line) => line.startsWith('1: ')).length;
    expect(doneBefore).toBe(inTime.length * 24);
    expect(new Set(asked()).size).toBe(240 - doneBefore);
    expect(lines.every((line) => /^[12]: The book of friend \d+ is good\.$/.test(line))).toBe(true);
  });

  it('ignores unreadable progress', async () => {
    const kept = [Buffer.from('[["k'), Buffer.from('{}'), Buffer.from('[["key"]]')];
    const { text } = await translate('The house.', {}, { kept });
    expect(text).toBe('La casa.');
  });

  it('fails with the error of progress that another worker has taken over', async () => {
    const lost = new Error('The claim is lost.');
    const progress = {
      async *parts() {
        yield* [];
      },
      keep: () => Promise.reject(lost),
    };
    await expect(translate(longText(200), {}, { progress })).rejects.toBe(lost);
  });

  it('completes only after all of it is stored, one part after the other', async () => {
    const waiting: (() => void)[] = [];
    const shares: number[] = [];
    const progress = {
      async *parts() {
        yield* [];
      },
      keep: () => new Promise<void>((resolve) => void waiting.push(resolve)),
    };
    let isDone = false;
    const work = translate(longText(30), {}, { progress, onShare: (share) => shares.push(share) });
    const outcome = work.then(() => (isDone = true));
    for (const part of [1, 2]) {
      // Two portions: both have been translated.
      await until(() => shares.at(-1) === 0.95 && waiting.length > 0);
      expect({ part, waiting: waiting.length, isDone }).toEqual({
        part,
        waiting: 1,
        isDone: false,
      });
      waiting.pop()?.();
    }
    expect(await outcome).toBe(true);
  });

  it('stops requests on abort', async () => {
    const stop = new AbortController();
    server.hold = new Promise(() => undefined);
    onTestFinished(() => void (server.hold = undefined));
    const work = translate('The house.', {}, { signal: stop.signal });
    const outcome = expect(work).rejects.toThrow('Nobody waits.');
    await until(() => server.requests.length > 0);
    stop.abort(new Error('Nobody waits.'));
    await outcome;
  });

  it('yields to others during a file that is built to take long', async () => {
    const slow = translate(`${'A1'.repeat(100_000)} house`, {}, { isAlone: true });
    const outcome = slow.catch((error: unknown) => error);
    const { text } = await translate('The house is new.', {}, { isAlone: true });
    expect(text).toBe('La casa es nueva.');
    const huge = await outcome;
    if (huge instanceof Error) expect(huge).toBeInstanceOf(DocumentError);
    else expect(huge).toHaveProperty('text', expect.stringMatching(/A1 casa$/));
  });

  it('returns a document without words unchanged', async () => {
    const { text } = await translate('1\t2\n3\t4\n', { source: undefined as never });
    expect(text).toBe('1\t2\n3\t4\n');
    expect(asked()).toEqual([]);
  });

  it('refuses a document beyond the character limit', async () => {
    const work = translate('Hello, friend.', { maxCharacters: 13 });
    await expect(work).rejects.toThrow(/more than 13 characters/);
  });
});

describe('the languages of a document', () => {
  const spanish =
    'La casa es nueva y la puerta es vieja. Mi amigo tiene un libro sobre el río de la ciudad.';

  it('are detected even if its first lines are in another language', async () => {
    const english =
      'The old house stands beside the river, and nobody has opened its door for many years.\n';
    const { text } = await translate(`Casa\n${english.repeat(30)}`, { source: undefined as never });
    expect(text).toMatch(/^Casa\nLa vieja casa/);
  });

  it.each([
    ['html', '<html lang="de-DE"><p>Name<p>Status<p>Server<p>Version<p>Details</html>'],
    [
      'xliff',
      '<xliff version="1.2"><file source-language="de"><body>' +
        ['Name', 'Status', 'Server', 'Version', 'Details']
          .map((word) => `<trans-unit id="${word}"><source>${word}</source></trans-unit>`)
          .join('') +
        '</body></file></xliff>',
    ],
  ] as const)('are those that an %s file declares if its words fit them', async (input, file) => {
    await translate(file, { input, output: input, source: undefined as never, target: 'en' });
    expect(chatQuestions(server)).toMatchObject([{ source_language: 'German (de)' }]);
  });

  it.each([
    ['es-419', undefined],
    ['en-GB', 'en'],
  ])('must differ: %s from %s', async (target, source) => {
    const text = source === 'en' ? 'The house is new.' : spanish;
    await expect(translate(text, { target, source: source as never })).rejects.toEqual(
      refusal('invalid_request', 'Source and target language are equal.'),
    );
    expect(asked()).toEqual([]);
  });

  it('must be served by an engine', async () => {
    await expect(translate(spanish, { source: undefined as never, target: 'fr' })).rejects.toEqual(
      refusal(
        'invalid_request',
        expect.stringContaining('no running engine translates that to FR'),
      ),
    );
  });
});

describe('the options of a document', () => {
  it('reach the engine', async () => {
    await translate('The house is new.', {
      target: 'de',
      formality: { wish: 'more', insists: true },
    });
    expect(chatQuestions(server)).toMatchObject([{ formality: 'formal', sentences: 'whole' }]);
  });

  it('are refused if they insist on an unsupported formality', async () => {
    const plainServer = await startLibreTranslateServer();
    const engine = running(await createLibreTranslate({ log, url: plainServer.url }));
    onTestFinished(async () => {
      await engine.close();
      await plainServer.close();
    });
    const formality = { wish: 'more', insists: true } as const;
    await expect(translate('The house.', { formality }, { engine })).rejects.toEqual(
      refusal('invalid_request', expect.stringContaining('formality')),
    );
    const prefers = { formality: { wish: 'more', insists: false } } as const;
    expect((await translate('The house.', prefers, { engine })).text).toBe('La casa.');
  });

  it('apply the terms of glossaries', async () => {
    const { text } = await translate('The new house is good.', { glossaryIds: ['g'] });
    expect(text).toBe('La nueva hogar es buena.');
  });
});
