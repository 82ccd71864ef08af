/** Shared caption logs over Redis and one database. */
import { beforeAll, onTestFinished } from 'vitest';
import { ServiceError } from '../../../shared/errors.ts';
import type { Broker } from '../../../server/broker/index.ts';
import type { Caption, CaptionTrack } from '../../../server/events/caption-log.ts';
import { read } from '../../../server/events/nodes/room-entry.ts';
import { SharedCaptionLog } from '../../../server/events/nodes/shared-caption-log.ts';
import type { RoomStore } from '../../../server/events/store.ts';
import type { Storage } from '../../../server/stores.ts';
import { openBrokers } from '../../broker/open-brokers.ts';
import { databasesOfThisFile } from '../../storage/database-pair.ts';
import { openAccount, quietLog } from '../../storage/samples.ts';
import { sampleRoom } from '../room-samples.ts';

export let storage: Storage;

/** Opens the database for the tests of a file. */
export function storageOfThisFile(): void {
  const openNew = databasesOfThisFile();
  beforeAll(async () => {
    ({ storage } = await openNew('sqlite'));
  });
}

export function openLog(broker: Broker, now = Date.now, rooms = storage.rooms): SharedCaptionLog {
  let isOver = false;
  const store: RoomStore = {
    ...rooms,
    // Stops retried writes, which would go on in a process shared with other tests.
    append: async (...args) => {
      if (!isOver) await rooms.append(...args);
    },
  };
  const log = new SharedCaptionLog({ store, broker, now, log: quietLog, retryMs: 5 });
  onTestFinished(() => {
    isOver = true;
    log.stop();
  });
  return log;
}

export async function newRoom(): Promise<string> {
  const { account, key } = await openAccount(storage);
  const room = sampleRoom({ accountId: account.accountId, keyId: key.keyId });
  await storage.rooms.create(room, [], 10);
  return room.roomId;
}

export const away = () => new ServiceError('broker_unavailable', 'The broker is away.');
export const texts = (captions: readonly Caption[]) => captions.map(({ text }) => text);
export const textsIn = async (broker: Broker, roomId: string) =>
  (await broker.streams.read(`room ${roomId}`, 0, 99)).flatMap(
    ({ bytes }) => read(bytes).caption?.text ?? [],
  );

export const said = (text: string, line: number) => ({
  ...{ text, line, renders: null, language: 'en', startMs: 1000, endMs: 2000 },
  author: 'machine' as const,
});
export const claim = { sessionId: 'session', isResuming: false };

/** Opens two logs of one room, over Redis as servers do. */
export async function openTwo(
  stores: [first?: RoomStore, second?: RoomStore] = [],
): Promise<[SharedCaptionLog, SharedCaptionLog, CaptionTrack, Broker]> {
  const brokers = await openBrokers('Redis');
  const track = { roomId: await newRoom(), name: 'spoken' };
  const [first, second] = [
    openLog(brokers[0], Date.now, stores[0]),
    openLog(brokers[1], Date.now, stores[1]),
  ];
  await first.share(track.roomId).ready;
  await second.share(track.roomId).ready;
  return [first, second, track, brokers[0]];
}
