/** Who speaks in a room that two nodes have open, where one of them takes up what the other has heard. */
import { expect, it, onTestFinished } from 'vitest';
import type { Broker } from '../../../server/broker/index.ts';
import { LiveRoom } from '../../../server/events/live-room.ts';
import {
  createSharedCaptionLog,
  type SharedCaptionLog,
} from '../../../server/events/nodes/shared-caption-log.ts';
import { createFanOut } from '../../../server/events/reading/fan-out.ts';
import { openBrokers } from '../../broker/open-brokers.ts';
import { until } from '../../support/product/server.ts';
import {
  join,
  openRoom,
  platformNow,
  platformOfThisFile,
  scriptedTranslator,
  screen,
  shows,
  speech,
} from '../live-room-support.ts';

platformOfThisFile();

/** One room at two nodes, which have nothing but the broker and the database in common. */
async function openTwo() {
  const brokers = await openBrokers('Redis');
  const { room, log } = await openRoom();
  const translator = scriptedTranslator();
  const open = async (broker: Broker): Promise<{ live: LiveRoom; captions: SharedCaptionLog }> => {
    const store = platformNow().storage.rooms;
    const captions = createSharedCaptionLog({ store, broker, log });
    const share = captions.share(room.roomId);
    const live = new LiveRoom({
      ...{ room, captions, log, fanOut: createFanOut() },
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
  return { first: await open(brokers[0]), second: await open(brokers[1]), room, log };
}

it('the same session, taken up elsewhere, goes on there: nothing is said twice, and nobody is told to leave', async () => {
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
  // It hears again from a moment before the last word.
  after.beginsAt(1_020);
  after.concludes('Two.');
  after.beginsAt(2_000);
  after.concludes('Three is said.');
  for (const reader of readers) await shows(reader, 'One.', 'Two.', 'Three is said.');
  expect(first.live.isHome).toBe(false);
  expect(before.state.ended).toBeUndefined();
  // What the first still hears of it is said by nobody.
  before.concludes('Three is said.');
  after.beginsAt(3_000);
  after.concludes('Four.');
  for (const reader of readers) {
    await shows(reader, 'One.', 'Two.', 'Three is said.', 'Four.');
  }
});

it("what was said in a pause is nobody's, also where it is heard again elsewhere", async () => {
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
  // As if nothing of it had been concluded.
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

it('another session takes the floor: what was being said stays, and its session ends', async () => {
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
