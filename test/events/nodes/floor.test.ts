/** Who speaks in a room that two nodes have open, when one of them takes over from the other. */
import { expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../../server/broker/index.ts';
import { LiveRoom } from '../../../server/events/live-room.ts';
import { SharedCaptionLog } from '../../../server/events/nodes/shared-caption-log.ts';
import { FanOut } from '../../../server/events/reading/fan-out.ts';
import { openBrokers, withStreams } from '../../broker/open-brokers.ts';
import { until } from '../../support/product/server.ts';
import {
  join,
  openRoom,
  platformNow,
  platformOfThisFile,
  say,
  scriptedTranslator,
  screen,
  shows,
  speech,
} from '../live-room-support.ts';

platformOfThisFile();

/** One room at two nodes that share nothing but the broker and the database. */
async function openTwo(firstOver = (broker: Broker) => broker) {
  const brokers = await openBrokers('Redis');
  const { room, log } = await openRoom();
  const translator = scriptedTranslator();
  const open = async (broker: Broker): Promise<{ live: LiveRoom; captions: SharedCaptionLog }> => {
    const store = platformNow().storage.rooms;
    const captions = new SharedCaptionLog({ store, broker, log });
    const share = captions.share(room.roomId);
    const live = new LiveRoom({
      ...{ room, captions, log, fanOut: new FanOut() },
      translateText: translator.translateText,
      spokenLanguages: () => [],
      nodes: {
        ...{ share, others: () => [], tell: () => undefined, onForgotten: () => undefined },
        speak: async () => ({}),
      },
    });
    onTestFinished(() => captions.stop());
    await share.ready;
    return { live, captions };
  };
  const [first, second] = [await open(firstOver(brokers[0])), await open(brokers[1])];
  return { first, second, room, log, broker: brokers[1] };
}

it('continues a resumed session at the new node, without repeating a line or ending it', async () => {
  const { first, second } = await openTwo();
  const readers = [join(first.live), join(second.live)];
  const before = speech('session');
  first.live.hear(before.speech);
  before.beginsAt(0);
  before.concludes('One.');
  before.beginsAt(1_000);
  before.concludes('Two.');
  await shows(readers[1]!, 'One.', 'Two.');
  before.beginsAt(2_000);
  before.grows('Three is');

  const after = speech('session');
  second.live.hear(after.speech);
  await until(() => second.live.isHome);
  // The new node recognises again from a moment before the last word.
  after.beginsAt(1_020);
  after.concludes('Two.');
  after.beginsAt(2_000);
  after.concludes('Three is said.');
  for (const reader of readers) await shows(reader, 'One.', 'Two.', 'Three is said.');
  expect(first.live.isHome).toBe(false);
  expect(before.state.ended).toBeUndefined();
  // What the first node still recognises becomes no line.
  before.concludes('Three is said.');
  after.beginsAt(3_000);
  after.concludes('Four.');
  for (const reader of readers) {
    await shows(reader, 'One.', 'Two.', 'Three is said.', 'Four.');
  }
});

it('drops speech from a pause, even when another node recognises it again', async () => {
  const { first, second, room } = await openTwo();
  const readers = [join(first.live), join(second.live)];
  const before = speech('session');
  first.live.hear(before.speech);
  before.beginsAt(0);
  before.concludes('One.');
  await shows(readers[1]!, 'One.');
  before.state.receivedMs = 2_000;
  first.live.change({ ...room, isPaused: true });
  before.state.receivedMs = 8_000;
  first.live.change({ ...room, isPaused: false });
  before.beginsAt(8_000);
  before.concludes('Two.');
  await shows(readers[1]!, 'One.', 'Two.');

  const after = speech('session');
  after.state.receivedMs = 9_000;
  second.live.hear(after.speech);
  // As if nothing of it had been concluded before.
  after.beginsAt(3_000);
  after.grows('between us');
  after.concludes('Between us.');
  after.beginsAt(8_000);
  after.concludes('Two.');
  after.beginsAt(9_000);
  after.concludes('Three.');
  for (const reader of readers) await shows(reader, 'One.', 'Two.', 'Three.');
  expect(JSON.stringify(readers.map(({ received }) => received))).not.toMatch(/between us/i);
});

it('gives the floor to another session, keeps the unfinished sentence, and ends the first session', async () => {
  const { first, second } = await openTwo();
  const readers = [join(first.live), join(second.live)];
  const one = speech('one');
  first.live.hear(one.speech);
  one.concludes('One.');
  await shows(readers[1]!, 'One.');
  one.beginsAt(1_000);
  one.grows('and then');
  await until(() => readers[0]!.received.some((each) => JSON.stringify(each).includes('and then')));
  const other = speech('other');
  second.live.hear(other.speech);
  await until(() => one.state.ended === 'session_ended');
  other.concludes('Other.');
  for (const reader of readers) await shows(reader, 'One.', 'and then', 'Other.');
  expect(other.state.ended).toBeUndefined();
  expect(screen(readers[0]!)).toEqual(screen(readers[1]!));
});

it('repeats a pending line after another node was the owner in between', async () => {
  const gate = { isCut: false, open: (): void => undefined, opened: Promise.resolve() };
  const { first, second, room, broker } = await openTwo((over) => ({
    ...withStreams(over, {
      async append(...wish) {
        if (gate.isCut) await gate.opened;
        return over.streams.append(...wish);
      },
    }),
    leases: {
      acquire: (...wish) => over.leases.acquire(...wish),
      release: (...wish) => over.leases.release(...wish),
      find: (...wish) => over.leases.find(...wish),
      async renew(...wish) {
        if (gate.isCut) await gate.opened;
        return over.leases.renew(...wish);
      },
    },
  }));
  const reader = join(first.live);
  const { roomId } = room;
  const one = speech('one');
  first.live.hear(one.speech);
  one.beginsAt(0);
  one.concludes('One.');
  await shows(reader, 'One.');

  gate.opened = new Promise((resolve) => (gate.open = resolve));
  gate.isCut = true;
  one.beginsAt(1_000);
  one.concludes('Two.');
  const held = await broker.leases.find(`room ${roomId}`);
  await broker.leases.release(`room ${roomId}`, held!.epoch);
  const claim = { sessionId: 'other', isResuming: false };
  expect(await second.captions.share(roomId).claim(claim)).toBeUndefined();
  await say(second.live, 'Between.');
  await second.captions.leave(roomId, { isLast: false });
  const found = first.captions.share(roomId).tick();
  gate.isCut = false;
  gate.open();
  await found;
  expect(first.live.isHome).toBe(true);
  await shows(reader, 'One.', 'Between.', 'Two.');
});
