/** The rooms of a process: opening, changing and releasing them. */
import { expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../server/broker/index.ts';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import { LiveRooms } from '../../server/events/live-rooms.ts';
import { SharedCaptionLog } from '../../server/events/nodes/shared-caption-log.ts';
import { FanOut } from '../../server/events/reading/fan-out.ts';
import { anybody, keyForPasscode, passOf } from '../../server/events/room-keys.ts';
import type { Room, RoomStore } from '../../server/events/store.ts';
import { ServiceError } from '../../shared/errors.ts';
import { openEmbedded } from '../broker/open-brokers.ts';
import { recordLog } from '../support/product/log-record.ts';
import { until } from '../support/product/server.ts';
import {
  join,
  openRoom,
  platformOfThisFile,
  say,
  screen,
  scriptedTranslator,
  shows,
  speech,
  wholeTranscript,
} from './live-room-support.ts';
import { sampleLink, sampleRoom, sampleWishes } from './room-samples.ts';

const platform = platformOfThisFile();

interface Given {
  sweepMs?: number;
  /** Set when there are several nodes. */
  broker?: Broker;
  faults?: Partial<RoomStore>;
}

async function openRooms({ sweepMs = 60_000, broker, faults = {} }: Given = {}) {
  const { account, key } = await platform().newcomer();
  const owner = { accountId: account.accountId, keyId: key.keyId };
  const store = { ...platform().storage.rooms, ...faults };
  const log = recordLog();
  const nodes = broker && {
    ...{ broker, captions: new SharedCaptionLog({ store, broker, log }) },
  };
  const captions = nodes?.captions ?? createCaptionLog({ store, log });
  const prepared: (string | undefined)[] = [];
  const payer = { isActive: true };
  /** Calls that forget synthesised speech: the room, and the time before which it is forgotten. */
  const forgotten: [roomId: string, beforeMs: number | undefined][] = [];
  const rooms = new LiveRooms({
    ...{ captions, nodes, store, log, sweepMs, fanOut: new FanOut() },
    spokenLines: {
      forget: (roomId, beforeMs) => void forgotten.push([roomId, beforeMs]),
      speakFor: () => Promise.reject(new Error('There is one node.')),
    },
    callerOf: async () => {
      if (payer.isActive) return { account, key };
      throw new ServiceError('forbidden', 'The key is not active.');
    },
    pairsOf: () => [],
    spokenLanguages: () => [],
    liveTranslation: {
      async prepare({ glossaryId }) {
        prepared.push(glossaryId);
        if (glossaryId === 'gone')
          throw new ServiceError('not_found', 'There is no such glossary.');
        return { translateText: scriptedTranslator().translateText };
      },
    },
  });
  const make = async (given: Partial<Room> = {}) => {
    const room = sampleRoom(owner, { wishes: { ...sampleWishes, always: [] }, ...given });
    await store.create(room, [], 100);
    return room;
  };
  return { rooms, make, store, log, prepared, captions, owner, payer, forgotten };
}

it('opens a room in its current state, not in that of the request', async () => {
  const { rooms, make, store } = await openRooms();
  const before = await make();
  await store.change(before.accountId, before.roomId, { keepMs: 0 });
  const [one, same] = await Promise.all([rooms.open(before), rooms.open(before)]);
  expect(one.room.keepMs).toBe(0);
  expect(one).toBe(same);
  await rooms.stop();
});

it('does not open a room that was deleted meanwhile', async () => {
  const { rooms, make, store } = await openRooms();
  const room = await make();
  const opening = rooms.open(room);
  rooms.deleted(room.roomId);
  await expect(opening).rejects.toMatchObject({ code: 'not_found' });
  await store.delete(room.accountId, room.roomId);
  await expect(rooms.open(room)).rejects.toMatchObject({ code: 'not_found' });
  expect(rooms.find(room.roomId)).toBeUndefined();
  await rooms.stop();
});

it('continues an event without its glossary after that was deleted', async () => {
  const { rooms, make, prepared, log } = await openRooms();
  const room = await make({ wishes: { ...sampleWishes, always: [], glossaryId: 'gone' } });
  await expect(rooms.check(room)).rejects.toMatchObject({ code: 'not_found' });
  await rooms.open(room);
  expect(prepared).toEqual(['gone', 'gone', undefined]);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  await rooms.stop();
});

it('continues an event without translation after its key was deactivated', async () => {
  const { rooms, make, owner, payer } = await openRooms();
  const live = await rooms.open(await make());
  const reader = join(live, 'es');
  await say(live, 'One.');
  await shows(reader, 'es(One.)');
  payer.isActive = false;
  rooms.endOfKey('another');
  rooms.endOfKey(owner.keyId);
  await until(async () => {
    await say(live, 'Two.');
    return screen(reader).includes('Two.');
  });
  await rooms.stop();
});

it('removes lines older than the retention time from memory and from disk', async () => {
  const { rooms, make, captions, forgotten } = await openRooms({ sweepMs: 5 });
  const room = await make({ keepMs: 60_000 });
  const live = await rooms.open(room);
  const at = { language: 'en', author: 'machine' as const };
  const old = Date.now() - 61_000;
  await live.say({ ...at, text: 'Old.', startMs: old, endMs: old });
  await live.say({ ...at, text: 'New.', startMs: Date.now(), endMs: Date.now() });
  const track = { roomId: room.roomId, name: 'spoken' };
  const texts = async () => (await wholeTranscript(captions, track)).map(({ text }) => text);
  await expect.poll(texts, { interval: 10 }).toEqual(['New.']);
  await shows(join(live), 'New.');
  expect(forgotten.at(-1)?.[0]).toBe(room.roomId);
  expect(forgotten.at(-1)?.[1]).toBeGreaterThan(old);
  await rooms.stop();
  expect(forgotten.at(-1)).toEqual([room.roomId, undefined]);
});

it('shows and translates what is said during a deletion', async () => {
  const { live } = await openRoom({ keepMs: 0 });
  const [spoken, spanish] = [join(live), join(live, 'es')];
  await say(live, 'Secret.');
  await shows(spanish, 'es(Secret.)');
  const deleted = live.forget();
  await Promise.all([say(live, 'One.'), say(live, 'Two.'), deleted]);
  await shows(spoken, 'One.', 'Two.');
  await shows(spanish, 'es(One.)', 'es(Two.)');
});

it('removes nothing when a deletion fails', async () => {
  const { live, captions } = await openRoom();
  await say(live, 'One.');
  captions.forget = () => Promise.reject(new Error('The disk is full.'));
  await expect(live.forget()).rejects.toThrow('The disk is full.');
  await shows(join(live, 'es'), 'es(One.)');
});

it('lets nobody in after it has stopped', async () => {
  const { rooms, make } = await openRooms();
  const room = await make();
  const reader = join(await rooms.open(room));
  const stopped = rooms.stop();
  await expect(rooms.open(room)).rejects.toMatchObject({ code: 'stopping' });
  await stopped;
  expect(reader.ended).toHaveLength(1);
});

/** A node that receives announcements only from the test. */
function deafNode() {
  const sound = openEmbedded();
  onTestFinished(() => sound.close());
  const told = {
    is: (_news: object): void => undefined,
    missed: (): void => undefined,
    back: (): void => undefined,
  };
  const broker: Broker = {
    ...sound,
    announcements: {
      tell: async () => undefined,
      listen(_topic, onMessage, onMissed) {
        told.is = (news) => void onMessage(JSON.stringify({ from: 'another', ...news }));
        told.missed = () => onMissed?.();
        return () => undefined;
      },
    },
    onBack(hook) {
      told.back = hook;
      return sound.onBack(hook);
    },
  };
  return { broker, told };
}

it.each(['back', 'missed'] as const)(
  'applies unannounced changes of other nodes when the broker reports "%s"',
  async (happens) => {
    const { broker, told } = deafNode();
    const { rooms, make, store } = await openRooms({ broker });
    const [revoked, deleted, paused, closed] = [
      await make(),
      await make(),
      await make(),
      await make(),
    ];
    const links = [sampleLink(), sampleLink({ role: 'speaker' })] as const;
    for (const link of links) await store.addLink(revoked.roomId, link, 10);
    const pass = ({ linkId }: { linkId: string }) => ({ ...anybody, linkId });
    const [inRevoked, inDeleted, inPaused, inClosed] = [
      ...[await rooms.open(revoked), await rooms.open(deleted)],
      ...[await rooms.open(paused), await rooms.open(closed)],
    ] as const;
    const guest = join(inRevoked, 'spoken', undefined, { pass: pass(links[0]) });
    const readers = [inRevoked, inDeleted, inPaused, inClosed].map((live) => join(live));
    const speaker = speech();
    inRevoked.hear(speaker.speech, pass(links[1]));
    for (const { linkId } of links) await store.removeLink(revoked.roomId, linkId);
    await store.delete(deleted.accountId, deleted.roomId);
    await store.change(paused.accountId, paused.roomId, { isPaused: true });
    const wishes = { ...closed.wishes, access: 'link' as const };
    await store.change(closed.accountId, closed.roomId, { wishes });
    told[happens]();
    await expect.poll(() => readers.map(({ ended }) => ended.length)).toEqual([0, 1, 0, 1]);
    expect(guest.ended).toHaveLength(1);
    expect(speaker.state.ended).toBe('forbidden');
    expect(inPaused.state).toBe('paused');
    expect(rooms.find(deleted.roomId)).toBeUndefined();
    await rooms.stop();
  },
);

it('keeps and readmits readers who knew the passcode when rooms are looked up again', async () => {
  const { broker, told } = deafNode();
  const { rooms, make, store } = await openRooms({ broker });
  const room = await make();
  const wishes = { ...room.wishes, access: 'passcode' as const, passcode: 'melon' };
  await store.change(room.accountId, room.roomId, { wishes });
  const closed = (await store.find(room.roomId))!;
  const live = await rooms.open(closed);
  const key = keyForPasscode(closed, 0);
  const pass = passOf(closed, [], { key, nowMs: Date.now() })!;
  const reader = join(live, 'spoken', undefined, { pass });
  await store.change(room.accountId, room.roomId, { isPaused: true });
  told.back();
  await expect.poll(() => live.state).toBe('paused');
  told.back();
  const late = join(live, 'spoken', undefined, { pass });
  await store.change(room.accountId, room.roomId, { isPaused: false });
  told.back();
  await expect.poll(() => live.state).not.toBe('paused');
  expect([reader.ended, late.ended]).toEqual([[], []]);
  await rooms.stop();
});

it('applies an announced change once the database answers again', async () => {
  const { broker, told } = deafNode();
  const database = { isAway: false, failed: 0 };
  const faults: Partial<RoomStore> = {
    async find(roomId) {
      if (!database.isAway) return platform().storage.rooms.find(roomId);
      database.failed += 1;
      throw new Error('The database is away.');
    },
  };
  const { rooms, make, store } = await openRooms({ broker, faults });
  const room = await make();
  const live = await rooms.open(room);
  await store.change(room.accountId, room.roomId, { isPaused: true });
  database.isAway = true;
  told.is({ roomId: room.roomId, changed: { isClosed: false } });
  await until(() => database.failed > 0);
  database.isAway = false;
  await expect.poll(() => live.state, { timeout: 10_000 }).toBe('paused');
  await rooms.stop();
});

it('leaves the lines of a room to other servers when it stops', async () => {
  const { broker } = deafNode();
  const { rooms, make } = await openRooms({ broker });
  const room = await make({ keepMs: 0 });
  await say(await rooms.open(room), 'One.');
  await rooms.stop();
  const kept = await broker.streams.read(`room ${room.roomId}`, 0, 9);
  expect(kept.map(({ bytes }) => bytes.toString()).join()).toContain('One.');
  expect(await broker.leases.find(`room ${room.roomId}`)).toBeUndefined();
});
