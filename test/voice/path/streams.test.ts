import { describe, expect, it } from 'vitest';
import { broadcast, createChannel, merge } from '../../../server/voice/path/streams.ts';
import { until } from '../../support/product/server.ts';
import { collect } from './captions-support.ts';

describe('a channel', () => {
  it('yields in order what was pushed before and after its reader came', async () => {
    const channel = createChannel<number>();
    channel.push(1);
    const read = collect(channel);
    channel.push(2);
    channel.end();
    channel.push(3);
    expect(await read).toEqual([1, 2]);
  });

  it('yields queued items before it fails', async () => {
    const channel = createChannel<number>();
    channel.push(1);
    channel.fail(new Error('broken'));
    const read: number[] = [];
    await expect(
      (async () => {
        for await (const item of channel) read.push(item);
      })(),
    ).rejects.toThrow('broken');
    expect(read).toEqual([1]);
  });

  it('reports each item that is taken, and keeps nothing once its reader has left', async () => {
    const taken: number[] = [];
    const channel = createChannel<number>((item) => taken.push(item));
    for (const item of [1, 2, 3]) channel.push(item);
    for await (const item of channel) if (item === 2) break;
    channel.push(4);
    expect(taken).toEqual([1, 2]);
    expect(channel.size).toBe(0);
  });
});

describe('a broadcast', () => {
  const sum = (held: number, next: number) => held + next;
  const valueOf = ({ value }: IteratorResult<number, unknown>) => value;

  it('delivers every item to every consumer that keeps up', async () => {
    const source = createChannel<number>();
    const { subscribe } = broadcast(source, sum);
    const [a, b] = [subscribe()[Symbol.asyncIterator](), subscribe()[Symbol.asyncIterator]()];
    const seen: unknown[][] = [];
    const first = Promise.all([a.next(), b.next()]);
    source.push(1);
    seen.push((await first).map(valueOf));
    const second = Promise.all([a.next(), b.next()]);
    source.push(2);
    seen.push((await second).map(valueOf));
    expect(seen).toEqual([
      [1, 1],
      [2, 2],
    ]);
  });

  it('reports each item before a consumer gets it, and reports its end', async () => {
    const source = createChannel<number>();
    const live = broadcast(source, sum, (item) => {
      if (item === 2) leaving.end(100);
    });
    const [leaving, staying] = [live.subscribe(), live.subscribe()];
    const read = Promise.all([collect(leaving), collect(staying)]);
    for (const item of [1, 2]) source.push(item);
    expect(live.isDone).toBe(false);
    source.end();
    const [left, stayed] = await read;
    expect([left.reduce(sum, 0), stayed.reduce(sum, 0)]).toEqual([101, 3]);
    expect(live.isDone).toBe(true);
  });

  it('resumes a consumer that had left, unless the consumer has already ended', async () => {
    const source = createChannel<number>();
    const { subscribe } = broadcast(source, sum);
    const [returning, gone] = [subscribe(), subscribe()];
    const items: number[] = [];
    const all = (async () => {
      for await (const item of subscribe()) items.push(item);
    })();
    const push = async (item: number) => {
      source.push(item);
      await until(() => items.includes(item));
    };
    gone.end();
    expect(await collect(gone)).toEqual([]);
    await push(1);
    returning.end(10);
    await push(100);
    expect([returning.resume(), gone.resume()]).toEqual([true, false]);
    await push(1_000);
    source.end();
    await all;
    expect(await collect(returning)).toEqual([1_011]);
    expect(await collect(gone)).toEqual([]);
  });

  it('conflates what a slow consumer has missed, and holds no other consumer back', async () => {
    const source = createChannel<number>();
    const { subscribe } = broadcast(source, sum);
    const slow = subscribe()[Symbol.asyncIterator]();
    const quick = subscribe();
    const slowFirst = slow.next();
    source.push(1);
    expect((await slowFirst).value).toBe(1);
    const read = collect(quick);
    for (const item of [10, 20, 30]) source.push(item);
    source.end();
    expect((await read).reduce(sum, 0)).toBe(61);
    expect((await slow.next()).value).toBe(60);
    expect((await slow.next()).done).toBe(true);
  });

  it('fails every consumer when the source fails', async () => {
    const source = createChannel<number>();
    const { subscribe } = broadcast(source, sum);
    const reads = [collect(subscribe()), collect(subscribe())];
    source.fail(new Error('broken'));
    for (const read of reads) await expect(read).rejects.toThrow('broken');
  });
});

describe('a merge', () => {
  it('yields items as they arrive, in order for each source, and ends after the last source', async () => {
    const [a, b] = [createChannel<string>(), createChannel<string>()];
    const read = collect(merge(a, b));
    a.push('a1');
    b.push('b1');
    a.push('a2');
    a.end();
    b.push('b2');
    b.end();
    const items = await read;
    expect(items.filter((item) => item.startsWith('a'))).toEqual(['a1', 'a2']);
    expect(items.filter((item) => item.startsWith('b'))).toEqual(['b1', 'b2']);
  });

  it('fails at the first failure and closes the other sources', async () => {
    const failing = createChannel<number>();
    let isReleased = false;
    async function* endless() {
      try {
        for (let count = 0; ; count += 1) yield count;
      } finally {
        isReleased = true;
      }
    }
    failing.fail(new Error('broken'));
    await expect(collect(merge(failing, endless()))).rejects.toThrow('broken');
    await until(() => isReleased);
  });

  it('accepts pushed items in order of time until all sources have ended', async () => {
    const source = createChannel<string>();
    const merged = merge(source);
    source.push('before');
    expect((await merged.next()).value).toBe('before');
    source.push('waiting');
    await new Promise((resolve) => setImmediate(resolve));
    let isTaken = false;
    void merged.push('own')?.then(() => (isTaken = true));
    source.push('after');
    source.end();
    expect((await merged.next()).value).toBe('waiting');
    expect(isTaken).toBe(false);
    expect(await collect(merged)).toEqual(['own', 'after']);
    expect(isTaken).toBe(true);
    expect(merged.push('late')).toBeUndefined();
  });

  it('does not read ahead of a consumer that does not read', async () => {
    let produced = 0;
    async function* eager() {
      for (;;) yield (produced += 1);
    }
    const merged = merge(eager());
    await merged.next();
    await new Promise((resolve) => setImmediate(resolve));
    expect(produced).toBeLessThanOrEqual(2);
    await merged.return(undefined);
  });
});
