/** The caption log that several nodes share: the contract of every log, and what other nodes receive. */
import { describe, expect, it } from 'vitest';
import { read } from '../../../server/events/nodes/room-entry.ts';
import type { RoomStore } from '../../../server/events/store.ts';
import { openBrokers, openEmbedded, withStreams } from '../../broker/open-brokers.ts';
import { until } from '../../support/product/server.ts';
import { captionLogBehaviours } from '../caption-log-behaviour.ts';
import { wholeTranscript } from '../live-room-support.ts';
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

describe('the shared caption log', () => {
  // After a restart, the broker has lost everything.
  it.each(captionLogBehaviours)('%s', async (_, check) => {
    const restarted = (now?: () => number) => openLog(openEmbedded(), now);
    await check({ log: restarted(), restarted, newRoom });
  });
});

describe('two nodes', () => {
  it('have the same captions with the same sequences, and only the owner may append', async () => {
    const [first, second, track] = await openTwo();
    const heard: string[] = [];
    second.follow(track, {
      onCaption: ({ sequence, text }) => heard.push(`${sequence} ${text}`),
      onTentative: () => undefined,
    });
    const all = await Promise.all(
      ['a', 'b', 'c'].map((text, line) =>
        first.append(track, said(text, line + 1), { isKept: false }),
      ),
    );
    await until(() => heard.length === 3);
    expect(heard).toEqual(all.map(({ sequence, text }) => `${sequence} ${text}`));
    expect(await second.read(track, 0)).toEqual(await first.read(track, 0));
    await expect(second.append(track, said('no', 9), { isKept: false })).rejects.toThrow(/home/);
  });

  it('write a transcript with everything that was appended before, even if it is still on its way', async () => {
    const [one, other] = await openBrokers('Redis');
    const late = withStreams(other, { follow: () => () => undefined });
    const track = { roomId: await newRoom(), name: 'es' };
    const [first, second] = [openLog(one), openLog(late)];
    await first.share(track.roomId).ready;
    await second.share(track.roomId).ready;
    await first.append(track, said('a', 1), { isKept: false });
    expect(texts(await wholeTranscript(second, track))).toEqual(['a']);
  });

  it('pass the ownership on without losing or repeating a caption', async () => {
    const [first, second, track] = await openTwo();
    const heard: [string[], string[]] = [[], []];
    for (const [index, log] of [first, second].entries()) {
      log.follow(track, {
        onCaption: ({ text }) => heard[index]!.push(text),
        onTentative: () => undefined,
      });
    }
    for (let round = 0; round < 6; round += 1) {
      const log = round % 2 === 0 ? second : first;
      expect(await log.share(track.roomId).claim(claim)).toBeUndefined();
      await log.append(track, said(`${round}`, round + 1), { isKept: round > 2 });
    }
    const expected = ['0', '1', '2', '3', '4', '5'];
    await until(() => heard.every(({ length }) => length === 6));
    expect(heard).toEqual([expected, expected]);
    const kept = await wholeTranscript(openLog(openEmbedded()), track);
    expect(kept.map(({ text }) => text)).toEqual(['3', '4', '5']);
  });

  it('forget together, and report the deletion to later readers', async () => {
    const [first, second, track] = await openTwo();
    const before = await first.append(track, said('secret', 1), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions.length === 1);
    await first.forget(track.roomId);
    await first.append(track, said('public', 2), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions[0]?.text === 'public');
    expect((await second.read(track, before.sequence)).isWhole).toBe(false);
    expect((await wholeTranscript(second, track)).map(({ text }) => text)).toEqual(['public']);
  });

  it('write nothing of deleted captions that still waited at the previous owner', async () => {
    const database = { isAway: true, asked: [] as string[] };
    const store: RoomStore = {
      ...storage.rooms,
      async append(_track, captions) {
        if (database.isAway) throw new Error('The database is away.');
        database.asked.push(...captions.map(({ text }) => text));
      },
    };
    const [first, second, track] = await openTwo([store]);
    await first.append(track, said('secret', 1), { isKept: true });
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await second.forget(track.roomId);
    await until(async () => (await first.read(track, 0)).captions.length === 0);
    database.isAway = false;
    expect(await first.share(track.roomId).claim(claim)).toBeUndefined();
    await first.append(track, said('public', 2), { isKept: true });
    await until(() => database.asked.length > 0);
    expect(database.asked).toEqual(['public']);
  });

  it('show nothing of deleted captions even if the previous owner could not announce the deletion', async () => {
    const [first, second, track, broker] = await openTwo();
    const secret = await first.append(track, said('secret', 1), { isKept: true });
    await first.append(track, said('public', 2), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions.length === 2);
    const { sequence } = secret;
    await storage.rooms.deleteCaptions(track.roomId, sequence, sequence + 1);
    const lease = `room ${track.roomId}`;
    const held = await broker.leases.find(lease);
    await broker.leases.release(lease, held!.epoch);
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await until(async () => (await textsIn(broker, track.roomId)).join() === 'public');
    expect(texts((await second.read(track, 0)).captions)).toEqual(['public']);
    expect((await second.read(track, sequence)).isWhole).toBe(false);
  });

  it('do not write erased captions again under another owner', async () => {
    const [first, second, track] = await openTwo();
    await first.append(track, said('secret', 1), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions.length === 1);
    await first.erase(track.roomId);
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await second.append(track, said('public', 2), { isKept: true });
    await second.flush();
    const written = await storage.rooms.captions(track, 0, 9);
    expect(written.map(({ text }) => text)).toEqual(['public']);
    // Nodes that have received it keep it.
    expect((await second.read(track, 0)).captions).toHaveLength(2);
  });

  it('write what the previous owner could not write, even after newer captions', async () => {
    const away: RoomStore = {
      ...storage.rooms,
      append: () => Promise.reject(new Error('The database is away.')),
    };
    let answer = (): void => undefined;
    const hold = { latest: Promise.resolve() };
    const slow: RoomStore = {
      ...storage.rooms,
      latest: (...wish) => hold.latest.then(() => storage.rooms.latest(...wish)),
    };
    const [first, second, track] = await openTwo([away, slow]);
    await first.append(track, said('one', 1), { isKept: true });
    await until(async () => (await second.read(track, 0)).captions.length === 1);
    hold.latest = new Promise((resolve) => (answer = resolve));
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await second.append(track, said('two', 2), { isKept: true });
    const written = async () =>
      (await storage.rooms.captions(track, 0, 9)).map(({ text }) => text).join(' ');
    expect(await written()).toBe('two');
    answer();
    await until(async () => (await written()) === 'one two');
  });

  it('restore all captions in the broker after it has lost them, under a new owner', async () => {
    const [first, second, { roomId, name: spoken }, broker] = await openTwo();
    const track = { roomId, name: spoken };
    const texts = ['a', 'b', 'c'];
    for (const [line, text] of texts.entries()) {
      await first.append(track, said(text, line + 1), { isKept: false });
    }
    await until(async () => (await second.read(track, 0)).captions.length === texts.length);
    const held = await broker.leases.find(`room ${roomId}`);
    await broker.leases.release(`room ${roomId}`, held!.epoch);
    await broker.streams.drop(`room ${roomId}`);
    expect(await second.share(roomId).claim(claim)).toBeUndefined();
    await until(async () => (await textsIn(broker, roomId)).length === texts.length);
    expect(await textsIn(broker, roomId)).toEqual(texts);
  });

  it('write captions only after the other nodes have them, except at shutdown', async () => {
    const [one] = await openBrokers('Redis');
    const state = { isAway: true };
    const broker = withStreams(one, {
      append: (...wish) => (state.isAway ? Promise.reject(away()) : one.streams.append(...wish)),
    });
    const track = { roomId: await newRoom(), name: 'spoken' };
    const written = async () => (await storage.rooms.captions(track, 0, 9)).map(({ text }) => text);
    const log = openLog(broker);
    for (const [line, text] of ['one', 'two'].entries()) {
      await log.append(track, said(text, line + 1), { isKept: true });
    }
    expect(texts((await log.read(track, 0)).captions)).toEqual(['one', 'two']);
    expect(texts(await wholeTranscript(log, track))).toEqual(['one', 'two']);
    expect(await written()).toEqual([]);
    state.isAway = false;
    await until(async () => (await written()).length === 2);
    expect(await textsIn(one, track.roomId)).toEqual(['one', 'two']);
    state.isAway = true;
    await log.append(track, said('three', 3), { isKept: true });
    expect(await written()).toEqual(['one', 'two']);
    await log.leave(track.roomId, { isLast: false });
    log.stop();
    await log.flush();
    expect(await written()).toEqual(['one', 'two', 'three']);
  });

  it('announce captions restored from the database as kept', async () => {
    const [first, , track, broker] = await openTwo();
    const { roomId } = track;
    await storage.rooms.append(track, [{ ...said('kept', 1), sequence: 1 }]);
    expect((await first.read(track, 0)).captions).toHaveLength(1);
    const held = await broker.leases.find(`room ${roomId}`);
    await broker.leases.release(`room ${roomId}`, held!.epoch);
    await first.share(roomId).tick();
    const all = async () =>
      (await broker.streams.read(`room ${roomId}`, 0, 9)).map(({ bytes }) => read(bytes));
    await until(async () => (await all()).some(({ caption }) => caption?.text === 'kept'));
    expect((await all()).at(-1)).toMatchObject({ isKept: true });
  });

  it('drop nothing that a new owner has appended meanwhile', async () => {
    let answer = (): void => undefined;
    const gate = new Promise<void>((resolve) => (answer = resolve));
    const slow: RoomStore = {
      ...storage.rooms,
      async deleteCaptions(...wish) {
        await gate;
        await storage.rooms.deleteCaptions(...wish);
      },
    };
    const [first, second, track, broker] = await openTwo([slow]);
    const lease = `room ${track.roomId}`;
    await first.append(track, said('before', 1), { isKept: false });
    const forgotten = first.forget(track.roomId);
    const held = await broker.leases.find(lease);
    await broker.leases.release(lease, held!.epoch);
    expect(await second.share(track.roomId).claim(claim)).toBeUndefined();
    await second.append(track, said('after', 2), { isKept: false });
    answer();
    // The caller repeats it at the new owner.
    await expect(forgotten).rejects.toThrow(/home/);
    expect(await textsIn(broker, track.roomId)).toEqual(['before', 'after']);
  });

  it('remove captions older than the retention time, and the marks between them', async () => {
    const [first, , { roomId, ...track }, broker] = await openTwo();
    const at = (text: string, line: number, endMs: number) => ({ ...said(text, line), endMs });
    const isKept = { isKept: true };
    await first.append({ roomId, ...track }, at('one', 1, 2_000), isKept);
    first.share(roomId).notePause('session', { fromMs: 1_000, toMs: 2_000 });
    await first.append({ roomId, ...track }, at('two', 2, 3_000), isKept);
    await first.append({ roomId, ...track }, at('three', 3, 9_000), isKept);
    await first.share(roomId).expire(5_000);
    const left = await broker.streams.read(`room ${roomId}`, 0, 9);
    expect(left.map(({ bytes }) => read(bytes).caption?.text)).toEqual(['three']);
  });

  it('leave nothing of a deleted room that no node has open any more', async () => {
    const [first, second, { roomId, ...track }, broker] = await openTwo();
    await first.append({ roomId, ...track }, said('secret', 1), { isKept: false });
    for (const log of [first, second]) await log.leave(roomId, { isLast: false });
    expect(await broker.streams.read(`room ${roomId}`, 0, 9)).toHaveLength(1);
    await second.leave(roomId, { isLast: true });
    expect(await broker.streams.read(`room ${roomId}`, 0, 9)).toEqual([]);
  });

  it('deliver captions of a room that is reopened while it is being removed', async () => {
    const [one] = await openBrokers('Redis');
    for (const isDropped of [true, false]) {
      let drop = (): void => undefined;
      const gate = new Promise<void>((resolve) => (drop = resolve));
      const broker = withStreams(one, {
        async drop(stream) {
          await gate;
          if (!isDropped) throw away();
          await one.streams.drop(stream);
        },
      });
      const log = openLog(broker);
      const track = { roomId: await newRoom(), name: 'spoken' };
      await log.append(track, said('before', 1), { isKept: false });
      const left = log.leave(track.roomId, { isLast: true }).catch(() => undefined);
      log.share(track.roomId);
      const appended = log.append(track, said('after', 2), { isKept: false });
      setImmediate(drop);
      await appended;
      await left;
      const texts = isDropped ? ['after'] : ['before', 'after'];
      expect(await textsIn(one, track.roomId)).toEqual(texts);
      const held = await one.leases.find(`room ${track.roomId}`);
      expect(held).toBeDefined();
      expect(log.share(track.roomId).isHome).toBe(true);
    }
  });

  it('leave nothing when the last node closes the room', async () => {
    const [one] = await openBrokers('Redis');
    const log = openLog(one);
    const track = { roomId: await newRoom(), name: 'spoken' };
    await log.append(track, said('secret', 1), { isKept: false });
    expect(await one.streams.read(`room ${track.roomId}`, 0, 10)).toHaveLength(1);
    await log.leave(track.roomId, { isLast: true });
    expect(await one.streams.read(`room ${track.roomId}`, 0, 10)).toEqual([]);
    expect(await one.leases.find(`room ${track.roomId}`)).toBeUndefined();
  });
});
