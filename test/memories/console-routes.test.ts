/** Translation memories in the console: upload, renaming, deletion, and invalid files. */
import { request } from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type {
  ImportedTranslationMemory,
  TranslationMemoryList,
} from '../../shared/schemas/translation-memories.ts';
import {
  entered,
  firstLink,
  signedIn,
  type ConsoleClient,
} from '../support/product/console-client.ts';
import { startHosted, type HostedServer } from '../support/product/hosted-server.ts';
import { openEmbedded, platformOver } from '../support/product/platform.ts';
import { until } from '../support/product/server.ts';
import { tmxFile, uploadMemory } from '../support/product/translation-memories.ts';

let server: HostedServer;
let owner: ConsoleClient;
beforeAll(async () => {
  server = await startHosted({ RECOGNISER: 'silent' });
  owner = await signedIn(server, firstLink(server));
});
afterAll(() => server.stop());

const list = async (client = owner) =>
  (await client.ask<TranslationMemoryList>('GET', 'v3/translation_memories?page_size=25')).body;
const upload = (query: string, content: string, client = owner) =>
  client.ask<ImportedTranslationMemory & { message: string; detail?: string }>(
    'POST',
    `translation-memories?${query}`,
    content,
    { 'Content-Type': 'text/xml' },
  );

describe('an uploaded memory file', () => {
  it('becomes a memory, with the number of skipped units', async () => {
    const content = tmxFile([{ en: 'House', de: 'Haus', fr: 'Maison' }, { en: 'Alone' }]);
    const memory = await uploadMemory(owner, { name: 'Harbour.tmx', content });
    const { skipped_count, ...told } = memory;
    expect(skipped_count).toBe(1);
    expect(told).toMatchObject({
      ...{ name: 'Harbour', source_language: 'en', target_languages: ['de', 'fr'] },
      segment_count: 1,
    });
    expect((await list()).translation_memories).toContainEqual(told);
  });

  it('of CSV may have its languages in the query', async () => {
    const query = { source_lang: 'EN', target_lang: 'zh-hant' };
    const file = { name: 'plain.csv', content: 'House,房子\n' };
    expect(await uploadMemory(owner, file, query)).toMatchObject({
      ...{ source_language: 'en', target_languages: ['zh-hant'], segment_count: 1 },
    });
  });

  it('of some megabytes is imported while other requests are answered', async () => {
    const lines = Array.from({ length: 20_000 }, (_, index) => {
      return `Sentence number ${index} of w${index} is long enough,Satz ${index}`;
    });
    const uploading = uploadMemory(owner, {
      name: 'big.csv',
      content: `en,de\n${lines.join('\n')}`,
    });
    let isUploading = true;
    const uploaded = uploading.finally(() => (isUploading = false));
    let answered = 0;
    await until(async () => {
      expect((await list()).total_count).toBeGreaterThan(0);
      answered += 1;
      return !isUploading;
    });
    expect((await uploaded).segment_count).toBe(20_000);
    expect(answered).toBeGreaterThan(3);
  });

  it.each([
    ['that is no TMX', 'name=x&format=tmx', '<html/>', 400],
    ['that breaks off', 'name=x&format=tmx', '<tmx><body>', 400],
    ['without a segment', 'name=x&format=tmx', tmxFile([]), 400],
    ['that is empty', 'name=x&format=csv', '', 400],
    ['without a name', 'name=&format=csv', 'en,de\na,b', 400],
    ['with an endless name', `name=${'x'.repeat(1025)}&format=csv`, 'en,de\na,b', 400],
    ['of another format', 'name=x&format=xlsx', 'en,de\na,b', 400],
    ['with a language that is none', 'name=x&format=csv&source_lang=x', 'en,de\na,b', 400],
    ['into its own language', 'name=x&format=csv&source_lang=en&target_lang=en-gb', 'a,b', 400],
  ])('%s is refused, and leaves nothing', async (_case, query, content, status) => {
    const { total_count: before } = await list();
    const answer = await upload(query, content);
    expect(answer.status).toBe(status);
    expect(answer.body.message).not.toBe('');
    expect((await list()).total_count).toBe(before);
  });

  it('with an excessive declared length is refused before it is sent', async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const asked = request(`${server.url}/console/api/translation-memories?name=x&format=csv`, {
        method: 'POST',
        headers: {
          ...{ Cookie: owner.cookie, 'X-Dragoman-Console': '1', 'Sec-Fetch-Site': 'same-origin' },
          ...{ Origin: server.url, 'Content-Length': String(512 * 1024 * 1024 + 1) },
        },
      });
      asked.on('response', ({ statusCode }) => {
        resolve(statusCode);
        asked.destroy();
      });
      asked.on('error', reject);
      asked.flushHeaders();
    });
    expect(status).toBe(413);
  });
});

it('an upload with a disconnected client frees its place, and is not an error', async () => {
  const { host, hostname, port } = new URL(server.url);
  const head =
    'POST /console/api/translation-memories?name=left&format=csv HTTP/1.1\r\n' +
    `Host: ${host}\r\nOrigin: ${server.url}\r\nX-Dragoman-Console: 1\r\n` +
    `Cookie: ${owner.cookie}\r\nContent-Type: text/csv\r\nContent-Length: 1000000\r\n` +
    'Expect: 100-continue\r\n\r\n';
  const timesLeft = async () =>
    (await server.logs()).split('client left during its request').length;
  const countBefore = await timesLeft();
  // A file is validated only once the import slot is free.
  const statusOfNext = async () => (await upload('name=x&format=tmx', '<html/>')).status;
  const client = await until(async () => {
    const uploading = net.connect(Number(port), hostname);
    uploading.on('error', () => undefined);
    let answer = '';
    uploading.setEncoding('utf8').on('data', (text: string) => (answer += text));
    uploading.write(head);
    await until(() => answer.startsWith('HTTP/1.1 100'));
    uploading.write('en,de\nHouse,Haus\n');
    const status = await statusOfNext();
    if (status === 429 && !answer.includes('429')) return uploading;
    // The other one came first: one import runs at a time.
    uploading.destroy();
    return false;
  });
  client.end();
  await until(async () => (await statusOfNext()) === 400);
  await until(async () => (await timesLeft()) > countBefore);
  const logs = await server.logs();
  expect(logs).not.toContain('"level":50');
  expect(logs).not.toContain('"stack"');
});

describe('a memory in the console', () => {
  it('is renamed and deleted', async () => {
    const content = 'en,de\nHouse,Haus';
    const { skipped_count: skipped, ...memory } = await uploadMemory(owner, {
      ...{ name: 'a.csv', content },
    });
    expect(skipped).toBe(0);
    const place = `translation-memories/${memory.translation_memory_id}`;
    const renamed = await owner.ask('PATCH', place, { name: ' Häuser ' });
    expect(renamed).toMatchObject({ status: 200, body: { ...memory, name: 'Häuser' } });
    expect((await owner.ask('PATCH', place, { name: '' })).status).toBe(400);
    expect((await list()).translation_memories).toContainEqual({ ...memory, name: 'Häuser' });
    expect((await owner.ask('DELETE', place)).status).toBe(204);
    expect((await owner.ask('DELETE', place)).status).toBe(404);
    expect((await owner.ask('PATCH', place, { name: 'x' })).status).toBe(404);
    expect((await owner.ask('DELETE', 'translation-memories/mine')).status).toBe(400);
  });

  it('is inaccessible to other accounts and to API keys', async () => {
    const content = 'en,de\nHouse,Haus';
    const { translation_memory_id: id } = await uploadMemory(owner, { name: 'a.csv', content });
    const storage = await openEmbedded(server.dataFolder);
    onTestFinished(() => storage.close());
    const { account } = await platformOver(storage).newcomer({ plan: 'free' });
    const stranger = await entered(server, storage, account.accountId);
    const place = `translation-memories/${id}`;
    expect((await stranger.ask('PATCH', place, { name: 'mine' })).status).toBe(404);
    expect((await stranger.ask('DELETE', place)).status).toBe(404);
    expect((await list(stranger)).total_count).toBe(0);
    for (const pathname of ['/translation-memories', '/v3/translation-memories', `/${place}`]) {
      const asked = { method: 'DELETE' };
      expect((await server.send(pathname, asked)).status).toBe(404);
    }
  });
});
