import { describe, expect, it } from 'vitest';
import { FairPlaces, FairQueue, type Turn } from '../../server/process/concurrency.ts';

/** Takes all waiting items in order of service. */
function drain<Item>(queue: FairQueue<Item>): Item[] {
  const items: Item[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) items.push(item);
  return items;
}

describe('a fair queue', () => {
  it("serves accounts in turn, each account's calls in turn, and each call's items in order", () => {
    const queue = new FairQueue<string>();
    const calls: Record<string, Turn> = {
      ...{ a: { account: 'many' }, b: { account: 'many' }, c: { account: 'many' } },
      ...{ d: { account: 'few' }, e: { account: undefined }, f: { account: undefined } },
    };
    for (const [name, turn] of Object.entries(calls)) {
      for (const number of [1, 2, 3]) queue.push(turn, `${name}${number}`);
    }
    expect(drain(queue).join(' ')).toBe('a1 d1 e1 b1 d2 f1 c1 d3 e2 a2 f2 b2 e3 c2 f3 a3 b3 c3');
    expect(queue.isEmpty).toBe(true);
  });

  it('serves the account with the least recent service first, and shares evenly from then on', () => {
    const queue = new FairQueue<string>((item) => item.length);
    const [much, little]: [Turn, Turn] = [{ account: 'much' }, { account: 'little' }];
    for (let count = 0; count < 20; count += 1) queue.push(much, 'long');
    expect([queue.shift(), queue.shift()]).toEqual(['long', 'long']);
    const served = { a: 0, long: 0 };
    queue.push(little, 'a');
    for (let count = 0; count < 40; count += 1) {
      const item = queue.shift() === 'a' ? 'a' : 'long';
      if (count === 0) expect(item).toBe('a');
      served[item] += 1;
      // Pushes the next item only after the last was served, so that one waits at most.
      if (item === 'a') queue.push(little, 'a');
    }
    expect(served).toEqual({ a: 32, long: 8 });
    expect(queue.clear()).toHaveLength(11);
  });

  it('removes the waiting items of a call, and keeps the places of the others', () => {
    const queue = new FairQueue<string>();
    const [one, two, three]: [Turn, Turn, Turn] = [
      { account: 'same' },
      { account: 'same' },
      { account: 'other' },
    ];
    for (const [turn, name] of [
      [one, 'one'],
      [two, 'two'],
      [three, 'three'],
    ] as const) {
      queue.push(turn, name);
      queue.push(turn, name);
    }
    expect(queue.remove(one)).toEqual(['one', 'one']);
    expect(queue.remove(one)).toEqual([]);
    expect(queue.shift()).toBe('two');
    expect(queue.remove(three)).toEqual(['three', 'three']);
    expect(queue.clear()).toEqual(['two']);
    expect(queue.isEmpty).toBe(true);
    expect(queue.shift()).toBeUndefined();
  });
});

describe('fair places', () => {
  it('limit concurrency, admit callers in turn, and can be abandoned', async () => {
    const places = new FairPlaces(2);
    const order: string[] = [];
    const finishers: (() => void)[] = [];
    let most = 0;
    const work = (turn: Turn, name: string) =>
      places.hold(turn, () => {
        order.push(name);
        most = Math.max(most, finishers.length + 1);
        return new Promise<void>((resolve) => finishers.push(resolve));
      });
    const many: Turn[] = Array.from({ length: 4 }, () => ({ account: 'many' }));
    const works = many.map((turn, index) => work(turn, `many ${index}`));
    const few = work({ account: 'few' }, 'few');
    const [, , , last] = many;
    const given = expect(works[3]).rejects.toThrow('gone');
    places.abandon(last!, new Error('gone'));
    await given;
    expect(order).toEqual(['many 0', 'many 1']);
    while (finishers.length > 0) {
      finishers.shift()?.();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await Promise.all([...works.slice(0, 3), few]);
    expect(order).toEqual(['many 0', 'many 1', 'many 2', 'few']);
    expect(most).toBe(2);
    await expect(
      places.hold({ account: 'few' }, () => Promise.reject(new Error('no'))),
    ).rejects.toThrow('no');
    expect(await places.hold({ account: 'few' }, async () => 'still free')).toBe('still free');
  });
});
