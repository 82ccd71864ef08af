/** The rooms of a process: opened, changed, let go of. */
import { expect, it } from 'vitest';
import { createCaptionLog } from '../../server/events/embedded-caption-log.ts';
import { createLiveRooms } from '../../server/events/live-rooms.ts';
import { createFanOut } from '../../server/events/reading/fan-out.ts';
import type { Room } from '../../server/events/store.ts';
import { ServiceError } from '../../shared/errors.ts';
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
  wholeTranscript,
} from './live-room-support.ts';
import { sampleRoom, sampleWishes } from './room-samples.ts';

const platform = platformOfThisFile();

async function openRooms({ sweepMs = 60_000 } = {}) {
  const { account, key } = await platform().newcomer();
  const owner = { accountId: account.accountId, keyId: key.keyId };
  const store = platform().storage.rooms;
  const log = recordLog();
  const captions = createCaptionLog({ store, log });
  const prepared: (string | undefined)[] = [];
  const payer = { isActive: true };
  /** Of which rooms, and until when, what was spoken is forgotten. */
  const forgotten: [roomId: string, beforeMs: number | undefined][] = [];
  const rooms = createLiveRooms({
    ...{ captions, store, log, sweepMs, fanOut: createFanOut() },
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

it('a room is opened as it is, not as it was when it was asked for', async () => {
  const { rooms, make, store } = await openRooms();
  const before = await make();
  await store.change(before.accountId, before.roomId, { keepMs: 0 });
  const [one, same] = await Promise.all([rooms.open(before), rooms.open(before)]);
  expect(one.room.keepMs).toBe(0);
  expect(one).toBe(same);
  await rooms.stop();
});

it('a room that was deleted meanwhile is not opened', async () => {
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

it('an event goes on without a glossary that was deleted', async () => {
  const { rooms, make, prepared, log } = await openRooms();
  const room = await make({ wishes: { ...sampleWishes, always: [], glossaryId: 'gone' } });
  await expect(rooms.check(room)).rejects.toMatchObject({ code: 'not_found' });
  await rooms.open(room);
  expect(prepared).toEqual(['gone', 'gone', undefined]);
  expect(log.lines.map(({ level }) => level)).toEqual(['warn']);
  await rooms.stop();
});

it('an event goes on untranslated when its key is deactivated', async () => {
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

it('what was said longer ago than it is kept is gone, from memory and from disk', async () => {
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

it('what is said while everything is deleted is shown to those who are there, and translated', async () => {
  const { live } = await openRoom({ keepMs: 0 });
  const [spoken, spanish] = [join(live), join(live, 'es')];
  await say(live, 'Secret.');
  await shows(spanish, 'es(Secret.)');
  const deleted = live.forget();
  await Promise.all([say(live, 'One.'), say(live, 'Two.'), deleted]);
  await shows(spoken, 'One.', 'Two.');
  await shows(spanish, 'es(One.)', 'es(Two.)');
});

it('a deletion that fails takes nothing away', async () => {
  const { live, captions } = await openRoom();
  await say(live, 'One.');
  captions.forget = () => Promise.reject(new Error('The disk is full.'));
  await expect(live.forget()).rejects.toThrow('The disk is full.');
  await shows(join(live, 'es'), 'es(One.)');
});

it('a server that stops lets nobody in again', async () => {
  const { rooms, make } = await openRooms();
  const room = await make();
  const reader = join(await rooms.open(room));
  const stopped = rooms.stop();
  await expect(rooms.open(room)).rejects.toMatchObject({ code: 'stopping' });
  await stopped;
  expect(reader.ended).toHaveLength(1);
});
