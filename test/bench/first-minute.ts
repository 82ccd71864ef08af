/** What the first who come wait for: each route at once after a start, after fifteen seconds, and again. */
import { setTimeout as delay } from 'node:timers/promises';
import { startServer, type TestServer } from '../support/product/server.ts';
import { requestSession } from '../support/product/voice-client.ts';
import type { Print } from './benchmarks.ts';
import { figure, printTable } from './figures.ts';

export const name = 'first-minute';
export const description =
  'the first answer of each route: at once after a start, after fifteen seconds, and the one after it';

/** By then what starts slowly has been started ahead. */
const LATER_MS = 15_000;
/** What nobody should wait longer for, in ms: the next one is told beside it. */
const LONG_MS = 1_000;

type Ask = (server: TestServer) => Promise<unknown>;

const ask =
  (pathname: string, body: object): Ask =>
  async (server) => {
    const response = await server.post(pathname, body);
    if (!response.ok) throw new Error(`${pathname}: ${response.status} ${await response.text()}`);
    return (await response.json()) as unknown;
  };
const look =
  (pathname: string): Ask =>
  async (server) => {
    const response = await server.send(pathname, { method: 'GET' });
    if (!response.ok) throw new Error(`${pathname}: ${response.status}`);
    return await response.arrayBuffer();
  };

const routes: readonly (readonly [name: string, ask: Ask])[] = [
  ['demo page', look('/')],
  ['usage', look('/v2/usage')],
  ['languages', look('/v3/languages?resource=translate_text')],
  [
    'translate, EN to ES',
    ask('/v2/translate', {
      text: ['Good morning, everybody.'],
      ...{ source_lang: 'EN', target_lang: 'ES' },
    }),
  ],
  [
    'translate, EN to FR by way of ES, with tags',
    ask('/v2/translate', {
      text: ['The <b>house</b> is <i>old</i>.'],
      ...{ source_lang: 'EN', target_lang: 'FR', tag_handling: 'html' },
    }),
  ],
  [
    'translate, two words in a language to be found out',
    ask('/v2/translate', { text: ['good morning'], target_lang: 'ES' }),
  ],
  ['detect a language', ask('/v3/detect/language', { text: ['Where is the station?'] })],
  [
    'correct English',
    ask('/v2/write/correct', { text: ['We recieve alot of letters.'], target_lang: 'en-US' }),
  ],
  [
    'rephrase English in a style',
    ask('/v2/write/rephrase', {
      text: ["It's not ready. We don't know why they won't come."],
      ...{ target_lang: 'en-US', writing_style: 'business' },
    }),
  ],
  [
    'rephrase German',
    ask('/v2/write/rephrase', { text: ['Das ist nciht gut.'], target_lang: 'de' }),
  ],
  ['a document of text', translateDocument],
  ['a voice session', (server) => requestSession(server, { target_languages: ['es'] })],
];

export async function run(print: Print): Promise<void> {
  const atOnce: number[] = [];
  for (const [, route] of routes) {
    await withServer(async (server) => {
      atOnce.push(await timed(() => route(server)));
    });
  }
  const rows: string[][] = [];
  await withServer(async (server) => {
    await delay(LATER_MS);
    for (const [index, [label, route]] of routes.entries()) {
      const later = await timed(() => route(server));
      const again = await timed(() => route(server));
      const first = atOnce[index] ?? 0;
      rows.push([label, ...[first, later, again].map(figure), later > LONG_MS ? 'long' : '']);
    }
  });
  printTable(print, [['ms', 'at once', 'after 15 s', 'again', ''], ...rows]);
}

async function withServer(work: (server: TestServer) => Promise<void>): Promise<void> {
  const server = await startServer({ WARM_UP: 'on', LOG_LEVEL: 'warn' });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return performance.now() - startedMs;
}

/** Until its translation has been fetched. */
async function translateDocument(server: TestServer): Promise<void> {
  const form = new FormData();
  form.set('target_lang', 'ES');
  form.set('source_lang', 'EN');
  form.set('file', new File(['The house is old.\n'], 'a.txt'));
  const sent = await server.send('/v2/document', { method: 'POST', body: form });
  const { document_id: id, document_key: key } = (await sent.json()) as Record<string, string>;
  const of = (path: string) => ask(path, { document_key: key });
  for (;;) {
    const { status } = (await of(`/v2/document/${id}`)(server)) as { status: string };
    if (status === 'done') break;
    if (status === 'error') throw new Error('The document was not translated.');
  }
  await server.post(`/v2/document/${id}/result`, { document_key: key });
}
