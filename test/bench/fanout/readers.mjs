/**
 * Thousands of readers in a process of their own: opens sockets, and says when every one of them has got
 * another long message. Asked over the channel to its parent.
 */
import { randomBytes } from 'node:crypto';
import { connect } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Shorter ones say how things are, and are not waited for. */
const LONG_BYTES = 126;
const AT_ONCE = 50;
/** From one network 200 a second are let in; there are two processes like this one. */
const PAUSE_MS = 600;

/** @type {import('node:net').Socket[]} */
const sockets = [];
let received = 0;
let awaited = Number.POSITIVE_INFINITY;

/** @param {object} answer */
function tell(answer) {
  process.send?.(answer);
}

/**
 * Counts the long frames of one socket.
 *
 * @param {import('node:net').Socket} socket
 */
function countFrames(socket) {
  /** Bytes of a frame that have not come. */
  let missing = 0;
  /** The beginning of a frame whose length is not known. */
  let rest = Buffer.alloc(0);
  socket.on('data', (bytes) => {
    const data = rest.length === 0 ? bytes : Buffer.concat([rest, bytes]);
    rest = Buffer.alloc(0);
    let at = Math.min(missing, data.length);
    missing -= at;
    while (at < data.length) {
      if (data.length - at < 4) {
        rest = data.subarray(at);
        return;
      }
      const short = data.readUInt8(at + 1);
      const length = short === 126 ? data.readUInt16BE(at + 2) : short;
      const end = at + (short === 126 ? 4 : 2) + length;
      if (length >= LONG_BYTES) {
        received += 1;
        if (received === awaited) tell({ all: performance.timeOrigin + performance.now() });
      }
      missing = Math.max(0, end - data.length);
      at = end;
    }
  });
}

/**
 * @param {string} host
 * @param {number} port
 * @param {string} path
 * @param {string} hello what is said first, if anything; less than 126 bytes
 * @returns {Promise<void>}
 */
function open(host, port, path, hello) {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.write(
        `GET ${path} HTTP/1.1\r\nHost: ${host}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: ${randomBytes(16).toString('base64')}\r\n\r\n`,
      );
    });
    let head = Buffer.alloc(0);
    socket.once('error', reject);
    /** @param {Buffer} bytes */
    const onData = (bytes) => {
      head = Buffer.concat([head, bytes]);
      const end = head.indexOf('\r\n\r\n');
      if (end === -1) return;
      socket.off('data', onData);
      if (!head.toString('latin1', 0, 12).endsWith('101')) {
        reject(new Error(head.toString()));
        return;
      }
      sockets.push(socket);
      countFrames(socket);
      const rest = head.subarray(end + 4);
      if (rest.length > 0) socket.emit('data', rest);
      // A text frame, masked with zeros.
      if (hello !== '') {
        socket.write(Buffer.from([0x81, 0x80 | hello.length, 0, 0, 0, 0, ...Buffer.from(hello)]));
      }
      resolve();
    };
    socket.on('data', onData);
  });
}

process.on('message', async (question) => {
  const { join, expect, leave } = /** @type {{
    join?: { host: string, port: number, path: string, hello: string, count: number },
    expect?: true,
    leave?: true,
  }} */ (question);
  if (join !== undefined) {
    const { host, port, path, hello, count } = join;
    for (let left = count; left > 0; left -= AT_ONCE) {
      const some = Math.min(AT_ONCE, left);
      await Promise.all(Array.from({ length: some }, () => open(host, port, path, hello)));
      await delay(PAUSE_MS);
    }
    tell({ joined: sockets.length });
  }
  if (expect) {
    received = 0;
    awaited = sockets.length;
    tell({ ready: true });
  }
  if (leave) {
    for (const socket of sockets) socket.destroy();
    process.disconnect();
  }
});
