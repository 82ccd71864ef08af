/** Many clients on raw TCP sockets that send the same ready-made frame at an even pace. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** WebSocket opcodes (RFC 6455 §5.2). */
export const OPCODE = { text: 1, binary: 2, ping: 9 } as const;

/** A client's frame, masked as clients must: what one chunk is on the wire. */
export function clientFrame(payload: Uint8Array, opcode: number): Buffer {
  const mask = Buffer.from([0x9a, 0x37, 0xc5, 0x61]);
  const size = payload.length;
  const head = size < 126 ? Buffer.from([0x80 | opcode, 0x80 | size]) : Buffer.alloc(4);
  if (size >= 126) {
    head.set([0x80 | opcode, 0x80 | 126]);
    head.writeUInt16BE(size, 2);
  }
  const masked = Buffer.from(payload).map((byte, index) => byte ^ (mask[index % 4] ?? 0));
  return Buffer.concat([head, mask, masked]);
}

/** Size of the frame with which a server sends a payload of this size (below 64 KiB), in bytes. */
export function serverFrameBytes(payloadBytes: number): number {
  return payloadBytes + (payloadBytes < 126 ? 2 : 4);
}

export interface LoadOptions {
  sockets: readonly Socket[];
  /** What each client sends each time. */
  frame: Uint8Array;
  /** What the server answers to one frame, in bytes: 0 for one that only listens. */
  answerBytes: number;
  /** Between two frames of one client. */
  intervalMs: number;
}

/** Clients that are connected and at rest until they are told to send. */
export interface Load {
  /**
   * Sends for this long; resolves with the number of frames once the server has handled them all.
   *
   * @throws Error when the server closes a connection or answers otherwise than it should
   */
  run(durationMs: number): Promise<number>;
}

/** How often frames that are due are sent: little enough that they do not come in bursts. */
const TICK_MS = 2;
const ANSWERS_WITHIN_MS = 10_000;
const PING = clientFrame(new Uint8Array(), OPCODE.ping);
const PONG_BYTES = serverFrameBytes(0);

export function createLoad({ sockets, frame, answerBytes, intervalMs }: LoadOptions): Load {
  let receivedBytes = 0;
  let expectedBytes = 0;
  let failure: Error | undefined;
  let lastReceived: Buffer = Buffer.alloc(0);
  for (const socket of sockets) {
    socket.on('data', (data) => {
      receivedBytes += data.length;
      lastReceived = data;
    });
    socket.on('error', (error) => (failure ??= error));
    socket.on('end', () => (failure ??= new Error(`closed by the server: ${lastWords()}`)));
  }
  const lastWords = () => lastReceived.toString('utf8').slice(-200);

  function check(): void {
    if (failure !== undefined) throw failure;
    if (receivedBytes > expectedBytes) {
      throw new Error(`The server says more than it should: ${lastWords()}`);
    }
  }

  /** A pong comes after all the frames before its ping were handled. */
  async function handled(): Promise<void> {
    for (const socket of sockets) socket.write(PING);
    expectedBytes += sockets.length * PONG_BYTES;
    const deadline = performance.now() + ANSWERS_WITHIN_MS;
    while (receivedBytes < expectedBytes) {
      if (performance.now() > deadline) throw new Error('The server does not answer in time.');
      await delay(1);
      check();
    }
  }

  return {
    async run(durationMs) {
      const gapMs = intervalMs / sockets.length;
      const count = Math.round(durationMs / gapMs);
      const startedAt = performance.now();
      for (let sent = 0; sent < count;) {
        const due = Math.min(count, Math.ceil((performance.now() - startedAt) / gapMs));
        expectedBytes += Math.max(0, due - sent) * answerBytes;
        for (; sent < due; sent += 1) sockets[sent % sockets.length]?.write(frame);
        await delay(TICK_MS);
        check();
      }
      await handled();
      return count;
    },
  };
}

/** Opens a WebSocket by hand. @throws Error when the server refuses */
export async function openSocket(address: string): Promise<Socket> {
  const { hostname, port, pathname, search } = new URL(address);
  const socket = connect(Number(port), hostname).setNoDelay(true);
  await once(socket, 'connect');
  const request = [
    `GET ${pathname}${search} HTTP/1.1`,
    `Host: ${hostname}:${port}`,
    'Upgrade: websocket',
    'Connection: Upgrade',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
  ];
  socket.write(`${request.join('\r\n')}\r\n\r\n`);
  let answer = '';
  while (!answer.includes('\r\n\r\n')) {
    const [data] = (await once(socket, 'data')) as [Buffer];
    answer += data.toString('latin1');
  }
  if (!answer.startsWith('HTTP/1.1 101 ')) {
    socket.destroy();
    throw new Error(`The server refuses a WebSocket: ${answer}`);
  }
  return socket;
}
