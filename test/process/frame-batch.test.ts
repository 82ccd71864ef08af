import { Writable } from 'node:stream';
import { expect, it } from 'vitest';
import { FrameBatch, FrameReader } from '../../server/process/children.ts';

/** Sends frames to a reader that consumes them late and all at once, several times. */
async function sendTo(times: number, framesAtOnce: number) {
  const buffers = new Set<ArrayBufferLike>();
  const received: number[] = [];
  const reader = new FrameReader((_kind, payload) => received.push(payload.readUInt32LE()));
  let read: (() => void) | undefined;
  const slow = new Writable({
    highWaterMark: 1,
    write(chunk: Buffer, _encoding, done) {
      read = () => {
        buffers.add(chunk.buffer);
        reader.push(Buffer.from(chunk));
        read = undefined;
        done();
      };
    },
  });
  let leave = (): void => undefined;
  const batch = new FrameBatch(slow, (later) => (leave = later));
  for (let count = 0; count < times * framesAtOnce; count += 1) {
    batch.add(1, 4).writeUInt32LE(count);
    leave();
    if ((count + 1) % framesAtOnce > 0) continue;
    for (let left = framesAtOnce; left > 0; left -= 1) {
      read?.();
      await new Promise((next) => setImmediate(next));
    }
  }
  return { buffers, received };
}

it('reuses buffers that were in transit at the same time', async () => {
  const { buffers, received } = await sendTo(20, 4);
  expect(received).toEqual(Array.from({ length: 80 }, (_, count) => count));
  // One more buffer is being filled while four are in transit.
  expect(buffers.size).toBeLessThanOrEqual(5);
});

it('keeps only a few of a great many buffers', async () => {
  const { buffers, received } = await sendTo(3, 40);
  expect(received).toHaveLength(120);
  expect(buffers.size).toBeGreaterThan(80);
});
