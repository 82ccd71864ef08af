import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Storage } from '../../server/stores.ts';
import { databaseNames, databasesOfThisFile } from '../storage/database-pair.ts';
import { openAccount } from '../storage/samples.ts';
import { sampleCaption, sampleLink, sampleRoom } from './room-samples.ts';

const openDatabase = databasesOfThisFile();

describe.each(databaseNames)('rooms in %s', (name) => {
  /** Two connections to one database, as two processes have them. */
  let storage: Storage;
  let other: Storage;
  let execute: (sql: string) => Promise<unknown[]>;

  beforeAll(async () => {
    ({ storage, other, execute } = await openDatabase(name));
  });

  const newOwner = async () => {
    const { account, key } = await openAccount(storage);
    return { accountId: account.accountId, keyId: key.keyId };
  };
  const newRoom = async (given = {}) => {
    const room = sampleRoom(await newOwner(), given);
    await storage.rooms.create(room, [], 10);
    return room;
  };
  const trackOf = (roomId: string, track = 'spoken') => ({ roomId, name: track });

  it('are returned as they were created, with their links', async () => {
    const room = sampleRoom(await newOwner());
    const links = [
      sampleLink({ createdAtMs: 2 }),
      sampleLink({ createdAtMs: 1, role: 'speaker', expiresAtMs: 5 }),
    ];
    expect(await storage.rooms.create(room, links, 10)).toBe(true);
    expect(await other.rooms.find(room.roomId)).toEqual(room);
    expect(await other.rooms.links(room.roomId)).toEqual([links[1], links[0]]);
    expect(await other.rooms.find('2222222222')).toBeUndefined();
  });

  it('are listed per account, oldest first', async () => {
    const owner = await newOwner();
    const made = [3, 1, 2].map((createdAtMs) => sampleRoom(owner, { createdAtMs }));
    for (const room of made) await storage.rooms.create(room, [], 10);
    expect(await storage.rooms.list(owner.accountId)).toEqual([made[1], made[2], made[0]]);
    const links = [sampleLink({ createdAtMs: 1 }), sampleLink({ createdAtMs: 2 })];
    for (const link of [...links].reverse()) {
      await storage.rooms.addLink(made[0]!.roomId, link, 10);
    }
    await storage.rooms.addLink((await newRoom()).roomId, sampleLink(), 10);
    expect(await other.rooms.allLinks(owner.accountId)).toEqual(
      new Map([[made[0]!.roomId, links]]),
    );
    expect(await storage.rooms.list((await newOwner()).accountId)).toEqual([]);
  });

  it('are limited per account, as are the links of a room, under concurrent creation', async () => {
    const owner = await newOwner();
    const rooms = Array.from({ length: 12 }, () => sampleRoom(owner));
    const made = await Promise.all(
      rooms.map((room, index) => [storage, other][index % 2]!.rooms.create(room, [], 5)),
    );
    expect(made.filter(Boolean)).toHaveLength(5);
    const roomId = rooms[made.indexOf(true)]!.roomId;
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, index) =>
        [storage, other][index % 2]!.rooms.addLink(roomId, sampleLink(), 4),
      ),
    );
    expect(added.filter(Boolean)).toHaveLength(4);
    expect(await storage.rooms.links(roomId)).toHaveLength(4);
  });

  it('are not created for an unknown account, nor links for an unknown room', async () => {
    const room = sampleRoom({ accountId: randomUUID(), keyId: 'k' });
    await expect(storage.rooms.create(room, [], 10)).rejects.toMatchObject({ code: 'not_found' });
    const added = storage.rooms.addLink('2222222222', sampleLink(), 10);
    await expect(added).rejects.toMatchObject({ code: 'not_found' });
  });

  it('change only the given fields, and only for their own account', async () => {
    const room = await newRoom();
    const { accountId, roomId } = room;
    const patch = { name: 'Small stage', keepMs: 0, isPaused: true };
    expect(await storage.rooms.change(accountId, roomId, patch)).toEqual({ ...room, ...patch });
    expect(await other.rooms.change(accountId, roomId, {})).toEqual({ ...room, ...patch });
    const stranger = (await newOwner()).accountId;
    expect(await other.rooms.change(stranger, roomId, { name: 'x' })).toBeUndefined();
    expect(await storage.rooms.find(roomId)).toEqual({ ...room, ...patch });
  });

  it('return the newest captions in order, up to the limit', async () => {
    const { roomId } = await newRoom();
    const captions = [5, 7, 9].map((sequence) => sampleCaption(sequence));
    await storage.rooms.append(trackOf(roomId), captions.slice(0, 2));
    await storage.rooms.append(trackOf(roomId), captions.slice(2));
    const translated = sampleCaption(8, {
      ...{ language: 'es', text: '', renders: 7, author: 'person' },
    });
    await storage.rooms.append(trackOf(roomId, 'es'), [translated]);
    expect((await other.rooms.latest(trackOf(roomId), 10)).captions).toEqual(captions);
    expect((await other.rooms.latest(trackOf(roomId), 2)).captions).toEqual(captions.slice(1));
    expect((await other.rooms.latest(trackOf(roomId, 'es'), 10)).captions).toEqual([translated]);
  });

  it('leave nothing behind when they are deleted, and accept nothing afterwards', async () => {
    const room = await newRoom();
    const { roomId, accountId } = room;
    await storage.rooms.addLink(roomId, sampleLink(), 10);
    await storage.rooms.append(trackOf(roomId), [sampleCaption(1)]);
    expect(await storage.rooms.delete((await newOwner()).accountId, roomId)).toBe(false);
    expect(await other.rooms.delete(accountId, roomId)).toBe(true);
    expect(await storage.rooms.delete(accountId, roomId)).toBe(false);
    await storage.rooms.append(trackOf(roomId), [sampleCaption(2)]);
    for (const table of ['rooms', 'room_links', 'room_captions']) {
      expect(await execute(`select * from ${table} where room_id = '${roomId}'`)).toEqual([]);
    }
  });

  it('remove a link only once', async () => {
    const { roomId } = await newRoom();
    const link = sampleLink();
    await storage.rooms.addLink(roomId, link, 10);
    expect(await storage.rooms.removeLink((await newRoom()).roomId, link.linkId)).toBe(false);
    expect(await other.rooms.removeLink(roomId, link.linkId)).toBe(true);
    expect(await storage.rooms.removeLink(roomId, link.linkId)).toBe(false);
  });

  it('write no deleted caption again, nor its renderings', async () => {
    const { roomId } = await newRoom();
    const captions = [1, 2, 3].map((sequence) => sampleCaption(sequence));
    await storage.rooms.append(trackOf(roomId), captions.slice(0, 1));
    await storage.rooms.deleteCaptions(roomId, 2, 4);
    await other.rooms.append(trackOf(roomId), captions);
    const rendered = [2, 3].map((renders) => sampleCaption(renders + 2, { renders }));
    await other.rooms.append(trackOf(roomId, 'es'), rendered);
    // What was said during the deletion is kept.
    expect(await storage.rooms.captions(trackOf(roomId), 0, 9)).toEqual([captions[2]]);
    expect(await storage.rooms.captions(trackOf(roomId, 'es'), 0, 9)).toEqual([rendered[1]]);
    expect((await storage.rooms.latest(trackOf(roomId), 9)).cutAt).toBe(4);
  });

  it('lose captions that are deleted or older than the retention time', async () => {
    const [short, long] = [await newRoom({ keepMs: 1_000 }), await newRoom({ keepMs: 100_000 })];
    const captions = [10_000, 20_000].map((at) => sampleCaption(at, { endMs: at }));
    for (const { roomId } of [short, long]) await storage.rooms.append(trackOf(roomId), captions);
    await other.rooms.deleteExpired(20_500);
    expect((await storage.rooms.latest(trackOf(short.roomId), 9)).captions).toEqual([captions[1]]);
    expect((await storage.rooms.latest(trackOf(long.roomId), 9)).captions).toEqual(captions);
    await storage.rooms.deleteCaptions(long.roomId, 0, 0);
    expect((await other.rooms.latest(trackOf(long.roomId), 9)).captions).toEqual([]);
    expect((await other.rooms.latest(trackOf(short.roomId), 9)).captions).toHaveLength(1);
  });
});
