import net from 'node:net';
import { encode } from '@msgpack/msgpack';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { MessageFormat } from '../../../shared/protocol/messages.ts';
import {
  startHosted,
  type HostedServer,
  WITHOUT_ENGINES,
} from '../../support/product/hosted-server.ts';
import { until } from '../../support/product/server.ts';
import { connect, requestSession, sessionCount } from '../../support/product/voice-client.ts';

const FRAMES = 80;
/** Concurrent sockets. */
const LANES = 8;

let server: HostedServer;
beforeAll(async () => {
  // Attackers vanish without closing, and their sessions wait for them.
  const settings = { ...WITHOUT_ENGINES, VOICE_RESUME_SECONDS: '1', LOG_LEVEL: 'error' };
  server = await startHosted(settings);
});
afterAll(() => server.stop());

/** A reproducible source of numbers below `limit` (mulberry32). */
function createRandom(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % limit;
  };
}
type Random = (limit: number) => number;

const audio = Buffer.alloc(320);
const seeds: Record<MessageFormat, Buffer[]> = {
  json: [
    `{"source_media_chunk":{"data":"${audio.toString('base64')}"}}`,
    '{"end_of_source_media":{}}',
    '{"a":[{"b":[1,2,{"c":null}]}],"source_media_chunk":{"data":""}}',
  ].map((text) => Buffer.from(text)),
  msgpack: [
    { source_media_chunk: { data: audio } },
    { end_of_source_media: {} },
    { source_media_chunk: { data: [1, 'x', null, 2 ** 40, -1, 1.5, new Date(0)] } },
  ].map((message) => Buffer.from(encode(message))),
};

function bytes(random: Random, length: number): Buffer {
  return Buffer.from(Array.from({ length }, () => random(256)));
}

/** A random frame, or a valid one with some bytes changed, cut out or added. */
function hostileFrame(random: Random, format: MessageFormat): Buffer {
  const seed = seeds[format][random(seeds[format].length)] ?? audio;
  const frame = Buffer.from(seed);
  switch (random(5)) {
    case 0:
      return bytes(random, random(200));
    case 1:
      return frame.subarray(0, random(frame.length));
    case 2:
      return Buffer.concat([frame, bytes(random, 1 + random(20))]);
    default:
      for (let change = 0; change <= random(4); change += 1) {
        frame[random(frame.length)] = random(256);
      }
      return frame;
  }
}

/**
 * Sends frames on one socket until the server closes it; resolves to the number of frames the server has
 * read.
 */
async function attack(random: Random, format: MessageFormat, most: number): Promise<number> {
  const session = await requestSession(server, { message_format: format });
  const socket = new WebSocket(`${session.streaming_url}?token=${session.token}`);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  await new Promise<void>((resolve) => socket.once('open', () => resolve()));
  let read = 0;
  while (read < most && socket.readyState === WebSocket.OPEN) {
    const isBinary = random(50) === 0 ? random(2) === 0 : format === 'msgpack';
    socket.send(hostileFrame(random, format), { binary: isBinary }, () => undefined);
    // The pong, or the close, arrives after the server has read the frame.
    const answered = new Promise<void>((resolve) => socket.once('pong', () => resolve()));
    socket.ping(undefined, undefined, () => undefined);
    await Promise.race([answered, closed]);
    read += 1;
  }
  socket.close();
  await closed;
  return read;
}

/** Violates the WebSocket framing itself, below the message level. */
async function attackFraming(random: Random): Promise<void> {
  const session = await requestSession(server);
  const { hostname, port, pathname } = new URL(session.streaming_url);
  const socket = net.connect(Number(port), hostname);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.write(
    [
      `GET ${pathname}?token=${session.token} HTTP/1.1`,
      ...['Host: x', 'Connection: Upgrade', 'Upgrade: websocket', 'Sec-WebSocket-Version: 13'],
      ...[`Sec-WebSocket-Key: ${bytes(random, 16).toString('base64')}`, '', ''],
    ].join('\r\n'),
  );
  await new Promise<void>((resolve) => socket.once('data', () => resolve()));
  socket.write(bytes(random, 1 + random(400)));
  if (random(2) === 0) socket.destroy();
  else socket.end();
  socket.resume();
  await closed;
}

it('keeps the server and other sessions intact under random and mutated frames', async () => {
  const neighbour = await connect(server);
  const beat = setInterval(() => neighbour.sendAudio(new Uint8Array(3200)), 100);
  let sent = 0;
  await Promise.all(
    Array.from({ length: LANES }, async (_, lane) => {
      const random = createRandom(1 + lane);
      while (sent < FRAMES) {
        sent += await attack(random, lane % 2 === 0 ? 'json' : 'msgpack', 64);
        if (random(5) === 0) await attackFraming(random);
      }
    }),
  );
  await until(async () => (await sessionCount(server)) === 1);
  clearInterval(beat);
  expect(neighbour.socket.readyState).toBe(WebSocket.OPEN);
  neighbour.end();
  expect((await neighbour.closed).code).toBe(1000);
  expect(neighbour.error()).toBeUndefined();
});
