/** What the first who come wait for: each route at once after a start, after fifteen seconds, and again. */
import { setTimeout as delay } from 'node:timers/promises';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { startServer, type RunningServer } from '../support/product/server.ts';
import type { Print } from './benchmarks.ts';
import { figure, printTable } from './figures.ts';

export const name = 'first-minute';
export const description =
  'the first answer of each route: at once after a start, after fifteen seconds, and the one after it';

/** By then what starts slowly has been started ahead. */
const LATER_MS = 15_000;
/** Between two questions whether a document is done. */
const POLLING_MS = 100;
/** What nobody should wait longer for, in ms: the next one is said beside it. */
const LONG_MS = 1_000;

/** What is asked of a route, besides its method and its path. */
interface Question {
  /** Tells questions to the same route apart. */
  about?: string;
  /** Values of `{name}` in the path. */
  places?: Record<string, string>;
  query?: Record<string, string>;
  body?: object;
  key?: string;
  /** Of a link to a room, in the place of an API key. */
  roomKey?: string | undefined;
}

/** Asks a route such as `GET /v2/usage`. @returns its JSON, or nothing of another kind of answer */
type Ask = (route: string, question?: Question) => Promise<Record<string, unknown>>;

/** What one client does at a server, whose first answers are measured together. */
type Visit = (ask: Ask, server: RunningServer) => Promise<void>;

/** A visit that asks one route. */
function alone(route: string, question?: Question): Visit {
  return async (ask) => {
    await ask(route, question);
  };
}

function translation(about: string, body: object): Visit {
  return alone('POST /v2/translate', { about, body });
}

const visits: readonly Visit[] = [
  alone('GET /'),
  alone('GET /console/'),
  alone('GET /docs'),
  alone('GET /v2/usage'),
  alone('POST /v2/usage'),
  translation('EN to ES', {
    text: ['Good morning, everybody.'],
    source_lang: 'EN',
    target_lang: 'ES',
  }),
  translation('EN to FR by way of ES, with tags', {
    text: ['The <b>house</b> is <i>old</i>.'],
    source_lang: 'EN',
    target_lang: 'FR',
    tag_handling: 'html',
  }),
  translation('two words in a language to be found out', {
    text: ['good morning'],
    target_lang: 'ES',
  }),
  alone('POST /v3/detect/language', { body: { text: ['Where is the station?'] } }),
  alone('POST /v2/write/correct', {
    about: 'English',
    body: { text: ['We recieve alot of letters.'], target_lang: 'en-US' },
  }),
  alone('POST /v2/write/rephrase', {
    about: 'English in a style',
    body: {
      text: ["It's not ready. We don't know why they won't come."],
      target_lang: 'en-US',
      writing_style: 'business',
    },
  }),
  alone('POST /v2/write/rephrase', {
    about: 'German',
    body: { text: ['Das ist nciht gut.'], target_lang: 'de' },
  }),
  visitLanguages,
  visitDocuments,
  visitVoice,
  visitGlossaries,
  visitOlderGlossaries,
  visitSpokenTerms,
  visitStyleRules,
  visitRooms,
  alone('GET /v3/translation_memories'),
  administer,
  visitOperation,
];

async function visitLanguages(ask: Ask): Promise<void> {
  await ask('GET /v3/languages', { query: { resource: 'translate_text' } });
  await ask('GET /v3/languages/resources');
  await ask('GET /v2/languages');
  await ask('POST /v2/languages');
  await ask('GET /v2/glossary-language-pairs');
  await ask('POST /v2/glossary-language-pairs');
}

/** One document until it has been fetched, one whose address is asked as older clients do, and one given up. */
async function visitDocuments(ask: Ask): Promise<void> {
  const upload = async () => {
    const form = new FormData();
    form.set('target_lang', 'ES');
    form.set('source_lang', 'EN');
    form.set('file', new File(['The house is old.\n'], 'a.txt'));
    const sent = await ask('POST /v2/document', { body: form });
    const places = { document_id: String(sent['document_id']) };
    return { places, key: { document_key: String(sent['document_key']) } };
  };
  const translated = async () => {
    const { places, key } = await upload();
    for (;;) {
      const { status } = await ask('POST /v2/document/{document_id}', { places, body: key });
      if (status === 'done') return { places, key };
      if (status === 'error') throw new Error('The document was not translated.');
      await delay(POLLING_MS);
    }
  };
  const one = await translated();
  await ask('POST /v2/document/{document_id}/result', { places: one.places, body: one.key });
  const other = await translated();
  await ask('GET /v2/document/{document_id}', { places: other.places, query: other.key });
  await ask('GET /v2/document/{document_id}/result', { places: other.places, query: other.key });
  const last = await upload();
  await ask('DELETE /v2/document/{document_id}', { places: last.places, query: last.key });
}

async function visitVoice(ask: Ask): Promise<void> {
  const { token } = await ask('POST /v3/voice/realtime', {
    body: {
      source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
      source_language: 'en',
      target_languages: ['es'],
    },
  });
  await ask('GET /v3/voice/realtime', { query: { token: String(token) } });
}

const ENTRIES = { entries: 'house\tmorada', entries_format: 'tsv' };
const PAIR = { source_lang: 'en', target_lang: 'es' };

async function visitGlossaries(ask: Ask): Promise<void> {
  const made = await ask('POST /v3/glossaries', {
    body: { name: 'Terms', dictionaries: [{ ...PAIR, ...ENTRIES }] },
  });
  const places = { glossary_id: String(made['glossary_id']) };
  const path = '/v3/glossaries/{glossary_id}';
  await ask('GET /v3/glossaries');
  await ask(`GET ${path}`, { places });
  await ask(`PATCH ${path}`, { places, body: { name: 'Words' } });
  await ask(`PUT ${path}/dictionaries`, { places, body: { ...PAIR, ...ENTRIES } });
  await ask(`GET ${path}/entries`, { places, query: PAIR });
  await ask('POST /v2/translate', {
    about: 'EN to ES with a glossary',
    body: { text: ['The house is old.'], glossary_id: places.glossary_id, ...PAIR },
  });
  await ask(`DELETE ${path}/dictionaries`, { places, query: PAIR });
  await ask(`DELETE ${path}`, { places });
}

async function visitOlderGlossaries(ask: Ask): Promise<void> {
  const made = await ask('POST /v2/glossaries', { body: { name: 'Terms', ...PAIR, ...ENTRIES } });
  const places = { glossary_id: String(made['glossary_id']) };
  await ask('GET /v2/glossaries');
  await ask('GET /v2/glossaries/{glossary_id}', { places });
  await ask('GET /v2/glossaries/{glossary_id}/entries', { places });
  await ask('DELETE /v2/glossaries/{glossary_id}', { places });
}

async function visitSpokenTerms(ask: Ask): Promise<void> {
  const made = await ask('POST /v3/spoken_terms', {
    body: { name: 'Names', language: 'en', terms: ['Dragoman'] },
  });
  const places = { spoken_terms_id: String(made['spoken_terms_id']) };
  await ask('GET /v3/spoken_terms');
  await ask('GET /v3/spoken_terms/{spoken_terms_id}', { places });
  await ask('DELETE /v3/spoken_terms/{spoken_terms_id}', { places });
}

async function visitStyleRules(ask: Ask): Promise<void> {
  const made = await ask('POST /v3/style_rules', { body: { name: 'House', language: 'en' } });
  const style = { style_id: String(made['style_id']) };
  const list = '/v3/style_rules/{style_id}';
  await ask('GET /v3/style_rules');
  await ask(`GET ${list}`, { places: style });
  await ask(`PATCH ${list}`, { places: style, body: { name: 'Home' } });
  await ask(`PUT ${list}/configured_rules`, { places: style, body: {} });
  const instruction = { label: 'Short', prompt: 'Write short sentences.' };
  const path = `${list}/custom_instructions`;
  const added = await ask(`POST ${path}`, { places: style, body: instruction });
  const places = { ...style, instruction_id: String(added['id']) };
  await ask(`GET ${path}/{instruction_id}`, { places });
  await ask(`PUT ${path}/{instruction_id}`, { places, body: instruction });
  await ask(`DELETE ${path}/{instruction_id}`, { places });
  await ask(`DELETE ${list}`, { places: style });
}

async function visitRooms(ask: Ask): Promise<void> {
  const rooms = '/v1/rooms/{room_id}';
  const made = await ask('POST /v1/rooms', {
    body: { name: 'Main stage', languages: ['es'], access: 'passcode', passcode: '482913' },
  });
  const places = { room_id: String(made['room_id']) };
  await ask('GET /v1/rooms');
  await ask(`GET ${rooms}`, { places });
  await ask(`PATCH ${rooms}`, { places, body: { name: 'The hall' } });
  const link = await ask(`POST ${rooms}/links`, { places, body: { role: 'viewer' } });
  await ask(`GET ${rooms}/links`, { places });
  const gone = { ...places, link_id: String(link['link_id']) };
  await ask(`DELETE ${rooms}/links/{link_id}`, { places: gone });
  await ask(`GET ${rooms}/code.svg`, { places });
  const said = await ask(`POST ${rooms}/captions`, { places, body: { text: 'Good morning.' } });
  const roomKey = /#key=(.*)$/.exec(String(made['speaker_url']))?.[1];
  await visitWithRoomKey(ask, { places, roomKey, line: String(said['line']) });
  await ask(`GET ${rooms}/transcript`, { places, query: { language: 'es' } });
  await ask(`DELETE ${rooms}/transcript`, { places });
  await ask(`DELETE ${rooms}`, { places });
}

/** What readers, speakers and captioners do. */
async function visitWithRoomKey(
  ask: Ask,
  {
    places,
    roomKey,
    line,
  }: { places: { room_id: string }; roomKey: string | undefined; line: string },
): Promise<void> {
  const live = '/v1/rooms/{room_id}/live';
  await ask(`GET ${live}/entry`, { places });
  await ask(`POST ${live}/entry`, { places, body: { passcode: '482913' } });
  await ask(`GET ${live}/room`, { places, roomKey });
  await ask(`GET ${live}/code.svg`, { places, roomKey });
  await ask(`POST ${live}/captions`, { places, roomKey, body: { text: 'Welcome.' } });
  await ask(`POST ${live}/state`, { places, roomKey, body: { paused: false } });
  await ask(`GET ${live}`, { places, roomKey, query: { language: 'es' } });
  const clip = { ...places, language: 'spoken', line };
  await ask(`GET ${live}/speech/{language}/{line}`, { places: clip, roomKey });
  await ask(`POST ${live}/session`, {
    places,
    roomKey,
    body: {
      source_media_content_type: 'audio/pcm;encoding=s16le;rate=16000',
      source_language: 'en',
    },
  });
}

async function administer(ask: Ask, server: RunningServer): Promise<void> {
  const storage = await openEmbedded(server.dataFolder);
  const { secret: key } = await platformOver(storage).newcomer(
    { features: ['admin'] },
    { kind: 'admin' },
  );
  await storage.close();
  const keys = '/v2/admin/developer-keys';
  const made = await ask(`POST ${keys}`, { key, body: { label: 'site' } });
  const key_id = String(made['key_id']);
  await ask(`GET ${keys}`, { key });
  await ask(`PUT ${keys}/label`, { key, body: { key_id, label: 'page' } });
  await ask(`PUT ${keys}/limits`, { key, body: { key_id, characters: 100 } });
  await ask(`PUT ${keys}/deactivate`, { key, body: { key_id } });
  const query = { start_date: '2026-01-01', end_date: '2026-01-31' };
  await ask('GET /v2/admin/analytics', { key, query });
  await ask('GET /v2/admin/analytics/custom-tags', { key, query });
}

async function visitOperation(ask: Ask): Promise<void> {
  await ask('GET /healthz');
  await ask('GET /readyz');
  await ask('GET /metrics');
}

/** How long the first answer to each question took, in ms, by what was asked. */
type Waits = Map<string, number>;

async function timeVisit(visit: Visit, server: RunningServer): Promise<Waits> {
  const waits: Waits = new Map();
  await visit(async (route, question = {}) => {
    const startedMs = performance.now();
    const answer = await fetchRoute(server, route, question);
    const label = question.about === undefined ? route : `${route}: ${question.about}`;
    if (!waits.has(label)) waits.set(label, performance.now() - startedMs);
    return answer;
  }, server);
  return waits;
}

async function fetchRoute(server: RunningServer, route: string, question: Question) {
  const { places = {}, query = {}, body, key, roomKey } = question;
  const [method = '', path = ''] = route.split(' ');
  const place = path.replace(/\{(\w+)\}/g, (_, name: string) => places[name] ?? '');
  const search = new URLSearchParams(query).toString();
  const isForm = body instanceof FormData;
  const response = await server.send(search === '' ? place : `${place}?${search}`, {
    method,
    headers: {
      ...(key !== undefined && { Authorization: `DeepL-Auth-Key ${key}` }),
      ...(roomKey !== undefined && { Authorization: `Room-Key ${roomKey}` }),
      ...(body !== undefined && !isForm && { 'Content-Type': 'application/json' }),
    },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  });
  if (response.headers.get('content-type')?.startsWith('text/event-stream') === true) {
    // It has no end.
    const reader = response.body?.getReader();
    await reader?.read();
    await reader?.cancel();
    return {};
  }
  const text = await response.text();
  if (!response.ok) throw new Error(`${route}: ${response.status} ${text}`);
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return isJson ? (JSON.parse(text) as Record<string, unknown>) : {};
}

/** Asks every route once, one after the other. @returns the routes, such as `GET /v2/usage` */
export async function askEveryRoute(server: RunningServer): Promise<string[]> {
  const routes = new Set<string>();
  for (const visit of visits) {
    for (const label of (await timeVisit(visit, server)).keys()) routes.add(label.split(':')[0]!);
  }
  return [...routes];
}

export async function run(print: Print): Promise<void> {
  const atOnce: Waits = new Map();
  for (const visit of visits) {
    await withServer(async (server) => {
      for (const [label, wait] of await timeVisit(visit, server)) atOnce.set(label, wait);
    });
  }
  const rows: string[][] = [];
  await withServer(async (server) => {
    await delay(LATER_MS);
    for (const visit of visits) {
      const later = await timeVisit(visit, server);
      const again = await timeVisit(visit, server);
      for (const [label, wait] of later) {
        const waits = [atOnce.get(label) ?? 0, wait, again.get(label) ?? 0];
        rows.push([label, ...waits.map(figure), wait > LONG_MS ? 'long' : '']);
      }
    }
  });
  printTable(print, [['ms', 'at once', 'after 15 s', 'again', ''], ...rows]);
}

async function withServer(work: (server: RunningServer) => Promise<void>): Promise<void> {
  const server = await startServer({ WARM_UP: 'on', CONSOLE: 'on', LOG_LEVEL: 'warn' });
  try {
    await work(server);
  } finally {
    await server.stop();
  }
}
