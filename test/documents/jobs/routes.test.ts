/** `/v2/document` over a real server: the whole lifecycle, and every refusal. */
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../../../server/stores.ts';
import { executeOn } from '../../storage/database-access.ts';
import {
  documentClient,
  uploadForm,
  type DocumentHandle,
  type UploadedFile,
} from '../../support/product/document-client.ts';
import { openEmbedded, platformOver } from '../../support/product/platform.ts';
import {
  startServer,
  until,
  type RunningServer,
  type TestServer,
} from '../../support/product/server.ts';
import { sharedServer, type SharedServer } from '../../support/product/shared-server.ts';

let server: SharedServer;
/** Documents stay queued here, because no worker runs. */
let idle: TestServer;
let storage: Storage;
let platform: ReturnType<typeof platformOver>;
beforeAll(async () => {
  [server, idle] = await Promise.all([
    sharedServer(),
    startServer({
      RECOGNISER: 'silent',
      DOCUMENT_WORKER: 'off',
      DOCUMENT_MAX_PER_ACCOUNT: '2',
    }),
  ]);
  storage = await openEmbedded(server.dataFolder);
  platform = platformOver(storage);
});
afterAll(async () => {
  await storage.close();
  await idle.stop();
});

const letter = { name: 'letter.txt', content: 'The house is big.\r\n\r\nThe book is small.\n' };
const toSpanish = { source_lang: 'EN', target_lang: 'ES' };

/** Returns the header of a new key of a new account. */
async function newcomer(plan: 'free' | 'pro', characters: number | null = null): Promise<string> {
  const { secret } = await platform.newcomer({ plan }, { limits: { characters, speechMs: null } });
  return `DeepL-Auth-Key ${secret}`;
}

async function rowsOf(handle: DocumentHandle, of: RunningServer = server): Promise<number> {
  const id = handle.document_id;
  const [documents, parts] = await Promise.all(
    ['documents', 'document_parts'].map((table) =>
      executeOn(
        { url: undefined, dataFolder: of.dataFolder },
        `select 1 from ${table} where document_id = '${id}'`,
      ),
    ),
  );
  return (documents?.length ?? 0) + (parts?.length ?? 0);
}

/** Begins the files whose parts are looked for: other test files upload to the same server. */
const MARK = randomUUID();

/** Returns parts of documents that do not exist. */
const orphans = () =>
  executeOn(
    { url: undefined, dataFolder: server.dataFolder },
    `select 1 from document_parts where instr(bytes, cast('${MARK}' as blob)) > 0
      and document_id not in (select document_id from documents)`,
  );

describe('a document', () => {
  it('is uploaded, translated, downloaded once, and deleted', async () => {
    const client = documentClient(server);
    const handle = await client.submit({ ...letter, name: "Bücher 'neu'.TXT" }, toSpanish);
    expect(handle.document_id).toMatch(/^[0-9A-F]{32}$/);
    expect(handle.document_key).toMatch(/^[0-9A-F]{64}$/);
    expect(await client.settled(handle)).toEqual({
      document_id: handle.document_id,
      status: 'done',
      billed_characters: letter.content.length,
    });
    const result = await client.result(handle);
    expect(result.status).toBe(200);
    expect(result.headers.get('content-type')).toMatch(/^text\/plain/);
    expect(result.headers.get('content-disposition')).toBe(
      `attachment; filename="B_cher 'neu'.TXT"; filename*=UTF-8''B%C3%BCcher%20%27neu%27.TXT`,
    );
    expect(await result.text()).toBe('La casa es grande.\r\n\r\nEl libro es pequeño.\n');
    await until(async () => (await rowsOf(handle)) === 0);
    expect((await client.result(handle)).status).toBe(404);
    await expect(client.status(handle)).rejects.toThrow('404');
  });

  it('is hidden from other accounts, may be fetched by GET, keeps its single download on HEAD, and has the name and kind of its filename, without invisible characters', async () => {
    const form = new FormData();
    form.append('file', new Blob(['<p>The house is big.</p>']));
    form.append('filename', 'in\u0000voice\u202Efdp\r\n.htm\u0000');
    form.append('target_lang', 'es');
    const response = await server.send('/v2/document', { method: 'POST', body: form });
    const handle = (await response.json()) as DocumentHandle;
    await documentClient(server).settled(handle);
    const stranger = documentClient(server, { Authorization: await newcomer('pro') });
    const wrong: DocumentHandle[] = [
      { ...handle, document_key: 'A'.repeat(64) },
      { ...handle, document_key: '' },
      { ...handle, document_id: 'B'.repeat(32) },
      { ...handle, document_id: 'x%00y' },
    ];
    for (const each of wrong) {
      expect((await documentClient(server).result(each)).status).toBe(404);
      await expect(documentClient(server).status(each)).rejects.toThrow('404');
    }
    expect((await stranger.result(handle)).status).toBe(404);
    await expect(stranger.status(handle)).rejects.toThrow('404');
    const headers = { Authorization: `DeepL-Auth-Key ${server.apiKey}` };
    const address = `/v2/document/${handle.document_id}`;
    const query = `?document_key=${handle.document_key}`;
    const status = await server.get(address + query, headers);
    expect(await status.json()).toMatchObject({ status: 'done' });
    await fetch(server.url + `${address}/result${query}`, { method: 'HEAD', headers });
    const result = await server.get(`${address}/result${query}`, headers);
    expect(result.headers.get('content-disposition')).toContain('filename="invoicefdp.htm"');
    expect(result.headers.get('content-type')).toMatch(/^text\/html/);
    expect(await result.text()).toContain('<p>La casa es grande.</p>');
  });
});

it('a document may be deleted early, by its owner only', async () => {
  const client = documentClient(idle);
  const handle = await client.submit(letter, toSpanish);
  const remove = (document_key: string) =>
    idle.send(`/v2/document/${handle.document_id}?document_key=${document_key}`, {
      method: 'DELETE',
    });
  expect((await remove('A'.repeat(64))).status).toBe(404);
  expect(await client.status(handle)).toMatchObject({ status: 'queued' });
  expect((await remove(handle.document_key)).status).toBe(204);
  expect(await rowsOf(handle, idle)).toBe(0);
  expect((await remove(handle.document_key)).status).toBe(404);
});

describe('a document result', () => {
  it('is refused until it is done, and may be requested repeatedly', async () => {
    const client = documentClient(idle);
    const handle = await client.submit(letter, toSpanish);
    expect(await client.status(handle)).toEqual({
      document_id: handle.document_id,
      status: 'queued',
    });
    for (let count = 0; count < 2; count += 1) {
      const response = await client.result(handle);
      expect(response.status).toBe(503);
      expect(response.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await response.json()).toEqual({ message: 'Document translation is not done.' });
    }
  });

  it('may be fetched again after an early disconnect or an interrupted download', async () => {
    const client = documentClient(server);
    // More than the buffers of an unread connection hold.
    const content = `<p>The house</p><!-- ${'1234567890 '.repeat(400_000)} -->`;
    const handle = await client.submit({ name: 'a.html', content }, toSpanish);
    await client.settled(handle);
    const ask = () => {
      const request = httpRequest(
        `${server.url}/v2/document/${handle.document_id}/result?document_key=${handle.document_key}`,
        { headers: { Authorization: `DeepL-Auth-Key ${server.apiKey}` } },
      );
      request.end();
      return request;
    };
    for (let ms = 0; ms < 5; ms += 1) {
      const request = ask().once('error', () => undefined);
      // The test varies the moment of the disconnect.
      await new Promise((resolve) => setTimeout(resolve, ms));
      request.destroy();
    }
    const unread = await until(async () => {
      const [response] = (await once(ask(), 'response')) as [IncomingMessage];
      if (response.statusCode === 200) return response;
      response.resume();
      return undefined;
    });
    // Unread, it cannot be sent completely.
    const other = await client.result(handle);
    expect(other.status).toBe(503);
    unread.destroy();
    const again = await until(async () => {
      const response = await client.result(handle);
      return response.status === 200 && response;
    });
    expect((await again.text()).length).toBeGreaterThan(4_000_000);
  });
});

it('the parameter filename is checked for a nameless file before the file is read', async () => {
  const form = new FormData();
  form.append('filename', 'a.srt');
  form.append('target_lang', 'ES');
  form.append('file', new Blob([Buffer.alloc(1_000_000, 'a')]), 'blob');
  const response = await server.send('/v2/document', { method: 'POST', body: form });
  expect(response.status).toBe(413);
  expect(await response.json()).toEqual({ message: expect.stringContaining('150 KB') as string });
});

describe('an upload is refused', () => {
  const cases: [string, UploadedFile, Record<string, string>, number, RegExp][] = [
    ['without a target', letter, {}, 400, /'target_lang' not specified/],
    ['to nowhere', letter, { target_lang: 'tlh' }, 400, /target_lang/],
    ['to itself', letter, { source_lang: 'en', target_lang: 'EN-GB' }, 400, /Source and target/],
    ['of no known kind', { ...letter, name: 'a.xyz' }, toSpanish, 400, /nvalid file/],
    ['without an ending', { ...letter, name: 'a' }, toSpanish, 400, /file extension/],
    ['when empty', { ...letter, content: '' }, toSpanish, 400, /empty/],
    ['that is no zip', { ...letter, name: 'a.docx' }, toSpanish, 400, /nvalid file/],
    ['that is no pdf', { ...letter, name: 'a.pdf' }, toSpanish, 400, /not a PDF/],
    ['that is no picture', { ...letter, name: 'a.png' }, toSpanish, 400, /not a PNG/],
    ['that is no text', { name: 'a.srt', content: 'a\0b' }, toSpanish, 400, /not a text/],
    ['for a format', letter, { ...toSpanish, output_format: 'docx' }, 400, /Possible for txt: txt/],
    ['for formality', letter, { ...toSpanish, formality: 'more' }, 400, /language.*formality/],
    ['for nonsense', letter, { ...toSpanish, formality: 'polite' }, 400, /formality.*Possible/],
    ['for a list', letter, { target_lang: 'ES', glossary_id: 'x' }, 400, /source_lang/],
    ['for no list', letter, { ...toSpanish, glossary_id: randomUUID() }, 404, /glossary/i],
    ['for no style', letter, { ...toSpanish, style_id: randomUUID() }, 404, /style rule list/i],
    ['for no lists', letter, { ...toSpanish, 'glossary_ids[]': randomUUID() }, 404, /glossary/i],
  ];

  it.each(cases)('%s', async (_what, file, fields, status, message) => {
    const response = await documentClient(server).upload(file, fields);
    const body = (await response.json()) as { message: string };
    expect(body.message).toMatch(message);
    expect(response.status).toBe(status);
  });

  it.each([
    ['JSON', 'application/json', '{"target_lang":"ES"}', 415],
    ['no boundary', 'multipart/form-data', 'x', 400],
    ['no end', 'multipart/form-data; boundary=b', '--b\r\nContent-Disp', 400],
    [
      'no end of the file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nThe ho',
      400,
    ],
    ['nothing', 'multipart/form-data; boundary=b', '--b--\r\n', 400],
  ])('with %s', async (_what, type, body, status) => {
    const headers = { 'Content-Type': type };
    const response = await server.send('/v2/document', { method: 'POST', headers, body });
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ message: expect.stringMatching(/\w/) as string });
  });

  it('with two files, or with too many fields', async () => {
    const twice = uploadForm(letter, toSpanish);
    twice.append('file', new Blob(['b']), 'b.txt');
    const many = uploadForm(letter, toSpanish);
    for (let count = 0; count < 200; count += 1) many.append('glossary_ids', 'x');
    for (const body of [twice, many]) {
      const response = await server.send('/v2/document', { method: 'POST', body });
      expect(response.status).toBe(400);
    }
  });

  it.each([
    ['a.txt', 1_000_000, 'pro'],
    ['a.pptx', 10_000_000, 'free'],
  ] as const)(
    '%s over %d bytes on the plan %s, and nothing of it is kept',
    async (name, most, plan) => {
      const headers = { Authorization: await newcomer(plan) };
      const start = Buffer.from(`${name.endsWith('x') ? 'PK\x03\x04' : ''}${MARK}`, 'latin1');
      const content = Buffer.concat([start, Buffer.alloc(most, 'a')]);
      const response = await documentClient(server, headers).upload({ name, content }, toSpanish);
      expect(response.status).toBe(413);
      await until(async () => (await orphans()).length === 0);
    },
  );

  it('with 456 once the quota is used up, and a job ends when the quota is too small', async () => {
    const headers = { Authorization: await newcomer('pro', 20) };
    const client = documentClient(server, headers);
    const tooLong = { name: 'a.txt', content: 'The house is big.    ' };
    const refused = await client.submit(tooLong, toSpanish);
    expect(await client.settled(refused)).toMatchObject({
      status: 'error',
      error_message: expect.stringContaining('Quota') as string,
      message: expect.stringContaining('Quota') as string,
    });
    const result = await client.result(refused);
    expect(result.status).toBe(400);
    const told = { message: expect.stringContaining('Quota') as string };
    expect(await result.json()).toMatchObject(told);
    const exact = await client.submit(
      { name: 'a.txt', content: 'The house is big... ' },
      toSpanish,
    );
    expect(await client.settled(exact)).toMatchObject({ status: 'done', billed_characters: 20 });
    expect((await client.upload(letter, toSpanish)).status).toBe(456);
  });

  it('with 429 after too many results without a download', async () => {
    const client = documentClient(idle);
    await client.upload(letter, toSpanish);
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => client.upload(letter, toSpanish)),
    );
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(3);
    expect(await refused[0]?.json()).toEqual({
      message: expect.stringContaining('Too many non-downloaded documents') as string,
    });
  });

  it('without a key', async () => {
    const headers = { Authorization: 'DeepL-Auth-Key no' };
    expect((await documentClient(server, headers).upload(letter)).status).toBe(403);
  });
});

it('an interrupted upload leaves nothing', async () => {
  const request = httpRequest(`${server.url}/v2/document`, {
    method: 'POST',
    headers: {
      Authorization: `DeepL-Auth-Key ${server.apiKey}`,
      'Content-Type': 'multipart/form-data; boundary=b',
    },
  });
  request.once('error', () => undefined);
  const head = 'Content-Disposition: form-data; name="file"; filename="a.txt"';
  request.write(`--b\r\n${head}\r\n\r\n${MARK}${'The house is big.\n'.repeat(30_000)}`);
  await until(async () => (await orphans()).length > 0);
  request.destroy();
  await until(async () => (await orphans()).length === 0);
});
