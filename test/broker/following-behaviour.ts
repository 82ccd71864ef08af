/** The contract of a broker towards followers of its streams. */
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import type { StreamEntry } from '../../server/broker/broker.ts';
import { type BrokerBehaviour, eventually, expectChain, KEPT, many } from './behaviour-support.ts';

export const following: BrokerBehaviour[] = [
  {
    name: 'tells followers each entry once and in order, whichever node appends it',
    async check(under) {
      const { broker, other } = under;
      const stream = randomUUID();
      const before = await many(5, (index) => broker.streams.append(stream, `${index}`, KEPT));
      const heard: StreamEntry[][] = [[], [], []];
      const stops = [
        broker.streams.follow(stream, 0, (entry) => void heard[0]!.push(entry)),
        other.streams.follow(stream, before[1]!, (entry) => void heard[1]!.push(entry)),
        // Two followers on one node.
        other.streams.follow(stream, before[1]!, (entry) => void heard[2]!.push(entry)),
      ];
      await many(150, (index) =>
        (index % 2 === 0 ? broker : other).streams.append(stream, `${index}`, KEPT),
      );
      await eventually(() => heard.map(({ length }) => length), under).toEqual([155, 153, 153]);
      const all = await broker.streams.read(stream, 0, 1_000);
      expect(heard).toEqual([all, all.slice(2), all.slice(2)]);
      expectChain(all, 0);
      for (const stop of stops) stop();
    },
  },
  {
    name: 'tells those who follow from now on nothing of before',
    async check(under) {
      const { broker, other } = under;
      const stream = randomUUID();
      await many(5, () => broker.streams.append(stream, 'before', KEPT));
      const heard: string[] = [];
      const stop = other.streams.follow(
        stream,
        'end',
        ({ bytes }) => void heard.push(bytes.toString()),
      );
      // The entry takes the same connection, after the request to follow.
      await other.streams.append(stream, 'after', KEPT);
      await eventually(() => heard, under).toEqual(['after']);
      stop();
    },
  },
  {
    name: 'waits until an entry has been dealt with, and tells nothing after the stop',
    async check(under) {
      const { broker, other } = under;
      const stream = randomUUID();
      const heard: string[] = [];
      let deal = (): void => undefined;
      const dealtWith = new Promise<void>((resolve) => (deal = resolve));
      const stop = other.streams.follow(stream, 0, ({ bytes }) => {
        heard.push(bytes.toString());
        if (heard.length === 2) stop();
        return dealtWith;
      });
      for (const text of ['one', 'two', 'three']) await broker.streams.append(stream, text, KEPT);
      await eventually(() => heard, under).toEqual(['one']);
      await other.streams.read(stream, 0, 1);
      expect(heard).toEqual(['one']);
      deal();
      await eventually(() => heard, under).toEqual(['one', 'two']);
      // Another follower has received everything by now.
      const all: string[] = [];
      const leave = other.streams.follow(stream, 0, ({ bytes }) => void all.push(bytes.toString()));
      await eventually(() => all, under).toEqual(['one', 'two', 'three']);
      leave();
      expect(heard).toEqual(['one', 'two']);
    },
  },
  {
    name: 'tells those who have just left and follow again what comes from then on',
    async check(under) {
      const { broker, other } = under;
      const stream = randomUUID();
      const heard: string[] = [];
      for (const text of ['one', 'two', 'three']) {
        other.streams.follow(stream, 'end', () => undefined)();
        const stop = other.streams.follow(stream, 'end', ({ bytes }) => {
          heard.push(bytes.toString());
        });
        // The follower has read everything and waits.
        await other.streams.read(stream, 0, 1);
        await other.streams.read(stream, 0, 1);
        await broker.streams.append(stream, text, KEPT);
        await eventually(() => heard.at(-1), under).toBe(text);
        stop();
      }
      expect(heard).toEqual(['one', 'two', 'three']);
    },
  },
  {
    name: 'tells an announcement to every node that listens, once and in order',
    async check(under) {
      const { broker, other } = under;
      const topic = randomUUID();
      const heard: string[][] = [[], []];
      await other.announcements.tell(topic, 'before anybody listened');
      const stops = [broker, other].map((node, index) =>
        node.announcements.listen(topic, (message) => void heard[index]!.push(message)),
      );
      // Each node subscribes before its next request is answered.
      for (const node of [broker, other]) await node.records.read(topic);
      const told = ['one', 'two', 'three'];
      await Promise.all(told.map((message) => broker.announcements.tell(topic, message)));
      await other.announcements.tell(topic, 'four');
      await eventually(() => heard, under).toEqual([
        [...told, 'four'],
        [...told, 'four'],
      ]);
      for (const stop of stops) stop();
    },
  },
  {
    name: 'says that announcements were missed, before it tells what came after them',
    async check(under) {
      const { broker, other } = under;
      const topic = randomUUID();
      const heard: string[] = [];
      let deal = (): void => undefined;
      const dealt = new Promise<void>((resolve) => (deal = resolve));
      const stop = broker.announcements.listen(
        topic,
        (message) => {
          heard.push(message);
          return dealt;
        },
        () => void heard.push('missed'),
      );
      await broker.records.read(topic);
      await other.announcements.tell(topic, 'one');
      await eventually(() => heard, under).toEqual(['one']);
      await other.announcements.tell(topic, 'two');
      await other.streams.drop(`announcements ${topic}`);
      await other.announcements.tell(topic, 'three');
      deal();
      await eventually(() => heard, under).toEqual(['one', 'missed', 'three']);
      stop();
    },
  },
];
