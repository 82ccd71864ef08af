/**
 * Lines and deletions while a room's owner is cut off from other nodes, or after the broker has lost them.
 */
import { describe, expect, it } from 'vitest';
import type { Broker } from '../../../server/broker/index.ts';
import type { Caption } from '../../../server/events/caption-log.ts';
import type { RoomStore } from '../../../server/events/store.ts';
import { openBrokers, withStreams } from '../../broker/open-brokers.ts';
import { until } from '../../support/product/server.ts';
import {
  away,
  claim,
  newRoom,
  openLog,
  openTwo,
  said,
  storage,
  storageOfThisFile,
  texts,
  textsIn,
} from './shared-logs.ts';

storageOfThisFile();

describe('nodes of a room that was cut off', () => {
  it('keep the lines and deletions of an intermediate owner when the previous owner returns', async () => {
    const unwritten: RoomStore = { ...storage.rooms, append: () => Promise.resolve() };
    const [first, second, track, broker] = await openTwo([storage.rooms, unwritten]);
    const { roomId } = track;
    const secret = await first.append(track, said('secret', 1), { isKept: true });
    await first.flush();
    const held = await broker.leases.find(`room ${roomId}`);
    await broker.leases.release(`room ${roomId}`, held!.epoch);
    expect(await second.share(roomId).claim(claim)).toBeUndefined();
    const { sequence } = secret;
    await storage.rooms.deleteCaptions(roomId, sequence, sequence + 1);
    await second.append(track, said('public', 2), { isKept: true });
    // The second node leaves before it has stored the line or announced the deletion.
    await second.leave(roomId, { isLast: false });
    await until(async () => {
      await first.share(roomId).tick();
      return first.share(roomId).isHome;
    });
    const written = async () => texts(await storage.rooms.captions(track, 0, 9)).join();
    await until(async () => (await written()) === 'public');
    await until(async () => (await textsIn(broker, roomId)).join() === 'public');
    expect(texts((await first.read(track, 0)).captions)).toEqual(['public']);
  });

  it('deliver once, and keep, a line that was appended but not answered before the owner changed', async () => {
    const [one, other] = await openBrokers('Redis');
    let isUnanswered = false;
    const broker = withStreams(one, {
      async append(...wish) {
        const id = await one.streams.append(...wish);
        if (isUnanswered) await new Promise<never>(() => {});
        return id;
      },
    });
    const track = { roomId: await newRoom(), name: 'spoken' };
    const first = openLog(broker);
    await first.share(track.roomId).ready;
    const second = openLog(one === other ? { ...one, node: 'another' } : other);
    await second.share(track.roomId).ready;
    const heard: string[] = [];
    const onCaption = ({ text }: Caption) => heard.push(text);
    first.follow(track, { onCaption, onTentative: () => undefined });
    isUnanswered = true;
    const appended = first.append(track, said('mine', 1), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions.length === 1);
    const held = await one.leases.find(`room ${track.roomId}`);
    await one.leases.release(`room ${track.roomId}`, held!.epoch);
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await second.append(track, said('theirs', 2), { isKept: false });
    await second.leave(track.roomId, { isLast: false });
    await first.share(track.roomId).tick();
    expect(await appended).toMatchObject({ text: 'mine' });
    expect(heard).toEqual(['mine', 'theirs']);
    const written = async () => texts(await storage.rooms.captions(track, 0, 9)).join();
    await until(async () => (await written()) === 'mine');
  });

  it('repeat no line they have from the database when the broker has lost everything', async () => {
    const [first, second, track, broker] = await openTwo();
    const { roomId } = track;
    const kept = ['one', 'two'].map((text, line) => ({
      ...said(text, line + 1),
      sequence: line + 1,
    }));
    await storage.rooms.append(track, kept);
    for (const log of [first, second]) expect((await log.read(track, 0)).captions).toHaveLength(2);
    const heard: string[] = [];
    const onCaption = ({ text }: Caption) => heard.push(text);
    second.follow(track, { onCaption, onTentative: () => undefined });
    const held = await broker.leases.find(`room ${roomId}`);
    await broker.leases.release(`room ${roomId}`, held!.epoch);
    await first.share(roomId).tick();
    await first.append(track, said('new', 3), { isKept: true });
    await until(() => heard.includes('new'));
    expect(heard).toEqual(['new']);
    expect(texts((await second.read(track, 0)).captions)).toEqual(['one', 'two', 'new']);
  });

  it('remove a room that was deleted while the broker was away, once it is back', async () => {
    const [one] = await openBrokers('Redis');
    const state = { isAway: false, back: (): void => undefined };
    const broker: Broker = {
      ...withStreams(one, {
        drop: (stream) => (state.isAway ? Promise.reject(away()) : one.streams.drop(stream)),
      }),
      onBack: (hook) => {
        state.back = hook;
        return () => undefined;
      },
    };
    const log = openLog(broker);
    const rooms = [await newRoom(), await newRoom()];
    for (const roomId of rooms) {
      await log.append({ roomId, name: 'spoken' }, said('secret', 1), { isKept: false });
    }
    state.isAway = true;
    const [deleted, reopened] = rooms as [string, string];
    await log.leave(deleted, { isLast: false });
    for (const roomId of rooms) {
      await expect(log.leave(roomId, { isLast: true })).rejects.toThrow(/away/);
    }
    await log.share(reopened).ready;
    state.isAway = false;
    state.back();
    await until(async () => (await textsIn(one, deleted)).length === 0);
    expect(await textsIn(one, reopened)).toEqual(['secret']);
  });
});
