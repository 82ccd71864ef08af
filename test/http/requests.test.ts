/** Uploads that are too slow. */
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { receivedFile } from '../../server/http/requests.ts';

/** Sends some bytes every 20 ms. @returns the number of bytes received, and the error */
async function sent(pieceBytes: number, pieces: number) {
  const pace = { idleLimitMs: 30_000, graceMs: 500, bytesPerSecond: 2_000 };
  let bytes = 0;
  let report = (_error: unknown): void => undefined;
  const ended = new Promise<unknown>((resolve) => (report = resolve));
  const receiver = createServer((incoming, answer) => {
    const receive = async () => {
      for await (const piece of receivedFile(incoming, pace)) bytes += piece.length;
    };
    void receive()
      .then(report, report)
      .finally(() => answer.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  const { port } = receiver.address() as AddressInfo;
  const sending = request({ port, host: '127.0.0.1', method: 'POST' });
  sending.on('error', () => undefined);
  let left = pieces;
  const timer = setInterval(() => {
    if (left > 0) sending.write(Buffer.alloc(pieceBytes));
    else sending.end();
    left -= 1;
  }, 20);
  try {
    return { error: await ended, bytes };
  } finally {
    clearInterval(timer);
    sending.destroy();
    receiver.closeAllConnections();
    receiver.close();
  }
}

it('gives up an upload that trickles, but not one that is fast enough', async () => {
  const { error } = await sent(1, Infinity);
  expect(error).toMatchObject({ code: 'request_timeout' });
  // Takes longer than the limit for an upload without progress.
  expect(await sent(2_000, 50)).toEqual({ error: undefined, bytes: 100_000 });
});
