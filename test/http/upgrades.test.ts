/** Bodies of requests that offer an upgrade: read with back-pressure, and given up in time. */
import { EventEmitter, once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { networkInterfaces } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import net, { type AddressInfo } from 'node:net';
import fastify from 'fastify';
import { afterEach, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { listenOn } from '../../server/http/server.ts';
import { acceptSockets, createSocketServer, serveAsRequest } from '../../server/http/upgrades.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';

const MIB = 1024 * 1024;
const SIZE_BYTES = 32 * MIB;
const endings: (() => void)[] = [];
afterEach(() => {
  for (const end of endings.splice(0)) end();
});

/** A server that passes requests on unread, and a client that sends `sentBytes` of a body. */
async function offer(sentBytes: number, sizeBytes = SIZE_BYTES) {
  const server = createServer();
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    serveAsRequest(server, request, socket, head);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = once(server, 'request');
  const client = net.connect(port, '127.0.0.1');
  client.on('error', () => undefined);
  endings.push(() => {
    client.destroy();
    server.close();
    server.closeAllConnections();
  });
  client.write(
    `POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nContent-Length: ${sizeBytes}\r\n\r\n`,
  );
  client.write(Buffer.alloc(sentBytes));
  const [request, response] = (await asked) as [IncomingMessage, ServerResponse];
  const failure = new Promise<NodeJS.ErrnoException>((resolve) => request.once('error', resolve));
  return { client, request, response, failure };
}

it('holds back an unread body at its client, and receives it whole once it is read', async () => {
  const { client, request, response } = await offer(SIZE_BYTES);
  await until(() => request.readableLength > 0);
  // The client has sent as much as it can; only a buffer's worth was read.
  await until(() => request.socket.isPaused());
  expect(request.readableLength).toBeLessThan(MIB);
  let receivedBytes = 0;
  for await (const piece of request) receivedBytes += (piece as Buffer).length;
  expect(receivedBytes).toBe(SIZE_BYTES);
  let answer = '';
  client.on('data', (data) => (answer += data.toString()));
  response.end('done');
  await once(client, 'end');
  expect(answer).toMatch(/^HTTP\/1\.1 200 [\s\S]*done$/);
});

it.each<[string, number, (client: net.Socket) => void]>([
  ['breaks off', SIZE_BYTES / 2, (client) => client.destroy()],
  ['is ended halfway', SIZE_BYTES / 2, (client) => client.end()],
])('fails the request when its body %s', async (_case, sentBytes, leave) => {
  const { client, request, failure } = await offer(sentBytes);
  let receivedBytes = 0;
  request.on('data', (piece: Buffer) => (receivedBytes += piece.length));
  await until(() => receivedBytes === sentBytes);
  leave(client);
  expect((await failure).code).toBe('ECONNRESET');
  expect(request.destroyed).toBe(true);
});

it('fails a request with a complete but unread body when its client is gone', async () => {
  const { client, request, response, failure } = await offer(1_000, 1_000);
  await until(() => request.complete);
  client.end();
  expect((await failure).code).toBe('ECONNRESET');
  expect([request.destroyed, response.destroyed]).toEqual([true, true]);
});

it('fails a request when its client leaves while the body waits, with or without unread bytes', async () => {
  const { client, request, failure } = await offer(2 * MIB);
  await until(() => request.readableLength > 0);
  client.resetAndDestroy();
  // The operating system reports the end only while the socket is read.
  request.read(1);
  request.socket.resume();
  expect((await failure).code).toBe('ECONNRESET');
  expect(request.readableLength).toBeGreaterThan(0);
});

it('closes the connection after an answer before the end of the body, even during the upload', async () => {
  const { client, request, response } = await offer(SIZE_BYTES);
  await until(() => request.readableLength > 0);
  // The client gets an error, as it still sends to a closed connection.
  const closed = new Promise((resolve) => client.once('close', resolve));
  response.writeHead(413).end();
  client.resume();
  await closed;
  expect(request.readableLength).toBeLessThan(MIB);
});

it.each([
  ['whole', ['5\r\nhello\r\n6;a=b\r\n world\r\n0\r\nX-A: 1\r\n\r\n'], /200 [\s\S]*hello world$/],
  [
    'in pieces',
    ['5\r', '\nhel', 'lo\r\n6\r\n world\r\n', '0\r\n\r', '\n'],
    /200 [\s\S]*hello world$/,
  ],
  ['malformed', ['x\r\n'], /^HTTP\/1\.1 400 [\s\S]*not valid HTTP/],
])('reads a chunked body that comes %s', async (_case, pieces, expected) => {
  const server = createServer((request, response) => {
    let received = '';
    request.on('error', () => undefined);
    request.on('data', (piece: Buffer) => (received += piece.toString()));
    request.on('end', () => response.end(received));
  });
  server.on('upgrade', (request, socket, head) => serveAsRequest(server, request, socket, head));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  endings.push(() => server.close());
  const client = net.connect((server.address() as AddressInfo).port, '127.0.0.1');
  client.setNoDelay(true);
  let answer = '';
  client.on('data', (data) => (answer += data.toString()));
  client.write(
    'POST / HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: h2c\r\nTransfer-Encoding: chunked\r\n\r\n',
  );
  for (const piece of pieces) {
    client.write(piece);
    await setImmediate();
  }
  await once(client, 'end');
  expect(answer).toMatch(expected);
});

/** Server sockets in the process of closing, with a client that does not read at the moment. */
async function closingSocket() {
  const server = createServer();
  const kind = createSocketServer(WebSocket, { maxPayload: MIB });
  const accepted = new EventEmitter();
  const sockets = acceptSockets(server, {
    kinds: [
      {
        address: '/',
        takes: () => true,
        async open(upgrade) {
          kind.accept(upgrade, (socket) => accepted.emit('socket', socket));
        },
      },
    ],
    log: recordLog(),
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const opened = once(accepted, 'socket');
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  endings.push(() => {
    client.terminate();
    server.close();
    server.closeAllConnections();
  });
  client.on('error', () => undefined);
  const closed = once(client, 'close').then(([code]) => code as number);
  await once(client, 'open');
  client.pause();
  const [socket] = (await opened) as [WebSocket];
  socket.close(1012);
  return { sockets, client, closed };
}

it('tells a slow client why its socket is closed at the end of a stop', async () => {
  const { sockets, client, closed } = await closingSocket();
  let isOver = false;
  const closing = sockets.closeAll(60_000).then(() => (isOver = true));
  for (let turn = 0; turn < 10; turn += 1) await setImmediate();
  expect(isOver).toBe(false);
  client.resume();
  await closing;
  expect(await closed).toBe(1012);
});

it('does not wait for a client that does not answer', async () => {
  const { sockets, client, closed } = await closingSocket();
  await sockets.closeAll(50);
  client.resume();
  await closed;
});

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ family }) => family === 'IPv6'),
);

it.skipIf(!hasIPv6)(
  'the address of a server on all interfaces is one that browsers open',
  async () => {
    const app = fastify();
    const address = await listenOn(app, { host: '::', port: 0 });
    await app.close();
    expect(address).toMatch(/^http:\/\/\[::1\]:\d+$/);
  },
);
