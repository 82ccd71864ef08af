import { expect, it, onTestFinished } from 'vitest';
import {
  createReaderDesk,
  createStallWatch,
  type ReaderDesk,
} from '../../../server/events/reading/readers.ts';
import { brokerNames, openBrokers, openEmbedded } from '../../broker/open-brokers.ts';
import { scriptedReader } from './scripted-reader.ts';

const limits = { most: 4, mostInRoom: 3, mostFromAddress: 2, joinBurst: 3, joinsPerSecond: 1e-6 };

function openDesk(broker = openEmbedded()) {
  onTestFinished(() => broker.close());
  return createReaderDesk(limits, broker.buckets);
}

const codeOf = (error: unknown) => (error as { code: string }).code;

function refusal(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    return codeOf(error);
  }
}

it('limits seats in total, in a room and for a network', () => {
  const desk = openDesk();
  const first = desk.admit('hall', 'a');
  desk.admit('hall', 'a');
  expect(refusal(() => desk.admit('side', 'a'))).toBe('too_many_sessions');
  desk.admit('hall', 'b');
  expect(refusal(() => desk.admit('hall', 'b'))).toBe('too_many_sessions');
  desk.admit('side', 'b');
  expect(refusal(() => desk.admit('side', 'c'))).toBe('too_many_sessions');
  first();
  first();
  expect(desk.count).toBe(3);
  desk.admit('hall', 'a');
});

it('limits how many readers of a network join at once', () => {
  const desk = openDesk();
  for (let come = 0; come < 3; come += 1) desk.checkJoin('a');
  expect(refusal(() => desk.checkJoin('a'))).toBe('too_many_requests');
  expect(refusal(() => desk.checkJoin('b'))).toBeUndefined();
});

it('limits how many lines are spoken for a network at once', () => {
  const desk = openDesk();
  const outcomes = Array.from({ length: 70 }, () => refusal(() => desk.checkSpeech('a')));
  expect(outcomes.slice(0, 60)).toEqual(Array.from({ length: 60 }));
  expect(outcomes.at(-1)).toBe('too_many_requests');
  expect(refusal(() => desk.checkSpeech('b'))).toBeUndefined();
});

it('limits how many lines are typed into a room at once', () => {
  const desk = openDesk();
  const outcomes = Array.from({ length: 1_100 }, () => refusal(() => desk.checkTyped('hall')));
  expect(outcomes.slice(0, 1_000)).toEqual(Array.from({ length: 1_000 }));
  expect(outcomes.at(-1)).toBe('too_many_requests');
  expect(refusal(() => desk.checkTyped('side'))).toBeUndefined();
});

it('counts all IPv6 addresses of one subscriber as one network', () => {
  const desk = openDesk();
  desk.admit('hall', '2001:db8:0:1::1');
  desk.admit('hall', '2001:db8::1:ffff:0:0:2');
  expect(refusal(() => desk.admit('hall', '2001:0db8:0000:0001:1:2:3:4'))).toBe(
    'too_many_sessions',
  );
  expect(refusal(() => desk.admit('hall', '2001:db8:0:2::1'))).toBeUndefined();
  expect(refusal(() => desk.admit('side', '::ffff:192.0.2.1'))).toBeUndefined();
});

it.each(brokerNames)(
  'limits passcode guesses over both servers, even if all come at once (%s)',
  async (name) => {
    const [desk, other] = (await openBrokers(name)).map((broker) =>
      createReaderDesk(limits, broker.buckets),
    ) as [ReaderDesk, ReaderDesk];
    const say = (at: ReaderDesk, room: string, address: string, isRight = false) =>
      at.checkTries(room, address, { isRight }).then(() => undefined, codeOf);
    const outcomes = await Promise.all(
      Array.from({ length: 50 }, (_, index) => say(index % 2 ? desk : other, 'room', 'a')),
    );
    expect(outcomes.filter((code) => code === undefined)).toHaveLength(10);
    expect(outcomes.at(-1)).toBe('too_many_requests');
    // The answer does not reveal that a guess was right either.
    expect(await say(other, 'room', 'a', true)).toBe('too_many_requests');
    expect(await say(other, 'other', 'a')).toBeUndefined();
    expect(await say(other, 'room', 'b')).toBeUndefined();
  },
);

it.each(brokerNames)(
  'admits any number of readers with the right passcode at once (%s)',
  async (name) => {
    const [desk, other] = (await openBrokers(name)).map((broker) =>
      createReaderDesk(limits, broker.buckets),
    ) as [ReaderDesk, ReaderDesk];
    await desk.checkTries('room', 'a', { isRight: false });
    await Promise.all(
      Array.from({ length: 600 }, (_, index) =>
        (index % 2 ? desk : other).checkTries('room', 'a', { isRight: true }),
      ),
    );
  },
);

it('limits guesses from any number of addresses by room, without evicting other counters', async () => {
  // The clock stands still, so that no further guesses become available.
  const broker = openEmbedded(() => 1);
  const desk = openDesk(broker);
  const requests = { kind: 'requests', name: 'key' };
  const limit = { most: 1, windowMs: 600_000 };
  await broker.counters.count(requests, limit);
  const guess = (room: string, address: string) =>
    desk.checkTries(room, address, { isRight: false }).catch(codeOf);
  for (let each = 0; each < 10; each += 1) await guess('hall', 'a');
  const outcomes: unknown[] = [];
  for (let each = 0; each < 30_000; each += 1) outcomes.push(await guess('room', `${each}`));
  const told = outcomes.filter((code) => code === undefined).length;
  expect(told).toBe(500);
  expect(await guess('hall', 'a')).toBe('too_many_requests');
  const bucket = { kind: 'passcodes of addresses', burst: 1, everyMs: 600_000 };
  for (let each = 0; each < 30_000; each += 1) {
    await broker.buckets.take([{ ...bucket, name: `${each}` }]);
  }
  expect(await broker.buckets.look([{ ...bucket, name: '0' }])).toBeUndefined();
  expect(await broker.buckets.look([{ ...bucket, name: '29999' }])).toBeGreaterThan(0);
  expect(await broker.counters.count(requests, limit)).toBeGreaterThan(0);
});

it('detects readers whose backlog does not shrink, and spares slow ones', () => {
  const isStalled = createStallWatch();
  const [stalled, slow, idle] = [scriptedReader(), scriptedReader(), scriptedReader()];
  stalled.backlogBytes = 10_000;
  slow.backlogBytes = 10_000;
  const looks = Array.from({ length: 8 }, () => {
    slow.backlogBytes -= 100;
    return [isStalled(stalled), isStalled(slow), isStalled(idle)];
  });
  expect(looks.map(([first]) => first)).toEqual([
    ...[false, false, false],
    ...[true, true, true, true, true],
  ]);
  expect(looks.flatMap(([, ...others]) => others)).not.toContain(true);
});
