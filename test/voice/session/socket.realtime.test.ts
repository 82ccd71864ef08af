import { readFileSync } from 'node:fs';
import net from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { encode } from '@msgpack/msgpack';
import { WebSocket } from 'ws';
import { ebmlHeader, openSegment } from '../../support/audio/matroska-writer.ts';
import { silence } from '../../support/audio/speech.ts';
import { rawExchange } from '../../support/machine/raw-exchange.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import {
  startLibreTranslateServer,
  type LibreTranslateServer,
} from '../../support/services/libretranslate-server.ts';
import { untilItTranslates } from '../../events/room-client.ts';
import {
  connect,
  connectWith,
  endMarks,
  requestSession,
  sessionCount,
  type SessionAnswer,
  upgradeStatus,
} from '../../support/product/voice-client.ts';

let translator: LibreTranslateServer;
let server: HostedServer;
beforeAll(async () => {
  translator = await startLibreTranslateServer();
  translator.languages = { en: ['es', 'fr'] };
  server = await startHosted({
    ...{
      ...WITHOUT_ENGINES,
      LIBRETRANSLATE_URL: translator.url,
      TRANSLATION_ENGINES: '*: libretranslate',
    },
    ...{ VOICE_MAX_SESSIONS: '1000', VOICE_RESUME_SECONDS: '0.5' },
  });
  await untilItTranslates(server);
});
afterAll(async () => {
  await server.stop();
  await translator.close();
});

const base64 = (bytes: number) => Buffer.alloc(bytes).toString('base64');

describe('a stream that ends', () => {
  it.each(['json', 'msgpack'] as const)(
    'receives its end marks in order and is closed, in %s',
    async (format) => {
      const client = await connect(server, {
        ...{ message_format: format, target_languages: ['es', 'FR'] },
      });
      client.sendAudio(silence(100));
      client.end();
      expect(await client.closed).toMatchObject({ code: 1000 });
      expect(endMarks(client)).toEqual([
        'end_of_source_transcript',
        'end_of_target_transcript es',
        'end_of_target_transcript FR',
        'end_of_stream',
      ]);
      await until(async () => (await sessionCount(server)) === 0);
    },
  );
});

describe.concurrent('a frame', () => {
  const json = (text: string) => (socket: WebSocket) => socket.send(text);
  const chunk = (bytes: number) => json(`{"source_media_chunk":{"data":"${base64(bytes)}"}}`);

  it.each([
    ['of the wrong type', (socket: WebSocket) => socket.send(Buffer.from('{}')), 4000004, 4400],
    ['that is no JSON', json('{'), 4000002, 4400],
    ['with two messages', json('{"end_of_source_media":{},"x":{}}'), 4000002, 4400],
    ['of an unknown name', json('{"start_of_source_media":{}}'), 4000003, 4400],
    ['with half a sample', chunk(3), 4000002, 4400],
    ['of more than a second', chunk(32_002), 4130002, 4413],
    ['of more than 100 kB', chunk(100_002), 4130002, 4413],
    ['of a megabyte', json('x'.repeat(1_000_000)), 4130002, 1009],
    [
      'that is no UTF-8',
      (socket: WebSocket) => socket.send(Buffer.from([0x7b, 0xff]), { binary: false }),
      4000006,
      1007,
    ],
  ])(
    '%s is answered with an error message and a close code',
    async (_what, send, reasonCode, closeCode) => {
      const neighbour = await connect(server);
      const client = await connect(server);
      send(client.socket);
      expect((await client.closed).code).toBe(closeCode);
      expect(client.error()).toEqual({
        type: 'error',
        request_type: expect.any(String) as string,
        error_code: Math.floor(reasonCode / 10_000),
        reason_code: reasonCode,
        error_message: expect.stringMatching(/\w/) as string,
      });
      neighbour.sendAudio(silence(100));
      neighbour.end();
      expect((await neighbour.closed).code).toBe(1000);
    },
  );

  it('of JSON in a MessagePack session is refused, as is malformed MessagePack', async () => {
    for (const frame of ['{"end_of_source_media":{}}', Buffer.from([0xc1]), encode({ x: {} })]) {
      const client = await connect(server, { message_format: 'msgpack' });
      client.socket.send(frame);
      expect((await client.closed).code).toBe(4400);
      expect(client.error()?.error_code).toBe(400);
    }
  });

  it('that is nested too deep is refused before it is decoded, and the next session is served', async () => {
    const client = await connect(server, { message_format: 'msgpack' });
    const head = encode({ end_of_source_media: { nobody_knows: 0 } }).subarray(0, -1);
    const bottom = Buffer.of(0);
    client.socket.send(Buffer.concat([head, Buffer.alloc(40, 0x91), bottom]));
    expect((await client.closed).code).toBe(4400);
    expect(client.error()?.error_message).toContain('too many values, or too deep ones');
    const next = await connect(server, { message_format: 'msgpack' });
    next.socket.send(Buffer.concat([head, Buffer.alloc(20, 0x91), bottom]));
    expect((await next.closed).code).toBe(1000);
  });

  it('of audio after the end is refused', async () => {
    const client = await connect(server);
    client.socket.send('{"end_of_source_media":{}}');
    client.sendAudio(silence(100));
    const { code } = await client.closed;
    // The session may have ended before the late chunk was read.
    expect([1000, 4400]).toContain(code);
    if (code === 4400) expect(client.error()?.reason_code).toBe(4000005);
  });

  it('with hardly any audio, sent thousands of times, ends the session and blocks nothing', async () => {
    const client = await connect(server, { message_format: 'msgpack' });
    // The client reads in between, as it could not receive the error otherwise.
    while (client.socket.readyState === WebSocket.OPEN) {
      for (let sent = 0; sent < 1_000; sent += 1) client.sendAudio(silence(1).subarray(0, 2));
      await nextTurn();
    }
    expect((await client.closed).code).toBe(4429);
    expect(client.error()?.error_message).toMatch(/chunks of 50 to 250 ms/);
  });

  it('that comes too fast repeatedly ends the session', async () => {
    const client = await connect(server);
    for (let sent = 0; sent < 60; sent += 1) client.sendAudio(silence(1000));
    expect((await client.closed).code).toBe(4429);
    expect(client.error()?.reason_code).toBe(4290001);
  });
});

describe('a token', () => {
  it('admits exactly one of 20 connections, whose session is then ended because of the reuse', async () => {
    const session = await requestSession(server);
    const url = `${session.streaming_url}?token=${session.token}`;
    const codes: number[] = [];
    const statuses = await Promise.all(
      Array.from(
        { length: 20 },
        () =>
          new Promise<number>((resolve) => {
            const socket = new WebSocket(url);
            socket.on('open', () => resolve(101));
            socket.on('close', (code) => codes.push(code));
            socket.on('error', () => undefined);
            socket.on('unexpected-response', (_request, response) => {
              resolve(response.statusCode ?? 0);
              response.resume();
            });
          }),
      ),
    );
    expect(statuses.filter((status) => status === 101)).toHaveLength(1);
    expect(statuses.filter((status) => status === 403)).toHaveLength(19);
    await until(() => codes.includes(4403));
    expect(await upgradeStatus(url)).toBe(403);
    await until(async () => (await sessionCount(server)) === 0);
  });

  it('used twice ends its own session with the reason, and no other session', async () => {
    const neighbour = await connect(server);
    const session = await requestSession(server);
    const client = await connectWith(session, 'json');
    expect(await upgradeStatus(`${session.streaming_url}?token=${session.token}`)).toBe(403);
    expect((await client.closed).code).toBe(4403);
    expect(client.error()?.reason_code).toBe(4030003);
    expect(neighbour.socket.readyState).toBe(WebSocket.OPEN);
    neighbour.end();
    await neighbour.closed;
  });

  it('that is wrong or missing is refused with a status and a message', async () => {
    const base = `${server.url.replace('http', 'ws')}/v3/voice/realtime/connect`;
    expect(await upgradeStatus(`${base}?token=nope`)).toBe(403);
    expect(await upgradeStatus(base)).toBe(400);
    expect(await upgradeStatus(`${server.url.replace('http', 'ws')}/elsewhere?token=nope`)).toBe(
      404,
    );
  });

  it('that is refused leaves no connection behind, even if its client never closes', async () => {
    const { hostname, port } = new URL(server.url);
    /** Connections of this server, in other states than that it listens or that all is over. */
    const connections = () =>
      readFileSync('/proc/net/tcp', 'utf8')
        .split('\n')
        .map((line) => line.trim().split(/\s+/))
        .filter(([, local, , state = '']) => local?.endsWith(hexPort) && !/0A|06/.test(state));
    const hexPort = `:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
    const open = net.connect(Number(port), hostname);
    await until(() => connections().length > 0);
    open.destroy();
    await Promise.all(
      Array.from({ length: 40 }, (_, index) => {
        const socket = net.connect(Number(port), hostname);
        const key = Buffer.alloc(16, index).toString('base64');
        socket.write(
          `GET /v3/voice/realtime/connect?token=nope HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\n` +
            `Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${key}\r\n\r\n`,
        );
        return new Promise<void>((resolve) => {
          socket.on('data', () => socket.write('and something more that nobody reads'));
          socket.on('error', () => undefined);
          // Half of the clients never close by themselves.
          if (index % 2 === 0) socket.once('data', () => socket.end());
          socket.on('close', () => resolve());
        });
      }),
    );
    await until(() => connections().length === 0);
  });

  it('is not spent by a request that cannot be upgraded', async () => {
    const session = await requestSession(server);
    const { pathname } = new URL(session.streaming_url);
    const answer = await rawExchange(
      server.url,
      [
        `GET ${pathname}?token=${session.token} HTTP/1.1`,
        ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
        ...['', ''],
      ].join('\r\n'),
    );
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer).toMatch(/X-Trace-ID: [0-9a-f]{32}/);
    const badProtocol = await rawExchange(
      server.url,
      [
        `GET ${pathname}?token=${session.token} HTTP/1.1`,
        ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
        ...['Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==', 'Sec-WebSocket-Protocol: a,,b', '', ''],
      ].join('\r\n'),
    );
    expect(badProtocol).toMatch(/^HTTP\/1\.1 400 [\s\S]*"message"/);
    const client = await connectWith(session, 'json');
    client.end();
    expect((await client.closed).code).toBe(1000);
  });
});

const headless = Uint8Array.from([...ebmlHeader, ...openSegment]);
const VOID = Uint8Array.of(0xec, 0x80);
const webm = { source_media_content_type: 'audio/webm;codecs=opus' };

it('keeps a session whose connection dropped for a while, then ends it', async () => {
  const session = await requestSession(server);
  const client = await connectWith(session, 'json');
  client.socket.terminate();
  await until(async () => (await sessionCount(server)) === 0);
  const answer = await server.get(`/v3/voice/realtime?token=${session.token}`, {
    Authorization: `Service-Auth-Key ${server.apiKey}`,
  });
  expect(answer.status).toBe(400);
});

describe.concurrent('time limits', () => {
  let strict: HostedServer;
  beforeAll(async () => {
    strict = await startHosted({
      ...{ ...WITHOUT_ENGINES, VOICE_IDLE_SECONDS: '1', VOICE_CONNECTION_SECONDS: '2.5' },
      // Long enough for a busy machine to connect.
      VOICE_TOKEN_SECONDS: '20',
    });
  });
  afterAll(() => strict.stop());

  it('end a session without audio', async () => {
    const client = await connect(strict);
    // A message without audio does not count.
    const timer = setInterval(() => client.sendAudio(silence(0)), 50);
    expect((await client.closed).code).toBe(4408);
    clearInterval(timer);
    expect(client.error()?.reason_code).toBe(4080001);
  });

  it('end a session that sends only headers without sound, slowly', async () => {
    const client = await connect(strict, webm);
    client.sendAudio(headless);
    const timer = setInterval(() => client.sendAudio(VOID), 50);
    expect((await client.closed).code).toBe(4408);
    clearInterval(timer);
    expect(client.error()?.reason_code).toBe(4080001);
  });

  it('end a connection that lasts too long, while the session continues on another one', async () => {
    const session = await requestSession(strict);
    const client = await connectWith(session, 'json');
    const timer = setInterval(() => client.sendAudio(silence(100)), 100);
    const startedAt = performance.now();
    const { code } = await client.closed;
    clearInterval(timer);
    expect(code).toBe(4408);
    expect(performance.now() - startedAt).toBeGreaterThan(2_300);
    expect(client.error()).toBeUndefined();
    const answer = await strict.get(`/v3/voice/realtime?token=${session.token}`, {
      Authorization: `Service-Auth-Key ${strict.apiKey}`,
    });
    const next = await connectWith((await answer.json()) as SessionAnswer, 'json');
    next.end();
    expect((await next.closed).code).toBe(1000);
    expect(endMarks(next)).toContain('end_of_stream');
  });

  it('invalidate an unused token', async () => {
    const session = await requestSession(strict);
    await expect.poll(() => sessionCount(strict), { interval: 500 }).toBe(0);
    expect(await upgradeStatus(`${session.streaming_url}?token=${session.token}`)).toBe(403);
  });
});
