/**
 * What remains of an event on disk: nothing when nothing is to be kept, otherwise everything, even after a
 * crash.
 */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { temporaryFolder } from '../support/machine/temporary-folder.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../support/product/hosted-server.ts';
import { requestsTo, startServer, until, type RunningServer } from '../support/product/server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../support/services/libretranslate-server.ts';
import {
  change,
  keyOf,
  makeRoom,
  readAlong,
  readStream,
  roomKey,
  type,
  untilItTranslates,
} from './room-client.ts';

let translator: LibreTranslateServer;
beforeAll(async () => {
  translator = await startLibreTranslateServer();
  translator.languages = { en: ['es', 'fr'] };
});
afterAll(() => translator.close());

const settings = (more: Record<string, string>) => ({
  ...WITHOUT_ENGINES,
  LIBRETRANSLATE_URL: translator.url,
  TRANSLATION_ENGINES: '*: libretranslate',
  ...more,
});

/** Number of occurrences of a mark in all files of a folder. */
function countOf(mark: string, folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .map((file) => readFileSync(path.join(file.parentPath, file.name), 'latin1'))
    .reduce((sum, content) => sum + content.split(mark).length - 1, 0);
}

/** Types, reads, corrects, translates and downloads lines in a new room. */
async function hold(
  server: RunningServer,
  mark: string,
  keep_hours: number,
  format = 'json',
): Promise<string> {
  const { room_id: id } = await makeRoom(server, {
    ...{ keep_hours, languages: ['es', 'fr'], always: ['fr'], source_language: 'en' },
  });
  const readers = [
    await readAlong(server, id, { language: 'es' }),
    await readStream(server, id, { language: 'fr' }),
  ];
  const line = await type(server, id, { text: `${mark} house.` });
  await type(server, id, { text: `${mark} river.`, line });
  await Promise.all(readers.map((reader) => reader.shows(`${mark} río.`)));
  await type(server, id, { text: `${mark} agua.`, line, language: 'es' });
  await readers[0]!.shows(`${mark} agua.`);
  const response = await server.get(`/v1/rooms/${id}/transcript?language=fr&format=${format}`, {
    Authorization: `Service-Auth-Key ${server.apiKey}`,
  });
  expect(response.status).toBe(200);
  await response.arrayBuffer();
  for (const reader of readers) reader.close();
  return id;
}

/** Types lines until the server is killed, then starts another one to which the readers return. */
async function killAndStart(DATA_DIR: string): Promise<HostedServer> {
  const first = await startServer(settings({ DATA_DIR }));
  await untilItTranslates(first);
  const made = await makeRoom(first, {
    ...{ name: 'Main stage', languages: ['es'], keep_hours: 1, access: 'link' },
  });
  const { room_id: id } = made;
  const key = keyOf(made.viewer_url);
  const readers = [
    await readAlong(first, id, { key, language: 'es' }),
    await readStream(first, id, { key }),
  ];
  const all = Array.from({ length: 30 }, (_, index) => `House ${index}.`);
  const acknowledged: string[] = [];
  const typing = (async () => {
    for (const text of all) {
      await type(first, id, { text });
      acknowledged.push(text);
    }
  })();
  await until(() => acknowledged.length >= 12 && readers[0]!.texts().length > 5);
  first.process.kill('SIGKILL');
  await Promise.all([first.exited, typing.catch(() => undefined)]);
  const before = readers.map((reader) => ({
    texts: reader.texts(),
    after: reader.sequence(),
  }));

  const second = await startHosted(settings({ DATA_DIR, LOG_LEVEL: 'debug' }));
  await untilItTranslates({ ...second, apiKey: first.apiKey });
  const rest = [
    await readAlong(second, id, { key, language: 'es', after: before[0]!.after }),
    await readStream(second, id, { key, after: before[1]!.after }),
  ];
  const captioner = roomKey(keyOf(made.captioner_url));
  const typed = await second.post(`/v1/rooms/${id}/live/captions`, { text: 'The end.' }, captioner);
  expect(typed.status).toBe(201);
  await until(() => rest.every((reader) => reader.texts().at(-1)?.endsWith(' end.')));
  const [spanish, spoken] = rest.map((reader, index) => [
    ...before[index]!.texts,
    ...reader.texts(),
  ]);
  expect(new Set(spoken).size).toBe(spoken!.length);
  expect(spoken!.slice(0, acknowledged.length)).toEqual(acknowledged);
  expect(spoken!.at(-1)).toBe('The end.');
  expect(spanish).toEqual(
    spoken!.map((text) => text.replace('House', 'Casa').replace('The', 'La')),
  );
  for (const reader of rest) reader.close();
  return { ...second, ...requestsTo(second.url, first.apiKey), apiKey: first.apiKey };
}

it('keeps lines of kept rooms over a crash, and leaves others in no file of the embedded database', async () => {
  const DATA_DIR = temporaryFolder();
  const server = await killAndStart(DATA_DIR);
  await hold(server, 'Neverkept', 0, 'docx');
  expect(countOf('Neverkept', DATA_DIR)).toBe(0);
  const patched = await hold(server, 'Patchedaway', 1);
  const deleted = await hold(server, 'Deletedlater', 1);
  const removed = await hold(server, 'Roomdeleted', 1);
  await hold(server, 'Staysthere', 1);
  expect(countOf('Patchedaway', DATA_DIR)).toBeGreaterThan(2);
  await change(server, 'PATCH', `/v1/rooms/${patched}`, { keep_hours: 0 });
  await type(server, patched, { text: 'Patchedaway again.' });
  await change(server, 'DELETE', `/v1/rooms/${deleted}/transcript`);
  await change(server, 'DELETE', `/v1/rooms/${removed}`);
  // Deleted lines are erased from disk once a minute, and at shutdown.
  await server.stop();
  const logs = await server.logs();
  for (const mark of ['Neverkept', 'Patchedaway', 'Deletedlater', 'Roomdeleted']) {
    expect(countOf(mark, DATA_DIR), mark).toBe(0);
    expect(logs).not.toContain(mark);
  }
  expect(countOf('Staysthere', DATA_DIR)).toBeGreaterThan(2);
});
