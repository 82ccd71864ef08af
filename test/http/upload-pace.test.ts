/** Uploads that hardly progress, and others that are just slow. */
import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import Fastify from 'fastify';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { ServiceError } from '../../shared/errors.ts';
import { answerError } from '../../server/http/errors.ts';
import { readMultipart, useMultipart, useUploadPace } from '../../server/http/requests.ts';
import type { Readable } from 'node:stream';

const PACE = { graceMs: 1000, bytesPerSecond: 1000, periodMs: 50 };
const HEAD = '--x\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\n';
const TAIL = '\r\n--x--\r\n';

const app = Fastify({ forceCloseConnections: true });
let port: number;

beforeAll(async () => {
  app.setErrorHandler(answerError);
  useUploadPace(app, PACE);
  useMultipart(app);
  app.post('/json', async ({ body }) => ({ length: JSON.stringify(body).length }));
  const refuse = async () => {
    throw new ServiceError('forbidden', 'Not for you.');
  };
  app.post('/refused', { onRequest: refuse }, () => ({}));
  const received = async (body: unknown, headers: object, pauseMs: number) => {
    let length = 0;
    await readMultipart(body as Readable, headers as never, async ({ content }) => {
      // Like a database that is slow at first.
      await delay(pauseMs);
      for await (const piece of content as AsyncIterable<Buffer>) length += piece.length;
    });
    return { length };
  };
  app.post('/file', ({ body, headers }) => received(body, headers, 0));
  app.post('/file/later', ({ body, headers }) => received(body, headers, 3 * PACE.graceMs));
  await app.listen({ host: '127.0.0.1', port: 0 });
  ({ port } = app.server.address() as net.AddressInfo);
});

afterAll(() => app.close());

const types = { json: 'application/json', file: 'multipart/form-data; boundary=x' };

/** Sends the head of a request. @returns the connection, and everything answered until it closes */
async function open(path: string, type: string, length: number, connection = 'close') {
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => (answer += text));
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(answer)));
  socket.write(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\n`);
  socket.write(`Content-Length: ${length}\r\nConnection: ${connection}\r\n\r\n`);
  return { socket, closed };
}

/** Sends a text in pieces at the given interval, as long as the socket is writable. */
async function trickle(socket: net.Socket, text: string, pieceLength: number, everyMs: number) {
  for (let at = 0; at < text.length && socket.writable; at += pieceLength) {
    socket.write(text.slice(at, at + pieceLength));
    await delay(everyMs);
  }
}

it.each([
  ['multipart', '/file', types.file],
  ['JSON', '/json', types.json],
  ['what was refused before it had come', '/refused', types.json],
])('ends trickling uploads of %s, however many there are', async (_, path, type) => {
  const uploads = await Promise.all(
    Array.from({ length: 10 }, () => open(path, type, 100_000, 'keep-alive')),
  );
  const start = type === types.file ? HEAD : '{"text":"';
  for (const { socket } of uploads) void trickle(socket, start + 'a'.repeat(9_000), 10, 100);
  const answers = await Promise.all(uploads.map(({ closed }) => closed));
  const wanted = path === '/refused' ? /^HTTP\/1.1 403 / : /^HTTP\/1.1 408 [^]*Connection: close/;
  for (const answer of answers) expect(answer).toMatch(wanted);
});

it('ends uploads that stall after a good start', async () => {
  const { socket, closed } = await open('/file', types.file, 200_000);
  socket.write(HEAD + 'a'.repeat(100_000));
  expect(await closed).toMatch(/^HTTP\/1.1 408 [^]*come to a stop, or is too slow/);
});

it.each([
  ['multipart', '/file', HEAD + 'a'.repeat(20_000) + TAIL, types.file],
  ['JSON', '/json', JSON.stringify({ text: 'a'.repeat(20_000) }), types.json],
])('accepts slow and steady uploads of %s', async (_, path, body, type) => {
  const { socket, closed } = await open(path, type, body.length);
  // Several times as long as the grace period, and several times as fast as required.
  await trickle(socket, body, 500, 100);
  expect(await closed).toMatch(/^HTTP\/1.1 200 [^]*"length":20/);
});

it('does not penalise uploads that the server itself does not read yet', async () => {
  const body = HEAD + 'a'.repeat(4_000_000) + TAIL;
  const { socket, closed } = await open('/file/later', types.file, body.length);
  socket.write(body);
  expect(await closed).toMatch(/^HTTP\/1.1 200 [^]*"length":4000000/);
});

it.each([
  ['is too large', '/json', 'keep-alive', /^HTTP\/1.1 413 [^]*too large: at most 1 MiB/],
  ['nobody reads', '/refused', 'close', /^HTTP\/1.1 403 [^]*Not for you/],
])('answers a client that finishes a body that %s', async (_, path, connection, why) => {
  const body = Buffer.alloc(16 * 1024 * 1024, 'a');
  const { socket, closed } = await open(path, types.json, body.length, connection);
  socket.pause();
  await new Promise((resolve) => socket.write(body, resolve));
  socket.resume();
  expect(await closed).toMatch(why);
});
